# style: the one look of all figures, for a column of a paper and for slides alike, the same in PDF, SVG and PNG.
#
# A figure sets own_width and own_height (cm) and loads this file before it draws. Sizes in points are true at that size.
set encoding utf8
set datafile separator "\t"
set datafile missing NaN
set termoption noenhanced

figure_width = figure_width > 0 ? figure_width : own_width
figure_height = figure_height > 0 ? figure_height : own_height

# Terminals use different units: these factors make text 7 points and a line of width 1 half a point in each.
if (figure_format eq 'pdf') {
    set terminal pdfcairo size figure_width cm, figure_height cm font 'Arial,7' fontscale 0.75 linewidth 1 noenhanced
}
if (figure_format eq 'png') {
    set terminal pngcairo size figure_width / 2.54 * 300, figure_height / 2.54 * 300 font 'Arial,7' \
        fontscale 300 / 96. linewidth 300 / 144. pointscale 3.2 dashlength 2 noenhanced background rgb 'white'
}
if (figure_format eq 'svg') {
    set terminal svg size figure_width / 2.54 * 96, figure_height / 2.54 * 96 font 'Arial,7' fontscale 96 / 72. \
        linewidth 96 / 144. noenhanced background rgb 'white'
}
set output figure_output

# Okabe and Ito's colours: distinct for colour-blind readers, and the first four in grey as well.
palette_colours = '#0072B2 #E69F00 #009E73 #CC79A7 #56B4E9 #D55E00 #F0E442 #999999'
colour(i) = word(palette_colours, (i - 1) % 8 + 1)
colour_plain = '#0072B2'
colour_alarm = '#D55E00'
colour_quiet = '#666666'
font_small = ',6'

set border 3 linewidth 1 linecolor rgb '#333333'
set format '%g'
set tics nomirror scale 0.5 textcolor rgb 'black'
set grid noxtics noytics
set key samplen 1.2 spacing 1.1 noautotitle


# The step of tics on a range, about `count` of them, at 1, 2 or 5 times a power of ten.
decade(x) = 10. ** floor(log10(x))
rounded(x) = decade(x) * (x / decade(x) > 5 ? 10 : x / decade(x) > 2 ? 5 : x / decade(x) > 1 ? 2 : 1)
step(range, count) = rounded(1. * range / count)

# Points that differ in form as well: discs, triangles, squares, diamonds, filled and then open.
kind(i) = word('7 9 5 13 6 8 4 12', (i - 1) % 8 + 1) + 0

# An axis label: the user's, or else the figure's own.
told(label, own) = strlen(label) ? label : own

# Converts centimetres on the figure to fractions of its width and height.
across(cm) = cm / figure_width
up(cm) = cm / figure_height
title_cm = strlen(figure_title) ? 0.5 : 0
