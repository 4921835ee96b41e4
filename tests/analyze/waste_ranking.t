#!/bin/sh
# assay waste --hot, --functions and --lines: where a program wastes accesses, and what mending a place can gain, against
# answers computed by hand.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
needs tests/make_trace tests/make_pairs
programs=$build/libexec/assay
waste() {
    "$programs/assay-waste" "$@" 2>err
}
# profile NAME RUN COUNT STACK...: a CPU profile with so many samples of each stack
profile() {
    name=$1 run=$2
    shift 2
    while [ $# -gt 0 ]; do
        awk -v n="$1" -v stack="$2" 'BEGIN { for (i = 0; i < n; i++) print stack }'
        shift 2
    done | awk '{ print "main", NR, NR * 1000, NR * 1000, $0 }' |
        "$build/tests/make_trace" "$name.trace" series=c run="$run" mode=cpu clock=random period_ns=1000
}
# columns FORMAT NAME...: these columns of the CSV in `out`, a row a line, by printf's FORMAT for numbers
columns() {
    python3 -c '
import csv, sys
for row in csv.DictReader(open("out")):
    cells = []
    for name in sys.argv[2:]:
        try:
            cells.append(sys.argv[1] % float(row[name]))
        except ValueError:
            cells.append(row[name])
    print(" ".join(cells))' "$@"
}

# Lines and their accesses in pairs, wasted ones first:
#   f:30    loads 99 of 100                                      w = 0.99
#   g:50    stores: 20 of 40 dead, 30 of 40 silent; loads 0 of 60: w = 30/100, 240 bytes
#   main:3  calls memset: stores 200 of 200 dead                 w = 1
#   rare:70 a load, 1 of 1                                       w = 1
# These are 401 accesses. All bytes: 10000.
mkdir both
"$build/tests/make_pairs" both/w.trace series=w run=1 mode=waste engine=exact 'command=["prog"]' fp_tolerance=0.01 <<'END'
total main 0 0 500 4000
total main 1 0 700 6000
pair main 2 0 main:4;f:30 main:4;f:30 - 0 100 99 800 792
pair main 0 0 main:5;g:50 main:5;g:51 - 0 40 20 320 160
pair main 1 0 main:5;g:48 main:5;g:50 - 0 40 30 320 240
pair main 2 0 main:5;g:48 main:5;g:50 - 0 60 0 480 0
pair main 0 0 main:3;memset!99;helper!7 main:9 - 0 200 200 1600 1600
pair main 2 0 rare:70 rare:70 - 0 1 1 8 8
END
# Samples: f:30, its loop's head f:29, the line that only calls f, g:50, memset, rare:70 (of a hundred).
profile both/c1 1 34 'main:4;f:30' 20 'main:4;f:29' 2 'main:4' 10 'main:5;g:50' 4 'main:3' 30 'rare:70'
profile both/c2 2 30 'main:4;f:30' 10 'main:4;f:29' 20 'main:5;g:50' 10 'main:3' 30 'rare:70'

waste --hot --lines 0 --format csv both/*.trace >out
is $? 0 '--hot --lines'
# gain, f:30: 0.99 * mean of 0.34 and 0.30; its bound: of 0.34 + 0.20 + 0.02 and 0.30 + 0.10; rare:70: at most 100 times its 1/401 of the accesses, of 0.3;
# main:3: 0.04 and 0.10; g:50: 0.3 * mean of 0.1 and 0.2; its bound: 30 of 40 stores, but at most 2 * 0.3
is "$(columns %.6f rank line gain bound time wasted)" "$(printf '%s\n' \
    '1.000000 f:30 0.316800 0.475200 0.320000 0.990000' '2.000000 rare:70 0.249377 0.249377 0.300000 1.000000' \
    '3.000000 main:3 0.070000 0.070000 0.070000 1.000000' '4.000000 g:50 0.045000 0.090000 0.150000 0.300000')" \
    'gain: the time of the line times its wasted share; bound: with its helpers'
is "$(columns %g line dead_store silent_store silent_load accesses wasted_bytes traffic_share)" "$(printf '%s\n' \
    'f:30   0.99 100 792 0.0792' 'rare:70   1 1 8 0.0008' 'main:3 1   200 1600 0.16' 'g:50 0.5 0.75 0 100 240 0.024')" \
    '  the kinds: a store that is both dead and silent counts once, and the C library for the line that calls it'
is "$(columns %s context | sed -n 3p)" 'main:3 > memset:99 > helper:7' '  the context of what wasted most'
is "$(python3 -c '
import csv
for row in csv.DictReader(open("out")):
    print(float(row["gain_lo"]) < float(row["gain"]) < float(row["gain_hi"]) or row["line"])' | sort | uniq -c | xargs)" \
    '3 True 1 rare:70' '  each has an interval, but what is the same in all runs'

waste --hot --lines 0 --format csv both/w.trace both/c1.trace >out
# Wilson's intervals of 0.34 and 0.56 in 100 samples, times 0.99
is "$(columns %.6f gain gain_lo gain_hi bound bound_lo bound_hi | sed -n 1p)" "$(python3 -c '
n, z = 100, 1.959963984540054
for p in .34, .56:
    middle, half = (p + z * z / 2 / n) / (1 + z * z / n), z / (1 + z * z / n) * (p * (1 - p) / n + z * z / 4 / n / n) ** .5
    print("%.6f %.6f %.6f" % (.99 * p, .99 * (middle - half), .99 * (middle + half)))' | xargs)" 'one run of the profile: Wilson'"'"'s interval'

waste --hot --format csv both/*.trace >out
is "$(columns %.6f function gain | xargs)" 'f 0.316800 rare 0.249377 main 0.070000 g 0.045000' '--hot: by function'
is "$(columns %s lines | sed -n 1p)" '30 (31.7 %)' '  with its lines'
waste --functions 0 --format csv both/w.trace >out
is "$(columns %g function traffic_share | xargs)" 'main 0.16 f 0.0792 g 0.024 rare 0.0008' \
    '--functions without --hot: by bytes, whatever the kind'
waste --lines 1 both/w.trace >out
like out '^3 more lines with 39.4 % of the wasted bytes are not shown \(--lines 0 shows all\)$' 'lines left out are reported'
waste --functions 0 --kind silent-load --format csv both/w.trace >out
is "$(columns %g function traffic_share | xargs)" 'f 0.0792 rare 0.0008' '--kind: loads alone'

# A line that calls a function and loads something itself (main:4) helps the function, but the head of its loop (main:3) does
# not: h:10 has the bound 0.5 + 0.2. Needless are 9 of 10 loads of s:20 and so all that is stored of them, 0.9 of its 0.1,
# and of k:60 one store of one and one load of 99, 0.02 of 0.1. main:4 has 5 of 10 loads, and its helper: 0.5 * (0.2 + 0.1).
"$build/tests/make_pairs" calls.trace series=w run=1 mode=waste engine=exact 'command=["prog"]' fp_tolerance=0.01 <<'END'
pair main 2 0 main:4;h:10 main:4;h:10 - 0 10 10 80 80
pair main 2 0 main:4 main:4 - 0 10 5 80 40
pair main 2 0 s:20 s:20 - 0 10 9 80 72
pair main 1 0 s:20 s:20 - 0 10 0 80 0
pair main 2 0 k:60 k:60 - 0 99 0 792 0
pair main 1 0 k:60 k:60 - 0 1 1 8 8
END
profile calls-cpu 1 50 'main:4;h:10' 20 main:4 10 main:3 10 s:20 10 k:60
waste --hot --lines 0 --format csv calls.trace calls-cpu.trace >out
is "$(columns %.3f line gain bound)" "$(printf '%s\n' 'h:10 0.500 0.700' 'main:4 0.100 0.150' 's:20 0.045 0.090' 'k:60 0.001 0.002')" \
    'bound: with the line that calls, and needed accesses for wasted ones of the other kind, one each'

# Less than 1 % of the time: memset's line with 1 of 400 samples
profile cold 1 399 'main:4;f:30' 1 'main:3'
waste --hot --lines 9 both/w.trace cold.trace >out
is "$(awk '$1 == 1 { print $2, $3, $5 }' out)" 'f:30 98.75% 99.75%' '--hot for readers: places that take time'
like out '^3 lines with less than 1 % of the time each are not shown, and 70.0 % of the wasted bytes there \(--lines 0 shows all\)$' \
    '  the others are counted'
# 1.96 * sqrt(0.25 / 400), and of 16
like out '^time, gain and bound are of 400 samples in 1 run: a share of 50 % is known to within 4.9 points' \
    '  a note says how well samples tell the time'
profile few 1 16 'main:4;f:30'
waste --hot both/w.trace few.trace >out
like out '^time, gain and bound are of 16 samples in 1 run, which are few: .* within 24.5 points' '  and that they are few'

waste --format csv both/w.trace >alone
waste --format csv both/*.trace >out
is "$(cmp alone out)" '' 'a CPU profile among the inputs does not change the table of kinds'
waste --lines 0 both/*.trace >out
like out 'the inputs include a CPU profile: --hot ranks by what mending can gain' '  a note says what it is good for'
waste --hot both/w.trace >out
is $? 1 '--hot without a profile: status 1'
like err 'no CPU profile: add the traces of assay record -o cpu -- COMMAND' '  and a line says what is missing'
waste --hot both/c1.trace >out
is $? 1 '--hot without accesses: status 1'
like err 'no accesses: record them with assay record --mode waste' '  likewise'
waste --hot --pairs 3 both/*.trace >out
like err '--hot ranks functions, or with --lines lines: --pairs, --objects and --scopes are left out' '--pairs: likewise'
waste --hot --plot x.pdf both/*.trace >out
is $? 2 '--plot: there is no figure'

# A pair in a trace that says it is a CPU profile is an access all the same.
echo 'pair main 2 0 f:1 f:1 - 0 4 4 32 32' | "$build/tests/make_pairs" odd.trace mode=cpu
waste --lines 0 --format csv odd.trace >out
is "$(columns %g line traffic_share)" 'f:1 1' 'what a trace has counts, not what it says'
# An exact trace and a sampled one of loads, which has no totals: 10000 bytes, and 100 of its pairs with the 6000 stored by
# the other. The mean share of silent loads is that of 0 and 100 / 6100.
echo 'trap main 2 0 h:1 h:1 1 100 1' | "$build/tests/make_pairs" sampled.trace mode=silent-load engine=soft
waste --lines 0 --format csv sampled.trace both/w.trace >out
is "$(columns %.6f line traffic_share | grep h:1)" 'h:1 0.008197' 'bytes of all: totals, or of sampled accesses those of the pairs'
# g has two lines, one with 800 dead bytes and one with 800 silent ones, of 2000; h 900.
"$build/tests/make_pairs" two.trace mode=waste engine=exact <<'END'
total main 1 0 250 2000
pair main 0 0 main:1;g:1 main:1;g:9 - 0 100 100 800 800
pair main 1 0 main:1;g:2 main:1;g:2 - 0 100 100 800 800
pair main 1 0 main:2;h:2 main:2;h:2 - 0 10 10 900 900
END
waste --functions 0 --format csv two.trace >out
is "$(columns %g function traffic_share accesses | xargs)" 'g 0.8 200 h 0.45 10' 'the values of lines add up to those of their function'

# Dead and silent stores of one line, recorded in runs of one kind each: 100 and 60 of 1000 bytes. They are the same stores,
# so the larger share counts, and not the mean of the two.
for run in 1 2; do
    if [ $run = 1 ]; then kind=0 wasted=100 mode=dead-store; else kind=1 wasted=60 mode=silent-store; fi
    printf '%s\n' 'total main 1 0 125 1000' "pair main $kind 0 s:1 s:1 - 0 100 10 800 $wasted" |
        "$build/tests/make_pairs" kind$run.trace series=k run=$run mode=$mode engine=exact
done
waste --functions 0 --format csv kind1.trace kind2.trace >out
is "$(columns %g function traffic_share wasted_bytes)" 's 0.1 100' 'dead and silent stores of different runs count once'
waste --functions 0 --kind silent-store --format csv kind1.trace kind2.trace >out
is "$(columns %g function traffic_share)" 's 0.06' '  --kind: that one'

# What a program inlined from a header of the C library, and the stub of a function there, belong to the line that called it.
"$build/tests/make_pairs" inlined.trace mode=waste engine=exact <<'END'
total main 0 0 16 128
pair main 2 0 main:9;read~38 main:9;read~38 - 0 4 4 32 32
pair main 2 0 main:8;strlen@plt@1040 main:8;strlen@plt@1040 - 0 2 2 16 16
pair main 2 0 main:8;strlen@plt@1040;strlen!7 main:8;strlen@plt@1040;strlen!7 - 0 1 1 8 8
pair main 2 0 main:7;read:38 main:7;read:38 - 0 1 1 8 8
END
waste --lines 0 --format csv inlined.trace >out
is "$(columns %g line wasted_bytes | xargs)" 'main:9 32 main:8 24 read:38 8'     'headers of the C library and stubs are not code of the program, but its own function read() is'

waste --hot --threads both/*.trace >out
like err 'functions and lines are ranked over all inputs, without --by and --threads' '--threads: says that there is no such table'

waste --hot --lines 0 --format csv both/*.trace >expected
for how in '-j 1' '-j 7'; do
    ASSAY_PART_RECORDS=3 waste --hot --lines 0 --format csv $how both/*.trace >out
    is "$(cmp expected out)" '' "the same bytes with $how in many parts"
done
waste --save-state one.state both/c2.trace both/w.trace && waste --save-state two.state both/c1.trace
waste --hot --lines 0 --format csv two.state one.state >out
is "$(cmp expected out)" '' '  and from states'
waste --hot --lines 0 --format csv both >out
is "$(cmp expected out)" '' 'a directory stands for its traces'
touch both/notes.txt both/.hidden.trace && mkdir none both/deeper.trace
waste --hot --lines 0 --format csv both/ >out
is "$(cmp expected out)" '' '  and other files in it are left alone'
mkdir both/profile && cp few.trace both/profile
"$programs/assay-info" both >out
is "$(grep -o '^both[^:]*' out | xargs)" 'both/c1.trace both/c2.trace both/w.trace both/profile/few.trace' \
    '  also for assay info, which shows its profile, too'
"$programs/assay-export" --to folded both both/c1.trace >out
"$programs/assay-export" --to folded both/c1.trace both/c2.trace both/w.trace both/c1.trace >expected
is "$? $(cmp out expected)" '0 ' '  and for assay export, without the profile'
"$programs/assay-info" none both/w.trace >out 2>err
is "$? $(grep -o '^both[^:]*' out | xargs)" '1 both/w.trace' '  one without traces: the others are shown'
like err 'assay-info: none: is a directory; name the traces or profiles in it' '    and a line says why the status is 1'
rm -r both/profile
waste both/w.trace none >out
is $? 1 '  one without traces: status 1'
like err 'assay-waste: none: is a directory; name the traces' '    with a line'
done_testing
