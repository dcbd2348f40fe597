"""The open collection: instruction tasks made of texts in registry packages."""
