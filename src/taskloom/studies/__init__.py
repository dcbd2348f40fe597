"""Studies: one table or figure of a paper each, at any scale."""
