# style-rows: a row for each key, since names can be read that way, and in it a place for each group.
#
# Before: style-notes.gp and the figure's own notes; row_cm, the height of a row; legend_shown, whether to name groups;
# row_names, what rows are.
unused = tell(part(key_count, key_total, row_names))
unused = tell(part(group_count, group_total, 'series'))
legend_points = 0
legend_count = legend_shown ? group_count : 0
array legend_text[group_count]
do for [g = 1 : group_count] { legend_text[g] = group_name[g] }
body_cm = key_count * row_cm
body_cm = body_cm < 0.6 ? 0.6 : body_cm
load figure_plots.'/style-page.gp'

set yrange [key_count - 0.45 : -0.55]
set ytics scale 0
# gnuplot takes a tic's label for a format: % has to be doubled.
set ytics ('' 0)
do for [k = 1 : key_count] {
    tic = ''
    do for [c = 1 : strlen(key_label[k])] { tic = tic.key_label[k][c:c].(key_label[k][c:c] eq '%' ? '%' : '') }
    set ytics add (tic k - 1)
}
set grid xtics linetype 1 linewidth 0.6 linecolor rgb '#D8D8D8'
set grid back

# Where a group's bar or box lies in the row of a key.
thick = 0.86 / group_count
middle(g, key) = key - 0.43 + thick * (g + 0.5)
