# figure: Boxes of mean and standard deviation with the smallest and the largest value, one row per phase.
# needs: mean low high
# takes: n sd min max
# axes: x
# groups: 8
# key: phase
# label: 34
# top: 40
#
# The form of Georges et al. 2004, Fig. 6, from the summary of millions of calls: the line is the mean, the box one
# standard deviation on either side, and the two outermost of the values beyond it are points.
load figure_plots.'/style-notes.gp'
unused = tell('line: mean')
unused = tell('box: ±1 sd')
unused = tell(has_min && has_max ? 'points: smallest and largest, if beyond' : '')
unused = tell(has_n ? 'n = '.span(min_n, max_n) : '')
single = 0
count(unused) = (single = single + (column(column_mean) == column(column_mean) && column(column_low) != column(column_low)), 0)
stats $rows using (count(0)) nooutput
unused = tell(single > 0 ? sprintf('no box of one value (%d)', single) : '')
row_cm = 0.2 + (group_count == 1 ? 0.32 : group_count * (group_count == 2 ? 0.26 : 0.22))
legend_shown = group_count > 1
row_names = 'phases'
unused = tell(figure_log_x ? 'logarithmic axis' : '')
smallest = NaN
hidden = 0
beyond = 0
count_beyond(unused) = ( \
    hidden = hidden + (figure_log_x && column(column_mean) <= 0), \
    smallest = column(column_low) > 0 && !(smallest <= column(column_low)) ? column(column_low) : \
        column(column_mean) > 0 && !(smallest <= column(column_mean)) ? column(column_mean) : smallest, \
    beyond = beyond + (column(column_mean) > figure_to_x || column(column_mean) < figure_from_x), 0)
stats $rows using (count_beyond(0)) nooutput
unused = tell(hidden ? sprintf('%d not above 0 left out', hidden) : '')
unused = tell(beyond ? sprintf('%d beyond the axis', beyond) : '')
load figure_plots.'/style-rows.gp'

least = min_mean
most = max_mean
least = min_low < least ? min_low : least
most = max_high > most ? max_high : most
least = has_min && min_min < least ? min_min : least
most = has_max && max_max > most ? max_max : most
range = most > least ? most - least : abs(least) > 0 ? 0.2 * abs(least) : 1
tics_axis = 'x'
tics_from = least - range * (most > least ? 0.03 : 0.5)
tics_to = most + range * (most > least ? 0.03 : 0.5)
if (figure_log_x) {
    if (smallest != smallest) { exit error 'no value is above 0, as a logarithmic axis needs' }
    tics_from = (least > 0 ? least : smallest) / 1.1
    tics_to = most * 1.1
}
tics_most = 6
tics_cm = axis_cm
load figure_plots.'/style-tics.gp'
set xrange [tics_from : tics_to]
own_label = 'Value'
own_short = own_label
load figure_plots.'/style-xlabel.gp'

half = thick * 0.37
at(name) = column(name)
low_at(name) = figure_log_x && column(name) < tics_from ? tics_from : column(name)
low_point(unused) = has_min && at(column_low) == at(column_low) && at(column_min) < at(column_low) ? at(column_min) : NaN
high_point(unused) = has_max && at(column_high) == at(column_high) && at(column_max) > at(column_high) ? at(column_max) : NaN
set style fill solid 0.45
plot for [g = 0 : group_count - 1] $rows index g \
        using (at(column_mean)):(middle(g, $2)):(low_at(column_low)):(at(column_high)):(middle(g, $2) - half):(middle(g, $2) + half) \
        with boxxyerror linewidth 1 linecolor rgb colour(g + 1), \
    for [g = 0 : group_count - 1] $rows index g using (low_point(0)):(middle(g, $2)) \
        with points pointtype 6 pointsize 0.35 linewidth 0.8 linecolor rgb colour(g + 1), \
    for [g = 0 : group_count - 1] $rows index g using (high_point(0)):(middle(g, $2)) \
        with points pointtype 6 pointsize 0.35 linewidth 0.8 linecolor rgb colour(g + 1), \
    for [g = 0 : group_count - 1] $rows index g \
        using (at(column_mean)):(middle(g, $2) - half):(0):(2 * half) \
        with vectors nohead linewidth 2.4 linecolor rgb 'black'
