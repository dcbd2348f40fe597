"""Models behind one interface.

In: requests.
Out: outputs, log-probabilities and states; what goes wrong becomes an output with a state.
"""

from taskloom.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
