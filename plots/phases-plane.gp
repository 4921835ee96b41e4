# figure: Number of phases and estimated overhead over both thresholds.
# needs: theta_weight theta_grain phases estimated_overhead
# takes: invocations
# groups: 1
#
# The form of Georges et al. 2004, Fig. 4, seen from above: a cell for each pair of thresholds, with its number where there
# is room.
load figure_plots.'/style-notes.gp'
unused = tell('above: number of phases, below: estimated overhead (%)')
legend_points = 0
legend_count = 0
body_cm = 10
least_cm = 2
load figure_plots.'/style-page.gp'

# Thresholds are evenly spaced, whatever their values.
array weights[100]
array grains[100]
weight_count = 0
grain_count = 0
find_weight(x) = sum [i = 1 : weight_count] (weights[i] == x ? i : 0)
find_grain(x) = sum [i = 1 : grain_count] (grains[i] == x ? i : 0)
add(w, g) = ( \
    find_weight(w) == 0 && weight_count < 100 ? (weight_count = weight_count + 1, weights[weight_count] = w) : 0, \
    find_grain(g) == 0 && grain_count < 100 ? (grain_count = grain_count + 1, grains[grain_count] = g) : 0, 0)
stats $rows using (add(column(column_theta_weight), column(column_theta_grain))) nooutput

set lmargin at screen across(2.1)
set rmargin at screen 1 - across(0.3)
# Numbers that are wider than cells are in some of the cells only.
number(x) = x > 0 && x < 0.01 ? '<.01' : x >= 99.95 ? sprintf('%.0f', x) : sprintf('%.3g', x)
number_cm = 0
wider(x) = (number_cm = text_cm(number(x)) > number_cm ? text_cm(number(x)) : number_cm, 0)
stats $rows using (wider(column(column_phases)) + wider(100 * column(column_estimated_overhead))) nooutput
bottom_cm = 1.75 + note_cm
panel = (figure_height - title_cm - bottom_cm - 0.7) / 2
every_weight = int(ceil((number_cm * 5 / 7 + 0.1) / ((figure_width - 2.4) / weight_count)))
every_grain = int(ceil(0.27 / (panel / grain_count)))
every_cell = every_weight > every_grain ? every_weight : every_grain
# Numbers are larger than small cells, so those at the left and the lower edge need room.
set xrange [every_cell > 1 ? -0.9 : 0.5 : weight_count + 0.5]
set yrange [every_cell > 1 ? -0.4 : 0.5 : grain_count + 0.5]
set ytics scale 0 ('' 1)
do for [i = 1 : grain_count : every_cell] { set ytics add (sprintf('%g %%%%', 100 * grains[i]) i) }
unset colorbox
# Light enough for black numbers, which may reach beyond their cells.
set palette defined (0 '#FFFFFF', 1 '#56B4E9')
shade(x, most) = most > 0 ? x / most : 0
on_grid(w, g) = (find_weight(w) - 1) % every_cell == 0 && (find_grain(g) - 1) % every_cell == 0
set multiplot
do for [p = 0 : 1] {
    set tmargin at screen up(bottom_cm + (p == 0 ? 2 * panel + 0.5 : panel))
    set bmargin at screen up(bottom_cm + (p == 0 ? panel + 0.5 : 0))
    if (p == 0) {
        unset xtics
    } else {
        set xtics scale 0 rotate by 90 right ('' 1)
        do for [i = 1 : weight_count : every_cell] { set xtics add (sprintf('%g %%%%', 100 * weights[i]) i) }
        set xlabel told(figure_x_label, 'Threshold of the total share')
    }
    set label 112 fit(told(figure_y_label, 'Threshold of the mean share'), int((panel + 0.5) / 0.125)) at screen across(0.28), graph 0.5 \
        center rotate by 90
    here = p == 0 ? column_phases : column_estimated_overhead
    most = p == 0 ? max_phases : max_estimated_overhead
    factor = p == 0 ? 1 : 100
    shown(unused) = on_grid(column(column_theta_weight), column(column_theta_grain))
    plot $rows using (find_weight(column(column_theta_weight))):(find_grain(column(column_theta_grain))): \
            (shade(column(here), most)) with image pixels notitle, \
        $rows using (shown(0) ? find_weight(column(column_theta_weight)) : NaN): \
            (find_grain(column(column_theta_grain))):(number(factor * column(here))) \
            with labels font ',5' textcolor rgb colour_tiny notitle
    unset label
    unset object
}
unset multiplot
