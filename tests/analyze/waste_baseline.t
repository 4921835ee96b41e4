#!/bin/sh
# assay waste --baseline: what changed between two versions of a program, against answers computed by hand.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
needs tests/make_trace tests/make_pairs
programs=$build/libexec/assay
waste() {
    "$programs/assay-waste" "$@" 2>err
}
# pairs FILE RUN [KEY=VALUE]...: a trace of engine exact from standard input
pairs() {
    file=$1 run=$2
    shift 2
    "$build/tests/make_pairs" "$file" series="${file%/*}" run="$run" mode=waste engine=exact 'command=["prog"]' \
        fp_tolerance=0.01 "$@"
}
# profile FILE RUN PERIOD COUNT STACK...: a CPU profile with so many samples of each stack
profile() {
    file=$1 run=$2 period=$3
    shift 3
    while [ $# -gt 0 ]; do
        awk -v n="$1" -v stack="$2" 'BEGIN { for (i = 0; i < n; i++) print stack }'
        shift 2
    done | awk '{ print "main", NR, NR * 1000, NR * 1000, $0 }' |
        "$build/tests/make_trace" "$file" series="${file%/*}" run="$run" mode=cpu clock=random period_ns="$period"
}
# rows LEVEL NAME...: these columns of the CSV in `out`, a row of this level a line; - for a blank
rows() {
    python3 -c '
import csv, sys
def cell(text):
    try:
        return "%.9g" % float(text)
    except ValueError:
        return text.replace(" > ", ">").replace(" ", "_") or "-"
for row in csv.DictReader(open("out")):
    if row["level"] == sys.argv[1]:
        print(" ".join(cell(row[name]) for name in sys.argv[2:]))' "$@"
}

# ------------------------------------------------------------------------------------------ one run each
#
# Two lines are inserted above line 40; f:50 is gone, g:7 wastes less, h:90 is new, and i:3 does not change.
#   old line   kind         bytes wasted   new line
#   f:30       silent-load   1000    800   f:30      the same
#   f:50       dead-store     640    600   -         gone
#   f:60       silent-store   320    320   f:62      moved
#   f:61       silent-load    160    100   f:63      changed: 60 wasted
#   g:7        silent-load    480    240   g:7       less: 40
#   h:90       dead-store       0      0   h:90      new: 64 of 80
# The line 61 of f has no agreeing line. It has the shift of f:60, 2, and its pairs are found again there.
mkdir old new
pairs old/1.trace 1 <<'END'
total main 0 0 900 8000
total main 1 0 700 6000
pair main 2 0 main:4;f:30 main:4;f:30 f:29 0 125 100 1000 800
pair main 0 0 main:4;f:50 main:4;f:51 - 0 80 75 640 600
pair main 1 0 main:4;f:60 main:4;f:60 - 0 40 40 320 320
pair main 2 0 main:4;f:61 main:4;f:61 - 0 20 12 160 100
pair main 2 0 main:5;g:7 main:5;g:7 - 0 60 30 480 240
END
pairs new/1.trace 1 <<'END'
total main 0 0 800 7000
total main 1 0 650 5400
pair main 2 0 main:4;f:30 main:4;f:30 f:29 0 125 100 1000 800
pair main 1 0 main:4;f:62 main:4;f:62 - 0 40 40 320 320
pair main 2 0 main:4;f:63 main:4;f:63 - 0 20 7 160 60
pair main 2 0 main:5;g:7 main:5;g:7 - 0 60 5 480 40
pair main 0 0 main:6;h:90 main:6;h:91 - 0 10 8 80 64
END

waste --baseline old --format csv new >out
is "$? $(cat err)" '0 ' 'functions by default'
# silent loads: old 800 + 100 + 240 of 8000, new 800 + 60 + 40 of 7000; dead: 600 of 6000, 64 of 5400; silent: 320 each.
# Accesses in pairs: loads 125 + 20 + 60 in both; stores: the most of dead and silent ones, 80 and 40.
is "$(rows total status quantity name old new change removed)" "$(printf '%s\n' \
    'less bytes loads 8000 7000 -1000 0.125' 'same accesses loads 205 205 0 0' 'less bytes stores 6000 5400 -600 0.1' \
    'less accesses stores 80 40 -40 0.5' 'less fraction dead-store 0.1 0.0118518519 -0.0881481481 -' \
    'less wasted_bytes dead-store 600 64 -536 0.893333333' \
    'more fraction silent-store 0.0533333333 0.0592592593 0.00592592593 -' \
    'same wasted_bytes silent-store 320 320 0 0' 'less fraction silent-load 0.1425 0.128571429 -0.0139285714 -' \
    'less wasted_bytes silent-load 1140 900 -240 0.210526316')" '  totals: loads, stores, and each kind'
# f: 800 + 600 + 320 + 100 = 1820, and 800 + 320 + 60 = 1180
is "$(rows function status name old new change)" "$(printf '%s\n' \
    'less f 1820 1180 -640' 'less g 240 40 -200' 'new h 0 64 64')" '  functions, by the size of the change'
is "$(for level in total function; do rows $level lo hi removed_lo removed_hi runs_old runs_new; done | sort -u)" \
    '- - - - 1 1' '  one run each: no interval'

waste --baseline old --lines 0 --format csv new >out
is "$(rows line status name old_name old new change)" "$(printf '%s\n' 'gone f:50 - 600 0 -600' \
    'less g:7 - 240 40 -200' 'new h:90 - 0 64 64' 'less f:63 f:61 100 60 -40' 'moved f:62 f:60 320 320 0' \
    'same f:30 - 800 800 0')" '--lines: a shift is no change'
waste --baseline old --pairs 0 --format csv new >out
is "$(rows pair status kind name second_context scope old_name old_second_context change)" \
    "$(printf '%s\n' 'gone dead-store main:4>f:50 main:4>f:51 - - - -600' \
        'less silent-load main:5>g:7 main:5>g:7 - - - -200' 'new dead-store main:6>h:90 main:6>h:91 - - - 64' \
        'less silent-load main:4>f:63 main:4>f:63 - main:4>f:61 main:4>f:61 -40' \
        'moved silent-store main:4>f:62 main:4>f:62 - main:4>f:60 main:4>f:60 0' \
        'same silent-load main:4>f:30 main:4>f:30 f:29 - - 0')" '--pairs: contexts of lines that moved'
waste --baseline old --scopes 0 --format csv new >out
# Without a loop: dead stores 600 and 64, silent loads 240 + 100 and 40 + 60, silent stores 320; at f:29 nothing changed
is "$(rows scope status kind name old new)" "$(printf '%s\n' 'less dead-store - 600 64' \
    'less silent-load - 340 100' 'same silent-store - 320 320' 'same silent-load f:29 800 800')" '--scopes'
waste --baseline old --lines 0 --kind silent-load --format csv new >out
is "$(rows total name quantity) $(rows line status name change)" "loads bytes
loads accesses
silent-load fraction
silent-load wasted_bytes less g:7 -200
less f:63 -40
same f:30 0" '--kind: loads alone; lines are aligned by all kinds'
waste --baseline old --lines 3 new >out
is "$(awk '$1 == "gone" || $1 == "new" || / g:7 / { print $1, $2, $3 $4, $5 $6, $7 $8 }' out)" \
    "$(printf '%s\n' 'gone f:50 600B 0B -600B' 'less g:7 240B 40B -200B' 'new h:90 0B 64B +64B')" 'for readers: with units'
like out '^not shown: 1 of 6 lines with the same amount in both versions$' '  equal ones are counted'
like out '^not shown: 1 of 6 lines that changed less \(--lines 0 shows all\)$' '  and those beyond the limit'
like out '^not shown: 1 of 6 lines that only moved \(--lines 0 shows all\)$' '  likewise'
like out 'one that was renamed or inlined is both gone and new' '  and a note says what a name can hide'
like out 'each version has one run of accesses, so their amounts have no interval and every difference is listed' '  and what one run can tell'
waste --baseline old --lines 0 new >out
like out '^moved +f:62 \(was 60\) ' '  a line that moved names its old number'

# Addresses in place of lines, and callers that moved: main calls f from line 9 in place of 4, after an insertion.
mkdir at before
pairs before/1.trace 1 <<'END'
pair main 2 0 main:4;f@1010 main:4;f@1010 - 0 125 100 1000 800
pair main 1 0 main:4;f@1018 main:4;f@1018 - 0 40 40 320 320
pair main 2 0 main:5;g:7 main:5;g:7 - 0 60 30 480 240
END
pairs at/1.trace 1 <<'END'
pair main 2 0 main:9;f@2010 main:9;f@2010 - 0 125 100 1000 800
pair main 1 0 main:9;f@2018 main:9;f@2018 - 0 40 40 320 320
pair main 2 0 main:10;g:7 main:10;g:7 - 0 60 30 480 240
END
waste --baseline before --pairs 0 --format csv at >out
is "$(rows pair status name old_name change)" "$(printf '%s\n' 'moved main:9>f@0x2018 main:4>f@0x1018 0' \
    'moved main:10>g:7 main:5>g:7 0' 'moved main:9>f@0x2010 main:4>f@0x1010 0')" \
    'addresses, and lines of callers: in the order of kinds and names'
waste --baseline before --functions 0 --format csv at >out
is "$(rows function status name)" "$(printf '%s\n' 'same f' 'same g')" '  a function does not move'

# Objects are those of the stack that allocated them.
mkdir o1 o2
echo 'object 2 64 main:3;make:8
pair main 3 0 main:5;g:7 main:5;g:7 - 1 60 30 480 240' |
    "$build/tests/make_pairs" o1/1.trace mode=spatial-load engine=exact
echo 'object 2 64 main:3;make:9
pair main 3 0 main:5;g:7 main:5;g:7 - 1 60 10 480 80' |
    "$build/tests/make_pairs" o2/1.trace mode=spatial-load engine=exact
waste --baseline o1 --objects 0 --format csv o2 >out
is "$(rows object status kind name old_name old new)" 'less spatial-load main:3>make:9 main:3>make:8 240 80' \
    '--objects: the line that allocates moved'

# No load is both silent and adjacent: f wastes 140 silent bytes and 300, then 60, adjacent ones; g has only the latter.
mkdir adjacent moved
echo 'total main 0 0 90 900
pair main 2 0 main:4;f:30 main:4;f:30 - 0 60 14 600 140
pair main 4 0 main:4;f:30 main:4;f:30 - 0 60 30 600 300
pair main 4 0 main:5;g:7 main:5;g:7 - 0 20 20 200 200' | pairs adjacent/1.trace 1 adjacent=true
echo 'total main 0 0 90 900
pair main 2 0 main:4;f:30 main:4;f:30 - 0 60 14 600 140
pair main 4 0 main:4;f:30 main:4;f:30 - 0 60 6 600 60' | pairs moved/1.trace 1 adjacent=true
waste --baseline adjacent --functions 0 --format csv moved >out
is "$(rows function status name old new)" "$(printf '%s\n' 'less f 440 200' 'gone g 200 0')" \
    'silent and adjacent loads of a function add up'
waste --baseline adjacent --lines 0 --kind adjacent-load --format csv moved >out
is "$(rows line status name old new)" "$(printf '%s\n' 'less f:30 300 60' 'gone g:7 200 0')" '  and alone with --kind'

# ------------------------------------------------------------------------------------------ several runs
#
# f wastes 1000 and 1002 bytes, then 500 and 502: equal variances 2, so Welch's interval of the change has 2 degrees of
# freedom, whose quantile is (2p - 1) / sqrt(2p (1 - p)) for p = 0.975, and se = sqrt(2/2 + 2/2). g wastes 90 and 110,
# then 80 and 121: no change can be shown. h wastes 50 in both runs and then nothing, r only in one.
mkdir a b
run_of() {
    printf '%s\n' 'total main 0 0 900 8000' "pair main 2 0 main:4;f:$2 main:4;f:$2 - 0 400 200 3200 $3" \
        "pair main 2 0 main:5;g:7 main:5;g:7 - 0 60 30 480 $4" "pair main 2 0 main:6;h:9 main:6;h:9 - 0 9 9 99 $5" \
        "pair main 2 0 main:7;r:9 main:7;r:9 - 0 9 9 99 $6" | pairs "$1" "$(basename "$1" .trace)"
}
run_of a/1.trace 30 1000 90 50 0
run_of a/2.trace 30 1002 110 50 8
run_of b/1.trace 33 500 80 0 0
run_of b/2.trace 33 502 121 0 0
waste --baseline a --format csv b >out
half=$(awk 'BEGIN { printf "%.9g", .95 / sqrt(2 * .975 * .025) * sqrt(2) }')
is "$(rows function status name old new change lo hi runs_old runs_new | sed -n 1,2p)" "$(awk -v h="$half" 'BEGIN {
    printf "less f 1001 501 -500 %.9g %.9g 2 2\n", -500 - h, -500 + h
    print "gone h 50 0 -50 -50 -50 2 2" }')" 'several runs: Welch'"'"'s interval'
is "$(rows function status name change | sed -n 3,4p)" "$(printf '%s\n' 'unclear r -4' 'unclear g 0.5')" \
    '  a change within the interval is none, whatever its size'
printf 'version,us\nold,1000\nold,1002\nnew,500\nnew,502\n' >values.csv
"$programs/assay-compare" --by version --baseline old --format csv values.csv >compared
is "$(rows function name removed removed_lo removed_hi | sed -n 1p)" "$(python3 -c '
import csv
row = next(csv.DictReader(open("compared")))
print("f", *("%.9g" % (1 - float(row[name])) for name in ("ratio", "ratio_hi", "ratio_lo")))')" \
    '  what was removed: as assay compare has the ratio'
# Each run loads 8000 bytes: (1000 + 90 + 50) / 8000 and (1002 + 110 + 50 + 8) / 8000; 580 and 623 of 8000. The interval
# by the normal quantile: variances 30² / 2 and 43² / 2 over 8000², each over two runs.
waste --baseline a --method z --format csv b >out
is "$(rows total quantity old new change lo hi | grep '^fraction')" "$(awk 'BEGIN {
    d = (601.5 - 1155) / 8000; h = 1.959963984540054 * sqrt(30 ^ 2 / 4 + 43 ^ 2 / 4) / 8000
    printf "fraction %.9g %.9g %.9g %.9g %.9g\n", 1155 / 8000, 601.5 / 8000, d, d - h, d + h }')" \
    '  the fractions of runs, with --method z'
waste --baseline a b >out
like out '^not shown: 2 of 4 functions whose change is within its interval' '  those are counted for readers'
waste --baseline a/1.trace --baseline a/2.trace --format csv b/2.trace b/1.trace >out
waste --baseline a --format csv -j 1 b >again
is "$(cmp out again)" '' '--baseline for each trace, in any order, with any number of threads'
waste --baseline a --format csv b/1.trace >out
is "$(rows function name lo hi runs_old runs_new | sed -n 1p)" 'f - - 2 1' 'a version with one run: no interval'

waste --save-state a.state a
waste --save-state b.state b
waste --baseline a.state --format csv b.state >out
is "$(cmp out again)" '' 'saved states'
waste --baseline a/1.trace --baseline a/2.trace --format csv b.state >out
is "$(cmp out again)" '' '  and traces with a state'
waste --baseline a.state --format csv a.state >out
is "$? $(rows function status change | sort -u)" '0 same 0' 'a version and itself: nothing changed'
waste --baseline a --format json b >out
is "$(python3 -c '
import json
result = json.load(open("out"))
print(result["summary"]["baseline"], result["input"], result["loss"]["records_read"])')" \
    "['a/1.trace', 'a/2.trace'] ['b/1.trace', 'b/2.trace', 'a/1.trace', 'a/2.trace'] 20" \
    'JSON names the traces of both, and which are the baseline'

# ------------------------------------------------------------------------------------------ times
#
# f: 100 and 102 samples of 1 us, then 25 and 26 of 2 us, so 101 us and 51 us: values.csv in tenths. g: 50 of 1 us each,
# then 25 of 2 us. In all 151 us and 101 us.
profile a/c1.trace 1 1000 100 'main:4;f:30' 50 'main:5;g:7'
profile a/c2.trace 2 1000 102 'main:4;f:29' 50 'main:5;g:7'
profile b/c1.trace 1 2000 25 'main:4;f:33' 25 'main:5;g:7'
profile b/c2.trace 2 2000 26 'main:4;f:33' 25 'main:5;g:7'
printf 'version,us\nold,100\nold,102\nnew,50\nnew,52\n' >values.csv
"$programs/assay-compare" --by version --baseline old --format csv values.csv >compared
waste --baseline a --functions 0 --format csv b >out
is "$(rows total quantity name old new | tail -n 1)" 'seconds CPU_time 0.000151 0.000101' 'CPU time: samples times their period'
is "$(rows function name time_old time_new time_ratio time_lo time_hi | grep ^f)" "$(python3 -c '
import csv
row = next(csv.DictReader(open("compared")))
print("f 0.000101 5.1e-05", *("%.9g" % float(row[name]) for name in ("ratio", "ratio_lo", "ratio_hi")))')" \
    '  of each function, with Fieller'"'"'s interval'
# 50.5 / 50.5 us of f... in all 151 and 101 us: 1.495 times as fast
waste --baseline a --functions 0 b >again
like again '^CPU time: the new version is 1\.5 times as fast as the baseline \[1\.[0-9]+, 1\.[0-9]+\], by 2 and 2 runs of the profiles' \
    '  a note says how many times as fast the new version is'
is "$(rows function name time_old time_new time_ratio | grep ^g)" 'g 5e-05 5e-05 1' '  what needs the same time'
profile p1.trace 1 1000 5 'main:4;f:60' 3 'main:4;f:50' 9 'main:5;g:7'
profile p2.trace 1 1000 4 'main:4;f:62' 9 'main:5;g:7'
waste --baseline old --baseline p1.trace --lines 0 --format csv new p2.trace >out
is "$(rows line name time_old time_new time_ratio time_lo | sed -n '1,2p;5p')" \
    "$(printf '%s\n' 'f:50 3e-06 0 0 -' 'g:7 9e-06 9e-06 1 -' 'f:62 5e-06 4e-06 0.8 -')" '  of lines, also where they moved'
# Which functions have samples is chance, and so aligns no lines: both lines of f moved by 5.
mkdir s1 s2
for at in 's1 40 60' 's2 45 65'; do
    set -- $at
    printf '%s\n' "pair main 2 0 main:4;f:$2 main:4;f:$2 - 0 40 40 320 320" \
        "pair main 2 0 main:4;f:$3;memcpy main:4;f:$3;memcpy - 0 40 40 320 320" | pairs "$1/1.trace" 1
done
profile p3.trace 1 1000 5 'main:4;f:40;g:3' 3 'main:4;f:60;h:2'
profile p4.trace 1 1000 4 'main:4;f:45' 2 'main:9;k:1'
waste --baseline s1 --baseline p3.trace --lines 0 --format csv s2 p4.trace >out
is "$(rows line status name old_name | sort)" "$(printf '%s\n' 'moved f:45 f:40' 'same memcpy -')" \
    '  samples do not change which line is which'
waste --baseline s1 --baseline p3.trace --format csv s2 p4.trace >out
is "$(grep -c ',CPU time,8e-06,6e-06,-2e-06,' out)" 1 '  sums are of whole nanoseconds'
# A run whose trace has no sample: (4 + 0) / 2 samples a run.
profile p5.trace 1 1000 4 'main:4;f:30'
printf '' | "$build/tests/make_trace" p6.trace series=p5.trace run=2 mode=cpu clock=random period_ns=1000
waste --baseline old --baseline p5.trace --baseline p6.trace --format csv new p2.trace >out
is "$(rows total quantity old runs_old | tail -n 1)" 'seconds 2e-06 2' '  a run without samples is a run'
like err 'the CPU profile of the baseline has 2\.0 samples a run: CPU times are rough' '  few samples a run: a warning'
waste --save-state p5.state old p6.trace p5.trace
waste --baseline p5.state --format csv new p2.trace >again
is "$(cmp out again)" '' '  also in a saved state'
waste --hot --format csv old p5.trace >out
waste --hot --format csv old p5.trace p6.trace >again
is "$(cmp out again)" '' '  to --hot it says nothing'
waste --hot old p6.trace >out
is "$? $(cat err)" '1 assay-waste: no CPU profile: add the traces of assay record -o cpu -- COMMAND to the inputs' \
    '  and without any sample there is no profile'
waste --baseline a/1.trace b >out
like out 'times are compared if both versions include a CPU profile' 'one profile: a note'
like out 'the baseline has one run of accesses, so their amounts have no interval' '  which version has one run'
waste --baseline a/1.trace --hot b >out
like err -- '--hot: there is no CPU profile of one version' '  with --hot a warning'

# ------------------------------------------------------------------------------------------ what can't be compared
#
# Sampled: 40 of 100 and 10 of 100 traps of equal weight. Each has Wilson's interval, and squares add up.
traps() {
    awk -v wasted="$2" 'BEGIN { for (i = 0; i < 100; i++) print "trap main 2 0 main:1;a:10 main:2;b:20", i < wasted, 8, 1 }' |
        "$build/tests/make_pairs" "$1" mode=silent-load engine=signal
}
traps s1.trace 40
traps s2.trace 10
waste --baseline s1.trace --format csv s2.trace >out
is "$? $(rows total quantity name old new change lo hi)" "0 $(python3 -c '
n, z = 100, 1.959963984540054
def wilson(p):
    middle, half = (p + z * z / 2 / n) / (1 + z * z / n), z / (1 + z * z / n) * (p * (1 - p) / n + z * z / 4 / n / n) ** .5
    return middle - half, middle + half
(a, b), (c, d) = wilson(.4), wilson(.1)
print("pair_fraction silent-load 0.4 0.1 -0.3 %.9g %.9g" % (-.3 - ((.1 - c) ** 2 + (b - .4) ** 2) ** .5, -.3 + ((d - .1) ** 2 + (.4 - a) ** 2) ** .5))')" \
    'sampled runs: the fraction of pairs, from the intervals of both'
is "$(rows function name)" '' '  and no functions'
like err 'accesses were sampled: bytes and accesses depend on how long that was, so only fractions are compared' '  a warning says why'

# Bursts: two of 20 loaded bytes, 6 and 4 wasted, then 2 and 1.
bursts() {
    printf '%s\n' 'total main 0 0 5 40' "pair main 2 0 a:1 a:2 - 0 5 3 40 $(($2 + $3))" "burst 2 20 $2 0 0 0" "burst 2 20 $3 0 0 0" |
        "$build/tests/make_pairs" "$1" mode=silent-load engine=exact 'burst={"enable":40,"disable":60}'
}
bursts b1.trace 6 4
bursts b2.trace 2 1
waste --baseline b1.trace --format csv b2.trace >out
is "$(rows total quantity name old new change | cut -d' ' -f1-5)$(rows function name)" 'fraction silent-load 0.25 0.075 -0.175' \
    'bursts: only fractions'
like err 'runs were recorded in bursts: bytes and accesses depend on' '  with a warning'

echo 'pair main 2 0 f:1 f:1 - 0 4 4 32 32' | "$build/tests/make_pairs" java.trace mode=waste engine=rewrite
waste --baseline old --format csv java.trace >out
is "$? $(rows total name)" '1 ' 'two engines: refused'
like err 'only the baseline has runs of engine exact: engines count different accesses; record both with the same' '  with a line'
echo 'pair main 2 0 f:1 f:1 - 0 4 4 32 32' | "$build/tests/make_pairs" loads.trace mode=silent-load engine=exact fp_tolerance=0.02
waste --baseline old --format csv loads.trace >out
is "$? $(rows total name quantity | grep -c store)" '0 0' 'a kind that one version did not record is left out'
like err 'dead-store: only the baseline recorded it; it is left out' '  with a warning'
like err 'the recordings differ in --fp-tolerance, 1 % to 2 %: record both alike' '  other tolerances: a warning'
waste --baseline old --kind dead-store --format csv loads.trace >out
is $? 1 '--kind that one version lacks: status 1'
mkdir kinds
echo 'pair main 2 0 f:1 f:1 - 0 4 4 32 32' | "$build/tests/make_pairs" kinds/1.trace mode=silent-load engine=exact fp_tolerance=0.01
echo 'pair main 0 0 f:1 f:1 - 0 4 4 32 32' | "$build/tests/make_pairs" kinds/2.trace mode=dead-store engine=exact fp_tolerance=0.01
waste --baseline old --format csv kinds >out
like err 'no run of the new version recorded all kinds, which functions and lines add up: choose one with --kind' \
    'functions need runs with all kinds'
waste --baseline old --pairs 0 --format csv kinds >out
is "$? $(rows pair name kind runs_new | grep 'f:1 ')" "0 $(printf '%s\n' 'f:1 dead-store 1' 'f:1 silent-load 1')" \
    '  pairs do not'
waste --baseline a/c1.trace b >out
is $? 1 'a baseline without accesses: status 1'
like err 'no memory accesses of the baseline: record them with assay record' '  with a line'
echo 'pair main 2 0 f:1 f:1 - 0 4 4 32 32' | pairs other.trace 1 'command=["prog","-x"]'
waste --baseline old --baseline other.trace new >out
like out 'only the baseline has runs of prog -x: amounts are means over runs' 'a command of one version: a note'
waste --baseline old other.trace >out
like out 'the commands differ \(prog; prog -x\)' '  other commands likewise'
waste --baseline old --lines 3 --pairs 2 new >out
like err -- '--lines is left out: no table shows it together with --pairs' 'two views: a warning'

for options in '--by program' --threads '--objects 1 --pairs 1' '--plot x.pdf' '--save-state x'; do
    # shellcheck disable=SC2086
    waste --baseline a $options b >out
    is $? 2 "$options: refused"
done
waste --baseline none b >out
is "$? $(cat err)" '1 assay-waste: none: No such file or directory' 'a baseline that does not exist'
waste --baseline a >out
is $? 2 'no traces to compare with it'
head -c 300 a/1.trace >cut.trace
waste --baseline cut.trace --baseline a/2.trace b >out
is $? 1 'a damaged trace of the baseline: status 1'

done_testing
