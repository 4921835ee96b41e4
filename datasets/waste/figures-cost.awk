# The table of what bursts cost, from dissertation-table3.1.csv and cost.csv (-v rounds= -v programs= -v burst=): ratios to the
# program alone, each the median over rounds of the ratio within a round.

function median(values, n,   i, k, swap) {
    for (i = 2; i <= n; i++)
        for (k = i; k > 1 && values[k] < values[k - 1]; k--) { swap = values[k]; values[k] = values[k - 1]; values[k - 1] = swap }
    return n % 2 ? values[(n + 1) / 2] : (values[n / 2] + values[n / 2 + 1]) / 2
}
# Of column "cpu" or "peak"; 0 without a complete round.
function ratio(program, way, column,   r, n, values) {
    for (r = 1; r <= rounds; r++) {
        if (!((r, program, "none") in cpu) || !((r, program, way) in cpu)) continue
        if (column == "cpu" && cpu[r, program, "none"] == 0) continue
        values[++n] = column == "cpu" ? cpu[r, program, way] / cpu[r, program, "none"] : peak[r, program, way] / peak[r, program, "none"]
    }
    return n ? median(values, n) : 0
}
function theirs(name,   row) { return name in printed ? printed[name] : "- | - | - | -" }

BEGIN { row["h264ref"] = "h264ref"; row["povray"] = "povray"; row["lbm"] = "lbm"; row["perl"] = "perlbench" }
FNR == 1 { file++ }
/^#/ { next }
file == 1 { printed[$2] = $3 " | " $4 " | " $5 " | " $6 }
file == 2 && NF == 5 { cpu[$1, $2, $3] = $4; peak[$1, $2, $3] = $5 }
END {
    split("silent-load silent-load spatial-load spatial-load", mode, " ")
    split("cpu peak cpu peak", column, " ")
    print "Cost of bursts " burst ", times the program alone: CPU time and peak memory, medians of rounds (" rounds "; Table 3.1)"
    print ""
    print "| program | silent loads, time | memory | spatial loads, time | memory | published, temporal, time | memory | spatial, time | memory |"
    print "|---|---|---|---|---|---|---|---|---|"
    count = split(programs, program, " ")
    for (i = 1; i <= count; i++) {
        printf "| %s |", program[i]
        for (c = 1; c <= 4; c++) {
            x = ratio(program[i], mode[c], column[c])
            if (x > 0) { all[c, ++n[c]] = x; printf " %.1f |", x } else printf " - |"
        }
        print " " (program[i] in row ? theirs(row[program[i]]) : "- | - | - | -") " |"
    }
    printf "| median |"
    for (c = 1; c <= 4; c++) {
        split("", values)
        for (i = 1; i <= n[c]; i++) values[i] = all[c, i]
        printf n[c] ? " %.1f |" : " - |", n[c] ? median(values, n[c]) : 0
    }
    print " " theirs("Median") " |"
    printf "| geometric mean |"
    for (c = 1; c <= 4; c++) {
        sum = 0
        for (i = 1; i <= n[c]; i++) sum += log(all[c, i])
        printf n[c] ? " %.1f |" : " - |", n[c] ? exp(sum / n[c]) : 0
    }
    print " " theirs("GeoMean") " |"
}
