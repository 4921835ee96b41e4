# style-tics: tics of an axis, as many as their labels have room for, and no exponents: one power of ten is written at
# the axis. Logarithmic axes have powers of ten, or what lies between them where there are few.
#
# Before: tics_axis: 'x' or 'y'; tics_from and tics_to: its range; tics_most: the maximum number of tics; tics_cm: its
# length along the labels, 0 where they are stacked vertically. After: tics_from and tics_to as the user wants them, and
# the axis is logarithmic if tics_log.
tics_log = tics_axis eq 'x' ? figure_log_x : figure_log_y
tics_low = tics_axis eq 'x' ? figure_from_x : figure_from_y
tics_high = tics_axis eq 'x' ? figure_to_x : figure_to_y
tics_from = tics_low == tics_low ? tics_low : tics_from
tics_to = tics_high == tics_high ? tics_high : tics_to
if (tics_from >= tics_to) { exit error sprintf('--range leaves nothing: all values are %s', tics_low == tics_low ? 'below it' : 'above it') }
if (tics_log && tics_from <= 0) { exit error 'a logarithmic axis must begin above 0' }
tics_reach = abs(tics_from) > abs(tics_to) ? abs(tics_from) : abs(tics_to)
tics_power = tics_reach >= 1e5 || (tics_reach > 0 && tics_reach < 1e-3) ? 3 * int(floor(log10(tics_reach) / 3)) : 0
tics_fits = 0
tics_count = tics_most
# One tic alone would not show the scale.
tics_between(count) = floor(tics_to / step(tics_to - tics_from, count) + 1e-9) - ceil(tics_from / step(tics_to - tics_from, count) - 1e-9)
while (tics_between(tics_count) < 1 && tics_count < 20) { tics_count = tics_count + 1 }
while (!tics_fits) {
    tics_step = step(tics_to - tics_from, tics_count)
    tics_places = int(ceil(log10(tics_reach / tics_step))) + 1
    # Far from 0 a power of ten would not help: 1000000.5.
    tics_unit = tics_places > 6 ? 1. : 10. ** tics_power
    tics_format = sprintf('%%.%dg', tics_places > 6 ? tics_places : 6)
    tics_first = int(ceil(tics_from / tics_step - 1e-9))
    tics_last = int(floor(tics_to / tics_step + 1e-9))
    tics_wide = 0
    do for [i = tics_first : tics_last] {
        tic_cm = text_cm(sprintf(tics_format, i * tics_step / tics_unit))
        tics_wide = tic_cm > tics_wide ? tic_cm : tics_wide
    }
    tics_few = tics_between(tics_count > 1 ? tics_count - 1 : 1) < 1
    tics_fits = tics_cm == 0 || tics_count <= 2 || tics_few || (tics_step / (tics_to - tics_from)) * tics_cm >= tics_wide + 0.25
    tics_count = tics_count - 1
}
tics_note = tics_unit == 1 ? '' : '×10'.raised(tics_power)

# Each tic is a multiple of the step, not a running sum, so that rounding errors do not add up.
if (tics_log) {
    tics_note = ''
    tics_decades = log10(1. * tics_to / tics_from)
    tics_every = 1
    while (tics_decades / tics_every > (tics_cm > 0 ? tics_cm / 0.9 : 8)) { tics_every = tics_every + 1 }
    tics_digits = tics_decades > 2 ? '1' : tics_decades > 0.8 ? '1 2 5' : ''
    if (tics_axis eq 'x') {
        set logscale x
        set xtics offset 0, 0.3 ('' tics_to)
    } else {
        set logscale y
        set ytics offset 0.4, 0 ('' tics_to)
    }
    tics_wide = 0
    do for [i = int(floor(log10(tics_from))) : words(tics_digits) ? int(floor(log10(tics_to))) : -400] {
        do for [digit in tics_digits] {
            tic = digit * 10. ** i
            if (i % tics_every == 0 && tic >= tics_from * (1 - 1e-9) && tic <= tics_to * (1 + 1e-9)) {
                tics_text = i >= -3 && i <= 4 ? sprintf('%g', tic) : (digit eq '1' ? '' : digit.'·').'10'.raised(i)
                tic_cm = text_cm(tics_text)
                tics_wide = tic_cm > tics_wide ? tic_cm : tics_wide
                if (tics_axis eq 'x') { set xtics add (tics_text tic) } else { set ytics add (tics_text tic) }
            }
        }
    }
}
if (tics_axis eq 'x' && !(tics_log && words(tics_digits))) {
    set xtics offset 0, 0.3 ('' tics_first * tics_step)
    do for [i = tics_first : tics_last] {
        # The last label may reach beyond the axis, but not beyond the figure.
        tics_text = sprintf(tics_format, i * tics_step / tics_unit)
        tics_over = (i * tics_step - tics_to) / (tics_to - tics_from) * tics_cm + text_cm(tics_text) / 2
        set xtics add ((tics_over < 0.42 ? tics_text : '') i * tics_step)
    }
}
if (tics_axis eq 'y' && !(tics_log && words(tics_digits))) {
    set ytics offset 0.4, 0 ('' tics_first * tics_step)
    do for [i = tics_first : tics_last] { set ytics add (sprintf(tics_format, i * tics_step / tics_unit) i * tics_step) }
    set label 111 tics_note at graph 0, graph 1 left offset 0.3, 0 font font_small textcolor rgb colour_small
}
