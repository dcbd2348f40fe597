"""Where words, facts and sentences come from.

In: data files of this room, and files or endpoints that the user names.
Out: words, facts, worlds, names and sentences, the same for the same seed.
"""
