# figure: Overall CoV of each metric as bars, weighted by the time of the phases, side by side where the table has several programs.
# needs: cov
# takes: phases
# axes: x
# groups: 8
# key: *
# label: 34
# top: 40
#
# The form of Georges et al. 2004, Fig. 5.
load figure_plots.'/style-notes.gp'
value = column_cov
low = column_cov
high = column_cov
has_interval = 0
least = 0
most = max_cov
base = 0
scale = 1
row_names = 'metrics'
own_label = 'Overall CoV, weighted by time'
own_short = 'Overall CoV'
unused = tell(has_phases ? span(min_phases, max_phases).' phases' : '')
load figure_plots.'/style-bars.gp'
