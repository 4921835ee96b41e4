# figure: Which phase each thread is in, over time: one row per thread, filled as far as phases fill a bin.
# needs: from_s to_s low high
# group: phase
# groups: 8
# key: thread
# repeats: key
# label: 40
# top: 40
#
# The table of assay phases --timeline --plot: low and high are where the phase lies in its bin, from 0 to 1.
load figure_plots.'/style-notes.gp'
unused = tell('filled: in a phase, by the innermost one')
row_cm = 0.7
legend_shown = 1
row_names = 'threads'
load figure_plots.'/style-rows.gp'

tics_axis = 'x'
tics_from = 0
tics_to = max_to_s
tics_most = 6
tics_cm = axis_cm
load figure_plots.'/style-tics.gp'
set xrange [0 : max_to_s > 0 ? max_to_s : 1]
own_label = 'Time (s)'
own_short = own_label
load figure_plots.'/style-xlabel.gp'

bottom(unused) = $2 + 0.43 - 0.86 * column(column_low)
top(unused) = $2 + 0.43 - 0.86 * column(column_high)
set style fill solid 1 noborder
plot for [g = 0 : group_count - 1] $rows index g \
        using (column(column_from_s)):2:(column(column_from_s)):(column(column_to_s)):(bottom(0)):(top(0)) \
        with boxxyerror linecolor rgb colour(g + 1)
