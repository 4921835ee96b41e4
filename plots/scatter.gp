# figure: Points of x and y with their fitted lines, one kind of point per series.
# needs: x y
# takes: fit reference
# text: legend reference_legend
# axes: y x
# groups: 8
# label: 40
#
# fit is the fitted y at x; the line joins these in the order of x. A row with a fit and no y adds only to the line.
# legend is the text after a series' name, the same in all its rows or given in one: "slope 0.94 ± 0.03".
# reference is the y of a dashed line to compare all series with, and reference_legend its name.
load figure_plots.'/style-notes.gp'

points = 0
lone = 0
count(unused) = (points = points + (column(column_x) == column(column_x) && column(column_y) == column(column_y)), \
    lone = lone + ((column(column_x) == column(column_x)) + (column(column_y) == column(column_y)) == 1 \
        && !(has_fit && column(column_fit) == column(column_fit)) \
        && !(has_reference && column(column_reference) == column(column_reference))), 0)
stats $rows using (count(0)) nooutput
unused = tell(sprintf('%d %s', points, points == 1 ? 'point' : 'points'))
axes = figure_log_x && figure_log_y ? 'logarithmic axes' : figure_log_x ? 'logarithmic x axis' : figure_log_y ? 'logarithmic y axis' : ''
unused = tell(axes)
smallest_x = NaN
smallest_y = NaN
hidden = 0
beyond = 0
smaller(a, b) = b > 0 && !(a <= b) ? b : a
count_beyond(unused) = ( \
    smallest_x = smaller(smallest_x, column(column_x)), \
    smallest_y = smaller(smallest_y, column(column_y)), \
    smallest_y = has_fit ? smaller(smallest_y, column(column_fit)) : smallest_y, \
    hidden = hidden + ((figure_log_x && column(column_x) <= 0) || (figure_log_y && column(column_y) <= 0)), \
    beyond = beyond + (column(column_x) < figure_from_x || column(column_x) > figure_to_x || \
        column(column_y) < figure_from_y || column(column_y) > figure_to_y), 0)
stats $rows using (count_beyond(0)) nooutput
if ((figure_log_x && smallest_x != smallest_x) || (figure_log_y && smallest_y != smallest_y)) {
    exit error 'no value is above 0, as a logarithmic axis needs'
}
unused = tell(hidden ? sprintf('%d not above 0 left out', hidden) : '')
unused = tell(beyond ? sprintf('%d beyond the axes', beyond) : '')
unused = tell(lone ? sprintf('%d without x or y left out', lone) : '')
unused = tell(part(group_count, group_total, 'series'))

legend_points = 1
has_lines = has_fit
array legend_text[group_count + 1]
named = 0
do for [g = 1 : group_count] {
    name = group_count > 1 ? group_name[g] : ''
    legend_text[g] = name.(strlen(name) && strlen(text_legend[g]) ? ': ' : '').text_legend[g]
    named = named + (strlen(legend_text[g]) > 0)
}
legend_text[group_count + 1] = strlen(text_reference_legend[1]) ? text_reference_legend[1] : 'reference'
if (group_count == 1 && named == 0 && has_reference) { legend_text[1] = has_fit ? 'fit' : 'points' }
legend_count = has_reference ? group_count + 1 : named > 0 ? group_count : 0
body_cm = 5
least_cm = 1.2
load figure_plots.'/style-page.gp'

least_y = has_fit && min_fit < min_y ? min_fit : min_y
most_y = has_fit && max_fit > max_y ? max_fit : max_y
range_x = max_x > min_x ? max_x - min_x : abs(max_x) > 0 ? 0.2 * abs(max_x) : 1
range_y = most_y > least_y ? most_y - least_y : abs(most_y) > 0 ? 0.2 * abs(most_y) : 1
pad(range, alone) = (alone ? 0.5 : 0.04) * range
tics_axis = 'y'
tics_from = least_y - pad(range_y, most_y == least_y)
tics_to = most_y + pad(range_y, most_y == least_y)
if (figure_log_y) {
    tics_from = smallest_y / 1.2
    tics_to = most_y * 1.2
}
tics_most = 6
tics_cm = 0
load figure_plots.'/style-tics.gp'
set yrange [tics_from : tics_to]
left_cm = 0.8 + tics_wide
set lmargin at screen across(left_cm)

tics_axis = 'x'
tics_from = min_x - pad(range_x, max_x == min_x)
tics_to = max_x + pad(range_x, max_x == min_x)
if (figure_log_x) {
    tics_from = smallest_x / 1.2
    tics_to = max_x * 1.2
}
tics_cm = figure_width - left_cm - 0.4
load figure_plots.'/style-tics.gp'
set xrange [tics_from : tics_to]
axis_cm = tics_cm
own_label = name_x
own_short = name_x
load figure_plots.'/style-xlabel.gp'
axis_middle = (foot_cm + 0.85 + figure_height - title_cm - legend_above_cm - 0.15) / 2
set label 112 fit(told(figure_y_label, name_y), int((figure_height - foot_cm - 1) / 0.125)) \
    at screen across(0.28), screen up(axis_middle) center rotate by 90

# The more points, the smaller, so that one can see where they are dense.
psize = points > 5000 ? 0.12 : points > 500 ? 0.25 : 0.45
line(here, has) = has ? column(here) : NaN
plot for [g = 0 : group_count - 1] $rows index g using (column(column_x)):(column(column_y)) \
        with points pointtype kind(g + 1) pointsize psize linewidth 0.8 linecolor rgb colour(g + 1), \
    for [g = 0 : (has_reference ? 0 : -1)] $rows \
        using (column(column_x)):(line(column_reference, has_reference)) smooth unique \
        with lines linewidth 1.2 dashtype (6, 5) linecolor rgb 'black', \
    for [g = 0 : (has_fit ? group_count - 1 : -1)] $rows index g \
        using (column(column_x)):(line(column_fit, has_fit)) smooth unique \
        with lines linewidth 1.8 linecolor rgb colour(g + 1)
