# figure: Autocorrelation of sampling intervals by lag with its bounds, one panel per clock (or thread), equal scales.
# needs: lag r
# takes: lo hi
# group: clock thread trace
# groups: 12
# label: 24
#
# Lag 0 is 1 by definition and says nothing, so it is left out. Stems beyond the bounds have the alarm colour.

# Panels form one row as long as each gets 3.8 cm; three that do not fit form one column.
load figure_plots.'/style-notes.gp'
fitting = int(page_width / 3.8)
columns = group_count <= fitting ? group_count : group_count == 3 && fitting == 2 ? 1 : fitting
columns = columns < 1 ? 1 : columns
rows = (group_count + columns - 1) / columns
unused = tell(part(group_count, group_total, 'series'))
own_height = 1 + 0.28 * note_lines + rows * (rows == 1 ? 4.0 : 3.0) + (strlen(figure_title) ? 0.5 : 0)
load figure_plots.'/style.gp'

lag = column_lag
r = column_r
beyond(unused) = (has_lo && column(r) < column(column_lo)) || (has_hi && column(r) > column(column_hi))
inside(g) = column(1) == g && column(lag) > 0 && !beyond(0) ? column(r) : NaN
outside(g) = column(1) == g && column(lag) > 0 && beyond(0) ? column(r) : NaN
bound(g, here, place) = column(1) == g && here ? column(place) : NaN

# One scale for all panels, symmetric, from the largest value other than lag 0.
largest = 0.04
larger(x) = (largest = abs(x) > largest ? abs(x) : largest)
stats $rows using (column(lag) > 0 ? larger(column(r)) : 0) nooutput
if (has_lo) { largest = larger(min_lo) }
if (has_hi) { largest = larger(max_hi) }
largest = 1.05 * largest
limit = 0
do for [nice in '1 1.5 2 3 4 5 6 8 10'] { if (limit == 0 && largest <= nice * decade(largest)) { limit = nice * decade(largest) } }
limit = limit > 1 ? 1.05 : limit

last = max_lag > 1 ? max_lag : 1
left = 1.15
right = last < 1000 ? 0.25 : 0.35
gap = last < 1000 ? 0.4 : 0.65
panel = (figure_width - left - right - gap * (columns - 1)) / columns
bottom = 0.85 + 0.28 * note_lines
above = 0.75
top = title_cm + above
deep = (figure_height - bottom - top - (rows - 1) * (above + 0.15)) / rows

stem = panel * 28.35 / last
stem = stem > 2.4 ? 2.4 : stem < 0.5 ? 0.5 : stem

set xrange [0 : last + (last > 50 ? last * 0.01 : 0.6)]
set yrange [-limit : limit]
lag_step = step(last, panel > 5 ? 6 : 4)
lag_step = lag_step < 1 ? 1 : lag_step
set xtics lag_step offset 0, 0.3
set ytics step(limit, 2) offset 0.4, 0
set border 3
set bars 0

set multiplot
if (strlen(figure_title)) { set label 100 figure_title at screen 0.5, screen 1 - up(0.3) center }
set label 101 told(figure_y_label, 'Autocorrelation r') at screen across(0.28), screen up(bottom + (figure_height - bottom - top) / 2) \
    center rotate by 90
set label 102 told(figure_x_label, 'Lag') at screen across(left + (figure_width - left - right) / 2), screen up(bottom - 0.6) center
set label 103 note \
    at screen 1 - across(0.2), screen up(0.22) right font font_small textcolor rgb colour_quiet
do for [g = 0 : group_count - 1] {
    column_at = g % columns
    row_at = g / columns
    x = left + column_at * (panel + gap)
    y = figure_height - top - deep - row_at * (deep + above + 0.15)
    set lmargin at screen across(x)
    set rmargin at screen across(x + panel)
    set bmargin at screen up(y)
    set tmargin at screen up(y + deep)
    if (column_at == 0) { set format y '%g' } else { set format y '' }
    if (g + columns >= group_count) { set format x '%g' } else { set format x '' }

    beyond_count = 0
    lag_count = 0
    tell(x) = (beyond_count = beyond_count + (x == 2), lag_count = lag_count + (x > 0), x)
    stats $rows using (tell(column(1) == g && column(lag) > 0 && column(r) == column(r) ? 1 + beyond(0) : 0)) nooutput
    set label 1 fit(group_name[g + 1], int(panel / 0.135)) at graph 0.5, graph 1 offset 0, 1.45 center
    set label 2 (has_lo || has_hi ? sprintf('%d of %d beyond the bounds', beyond_count, lag_count) : '') \
        at graph 0.5, graph 1 offset 0, 0.55 center font font_small \
        textcolor rgb (beyond_count ? colour_alarm : colour_quiet)
    plot 0 linewidth 1 linecolor rgb '#333333', \
        $rows using (column(lag)):(inside(g)) with impulses linewidth stem linecolor rgb colour_plain, \
        $rows using (column(lag)):(outside(g)) with impulses linewidth stem linecolor rgb colour_alarm, \
        $rows using (column(lag)):(bound(g, has_lo, column_lo)) with lines linewidth 1 dashtype (6, 5) linecolor rgb 'black', \
        $rows using (column(lag)):(bound(g, has_hi, column_hi)) with lines linewidth 1 dashtype (6, 5) linecolor rgb 'black'
    unset label 100
    unset label 101
    unset label 102
    unset label 103
}
unset multiplot
