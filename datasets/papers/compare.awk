# Compares published values with values measured here; used with csv.awk, and with these files in this order:
#   mark=notes FILE... mark=values FILE... mark=published FILE...
# Notes (datasets/published/PAPER.md) name the columns of each table that are compared. Values (values.csv of each part) name
# the cell that each stands beside. Prints a row for each pair, for each published value of a compared column without one
# ("not measured"), and for each value without a published one ("ours alone").
#
# A printed number stands for every value that rounds to it, and ours for its interval. They agree if these meet. Where they meet
# because our interval is wider than the printed number itself, or than the width that the notes give, that is "undecided", unless
# the printed number stands for all of our interval.
# Words in place of a number stand for the range that the notes give.

function printed(text, halfwidth,   half) {
    if (halfwidth != "") { low = text - halfwidth; high = text + halfwidth; return }
    if (text ~ /^</) { low = -1e300; high = substr(text, 2) - 2 * tolerance; return }
    if (text ~ /^>/) { low = substr(text, 2) + 2 * tolerance; high = 1e300; return }
    half = text
    if (!sub(/^[^.]*[.]/, "", half)) half = ""
    sub(/e.*/, "", half)
    if (places > length(half)) half = 0.5 * 10 ^ -places
    else half = 0.5 * 10 ^ -length(half)
    if (match(text, /e/)) half *= 10 ^ substr(text, RSTART + 1)
    low = text - half
    high = text + half
}
function is_number(text) { return text ~ /^[<>]?-?[0-9.]+(e-?[0-9]+)?$/ }
function quote(text) {
    if (text !~ /[",]/) return text
    gsub(/"/, "\"\"", text)
    return "\"" text "\""
}
function emit(row, column, text, entry, verdict) {
    print table "," quote(row) "," column "," quote(text) "," entry "," verdict
}
# The row's name: the cells of its key columns.
function row_of(   i, n, keys, name) {
    n = split(meta[table, "rows"], keys, " ")
    for (i = 1; i <= n; i++) name = name (name != "" && field[at[keys[i]]] != "" ? " " : "") field[at[keys[i]]]
    return name
}
function verdict_of(column, i, text,   most) {
    if (!((table, column) in compared)) return "not compared"
    if (lo[i] == "" || hi[i] == "") return "without interval"
    if (lo[i] - high > tolerance || low - hi[i] > tolerance) return "differs"
    if (lo[i] - low >= 0 && high - hi[i] >= 0) return "agrees"
    sub(/^[<>-]+/, "", text)
    most = (table, column) in width ? width[table, column] : text
    return hi[i] - lo[i] > most + tolerance ? "undecided" : "agrees"
}

# A cell without a number in a row whose words stand for a range.
function compare_words(words,   k, i) {
    low = range_low[table, words]
    high = range_high[table, words]
    for (k = 1; k <= n; k++) {
        i = list[k]
        used[i]
        emit(row, column, words, text[i], verdict_of(column, i, high - low))
    }
    if (!n) emit(row, column, words, ",,,", "not measured")
}

BEGIN { tolerance = 1e-9; print "table,row,column,published,ours,value,lo,hi,verdict" }
mark == "notes" && FNR == 1 { paper = FILENAME; sub(/.*\//, "", paper); sub(/[.]md$/, "", paper) }
mark == "notes" && /^## / { table = paper "-" $2; sub(/:$/, "", table) }
mark == "notes" && /^- [a-z]+: / {
    key = substr($2, 1, length($2) - 1)
    meta[table, key] = substr($0, 5 + length(key))
    if (key == "compared") for (i = 3; i <= NF; i++) compared[table, $i]
    if (key == "decimals") decimals[table, $3] = $4
    if (key == "width") for (i = 4; i <= NF; i += 2) width[table, $(i - 1)] = $i
    if (key == "range") {
        words = meta[table, key]
        sub(/^[^ ]+ [^ ]+ /, "", words)
        range_low[table, words] = $3
        range_high[table, words] = $4
    }
    if (key == "halfwidth") halfwidth[table, $3] = $4
}
mark == "notes" { next }
mark == "values" && FNR == 1 { next }
mark == "values" {
    if (csv($0) < 7) field[7] = ""
    entries++
    cell[entries] = field[1] SUBSEP field[2] SUBSEP field[3]
    beside[cell[entries]] = beside[cell[entries]] " " entries
    own[entries] = field[1] "," quote(field[2]) "," field[3]
    lo[entries] = field[6]
    hi[entries] = field[7]
    text[entries] = quote(field[4]) "," field[5] "," field[6] "," field[7]
    next
}
FNR == 1 { table = FILENAME; sub(/.*\//, "", table); sub(/[.]csv$/, "", table); columns = 0 }
/^#/ || !((table, "rows") in meta) { next }
!columns {
    columns = csv($0)
    split("", at)
    for (c = 1; c <= columns; c++) { name[c] = field[c]; at[field[c]] = c }
    next
}
{
    csv($0)
    row = row_of()
    for (c = 1; c <= columns; c++) {
        column = name[c]
        n = split(beside[table, row, column], list, " ")
        words = field[c] == "" && (table, "words") in meta ? field[at[meta[table, "words"]]] : ""
        if ((table, column) in compared && (table, words) in range_low) {
            compare_words(words)
            continue
        }
        if (field[c] == "") continue
        if (n && is_number(field[c])) {
            places = decimals[table, column]
            printed(field[c], (table, column) in halfwidth ? field[at[halfwidth[table, column]]] : "")
        }
        for (k = 1; k <= n; k++) {
            used[list[k]]
            emit(row, column, field[c], text[list[k]], is_number(field[c]) ? verdict_of(column, list[k], field[c]) : "not compared")
        }
        if (!n && (table, column) in compared && is_number(field[c])) emit(row, column, field[c], ",,,", "not measured")
    }
}
END {
    for (i = 1; i <= entries; i++) if (!(i in used)) print own[i] ",," text[i] ",ours alone"
}
