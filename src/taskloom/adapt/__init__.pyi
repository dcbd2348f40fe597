from taskloom.adapt.make import make_adaptation as make_adaptation
from taskloom.core.adaptation import Adaptation as Adaptation
from taskloom.core.adaptation import AdaptationError as AdaptationError
