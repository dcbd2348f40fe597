from taskloom.report.answer import pair_matrix as pair_matrix
from taskloom.report.answer import promise_plot as promise_plot
from taskloom.report.build import build_report as build_report
from taskloom.report.studies import study_page as study_page
