# PROGRAM --columns | awk -f columns.awk - MANUAL: the manual, with the columns of the program's tables at its mark.
function roff(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    gsub(/'/, "\\(aq", text)
    return text ~ /^[.]/ ? "\\&" text : text
}
FILENAME == "-" {
    is_title = /^[^ ]/
    if (/^      /)
        columns = columns roff(substr($0, 7)) "\n"
    else if (/^  /)
        columns = columns ".TP\n.B " roff(substr($0, 3)) "\n"
    else if (is_title)
        columns = columns (in_title ? "" : ".PP\n") roff($0) "\n"
    in_title = is_title
    next
}
/^[.]\\" COLUMNS/ { printf "%s", columns; next }
{ print }
