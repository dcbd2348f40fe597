"""What Inspect loads by the entry point `inspect_ai`: it registers suites, the scorer and two models."""

from taskloom.hosts.inspect_tasks import register

register()
