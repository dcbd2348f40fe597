"""Families of tasks, one folder each.

In: recipes and seeds.
Out: suites with exact answers, their scorers, encodings and lattices. Families do not know each other.
"""
