# figure: Simulated load misses as bars, with the part that a plan of prefetches takes away, or adds.
# needs: mpi mpi_with_plan
# takes: misses misses_with_plan coverage issued useful late useless resident dropped accuracy timeliness added
# group: table
# axes: x
# groups: 8
# key: *
# label: 34
# top: 40
#
# The table of assay strides --levels: misses per instruction of each level of the simulated caches.
load figure_plots.'/style-notes.gp'

value = column_mpi
other = column_mpi_with_plan
has_interval = 0
low = 0
high = 0
least = 0
most = 1000 * (max_mpi_with_plan > max_mpi ? max_mpi_with_plan : max_mpi)
base = 0
scale = 1000
own_label = 'Load misses per 1000 instructions'
own_short = 'Misses (‰)'
row_names = 'names'

fewer = 0
more = 0
change(unused) = (fewer = fewer + (column(other) < column(value)), more = more + (column(other) > column(value)), 0)
stats $rows using (change(0)) nooutput
unused = tell('simulated')
unused = tell(fewer ? 'light: what the plan takes away' : '')
unused = tell(more ? 'open: what the plan adds' : '')
load figure_plots.'/style-bars.gp'
