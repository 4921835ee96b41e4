# The report of an audit, of the tables that assay's analyzers made. Reads names, runs.tsv, cost.tsv, intervals.tsv,
# agree.tsv, causality.tsv (TSV, each with its header) and notes; variables: format, runs, tolerance, injected, command.
#
# Two profiles differ if the lower end of the interval of their distance is above the tolerance. The verdict is that of the
# injected slowdowns where there are such: most profilers may be wrong together. Without them one is in doubt if it differs from each of two or more
# others that do not differ among themselves and of which one samples at random. Profiles without a method in common say
# nothing: their names may be written in different ways.
function quote(text) { gsub(/\\/, "\\\\", text); gsub(/"/, "\\\"", text); gsub(/\t/, "\\t", text); return "\"" text "\"" }
function number(x) { return x == "" ? "null" : x }
function at(column) { return (FILENAME, column) in place ? $(place[FILENAME, column]) : "" }
function head(  i, key) {
    for (key in place) if (index(key, FILENAME SUBSEP) == 1) delete place[key]
    for (i = 1; i <= NF; i++) place[FILENAME, $i] = i
}
function percent(x) { return sprintf("%+.1f", 100 * x) }
function join(list, word) { return list == "" ? word : list ", " word }
FILENAME == "names" { name[++names] = $1; next }
FILENAME == "notes" {
    note[++notes] = $0
    if (/DO NOT BELIEVE/) doubted[substr($0, 1, index($0, "/") - 1)] = 1
    if (match($0, /^[^ ]+, [^ ]+: no method in common/)) {
        split($0, both, /, |: /)
        strange[both[1], both[2]] = strange[both[2], both[1]] = 1
    }
    next
}
FNR == 1 { head(); next }
FILENAME == "runs.tsv" { if (at("status") == "failed") why[at("profiler")] = at("why"); else good[at("profiler")]++; next }
FILENAME == "cost.tsv" { cost[at("name")] = at("change"); cost_lo[at("name")] = at("change_lo"); cost_hi[at("name")] = at("change_hi"); next }
FILENAME == "intervals.tsv" {
    if ($1 == "profiler") next
    verdict = at("verdict")
    if (verdict == "random") random[$1]++
    else if (verdict ~ /^not random/) { fixed[$1]++; reason[$1] = verdict }
    next
}
FILENAME == "agree.tsv" {
    pair[++pairs] = $0
    a = at("a"); b = at("b"); distance[a, b] = distance[b, a] = at("distance"); low[a, b] = low[b, a] = at("lo"); high[a, b] = high[b, a] = at("hi")
    hottest[a] = at("hottest_a"); hottest[b] = at("hottest_b")
    pair_a[pairs] = a; pair_b[pairs] = b; same[pairs] = at("same"); class[pairs] = at("class")
    next
}
FILENAME == "causality.tsv" {
    if ($1 == "profiler") { head(); next } # the columns of causality differ by its input
    slope[$1] = at("slope"); slope_lo[$1] = at("lo"); slope_hi[$1] = at("hi"); sees[$1] = at("verdict"); invalid[$1] = at("invalid_points")
    next
}
function differ(p, q) { return known(p, q) && low[p, q] + 0 > tolerance + 0 }
function known(p, q) { return (p, q) in low && low[p, q] != "" && !((p, q) in strange) && !(p in doubted) && !(q in doubted) }
# Whether p samples at random: 1, 0, or -1 for not known.
function samples_at_random(p) { return random[p] + fixed[p] == 0 ? -1 : random[p] > fixed[p] }
# Whether there are two others that agree, of which one samples at random, and p differs from all of such.
function outlier(p,   i, j) {
    for (i = 1; i <= names; i++) for (j = i + 1; j <= names; j++)
        if (name[i] != p && name[j] != p && known(name[i], name[j]) && !differ(name[i], name[j]) &&
            differ(p, name[i]) && differ(p, name[j]) && (samples_at_random(name[i]) == 1 || samples_at_random(name[j]) == 1)) return 1
    return 0
}
function judge(p) {
    if (p in why) return "failed"
    if (p in doubted) return "undecided"
    if (p in sees) return sees[p] == "actionable" ? "believe" : sees[p] == "not actionable" ? "do not believe" : "undecided"
    if (outlier(p)) return "in doubt"
    return "undecided"
}
function evidence(p,   text, i, with, against, apart, r) {
    if (p in why) return why[p]
    if (p in doubted) return "its recordings must not be believed: see the notes"
    r = samples_at_random(p)
    text = r == 1 ? "samples at random" : r == 0 ? "does not sample at random (" reason[p] ")" : "whether it samples at random is not known"
    for (i = 1; i <= names; i++) if (known(p, name[i])) { if (differ(p, name[i])) against = join(against, name[i]); else with = join(with, name[i]) }
    for (i = 1; i <= names; i++) if ((p, name[i]) in strange) apart = join(apart, name[i])
    if (with != "") text = text "; agrees with " with
    if (against != "") text = text "; differs from " against
    if (apart != "") text = text "; can't be compared with " apart ", as they have no method in common"
    if (p in slope) text = text sprintf("; slope of injected time %.2f [%.2f, %.2f], %s", slope[p], slope_lo[p], slope_hi[p], sees[p])
    if (p in cost) text = text sprintf("; costs %s %% [%s, %s]", percent(cost[p]), percent(cost_lo[p]), percent(cost_hi[p]))
    if (!(p in sees) && judge(p) != "failed") text = text "; --inject METHOD would decide, in a JVM"
    return text
}
function json(   i, p) {
    printf "{\"command\":%s,\"runs\":%d,\"tolerance\":%s,\"injected\":%s,\"profilers\":[", quote(command), runs, tolerance,
        (injected == "" ? "null" : quote(injected))
    for (i = 1; i <= names; i++) {
        p = name[i]
        printf "%s\n{\"profiler\":%s,\"verdict\":%s,\"evidence\":%s,\"runs\":%d,\"hottest\":%s,\"threads_random\":%s,\"threads_not_random\":%s,",
            (i > 1 ? "," : ""), quote(p), quote(judge(p)), quote(evidence(p)), good[p], ((p in hottest) ? quote(hottest[p]) : "null"),
            (samples_at_random(p) < 0 ? "null" : random[p] + 0), (samples_at_random(p) < 0 ? "null" : fixed[p] + 0)
        printf "\"overhead\":%s,\"overhead_lo\":%s,\"overhead_hi\":%s,\"slope\":%s,\"slope_lo\":%s,\"slope_hi\":%s,\"invalid_points\":%s}", number(cost[p]),
            number(cost_lo[p]), number(cost_hi[p]), number(slope[p]), number(slope_lo[p]), number(slope_hi[p]), number(invalid[p])
    }
    printf "],\"pairs\":["
    for (i = 1; i <= pairs; i++)
        printf "%s\n{\"a\":%s,\"b\":%s,\"hottest_a\":%s,\"hottest_b\":%s,\"class\":%s,\"distance\":%s,\"lo\":%s,\"hi\":%s}", (i > 1 ? "," : ""),
            quote(pair_a[i]), quote(pair_b[i]), quote(hottest[pair_a[i]]), quote(hottest[pair_b[i]]), quote(class[i]),
            number(distance[pair_a[i], pair_b[i]]), number(low[pair_a[i], pair_b[i]]), number(high[pair_a[i], pair_b[i]])
    printf "],\"notes\":["
    for (i = 1; i <= notes; i++) printf "%s%s", (i > 1 ? "," : ""), quote(note[i])
    print "]}"
}
function people(   i, p, width, a, b) {
    for (i = 1; i <= names; i++) if (length(name[i]) > width) width = length(name[i])
    printf "%d runs with each profiler, and %d without: %s\n\n", runs, runs, command
    for (i = 1; i <= names; i++) printf "%-*s  %-14s  %s\n", width, name[i], judge(name[i]), evidence(name[i])
    if (pairs) print "\nprofiles, by pairs: distance (total variation, 0-1) and the hottest methods"
    for (i = 1; i <= pairs; i++) {
        a = pair_a[i]; b = pair_b[i]
        printf "  %-*s  %-*s  %.3f %s  %s | %s  %s\n", width, a, width, b, distance[a, b],
            (known(a, b) ? sprintf("[%.3f, %.3f]", low[a, b], high[a, b]) : "(no interval)"), hottest[a], hottest[b], class[i]
    }
    if (notes) print "\nnotes"
    for (i = 1; i <= notes; i++) print "  " note[i]
    printf "\nprofiles differ if the interval of their distance is above %s; intervals: 95 %%, over runs", tolerance
    print injected == "" ? "; nothing was injected" : "; injected into " injected
}
END { if (format == "json") json(); else people() }
