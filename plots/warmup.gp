# figure: The iterations of each process with their segments, one strip per process: the steady state is shaded.
# needs: iteration value
# takes: level steady outlier axis_low axis_high
# text: class
# group: benchmark name metric
# groups: 60
# label: 17
#
# The table of assay warmup --plot. steady and outlier are 0 or 1, level is the mean of the iteration's segment, and
# values beyond axis_low and axis_high are drawn at that edge. A strip shows its scale if the one above has another.
load figure_plots.'/style-notes.gp'

outside = 0
outliers = 0
low_of(unused) = has_axis_low ? column(column_axis_low) : -1e300
high_of(unused) = has_axis_high ? column(column_axis_high) : 1e300
is_outlier(unused) = has_outlier && column(column_outlier) == 1
is_steady(unused) = has_steady && column(column_steady) == 1
is_beyond(unused) = column(column_value) < low_of(0) || column(column_value) > high_of(0)
count(unused) = (outliers = outliers + is_outlier(0), outside = outside + is_beyond(0), 0)
stats $rows using (count(0)) nooutput
unused = tell(has_steady ? 'shaded: steady state' : '')
unused = tell(has_level ? 'lines: means of segments' : '')
unused = tell(outliers ? 'red: outliers' : '')
unused = tell(outside ? 'triangles: beyond the scale' : '')
unused = tell(part(group_count, group_total, 'processes'))

strip = group_count <= 2 ? 2.6 : group_count <= 6 ? 1.5 : group_count <= 12 ? 0.9 : 0.52
gap = strip > 1 ? 0.2 : 0.07
left = 1.35
right = 2.0
above = 0.2
bottom = 0.85 + 0.28 * note_lines
own_height = bottom + above + (strlen(figure_title) ? 0.5 : 0) + group_count * (strip + gap)
load figure_plots.'/style.gp'
strip = (figure_height - bottom - above - title_cm) / group_count - gap
if (strip < 0.3) {
    exit error sprintf('the height must be %.1f cm at least', figure_height + group_count * (0.3 - strip) + 0.05)
}

band = '#E4EEF6'
quiet_value = '#A8A8A8'
steady_value = colour_pale
clipped(unused) = column(column_value) < low_of(0) ? low_of(0) : column(column_value) > high_of(0) ? high_of(0) : column(column_value)
ordinary(wanted) = is_outlier(0) || is_beyond(0) || is_steady(0) != wanted ? NaN : column(column_value)
odd(unused) = is_outlier(0) && !is_beyond(0) ? column(column_value) : NaN
beyond(wanted) = is_beyond(0) && is_outlier(0) == wanted ? clipped(0) : NaN

last = max_iteration > min_iteration ? max_iteration : min_iteration + 1
psize = last - min_iteration > 1000 ? 0.08 : last - min_iteration > 300 ? 0.12 : strip > 1 ? 0.22 : 0.15
set xrange [min_iteration - 0.5 - 0.01 * (last - min_iteration) : last + 0.5]
iteration_step = step(last - min_iteration, 5)
iteration_step = iteration_step < 1 ? 1 : iteration_step
set lmargin at screen across(left)
set rmargin at screen 1 - across(right)
set border 1 linewidth 0.5 linecolor rgb '#BBBBBB'
unset grid

reach_of(x) = x == x ? abs(x) : 0
reach = has_axis_high ? reach_of(max_axis_high) : reach_of(max_value) > reach_of(min_value) ? reach_of(max_value) : reach_of(min_value)
value_power = reach >= 1e5 || (reach > 0 && reach < 1e-3) ? 3 * int(floor(log10(reach) / 3)) : 0
value_unit = 10. ** value_power
own_label = told(figure_y_label, name_value).(value_power ? ' (×10'.raised(value_power).')' : '')

set multiplot
if (strlen(figure_title)) { set label 100 figure_title at screen 0.5, screen 1 - up(0.3) center }
set label 101 own_label at screen across(0.25), screen up(bottom + (figure_height - bottom - title_cm) / 2) \
    center rotate by 90
set label 102 told(figure_x_label, 'Iteration') at screen 0.5 + across((left - right) / 2), screen up(bottom - 0.6) center
set label 103 note at screen 1 - across(0.2), screen up(0.22 + 0.25 * (note_lines - 1)) right \
    font font_small textcolor rgb colour_quiet
scale_before = ''
do for [g = 0 : group_count - 1] {
    y = figure_height - title_cm - above - strip - g * (strip + gap)
    set bmargin at screen up(y)
    set tmargin at screen up(y + strip)
    least = NaN
    most = NaN
    steady_from = NaN
    lower(x) = x == x && !(least <= x) ? x : least
    higher(x) = x == x && !(most >= x) ? x : most
    look(unused) = (least = lower(has_axis_low ? column(column_axis_low) : column(column_value)), \
        most = higher(has_axis_high ? column(column_axis_high) : column(column_value)), \
        steady_from = is_steady(0) && !(steady_from <= column(column_iteration)) ? column(column_iteration) : steady_from, 0)
    stats $rows index g using (look(0)) nooutput
    range = most > least ? most - least : abs(most) > 0 ? 0.2 * abs(most) : 1
    least = most > least ? least : most - range / 2
    most = least + range
    set yrange [least - 0.06 * range : least + 1.06 * range]
    fine = step(range, strip > 1.2 ? 4 : 8)
    low_tic = ceil(least / fine - 1e-9) * fine
    scale = sprintf('%g %g', low_tic, floor((least + range) / fine + 1e-9) * fine)
    if (strip > 0.85 || scale ne scale_before) {
        tic_step = strip > 1.2 ? fine : floor((least + range) / fine + 1e-9) * fine - low_tic
        set ytics nomirror font font_small textcolor rgb colour_small offset 0.4, 0 ('' low_tic)
        do for [i = 0 : tic_step > 0 ? int((least + range - low_tic) / tic_step + 1e-6) : 0] {
            set ytics add (sprintf('%g', (low_tic + i * tic_step) / value_unit) low_tic + i * tic_step)
        }
    } else {
        unset ytics
    }
    scale_before = scale
    set format x (g == group_count - 1 ? '%g' : '')
    if (g < group_count - 1) { unset xtics } else { set xtics iteration_step nomirror offset 0, 0.3 textcolor rgb 'black' }
    if (steady_from == steady_from) {
        set object 1 rectangle from first steady_from - 0.5, graph 0 to graph 1, graph 1 behind \
            fillcolor rgb band fillstyle solid 1 noborder
    } else {
        unset object 1
    }
    class = exists('text_class') ? text_class[g + 1] : ''
    set label 1 fit(strlen(group_name[g + 1]) ? group_name[g + 1] : class, 17) at graph 1, graph 0.5 left \
        offset 0.7, (strlen(group_name[g + 1]) && strlen(class) ? 0.4 : 0) font font_small textcolor rgb colour_small
    set label 2 (strlen(group_name[g + 1]) ? class : '') at graph 1, graph 0.5 left offset 0.7, -0.4 font font_small \
        textcolor rgb (class eq 'no steady state' || class eq 'slowdown' ? colour_alarm : colour_quiet)
    plot $rows index g using (column(column_iteration)):(ordinary(0)) with points pointtype 7 pointsize psize linecolor rgb quiet_value, \
        $rows index g using (column(column_iteration)):(ordinary(1)) with points pointtype 7 pointsize psize linecolor rgb steady_value, \
        $rows index g using (column(column_iteration)):(has_level ? column(column_level) : NaN) \
            with steps linewidth 1.2 linecolor rgb colour_plain, \
        $rows index g using (column(column_iteration)):(odd(0)) with points pointtype 7 pointsize 1.6 * psize linecolor rgb colour_alarm, \
        $rows index g using (column(column_iteration)):(beyond(0)) with points pointtype 9 pointsize 2.2 * psize linecolor rgb quiet_value, \
        $rows index g using (column(column_iteration)):(beyond(1)) with points pointtype 9 pointsize 2.2 * psize linecolor rgb colour_alarm
    unset label 100
    unset label 101
    unset label 102
    unset label 103
}
unset multiplot
