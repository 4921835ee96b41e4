# The measured cells of a case, with tabs between them, from the files that `native-cases` names by `mark`; its `columns`
# are their names.
#
# A line is blamed if the source marks it. A function is blamed if it has such a line and any gain. Gain and bound are the
# sums over blamed functions, since mending changes all of them; so are the ends of the bound's interval, which makes it
# wider than needed.

BEGIN { FS = OFS = "\t" }
function is_ours(name) { return index(name, case "_") == 1 || name == "main" }
# The difference of the two totals in bytes, and as a share of the first.
function removed(kind) {
    return total["before", kind] - total["after", kind] OFS 1 - total["after", kind] / total["before", kind]
}
mark == "source" { if (/@blamed/) blamed[FNR] = 1; next }
FNR == 1 { delete at; for (i = 1; i <= NF; i++) at[$i] = i; next }
mark == "functions" {
    name = $at["function"]
    if ($at["rank"] == 1) found = name
    rank_of[name] = $at["rank"]
    gain_of[name] = $at["gain"]
    bound_of[name] = $at["bound"]
    low_of[name] = $at["bound_lo"]
    high_of[name] = $at["bound_hi"]
}
mark == "lines" {
    name = number = $at["line"]
    sub(/:[0-9]+$/, "", name)
    sub(/.*:/, "", number)
    if (!(number in blamed) || !is_ours(name)) next
    if (!line_rank && $at["gain"] > 0) line_rank = $at["rank"]
    if (name in added || $at["gain"] == 0) next
    added[name] = 1
    if (!function_rank || rank_of[name] < function_rank) function_rank = rank_of[name]
    gain += gain_of[name]
    bound += bound_of[name]
    low += low_of[name]
    high += high_of[name]
}
mark == "before" || mark == "after" { total[mark, $at["kind"]] = $at["bytes"] }
mark == "before" && $at["kind"] == "silent-load" { fraction = $at["fraction"] }
mark == "spatial" { spatial = $at["fraction"] }
mark == "times" { measured = 1 - $at["ratio"] OFS 1 - $at["ratio_hi"] OFS 1 - $at["ratio_lo"] }
END {
    print found, function_rank, line_rank, gain + 0, bound + 0, low + 0, (high > 1 ? 1 : high + 0), measured,
        removed("silent-load"), removed("silent-store"), fraction, spatial
}
