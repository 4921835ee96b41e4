#!/bin/sh
# Several metrics in one table: a missing value of one loses no value of another. Expected values are counted by hand.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
for verb in ci compare anova acf fit; do
    eval "$verb() { \"$build/libexec/assay/assay-$verb\" \"\$@\"; }"
done
# cells COLUMN...: of the TSV in `out`, one row per line
cells() {
    awk -F'\t' -v wanted="$*" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(wanted, w, " "); next }
        { for (i = 1; i <= n; i++) printf "%s%s", $at[w[i]], i < n ? " " : "\n" }' out
}

# --- blank cells ---
printf 'k,a,b\nx,1,2\nx,2,\nx,6,4\ny,3,\ny,5,\n' >some.csv
ci --by k --value a,b some.csv >out 2>err
is "$? $(cat err)" "1 assay-ci: some.csv: line 3, column 'b': the cell is blank; leave such rows out with --skip-bad" \
    'a blank cell without --skip-bad: status 1, and its place'
ci --by k --value a,b --skip-bad --format tsv some.csv >out 2>err
is "$? $(cells k metric n mean | tr '\n' ';')" '0 x a 3 3;x b 2 3;y a 2 4;' \
    'ci: a blank cell loses the value of its own column alone'
like err '3 blank cells are left out; the rest of the row counts' '  a warning counts blank cells'
ci --by k --value a,b --skip-bad -j 1 --format tsv some.csv >one 2>/dev/null
cmp -s one out
ok $? '  -j 1 gives the same bytes'
ci --by k --value a --skip-bad --format tsv some.csv >out 2>err
is "$(cells k n) $(wc -c <err)" "$(printf 'x 3\ny 2 0')" \
    '  without the column of the blanks, nothing is lost or reported'
ci --by k --value a,b --skip-bad --skip-first 1 --format tsv some.csv >out 2>/dev/null
is "$(cells k metric n mean | tr '\n' ';')" 'x a 2 4;x b 1 4;y a 1 5;' '--skip-first counts the values of each column'
compare --by k --baseline x --value a,b --skip-bad --format tsv some.csv >out 2>err
is "$(cells metric n mean)" 'a 2 4' 'compare: only metrics that both sides have'
like err 'y, b: only x has such values' '  a warning names the metric that one side lacks'
anova --by k --value a,b --skip-bad --groups --format tsv some.csv >out 2>/dev/null
is "$(cells k metric n mean | tr '\n' ';')" 'x a 3 3;y a 2 4;x b 2 3;' \
    'anova: each metric over the groups that have values'
anova --by k --value a --method kruskal-wallis --format tsv some.csv >alone
anova --by k --value a,b --skip-bad --method kruskal-wallis --format tsv some.csv >out 2>/dev/null
is "$(cat out)" "$(cat alone)" 'anova: a metric gives the same result beside another as alone'
acf --by k --value a,b --skip-bad --format tsv some.csv >out 2>/dev/null
is "$(cells k metric lag | tr '\n' ';')" 'x a 1;x a 2;x b 1;y a 1;' 'acf: only series that have values'
fit --x a --y b --skip-bad --format tsv some.csv >out 2>err
like err '3 of 5 rows were left out' 'fit: a row that lacks x or y is left out, with a warning'

# --- Go: several units, -benchmem on some ---
go() { # go PKG A B: nanoseconds of two benchmarks, three runs each
    echo "pkg: $1"
    for i in 1 2 3; do
        echo "BenchmarkSort/size=1k/kind=heap-8 100 $(($2 + i)) ns/op"
        echo "BenchmarkSort/size=4k/kind=heap-8 100 $(($3 + i)) ns/op $((1000 / $3)) MB/s 16 B/op $i allocs/op"
    done
}
go x 100 400 >old.txt
go x 100 200 >new.txt
ci --format tsv old.txt >out
is "$(cells name metric n mean | tr '\n' ';')" \
    "BenchmarkSort/size=1k/kind=heap-8 ns/op 3 102;BenchmarkSort/size=4k/kind=heap-8 ns/op 3 402;BenchmarkSort/size=4k/kind=heap-8 MB/s 3 2;BenchmarkSort/size=4k/kind=heap-8 B/op 3 16;BenchmarkSort/size=4k/kind=heap-8 allocs/op 3 2;" \
    'Go: all metrics by default'
ci --format json old.txt | tr -d ' \n' >out
like out '"loss":\{"rows":6,"skipped":0,"blank":9,' '  the JSON counts what was not measured'
ci --value B/op old.txt >out
like out '^unit: B/op' 'Go: a note gives the unit of the requested metric'
ci --by base --value ns/op --format tsv old.txt >out
is "$(cells base n)" 'BenchmarkSort 6' 'Go: --by base takes the name without its parts'
ci --by size,kind --value ns/op --format tsv old.txt >out
is "$(cells size kind n mean | tr '\n' ';')" '1k heap 3 102;4k heap 3 402;' 'Go: keys in the name are columns'
compare --format tsv old.txt new.txt >out 2>/dev/null
is "$(cells metric n verdict | sed -n 1,4p | tr "\n" ";")" "ns/op 3 no difference shown;ns/op 3 faster;ns/op 2 ;MB/s 3 ;" \
    'Go: each metric is compared with the same one in the other file'
sed 's/ns.op.*/ns\/op/' old.txt >less.txt
compare --format tsv less.txt new.txt >out 2>err
is "$? $(cells metric n | wc -l)" '0 3' 'Go: a file that lacks some metrics'
like err 'new.txt: MB/s, B/op, allocs/op left out, which less.txt does not have' \
    '  a warning names the metrics that only the other has'
printf 'BenchmarkX/ns=1/run=2-4 10 5 ns/op 7 ns\n' >clash.txt
ci --by ns,parameter_run --format tsv clash.txt >out 2>/dev/null
is "$(cells ns parameter_run metric n mean | tr '\n' ';')" '1 2 ns/op 1 5;1 2 metric_ns 1 7;' \
    'Go: a key with the name of a metric or of a column gets a name of its own'
done_testing
