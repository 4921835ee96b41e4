# The tables of datasets/waste/toddler/reproduce, from PUBLISHED, BUGS and places.tsv; -v top=N: what counts as found.
function is_found(bug, kind) {
    if (!((bug, "before", kind) in rank)) return 0
    return rank[bug, "before", kind] > 0 && rank[bug, "before", kind] <= top && of_loads[bug, "before", kind] >= 1
}
function cell(bug, how, kind) {
    if (!((bug, how, kind) in rank)) return "-"
    return share[bug, how, kind] ", " (rank[bug, how, kind] ? "rank " rank[bug, how, kind] : "none")
}
FNR == 1 { file++ }
/^#/ { next }
file == 1 { applications[++application_count] = $1; toddler[$1] = $2; glider[$1] = $3; by_jxperf[$1] = $4 " / " $5; next }
file == 2 { bugs[++bug_count] = $1; application[$1] = $2; origin[$1] = $3; jars[$1] = $4; kind[$1] = $5; next }
FNR > 1 { measured[$1] = 1; share[$1, $2, $3] = $4; rank[$1, $2, $3] = $5; of_loads[$1, $2, $3] = $6; kinds[$3] = 1 }
END {
    for (i = 1; i <= bug_count; i++) {
        bug = bugs[i]
        of = application[bug]
        if (!measured[bug]) continue
        rebuilt[of]++
        under_id[of] += origin[bug] != "-"
        in_library[of] += jars[bug] != "-" || of == "JDK"
        silent[of] += is_found(bug, "silent-load")
        adjacent[of] += is_found(bug, "adjacent-load")
        either[of] += is_found(bug, "silent-load") || is_found(bug, "adjacent-load")
    }
    print "| application | published, Toddler / Glider | found by JXPerf | rebuilt | of these reported by the tools' authors | in the library itself | found as silent loads | as adjacent loads | as either |"
    print "|---|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= application_count + 1; i++) {
        of = i > application_count ? "sum" : applications[i]
        printf "| %s | %d / %d | %s | %d | %d | %d | %d | %s | %d |\n", of, toddler[of], glider[of], by_jxperf[of],
            rebuilt[of], under_id[of], in_library[of], silent[of], "adjacent-load" in kinds ? adjacent[of] + 0 : "-", either[of]
        if (i > application_count) break
        split(by_jxperf[of], both, " / ")
        by_toddler += both[1]; by_glider += both[2]; by_jxperf["sum"] = by_toddler " / " by_glider
        toddler["sum"] += toddler[of]; glider["sum"] += glider[of]; rebuilt["sum"] += rebuilt[of]
        under_id["sum"] += under_id[of]; in_library["sum"] += in_library[of]; silent["sum"] += silent[of]
        adjacent["sum"] += adjacent[of]; either["sum"] += either[of]
    }
    print ""
    print "A bug is found if a pair both of whose contexts go through its method is among the first " top " of its kind, and such pairs waste at least 1 % of all loads. The numbers below are that method's share of the waste in percent, and the rank of its first pair."
    print ""
    print "| bug | kind expected | silent before | silent after | adjacent before | adjacent after | of all loads before, % |"
    print "|---|---|---|---|---|---|---|"
    for (i = 1; i <= bug_count; i++) {
        bug = bugs[i]
        if (!measured[bug]) continue
        printf "| %s | %s | %s | %s | %s | %s | %s |\n", bug, kind[bug], cell(bug, "before", "silent-load"),
            cell(bug, "after", "silent-load"), cell(bug, "before", "adjacent-load"), cell(bug, "after", "adjacent-load"),
            (bug, "before", kind[bug]) in of_loads ? of_loads[bug, "before", kind[bug]] : "-"
    }
}
