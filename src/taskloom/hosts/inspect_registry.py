"""What Inspect loads by the entry point `inspect_ai`: it registers suites, the scorer and two models."""

from taskloom.hosts.inspect_models import InspectAnswers
from taskloom.hosts.inspect_tasks import register, taskloom_reading

__all__ = ["InspectAnswers", "taskloom_reading"]

register()
