"""TaskBench500: an algebra of word and sequence functions, and the 500 tasks made of it."""
