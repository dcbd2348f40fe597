"""Rewards, endless data and curricula for reinforcement learning, on the readers and scorers that runs use.

In: suites.
Out: rewards and endless, fresh rows for trainers.
"""

from taskloom.rl.curriculum import Curriculum
from taskloom.rl.reward import Reward, reward
from taskloom.rl.stream import endless, mixed

__all__ = ["Curriculum", "Reward", "endless", "mixed", "reward"]
