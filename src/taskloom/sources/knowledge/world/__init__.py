"""Fictional worlds: generated, consistent knowledge graphs with the ids of Wikidata."""
