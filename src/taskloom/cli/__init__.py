"""The command line.

In: words on the command line and TASKLOOM_* variables.
Out: text or JSON on stdout, notes on stderr, an exit code.
"""
