# figure: Bytes wasted in data objects as stacked bars, one row per object, by pairs of contexts.
# needs: part fraction
# range: fraction 0 1
# group: part
# groups: 8
# key: *
# label: 34
# top: 30
#
# The figure of assay waste --objects N --pairs M. Parts are in the order in which the table has them; a whole bar is the
# object's fraction: bytes wasted in it over the bytes loaded from all objects.
load figure_plots.'/style-notes.gp'

# Where a part begins: the sum of the parts before it in the same bar.
array begin[group_count * key_count]
most = 0
do for [k = 0 : key_count - 1] {
    reached = 0
    do for [g = 0 : group_count - 1] {
        begin[g * key_count + k + 1] = reached
        stats $rows index g using ($2 == k && column(column_fraction) == column(column_fraction) ? column(column_fraction) : 0) nooutput
        reached = reached + STATS_sum
    }
    most = reached > most ? reached : most
}
most = most > 0 ? most : 1
unused = tell(part(group_count, group_total, 'parts'))
group_total = group_count
row_cm = 0.5
legend_shown = 1
row_names = 'objects'
load figure_plots.'/style-rows.gp'

tics_axis = 'x'
tics_from = 0
tics_to = 102 * most
tics_most = 6
tics_cm = axis_cm
load figure_plots.'/style-tics.gp'
set xrange [tics_from : tics_to]
own_label = 'Bytes wasted of all loaded from objects (%)'
own_short = 'Wasted (%)'
load figure_plots.'/style-xlabel.gp'
set border 1

start(g) = 100 * begin[g * key_count + $2 + 1]
set style fill solid 1 border linecolor rgb 'white'
plot for [g = 0 : group_count - 1] $rows index g \
        using (start(g)):2:(start(g)):(start(g) + 100 * column(column_fraction)):($2 - 0.38):($2 + 0.38) \
        with boxxyerror linewidth 0.6 fillcolor rgb colour(g + 1)
