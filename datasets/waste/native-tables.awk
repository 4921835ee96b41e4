# The tables of native or planted cases in Markdown, from their CSV (-v kind=native or planted).

# Ranks from 1, the smallest first; equal values share the mean of their ranks.
function rank_values(values, ranks,   i, k, below, equal) {
    for (i = 1; i <= count; i++) {
        below = equal = 0
        for (k = 1; k <= count; k++) { below += values[k] < values[i]; equal += values[k] == values[i] }
        ranks[i] = below + (equal + 1) / 2
    }
}
# Spearman's rank correlation: Pearson's of the ranks.
function rank_correlation(x, y,   p, q, i, mean, xy, xx, yy) {
    rank_values(x, p)
    rank_values(y, q)
    mean = (count + 1) / 2
    for (i = 1; i <= count; i++) {
        xy += (p[i] - mean) * (q[i] - mean)
        xx += (p[i] - mean) ^ 2
        yy += (q[i] - mean) ^ 2
    }
    return xx * yy > 0 ? sprintf("%.2f", xy / sqrt(xx * yy)) : "-"
}
function decimal(value) { return sprintf("%.1f", value > -.05 && value < 0 ? 0 : value) }
function percent(value) { return value == "" ? "-" : decimal(100 * value) }
function with_interval(value, low, high) { return percent(value) " [" percent(low) ", " percent(high) "]" }
function mega(bytes) { return decimal(bytes / 1e6) }
function cell(name) { return name in at ? $at[name] : "" }
function removed(what) { return mega(cell(what "_bytes")) " (" percent(cell(what)) ")" }
function rank(name) { return cell(name) == "" ? "none" : cell(name) }

BEGIN { FS = "\t" }
NR == 1 {
    for (i = 1; i <= NF; i++) at[$i] = i
    if (kind == "native") {
        print "| case | row of Table 3.2 | found first | rank of the blamed function, line | gain, % | bound, % | measured gain, % | published gain, % | MB not loaded (%) | published, % | MB not stored (%) | silent loads, % | published, % |"
        print "|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    } else {
        print "| program | pays | found first | rank of the planted function, line | gain, % | bound, % | measured gain, % |"
        print "|---|---|---|---|---|---|---|"
    }
    next
}
{
    count++
    gains[count] = cell("gain")
    bounds[count] = cell("bound")
    measured[count] = cell("measured")
    more = cell("accesses_removed") > cell("accesses_wasted")
    if (more) freed = freed (freed == "" ? "" : ", ") cell("case")
    if (cell("measured_lo") > cell("bound_hi"))
        above = above (above == "" ? "" : ", ") cell("case") (more ? " (more accesses went than were wasted)" : "")
    common = cell("found") " | " rank("function_rank") ", " rank("line_rank") " | " percent(cell("gain")) " | " \
        with_interval(cell("bound"), cell("bound_lo"), cell("bound_hi")) " | " \
        with_interval(cell("measured"), cell("measured_lo"), cell("measured_hi"))
    if (kind == "native") {
        fraction = percent(cell("fraction"))
        if (cell("spatial_fraction") != "") fraction = fraction "; spatial " percent(cell("spatial_fraction"))
        print "| " cell("case") " | " cell("program") ", " cell("code") " | " common " | " percent(cell("published_gain")) " | " \
            removed("loads_removed") " | " percent(cell("published_loads_removed")) " | " removed("stores_removed") " | " \
            fraction " | " percent(cell("published_fraction")) " |"
    } else {
        print "| " cell("case") " | " cell("pays") " | " common " |"
        if (cell("pays") == "yes") { paying++; if (least == "" || cell("gain") < least) least = cell("gain") }
        else { others++; if (cell("gain") > most) most = cell("gain") }
    }
}
END {
    print ""
    if (kind == "native") {
        print "Rank correlation with the measured gain over " count " cases: of the bound " rank_correlation(bounds, measured) \
            ", of the gain " rank_correlation(gains, measured) "."
        print "Measured above the bound, beyond both intervals: " (above == "" ? "none" : above) "."
        print "More accesses went than were wasted: " (freed == "" ? "nowhere" : freed) "."
    } else if (paying && others) {
        print "All " paying " programs that pay rank above the " others " that don't: " (least > most ? "yes" : "no") "."
    }
}
