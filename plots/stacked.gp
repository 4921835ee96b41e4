# figure: Shares of parts in a whole as stacked bars, one row per name.
# needs: part share
# range: share 0 1
# group: part
# groups: 8
# key: *
# label: 30
# top: 40
#
# Parts are in the order in which the table has them. A bar that does not reach 100 % has parts that are not in the
# table.
load figure_plots.'/style-notes.gp'

# Where a part begins: the sum of the parts before it in the same bar.
array begin[group_count * key_count]
most = 1
over = 0
do for [k = 0 : key_count - 1] {
    reached = 0
    do for [g = 0 : group_count - 1] {
        begin[g * key_count + k + 1] = reached
        stats $rows index g using ($2 == k && column(column_share) == column(column_share) ? column(column_share) : 0) nooutput
        reached = reached + STATS_sum
    }
    over = over + (reached > 1.0005)
    most = reached > most ? reached : most
}
unused = tell(over == 0 ? '' : over == 1 ? 'one bar has more than 100 %' : sprintf('%d bars have more than 100 %%', over))
unused = tell(part(group_count, group_total, 'parts'))
group_total = group_count
row_cm = 0.5
legend_shown = 1
row_names = 'names'
load figure_plots.'/style-rows.gp'

set xrange [0 : 100 * most]
set xtics step(100 * most, 5) offset 0, 0.3
tics_note = ''
own_label = 'Share (%)'
own_short = own_label
load figure_plots.'/style-xlabel.gp'
set border 1

# A share is printed where there is room.
wide = 0.6 / axis_cm * most
share(unused) = 100 * column(column_share)
start(g) = 100 * begin[g * key_count + $2 + 1]

set style fill solid 1 border linecolor rgb 'white'
plot for [g = 0 : group_count - 1] $rows index g \
        using (start(g)):2:(start(g)):(start(g) + share(0)):($2 - 0.38):($2 + 0.38) \
        with boxxyerror linewidth 0.6 fillcolor rgb colour(g + 1), \
    for [g = 0 : group_count - 1] $rows index g \
        using (column(column_share) >= wide ? start(g) + share(0) / 2 : NaN):2:(sprintf('%.0f', share(0))) \
        with labels font font_small textcolor rgb ink(g + 1)
