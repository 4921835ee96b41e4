#!/bin/sh
# Change points in the history of a benchmark: planted steps, exact values, order, acknowledged changes, bad input.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
history() { "$build/libexec/assay/assay-history" "$@"; }
# json EXPRESSION: of the results r, summary s and notes n in `out`
json() {
    python3 -c 'import json, sys; d = json.load(open("out")); r, s, n = d["results"], d["summary"], d["notes"]
print(eval(sys.argv[1]))' "$1"
}
fails() { # STATUS MESSAGE WHAT ARGUMENT...
    status=$1 message=$2 what=$3
    shift 3
    history "$@" >out 2>err
    is "$? $(head -n 1 err)" "$status assay-history: $message" "$what"
}

# A noise of mean 0 whose eight values repeat, ±1 to ±4 in a fixed order. Commits c00 … c79, three runs each, of which
# the middle one is the median: level 1000 up to c49, 1040 from c50 on. One run of c20 is an outlier, and so are all of
# c30.
awk 'BEGIN {
    split("1 -3 2 -1 4 -2 3 -4", noise, " ")
    print "benchmark,commit,day,time"
    for (c = 0; c < 80; c++) {
        level = (c < 50 ? 1000 : 1040) + noise[c % 8 + 1] + (c == 30 ? 500 : 0)
        printf "parse,c%02d,%d,%d\nparse,c%02d,%d,%d\nparse,c%02d,%d,%d\n", c, c, level, c, c, level - 5, c, c,
            level + (c == 20 ? 900 : 5)
        printf "bytes,c%02d,%d,%d\n", c, c, c < 33 ? 4096 : 5120
    }
}' >runs.csv
history --by commit --group benchmark --value time --format json runs.csv >out 2>err
is "$? $(cat err)" '0 ' 'two histories: status 0, without warnings'
is "$(json '[(x["benchmark"], x["commit"], x["verdict"], x["method"]) for x in r]')" \
    "[('parse', 'c50', 'worse', 'permutation test'), ('bytes', 'c33', 'worse', 'exact values')]" \
    'the planted step and the exact change, newest first, and no outlier'
is "$(json '[(x["first"], x["last"], x["suspects"], x["n_before"], x["n_after"], x["age"]) for x in r]')" \
    "[('c50', 'c50', 1, 50, 30, 29), ('c33', 'c33', 1, 33, 47, 46)]" '  with their suspects and the commits around'
is "$(json '[x["found"] in ("c52", "c53", "c54") for x in r if x["p"]]')" '[True]' \
    '  a step of 14 sd is found with its third to fifth commit'
# The levels are means of medians; that of c30 is moved to the median + 3·1.4826·MAD.
is "$(json '[(round(x["after"], 9), 1000 < x["before"] < 1001) for x in r if x["p"]]')" \
    "[($(python3 -c 'print(round(1040 + sum([1, -3, 2, -1, 4, -2, 3, -4][c % 8] for c in range(50, 80)) / 30, 9))'), True)]" \
    '  the levels are those of the medians, without their outlier'
is "$(json '[(x["before"], x["after"], x["change"], x["change_lo"], x["change_hi"], x["p"]) for x in r if not x["p"]]')" \
    '[(4096, 5120, 0.25, 0.25, 0.25, None)]' '  an exact change has an exact size and no p'
is "$(json '[x["change_lo"] < 0.04 < x["change_hi"] and x["change_hi"] - x["change_lo"] < 0.006 and x["p"] <= 0.0016 for x in r if x["p"]]')" \
    '[True]' '  the interval of the size holds 4 %'
is "$(json 's')" "{'histories': 2, 'commits': 160, 'changes': 2, 'acknowledged': 0, 'below_margin': 0, 'exact_histories': 1}" \
    '  and the summary counts'
cp out all.json
for jobs in 1 3; do
    history -j $jobs --by commit --group benchmark --value time --format json runs.csv | cmp -s - all.json
    ok $? "-j $jobs gives the same bytes"
done
history --group benchmark --value time runs.csv >out 2>err
like out '^parse +c50 +\+(3\.9|4\.0)[0-9]% \[.*\] .* worse ' 'text: a row has its size in percent, with the interval'
like out '2 histories, 160 commits, 2 changes' '  and notes say what was looked at'

# --- what a new commit can change ---
head -n $((1 + 4 * 60)) runs.csv >early.csv
history --group benchmark --value time --format json early.csv >out 2>err
is "$(json '[(x["commit"], x["found"]) for x in r]')" \
    "$(python3 -c 'import json; print([(x["commit"], x["found"]) for x in json.load(open("all.json"))["results"]])')" \
    'later commits neither remove a change nor the commit that found it'

# --- order and repeated measurements ---
{ head -n 1 runs.csv && tail -n +2 runs.csv | sort -t , -k 4; } >shuffled.csv
history --order day --group benchmark --value time --format json shuffled.csv >out 2>err
is "$(json '[(x["commit"], x["before"]) for x in r]')" \
    "$(python3 -c 'import json; print([(x["commit"], x["before"]) for x in json.load(open("all.json"))["results"]])')" \
    '--order: numbers order the commits, whatever the order of the rows'
sed 's/,\([0-9]*\),\([0-9]*\)$/,2026-01-\1,\2/; s/2026-01-\([0-9]\),/2026-01-0\1,/' shuffled.csv >dates.csv
history --order day --group benchmark --value time --format json dates.csv >out 2>err
is "$(json '[x["commit"] for x in r]')" "['c50', 'c33']" '  and so do texts'
printf 'commit,v\na,5\nb,5\nc,6\nd,6\na,5\n' >again.csv
history --value v --format json again.csv >out 2>err
is "$(json '[(x["commit"], x["n_before"], x["n_after"]) for x in r] + [s["commits"]]')" "[('c', 2, 2), 4]" \
    'a commit that is measured again keeps its position'

# --- acknowledged changes, margins and directions ---
printf '# accepted\nc50  parse # a check\n"c33" parse\n' >known.txt
history --group benchmark --value time --known known.txt --format json runs.csv >out 2>err
is "$(json '[x["benchmark"] for x in r] + [s["acknowledged"]]')" "['bytes', 1]" \
    '--known leaves out a change of a benchmark, but not that of another one'
is "$(json '[x for x in n if "known" in x]')" \
    "['1 change is acknowledged in --known and left out', '1 of 2 lines of --known explains no change']" '  notes count both'
printf 'c33\nc50' >known.txt
history --group benchmark --value time --known known.txt --format csv runs.csv >out 2>err
is "$? $(wc -l <out)" '0 1' '  without a benchmark a line is for all; no change is a result, too'
history --group benchmark --value time --margin 10% --direction higher --format json runs.csv >out 2>err
is "$(json '[(x["benchmark"], x["verdict"]) for x in r] + [s["below_margin"]]')" "[('bytes', 'better'), 1]" \
    '--margin leaves out smaller changes, --direction turns verdicts around'
printf 'commit,rate\na,5 op/s\nb,5 op/s\nc,6 op/s\n' >rates.csv
history --value rate --format json rates.csv >out 2>err
is "$(json '[x["verdict"] for x in r]')" "['better']" 'more operations per second are better'

# --- what is exact ---
printf 'v\n1\n' | history --value v >out 2>err
is "$? $(wc -c <out)" '1 0' 'a table without commits is an error'
printf 'commit,v\na,7\n' | history --value v --format json >out 2>err
is "$? $(json 'r, s["commits"]')" '0 ([], 1)' 'one commit alone has no change'
printf 'commit,v\na,0\nb,0\nc,3\n' | history --value v --format json >out 2>err
is "$(json '[(x["commit"], x["before"], x["after"], x["change"]) for x in r]')" "[('c', 0, 3, None)]" \
    'a change from 0 has no relative size'
# a coarse clock: 10 and 11 in turn, with more equal neighbours than others
awk 'BEGIN { print "commit,v"; for (i = 0; i < 60; i++) print "c" i "," (i % 5 == 3 ? 11 : 10) }' >coarse.csv
history --value v --format json coarse.csv >out 2>err
is "$(json 'r, s["exact_histories"]')" '([], 0)' 'values that come back again and again are noise'

# --- a file for each commit, and metrics side by side ---
for i in 1 2 3 4; do
    printf '{"results": [{"command": "./a", "times": [%d, %d]}, {"command": "./b", "times": [3, 3]}]}' $((i / 3 + 1)) $((i / 3 + 1)) >night-$i.json
done
history --by file --format json night-*.json >out 2>err
is "$(json '[(x["name"], x["commit"], x["change"]) for x in r]')" "[('./a', 'night-3.json', 1)]" \
    '--by file: each file is a commit, and the tool names its benchmarks'
printf 'commit,a,b\nx,1,5\ny,1,5\nz,2,5\n' | history --value a,b --format json >out 2>err
is "$(json '[(x["metric"], x["commit"]) for x in r]')" "[('a', 'z')]" 'each of several value columns has its histories'

# --- the figure ---
if command -v gnuplot >/dev/null; then
    history --group benchmark --value time --plot figure.svg --format csv runs.csv >out 2>err
    is "$? $(cat err)" '0 ' '--plot draws a figure'
    for text in parse bytes Commit time '160 commits; 2 changes'; do
        grep -q ">$text" figure.svg
        ok $? "  it has the text $text"
    done
else
    skip 'gnuplot is not installed'
fi

# --- bad usage ---
history --by a,b --value time runs.csv >out 2>err
is "$? $(head -n 1 err)" '2 assay-history: --by names the column of commits; name those of benchmarks with --group' \
    '--by with two columns'
history --group commit --value time runs.csv >out 2>err
is "$? $(head -n 1 err)" "2 assay-history: column 'commit' is named twice, by --by, --group or --order" 'a column twice'
fails 1 'nowhere.txt: No such file or directory' '--known without its file' --known nowhere.txt --value time runs.csv
for bad in --alpha=0 --alpha=0.2 --margin=x --direction=up; do
    history $bad --value time runs.csv >out 2>err
    is "$? $(wc -c <out)" '2 0' "$bad is bad usage"
done
done_testing
