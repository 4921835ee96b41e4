# Keeps, from rows of assay agree --hotness (profiler, method, hotness …), those of the methods that are hottest in some
# profiler; used with csv.awk.
NR == 1 { print; next }
{
    csv($0)
    row[NR] = $0
    method[NR] = field[2]
    if (field[3] + 0 > most[field[1]] + 0) { most[field[1]] = field[3]; hottest[field[1]] = field[2] }
}
END {
    for (profiler in hottest) kept[hottest[profiler]] = 1
    for (i = 2; i <= NR; i++) if (method[i] in kept) print row[i]
}
