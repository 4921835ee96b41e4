#!/bin/sh
# published.t fails as it should: a changed digit, a missing or needless exception, a malformed table, a README that
# does not match the files. Each fault is made in a copy of datasets/published.
LC_ALL=C
export LC_ALL
here=$(cd -- "$(dirname -- "$0")" && pwd)
published=$here/../../datasets/published
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
copy=$scratch/published
count=0

report() {
    count=$((count + 1))
    printf '%s %d - %s\n' "$1" "$count" "$2"
}

fresh() {
    rm -rf "$copy"
    cp -r "$published" "$copy"
}

# found NAME PATTERN: published.t fails on the copy, and the title of one of its failures matches PATTERN.
found() {
    if "$here/published.t" "$copy" >"$scratch/tap" 2>&1 || ! grep -q "^not ok [0-9]* - .*$2" "$scratch/tap"; then
        report 'not ok' "$1"
        grep -v '^ok' "$scratch/tap" | sed 's/^/# /'
    else
        report ok "$1"
    fi
}

# fault NAME FILE SED PATTERN
fault() {
    fresh
    sed "$3" "$published/$2" >"$copy/$2"
    if cmp -s "$published/$2" "$copy/$2"; then
        report 'not ok' "$1: the fault changes nothing"
        return
    fi
    found "$1" "$4"
}

fresh
if "$here/published.t" "$copy" >"$scratch/tap" 2>&1; then
    report ok 'a copy without a fault passes'
else
    report 'not ok' 'a copy without a fault passes'
fi

fault 'a datum of a mean' profiler-accuracy-table2.csv 's/fill,0.45,/fill,0.85,/' 'table2, mean, hprof_slope'
fault 'a mean' profiler-accuracy-table3.csv 's/0.99,0.29,/0.99,0.31,/' 'table3, mean, hprof_slope'
fault 'a mean below zero' profiler-accuracy-table2.csv 's/0.28,0.23$/0.28,-0.23/' 'table2, mean, jprofile_slope'
fault 'a mean of ratios' profiler-accuracy-table1.csv 's/1.1,1.5$/1.1,1.6/' 'table1, mean, yourkit'
fault 'a sum' jxperf-table2.csv 's/,33,46,31,44/,33,46,32,44/' 'table2, sum, toddler_reproduced'
fault 'a count' dissertation-table4.2.csv 's/Collections,21/Collections,12/' 'table4.2, sum, toddler_reported'
fault 'a median' dissertation-table3.1.csv \
    's/^median,Median,12.5/median,Median,13.5/' 'table3.1, median, temporal_runtime'
fault 'a geometric mean' dissertation-table3.1.csv \
    's/^\(geomean,GeoMean,13,\)17/\118/' 'table3.1, geomean, temporal_mem'
fault 'a datum of a geometric mean' dissertation-table5.2.csv 's/1.12$/1.42/' 'table5.2, geomean'
fault 'a median of times' dissertation-table5.3.csv 's/^median,,Median,44/median,,Median,46/' 'table5.3, median, sample'
fault 'a degree of freedom' method-level-phases-table4.csv 's/,664,0.067/,66,0.067/' 'table4, jess, p'
fault 'an F' method-level-phases-table4.csv 's/37.94/1.94/' 'table4, compress, p'
fault 'a share of the time' method-level-phases-table5.csv 's/28.987/29.987/' 'table5, javac, all'
fault 'a share that is printed twice' method-level-phases-table6.csv 's/39.6413/39.6513/' 'table5, jess, garbage'
fault 'an average' method-level-phases-table6.csv 's/12.25,0.10/1.225,0.10/' 'table6, compress, l1d'
fault 'a number of calls' method-level-phases-figure3.csv 's/,4,50,/,4,60,/' 'figure3, readElement, total'
fault 'a selected method' method-level-phases-figure3.csv 's/,1,yes$/,1,no/' 'figure3, main, selected'
fault 'a value that is printed twice, differently' dissertation-table4.1.csv 's/1.35,1.34/1.53,1.34/' \
    'table4.1, SL .*geomean'

fault 'an exception whose value follows' profiler-accuracy-table2.csv 's/0.26,0.28,/0.26,0.30,/' \
    'xprof_slope.*does not follow'
fault 'an exception with another value' exceptions.csv 's/,0.28,/,0.27,/' 'xprof_slope.*does not follow'
fault 'an exception that is not listed' exceptions.csv '/^dissertation-table5.3/d' 'table5.3, geomean, sample'
fault 'an exception for a value that is not derived' exceptions.csv 's/^dissertation-table5.3.csv,geomean/dissertation-table5.3.csv,mean/' \
    'exceptions.csv: nothing is checked'

fault 'a ragged row' stride-prefetching-table2.csv 's/128,64$/128/' 'table2.csv: every row'
fault 'a header named twice' stride-prefetching-table2.csv 's/l2_line_bytes/l1_line_bytes/' 'table2.csv: columns are'
fault 'a space at the end of a line' stride-prefetching-table1.csv '4s/$/ /' 'table1.csv: no stray space'
fault 'a space at the end of a cell' stride-prefetching-table3.csv 's/^db,/db ,/' 'table3.csv: no stray space'
fault 'a table without its source' stride-prefetching-table1.csv 1d 'table1.csv: begins with its source'
fault 'a cell that is not a number' dissertation-table5.3.csv 's/,24,8$/,2 4,8/' 'can be computed'
fault 'a column that README.md lacks' README.md '/^| `trap_time_us`/d' 'describes the columns of dissertation-table5.3'
fault 'a file that README.md lacks' README.md 's/^### `dissertation-table5.1.csv`/### table 5.1/' 'one section per file'
fault 'an exception that README.md lacks' README.md '/^| dissertation-table5.3.csv |/d' 'lists the exceptions'
fresh
rm "$copy/dissertation-table5.4.csv"
found 'a missing file' 'one section per file'
fresh
cp "$copy/jxperf-table1.csv" "$copy/jxperf-table9.csv"
found 'a file that README.md does not list' 'one section per file'

echo "1..$count"
