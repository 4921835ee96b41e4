# figure: Tukey's boxes of median and quartiles with whiskers and outliers, one row per name.
# needs: value
# group: table
# axes: x
# groups: 8
# key: *
# label: 34
# top: 40
# boxes: tukey
#
# A row of the table is one value. Quartiles are of type 7, as R's quantile() has them.
load figure_plots.'/style-notes.gp'
has_whiskers = 1
row_names = 'names'
unused = tell('line: median')
unused = tell('box: quartiles')
unused = tell('whiskers: within 1.5 box lengths')
unused = tell('points: values beyond')
load figure_plots.'/style-boxes.gp'
