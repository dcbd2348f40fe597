"""Families of tasks, one folder each."""
