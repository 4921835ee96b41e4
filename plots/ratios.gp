# figure: Ratios to a baseline as bars from 1, with their intervals.
# needs: ratio
# takes: n n_baseline ratio_lo ratio_hi
# text: baseline method verdict
# group: table
# axes: x
# groups: 8
# key: *
# label: 34
# top: 40
#
# The table of assay compare, or any with a column of names at its left. Bars begin at 1, which means no difference.
load figure_plots.'/style-notes.gp'

value = column_ratio
low = column_ratio_lo
high = column_ratio_hi
has_interval = has_ratio_lo && has_ratio_hi
least = has_interval && min_ratio_lo < min_ratio ? min_ratio_lo : min_ratio
most = has_interval && max_ratio_hi > max_ratio ? max_ratio_hi : max_ratio
base = 1
scale = 1
row_names = 'names'

baseline = text_baseline[1]
method = text_method[1]
do for [g = 1 : group_count] {
    baseline = text_baseline[g] eq baseline ? baseline : ''
    method = text_method[g] eq method ? method : ''
}
own_label = name_ratio ne 'ratio' ? name_ratio : strlen(baseline) ? 'Ratio to '.fit(baseline, 30) : 'Ratio'
own_short = 'Ratio'
unused = tell('ratio'.(has_interval ? ' and interval' : '').(has_interval && strlen(method) ? ' ('.method.')' : ''))
unused = tell(has_n ? 'n = '.span(min_n, max_n) : '')
unused = tell(has_n_baseline ? 'n of the baseline = '.span(min_n_baseline, max_n_baseline) : '')
load figure_plots.'/style-bars.gp'
