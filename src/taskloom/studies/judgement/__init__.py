"""Judgement by people: forms to fill in, and what came back."""
