"""Sentence pairs for textual inference: a grammar that makes them, and a reader of SICK."""
