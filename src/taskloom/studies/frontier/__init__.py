"""The frontier: the smallest combinations that fail although their parts are mastered, with error control."""
