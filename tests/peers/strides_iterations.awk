# strides_iterations.awk - the share of loads whose verdict is the same in two tables of assay strides (TSV), weighted by
# their executions in the first one.
FNR == 1 { file++; for (i = 1; i <= NF; i++) at[$i] = i; next }
{
    load = $at["site"] "|" $at["loop"] "|" $at["position"] "|" $at["bytes"]
    kind = $at["kind"]
    verdict = kind == "none" ? $at["reason"] ~ /too few/ ? "too few" : kind : kind ":" $at["stride"] ":" $at["partner"]
    if (file == 1) { weight[load] = $at["executions"]; whole[load] = whole[load] ";" verdict }
    else short[load] = short[load] ";" verdict
}
END {
    for (load in whole)
        if (whole[load] != ";too few") { loads++; all += weight[load]; same += weight[load] * (whole[load] == short[load]) }
    printf "%-8s %6d loads: %.2f %% the same\n", name, loads, (all > 0 ? 100 * same / all : 0)
}
