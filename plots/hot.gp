# figure: Hot methods as bars with their intervals, side by side where the table has several clocks.
# needs: method share
# takes: rank lo hi half_width samples runs
# group: clock thread
# groups: 8
# key: method
# order: share
# label: 34
# top: 12
#
# Bars lie, so that names can be read. A method that a clock's table does not list has a dash, since that is not zero.

# Legend: one line if the names are short, else one name a line.
legend_text = 0
do for [g = 1 : group_count] { legend_text = legend_text + strlen(group_name[g]) + 5 }
legend_lines = group_count < 2 ? 0 : legend_text > 48 ? group_count : 1

legend_cm = legend_lines ? 0.15 + 0.27 * legend_lines : 0
note_cm = has_runs || key_count < key_total || group_count < group_total ? 0.28 : 0
bar_cm = group_count == 1 ? 0.27 : group_count == 2 ? 0.2 : 0.16
own_width = 8.5
own_height = 1 + note_cm + legend_cm + (strlen(figure_title) ? 0.5 : 0) + key_count * (bar_cm * group_count + 0.17)
load figure_plots.'/style.gp'

# What the bars are, in small print: the figure alone must not claim more than its table.
note = ''
if (has_runs && max_runs > 1) {
    runs = min_runs == max_runs ? sprintf('%d', max_runs) : sprintf('%d–%d', min_runs, max_runs)
    note = (has_lo ? 'mean and interval of ' : 'mean of ').runs.' runs'
}
if (has_runs && max_runs == 1) { note = 'one run' }
if (key_count < key_total) { note = note.(strlen(note) ? '; ' : '').sprintf('%d of %d methods', key_count, key_total) }
if (group_count < group_total) {
    note = note.(strlen(note) ? '; ' : '').sprintf('%d of %d series', group_count, group_total)
}
set bmargin at screen up(note_cm + 0.85)
set tmargin at screen 1 - up(title_cm + legend_cm + 0.15)
set xlabel (figure_width < 7 ? 'Share (%)' : 'Share of samples (%)') offset 0, 0.5
set label 1 note at screen 1 - across(0.2), screen up(0.22) right font font_small textcolor rgb colour_quiet
if (strlen(figure_title)) { set label 2 figure_title at screen 0.5, screen 1 - up(0.3) center }

most = 100 * (has_hi && max_hi > max_share ? max_hi : max_share)
most = most > 1e-9 ? most : 1
set xrange [0 : most * 1.04]
set xtics step(most, 5) offset 0, 0.3
set grid xtics linetype 1 linewidth 0.6 linecolor rgb '#D8D8D8'
set grid back

set yrange [key_count - 0.45 : -0.55]
set ytics scale 0
# gnuplot takes a tic's label for a format: % has to be doubled.
set ytics ('' 0)
do for [k = 1 : key_count] {
    tic = ''
    do for [c = 1 : strlen(key_label[k])] { tic = tic.key_label[k][c:c].(key_label[k][c:c] eq '%' ? '%' : '') }
    set ytics add (tic k - 1)
}
set rmargin 2
if (legend_lines) {
    set key at screen 0.5, screen 1 - up(title_cm + 0.08) center top horizontal width 0.5
    if (legend_lines > 1) { set key maxcols 1 Left reverse }
}

# Where a bar lies: group g of a key's slot of 0.86.
thick = 0.86 / group_count
middle(g, key) = key - 0.43 + thick * (g + 0.5)
share(g) = column(1) == g ? 100 * column(column_share) : NaN
low(g) = column(1) == g && has_lo ? 100 * column(column_lo) : NaN
high(g) = column(1) == g && has_hi ? 100 * column(column_hi) : NaN
absent(g) = column(1) == g && column(column_share) != column(column_share)

set style fill solid 1 noborder
set bars 0.4
plot for [g = 0 : group_count - 1] $rows \
        using (share(g)):(middle(g, $2)):(0):(share(g)):(middle(g, $2) - thick * 0.46):(middle(g, $2) + thick * 0.46) \
        with boxxyerror linecolor rgb colour(g + 1) title (group_count > 1 ? group_name[g + 1] : ''), \
    for [g = 0 : group_count - 1] $rows \
        using (share(g)):(middle(g, $2)):(low(g)):(high(g)) \
        with xerrorbars pointtype 0 linewidth 1.4 linecolor rgb 'black', \
    for [g = 0 : group_count - 1] $rows \
        using (absent(g) ? 0 : NaN):(middle(g, $2)):('–') \
        with labels left offset 0.3, 0 font font_small textcolor rgb colour_quiet
