#!/bin/sh
# The gate of assay compare: --fail-on, --strict and --margin, their exit statuses and verdicts.
# Values are made of a mean and a spread without chance, so that each verdict is known beforehand.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
compare() { "$build/libexec/assay/assay-compare" "$@"; }
# json EXPRESSION: of the results r by name, summary s, warnings w and notes n in `out`
json() {
    python3 -c 'import json, sys
d = json.load(open("out")); s, w, n = d.get("summary"), d["warnings"], d["notes"]
r = {x["name"].split(", ")[-1]: x for x in d["results"]}
print(eval(sys.argv[1]))' "$1"
}
# gate STATUS TITLE OPTIONS...: the exit status; the output is in `out` and `err`
gate() {
    wanted=$1 title=$2
    shift 2
    compare "$@" >out 2>err
    is $? "$wanted" "$title: status $wanted"
}
# series NAME MEAN SPREAD N: N values at MEAN ∓ SPREAD, alternately
series() {
    awk -v name="$1" -v mean="$2" -v spread="$3" -v n="$4" \
        'BEGIN { for (i = 0; i < n; i++) printf "%s,%.9g\n", name, mean + (i % 2 ? spread : -spread) }'
}
# table FILE: rows of series from standard input
table() {
    { echo 'name,time' && while read -r name mean spread n; do series "$name" "$mean" "$spread" "$n"; done; } >"$1"
}
pair() { # "NAME MEAN SPREAD N" OLD, NEW: files old.csv and new.csv; an empty text leaves a side without the benchmark
    { [ -z "$1" ] || echo "$1"; echo 'same 100 0.1 10'; } | table old.csv
    { [ -z "$2" ] || echo "$2"; echo 'same 100 0.1 10'; } | table new.csv
}
usual='--fail-on slower --margin 2%'

# --- eight scenarios, as a script sees them ---
# scenario TITLE OLD NEW STATUS STRICT VERDICT: the status without and with --strict, and the verdict of x
scenario() {
    pair "$2" "$3"
    # shellcheck disable=SC2086
    gate "$4" "$1" $usual --format json old.csv new.csv
    is "$(json 'r["x"]["verdict"]')" "$6" "  its verdict is $6"
    # shellcheck disable=SC2086
    gate "$5" "$1, --strict" $usual --strict old.csv new.csv
}
scenario slower 'x 100 0.5 10' 'x 105 0.5 10' 3 3 slower
like err '^assay-compare: failed: 1 slower by more than 2 % \(x\)$' '  standard error names it'
scenario faster 'x 100 0.5 10' 'x 95 0.5 10' 0 0 faster
scenario equal 'x 100 0.5 10' 'x 100.3 0.5 10' 0 0 equivalent
scenario noisy 'x 100 10 10' 'x 102 10 10' 0 1 undecided
like err 'not decided, and --strict is given: 1 undecided \(x\)$' '  standard error says why'
scenario vanished 'x 100 0.5 10' '' 0 1 vanished
like err 'given: 1 vanished \(x\)$' '  standard error says why'
scenario new '' 'x 100 0.5 10' 0 1 new
like err 'given: 1 new \(x\)$' '  standard error says why'
scenario 'zero spread, equal' 'x 100 0 5' 'x 100 0 5' 0 0 equivalent
scenario 'zero spread, slower' 'x 100 0 5' 'x 103 0 5' 3 3 slower
scenario 'zero spread, one value in a thousand slower' 'x 1000 0 2' 'x 1001 0 2' 0 0 equivalent
scenario 'one value on either side' 'x 100 0 1' 'x 150 0 1' 0 1 undecided
scenario 'one value on one side' 'x 100 0.5 10' 'x 150 0 1' 0 1 undecided

# --- the status 3 takes precedence, and -q leaves the reason ---
{ echo 'x 100 0.5 10' && echo 'y 100 9 10' && echo 'gone 1 0.1 5'; } | table old.csv
{ echo 'x 105 0.5 10' && echo 'y 103 9 10' && echo 'fresh 1 0.1 5'; } | table new.csv
# shellcheck disable=SC2086
gate 3 'slower, undecided, vanished and new, --strict' $usual --strict -q --format json old.csv new.csv
is "$(cat err)" 'assay-compare: failed: 1 slower by more than 2 % (x)' '  -q leaves one line'
is "$(json 's')" \
    "{'exit_status': 3, 'compared': 2, 'failed': 1, 'undecided': 1, 'vanished': 1, 'new': 1, 'left_out': 0}" \
    '  the summary counts them'
is "$(json '[(x["mean"], x["mean_baseline"], x["n"], x["n_baseline"], x["ratio"]) for x in (r["gone"], r["fresh"])]')" \
    '[(None, 0.98, 0, 5, None), (0.98, None, 5, 0, None)]' '  one-sided rows have the mean of their side'
is "$(json '[x["name"] for x in d["results"]]')" "['new.csv, x', 'new.csv, y', 'new.csv, fresh', 'new.csv, gone', 'geomean']" \
    '  and the name that they would have'
compare --format json old.csv new.csv >out 2>err
is "$? $(json 'len(d["results"]), sum("such" in x for x in w)')" '0 (3, 2)' 'without a margin and a gate such groups are left out with a warning'

# --- the margin is compared with the interval that is shown ---
pair 'x 100 1 10' 'x 106 2 10'
for method in welch mann-whitney; do
    compare --method $method --format json old.csv new.csv >out 2>err
    low=$(json 'r["x"]["ratio_lo"] - 1') high=$(json 'r["x"]["ratio_hi"] - 1')
    between 0.02 "$low" 0.06 "$method: an interval from 2 to 6 %"
    gate 3 '  a margin just below its lower end' --method $method --fail-on slower \
        --margin "$(awk "BEGIN { printf \"%.9f%%\", 100 * $low - 0.001 }")" old.csv new.csv
    gate 0 '  a margin just above its lower end' --method $method --fail-on slower \
        --margin "$(awk "BEGIN { printf \"%.9f%%\", 100 * $low + 0.001 }")" old.csv new.csv
    gate 0 '  a margin above its upper end, --strict' --method $method --strict --fail-on slower \
        --margin "$(awk "BEGIN { printf \"%.9f%%\", 100 * $high + 0.001 }")" old.csv new.csv
done
gate 3 'without a margin, any difference that is shown' --fail-on slower old.csv new.csv
like err 'failed: 1 slower \(x\)$' '  standard error has no margin'
gate 0 '  but not of the reverse' --fail-on slower new.csv old.csv

# --- a margin has bounds of equal ratios, which belong to it ---
pair 'x 100 0 3' 'x 102 0 3'
gate 0 'zero spread, a ratio of 1.02' --fail-on different --margin 2% --strict old.csv new.csv
gate 0 '  of 1/1.02' --fail-on different --margin 2% --strict new.csv old.csv
pair 'x 100 0 3' 'x 98 0 3'
gate 3 '  of 0.98, which is less than 1/1.02' --fail-on different --margin 2% old.csv new.csv

# --- more runs: enough are enough, and a fifth fewer are not ---
# runs OLD NEW MARGIN: "NAME MEAN SPREAD" each
runs() {
    pair "$1 10" "$2 10"
    compare --margin "$3" --format json old.csv new.csv >out 2>err
    more=$(json 'r["x"]["more_runs"]')
    between 5 "$more" 1000 "$2, margin $3: more runs are needed"
    for n in $((10 + more)) $(((10 + more) * 4 / 5)); do
        pair "$1 $n" "$2 $n"
        compare --margin "$3" --format json old.csv new.csv >out 2>err
        [ "$n" = $((10 + more)) ] && wanted=$4 || wanted=undecided
        is "$(json 'r["x"]["verdict"]')" "$wanted" "  $n runs: $wanted"
    done
}
runs 'x 100 4' 'x 105 4' 2% slower
runs 'x 100 4' 'x 100.5 4' 2% equivalent
runs 'x 100 4' 'x 95 4' 2% faster
pair 'x 100 4 10' 'x 105 4 10'
compare --margin 2% old.csv new.csv >out 2>err
like out 'undecided: [0-9]+ more runs' 'text: the verdict has the number'
pair 'x 100 1 2' 'x 103 1 1'
compare --margin 2% --format json old.csv new.csv >out 2>err
is "$(json 'r["x"]["more_runs"]')" None 'too few runs for an interval: no number'
compare --margin 2% old.csv new.csv >out 2>err
like out 'undecided: too few runs' '  text says so'

# --- a family of tests: Holm compares the smallest p of seven with 0.05/7 = 0.00714 ---
mkdir family && cd family || exit 1
pair 'x 100 1 5' 'x 102 1 5'
for number in 1 2 3 4 5; do
    series "y$number" 100 1 5 >>old.csv
    series "y$number" 100 1 5 >>new.csv
done
gate 3 'one of seven benchmarks is slower, each alone' --fail-on slower --format json old.csv new.csv
between 0.008 "$(json 'r["x"]["p"]')" 0.05 '  its p is below 0.05, but not below 0.05/7'
gate 0 '  with --family holm it is not' --fail-on slower --family holm --format json old.csv new.csv
is "$(json 'r["x"]["verdict"], s["failed"], s["compared"]')" "('no difference shown', 0, 7)" '  by the adjusted p'
cd ..

# --- directions ---
go() { # NS B SCORE
    for i in 1 2 3 4; do
        echo "BenchmarkX-4 100 $1.$i ns/op $2 B/op $(($3 + i)) score"
    done
}
{ printf 'Unit score better=higher\n' && go 500 64 2000; } >old.txt
{ printf 'Unit score better=higher\n' && go 500 80 1000; } >new.txt
gate 3 'Go: a size of 80 instead of 64, without spread' --fail-on larger --margin 2% old.txt new.txt
like err 'failed: 1 larger by more than 2 % \(.*B/op\)' '  names the metric'
gate 0 '  is not slower' --fail-on slower --margin 2% old.txt new.txt
gate 0 '  the reverse is smaller' --fail-on larger --margin 2% new.txt old.txt
gate 3 '  --fail-on worse has the size and the score' --fail-on worse --margin 2% old.txt new.txt
like err 'failed: 2 worse by more than 2 %' '  both'
gate 3 '  --fail-on better has them the other way' --fail-on better --margin 2% new.txt old.txt
gate 3 '  two words' --fail-on slower,smaller --margin 2% new.txt old.txt
printf 'name,ops/s\n' >slow.csv && series x 100 0.5 9 >>slow.csv
printf 'name,ops/s\n' >fast.csv && series x 120 0.5 9 >>fast.csv
gate 3 'a rate that falls is slower' --fail-on slower --margin 2% fast.csv slow.csv
gate 0 '  one that rises is not' --fail-on slower --margin 2% slow.csv fast.csv

# --- several files: a benchmark that vanished from one of them ---
{ echo 'x 100 0.5 10' && echo 'y 100 0.5 10'; } | table base.csv
{ echo 'x 100 0.5 10' && echo 'y 100 0.5 10'; } | table one.csv
echo 'x 100 0.5 10' | table two.csv
gate 1 'vanished from one of two files' --fail-on slower --margin 2% --strict base.csv one.csv two.csv
like err 'given: 1 vanished \(y \(two\.csv\)\)$' '  standard error says from which'

# --- pairs: differences of 5 ∓ 3 at 100. Four have an s of 3.46. t·s/√n is to be at most 3 (2 to 5): n = 8, as 2.36·3.46/√8 =
# 2.89, while 2.45·3.46/√7 = 3.20 ---
for n in 4 6 8; do
    awk -v n=$n 'BEGIN { for (f = 0; f < 2; f++) { file = f ? "after.csv" : "before.csv"; print "program,time" >file
        for (i = 0; i < n; i++) printf "p%d,%d\n", i, 100 + (f ? 5 + (i % 2 ? 3 : -3) : 0) >file } }'
    # shellcheck disable=SC2086
    compare --pair program --margin 2% --fail-on slower --format json before.csv after.csv >out 2>err
    statuses="${statuses-}$? $(json 'r["after.csv"]["verdict"], r["after.csv"]["more_runs"]') "
done
is "$(echo "$statuses" | sed 's/[0-9]*) 3/N) 3/')" "0 ('undecided', 4) 0 ('undecided', N) 3 ('slower', None) " \
    '--pair: four pairs lack four more, two more do not decide, and four do'

# --- words and their use ---
gate 2 'a word that no row can have' --fail-on larger --margin 2% old.csv new.csv
gate 2 'an unknown word' --fail-on wrose --margin 2% old.csv new.csv
gate 2 '--strict without a margin' --fail-on slower --strict old.csv new.csv
gate 2 '--strict without --fail-on' --margin 2% --strict old.csv new.csv
gate 2 '--fail-on with --alternative' --fail-on slower --alternative less old.csv new.csv
echo 'other 100 1 5' | table other.csv
# shellcheck disable=SC2086
gate 1 'nothing in common' $usual old.csv other.csv
like err 'nothing can be compared' '  standard error says so'
printf 'name,time\nx,1\nx,?\n' >bad.csv
# shellcheck disable=SC2086
gate 1 'a file that cannot be read' $usual old.csv bad.csv

done_testing
