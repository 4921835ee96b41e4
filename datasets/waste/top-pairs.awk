# Compares the five worst pairs of a reference and a run: tables of `assay waste --pairs 0 --format tsv` after mark=reference
# and mark=run; -v kind= selects a kind. A pair is two calling contexts, whatever its loop and object; the bytes of several
# tables are added. Prints, after -v key=: how many of the reference's five are among the run's five; how many the reference
# has; Kendall's tau of these (couples in the same order less those in opposite orders, over all couples that differ in the
# reference; pairs that the run lacks have a share of 0); their share of the reference's waste; and the largest change of the
# share of one of them, in points.

function read_cell(name) { return $at[name] }
# The five keys with the largest bytes, by bytes, then by name, into `list`. Returns their number.
function rank_five(of, list,   n, key, best, taken) {
    for (n = 0; n < 5; n++) {
        best = ""
        for (key in names)
            if (bytes[of, key] > 0 && !(key in taken) &&
                (best == "" || bytes[of, key] > bytes[of, best] || bytes[of, key] == bytes[of, best] && key < best)) best = key
        if (best == "") break
        taken[best]
        list[n + 1] = best
    }
    return n
}
function share(of, key) { return total[of] ? bytes[of, key] / total[of] : 0 }
function sign(x) { return x > 0 ? 1 : x < 0 ? -1 : 0 }

FNR == 1 {
    split("", at)
    for (i = 1; i <= NF; i++) at[$i] = i
    next
}
read_cell("kind") == kind {
    pair = read_cell("first_context") "\t" read_cell("second_context")
    names[pair]
    bytes[mark, pair] += read_cell("wasted_bytes")
    total[mark] += read_cell("wasted_bytes")
}
END {
    five = rank_five("reference", reference)
    ours = rank_five("run", run)
    for (i = 1; i <= ours; i++) is_in_run[run[i]]
    for (i = 1; i <= five; i++) {
        common += reference[i] in is_in_run
        covered += share("reference", reference[i])
        change = share("run", reference[i]) - share("reference", reference[i])
        if (change < 0) change = -change
        if (change > largest) largest = change
        for (k = i + 1; k <= five; k++) {
            direction = sign(share("reference", reference[i]) - share("reference", reference[k]))
            couples += direction != 0
            order += direction * sign(share("run", reference[i]) - share("run", reference[k]))
        }
    }
    printf "%s,%d,%d,%s,%.6f,%.6f\n", key, common, five, couples ? sprintf("%.6f", order / couples) : "", covered, 100 * largest
}
