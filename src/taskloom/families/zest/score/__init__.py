"""How ZEST judges answers: the published rules, the fair ones, the F1 of a task and whole prediction files."""
