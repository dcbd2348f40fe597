"""Studies of the taskbench family: what became of the list, memorising, composing, probability mass, prediction."""
