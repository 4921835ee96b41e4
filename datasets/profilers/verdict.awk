# Derives the verdicts of an audit from the tables that assay's analyzers made. It reads names, runs.tsv, cost.tsv,
# intervals.tsv, agree.tsv, causality.tsv (TSV, each with its header) and notes; its variables are format, runs, tolerance,
# injected and command. reports.awk and page.awk, which are used with it, print the verdicts.
#
# Two profiles differ if the lower end of the interval of their distance is above the tolerance. If slowdowns were injected,
# the verdict is theirs, since most profilers may be wrong together. A profiler is believed if it sees the slowdowns of more
# methods than are undecided, and misses none: causality's verdicts on all of them together are wrong in at most 5 of 100
# audits. Without injected slowdowns a profiler is in doubt if it differs from each of two or more others that do not differ
# among themselves and of which one samples at random. Profiles without a method in common say nothing: they may spell the
# names of methods in different ways.
function quote(text) { gsub(/\\/, "\\\\", text); gsub(/"/, "\\\"", text); gsub(/\t/, "\\t", text); return "\"" text "\"" }
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
FILENAME == "runs.tsv" { if (at("status") == "failed") why[at("profiler")] = at("why"); else { good[at("profiler")]++; wall[at("profiler")] += at("wall_s") } next }
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
    p = $1
    slopes++
    slope_of[slopes] = p; slope_method[slopes] = at("method"); slope[slopes] = at("slope"); slope_lo[slopes] = at("lo")
    slope_hi[slopes] = at("hi"); slope_verdict[slopes] = at("verdict"); slope_points[slopes] = at("points"); slope_invalid[slopes] = at("invalid_points")
    slope_r2[slopes] = at("r2"); slope_runs[slopes] = at("runs"); slope_look[slopes] = at("look")
    seen[p, at("verdict")]++
    injections[p]++
    slowed[p] = 1
    invalid[p] += at("invalid_points")
    if (at("slope") != "") { with_slope[p]++; slope_sum[p] += at("slope"); last_slope[p] = slopes }
    next
}
function differ(p, q) { return known(p, q) && low[p, q] + 0 > tolerance + 0 }
function known(p, q) { return (p, q) in low && low[p, q] != "" && !((p, q) in strange) && !(p in doubted) && !(q in doubted) }
# Whether p samples at random: 1, 0, or -1 if that is unknown.
function samples_at_random(p) { return random[p] + fixed[p] == 0 ? -1 : random[p] > fixed[p] }
# Whether p differs from two others that agree and of which one samples at random.
function outlier(p,   i, j) {
    for (i = 1; i <= names; i++) for (j = i + 1; j <= names; j++)
        if (name[i] != p && name[j] != p && known(name[i], name[j]) && !differ(name[i], name[j]) &&
            differ(p, name[i]) && differ(p, name[j]) && (samples_at_random(name[i]) == 1 || samples_at_random(name[j]) == 1)) return 1
    return 0
}
function judge(p) {
    if (p in why) return "failed"
    if (p in doubted) return "undecided"
    if (seen[p, "not actionable"]) return "do not believe"
    if (seen[p, "actionable"] > seen[p, "undecided"]) return "believe"
    if (p in slowed) return "undecided"
    if (outlier(p)) return "in doubt"
    return "undecided"
}
# One slope with its interval, or the mean of several with their verdicts.
function slopes_text(p,   i) {
    if (!with_slope[p]) return "no slope of injected time (" invalid[p] + 0 " points invalid)"
    i = last_slope[p]
    if (injections[p] == 1)
        return sprintf("slope of injected time %.2f%s, %s", slope[i], interval_text(slope_lo[i], slope_hi[i]), slope_verdict[i])
    return sprintf("slopes of injected time in %d methods: mean %.2f; %d actionable, %d not actionable, %d undecided, %d invalid", injections[p],
        slope_sum[p] / with_slope[p], seen[p, "actionable"], seen[p, "not actionable"], seen[p, "undecided"], seen[p, "invalid"])
}
# Mean wall time of the command over runs, without a profiler.
function alone_s() { return wall["none"] / good["none"] }
# The time to which a cost refers. A profiler starts and ends once (JFR takes about a second for that): in a minute that is a
# few percent.
function cost_text(   p) {
    for (p in cost) if (cost[p] != "" && p != "none" && good["none"])
        return sprintf("costs: of the whole command\047s wall time, %.2f s without a profiler; a profiler\047s own start and end are in them%s", alone_s(),
            alone_s() < 60 ? ", and weigh the more the shorter the run: audit a longer run to know what it costs once it runs" : "")
    return ""
}
function interval_text(lo, hi) { return lo == "" ? "" : sprintf(" [%.2f, %.2f]", lo, hi) }
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
    if (p in slowed) text = text "; " slopes_text(p)
    if (cost[p] != "") text = text sprintf("; costs %s %% [%s, %s]%s", percent(cost[p]), percent(cost_lo[p]), percent(cost_hi[p]), (good["none"] ? sprintf(" of %.2f s", alone_s()) : ""))
    if (!(p in slowed) && judge(p) != "failed") text = text "; injected slowdowns (--hot) would decide"
    return text
}
