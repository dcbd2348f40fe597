"""Encodings: from a task and an instance to exactly what a model sees."""
