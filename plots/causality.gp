# figure: Change that a profiler reported over the change of the program's time, with the line of each method.
# needs: x y
# takes: fit reference
# text: legend reference_legend
# axes: y x
# groups: 8
# label: 40
#
# Columns as in scatter.gp; the dashed line has slope 1: everything the program lost is reported.
load figure_plots.'/scatter.gp'
