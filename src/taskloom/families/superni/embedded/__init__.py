"""The embedded collection: instruction tasks in English and Spanish that need no download."""
