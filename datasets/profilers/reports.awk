# Prints the verdicts of an audit as text for people, JSON, LaTeX and TSV; used with verdict.awk, which defines the variables.
function number(x) { return x == "" ? "null" : x }
# How assay agree classifies the hottest methods of two profilers: if they agree, the profiles need not.
function class_text(class) { return class == "agree" ? "same method" : class == "disagree" ? "other methods" : class }
function mean_slope(p) { return with_slope[p] ? sprintf("%.6g", slope_sum[p] / with_slope[p]) : "null" }
function json(   i, p) {
    printf "{\"command\":%s,\"runs\":%d,\"alone_s\":%s,\"tolerance\":%s,\"injected\":%s,\"profilers\":[", quote(command), runs,
        (good["none"] ? sprintf("%.6g", alone_s()) : "null"), tolerance,
        (injected == "" ? "null" : quote(injected))
    for (i = 1; i <= names; i++) {
        p = name[i]
        printf "%s\n{\"profiler\":%s,\"verdict\":%s,\"evidence\":%s,\"runs\":%d,\"hottest\":%s,\"threads_random\":%s,\"threads_not_random\":%s,",
            (i > 1 ? "," : ""), quote(p), quote(judge(p)), quote(evidence(p)), good[p], ((p in hottest) ? quote(hottest[p]) : "null"),
            (samples_at_random(p) < 0 ? "null" : random[p] + 0), (samples_at_random(p) < 0 ? "null" : fixed[p] + 0)
        printf "\"overhead\":%s,\"overhead_lo\":%s,\"overhead_hi\":%s,\"slope\":%s,\"slope_lo\":%s,\"slope_hi\":%s,\"invalid_points\":%s}", number(cost[p]),
            number(cost_lo[p]), number(cost_hi[p]), mean_slope(p), number(injections[p] == 1 ? slope_lo[last_slope[p]] : ""),
            number(injections[p] == 1 ? slope_hi[last_slope[p]] : ""), number(invalid[p])
    }
    printf "],\"pairs\":["
    for (i = 1; i <= pairs; i++)
        printf "%s\n{\"a\":%s,\"b\":%s,\"hottest_a\":%s,\"hottest_b\":%s,\"class\":%s,\"distance\":%s,\"lo\":%s,\"hi\":%s}", (i > 1 ? "," : ""),
            quote(pair_a[i]), quote(pair_b[i]), quote(hottest[pair_a[i]]), quote(hottest[pair_b[i]]), quote(class[i]),
            number(distance[pair_a[i], pair_b[i]]), number(low[pair_a[i], pair_b[i]]), number(high[pair_a[i], pair_b[i]])
    printf "],\"slopes\":["
    for (i = 1; i <= slopes; i++)
        printf "%s\n{\"profiler\":%s,\"method\":%s,\"slope\":%s,\"lo\":%s,\"hi\":%s,\"r2\":%s,\"points\":%d,\"runs\":%d,\"look\":%s,\"invalid_points\":%d,\"verdict\":%s}",
            (i > 1 ? "," : ""), quote(slope_of[i]), quote(slope_method[i]), number(slope[i]), number(slope_lo[i]), number(slope_hi[i]),
            number(slope_r2[i]), slope_points[i], slope_runs[i], number(slope_look[i]), slope_invalid[i], quote(slope_verdict[i])
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
            (known(a, b) ? sprintf("[%.3f, %.3f]", low[a, b], high[a, b]) : "(no interval)"), hottest[a], hottest[b], class_text(class[i])
    }
    if (slopes) print "\nslopes: reported over real change of the time, where a method was made slower (1: all of it is seen)"
    for (i = 1; i <= slopes; i++)
        printf "  %-*s  %s%s  %s%s  %s\n", width, slope_of[i], slope[i] == "" ? "-" : sprintf("%.2f", slope[i]), interval_text(slope_lo[i], slope_hi[i]),
            slope_verdict[i], (slope_look[i] > 1 ? sprintf(" (look %d, %d runs)", slope_look[i], slope_runs[i]) : "") (slope_invalid[i] > 0 ? sprintf(" (%d of %d points invalid)", slope_invalid[i], slope_points[i] + slope_invalid[i]) : ""),
            slope_method[i]
    if (notes) print "\nnotes"
    for (i = 1; i <= notes; i++) print "  " note[i]
    printf "\nprofiles differ if the interval of their distance is above %s; intervals: 95 %%, over runs", tolerance
    if (slopes) printf "; of slopes so wide that all looks at them, as runs were added, hold at 95 %% together"
    if (slopes > names) printf "; verdicts on slopes allow for all methods of a profiler: any of them is wrong with a probability of 5 %% at most"
    print injected == "" ? "; nothing was injected" : "; injected into " injected
}
# Escapes TeX's special characters.
function tex(text) {
    gsub(/\\/, "\001", text)
    gsub(/[&%$#_{}]/, "\\\\&", text)
    gsub(/\001/, "\\textbackslash{}", text)
    gsub(/~/, "\\textasciitilde{}", text)
    gsub(/\^/, "\\textasciicircum{}", text)
    gsub(/[<]/, "\\textless{}", text)
    gsub(/[>]/, "\\textgreater{}", text)
    return text
}
# A macro name, of letters only.
function macro(text,   i, c, out, digits) {
    split("Zero One Two Three Four Five Six Seven Eight Nine", digits, " ")
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (c ~ /[A-Za-z]/) out = out (i == 1 || substr(text, i - 1, 1) !~ /[A-Za-z]/ ? toupper(c) : c)
        else if (c ~ /[0-9]/) out = out digits[c + 1]
    }
    return out
}
function cell(x, format) { return x == "" ? "--" : sprintf(format, x) }
function random_word(p,   r) { r = samples_at_random(p); return r < 0 ? "--" : r ? "yes" : "no" }
function latex(   i, p) {
    print "% " command
    for (i = 1; i <= names; i++) {
        p = name[i]
        printf "\\newcommand{\\audit%sVerdict}{%s}\n", macro(p), judge(p)
        if (with_slope[p]) printf "\\newcommand{\\audit%sSlope}{%.2f}\n", macro(p), slope_sum[p] / with_slope[p]
        if (cost[p] != "") printf "\\newcommand{\\audit%sCost}{%.1f}\n", macro(p), 100 * cost[p]
    }
    print "\\begin{tabular}{llllrrrr}\n\\toprule"
    print "Profiler & Verdict & Random & Hottest method & Slope & Methods & Invalid points & Cost (\\%) \\\\\n\\midrule"
    for (i = 1; i <= names; i++) {
        p = name[i]
        printf "%s & %s & %s & %s & %s & %d & %d & %s \\\\\n", tex(p), judge(p), random_word(p), (p in hottest ? tex(hottest[p]) : "--"),
            (with_slope[p] ? sprintf("%.2f", slope_sum[p] / with_slope[p]) : "--"), injections[p], invalid[p],
            (cost[p] == "" ? "--" : sprintf("%.1f [%.1f, %.1f]", 100 * cost[p], 100 * cost_lo[p], 100 * cost_hi[p]))
    }
    print "\\bottomrule\n\\end{tabular}"
}
function tsv(   i, p) {
    print "profiler\tverdict\trandom\thottest\tslope\tmethods\tactionable\tnot_actionable\tinvalid_points\toverhead\tlo\thi" >verdicts
    for (i = 1; i <= names; i++) {
        p = name[i]
        printf "%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%s\t%s\t%s\n", p, judge(p), random_word(p), (p in hottest ? hottest[p] : "-"),
            cell(with_slope[p] ? slope_sum[p] / with_slope[p] : "", "%.3f"), injections[p], seen[p, "actionable"], seen[p, "not actionable"],
            invalid[p], cell(cost[p], "%.4f"), cell(cost_lo[p], "%.4f"), cell(cost_hi[p], "%.4f") >verdicts
    }
}
END {
    if (cost_text() != "") note[++notes] = cost_text()
    tsv()
    if (format == "json") json()
    else if (format == "latex") latex()
    else if (format == "html") page()
    else people()
}
