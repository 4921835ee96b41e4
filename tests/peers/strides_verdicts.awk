# strides_verdicts.awk - how far a second table of assay strides (TSV) has the verdicts of the first one, on shares of its loads
# weighted by their executions there. A verdict is a load's kinds, strides and partners; loads that the first trace has too
# rarely to tell are left out. Prints a line: NAME, loads, and per cent
#   called     not seen, since the load is in another method than its loop, and calls are skipped (only with inspect=1)
#   elsewhere  not seen, and neither is any other load of its loop's method
#   unseen     not seen, though others are
#   few        seen, but too rarely to tell
#   judged     the rest; of which
#   same       has the same verdict. The last number is its share of those judged.
# Variables: name; inspect=1: the second table is that of an inspection, whose lengths of arrays are left out (the second load of
# an instruction, and instructions that the first table does not have); list=1: print the loads that are not the same, instead; head=1: only a
# heading.
BEGIN {
    FS = "\t"
    if (head) printf "%-16s %6s %6s %9s %6s %6s %6s %6s %9s\n", "program", "loads", "called", "elsewhere", "unseen", "few", "judged", "same", "of judged"
}
function method(place) { sub(/(:[0-9]+|@0x[0-9a-f]+)$/, "", place); return place }
function share(part, whole) { return whole > 0 ? 100 * part / whole : 0 }
function count(kind) { sum[kind] += weight[load]; if (list && kind != "same") print weight[load], kind, load, whole[load], short[load] }
FNR == 1 { file++; for (i = 1; i <= NF; i++) at[$i] = i; next }
file == 2 && inspect && $at["number"] > 1 { next }
{
    load = $at["site"] "|" $at["loop"] "|" $at["position"] "|" $at["bytes"]
    kind = $at["kind"]
    verdict = kind == "none" ? $at["reason"] ~ /too few/ ? "too few" : kind : kind ":" $at["stride"] ":" $at["partner"]
    if (file == 1) {
        weight[load] = $at["executions"]
        whole[load] = whole[load] ";" verdict
        loop_method[load] = method($at["loop"])
        is_called[load] = inspect && loop_method[load] != method($at["site"])
    } else {
        short[load] = short[load] ";" verdict
        seen[method($at["loop"])] = 1
    }
}
END {
    for (load in whole) {
        if (whole[load] == ";too few") continue
        loads++
        all += weight[load]
        if (!(load in short)) count(is_called[load] ? "called" : loop_method[load] in seen ? "unseen" : "elsewhere")
        else if (short[load] == ";too few") count("few")
        else count(short[load] == whole[load] ? "same" : "different")
    }
    if (list || head) exit
    judged = sum["same"] + sum["different"]
    printf "%-16s %6d %6.1f %9.1f", name, loads, share(sum["called"], all), share(sum["elsewhere"], all)
    printf " %6.1f %6.1f %6.1f", share(sum["unseen"], all), share(sum["few"], all), share(judged, all)
    printf " %6.1f %9.1f\n", share(sum["same"], all), share(sum["same"], judged)
}
