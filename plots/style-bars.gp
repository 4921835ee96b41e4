# style-bars: bars from `base` to a value, with the value's interval.
#
# Before: style-notes.gp, the figure's own notes; value, low, high: the positions of these columns; least and
# most: their extremes; has_interval; own_label and own_short: the axis label; base; scale: from the table to the axis; row_names.
# `light`: the position of a column with how much of the value, at its end, is drawn light; 0 or not set: nothing.
# `other`: the position of a column with another value. What it is less than the value is drawn light, what it is more is
# drawn as an open box; 0 or not set: nothing.
row_cm = 0.17 + (group_count == 1 ? 0.27 : group_count * (group_count == 2 ? 0.2 : 0.16))
legend_shown = group_count > 1
alone = 0
miss(unused) = (alone = alone + (column(value) == column(value) && (column(low) != column(low) || column(high) != column(high))), 0)
if (has_interval) {
    stats $rows using (miss(0)) nooutput
    unused = tell(alone ? sprintf('%d without interval', alone) : '')
}

# Ratios that differ by more than a factor of 20 have a logarithmic axis, where half and double are equally far from 1.
from = least < base ? least : base
to = most > base ? most : base
far = base == 1 && from > 0 && to / from > 20
figure_log_x = figure_log_x || far
unused = tell(figure_log_x ? 'logarithmic axis' : '')

# What an axis that the user chose does not show is counted.
amount(unused) = scale * column(value)
smallest = NaN
hidden = 0
beyond = 0
count_beyond(unused) = ( \
    hidden = hidden + (figure_log_x && amount(0) <= 0), \
    smallest = amount(0) > 0 && !(smallest <= amount(0)) ? amount(0) : smallest, \
    beyond = beyond + (amount(0) > figure_to_x || amount(0) < figure_from_x), 0)
stats $rows using (count_beyond(0)) nooutput
unused = tell(hidden ? sprintf('%d not above 0 left out', hidden) : '')
unused = tell(beyond ? sprintf('%d beyond the axis', beyond) : '')
load figure_plots.'/style-rows.gp'

same = to <= from
to = same ? base + (base > 0 ? 0.1 : 1) : to
from = same && base > 0 ? base - 0.1 : from
pad = 0.04 * (to - from)
tics_axis = 'x'
tics_from = from < base ? from - pad : from
tics_to = to > base ? to + pad : to
if (figure_log_x) {
    if (smallest != smallest) { exit error 'no value is above 0, as a logarithmic axis needs' }
    from = base > 0 && base < smallest ? base : smallest
    # Bars that do not begin at 1 begin a little below the smallest, so that it can be seen.
    tics_from = base == 1 ? (from < base ? from / 1.2 : from) : from / (to > from ? (to / from) ** 0.1 : 2)
    tics_to = to > base ? to * 1.2 : to
}
tics_most = 6
tics_cm = axis_cm
load figure_plots.'/style-tics.gp'
load figure_plots.'/style-xlabel.gp'
set xrange [tics_from : tics_to]
base = figure_log_x && base <= 0 ? tics_from : base
if ((from < base || base == 1) && base >= tics_from && base <= tics_to) {
    set arrow 1 from first base, graph 0 to first base, graph 1 nohead linewidth 1 linecolor rgb '#333333'
}

begin_at(unused) = amount(0) < base ? amount(0) : base
end_at(unused) = amount(0) < base ? base : amount(0)
edge(g, here) = !has_interval ? NaN : figure_log_x && scale * column(here) < tics_from ? tics_from : scale * column(here)
absent(unused) = amount(0) != amount(0)
light = exists('light') ? light : 0
other = exists('other') ? other : 0
light_from(unused) = light && column(light) > 0 ? amount(0) - scale * column(light) : \
    other && column(other) < column(value) ? scale * column(other) : NaN
open_to(unused) = other && column(other) > column(value) ? scale * column(other) : NaN
full_end_at(unused) = light_from(0) == light_from(0) ? light_from(0) : end_at(0)

set style fill solid 1 noborder
set bars 0.4
plot for [g = 0 : group_count - 1] $rows index g \
        using (amount(0)):(middle(g, $2)):(begin_at(0)):(full_end_at(0)):(middle(g, $2) - thick * 0.46):(middle(g, $2) + thick * 0.46) \
        with boxxyerror linecolor rgb colour(g + 1), \
    for [g = 0 : light || other ? group_count - 1 : -1] $rows index g \
        using (amount(0)):(middle(g, $2)):(light_from(0)):(amount(0)):(middle(g, $2) - thick * 0.46):(middle(g, $2) + thick * 0.46) \
        with boxxyerror fillstyle solid 0.4 noborder linecolor rgb colour(g + 1), \
    for [g = 0 : other ? group_count - 1 : -1] $rows index g \
        using (amount(0)):(middle(g, $2)):(amount(0)):(open_to(0)):(middle(g, $2) - thick * 0.46):(middle(g, $2) + thick * 0.46) \
        with boxxyerror linecolor rgb colour(g + 1) fillstyle empty border linecolor rgb colour(g + 1), \
    for [g = 0 : group_count - 1] $rows index g \
        using (amount(0)):(middle(g, $2)):(edge(g, low)):(edge(g, high)) \
        with xerrorbars pointtype 0 linewidth 1.4 linecolor rgb 'black', \
    for [g = 0 : group_count - 1] $rows index g \
        using (absent(0) ? base : NaN):(middle(g, $2)):('–') \
        with labels left offset 0.3, 0 font font_small textcolor rgb colour_quiet, \
    for [g = 0 : beyond ? group_count - 1 : -1] $rows index g \
        using (amount(0) > tics_to ? tics_to : NaN):(middle(g, $2)):(sprintf('%.4g →', amount(0))) \
        with labels right offset -0.2, 0 font font_small textcolor rgb ink(g + 1), \
    for [g = 0 : beyond ? group_count - 1 : -1] $rows index g \
        using (amount(0) < tics_from ? tics_from : NaN):(middle(g, $2)):(sprintf('← %.4g', amount(0))) \
        with labels left offset 0.2, 0 font font_small textcolor rgb colour_alarm
