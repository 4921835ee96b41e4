# Tables of figures-java in Markdown (-v table=java, stability or collections; -v engine= -v reference= -v periods=), from java.csv,
# top-pairs.csv and collections.csv.

function percent(value) { return value == "" ? "-" : sprintf("%.1f", 100 * value) }
function print_head(first,   w) {
    printf "| program | kind |%s", first
    for (w = 1; w <= ways; w++) printf " %s |", way[w]
}
function print_rule(columns) {
    printf "\n|"
    while (columns-- > 0) printf "---|"
    print ""
}
function print_java(   r, w, id, least, most) {
    if (engine == "rewrite") print "Wasted, % of the bytes loaded (stored), in full and in bursts, with 95 % intervals over runs (in place of Fig. 4 and 5)"
    else print "Wasted, % of the bytes accessed before, by period and number of debug registers, with 95 % intervals over runs (Fig. 4 and 5)"
    print "Published, in words only: no significant effect of the period, and a tiny one of the number of registers, except below 2 s of run time"
    print ""
    print_head("")
    printf " largest - smallest |"
    print_rule(ways + 3)
    for (r = 1; r <= rows; r++) {
        printf "| %s | %s |", program[r], kind[r]
        least = 2
        most = -1
        for (w = 1; w <= ways; w++) {
            id = program[r] SUBSEP kind[r] SUBSEP way[w]
            if (fraction[id] == "") { printf " - |"; continue }
            printf " %s%s |", percent(fraction[id]), low[id] == "" ? "" : " [" percent(low[id]) ", " percent(high[id]) "]"
            if (fraction[id] < least) least = fraction[id]
            if (fraction[id] > most) most = fraction[id]
        }
        print " " (most < least ? "-" : percent(most - least)) " |"
    }
}
function print_stability(   r, w, id) {
    print "The five pairs that waste most: how many of the reference's (" reference ") are among the five of each run; Kendall's tau of"
    print "their order, mean; the largest change of their share of the waste, points (published, in words only: negligible)"
    print ""
    print_head(" their share of the waste, % |")
    print_rule(ways + 3)
    for (r = 1; r <= rows; r++) {
        printf "| %s | %s | %s |", program[r], kind[r], percent(covered[program[r], kind[r]])
        for (w = 1; w <= ways; w++) {
            id = program[r] SUBSEP kind[r] SUBSEP way[w]
            if (!(id in runs)) { printf " - |"; continue }
            printf "%s of %d; %s; %.1f |", common[id], five[id], taus[id] ? sprintf("%.2f", tau[id] / taus[id]) : "-", largest[id]
        }
        print ""
    }
}
function per(count, samples) { return samples ? count ? sprintf("%.1e", count / samples) : "0" : "-" }
function print_collections(   i, f, events) {
    print "Garbage collections per sample (published: 4.4e-5 in DaCapo's eclipse, of an unstated period)"
    print ""
    if (engine == "rewrite") {
        print "| program | collections | CPU samples of 1 ms | collections per sample | at most, at a period of 5M loads | of 5M stores |"
        print "|---|---|---|---|---|---|"
    } else {
        print "| program | collections | CPU samples of 1 ms | collections per sample | sampled accesses | dropped by collections | share |"
        print "|---|---|---|---|---|---|---|"
    }
    for (i = 1; i <= collected; i++) {
        split(collection[i], f, ",")
        printf "| %s | %d | %d | %s |", f[1], f[2], f[3], per(f[2], f[3])
        if (engine == "rewrite") {
            split(f[4], events, " ")
            # Silent stores come first: all stores in pairs, then all loads in pairs.
            printf " %s | %s |\n", per(5e6 * f[2], events[2]), per(5e6 * f[2], events[1])
        } else printf " %d | %d | %s |\n", f[5], f[6], per(f[6], f[5])
    }
}

FNR == 1 { file++; next }
file == 1 {
    if (!(($1, $2) in seen)) { program[++rows] = $1; kind[rows] = $2 }
    seen[$1, $2]
    if (!($3 in named)) way[++ways] = $3
    named[$3]
    fraction[$1, $2, $3] = $4
    low[$1, $2, $3] = $5
    high[$1, $2, $3] = $6
}
file == 2 {
    id = $1 SUBSEP $2 SUBSEP $3
    runs[id]++
    common[id] = common[id] " " $4
    five[id] = $5
    if ($6 != "") { tau[id] += $6; taus[id]++ }
    covered[$1, $2] = $7
    if ($8 > largest[id]) largest[id] = $8
}
file == 3 { collection[++collected] = $0 }
END {
    if (table == "java") print_java()
    else if (table == "stability") print_stability()
    else print_collections()
}
