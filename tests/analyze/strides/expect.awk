# expect.awk - whether a table of strides has the verdicts that are derived in a victim's comment (tests/victims/strides/strides.h).
# Arguments: the victim's source, then the table as CSV, with at least the columns site, loop, kind and stride. Prints a line
# for each expectation that is not met, and at last how many there were; the exit status is 1 if one was not met, or there were none.
function line_of(place) { sub(/.*:/, "", place); return place }
function fail(text) { print "line " number ", " expected[e] ": " text; bad = 1 }
# Splits a row of CSV into cell[]: texts may be in quotes.
function split_row(row,   count, quoted) {
    count = 0
    while (row != "" || count == 0) {
        if (quoted = row ~ /^"/) match(row, /^"([^"]|"")*"/); else match(row, /^[^,]*/)
        cell[++count] = substr(row, 1 + quoted, RLENGTH - 2 * quoted)
        row = substr(row, RLENGTH + 1)
        if (row == ",") cell[++count] = ""
        sub(/^,/, "", row)
    }
    return count
}
# What is wrong with a row, or "".
function wrong(row,   parts) {
    if (("kind" in want) && kind[row] != want["kind"]) return "kind " kind[row] " " stride[row]
    if (("stride" in want) && stride[row] + 0 != want["stride"] + 0) return "stride " stride[row]
    if (("partner" in want) && ("partner" in at) && line_of(partner[row]) != mark[want["partner"]]) return "partner " partner[row]
    if (("majority" in want) && ("majority" in at)) {
        split(want["majority"], parts, /[.][.]/)
        if (majority[row] + 0 < parts[1] - 1e-6 || majority[row] + 0 > parts[2] + 1e-6) return "majority " majority[row]
    }
    if (("executions" in want) && ("executions" in at) && executions[row] != want["executions"]) return "executions " executions[row]
    return ""
}
FNR == 1 { file++ }
file == 1 && match($0, /(\/\*|\/\/) @[a-z0-9_]+/) { word = substr($0, RSTART, RLENGTH); sub(/.*@/, "@", word); mark[word] = FNR }
file == 1 && $2 == "EXPECT" { expected[++expectations] = $0; sub(/.*EXPECT /, "", expected[expectations]) }
file == 1 && /EXPECT line=/ && ($2 != "EXPECT" || /EXPECT.*EXPECT/) { print "line " FNR ": EXPECT does not begin the line"; bad = 1 }
file == 2 && FNR == 1 { n = split_row($0); for (i = 1; i <= n; i++) at[cell[i]] = i }
file == 2 && FNR > 1 {
    split_row($0)
    if (only != "" && cell[at["site"]] !~ only) next
    rows++
    site[rows] = line_of(cell[at["site"]]); loop[rows] = line_of(cell[at["loop"]])
    kind[rows] = cell[at["kind"]]; stride[rows] = cell[at["stride"]]
    partner[rows] = cell[at["partner"]]; majority[rows] = cell[at["majority"]]; executions[rows] = cell[at["executions"]]
}
END {
    for (e = 1; e <= expectations; e++) {
        split("", want)
        n = split(expected[e], words, " ")
        for (i = 1; i <= n; i++) { value = words[i]; sub(/^[a-z]*=/, "", value); sub(/=.*/, "", words[i]); want[words[i]] = value }
        number = mark[want["line"]]
        if (number == "" || ("loop" in want) && !(want["loop"] in mark)) { fail("there is no such line"); continue }
        # A load has a row for each partner, and one for its own stride: one of them is the expected one.
        problem = "there is no such row"
        for (row = 1; row <= rows && problem != ""; row++)
            if (site[row] == number && (!("loop" in want) || loop[row] == mark[want["loop"]])) problem = wrong(row)
        if (problem != "") fail(problem)
    }
    print expectations + 0 " expectations"
    exit bad || !expectations
}
