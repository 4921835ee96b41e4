# PROGRAM --columns | awk -f columns.awk - MANUAL: the manual, with the columns of the program's tables at its mark.
function roff(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    gsub(/'/, "\\(aq", text)
    return text ~ /^[.]/ ? "\\&" text : text
}
FILENAME == "-" {
    if (/^      /)
        columns = columns roff(substr($0, 7)) "\n"
    else if (/^  /)
        columns = columns ".TP\n.B " roff(substr($0, 3)) "\n"
    else if (/./)
        columns = columns ".PP\n" roff($0) "\n"
    next
}
/^[.]\\" COLUMNS/ { printf "%s", columns; next }
{ print }
