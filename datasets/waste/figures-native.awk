# Tables of figures-native in Markdown (-v table=redundancy: Fig. 3.2; -v table=bursts -v bursts="ON:OFF ...": Fig. 3.3), from the
# published fractions and redundancy.csv.

function percent(value) { return value == "" ? "-" : sprintf("%.1f", 100 * value) }
# Of redundancy.csv, in percent; "-" if there is no such recording.
function fraction(program, kind, way) {
    return (program, kind, way) in value ? percent(value[program, kind, way]) : "-"
}
# In points, with its sign unless it rounds to 0.
function points(share,   text) {
    text = sprintf("%+.1f", 100 * share)
    return text ~ /[1-9]/ ? text : "0.0"
}
# In full: the fraction with its precise and its approximate part.
function in_parts(program, kind) {
    if (!((program, kind, "full") in value)) return "-"
    return fraction(program, kind, "full") " (" percent(precise[program, kind]) " + " percent(approximate[program, kind]) ")"
}
# In percent; the median of values[1] to values[n].
function median(values, n,   i, k, swap) {
    for (i = 2; i <= n; i++)
        for (k = i; k > 1 && values[k] < values[k - 1]; k--) { swap = values[k]; values[k] = values[k - 1]; values[k - 1] = swap }
    return n == 0 ? "" : n % 2 ? values[(n + 1) / 2] : (values[n / 2] + values[n / 2 + 1]) / 2
}
# The geometric mean over programs whose fraction is not 0 in any way, and their number.
function geometric_mean(kind, way,   i, w, sum, n, zero) {
    for (i = 1; i <= programs; i++) {
        zero = 0
        for (w = 0; w <= ways; w++) zero = zero || !(value[program[i], kind, name[w]] > 0)
        if (zero) continue
        sum += log(value[program[i], kind, way])
        n++
    }
    return n ? percent(exp(sum / n)) ", of " n : "-"
}
function print_redundancy(   i, kind) {
    print "Redundancy of whole programs, % of the bytes loaded (stored), in full; in brackets: precise + approximate (Fig. 3.2)"
    print ""
    print "| program | silent loads | spatial loads | published, temporal | published, spatial | dead stores | silent stores |"
    print "|---|---|---|---|---|---|---|"
    for (i = 1; i <= programs; i++)
        print "| " program[i] " | " in_parts(program[i], "silent-load") " | " in_parts(program[i], "spatial-load") " | " \
            printed(program[i], "silent-load") " | " printed(program[i], "spatial-load") " | " \
            in_parts(program[i], "dead-store") " | " in_parts(program[i], "silent-store") " |"
    printf "| geometric mean | %s | %s | 82, of SPEC CPU2006 | 10, of SPEC CPU2006 |", geometric_mean("silent-load", "full"), \
        geometric_mean("spatial-load", "full")
    printf " %s |", geometric_mean("dead-store", "full")
    print " " geometric_mean("silent-store", "full") " |"
}
function printed(of, kind) { return (of, kind) in theirs ? theirs[of, kind] : "-" }
# A row of Fig. 3.3: in full, then for each length of bursts the fraction, its interval, and the difference in points.
function print_program(of, kind,   w, way) {
    if (!((of, kind, "full") in value)) return
    printf "| %s | %s | %s |", of, kind, fraction(of, kind, "full")
    for (w = 1; w <= ways; w++) {
        way = name[w]
        if ((of, kind, way) in value && value[of, kind, way] != "")
            printf " %s [%s, %s] | %s |", percent(value[of, kind, way]), percent(low[of, kind, way]), percent(high[of, kind, way]), \
                points(value[of, kind, way] - value[of, kind, "full"])
        else printf " - | - |"
    }
    print ""
}
# Over all programs of a kind and one length of bursts.
function print_agreement(kind, way,   i, n, inside, unbounded, largest, errors, error, of) {
    for (i = 1; i <= programs; i++) {
        of = program[i]
        if (!((of, kind, way) in value) || value[of, kind, way] == "") continue
        error = value[of, kind, way] - value[of, kind, "full"]
        errors[++n] = error < 0 ? -error : error
        if (errors[n] >= largest) { largest = errors[n]; worst = of }
        if (low[of, kind, way] == "") unbounded++
        else inside += low[of, kind, way] <= value[of, kind, "full"] && value[of, kind, "full"] <= high[of, kind, way]
    }
    if (!n) return
    printf "| %s | %s | %s | %s | %s | %s, %s | %d of %d |", kind, way, geometric_mean(kind, "full"), geometric_mean(kind, way), \
        percent(median(errors, n)), percent(largest), worst, inside, n - unbounded
    print " " (way != "1M:99M" ? "-" : kind == "silent-load" ? "82, 76" : kind == "spatial-load" ? "10, 10" : "-") " |"
}
function print_bursts(   i, w, k, kinds, kind) {
    k = split("silent-load spatial-load dead-store silent-store", kind, " ")
    printf "Redundancy in full and in bursts, %% of the bytes loaded (stored), with 95 %% intervals and the difference in points (Fig. 3.3)\n\n"
    printf "| program | kind | in full |"
    for (w = 1; w <= ways; w++) printf " %s | difference |", name[w]
    printf "\n|---|---|---|"
    for (w = 1; w <= ways; w++) printf "---|---|"
    print ""
    for (kinds = 1; kinds <= k; kinds++) for (i = 1; i <= programs; i++) print_program(program[i], kind[kinds])
    printf "| libquantum, published | silent-load | 68 |"
    for (w = 1; w <= ways; w++)
        printf " %s | - |", name[w] == "1M:99M" ? "15" : name[w] == "10M:99M" ? "30" : name[w] == "50M:99M" ? "60" : "-"
    print "\n"
    print "Over these programs: geometric means of those without a 0, and how far bursts are from all accesses"
    print ""
    print "| kind | bursts | in full, % | in bursts, % | median difference, points | largest | intervals that contain the full value | published geometric means |"
    print "|---|---|---|---|---|---|---|---|"
    for (kinds = 1; kinds <= k; kinds++) for (w = 1; w <= ways; w++) print_agreement(kind[kinds], name[w])
}

BEGIN { ways = split(bursts, name, " "); name[0] = "full" }
FNR == 1 { file++ }
file == 1 && NF == 3 { theirs[$1, $2] = $3 }
FNR > 1 && NF == 11 {
    if (!($1 in seen)) program[++programs] = $1
    seen[$1]
    value[$1, $2, $3] = $4
    low[$1, $2, $3] = $5
    high[$1, $2, $3] = $6
    if ($3 == "full") { precise[$1, $2] = $7; approximate[$1, $2] = $8 }
}
END { if (table == "redundancy") print_redundancy(); else print_bursts() }
