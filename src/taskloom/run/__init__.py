"""Running models on suites: plan, execute, log, resume."""
