from taskloom.report.build import build_report as build_report
from taskloom.report.first import pair_matrix as pair_matrix
from taskloom.report.first import promise_plot as promise_plot
from taskloom.report.studies import study_page as study_page
