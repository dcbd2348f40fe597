"""Taskloom weaves language tasks out of small parts and shows where a model stops generalising.

`__init__.pyi` lists the public interface. Names are loaded on first use, so that `import taskloom` and
`taskloom --help` cost next to nothing.
"""

from taskloom.lazy import lazy_names

__version__ = "1.0.0"
__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
__all__ += ["__version__"]
