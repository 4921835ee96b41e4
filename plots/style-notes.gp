# style-notes: small print below a figure, in as many lines as it needs. Loaded first, since the height depends on it.
#
# `unused = tell('text')` appends to the note; nothing if the text is empty.
set encoding utf8
set datafile separator "\t"
set datafile missing NaN

page_width = figure_width
note = ''
note_lines = 0
note_line = 0
note_room = int((page_width - 0.4) / 0.108)
tell(text) = strlen(text) == 0 || !figure_notes ? 0 : \
    note_lines == 0 ? (note = text, note_line = strlen(text), note_lines = 1) : \
    note_line + strlen(text) + 2 > note_room ? \
        (note = note.";\n".text, note_line = strlen(text), note_lines = note_lines + 1) : \
        (note = note.'; '.text, note_line = note_line + strlen(text) + 2, note_lines)

# "30" or "12 to 30".
span(least, most) = least == most ? sprintf('%.0f', least) : sprintf('%.0f to %.0f', least, most)
part(count, total, what) = count < total ? sprintf('%d of %d %s', count, total, what) : ''

# Shortens a text to at most `most` characters by leaving out its middle.
fit(text, most) = strlen(text) <= most ? text : text[1 : most / 3]."…".text[strlen(text) - most + most / 3 + 2 : strlen(text)]

# The approximate width in cm of a text of 7 points, in the widest of the usual fonts, DejaVu Sans (others are up to 12
# % narrower); at most 200 characters, since gnuplot's functions can't recurse deeper.
letter_cm(c) = c eq '…' ? 0.25 : strstrt("ijlIJ'", c) ? 0.07 : strstrt(' .,:;/|', c) ? 0.085 : strstrt('!()[]ftr-', c) ? 0.1 : \
    strstrt('ABCDEFGHKNOPQRSTUVXYZ', c) ? 0.185 : strstrt('mMwW%@', c) ? 0.24 : 0.156
text_cm(text) = strlen(text) == 0 ? 0 : letter_cm(text[1 : 1]) + (strlen(text) > 1 ? text_cm(text[2 : strlen(text)]) : 0)
