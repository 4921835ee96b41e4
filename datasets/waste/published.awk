# The row of a program in Table 3.2 as published (-v name=PROGRAM): code, redundancy, inefficiency, approach and speedup,
# with tabs between them.

# Cuts a line of CSV into `cells`, without quotes. Returns their number.
function csv_split(line, cells,   count, quoted, i, letter) {
    count = 1
    cells[1] = ""
    for (i = 1; i <= length(line); i++) {
        letter = substr(line, i, 1)
        if (letter == "\"") quoted = !quoted
        else if (letter == "," && !quoted) cells[++count] = ""
        else cells[count] = cells[count] letter
    }
    return count
}
/^#/ { next }
!columns { columns = csv_split($0, cells); for (i = 1; i <= columns; i++) at[cells[i]] = i; next }
{
    csv_split($0, cells)
    if (cells[at["program"]] != name) next
    printf "%s\t%s\t%s\t%s\t%s\n", cells[at["code"]], cells[at["redundancy"]], cells[at["inefficiency"]],
        cells[at["approach"]], cells[at["speedup"]]
}
