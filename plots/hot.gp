# figure: Hot methods as bars with their intervals, side by side where the table has several clocks.
# needs: method share
# takes: rank lo hi half_width samples runs
# group: clock thread
# axes: x
# groups: 8
# key: method
# order: share
# other: share
# label: 34
# top: 12
#
# Bars are horizontal, so that names can be read. A method that a clock's table does not list has a dash, since that is
# not zero.
load figure_plots.'/style-notes.gp'

value = column_share
low = column_lo
high = column_hi
has_interval = has_lo && has_hi
least = 0
most = 100 * (has_interval && max_hi > max_share ? max_hi : max_share)
base = 0
scale = 100
own_label = 'Share of samples (%)'
own_short = 'Share (%)'
row_names = 'methods'

# Says what the bars are: the figure alone must not claim more than its table.
unused = tell(has_runs && max_runs > 1 ? (has_interval ? 'mean and interval of ' : 'mean of ').span(min_runs, max_runs).' runs' : '')
unused = tell(has_runs && max_runs == 1 ? 'one run' : '')
load figure_plots.'/style-bars.gp'
