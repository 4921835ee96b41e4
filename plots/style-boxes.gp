# style-boxes: boxes with their whiskers, and the values beyond as points.
#
# Before: style-notes.gp, notes that say what line, box and whiskers are; has_whiskers.
boxes = 0
fewest = max_n
beyond = 0
blank = 0
single = 0
count(unused) = ( \
    boxes = boxes + (column(column_n) > 0), \
    fewest = column(column_n) > 0 && column(column_n) < fewest ? column(column_n) : fewest, \
    beyond = beyond + column(column_below) + column(column_above), \
    blank = blank + column(column_blank), \
    single = single + (column(column_n) == 1), 0)
stats $rows using (count(0)) nooutput
unused = tell('n = '.span(fewest, max_n).(boxes > 1 ? ' each' : ''))
unused = tell(single > 0 && !has_whiskers ? sprintf('no box of one value (%d)', single) : '')
unused = tell(blank > 0 ? sprintf('%d left out, blank or infinite', blank) : '')
unused = tell(figure_log_x ? 'logarithmic axis' : '')
unused = tell(beyond > 0 ? sprintf('%d %s beyond the axis', beyond, beyond == 1 ? 'value' : 'values') : '')
row_cm = 0.2 + (group_count == 1 ? 0.32 : group_count * (group_count == 2 ? 0.26 : 0.22))
legend_shown = group_count > 1
load figure_plots.'/style-rows.gp'

# Where values lie beyond an end there must be room for their number.
range = axis_high > axis_low ? axis_high - axis_low : abs(axis_low) > 0 ? 0.2 * abs(axis_low) : 1
from = axis_low - range * (axis_high > axis_low ? (max_below > 0 ? 0.14 : 0.03) : 0.5)
to = axis_high + range * (axis_high > axis_low ? (max_above > 0 ? 0.14 : 0.03) : 0.5)
if (figure_log_x) {
    if (axis_low != axis_low) { exit error 'no value is above 0, as a logarithmic axis needs' }
    from = axis_low / (max_below > 0 ? 1.5 : 1.1)
    to = axis_high * (max_above > 0 ? 1.5 : 1.1)
}
tics_axis = 'x'
tics_from = from
tics_to = to
tics_most = 6
tics_cm = axis_cm
load figure_plots.'/style-tics.gp'
set xrange [tics_from : tics_to]
from = tics_from
to = tics_to
own_label = name_value eq 'value' ? 'Value' : name_value
own_short = own_label
load figure_plots.'/style-xlabel.gp'

half = thick * 0.37
at(name) = column(name)
low_at(name) = figure_log_x && column(name) < from ? from : column(name)
whisker(here) = has_whiskers ? column(here) : NaN

set style fill solid 0.45
plot for [g = 0 : group_count - 1] $rows index g \
        using (at(column_middle)):(middle(g, $2)):(low_at(column_low)):(at(column_high)):(middle(g, $2) - half):(middle(g, $2) + half) \
        with boxxyerror linewidth 1 linecolor rgb colour(g + 1), \
    for [g = 0 : group_count - 1] $rows index g \
        using (at(column_low)):(middle(g, $2)):(whisker(column_whisker_low) - at(column_low)):(0) \
        with vectors nohead linewidth 1.2 linecolor rgb '#333333', \
    for [g = 0 : group_count - 1] $rows index g \
        using (at(column_high)):(middle(g, $2)):(whisker(column_whisker_high) - at(column_high)):(0) \
        with vectors nohead linewidth 1.2 linecolor rgb '#333333', \
    for [g = 0 : group_count - 1] $rows index g \
        using (whisker(column_whisker_low)):(middle(g, $2) - half / 2):(0):(half) \
        with vectors nohead linewidth 1.2 linecolor rgb '#333333', \
    for [g = 0 : group_count - 1] $rows index g \
        using (whisker(column_whisker_high)):(middle(g, $2) - half / 2):(0):(half) \
        with vectors nohead linewidth 1.2 linecolor rgb '#333333', \
    for [g = 0 : group_count - 1] $points \
        using (column(1) == g ? $3 : NaN):(middle(g, $2)) \
        with points pointtype 6 pointsize 0.35 linewidth 0.8 linecolor rgb colour(g + 1), \
    for [g = 0 : group_count - 1] $rows index g \
        using (at(column_middle)):(middle(g, $2) - half):(0):(2 * half) \
        with vectors nohead linewidth 2.4 linecolor rgb 'black', \
    for [g = 0 : group_count - 1] $rows index g \
        using (at(column_n) > 0 ? NaN : axis_low):(middle(g, $2)):('–') \
        with labels left font font_small textcolor rgb colour_quiet, \
    for [g = 0 : group_count - 1] $rows index g \
        using (at(column_below) > 0 ? from : NaN):(middle(g, $2)):(sprintf('← %.0f', at(column_below))) \
        with labels left offset 0.2, 0 font font_small textcolor rgb colour_alarm, \
    for [g = 0 : group_count - 1] $rows index g \
        using (at(column_above) > 0 ? to : NaN):(middle(g, $2)):(sprintf('%.0f →', at(column_above))) \
        with labels right offset -0.2, 0 font font_small textcolor rgb colour_alarm
