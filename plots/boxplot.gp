# figure: Boxes of mean and standard deviation with the values beyond, one row per name.
# needs: value
# group: table
# axes: x
# groups: 8
# key: *
# label: 34
# top: 40
# boxes: sd
#
# The form of Georges et al. 2004, Fig. 6: the line is the mean, the box one standard deviation on either side, and
# points are the values outside it. A row of the table is one value.
load figure_plots.'/style-notes.gp'
has_whiskers = 0
row_names = 'names'
unused = tell('line: mean')
unused = tell('box: ±1 sd')
unused = tell('points: values beyond')
load figure_plots.'/style-boxes.gp'
