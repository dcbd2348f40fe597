"""Super-NaturalInstructions: the instruction schema, the published collection, and an embedded one."""

from taskloom.families.superni.family import FAMILY, SuperNIFamily

__all__ = ["FAMILY", "SuperNIFamily"]
