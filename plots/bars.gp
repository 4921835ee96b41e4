# figure: Means as bars with their intervals, one row per name, side by side where the table has several series.
# needs: mean
# takes: n lo hi
# text: method
# group: table
# axes: x
# groups: 8
# key: *
# label: 34
# top: 40
#
# The table of assay ci, or any with a column of names at its left. All bars share one axis, from 0.
load figure_plots.'/style-notes.gp'

value = column_mean
low = column_lo
high = column_hi
has_interval = has_lo && has_hi
least = has_interval && min_lo < min_mean ? min_lo : min_mean
most = has_interval && max_hi > max_mean ? max_hi : max_mean
base = 0
scale = 1
row_names = 'names'
own_label = name_mean eq 'mean' ? 'Mean' : name_mean
own_short = own_label

method = text_method[1]
do for [g = 1 : group_count] { method = text_method[g] eq method ? method : '' }
unused = tell(name_mean.(has_interval ? ' and interval' : '').(has_interval && strlen(method) ? ' ('.method.')' : ''))
unused = tell(has_n ? 'n = '.span(min_n, max_n) : '')
load figure_plots.'/style-bars.gp'
