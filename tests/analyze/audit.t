#!/bin/sh
# assay audit waste: both fractions, the interval, and how the worst pairs compare, against answers computed by hand;
# the same bytes for any -j, any order and any split into partial states.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
needs tests/make_pairs
programs=$build/libexec/assay
make_pairs=$build/tests/make_pairs
audit() {
    "$programs/assay-audit" waste "$@" 2>err
}
# recorded NAME ENGINE MODE RUN [PROGRAM]
recorded() {
    "$make_pairs" "$1.trace" "series=$2-$3" run="$4" mode="$3" engine="$2" "command=[\"${5:-prog}\"]" fp_tolerance=0.01
}
# row N: of the CSV of the last command in `out`, reals with six digits
row() {
    awk -F, -v OFS=, -v n="$1" 'NR == n + 1 { for (i = 1; i <= NF; i++) if ($i ~ /^-?[0-9]+\.[0-9e-]+$/) $i = sprintf("%.6f", $i); print }' out
}

# Silent loads: 1000 of 2000 bytes with an earlier load. The worst: a > b 600, c > c 300, d > d 100.
# Silent stores: 30 of 100.
recorded exact exact waste 1 <<'END'
total main 0 0 400 4000
total main 1 0 40 200
pair main 2 0 main:1;a:10 main:2;b:20 - 0 100 75 800 600
pair main 2 0 main:3;c:30 main:3;c:30 - 0 50 37 400 300
pair main 2 0 main:4;d:40 main:4;d:40 - 0 25 12 200 100
pair main 2 0 main:5;e:50 main:5;e:50 - 0 75 0 600 0
pair main 1 0 main@100;s@200 main@100;s@210 - 0 10 3 100 30
END
# Silent loads, bytes times weight: wasted 16 of a > b, 24 of d > d, 8 of e > e; not wasted 8 of a > b, 24 of d > d.
# 48 of 80 bytes: 0.6. The weights' effective number is 0.6 * 0.4 * 80^2 / (0.16 * (16^2 + 24^2 + 8^2) + 0.36 * (8^2 + 24^2))
# = 4.109589, which makes Wilson's interval 0.207757 to 0.895616. Of the three worst, two were sampled. Their wasted
# bytes 600 > 300 > 100 are 16, 0, 24 here: of three comparisons one agrees and two do not, so tau is -1/3. The lists
# ab, c, d and d, ab, e are three edits apart. Only c was missed: 400 of 2000 bytes, 300 of 1000 wasted. The effective number
# of traps is 80^2 / (16^2 + 8^2 + 24^2 + 24^2 + 8^2) = 4.1667, and 0.8 to this power is 0.39: c is too rare. Such a number
# misses 0.4 * 0.6^n + 0.2 * 0.8^n + 0.1 * 0.9^n + 0.3 * 0.7^n = 0.258879 on average.
recorded loads1 soft silent-load 1 <<'END'
trap main 2 0 main:1;a:10 main:2;b:20 1 8 2
trap main 2 0 main:1;a:10 main:2;b:20 0 8 1
trap main 2 0 main:4;d:40 main:4;d:40 1 8 3
END
recorded loads2 soft silent-load 2 <<'END'
trap main 2 0 main:5;e:50 main:5;e:50 1 4 2
trap main 2 0 main:4;d:40 main:4;d:40 0 8 3
END
# Silent stores: 4 of 16 bytes, 0.25; effective 0.1875 * 16^2 / (4^2 * 0.5625 + (4^2 + 8^2) * 0.0625) = 3.428571: 0.040742 to 0.723456.
# The exact runs have one pair of lines, which was sampled. Its two traps have 8 of the 16 bytes: extra is 0.5. One whole pair
# can't be missed.
# A return address up to seven bytes after the beginning of a call belongs to that call; eight bytes after is another
# place. In the accesses' own frames the exact address counts.
recorded stores soft silent-store 1 <<'END'
trap main 1 0 main@107;s@200 main@107;s@210 1 4 1
trap main 1 0 main@108;s@200 main@108;s@210 0 4 1
trap main 1 0 main@107;s@201 main@107;s@210 0 4 2
END
recorded alone soft silent-load 1 another <<'END'
trap main 2 0 main:1;a:10 main:2;b:20 1 8 2
END

audit --format csv --exact exact.trace loads1.trace loads2.trace stores.trace alone.trace >out
is $? 0 'an audit: status 0'
is "$(head -n 1 out)" \
    'program,kind,exact,sampled,lo,hi,error_points,covered,top10_found,kendall_tau,edit_distance,traps,wide_lo,wide_hi,wide_covered,way,unseen,bursts,missed_lo,missed_hi,missed_waste_lo,missed_waste_hi,missed_by_chance,extra' '  its columns'
is "$(row 1)" 'prog,silent-store,0.300000,0.250000,0.040742,0.723456,-5.000000,1,1,,0,3,,,,samples,,,0,0,0,0,0,0.500000' \
    'callers'"'"' addresses match within a call instruction, the accesses'"'"' exactly'
is "$(row 2)" 'prog,silent-load,0.500000,0.600000,0.207757,0.895616,10.000000,1,2,-0.333333,3,5,,,,samples,,,0,0.200000,0,0.300000,0.258879,0' \
    'the traps of all runs are pooled'
is "$(row 3)" '' '  no further rows'
like err '1 program was recorded in one way only and is left out' 'a program without a counterpart is reported'

audit --format csv --lines 0 exact.trace loads1.trace loads2.trace stores.trace >singles
is "$(grep -c . singles) $(sed -n 2p singles)" '3 prog,silent-store,sampled,0,0.5,1,,a line at which the exact runs have no access,s@0x201,s@0x210' \
    '--lines: what only samples have'
is "$(sed -n 3p singles | cut -d, -f 2-6,8-)" 'silent-load,exact,0.3,0.2,0,too rare to be sampled,c:30,c:30' '  what only the exact runs have'

# Another program: 0.6 exact, 160 of 400 traps of equal weight: Wilson's interval of 0.4 is 0.353162 to 0.448741 and
# does not contain 0.6. Of its squared error of 0.04 sampling explains 0.4 * 0.6 / 400: the bias is sqrt(0.0394) =
# 0.198494, and prog's intervals are widened by z times that: silent stores 0.25 - sqrt(0.209258^2 + 0.389042^2) < 0, so
# 0, to 0.862792; silent loads 0.047543 to 1. Sampling explains prog's own errors: no bias that would widen other's
# interval.
recorded other exact waste 1 other <<'END'
total main 0 0 400 4000
pair main 2 0 main:1;a:10 main:2;b:20 - 0 100 60 1000 600
END
awk 'BEGIN { for (i = 0; i < 400; i++) print "trap main 2 0 main:1;a:10 main:2;b:20", i < 160, 8, 1 }' |
    recorded others soft silent-load 1 other
audit --format csv exact.trace loads?.trace stores.trace other.trace others.trace >out2
cp out out1
cp out2 out
is "$(row 1 | cut -d, -f1,2,13-18)" 'other,silent-load,0.353162,0.448741,0,samples,,' \
    "an interval is widened by the bias of the other programs: here none"
is "$(row 2 | cut -d, -f1,2,13-18)" 'prog,silent-store,0,0.862792,1,samples,,' '  here some; the interval stays within 0 and 1'
is "$(row 3 | cut -d, -f1,2,13-18)" 'prog,silent-load,0.047543,1,1,samples,,' '  it is wider on both sides'
audit exact.trace loads?.trace stores.trace other.trace others.trace >people
like people 'standard deviation 0.00 points .assay waste --bias 0.00.; widened by that of the other programs, 2 of 3 intervals contain' \
    '  a note reports the bias'
cp out1 out

audit -j 1 --format json alone.trace stores.trace loads2.trace loads1.trace exact.trace >backwards
audit -j 4 --format json exact.trace loads1.trace loads2.trace stores.trace alone.trace >forwards
is "$(grep -v '"input"' forwards)" "$(grep -v '"input"' backwards)" 'the same for any order and -j'
audit --save-state=one --exact exact.trace stores.trace
audit --save-state=two loads1.trace alone.trace loads2.trace
audit --format csv two one >again
is "$(cat again)" "$(cat out)" '  and for partial states'

# Bursts: of all bytes loaded, exactly 1000 of 4000 are wasted. Three bursts of 20 bytes, as in windows_test.c: 0.33, from
# 0.063293 to 0.760914. Samples of the same program have a row of their own.
recorded bursts exact waste 2 <<'END'
total main 0 0 8 60
pair main 2 0 main:1;a:10 main:2;b:20 - 0 8 2 60 15
burst 2 20 4 1 2 2
burst 2 20 6 3 0 0
burst 2 20 5 2 3 2
END
audit --format csv exact.trace loads?.trace bursts.trace >out
is "$(row 1)" 'prog,silent-load,0.500000,0.600000,0.207757,0.895616,10.000000,1,2,-0.333333,3,5,,,,samples,,,0,0.200000,0,0.300000,0.258879,0' \
    'bursts do not count as full runs'
is "$(row 2 | cut -d, -f 1-9)" 'prog,silent-load,0.250000,0.330000,0.063293,0.760914,8.000000,1,1' \
    '  they are compared with these, by the share of all bytes'
is "$(row 2 | cut -d, -f 12-)" '0,,,,bursts,0.100000,3,,,,,,' '  with their number, and what they could not see'
is "$(row 3)" '' '  a kind without bursts has no row'
audit --save-state=one bursts.trace
audit --format csv exact.trace loads?.trace one >again
is "$(cat again)" "$(cat out)" '  and from a state'

audit --format csv exact.trace >nothing
is $? 1 'nothing to compare with: status 1'
like err 'no program and kind was recorded both by engine exact or rewrite, in full, and by sampling or in bursts' '  a line reports it'
is "$(wc -l <nothing)" 1 '  the header is printed'
audit --format csv exact.trace stores.trace -o /dev/full
is $? 1 'a full disk: status 1'
done_testing
