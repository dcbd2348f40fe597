"""Studies of the seti family: tables and samples, systematicity, and few-shot learning of missing rules."""
