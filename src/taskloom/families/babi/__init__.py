"""The story world: all twenty bAbI tasks and Dyna-bAbI's compositional splits."""
