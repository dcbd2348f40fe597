from taskloom.hosts.bigbench import read_bigbench as read_bigbench
from taskloom.hosts.hf import to_hf as to_hf
from taskloom.hosts.hf import to_hf_stream as to_hf_stream
from taskloom.hosts.hf import write_hf as write_hf
from taskloom.hosts.imports import import_log as import_log
from taskloom.hosts.lm_eval import lm_eval_path as lm_eval_path
from taskloom.hosts.lm_eval import write_lm_eval as write_lm_eval
from taskloom.hosts.squad import write_squad as write_squad
