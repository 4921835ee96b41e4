# figure: HOTNESS as bars with their intervals: each hot method in the profile of each profiler.
# needs: method hotness
# takes: lo hi
# group: profiler
# axes: x
# groups: 8
# key: method
# order: hotness
# other: hotness
# label: 34
# top: 12
#
# Figure 4 of Mytkowicz et al., PLDI 2010, with horizontal bars, so that names can be read.
load figure_plots.'/style-notes.gp'

value = column_hotness
low = column_lo
high = column_hi
has_interval = has_lo && has_hi
least = 0
most = 100 * (has_interval && max_hi > max_hotness ? max_hi : max_hotness)
base = 0
scale = 100
own_label = 'Share of time (HOTNESS, %)'
own_short = 'HOTNESS (%)'
row_names = 'methods'
unused = tell(has_interval ? 'mean over runs and its interval' : 'mean over runs')
load figure_plots.'/style-bars.gp'
