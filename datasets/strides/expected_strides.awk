# expected_strides.awk - the strides that a table of assay strides (TSV, the second file) has of those intra loads for which the
# comment of a program's source (the first file) derives one, in its order: "STRIDE", or "none"; with names=1 their names.
BEGIN { FS = "\t" }
function line_of(place) { sub(/.*:/, "", place); return place }
FNR == 1 { file++ }
file == 1 && match($0, /\/\/ @[a-z0-9_]+/) { mark[substr($0, RSTART + 3, RLENGTH - 3)] = FNR }
file == 1 && / EXPECT .*kind=intra/ {
    n = split($0, words, " ")
    loads++
    for (i = 1; i <= n; i++) {
        value = words[i]
        sub(/^[a-z]*=/, "", value)
        if (words[i] ~ /^line=/) load[loads] = value
        if (words[i] ~ /^loop=/) loop[loads] = value
        if (words[i] ~ /^partner=/) partner[loads] = value
    }
}
file == 2 && FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
file == 2 && $at["kind"] == "intra" { stride[line_of($at["site"]), line_of($at["loop"]), line_of($at["partner"])] = $at["stride"] }
END {
    for (i = 1; i <= loads; i++) {
        key = mark[load[i]] SUBSEP mark[loop[i]] SUBSEP mark[partner[i]]
        if (names) printf " %s to %s |", substr(partner[i], 2), substr(load[i], 2)
        else printf " %s |", key in stride ? stride[key] : "none"
    }
    print ""
}
