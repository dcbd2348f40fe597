"""Where words, facts and sentences come from."""
