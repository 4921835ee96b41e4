#!/bin/sh
# assay waste: fractions, pairs, objects and loops against answers computed by hand; runs of several processes; contexts
# numbered differently in every trace; the same bytes for any -j, any order and any split into partial states.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
needs tests/make_trace tests/make_pairs
programs=$build/libexec/assay
make_pairs=$build/tests/make_pairs
waste() {
    "$programs/assay-waste" "$@" 2>err
}
# recorded NAME RUN: a trace of that run of one series
recorded() {
    "$make_pairs" "$1.trace" series=s run="$2" mode=waste engine=exact 'command=["prog"]' fp_tolerance=0.01
}
# columns: the CSV of the last command in `out`, reals with six digits
columns() {
    awk -F, -v OFS=, 'NR > 1 { for (i = 1; i <= NF; i++) if ($i ~ /^-?[0-9]+\.[0-9e-]+$/) $i = sprintf("%.6f", $i); print }' out
}

# Run 1, two processes: 1000 bytes stored (600 precise, 400 approximate), 2000 loaded (1500, 500).
#   dead: 150 + 50 + 100 = 300 of 1000; of pairs 300 of 500; precise 250 of 600; approximate 50 of 400; 50 accesses
#   silent loads: 720 of 2000; of pairs 720 of 800; precise 720 of 1500; approximate 0 of 500; 100 accesses
recorded r1a 1 <<'END'
total main 1 0 10 500
total main 1 1 50 400
total main 0 0 200 1500
total main 0 1 60 500
pair main 0 0 main:1;a:10 main:2;b:20 loop:5 0 30 20 300 150
pair main 0 1 main:1;a:10 main:2;b:20 loop:5 0 10 5 100 50
pair main 2 0 main:3;c:30 main:3;c:30 - 0 100 90 800 720
END
recorded r1b 1 <<'END'
total worker 1 0 10 100
pair worker 0 0 main:1;a:10 main:2;b:20 loop:5 0 10 10 100 100
END
# Run 2: 1000 bytes stored, none loaded. Dead: 40 + 60 of 1000, of pairs 100 of 200. The pair of run 1 has other numbers.
recorded r2 2 <<'END'
total main 1 0 100 1000
pair main 0 0 main:9;z:1 main:2;b:20 - 0 10 4 100 40
pair main 0 0 main:1;a:10 main:2;b:20 loop:5 0 10 6 100 60
END
# Run 3: 1000 bytes stored, 1000 loaded. Dead: 200 of 1000, of pairs 200 of 400. Silent loads: 440 of 1000, of pairs 440
# of 500.
recorded r3 3 <<'END'
total main 1 0 100 1000
total main 0 0 100 1000
pair main 2 0 main:3;c:30 main:3;c:30 - 0 50 44 500 440
pair main 0 0 main:1;a:10 main:2;b:20 loop:5 0 40 20 400 200
END

# --- by kind ---
# Dead stores: 0.3, 0.1, 0.2: mean 0.2, sd 0.1, half width t(0.975, 2) sd / sqrt 3 = 4.3026527297494637 * 0.1 / sqrt 3 =
# 0.248414: the lower bound would be below 0, so Wilson's interval with t in place of z, n = 0.2 * 0.8 / (0.01 / 3) = 48
# (stats/estimates/proportion.h). Silent loads: 0.36 and 0.44, run 2 has none: mean 0.4, half width t(0.975, 1) * 0.04 =
# 12.706204736174694 * 0.04 = 0.508248, so Wilson's with n = 0.4 * 0.6 / 0.0016 = 150. Quantiles: tables of Student's t,
# 4.303 and 12.706.
# pair_fraction: (0.6 + 0.5 + 0.5) / 3 = 0.533333; (0.9 + 0.88) / 2 = 0.89. precise: (250/600 + 0.1 + 0.2) / 3 =
# 0.238889; (0.48 + 0.44) / 2 = 0.46.
waste --format csv r1a.trace r1b.trace r2.trace r3.trace >out
is $? 0 'good traces: status 0'
is "$(head -n 1 out)" \
    'kind,fraction,lo,hi,pair_fraction,bytes,wasted_bytes,precise_fraction,approx_fraction,events,runs' 'the columns'
is "$(columns)" "$(printf '%s\n' \
    'dead-store,0.200000,0.056551,0.510449,0.533333,3000,600,0.238889,0.125000,110,3' \
    'silent-store,0,0,0,,3000,0,0,0,0,3' \
    'silent-load,0.400000,0.095330,0.808346,0.890000,3000,1160,0.460000,0,150,2')" \
    'fractions, their intervals, bytes, events and runs'
# The approximate part of the dead stores' 0.2 is (0.05 + 0 + 0) / 3; of the silent loads' 0.4 it is 0.
is "$(waste --by mode --format csv r1a.trace r1b.trace r2.trace r3.trace | awk -F, '{ print $2, (NR == 1 ? $13 : sprintf("%.6f", $13)) }')" \
    "$(printf '%s\n' 'kind approx_part' 'dead-store 0.016667' 'silent-store 0.000000' 'silent-load 0.000000')" '--by: the approximate part'
waste --format csv r1a.trace r1b.trace r2.trace r3.trace >out
like err '^assay-waste: silent-load: the fraction leaves out 1 of 3 runs: no bytes loaded$' \
    'a run without a fraction is reported'
is "$(waste --format csv r1a.trace r1b.trace | tail -n +2)" "$(printf '%s\n' \
    'dead-store,0.3,,,0.6,1000,300,0.4166666666666667,0.125,50,1' 'silent-store,0,,,,1000,0,0,0,0,1' \
    'silent-load,0.36,,,0.9,2000,720,0.48,0,100,1')" 'processes of a run add up; one run has no interval, and no NaN'
waste r1a.trace >out
like out 'one run gives no interval' 'a note reports that one run gives no interval'
like out '^floating-point values count as equal within 1 %, all others must be identical$' 'the tolerance is reported'
like out '^silent-load +36\.' 'the text table shows percentages'
is "$(waste --kind silent-load --format csv r?*.trace | tail -n +2 | cut -d, -f1)" silent-load \
    '--kind: one row, of that kind'
is "$(waste --method z --kind dead-store --format csv r?*.trace | awk -F, 'NR == 2 { printf "%.6f", $4 - $2 }')" 0.113159 \
    '--method z: the half width is 1.959964 s / sqrt n'
waste --threads --format csv r1a.trace r1b.trace >out
is "$(columns | grep dead-store)" "$(printf '%s\n' \
    'dead-store,main,0.222222,,,0.500000,900,200,0.300000,0.125000,40,1' \
    'dead-store,worker,1,,,1,100,100,1,,10,1')" "--threads: each thread's fraction is of its own bytes"

printf '%s\n' 'total main 1 0 1 100' 'total /2 1 0 1 200' 'pair /2 0 0 f:1 g:2 - 0 1 1 50 50' | "$make_pairs" unnamed.trace mode=dead-store
is "$(waste --threads --format csv unnamed.trace | tail -n +2 | cut -d, -f2,3)" "$(printf '%s\n' main,0 'thread 2,0.25')" \
    'a thread without a name is shown by its number'

# --- sampled: 160 of 400 equal traps. Wilson's interval of 0.4 is 0.353162 to 0.448741; with a bias of 7.6 points, 0.4 -
# sqrt(0.046838^2 + (1.959964 * 0.076)^2) to 0.4 + sqrt(0.048741^2 + 0.148957^2); with 10 points 0.198485 to 0.601966.
awk 'BEGIN { for (i = 0; i < 400; i++) print "trap main 2 0 main:1;a:10 main:2;b:20", i < 160, 8, 1 }' |
    "$make_pairs" traps.trace mode=silent-load engine=soft 'command=["prog"]' fp_tolerance=0.01
bounds() {
    waste --format csv "$@" traps.trace | python3 -c '
import csv, sys
row = next(csv.DictReader(sys.stdin))
print("%.6f %.6f" % (float(row["pair_lo"]), float(row["pair_hi"])))'
}
is "$(bounds --bias 0)" '0.353162 0.448741' '--bias 0: the interval covers sampling error alone'
is "$(bounds)" '0.243852 0.556729' 'by default the interval allows for the remaining bias'
is "$(bounds --bias 10)" '0.198485 0.601966' '  --bias 10: for a bias of 10 points'
waste traps.trace >people
like people 'silent-load: sampling ± [0-9.]+, remaining bias ± 14.9 points \(--bias\)' \
    '  a note reports sampling error and remaining bias'
waste --pairs 0 --bias 10 traps.trace >out
like err '--bias is left out: it widens only the intervals of kinds, which this table does not have' \
    '  --bias with another table: a line says that it has no effect'
waste --bias 10 traps.trace >out
unlike err 'is left out' '  with the table of kinds there is no such line'
waste --bias 101 traps.trace >none
is $? 2 '--bias 101: status 2'

# --- pairs ---
# a to b: 0.3, 0.06, 0.2: mean 0.186667, sd sqrt(((0.113333)^2 + (0.126667)^2 + (0.013333)^2) / 2) = 0.12055428, half
# width 4.3026527297 * 0.12055428 / sqrt 3 = 0.29947336. z to b: 0, 0.04, 0: mean 0.013333, sd 0.0230940, half width
# 0.057369. The lower bounds would be below 0, so Wilson's: n = 31.339 and 74.
# Waste in the pair: a to b 300/500, 60/100, 200/400; z to b 40/100, in run 2 alone; c to c 720/800, 440/500. Of the
# waste of the kind: 300/300, 60/100, 200/200; 0, 40/100, 0; 1, 1. Precise: 250/600, 0.06, 0.2; 0, 0.04, 0; 720/1500,
# 440/1000. Approximate, in run 1 alone: 50/400, 0/400, 0/500.
# Divided by all bytes loaded and stored, 3000, 1000 and 2000: c to c (720/3000 + 0/1000 + 440/2000) / 3 = 0.153333; a to b
# (300/3000 + 60/1000 + 200/2000) / 3 = 0.086667; z to b 40/1000 / 3 = 0.013333.
waste --pairs 0 --format csv r?*.trace >out
is "$(head -n 1 out)" 'rank,kind,fraction,lo,hi,wasted_bytes,first_context,second_context,scope,bytes,wasted_events,events,pair_fraction,waste_share,precise_fraction,approx_fraction,object,storage,traffic_share' \
    'pairs: the columns'
is "$(columns)" "$(printf '%s\n' \
    '1,silent-load,0.400000,0.095330,0.808346,1160,main:3 > c:30,main:3 > c:30,,1300,134,150,0.890000,1,0.460000,0,,,0.153333' \
    '2,dead-store,0.186667,0.038603,0.567446,560,main:1 > a:10,main:2 > b:20,loop:5,1000,61,100,0.566667,0.866667,0.225556,0.125000,,,0.086667' \
    '3,dead-store,0.013333,0.000644,0.220797,40,main:9 > z:1,main:2 > b:20,,100,4,10,0.400000,0.133333,0.013333,0,,,0.013333')" \
    'a pair is one row over all traces and threads; rows are ordered by traffic share'
is "$(waste --threads --merge-threads --pairs 0 --format csv r?*.trace | cmp - out)" '' '--merge-threads undoes --threads'
is "$(waste --pairs 1 --kind dead-store --format csv r?*.trace | tail -n +2 | cut -d, -f1,7)" '1,main:1 > a:10' \
    '--pairs 1 --kind: the first pair of that kind'
waste --pairs 1 r?*.trace >out
like out '^2 more pairs with 600 wasted bytes are not shown \(--pairs 0 shows all\)$' 'the pairs left out are reported'
waste --threads --pairs 0 --kind dead-store --format csv r1a.trace r1b.trace >out
is "$(columns | cut -d, -f1-4,7)" "$(printf '%s\n' '1,dead-store,main,0.200000,200' '2,dead-store,worker,0.100000,100')" \
    '--threads --pairs: fractions of the bytes of all threads'

# 160 of 400 traps, of one access of 8 bytes each, in a trace without totals: of the 3200 bytes of its pairs
is "$(waste --pairs 0 --format csv traps.trace | tail -n +2 | cut -d, -f12-)" 3200,160,400,0.4,1,,,,,0.4 \
    'pairs of sampled accesses: the events that the traps represent, and the waste in the pair'
waste --pairs 1 r?*.trace >out
like out '^rank +kind +traffic_share +fraction +lo +hi +pair_fraction +contexts$' \
    'the text table has the numbers first, and intervals if there are several runs'

# equal fractions: by kind, then names; frames with an address, without a line, lost; long and deep contexts
long=$(awk 'BEGIN { for (i = 0; i < 60; i++) printf "n" }')
deep=$(awk 'BEGIN { printf "main:1"; for (i = 0; i < 3000; i++) printf ";r%d:7", i % 3 }')
"$make_pairs" odd.trace <<END
total main 1 0 1 100
total main 0 0 1 100
pair main 2 0 b;x b;x - 0 1 1 10 10
pair main 2 0 b b - 0 1 1 10 10
pair main 2 0 a;x a@1f - 0 1 1 10 10
pair main 0 0 z #99999 - 0 1 1 10 10
pair main 0 0 - main:4;f:5;g:6;$long:7 - 0 1 1 10 10
pair main 1 0 $deep $deep - 0 1 1 10 10
pair main 0 0 nothing nothing - 0 1 0 10 0
pair main 9 0 b b - 0 1 1 10 10
END
waste --pairs 0 --format csv odd.trace >out
is "$(cut -d, -f2,7,8 out | sed 's/main:1 > r0:7.*r2:7/deep/' | tail -n +2)" "$(printf '%s\n' \
    "dead-store,[unknown],main:4 > f:5 > g:6 > $long:7" 'dead-store,z,[lost definition]' 'silent-store,deep' \
    'silent-load,a > x,a@0x1f' 'silent-load,b,b' 'silent-load,b > x,b > x')" \
    'pairs of equal fractions are ordered by kind, then by names'
is "$(grep silent-store out | cut -d, -f7 | grep -o ' > ' | wc -l | tr -d ' ')" 3000 'CSV has deep contexts in full'
like err '1 records are of kinds that this version does not know' 'an unknown kind is reported'
waste --pairs 0 odd.trace >out
# 36 characters are left for contexts: "… > " and 32 of a name of 62, 19 from its head, 12 from its tail.
like out '^ +… > nnnnnnnnnnnnnnnnnnn…nnnnnnnnnn:7$' 'the text table shortens long names in the middle'
like out '  main:1 > … > r0:7 > r1:7 > r2:7$' '  and shows the outermost and the innermost frames of long contexts'
like out '^ +1 +dead-store +5.00% +100.00% +10 B  \[unknown\]$' '  the first context is in the row of the numbers'
# Here "… > work:30 > … > " leaves 18 characters for the name in the library, 10 from its head and 7 from its tail, and
# "work:30 > … > " 22, 13 and 8. All innermost frames are those of the library.
n30=$(echo "$long" | cut -c1-30)
"$make_pairs" libs.trace <<END
total main 0 0 1 100
pair main 2 0 main:4;a:5;work:30;${n30}1!10;${n30}2!11;$n30!12 main:4;work:7;memcpy!9;memcpy_sse!10 - 0 1 1 10 10
pair main 2 0 main:4;$long:7;memcpy!9 main:4;a:5;b:6;c:7;d:8;work:9;memcpy!9 - 0 1 1 9 9
pair main 2 0 work:30;${n30}1!10;$n30!11 memcpy!9 - 0 1 1 8 8
END
waste --pairs 0 libs.trace >out
like out '  … > work:30 > … > nnnnnnnnnn…nnnn:12$' 'the last frame of the code of the program stays where libraries follow it'
like out '^ +main:4 > work:7 > … > memcpy_sse:10$' '  the outermost one stays as well if it fits'
like out '  … > nnnnnnnnnnnn…nnnnnn:7 > memcpy:9$' '  a long name of its own is cut: to 36 - 4 - 11 characters'
like out '^ +main:4 > … > d:8 > work:9 > memcpy:9$' '  more of its frames if they fit'
like out '  work:30 > … > nnnnnnnnnnnnn…nnnnn:11$' '  the outermost frame may be the last one of the program'
waste --format csv odd.trace >out
is "$(columns | cut -d, -f1,2,5)" "$(printf '%s\n' dead-store,0.200000,0.666667 silent-store,0.100000,1 silent-load,0.300000,1)" \
    'without a mode in the trace, the kinds are those of its pairs'

# --- objects and loops ---
# 800 bytes loaded, 400 of them wasted; 400 + 160 + 40 = 600 are in objects. No run recorded stores: traffic shares are
# of those 800.
"$make_pairs" spatial.trace mode=spatial-load <<'END'
object 0 4000 table
object 1 64 main:3;make:7;malloc
object 1 32 main:3;make:7;malloc
total main 0 0 100 800
pair main 3 0 main:5 main:5 loop:4 1 50 40 400 320
pair main 3 0 main:6 main:6 - 2 10 5 80 40
pair main 3 0 main:6 main:6 - 3 10 5 80 40
pair main 3 0 main:7 main:7 - 9 5 0 40 0
END
waste --format csv spatial.trace >out
is "$(columns)" 'spatial-load,0.500000,,,0.666667,800,400,0.500000,,75,1' 'spatial loads: a fraction of all loads'
waste --objects 0 --format csv spatial.trace >out
is "$(head -n 1 out)" 'rank,kind,object,storage,fraction,lo,hi,wasted_bytes,bytes,wasted_events,events,pair_fraction,waste_share,precise_fraction,approx_fraction,traffic_share' \
    'objects: the columns'
is "$(columns)" "$(printf '%s\n' '1,spatial-load,table,static,0.533333,,,320,400,40,50,0.800000,0.800000,0.533333,,0.400000' \
    '2,spatial-load,main:3 > make:7 > malloc,heap,0.133333,,,80,160,10,20,0.500000,0.200000,0.133333,,0.100000' \
    '3,spatial-load,[lost definition],unknown,0,,,0,40,0,5,0,0,0,,0')" \
    'objects: fractions of the bytes in objects; one row per allocating context'
waste --scopes 0 --format csv spatial.trace >out
is "$(cat out)" "$(printf '%s\n' rank,kind,scope,fraction,lo,hi,wasted_bytes,bytes,wasted_events,events,pair_fraction,waste_share,precise_fraction,approx_fraction,traffic_share \
    '1,spatial-load,loop:4,0.4,,,320,400,40,50,0.8,0.8,0.4,,0.4' '2,spatial-load,,0.1,,,80,200,10,25,0.4,0.2,0.1,,0.1')" \
    'loops: a row for each, and one for code outside loops'
waste --scopes 0 spatial.trace >out
like out '^ +2 +spatial-load +\(no loop\) +10.00%' '  which readers see named'
like out '^traffic_share is of the bytes loaded alone: no run recorded those stored$' '  a note says what traffic_share is of'
waste --scopes 0 traps.trace >out
like out '^ +1 +silent-load +\(no loop or unknown\) ' '  of sampled accesses loops are unknown'
is "$(waste --objects 1 --format csv spatial.trace | tail -n +2 | cut -d, -f3)" table \
    '--objects 1: the first object alone'
is "$(waste --objects 0 --format csv r3.trace | wc -l | tr -d ' ')" 1 'a trace without objects: no rows'
# Of 800 bytes: 320 and 80; of 400 wasted: 0.8 and 0.2. Objects 2 and 3 are one, as their contexts are.
is "$(waste --pairs 0 --format csv spatial.trace | cut -d, -f1,3,6,10-14,17- | tail -n +2)" "$(printf '%s\n' \
    '1,0.4,320,400,40,50,0.8,0.8,table,static,0.4' '2,0.1,80,160,10,20,0.5,0.2,main:3 > make:7 > malloc,heap,0.1')" \
    'pairs of spatial loads name their objects'
"$make_pairs" same.trace mode=spatial-load <<'END'
object 0 4000 table
object 1 64 main:3;make:7;malloc
total main 0 0 100 800
pair main 3 0 main:6 main:6 - 1 10 5 80 40
pair main 3 0 main:6 main:6 - 2 10 5 80 60
END
is "$(waste --pairs 0 --format csv same.trace | cut -d, -f6,7,17 | tail -n +2)" \
    "$(printf '%s\n' '60,main:6,main:3 > make:7 > malloc' '40,main:6,table')" 'pairs of the same contexts in two objects are two'

# --- objects and their pairs ---
# Run 1: 1000 bytes of pairs in objects, 680 precise and 320 approximate; 680 wasted.
#   table 560: main:5-main:5 320 of 400, main:7-main:7 160 of 200 (approximate), main:5-main:6 80 of 160, main:6-main:5 0
#   of 40; heap 40 of 80; mapped 80 of 120 (approximate)
# Run 2: 200 bytes, 150 wasted: table 50 of 100, by main:5-main:5; heap 100 of 100.
of_run() {
    printf '%s\n' 'object 0 4000 table' 'object 1 64 main:3;make:7' 'object 2 4096 main:4;map:8' |
        cat - "$1.txt" | "$make_pairs" "$1.trace" series=x run="$2" mode=spatial-load fp_tolerance=0.01
}
cat >x1.txt <<'END'
total main 0 0 200 1000
total main 0 1 100 600
pair main 3 0 main:5 main:5 loop:4 1 50 40 400 320
pair main 3 0 main:5 main:6 - 1 20 10 160 80
pair main 3 0 main:6 main:5 - 1 10 0 40 0
pair main 3 1 main:7 main:7 - 1 25 20 200 160
pair main 3 0 main:8 main:8 - 2 10 5 80 40
pair main 3 1 main:9 main:9 - 3 30 20 120 80
END
cat >x2.txt <<'END'
total main 0 0 50 400
pair main 3 0 main:5 main:5 loop:4 1 10 5 100 50
pair main 3 0 main:8 main:8 - 2 10 10 100 100
END
of_run x1 1
of_run x2 2
# Fractions: table (0.56 + 0.25) / 2, its pairs (0.32 + 0.25) / 2, 0.16 / 2, the rest 0.08 / 2; heap (0.04 + 0.5) / 2.
# Waste in the pair: (0.7 + 0.5) / 2; (0.8 + 0.5) / 2; 0.8 and 80/200, in run 1 alone; (0.5 + 1) / 2.
# Of the object's waste: (320/560 + 1) / 2; 160/560 / 2; 80/560 / 2. Of all waste: (560/680 + 50/150) / 2;
# (320/680 + 50/150) / 2; 160/680 / 2; 80/680 / 2; (40/680 + 100/150) / 2.
# Precise: (400/680 + 50/200) / 2; (320/680 + 50/200) / 2; 0; 80/680 / 2; (40/680 + 100/200) / 2. Approximate: 160/320 and 0.
# Divided by all bytes loaded, 1600 and 400: table (560/1600 + 50/400) / 2, its pairs (320/1600 + 50/400) / 2 and 160/1600 / 2, the
# rest 80/1600 / 2; heap (40/1600 + 100/400) / 2.
waste --objects 2 --pairs 2 --format csv x1.trace x2.trace >out
is "$(head -n 1 out)" \
    'rank,kind,object,storage,pair,fraction,lo,hi,wasted_bytes,bytes,wasted_events,events,pair_fraction,object_share,waste_share,precise_fraction,approx_fraction,first_context,second_context,scope,traffic_share' \
    'objects and pairs: the columns'
is "$(columns | cut -d, -f1,3-6,9-)" "$(printf '%s\n' \
    '1,table,static,all,0.405000,610,900,75,115,0.600000,1,0.578431,0.419118,0.500000,,,,0.237500' \
    '1,table,static,1,0.285000,370,500,45,60,0.650000,0.785714,0.401961,0.360294,0,main:5,main:5,loop:4,0.162500' \
    '1,table,static,2,0.080000,160,200,20,25,0.800000,0.142857,0.117647,0,0.500000,main:7,main:7,,0.050000' \
    '1,table,static,rest,0.040000,80,200,10,30,0.400000,0.071429,0.058824,0.058824,0,,,,0.025000' \
    '2,main:3 > make:7,heap,all,0.270000,140,180,15,20,0.750000,1,0.362745,0.279412,0,,,,0.137500' \
    '2,main:3 > make:7,heap,1,0.270000,140,180,15,20,0.750000,1,0.362745,0.279412,0,main:8,main:8,,0.137500')" \
    'objects and pairs: each object, its pairs, and their rest'
waste --pairs 2 --objects 2 --format csv x1.trace x2.trace | cmp -s - out
is $? 0 '  --pairs before --objects is the same'
waste --objects 2 --format csv x1.trace x2.trace >objects
is "$(grep ,all, out | cut -d, -f1-4,6-13,15-17,21)" "$(tail -n +2 objects)" "  an object's own row is the one of --objects"
waste --objects 2 --pairs 2 x1.trace x2.trace >out
like out '^ +1 +spatial-load +all +23\.75% +100\.00% +610 B  static table$' '  the text table names an object once'
like out '^ +1 +spatial-load +rest +2\.50% +7\.14% +80 B  \(other pairs\)$' '  and says that other pairs are such'
like out '^1 more objects with 80 wasted bytes are not shown \(--objects 0 shows all\)$' '  the objects left out are reported'
is "$(waste --objects 3 --pairs 1 --format json x1.trace x2.trace | python3 -c '
import json, sys
rows = json.load(sys.stdin)["results"]
print([row["pair"] for row in rows], {row["first_context"] for row in rows if row["pair"] in ("all", "rest")}, rows[-2]["storage"])')" \
    "['all', '1', 'rest', 'all', '1', 'all', '1'] {None} mapped" '  JSON: no context in the rows of several pairs'
is "$(waste --objects 0 --pairs 0 --threads --format csv x1.trace | tail -n 1 | cut -d, -f2,3,5-7)" spatial-load,main,heap,1,0.04 \
    '  --threads: with the thread'
is "$(waste --objects 1 --pairs 1 --scopes 0 --format csv x1.trace | head -n 1 | cut -d, -f3) $(
    waste --scopes 0 --pairs 1 --objects 1 --format csv x1.trace | head -n 1 | cut -d, -f5) $(
    waste --objects 1 --scopes 0 --pairs 1 --format csv x1.trace | head -n 1 | cut -d, -f7)" 'scope pair first_context' \
    '  --scopes after them overrides them, and is overridden by what follows'
# left_out OPTION...: the views that a warning names, with the one that is shown
left_out() {
    waste --format csv "$@" x1.trace >out
    sed -n 's/^assay-waste: \(.*\) is left out: no table shows it together with \(.*\)$/\1 \2,/p' err | tr '\n' ' '
}
is "$(left_out --objects 1 --pairs 1 --scopes 0)" '--pairs --scopes, --objects --scopes, ' '  a warning names what is left out'
is "$(left_out --scopes 0 --objects 1 --pairs 1)" '--scopes --objects with --pairs, ' '    before them, too'
is "$(left_out --pairs 1 --lines 2)" '--pairs --lines, ' '  --pairs and --lines'
is "$(left_out --lines 2 --functions 3)" '--lines --functions, ' '  --lines and --functions'
is "$(left_out --functions 3 --objects 3)" '--functions --objects, ' '  --functions and --objects'
is "$(left_out --objects 3 --pairs 2 --objects 1)" '' '  --objects and --pairs are one table'
waste --objects 2 --pairs 2 --format csv --plot objects.svg x1.trace x2.trace >out
is "$(tr '\n' ' ' <objects.svg | grep -oE "<polygon fill = [^>]*points = '[^']*'" | awk -F"points = '" '
    { split($2, at, /[, ]/); width[NR] = at[3] - at[1] }
    END { for (i = 4; i <= NR; i++) printf "%.2f ", width[i] / width[4] }')" '1.00 0.95 0.28 0.14 ' '  --plot: bars of 0.285, 0.27, 0.08 and 0.04'
# Objects are not for spatial loads alone: any pair may have one. Of 500 bytes in objects, 300 are wasted.
"$make_pairs" java.trace mode=silent-load <<'END'
object 1 16 Main.main:3;List.new:7
total main 0 0 100 1000
pair main 2 0 main:5 main:5 - 1 50 30 500 300
pair main 2 0 main:6 main:6 - 0 10 10 100 100
END
is "$(waste --objects 0 --pairs 0 --format csv java.trace | tail -n +2 | cut -d, -f2-6)" \
    "$(printf '%s\n' 'silent-load,Main.main:3 > List.new:7,heap,all,0.6' 'silent-load,Main.main:3 > List.new:7,heap,1,0.6')" \
    'pairs of other kinds that have objects'
waste --objects 0 java.trace >out
like out '^silent-load: 100 bytes of pairs belong to no object, and are left out$' '  what belongs to none is reported'

# --- one order for all kinds ---
# Stores: 500 of 1000 bytes dead. Loads: 600 of 3000 silent. The smaller fraction is more of all 4000 bytes.
printf '%s\n' 'total main 1 0 10 1000' 'total main 0 0 30 3000' 'pair main 0 0 d:1 d:2 - 0 10 5 1000 500' \
    'pair main 2 0 l:1 l:2 - 0 30 6 3000 600' | "$make_pairs" kinds.trace mode=waste engine=exact
waste --pairs 0 --format csv kinds.trace >out
is "$(cut -d, -f1-3,19 out | tail -n +2 | xargs)" '1,silent-load,0.2,0.15 2,dead-store,0.5,0.125' \
    'rows of different kinds are in the order of their bytes'
is "$(waste --lines 0 --format csv kinds.trace | tail -n +2 | cut -d, -f2 | xargs)" 'l:2 d:1' '  as lines are'
# The same, each kind in a run of its own, twice as long in the second pair of runs: a run's other accesses are taken from
# the others'. Stores 1000 and 2000, loads 3000 and 6000, so 1500 and 4500 where they were not recorded. Dead: (500 / (1000 +
# 4500) + 1000 / (2000 + 4500)) / 2 = 0.122378; silent: (600 / (3000 + 1500) + 1200 / (6000 + 1500)) / 2 = 0.146667.
for run in 1 2; do
    printf '%s\n' "total main 1 0 10 $((run * 1000))" "pair main 0 0 d:1 d:2 - 0 10 5 $((run * 1000)) $((run * 500))" |
        "$make_pairs" stores$run.trace series=st run=$run mode=dead-store engine=exact
    printf '%s\n' "total main 0 0 30 $((run * 3000))" "pair main 2 0 l:1 l:2 - 0 30 6 $((run * 3000)) $((run * 600))" |
        "$make_pairs" loads$run.trace series=lo run=$run mode=silent-load engine=exact
done
waste --pairs 0 --format csv stores?.trace loads?.trace >out
is "$(columns | cut -d, -f2,3,19 | xargs)" 'silent-load,0.200000,0.146667 dead-store,0.500000,0.122378' \
    'runs of one kind each: their other accesses are taken from the other runs'
waste --pairs 0 --format csv loads2.trace stores2.trace loads1.trace stores1.trace >many
cmp -s out many
is $? 0 '  in any order'
waste --functions 0 --format csv stores?.trace loads?.trace >out
is "$(columns | awk -F, '{ print $2, $NF }' | cut -d' ' -f1 | xargs) $(
    python3 -c 'import csv; print(*("%.6f" % float(row["traffic_share"]) for row in csv.DictReader(open("out"))))')" \
    'l d 0.146667 0.122378' '  likewise by function'
waste --pairs 0 stores?.trace loads?.trace >out
is "$(grep -c 'of 4 runs did not record the bytes .*: traffic_share takes the mean of the others for them' out)" 2 \
    '  a note says so for both'
waste --lines 0 stores?.trace >out
like out '^traffic_share is of the bytes stored alone: no run recorded those loaded$' '  if none has them, another note'
waste --lines 0 kinds.trace >out
unlike out 'did not record|alone' '  where all is recorded, none'
# Contexts that differ in addresses below a line, in threads and in their numbers print the same: one row, two with --threads
printf '%s\n' 'total main 0 0 30 3000' 'pair main 2 0 m:1;l:1 m:1;l:2 - 0 3 3 30 30' 'pair other 2 0 m:1;l:1 m:1;l:2 - 0 4 4 40 40' \
    'pair main 2 0 m:1;l:1 m:1;l:2 - 0 5 5 50 50' | "$make_pairs" alike.trace mode=silent-load engine=exact
is "$(waste --pairs 0 --format csv alike.trace | tail -n +2 | cut -d, -f6,7)" '120,m:1 > l:1' 'pairs that print the same are one row'
is "$(waste --pairs 0 --threads --format csv alike.trace | tail -n +2 | cut -d, -f3,7 | xargs)" 'main,80 other,40' '  --threads: a row for each thread'

# --- labels ---
pairs_of() {
    printf '%s\n' "total main 1 0 1 $1" "pair main 0 0 f:1 g:2 - 0 1 1 $2 $2"
}
pairs_of 100 50 | "$make_pairs" p1.trace series=p run=1 mode=dead-store engine=exact exe=/usr/bin/xz 'command=["sh","x"]'
pairs_of 300 30 | "$make_pairs" p1c.trace series=p run=1 mode=dead-store engine=exact exe=/bin/sh 'command=["sh","x"]'
pairs_of 100 70 | "$make_pairs" p2.trace series=p run=2 mode=dead-store engine=exact exe=/usr/bin/xz 'command=["sh","x"]'
waste --by program --format csv p*.trace >out
is "$(columns | cut -d, -f1-3,12)" "$(printf '%s\n' sh,dead-store,0.100000,1 xz,dead-store,0.600000,2)" \
    '--by program: the processes of a run are separate'
# of_jvm KEY=VALUE...: the program of a JVM's trace
of_jvm() {
    echo 'total main 0 0 1 8' | "$make_pairs" jvm.trace mode=silent-load engine=rewrite collector=jvm exe=/opt/jdk/bin/java "$@"
    waste --by program --format csv jvm.trace 2>/dev/null | sed -n '2s/,.*//p'
}
is "$(of_jvm 'command=["java","--add-opens","a/b=c","-Xmx1g","-m","mod/p.Main","x"]')" p.Main \
    '--by program: a JVM has the name of its main class'
is "$(of_jvm 'command=["/opt/jdk/bin/java","-cp","x","-jar","lib/app.jar","-v"]')" app.jar '  or archive'
is "$(of_jvm 'command=["java","@options","Main"]')" java '  or executable, where its arguments are in a file'
is "$(of_jvm 'command=["./script"]')" java '  or a script starts it'
is "$(of_jvm 'command=["java","Other"]' 'main=p.Main x')" p.Main '  the recorded main class comes first'
waste --format csv p*.trace >out
is "$(columns | cut -d, -f1,2,11)" dead-store,0.450000,2 '  without --by they are one run: (80/400 + 70/100) / 2'
is "$(grep -c differ err)" 0 '  different programs are not reported'
waste --format csv p2.trace r3.trace >out
like err 'these runs differ in command; --by command gives a table for each' 'different commands are reported'
is "$(waste --by mode --format csv p2.trace r3.trace | tail -n +2 | cut -d, -f1,2)" \
    "$(printf '%s\n' dead-store,dead-store waste,dead-store waste,silent-store waste,silent-load)" \
    '--by mode: the kinds of each mode'

# --- what must be reported ---
waste --objects 5 r3.trace >out
is $? 1 'no objects recorded: status 1'
like out 'warning: no loads from data objects: record them with assay record --mode spatial-load' \
    '  a warning says how to record them'
echo 'total main 1 0 1 100' | "$make_pairs" clean.trace mode=dead-store engine=exact
for view in --pairs --scopes; do
    waste $view 5 clean.trace >out
    is "$? $(grep -c '^no pair of accesses wasted any bytes$' out)" '0 1' \
        "$view: that a program wastes nothing is an answer"
done
waste --kind spatial-load r3.trace >out
like out 'warning: nothing of kind spatial-load' 'a kind that was not recorded is reported'
echo 'total main 0 0 1 100' | "$make_pairs" adjacent.trace mode=silent-load engine=rewrite adjacent=true
is "$(waste --format csv adjacent.trace | cut -d, -f1 | paste -sd ' ')" 'kind silent-load adjacent-load' \
    'adjacent loads were recorded, although there was none'
pairs_of 100 50 | "$make_pairs" noted.trace mode=dead-store 'burst={"enable":1000,"disable":99000}' fp_tolerance=0.05 \
    'exact={"other_thread_bytes":7,"lost_nodes":2,"lost_depth":3,"lost_scopes":4,"elsewhere_bytes":5,"hidden_classes":6}'
waste noted.trace >out
for text in '7 bytes had last been accessed by another thread' '2 calls are lumped together: there were too many contexts' \
    '3 recursive calls were counted in the context of an earlier call' '4 pairs have a loop that could not be determined' \
    '5 bytes were accessed through Unsafe outside of fields and elements' '6 hidden classes .* have no probes' \
    '1 of 1 traces were recorded in bursts, as of 1000 instructions with about 99000' 'no burst was completed' 'equal within 5 %'; do
    like out "$text" "reported: $text"
done
waste --save-state noted.state noted.trace
waste noted.state noted.trace >out
like out '^7 bytes had last' '  once per trace, however often the trace is given'
# Bursts, as in windows_test.c: of 60 bytes 15 are wasted, 6 are unseen, of 5 that cross 4 are wasted: 0.33; the rest of the
# row is what was seen. From a state, and twice the bursts in two runs: each has 0.33.
bursts_of() {
    "$make_pairs" "$1.trace" series=bursts run="$2" mode=silent-load engine=exact 'burst={"enable":40,"disable":60,"auto":true}' \
        fp_tolerance=0.01 <<'END'
total main 0 0 8 60
pair main 2 0 f:1 g:2 - 0 7 2 54 15
burst 2 20 4 1 2 2
burst 2 20 6 3 0 0
burst 2 20 5 2 3 2
END
}
bursts_of burst1 1
bursts_of burst2 2
waste --format csv burst1.trace >out
is "$(tail -n 1 out | awk -F, '{ printf "%s %.6f %.6f %.6f %.6f %s %s %.2f %s", $1, $2, $3, $4, $5, $6, $7, $(NF - 1), $NF }')" \
    'silent-load 0.330000 0.063293 0.760914 0.277778 60 15 0.10 3' 'bursts: what they did not see is estimated, and the interval allows for it'
waste --save-state burst.state burst1.trace
waste --format csv burst.state >again
is "$(cat again)" "$(cat out)" '  and from a state'
waste --format csv burst1.trace burst2.trace >out
is "$(tail -n 1 out | awk -F, '{ printf "%.6f %.6f %.6f %s", $2, $3, $4, $NF }')" '0.330000 0.330000 0.330000 6' \
    '  two runs have the mean of their estimates, and its interval'
waste burst1.trace >out
like out 'the first ones of 40 instructions with about 60 between' '  a note tells their lengths'
like out '3 bursts; 10.00 % of the bytes loaded may repeat accesses from before the burst: 80 % of them' '  and what is unseen'
like out '3 bursts are too few' '  and that they are few'
waste noted.trace r3.trace >out
like out 'differ in the tolerance of floating-point values: 1 % to 5 %' 'different tolerances are reported'
echo 'pair main 0 0 f:1 g:2 - 0 1 1 50 50' | "$make_pairs" total-less.trace mode=dead-store
is "$(waste --format csv total-less.trace | tail -n 1)" 'dead-store,,,,1,0,50,,,1,0' \
    'no totals: neither a fraction nor NaN'
like err 'dead-store: the fraction leaves out 1 of 1 runs: no bytes stored' '  a warning reports it'
pairs_of 20 50 | "$make_pairs" excess.trace
waste --format csv excess.trace >out
like err 'dead-store: a run wasted more bytes than it stored: totals are missing' 'more wasted than stored is reported'

# --- tables of 100 columns ---
long=$(awk 'BEGIN { printf "std_vector<"; for (i = 0; i < 40; i++) printf "pair<int>,"; print "x>_find(int)" }')
i=0
for trace in wide1 wide2; do
    i=$((i + 1))
    printf '%s\n' "object 1 16 main:3;$long:7" 'total a-thread-with-a-long-name 0 0 100 123456789012' \
        'total a-thread-with-a-long-name 1 0 100 123456789012' \
        "pair a-thread-with-a-long-name 1 0 _start;main:3;$long:7;b:3;$long:12345 main:3;a:1;b:2;$long:9 $long:1234567 1 50000000000 50000000000 98765432109 98765432109" \
        "pair a-thread-with-a-long-name 3 0 $long:7 $long:9 $long:1 1 5 5 987654321 987654321" |
        "$make_pairs" $trace.trace series=wide run=$i mode=waste engine=exact "command=[\"$long\",\"argument\"]"
done
awk -v n="$long" 'BEGIN { for (i = 0; i < 400; i++) print "trap main 2 0 main:1;" n ":10 main:2;" n ":20", i < 160, 8, 1 }' |
    "$make_pairs" wide-traps.trace mode=silent-load engine=soft 'command=["prog"]' fp_tolerance=0.01
# widest: the characters of the widest line of the table in `out`, up to the first empty line
widest() {
    sed '/^ *$/q' out | LC_ALL=C.UTF-8 wc -L
}
for view in '' '--pairs 5' '--objects 5' '--scopes 5' '--functions 5' '--lines 5' '--objects 5 --pairs 5'; do
    for traces in wide1 'wide1 wide2' wide-traps burst1; do
        for rows in '' '--by command' '--by command --threads'; do
            # shellcheck disable=SC2046,SC2086
            waste -q $view $rows $(printf '%s.trace ' $traces) >out
            width=$(widest)
            [ "$width" -le 100 ] || echo "$width: waste $view $rows $traces"
        done
    done
done >wide
is "$(cat wide)" '' 'no table is wider than 100 characters'
waste --pairs 1 wide1.trace >out
like out '^ +1 +silent-store +40\.00% +100\.00% +98\.8 GB ' '  bytes have a unit'
is "$(waste --pairs 1 --format csv wide1.trace | tail -n +2 | cut -d, -f2,6)" silent-store,98765432109 '  which machine formats lack'
like out '^ +\(loop std_vector<p.*…[^ ]*:1234567\)$' '  the line stays where a name is cut'
is "$(waste --pairs 1 --format markdown wide1.trace | grep -c '<br>(loop std')" 1 '  Markdown: the lines of a cell'
is "$(waste --pairs 1 --format latex wide1.trace | grep -cE '; \(loop std.* & 98.8~GB|98.8~GB.*; \(loop std')" 1 '  LaTeX: likewise'

# --- bad input and usage ---
echo 'main 0 0 0 main;a' | "$build/tests/make_trace" samples.trace
waste -q --format csv samples.trace >out
is "$? $(wc -l <out | tr -d ' ') $(cat err)" \
    '1 1 assay-waste: no memory accesses: record them with assay record --engine exact --mode waste' 'a trace without accesses: status 1 and one line, even with -q'
"$make_pairs" idle.trace mode=calls </dev/null
waste --format csv idle.trace spatial.trace >out
like err 'the result leaves out 1 of 2 runs: no memory accesses' '  such a run among others is left out, with a warning'
head -c $(($(wc -c <r3.trace) - 60)) r3.trace >cut.trace
waste --format csv cut.trace >out
is "$?" 1 'a cut trace: status 1'
waste --keep-going --format csv cut.trace >out
is "$?" 0 '  with --keep-going: status 0'
for arguments in '--kind loads' '--pairs x' '--pairs -1' '--objects 1.5' '--scopes ,' '--pairs'; do
    # shellcheck disable=SC2086
    waste $arguments r3.trace >out
    is "$?" 2 "bad usage: $arguments"
done
waste none.trace >out
is "$? $(grep -c none.trace err)" '1 1' 'a missing trace: status 1, and one line names it'
waste --save-state good.state r?*.trace
for change in 's/"pairs":\[\[0/"pairs":[[99/' 's/"nodes":\[\[-1,-1,0],\[0,/"nodes":[[-1,-1,0],[7,/' \
    's/"nodes":\[\[-1,-1,0],\[0,/"nodes":[[-1,-1,0],[-1,/' 's/"nodes":\[\[-1,-1,0],/"nodes":[/' 's/"objects":\[\[4,0]/"objects":[/' \
    's/"totals":\[\[/"totals":[[-1,/' 's/"texts"/"text"/' 's/"recordings":\[\[\([0-9]*\),0/"recordings":[[\1,"x"/' \
    's/"sources":\[\[/"sources":[["x",/' 's/"recordings":\[\[/"recordings":[[1,/'; do
    sed "$change" good.state >bad.state
    waste bad.state >out
    is "$? $(cat err) $(cmp -s good.state bad.state; echo $?)" '1 assay-waste: bad.state: the saved state is damaged 1' "a damaged state: $change"
done

# --- the same bytes, however the work is divided ---
i=0
while [ $i -lt 12 ]; do
    awk -v seed=$i 'BEGIN {
        srand(seed + 1)
        for (o = 1; o <= 5; o++) printf "object %d 8 m;o%d\n", o % 2, (o + seed) % 5
        for (t = 0; t < 3; t++) for (a = 0; a < 2; a++) for (v = 0; v < 2; v++) printf "total pool/%d %d %d 9 100000\n", t, a, v
        for (n = 0; n < 300; n++) {
            w = int(4 * rand()); b = 1 + int(64 * rand())
            printf "pair pool/%d %d %d m:1;f%d:%d m:1;f%d:%d %s %d 1 1 %d %d\n", 3 * rand(), w, 2 * rand(), 9 * rand(), 3 * rand(),
                9 * rand(), 3 * rand(), (rand() < 0.5) ? "-" : ("loop:" int(1 + 3 * rand())), (w == 3) ? 1 + int(5 * rand()) : 0, b, b * rand()
        }
    }' | CHUNK=16 "$make_pairs" "m$i.trace" series=m run=$((i / 2)) mode=waste "exe=/bin/p$((i % 3))" fp_tolerance=0.01
    i=$((i + 1))
done
for options in '' '--threads --by program' '--pairs 0' '--pairs 0 --threads' '--objects 0' '--scopes 0 --by program' '--objects 4 --pairs 3 --threads' '--objects 0 --pairs 2 --by program'; do
    # shellcheck disable=SC2086
    waste $options --format json -j 1 m?.trace m1?.trace >one
    for jobs in 2 8; do
        # shellcheck disable=SC2086
        waste $options --format json -j $jobs m1?.trace m9.trace m[0-8].trace >many
        [ -s one ] && cmp -s one many
        is $? 0 "-j $jobs and another order give the same bytes: waste $options"
    done
    # shellcheck disable=SC2086
    waste $options --format csv m?.trace m1?.trace >one
    waste --save-state a.state m[0-4].trace
    waste --save-state b.state m[5-9].trace
    "$programs/assay-merge" -o ab.state b.state a.state
    # shellcheck disable=SC2086
    waste $options --format csv m1?.trace ab.state >many
    [ -s one ] && cmp -s one many
    is $? 0 "merged partial states give the same bytes: waste $options"
done
is "$(waste --pairs 0 --format csv m?.trace m1?.trace | awk -F, 'NR > 1 { sum[$2] += $6 } END { for (k in sum) print k, sum[k] }' | sort)" \
    "$(waste --format csv m?.trace m1?.trace | awk -F, 'NR > 1 { print $1, $7 }' | sort)" \
    "the pairs' wasted bytes add up to those of each kind"

waste --objects 0 --pairs 5 --threads --by program --format csv m?.trace m1?.trace >out
is "$(python3 -c '
import csv
columns = ["fraction", "wasted_bytes", "bytes", "wasted_events", "events", "object_share", "waste_share", "precise_fraction"]
sums, rests = {}, 0
for row in csv.DictReader(open("out")):
    key = (row["program"], row["rank"])
    values = [float(row[column] or 0) for column in columns]
    rests += row["pair"] == "rest"
    sums[key] = values if row["pair"] == "all" else [a - b for a, b in zip(sums[key], values)]
wrong = sum(abs(value) > 1e-9 for rest in sums.values() for value in rest)
print(wrong, len(sums) >= 20, rests >= 10)')" '0 True True' "the rows of an object's pairs add up to the object's"

# --- formats, figure, folded stacks, dump ---
is "$(waste --format macros --pairs 1 r?*.trace | grep -c '^.assayvalue{waste.*{40')" 1 'LaTeX: values by name'
waste --by program --format csv --plot waste.svg p*.trace >out
is "$? $(grep -cE '>(xz|sh)<' waste.svg)" '0 2' '--by program --plot: the figure has a row per program'
waste --kind dead-store --plot parts.svg r1a.trace r1b.trace >out
is "$? $(tr '\n' ' ' <parts.svg | grep -oE "<polygon fill = [^>]*points = '[^']*'" | awk -F"points = '" '
    { split($2, at, /[, ]/); printf "%s%.2f", NR == 1 ? "" : " ", (at[3] - at[1]) / (NR == 1 ? 1 : first); if (NR == 1) first = at[3] - at[1] }' |
    cut -d' ' -f2-) $(grep -c fill-opacity parts.svg)" '0 0.20 1' '--plot: a bar of 0.25 precise and 0.05 approximate'
waste --pairs 0 --plot pairs.svg p*.trace >out
cmp -s waste.svg pairs.svg
is $? 0 '--plot draws the same figure, whatever the table shows'
export_pairs() {
    "$programs/assay-export" --to folded "$@"
}
is "$(export_pairs --pairs --kind dead-store r1a.trace r1b.trace r3.trace)" 'main;a;main;b 500' \
    'folded stacks: the second context follows the first; weights are summed wasted bytes'
is "$(export_pairs --pairs --lines r1a.trace)" \
    "$(printf '%s\n' 'dead-store;main:1;a:10;main:2;b:20 200' 'silent-load;main:3;c:30;main:3;c:30 720')" 'folded stacks of all kinds'
is "$(export_pairs --pairs --threads --kind dead-store r1b.trace)" 'worker;main;a;main;b 100' 'folded stacks by thread'
is "$(export_pairs --pairs --kind silent-store r1a.trace; echo $?)" 0 \
    'folded stacks: no pair of the kind, no output, status 0'
# pprof and speedscope, read back: bytes and events of the same stacks, with "then" between the two contexts. Dead stores of
# r1a: 150 + 50 bytes and 20 + 5 events, of r1b 100 and 10; silent loads 720 and 90.
for format in pprof speedscope; do
    rm -rf back
    mkdir back
    "$programs/assay-export" --to $format --pairs --lines r1a.trace r1b.trace >pairs.$format &&
        "$programs/assay-import" -o back/ pairs.$format >out 2>err
    is "$?" 0 "--to $format --pairs: read back"
done
is "$(rm -rf back && mkdir back && "$programs/assay-import" -o back/ pairs.pprof >out 2>err && export_pairs --lines back/*.trace)" "$(printf '%s\n' \
    'dead-store;main:1;a:10;then;main:2;b:20 300' 'silent-load;main:3;c:30;then;main:3;c:30 720')" '  pprof: the wasted bytes of each stack'
is "$(export_pairs --weight wasted_events back/*.trace)" "$(printf '%s\n' \
    'dead-store;main;a;then;main;b 35' 'silent-load;main;c;then;main;c 90')" '  and the wasted accesses'
is "$("$programs/assay-hot" --format csv back/*.trace 2>err | tail -n +2 | cut -d, -f2,7 | xargs)" 'c,720 b,300' '  assay hot: the later accesses'
is "$(python3 -c '
import json
profile = json.load(open("pairs.speedscope"))
frames = [(frame["name"], frame.get("line")) for frame in profile["shared"]["frames"]]
for one in profile["profiles"]:
    for stack, weight in sorted(zip(one["samples"], one["weights"]), key=lambda pair: pair[1]):
        print(one["name"], one["unit"], weight, ";".join("%s:%s" % frames[i] if frames[i][1] else frames[i][0] for i in stack))')" "$(printf '%s\n' \
    'main: wasted bytes bytes 200 dead-store;main:1;a:10;then;main:2;b:20' 'main: wasted bytes bytes 720 silent-load;main:3;c:30;then;main:3;c:30' \
    'main: wasted events none 25 dead-store;main:1;a:10;then;main:2;b:20' 'main: wasted events none 90 silent-load;main:3;c:30;then;main:3;c:30' \
    'worker: wasted bytes bytes 100 dead-store;main:1;a:10;then;main:2;b:20' 'worker: wasted events none 10 dead-store;main:1;a:10;then;main:2;b:20')" \
    '  speedscope: a profile of each for every thread'
is "$("$programs/assay-export" --to speedscope --pairs --kind dead-store r1b.trace | python3 -c '
import json, sys
profile = json.load(sys.stdin)
print([profile["shared"]["frames"][i]["name"] for i in profile["profiles"][0]["samples"][0]])')" "['main', 'a', 'then', 'main', 'b']" '  --kind: without the kind as outermost frame'
# Sampled pairs count for the accesses that they represent: 3 of 8 bytes and 2 of 4, which were wasted, and 5 of 8, which
# were not.
"$make_pairs" sampled-pairs.trace mode=silent-load engine=soft <<'END'
trap main 2 0 main:1;f:2 main:1;g:3 1 8 3
trap main 2 0 main:1;f:2 main:1;g:3 0 8 5
trap main 2 0 main:1;f:2 main:1;g:3 1 4 2
trap main 9 0 main:1;f:2 main:1;g:3 1 4 2
END
is "$(export_pairs --pairs --lines sampled-pairs.trace 2>err)" 'silent-load;main:1;f:2;main:1;g:3 32' 'folded stacks of sampled pairs'
like err 'sampled-pairs.trace: 1 records are of kinds that this version does not know' '  an unknown kind is reported'
rm -rf back
mkdir back
"$programs/assay-export" --to pprof --pairs sampled-pairs.trace 2>err >pairs.pprof && "$programs/assay-import" -o back/ pairs.pprof >out 2>err
is "$(export_pairs back/*.trace) $(export_pairs --weight wasted_events back/*.trace)" \
    'silent-load;main;f;then;main;g 32 silent-load;main;f;then;main;g 5' '  pprof: bytes and accesses'
"$programs/assay-export" --to chrome --pairs r1a.trace >out 2>err
is "$? $(grep -c 'pairs needs --to folded, speedscope or pprof' err)" '2 1' '--to chrome --pairs: status 2'
head -c 100 r1a.trace >cut-pairs.trace
"$programs/assay-export" --to pprof --pairs cut-pairs.trace >out 2>err
is "$? $(grep -c cut-pairs.trace err)" '1 1' '--to pprof --pairs of a cut trace: status 1'
"$programs/assay-export" --to speedscope --pairs clean.trace | python3 -c 'import json, sys; print(json.load(sys.stdin)["profiles"])' >out
is "$(cat out)" '[]' 'no pairs: an empty profile'
export_pairs --kind dead-store r1a.trace >out 2>err
is "$? $(grep -c 'needs --pairs' err)" '2 1' '--kind without --pairs: status 2'
export_pairs --pairs --kind nope r1a.trace >out 2>err
is "$?" 2 'an unknown kind: status 2'
is "$("$programs/assay-dump" --kind pair r3.trace | tail -n 1)" '1,4,dead-store,precise,4,6,7,0,40,20,400,200' 'dump: pairs'
is "$("$programs/assay-dump" --kind total r1a.trace | sed -n 3p)" '1,2,store,approximate,50,400' 'dump: totals'
is "$("$programs/assay-dump" --kind object spatial.trace | sed -n 2p)" '0,1,static,4000,1' 'dump: objects'
done_testing
