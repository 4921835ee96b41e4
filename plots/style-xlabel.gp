# style-xlabel: the label of the x axis, with the power of ten of its tics. One that is wider than the axis is replaced by a
# shorter one, or else ends where the figure does.
#
# Before: own_label, and own_short, for short axes; axis_cm: the length of the axis; tics_note, of style-tics.gp, or ''.
x_label(own) = fit(told(figure_x_label, own), 120).(strlen(tics_note) ? ' ('.tics_note.')' : '')
x_text = x_label(own_label)
x_text = text_cm(x_text) > axis_cm + 0.5 ? x_label(own_short) : x_text
if (text_cm(x_text) > axis_cm + 0.5) {
    set label 110 fit(x_text, int(figure_width / 0.135) - 3) at screen 1 - across(0.2), screen up(foot_cm + 0.3) right
    x_text = ' '
}
set xlabel x_text offset 0, 0.5
