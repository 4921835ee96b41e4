# style-page: what surrounds one pair of axes: title and legend above, small print below.
#
# Before: style-notes.gp and all notes; body_cm: the height of the axes, and least_cm: its minimum; legend_count and
# legend_text, from 1; legend_points, whether series are points and lines or areas, and has_lines, if points have lines.

if (figure_legend eq 'none') { legend_count = 0 }

# Entries form as many columns as there is room for, each as wide as the longest text, and evenly filled lines.
legend_room = int((page_width - 1) / 0.125)
legend_wide = 0
do for [i = 1 : legend_count] {
    entry_cm = text_cm(fit(legend_text[i], legend_room))
    legend_wide = entry_cm > legend_wide ? entry_cm : legend_wide
}
legend_entry = 0.85 + legend_wide
legend_columns = int((page_width - 0.1) / legend_entry)
legend_columns = legend_columns < 1 ? 1 : legend_columns
legend_lines = legend_count ? (legend_count + legend_columns - 1) / legend_columns : 0
legend_columns = legend_count ? (legend_count + legend_lines - 1) / legend_lines : 1

legend_cm = legend_lines ? 0.15 + 0.3 * legend_lines : 0
note_cm = 0.28 * note_lines
# A legend below is between the label of the axis and the small print.
legend_above_cm = figure_legend eq 'below' ? 0 : legend_cm
foot_cm = note_cm + legend_cm - legend_above_cm
own_height = 1 + note_cm + legend_cm + (strlen(figure_title) ? 0.5 : 0) + body_cm
if (figure_height > 0 && figure_height < own_height - body_cm + least_cm) {
    exit error sprintf('the height must be %.1f cm at least', own_height - body_cm + least_cm + 0.05)
}
load figure_plots.'/style.gp'

set bmargin at screen up(foot_cm + 0.85)
set tmargin at screen 1 - up(title_cm + legend_above_cm + 0.15)
set rmargin at screen 1 - across(0.4)
set label 100 note at screen 1 - across(0.2), screen up(0.22 + 0.25 * (note_lines - 1)) right \
    font font_small textcolor rgb colour_quiet
if (strlen(figure_title)) { set label 101 figure_title at screen 0.5, screen 1 - up(0.3) center }

# Squares fill; a series of points may have a line through them, and the last entry may be a line without points.
legend_left = 0.5 * (figure_width - legend_columns * legend_entry) + 0.175
legend_left = legend_left < 0.1 ? 0.1 : legend_left
do for [i = 1 : legend_count] {
    here = legend_left + ((i - 1) % legend_columns) * legend_entry
    line = (figure_legend eq 'below' ? foot_cm : figure_height - title_cm - 0.12) - 0.1 - 0.3 * ((i - 1) / legend_columns)
    set label 200 + i fit(legend_text[i], legend_room) at screen across(here + 0.5), screen up(line) left
    if (!legend_points) {
        set object i rectangle from screen across(here + 0.1), screen up(line - 0.09) \
            to screen across(here + 0.4), screen up(line + 0.09) noclip \
            fillcolor rgb colour(i) fillstyle solid 1 noborder
    }
    if (legend_points && i <= group_count) {
        set label 300 + i '' at screen across(here + 0.22), screen up(line) point pointtype kind(i) pointsize 0.6 \
            linecolor rgb colour(i)
    }
    if (legend_points && has_lines && i <= group_count) {
        set arrow 300 + i from screen across(here), screen up(line) to screen across(here + 0.44), screen up(line) \
            nohead linewidth 1.6 linecolor rgb colour(i)
    }
    if (legend_points && i > group_count) {
        set arrow 300 + i from screen across(here), screen up(line) to screen across(here + 0.44), screen up(line) \
            nohead linewidth 1.2 dashtype (6, 5) linecolor rgb 'black'
    }
}
