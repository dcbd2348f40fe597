"""Studies of the babi family: the paper's tables, reading the files of others, and the audit of shortcuts."""
