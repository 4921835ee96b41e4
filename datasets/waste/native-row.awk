# The measured cells of a case, with tabs between them, from the files that `native-cases` names by `mark`; its `columns`
# are their names.
#
# A line is blamed if the source marks it, and a function if it has such a line. A line or function without any gain has no
# rank. Gain and bound are the sums over all blamed functions, since mending changes them all; what a bound counts of shared
# callers and callees is then counted twice, so the sum may be too large, and is cut at 1.

BEGIN { FS = OFS = "\t"; OFMT = CONVFMT = "%.10g" }
BEGIN { predictions = split("gain bound bound_lo bound_hi", prediction, " ") }
# The difference of the two totals in bytes, and as a share of the first.
function removed(kind) {
    return total["before", kind] - total["after", kind] OFS 1 - total["after", kind] / total["before", kind]
}
# Of all bytes loaded and stored, those that the mended form does not access, and those that were wasted.
function accesses_removed(   before) {
    before = total["before", "silent-load"] + total["before", "silent-store"]
    return 1 - (total["after", "silent-load"] + total["after", "silent-store"]) / before OFS \
        (wasted["silent-load"] + (wasted["dead-store"] > wasted["silent-store"] ? wasted["dead-store"] : wasted["silent-store"])) / before
}
mark == "source" && /^[a-zA-Z]/ && match($0, case "_[a-z0-9_]*\\(") { current = substr($0, RSTART, RLENGTH - 1) }
mark == "source" && /@blamed/ { blamed[current ":" FNR] = blamed[current] = 1 }
mark == "source" { next }
FNR == 1 { delete at; for (i = 1; i <= NF; i++) at[$i] = i; next }
mark == "functions" && $at["rank"] == 1 { found = $at["function"] }
mark == "functions" && $at["function"] in blamed && $at["gain"] > 0 {
    if (!function_rank) function_rank = $at["rank"]
    for (i = 1; i <= predictions; i++) predicted[i] += $at[prediction[i]]
}
mark == "lines" && $at["line"] in blamed && $at["gain"] > 0 && !line_rank { line_rank = $at["rank"] }
mark == "before" || mark == "after" { total[mark, $at["kind"]] = $at["bytes"] }
mark == "before" { wasted[$at["kind"]] = $at["wasted_bytes"] }
mark == "before" && $at["kind"] == "silent-load" { fraction = $at["fraction"] }
mark == "spatial" { spatial = $at["fraction"] }
mark == "times" { measured = 1 - $at["ratio"] OFS 1 - $at["ratio_hi"] OFS 1 - $at["ratio_lo"] }
END {
    for (i = 1; i <= predictions; i++) sums = sums OFS (predicted[i] > 1 ? 1 : predicted[i] + 0)
    print found, function_rank, line_rank sums, measured, removed("silent-load"), removed("silent-store"), fraction, spatial, \
        accesses_removed()
}
