from taskloom.models.api import APIModel as APIModel
from taskloom.models.hf import HFModel as HFModel
from taskloom.models.mock import MockModel as MockModel
from taskloom.models.outputs import read_outputs as read_outputs
from taskloom.models.outputs import write_outputs as write_outputs
from taskloom.models.tiny import build_tiny as build_tiny
