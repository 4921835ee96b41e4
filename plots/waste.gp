# figure: Fractions of wasted memory accesses as bars with their intervals, one row per program, kinds side by side.
# needs: fraction
# takes: lo hi pair_fraction bytes wasted_bytes precise_fraction approx_fraction events runs approx_part
# group: kind
# axes: x
# groups: 8
# key: *
# label: 34
# top: 40
#
# The table of assay waste --by LABEL; without a label the kinds are the rows. Kinds that a program's table lacks were
# not recorded: they get a dash, since that is not zero.
load figure_plots.'/style-notes.gp'

value = column_fraction
low = column_lo
high = column_hi
has_interval = has_lo && has_hi
least = 0
most = 100 * (has_interval && max_hi > max_fraction ? max_hi : max_fraction)
base = 0
scale = 100
own_label = 'Bytes wasted of all loaded or stored (%)'
own_short = 'Wasted (%)'
row_names = 'names'
light = has_approx_part ? column_approx_part : 0
unused = tell(has_approx_part && max_approx_part > 0 ? 'light: floating-point values, within a tolerance' : '')

unused = tell(has_runs && max_runs > 1 ? (has_interval ? 'mean and interval of ' : 'mean of ').span(min_runs, max_runs).' runs' : '')
unused = tell(has_runs && max_runs == 1 ? 'one run' : '')
load figure_plots.'/style-bars.gp'
