"""Studies of the ZEST paper."""
