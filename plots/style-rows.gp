# style-rows: a row for each key, so that names can be read, and in it a place for each group.
#
# Before: style-notes.gp and the figure's own notes; row_cm: the height of a row; legend_shown: whether to name groups;
# row_names: what rows are called.
unused = tell((keys_are_last ? 'the last ' : '').part(key_count, key_total, row_names))
unused = tell(part(group_count, group_total, 'series'))
legend_points = 0
legend_count = legend_shown ? group_count : 0
array legend_text[group_count]
do for [g = 1 : group_count] { legend_text[g] = group_name[g] }
body_cm = key_count * row_cm
body_cm = body_cm < 0.6 ? 0.6 : body_cm
least_cm = key_count * (group_count > 3 ? 0.08 * group_count : 0.25)
load figure_plots.'/style-page.gp'

# Names get the room that they need, by an estimate of letter widths, as long as bars have some too.
names_most = figure_width - 2.8
names_room = int(names_most / 0.125) + 2
names_cm = names_most + 1
while (names_cm > names_most && names_room > 8) {
    names_room = names_room - 2
    names_cm = 0
    do for [k = 1 : key_count] {
        name_cm = text_cm(fit(key_label[k], names_room))
        names_cm = name_cm > names_cm ? name_cm : names_cm
    }
}
names_cm = names_cm + 0.3
set lmargin at screen across(names_cm)
axis_cm = figure_width - names_cm - 0.4

set yrange [key_count - 0.45 : -0.55]
set ytics scale 0
# gnuplot takes a tic's label for a format, so % must be doubled.
set ytics ('' 0)
do for [k = 1 : key_count] {
    name = fit(key_label[k], names_room)
    tic = ''
    do for [c = 1 : strlen(name)] { tic = tic.name[c : c].(name[c : c] eq '%' ? '%' : '') }
    set ytics add (tic k - 1)
}
set grid xtics linetype 1 linewidth 0.6 linecolor rgb '#D8D8D8'
set grid back

# The position of a group's bar or box in the row of a key.
thick = 0.86 / group_count
middle(g, key) = key - 0.43 + thick * (g + 0.5)
