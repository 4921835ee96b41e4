# figure: All commits of a history with error bars, the levels as steps, and where they change, one panel per benchmark.
# needs: position value
# takes: lo hi level change
# group: benchmark name metric
# axes: y
# groups: 6
#
# position is the commit's number in its history, from 1. change is the value of a commit that changed the level, and
# blank in all other rows. Panels are stacked, each with a scale of its own.
load figure_plots.'/style-notes.gp'

commits = 0
changes = 0
barred = 0
count(unused) = (commits = commits + (column(column_value) == column(column_value)), \
    changes = changes + (has_change && column(column_change) == column(column_change)), \
    barred = barred + (has_lo && has_hi && column(column_lo) == column(column_lo)), 0)
stats $rows using (count(0)) nooutput
unused = tell(sprintf('%d %s', commits, commits == 1 ? 'commit' : 'commits'))
unused = tell(has_change ? sprintf('%d %s', changes, changes == 1 ? 'change' : 'changes') : '')
hidden = 0
beyond = 0
count_beyond(unused) = ( \
    hidden = hidden + (figure_log_y && column(column_value) <= 0), \
    beyond = beyond + (column(column_value) < figure_from_y || column(column_value) > figure_to_y), 0)
stats $rows using (count_beyond(0)) nooutput
unused = tell(figure_log_y ? 'logarithmic axis' : '')
unused = tell(hidden ? sprintf('%d not above 0 left out', hidden) : '')
unused = tell(beyond ? sprintf('%d beyond the axis', beyond) : '')
unused = tell(barred ? 'bars: intervals, or the range of the runs' : '')
unused = tell(part(group_count, group_total, 'histories'))

left = 1.35
right = 0.35
above = 0.45
bottom = 0.85 + 0.28 * note_lines
own_height = bottom + (strlen(figure_title) ? 0.5 : 0) + group_count * ((group_count == 1 ? 4.2 : 2.4) + above)
load figure_plots.'/style.gp'
deep = (figure_height - bottom - title_cm - group_count * above) / group_count
if (deep < 0.8) {
    exit error sprintf('the height must be %.1f cm at least', figure_height + group_count * (0.8 - deep) + 0.05)
}

value_in(g) = column(1) == g ? column(column_value) : NaN
low_in(g) = column(1) == g ? (has_lo ? column(column_lo) : column(column_value)) : NaN
high_in(g) = column(1) == g ? (has_hi ? column(column_hi) : column(column_value)) : NaN
level_in(g) = column(1) == g && has_level ? column(column_level) : NaN
change_in(g) = column(1) == g && has_change ? column(column_change) : NaN

last = max_position > min_position ? max_position : min_position + 1
psize = last - min_position > 400 ? 0.15 : last - min_position > 100 ? 0.22 : 0.35
set xrange [min_position - 0.02 * (last - min_position) : last + 0.02 * (last - min_position)]
position_step = step(last - min_position, 6)
position_step = position_step < 1 ? 1 : position_step
set xtics position_step offset 0, 0.3
set lmargin at screen across(left)
set rmargin at screen 1 - across(right)

set multiplot
if (strlen(figure_title)) { set label 100 figure_title at screen 0.5, screen 1 - up(0.3) center }
set label 101 told(figure_y_label, name_value) at screen across(0.28), screen up(bottom + (figure_height - bottom - title_cm) / 2) \
    center rotate by 90
set label 102 told(figure_x_label, 'Commit') at screen 0.5 + across((left - right) / 2), screen up(bottom - 0.6) center
set label 103 note at screen 1 - across(0.2), screen up(0.22 + 0.25 * (note_lines - 1)) right \
    font font_small textcolor rgb colour_quiet
do for [g = 0 : group_count - 1] {
    y = figure_height - title_cm - above - deep - g * (deep + above)
    set bmargin at screen up(y)
    set tmargin at screen up(y + deep)
    least = NaN
    most = NaN
    smallest = NaN
    reach(a, b) = (smallest = a > 0 && !(smallest <= a) ? a : smallest, least = a == a && !(least <= a) ? a : least, most = b == b && !(most >= b) ? b : most, 0)
    stats $rows using (reach(value_in(g), value_in(g)) + reach(low_in(g), high_in(g))) nooutput
    if (figure_log_y && smallest != smallest) { exit error 'no value is above 0, as a logarithmic axis needs' }
    range = most > least ? most - least : abs(most) > 0 ? 0.2 * abs(most) : 1
    tics_axis = 'y'
    tics_from = figure_log_y ? smallest / 1.05 : least - 0.06 * range
    tics_to = figure_log_y ? most * 1.05 : most + 0.06 * range
    tics_most = deep > 3 ? 5 : 3
    tics_cm = 0
    load figure_plots.'/style-tics.gp'
    set yrange [tics_from : tics_to]
    set format x (g == group_count - 1 ? '%g' : '')
    set label 1 (group_count > 1 || strlen(group_name[g + 1]) ? fit(group_name[g + 1], 48) : '') \
        at graph 0.5, graph 1 offset 0, 0.5 center
    plot $rows using (column(column_position)):(low_in(g)):(0):(high_in(g) - low_in(g)) \
            with vectors nohead linewidth 0.6 linecolor rgb colour_pale, \
        $rows using (column(column_position)):(value_in(g)) with points pointtype 7 pointsize psize linecolor rgb colour_pale, \
        $rows using (column(column_position)):(level_in(g)) with steps linewidth 1.8 linecolor rgb colour_plain, \
        $rows using (column(column_position)):(change_in(g)) \
            with points pointtype 7 pointsize 2 * psize linecolor rgb colour_alarm
    unset label 100
    unset label 101
    unset label 102
    unset label 103
}
unset multiplot
