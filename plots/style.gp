# style: the one look of all figures, for a column of a paper and for slides alike, the same in PDF, SVG and PNG.
#
# A figure sets own_height (cm) and loads this file before it draws. All sizes are those of text of 7 points; figure_scale
# scales the page to text of another size.
set encoding utf8
set datafile separator "\t"
set datafile missing NaN
set termoption noenhanced

figure_height = figure_height > 0 ? figure_height : own_height

# Terminals use different units: these factors make text 7 points and a line of width 1 half a point in each.
page_across = figure_width * figure_scale
page_up = figure_height * figure_scale
figure_typeface = figure_font.',7'
if (figure_format eq 'pdf') {
    set terminal pdfcairo size page_across cm, page_up cm font figure_typeface fontscale 0.75 * figure_scale \
        linewidth figure_scale pointscale figure_scale noenhanced
}
if (figure_format eq 'png') {
    set terminal pngcairo size page_across / 2.54 * 300, page_up / 2.54 * 300 font figure_typeface \
        fontscale 300 / 96. * figure_scale linewidth 300 / 144. * figure_scale pointscale 3.2 * figure_scale dashlength 2 \
        noenhanced background rgb 'white'
}
if (figure_format eq 'svg') {
    set terminal svg size page_across / 2.54 * 96, page_up / 2.54 * 96 font figure_typeface \
        fontscale 96 / 72. * figure_scale linewidth 96 / 144. * figure_scale noenhanced background rgb 'white'
}
if (figure_format eq 'tex') {
    set terminal cairolatex pdf input colortext size page_across cm, page_up cm font ',7' fontscale 0.75 * figure_scale \
        linewidth figure_scale pointscale figure_scale
}
set output figure_output

# Okabe and Ito's colours: distinct for colour-blind readers, and the first four in grey as well.
palette_colours = strlen(figure_colours) ? figure_colours : '#0072B2 #E69F00 #009E73 #CC79A7 #56B4E9 #D55E00 #F0E442 #999999'
colour(i) = word(palette_colours, (i - 1) % words(palette_colours) + 1)
colour_plain = colour(1)
colour_alarm = strlen(figure_colours) && words(figure_colours) > 1 ? colour(2) : '#D55E00'
# A colour's parts, from 0 to 255, and mixed with white; how light it is, from 0 to 1.
colour_part(text, from) = int('0x'.text[from : from + 1])
paler(text) = sprintf('#%02X%02X%02X', (colour_part(text, 2) + 255) / 2, (colour_part(text, 4) + 255) / 2, (colour_part(text, 6) + 255) / 2)
lightness(text) = (0.299 * colour_part(text, 2) + 0.587 * colour_part(text, 4) + 0.114 * colour_part(text, 6)) / 255
colour_pale = paler(colour_plain)
# For text on a series' colour.
ink(i) = lightness(colour(i)) < 0.5 ? 'white' : colour_small
colour_quiet = '#666666'
# Two that look black: figures for LaTeX take sizes of text from colours. Only black text has 7 points, and 5 that of
# colour_tiny; all others has 6.
colour_small = '#030303'
colour_tiny = '#050505'
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

# A whole number as an exponent.
raised_digit(c) = c eq '-' ? '⁻' : word('⁰ ¹ ² ³ ⁴ ⁵ ⁶ ⁷ ⁸ ⁹', c + 1)
raised_text(text) = strlen(text) == 0 ? '' : raised_digit(text[1 : 1]).raised_text(text[2 : strlen(text)])
raised(i) = raised_text(sprintf('%d', i))
