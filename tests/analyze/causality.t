#!/bin/sh
# assay causality: slopes with known answers, the paper's published slopes, planted profilers, invalid points, the same
# result for any number of threads, and invalid input.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
needs tests/make_trace
causality() {
    "$build/libexec/assay/assay-causality" "$@" 2>err
}
columns='--method method --run run --real program_ms --reported method_ms'
# field COLUMN ROW: of the CSV in out
field() {
    awk -F, -v name="$1" -v row="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR == row + 1 { print $at }' out
}
# refused STATUS MESSAGE WHAT ARGUMENT...
refused() {
    wanted="$1 1" message=$2 what=$3
    shift 3
    causality "$@" >out
    got="$? $(grep -vcE '^(Try |information)' err)"
    [ "$got" = "$wanted" ] && grep -qF -- "$message" err
    ok $? "$what" || { echo "status and lines $got, not $wanted, with: $message" && cat err; } | sed 's/^/# /'
}

# Two runs with slopes 0.5 and 1: by hand, mean 0.75, sd 0.5/sqrt 2, half width t(0.975, 1) 0.25 = 12.706204736174698 / 4.
cat >two.csv <<'END'
method,run,program_ms,method_ms
m,1,100,10
m,1,200,60
m,1,300,110
m,2,110,7
m,2,210,107
m,2,310,207
END
# shellcheck disable=SC2086
causality $columns --format csv two.csv >out
is "$? $(head -n 1 out)" '0 method,slope,lo,hi,r2,points,runs,invalid_points,verdict' 'the columns'
is "$(field slope 1) $(field points 1) $(field runs 1) $(field verdict 1)" '0.75 6 2 undecided' \
    'the slope is the mean of one slope per run'
between 3.92655 "$(field hi 1)" 3.92656 "  its interval is Student's t over runs: hi" # 0.75 + 3.1765511840436745
between -2.42656 "$(field lo 1)" -2.42655 '  and lo'
between 0.89999 "$(field r2 1)" 0.90001 '  r2 is within runs' # S_xy 30000, S_xx 40000, S_yy 5000 + 20000: 9e8/1e9
# The same with 2 - slope: above the tolerance lo alone decides.
turned() {
    awk -F, -v OFS=, 'NR > 1 { $4 = 2 * $3 - $4 } 1' "$1"
}
turned two.csv >above.csv
# Slope 1.25, sd 0.35355, bound 1.15 is 0.1 away: the interval of 51 runs is narrow enough, t(0.975, 50) = 2.00856 * 3.5355 / sqrt 51
# = 0.994, that of 50 is not (1.005). The sd's own interval is 1/sqrt 5.02389 to 1/sqrt 0.000982 of it: 13 runs, or 48900.
# shellcheck disable=SC2086
causality $columns above.csv >out
like out 'm: about 49 more runs would decide, if the slope stays \(11 to more than 1,000, by the scatter of 2 runs\)' \
    'a note says how many more runs would decide, with a range'
# shellcheck disable=SC2086
causality $columns --format json above.csv >out
like out '"more_runs": 49, "more_runs_lo": 11, "more_runs_hi": null, "more_runs_text": "about 49 more runs .*2 runs\)"' \
    '  the JSON has them, too'
# Slopes 1.4 and 0.902: mean 1.151, bound 0.001 away, sd 0.35214: (1.96 * 352)^2 = 476000; at least (1.96 * 352.14)^2 / 5.02389 = 94800
sed 's/m,2,210,107/m,2,210,116.8/; s/m,2,310,207/m,2,310,226.6/; s/m,1,200,60/m,1,200,70/; s/m,1,300,110/m,1,300,130/' two.csv >near.csv
turned near.csv >above.csv
# shellcheck disable=SC2086
causality $columns above.csv >out
like out 'm: more than 1,000 more runs would be needed, if the slope stays$' \
    'a note says that more than 1,000 more runs would be needed'
# The bound 0.011 away, slopes 1.411 and 0.911: (1.96 * 32.14)^2 = 3968; at least 3968 / 5.02389 = 790 and a few
sed 's/m,2,210,107/m,2,210,115.9/; s/m,2,310,207/m,2,310,224.8/; s/m,1,200,60/m,1,200,68.9/; s/m,1,300,110/m,1,300,127.8/' two.csv >far.csv
turned far.csv >above.csv
# shellcheck disable=SC2086
causality $columns above.csv >out
like out 'm: more than 1,000 more runs would be needed, if the slope stays \(at least 7[89][0-9], by the scatter of 2 runs\)' \
    '  with the lower bound of their range if that is below 1,000'

# Published: lines with the slopes of Table 2 give these slopes, and their means, as recomputed from the printed slopes
awk -F, 'BEGIN { print "profiler,method,run,program_ms,method_ms" }
    $1 == "data" { split("hprof xprof jprofile", name, " ")
        for (p = 1; p <= 3; p++) for (run = 1; run <= 5; run++) for (f = 100; f <= 900; f += 200)
            printf "%s,%s,%d,%d,%.4f\n", name[p], $3, run, 20000 + run + 9 * f, 500 + $(3 + p) * 9 * f }' \
    "$root/datasets/published/profiler-accuracy-table2.csv" >published.csv
# shellcheck disable=SC2086
causality --by profiler $columns --format csv published.csv >out
awk -F, '$1 == "data" { print "hprof," $3 "," $4; print "xprof," $3 "," $5; print "jprofile," $3 "," $6 }' \
    "$root/datasets/published/profiler-accuracy-table2.csv" | sort >expected
tail -n +2 out | awk -F, '{ printf "%s,%s,%.2f\n", $1, $2, $3 }' | sed 's/-0\.00$/0.00/' | sort | cmp -s - expected
is "$? $(wc -l <expected)" '0 42' "lines with the 42 slopes of the paper's Table 2 give these slopes"
# The paper sets no bound on slopes that are close to 1: verdicts by the default tolerance
is "$(awk -F, '$NF == "actionable"' out | wc -l) $(awk -F, '$NF == "undecided"' out | wc -l)" '5 0' \
    '  five are from 0.85 to 1.15: ByteBuffer.append and jjCheckNAddTwoStates twice, getFirstChild once'
# shellcheck disable=SC2086
causality --by profiler $columns published.csv >out
is "$(sed -n 's/.*: mean slope of 14 methods: //p' out | tr '\n' ' ')" '0.26 0.30 0.25 ' \
    '  the means are those of the printed slopes (the paper prints 0.26, 0.28, 0.23)'

# Planted profilers: noise in the program's time and in the reported share
awk 'function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307179586 * rand()) }
    BEGIN {
        srand(20100605)
        print "profiler,method,amount,run,program_ms,share,method_ms,compiled"
        split("right blind half", profiler, " "); split("1 0 0.5", slope, " ")
        for (p = 1; p <= 3; p++) for (m = 1; m <= 4; m++) for (run = 1; run <= 5; run++) for (f = 100; f <= 1100; f += 200) {
            real = (20000 + 8 * f) * (1 + 0.01 * normal())
            share = (2000 + slope[p] * 8 * f) / (20000 + 8 * f) * (1 + 0.01 * normal())
            odd = m == 1 && f == 500
            printf "%s,m%d,%d,%d,%.3f,%.6f,%.3f,%s\n", profiler[p], m, f, run, real, odd ? 0.9 : share, real * share, odd ? "no" : "yes"
        } }' >planted.csv
causality --by profiler --method method --run run --amount amount --real program_ms --share share --valid compiled --format csv \
    planted.csv >out
is "$(tail -n +2 out | cut -d, -f1,10 | sort | uniq -c | sed 's/^ *//')" \
    "$(printf '4 blind,not actionable\n4 half,not actionable\n4 right,actionable')" \
    'verdicts tell an accurate profiler from a blind and a half-blind one'
is "$(tail -n +2 out | awk -F, '{ print $2, $7, $8, $9 }' | sort -u | tr '\n' ';')" 'm1 25 5 5;m2 30 5 0;m3 30 5 0;m4 30 5 0;' \
    '  invalid points are counted and left out'
sed '1!{s/,no$/,yes/}' planted.csv >unmarked.csv
causality --by profiler --method method --run run --amount amount --real program_ms --share share --valid compiled --format csv \
    unmarked.csv >unmarked.out
is "$(awk -F, '$1 == "right" && $2 == "m1" { print $NF }' unmarked.out)" 'not actionable' \
    '  with them the verdict would be another' # the slope falls by 100 * 15600 / (8 * 700000) = 0.28

# shares times the program's time are the method's times
causality --by profiler --method method --run run --amount amount --real program_ms --reported method_ms --format csv planted.csv |
    awk -F, '$2 != "m1" { printf "%s %s %.3f %.3f\n", $1, $2, $3, $5 }' >by_time
awk -F, '$2 != "m1" { printf "%s %s %.3f %.3f\n", $1, $2, $3, $5 }' out >by_share
cmp -s by_time by_share
is "$? $(wc -l <by_time)" '0 10' '--share gives the slopes of --reported'

# the same for any number of threads
for jobs in 1 4; do
    causality -j $jobs --by profiler --method method --run run --amount amount --real program_ms --share share \
        --format json planted.csv >jobs.$jobs
done
[ -s jobs.1 ] && cmp -s jobs.1 jobs.4
is $? 0 'the same bytes for -j 1 and -j 4'

# What is unknown is reported
printf 'method,run,program_ms,method_ms,ok\na,1,10,1,no\na,1,20,2,0\nb,1,10,1,yes\nb,1,20,11,1\nc,1,10,1,true\nc,1,20,11,valid\nc,1,30,20,yes\n' >few.csv
# shellcheck disable=SC2086
causality $columns --valid ok --format csv few.csv >out
is "$? $(cut -d, -f1,6- out | tail -n +2 | tr '\n' ' ')" '0 a,0,0,2,invalid b,2,1,0,undecided c,3,1,0,undecided ' \
    'methods without a slope or an interval keep their rows'
is "$(field slope 1)|$(field slope 2)|$(field lo 2)" '|1|' '  their cells are blank'
like err 'a: all its points are invalid: it has no slope' '  a warning: no valid point, no slope'
like err 'b: one run of two points has no interval' '  a warning: one run of two points, no interval'
like err 'c: one run does not decide' '  a warning: one run does not decide'
# shellcheck disable=SC2086
causality $columns --valid ok few.csv >out
like out 'where runs is 1, the interval is that of the points around the line' \
    '  a note says that the interval of one run is that of its points'
# Names may hold any byte: 'a\1' of 'b' and 'a' of '\1b' are two methods.
{
    echo profiler,method,run,program_ms,method_ms
    for amount in 1 2 3; do
        printf 'a\001,b,1,1%d,1%d\na,\001b,1,1%d,%d\n' $amount $amount $amount $((2 * amount))
    done
} >odd.csv
causality --by profiler --method method --run run --real program_ms --reported method_ms --format csv odd.csv >out
is "$? $(tail -n +2 out | cut -d, -f3,7 | sort | tr '\n' ' ')" '0 1,3 2,3 ' 'names that hold separators stay apart'
printf 'method,run,amount,program_ms,method_ms\n' >weak.csv
awk 'BEGIN { srand(7); for (r = 1; r <= 5; r++) for (a = 1; a <= 6; a++) print "m," r "," a "," 1000 + 50 * rand() "," 10 + a }' >>weak.csv
# shellcheck disable=SC2086
causality $columns --amount amount --format csv weak.csv >out
is "$? $(field verdict 1) $(grep -c "the program's time hardly follows the amount" err)" '0 undecided 1' \
    'too little injected work: no verdict, with a warning'
awk 'BEGIN { print "method,run,program_ms,method_ms"; srand(8); for (r = 1; r <= 30; r++) for (a = 1; a <= 6; a++)
    printf "m,%d,%.3f,%.3f\n", r, 1000 + 6 * a + 40 * (rand() - 0.5), 10 + 6 * a }' >noisy.csv
# shellcheck disable=SC2086
causality $columns --format csv noisy.csv >out
is "$? $(field verdict 1) $(grep -c 'noise in the program.s time leaves the slope open' err)" '0 undecided 1' \
    'a slope that noise may have lowered has no verdict, with a warning'
# Least squares: hi/r2 must be on one side of the bounds, too. scattered SLOPE STEP C: two runs with slopes SLOPE - STEP and SLOPE +
# STEP, S_xx 20000, and residuals C, -2 C, C, which are orthogonal to x: r2 = SLOPE^2 / (SLOPE^2 + STEP^2 + 3 (C/100)^2).
scattered() {
    awk -v slope="$1" -v step="$2" -v c="$3" 'BEGIN {
        print "method,run,program_ms,method_ms"
        for (run = -1; run <= 1; run += 2) for (x = -1; x <= 1; x++)
            printf "m,%d,%d,%.9f\n", run, 1000 + 100 * x, 500 + (slope + run * step) * 100 * x + (x == 0 ? -2 : 1) * c
    }' >scattered.csv
    # shellcheck disable=SC2086
    causality $columns --format json scattered.csv >out.json
    # shellcheck disable=SC2086
    causality $columns --format text scattered.csv >out
}
# r2 = 0.81 / (0.81 + 0.09 + 0.3857) = 0.63, 0.9 / 0.63 = 1.43 > 1.15; and 0.36 / (0.36 + 0.09 + 0.316) = 0.47, 0.6 / 0.47 = 1.28 > 0.85
for case in '0.9 0.3 35.86 1.43' '0.6 0.3 32.45 1.28'; do
    IFS=' ' read -r slope step c open <<END
$case
END
    scattered "$slope" "$step" "$c"
    unlike out 'more runs? would (decide|be needed)' \
        "slope $slope, up to $open without noise: no number of runs is reported"
    like out "m: more runs would not decide: noise in the program's time leaves the slope open up to slope/r2 = $open; inject more, or give --amount" \
        '  a note says why none would decide'
    like out.json '"reason": "attenuation", "more_runs": null, "more_runs_lo": null, "more_runs_hi": null, "more_runs_text": null' \
        '  the JSON gives the reason'
done
# r2 = 0.09 / (0.09 + 0.01 + 0.05) = 0.6: hi must fall below 0.6 * 0.85 = 0.51. Scatter 0.1 sqrt 2, half width 0.21: t(0.975, 4) *
# 0.1414 / sqrt 5 = 0.176 is narrow enough, that of 4 runs, 0.225, is not.
scattered 0.3 0.1 12.90994
like out 'm: about 3 more runs would decide' 'a slope below the tolerance: runs until hi/r2 is below it'
# r2 = 0.81 / (0.81 + 0.0025 + 0.1875) = 0.81: hi must fall below 0.81 * 1.15 = 0.9315. Scatter 0.05 sqrt 2, half width 0.0315: t of 22
# runs, 2.07961 * 0.0707107 / sqrt 22 = 0.03135; of 21, 0.03219. lo, 0.05 from the bound, would be there with 11.
scattered 0.9 0.05 25
like out 'm: about 20 more runs would decide' 'a slope within it: runs until hi/r2 is within it'
# With lo and hi alone 3 runs decide: hi is 0.3 + 12.706 * 0.03 = 0.68. hi/r2 = 1.14 at r2 = 0.09 / (0.09 + 0.0009 + 0.0591) = 0.6.
scattered 0.3 0.03 14.03567
like out 'm: about 1 more run would decide' 'an interval that decides except for hi/r2: one more run'
# Above it noise can only raise the slope: lo decides. 1.5 - 1.15 = 0.35; 0.3 sqrt 2 * 2.30600 / sqrt 9 = 0.326, 2.36462 / sqrt 8: 0.355
scattered 1.5 0.3 60
like out 'm: about 7 more runs would decide' 'a slope above it: runs until lo is above it'
printf 'method,run,program_ms,method_ms\nm,1,10,1\nm,1,20,11\nm,1,30,21\nm,2,10,1\n' >short.csv
# shellcheck disable=SC2086
causality $columns --format csv short.csv >out
like err 'm: the result leaves out 1 of 2 runs: no slope' 'a run of one point is left out, with a warning'
awk 'BEGIN { print "method,run,program_ms,method_ms"; for (r = 1; r <= 3; r++) for (a = 1; a <= 4; a++) print "m," r "," 10 * a + r ",5" }' >flat.csv
# shellcheck disable=SC2086
causality $columns --format csv flat.csv >out
is "$? $(tail -n 1 out)" '0 m,0,0,0,,12,3,0,not actionable' \
    'a profiler that always reports the same has slope 0 and no r2'

# Looks: runs are added as long as there is no verdict. The k-th look has confidence 1 - 0.05/2^k, so that all looks
# together are wrong in at most 5 of 100 audits. 400 planted audits of a profiler whose slope lies just outside the
# tolerance, and of an accurate one; the program's time is longer by an exponential part of a tenth, and shares scatter
# like those of 500 samples.
# looks SLOPE: "actionable, not actionable" of 400 audits of 5, 10 and 20 runs
looks() {
    awk -v slope="$1" 'function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307179586 * rand()) }
        BEGIN {
            srand(2010)
            print "method,run,amount,real,share"
            for (m = 1; m <= 400; m++) for (run = 1; run <= 20; run++) for (a = 0; a <= 1; a++) {
                share = (70 + slope * 110 * a) / (110 + 110 * a)
                share += sqrt(share * (1 - share) / (250 + 250 * a)) * normal()
                printf "m%d,%d,%d,%.3f,%.6f\n", m, run, a, (110 + 110 * a) * (1 - 0.1 * log(1 - rand())), share
            } }' >audits.csv
    echo none >decided
    for look in 1 2 3; do
        awk -F, -v runs=$((5 * (1 << (look - 1)))) 'FILENAME == "decided" { skip[$1] = 1; next } FNR == 1 || ($2 <= runs && !($1 in skip))' \
            decided audits.csv >audits.now
        causality --look $look --family 1 --method method --run run --amount amount --real real --share share --format csv audits.now |
            awk -F, 'NR > 1 && $NF != "undecided" { print $1 "," $NF }' >>decided
    done
    echo "$(grep -c ',actionable' decided) $(grep -c ',not actionable' decided)"
}
found=$(looks 0.8499)
ok "$([ "${found% *}" -le 20 ] && [ "${found#* }" -le 20 ]; echo $?)" \
    "--look: slope just outside the tolerance: at most 20 of 400 audits reach either verdict: $found"
found=$(looks 1)
ok "$([ "${found% *}" -ge 395 ] && [ "${found#* }" -eq 0 ]; echo $?)" \
    "  slope 1: at least 395 of 400 audits are actionable: $found"
# Families: 100 profilers whose slope lies just outside the tolerance in each of 14 methods. A single verdict is wrong
# in 2.5 of 100; judged together, at most 5 of 100 profilers may get any wrong verdict.
awk 'function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307179586 * rand()) }
    BEGIN {
        srand(1979)
        print "profiler,method,run,amount,real,share"
        for (p = 1; p <= 100; p++) for (m = 1; m <= 14; m++) for (run = 1; run <= 5; run++) for (a = 0; a <= 1; a++) {
            share = (70 + 0.8499 * 110 * a) / (110 + 110 * a)
            share += sqrt(share * (1 - share) / (2500 + 2500 * a)) * normal()
            printf "p%d,m%d,%d,%d,%d,%.6f\n", p, m, run, a, 110 + 110 * a, share
        } }' >families.csv
# wrong OPTION...: profilers with an actionable method
wrong() {
    causality --by profiler --method method --run run --amount amount --real real --share share --format csv "$@" families.csv |
        awk -F, '$NF == "actionable" && !($1 in seen) { seen[$1] = 1; n++ } END { print n + 0 }'
}
found="$(wrong --family 1) $(wrong) $(wrong --family 14)"
set -- $found
ok "$([ "$1" -ge 20 ] && [ "$2" -le 10 ] && [ "$3" -le 10 ]; echo $?)" \
    "--family: profilers of 100 with a wrong verdict: 20 or more uncorrected, at most 10 by Holm, Bonferroni: $found"
grep -E '^(profiler|p1),' families.csv >family.csv
causality --by profiler --method method --run run --amount amount --real real --share share family.csv >out
like out 'any of them is wrong with a probability of 5 % at most .Holm.s method, up to 14 methods' \
    '  a note reports the correction'
# By hand: two methods, runs with S_zx 1, S_zy 1 +- d. Half widths d t, t = 12.706 for one alone, 25.452 for two
# together (confidence 0.975). Tolerance 0.15: d = 0.001 decides together; d = 0.01 (0.127, 0.255) decides alone, or
# once the other method is decided. With d = 0.01 twice neither is decided.
two() {
    printf 'method,run,amount,real,reported\n'
    i=0
    for d; do
        i=$((i + 1))
        printf "m$i,1,0,0,0\nm$i,1,1,2,%s\nm$i,2,0,0,0\nm$i,2,1,2,%s\n" "$(awk "BEGIN { print 2 * (1 + $d) }")" "$(awk "BEGIN { print 2 * (1 - $d) }")"
    done
}
verdicts() {
    causality --method method --run run --amount amount --real real --reported reported --format csv "$@" | awk -F, 'NR > 1 { printf "%s%s", (NR > 2 ? ", " : ""), $NF }'
}
two 0.001 0.01 >step.csv
two 0.01 0.01 >both.csv
is "$(verdicts step.csv)" 'actionable, actionable' 'Holm: a decided method leaves the family'
is "$(verdicts both.csv)" 'undecided, undecided' 'Holm: two methods that only their own intervals decide are undecided'
causality --method method --run run --amount amount --real real --reported reported both.csv >out
like out 'm1: its own interval decides, but not with all methods judged together' '  a note reports it'
is "$(verdicts --family 1 both.csv)" 'actionable, actionable' '  --family 1 decides them'
is "$(verdicts --family 2 step.csv)" 'actionable, undecided' '--family 2: Bonferroni decides one of two'
refused 2 'not a value that this option takes' \
    '--family 0: status 2 and one line' --family 0 --method method --real real --reported reported step.csv
# By hand, two runs with S_zx 1 each and S_zy 1 +- 0.1: mean 1, half 0.1 t; t of 0.9875 with 1 degree of freedom is 25.4517
printf 'method,run,amount,real,reported\nm,1,0,0,0\nm,1,1,2,2.2\nm,2,0,0,0\nm,2,1,2,1.8\n' >look.csv
causality --look 1 --method method --run run --amount amount --real real --reported reported --format csv look.csv >out
between 3.54516 "$(field hi 1)" 3.54518 '--look 1: the first look has confidence 0.975'
refused 2 'not a value that this option takes' \
    '--look 0: status 2 and one line' --look 0 --method method --real real --reported reported look.csv

# Figure: the legend has the slope
if command -v gnuplot >/dev/null; then
    # shellcheck disable=SC2086
    causality $columns --plot slopes.svg published.csv >out || cat err
    is "$(grep -c 'ByteBuffer.append: slope' slopes.svg) $(grep -c 'actionable (slope 1)' slopes.svg)" '1 1' \
        '--plot: the legend has the slopes and the line of slope 1'
else
    skip 'no gnuplot here'
fi

# Invalid input
refused 2 'name the columns: --method COL, --real COL' \
    'missing options for columns: status 2 and one line' --real program_ms two.csv
refused 1 'two.csv: looks like a table' 'a table without names of columns is read as a trace: status 1' two.csv
refused 2 'name the columns' \
    'both --share and --reported: status 2' --method method --real program_ms --reported method_ms --share share two.csv
refused 2 "column 'method' is asked for twice" \
    'a column given twice: status 2' --by method --method method --real program_ms --reported method_ms two.csv
# shellcheck disable=SC2086
refused 2 'not a value that this option takes' '--tolerance 1: status 2' $columns --tolerance 1 two.csv
refused 1 'not a share from 0 to 1 (divide percent by 100' \
    'percentages instead of shares: status 1' --method method --real program_ms --share method_ms two.csv
printf 'method,run,program_ms,method_ms,ok\na,1,10,1,maybe\n' >maybe.csv
# shellcheck disable=SC2086
refused 1 "column 'ok' holds 'maybe'; write yes or no" \
    '--valid: neither yes nor no: status 1' $columns --valid ok maybe.csv
# shellcheck disable=SC2086
refused 1 "no column 'method'" 'an unknown column: status 1' $columns "$root/datasets/published/jxperf-table1.csv"
printf 'method,run,program_ms,method_ms\na,1,1.5,x\n' >bad.csv
# shellcheck disable=SC2086
refused 1 "bad.csv: line 2, column 'method_ms'" 'a cell that is not a number: status 1, and its place' $columns bad.csv
# --- traces ---
# planted NAME RUN AMOUNT CLOCK OF_TEN: a run of a program whose method m takes 200 ms and 1 ms more for each unit of work,
# besides 800 ms of others, after 250 ms without samples. Of each 10 samples that the work adds, OF_TEN are m's and the
# others its caller's. Compilation grows with the run; it is in the program's CPU time, but in no method's.
planted() {
    awk -v amount="$3" -v right="$5" -v roles="${ROLES:-}" 'BEGIN { added = amount / 10; m = 20 + added * right / 10; all = 100 + added
        for (i = 1; i <= all; i++) printf "main@java %d %.0f %.0f %s\n", i, 9e9 + i * 1e7, i * 1e7, i <= m ? "main;call;m" : i <= 20 + added ? "main;call" : "main;rest"
        for (i = 1; i <= added && roles != "java"; i++) printf "jit@jit %d %.0f %.0f jit\n", i, 9e9 + i * 1e7, i * 1e7
        printf "role main@java java 0 %.0f\n", all * 1e7
        if (roles != "java") printf "role jit@jit jit 0 %.0f\n", added * 1e7 }' |
        "$build/tests/make_trace" "$1.trace" series="$1" run=1 clock="$4" interval_clock=cpu period_ns=10000000 period_unit=ns \
            inject="{\"method\": \"m\", \"work\": \"fib\", \"amount\": $3, \"run\": $2}" \
            exit="{\"status\": ${6:-0}, \"signal\": null, \"wall_ns\": $(((1500 + $3) * 1000000)), \"user_ns\": $(((1200 + 2 * $3) * 1000000)), \"system_ns\": 50000000}"
}
for run in 1 2 3; do
    for amount in 0 100 300 500; do
        planted right-$run-$amount $run $amount right 10
        planted half-$run-$amount $run $((amount + 0)) half 5
        planted blind-$run-$amount $run $amount blind 0
    done
done
causality --format csv ./*.trace >out
is "$? $(head -n 1 out)" '0 profiler,work,method,slope,lo,hi,r2,points,runs,invalid_points,verdict' 'traces: the columns'
is "$(tail -n +2 out | tr '\n' ' ')" \
    'blind,fib,m,0,0,0,,12,3,0,not actionable half,fib,m,0.5,0.5,0.5,1,12,3,0,not actionable right,fib,m,1,1,1,1,12,3,0,actionable ' \
    'traces: an accurate profiler, one that blames the caller for half of the work, and one for all of it'
# The points as a table give the same slopes
causality --points --format csv half-*.trace >points
is "$(sed -n '1p;3p' points)" 'profiler,work,method,run,amount,program_ms,method_ms
half,fib,m,1,100,1350,250' '--points: a table of the points'
causality --format csv --by profiler,work --method method --run run --amount amount --real program_ms --reported method_ms points | tail -n 1 >slopes
grep '^half' out | cmp -s - slopes
is $? 0 '  the table gives the same slopes'
# A clock that sees only Java threads does not know what compilers took: the program's time is that of its threads.
for run in 1 2; do
    for amount in 0 100; do
        ROLES=java planted alone-$run-$amount $run $amount alone 10
    done
done
causality --points --format csv alone-*.trace >points
is "$(sed -n '2,3p' points)" 'alone,fib,m,1,0,1000,200
alone,fib,m,1,100,1100,300' "traces of Java threads alone: the program's time is theirs"
rm alone-*.trace
# A collector without threads, such as the serial one, collects in the VM thread: here for 3 of 4 of its samples, of 400 ms.
# The CPU time of the program is 2000 ms.
awk 'BEGIN { for (i = 1; i <= 40; i++) {
    printf "main@java %d %.0f %.0f main;m\n", i, 9e9 + i * 1e7, i * 1e7
    printf "VM_Thread@vm %d %.0f %.0f %s\n", i, 9e9 + i * 1e7, i * 1e7, i <= 30 ? "VM_Operation::evaluate();VM_GenCollectForAllocation::doit()" : "VM_Operation::evaluate();VM_Cleanup::doit()" }
    print "role main@java java 0 400000000\nrole VM_Thread@vm vm 0 400000000\nrole jit@jit jit 0 100000000" }' >samples
for clock in cpu wall; do
    "$build/tests/make_trace" serial-$clock.trace series=serial run=1 clock=serial interval_clock=$clock period_ns=10000000 period_unit=ns \
        inject='{"method": "m", "work": "fib", "amount": 0, "run": 1}' \
        exit='{"status": 0, "signal": null, "wall_ns": 3000000000, "user_ns": 1900000000, "system_ns": 100000000}' <samples
    causality --points --format csv serial-$clock.trace >points
    echo "$clock $(sed -n '2p' points | cut -d, -f6)"
done >seen
is "$(paste -s -d ' ' seen)" 'cpu 1600 wall 3000' \
    'CPU time is without the 100 ms of compilation and the 300 ms that the VM thread collects'
rm serial-*.trace
for jobs in 1 4; do
    causality -j $jobs --format json right-*.trace half-*.trace >jobs.$jobs
done
[ -s jobs.1 ] && cmp -s jobs.1 jobs.4
is $? 0 'the same bytes for -j 1 and -j 4'
causality --save-state a.state right-1-*.trace right-2-0.trace half-*.trace && causality --save-state b.state right-2-[135]*.trace right-3-*.trace blind-*.trace
causality --format csv b.state a.state >joined
is "$? $(cmp out joined 2>&1)" '0 ' 'saved states give the same bytes as the traces'
# Points that the guard of assay inject calls invalid are left out
{
    echo 'method,work,amount,run,guard'
    for run in 1 2 3; do
        echo "m,fib,0,$run,ok"
        for amount in 100 300 500; do
            echo "m,fib,$amount,$run,$([ $run-$amount = 2-300 ] && echo '"invalid: inlined no (without work: yes)"' || echo ok)"
        done
    done
} >one.csv
causality --format csv --injected one.csv right-*.trace >out
is "$? $(tail -n 1 out)" '0 right,fib,m,1,1,1,1,11,3,1,actionable' 'a point that the guard calls invalid is counted and left out'
sed '/,0,/!s/ok$/invalid: compiled no (without work: C2)/' one.csv >all.csv
causality --format csv --injected all.csv right-*.trace >out
is "$? $(tail -n 1 out)" '0 right,fib,m,,,,,0,0,9,invalid' \
    'a method without a valid point has no slope, and the verdict is invalid'
printf 'method,run,amount,program_ms,method_ms,guard\n' >guard.csv
for run in 1 2; do for amount in 0 10 20; do
    echo "m,$run,$amount,$((100 + amount)),$((10 + amount)),$([ $amount -gt 10 ] && echo 'invalid: inlined no (without work: yes)' || echo ok)"
done; done >>guard.csv
# shellcheck disable=SC2086
causality $columns --valid guard --format csv guard.csv >out
is "$? $(tail -n 1 out)" '0 m,1,1,1,1,4,2,2,actionable' \
    '--valid guard: the column of the guard says which points of a table are valid'
# Runs that are not points are counted
planted failed 4 100 right 10 3
"$build/tests/make_trace" plain.trace series=p run=1 clock=right </dev/null
causality --format csv right-*.trace failed.trace plain.trace >out
is "$? $(tail -n 1 out)" '0 right,fib,m,1,1,1,1,12,3,0,actionable' \
    'a failed run and one without injected work are left out'
like err '1 trace is left out: no work was injected' '  a warning reports the one without work'
like err '1 run is left out: the command failed' '  a warning reports the failed one'
causality --format csv --only n right-*.trace >out
is "$? $(grep -c 'no trace was recorded with work in n' err)" '1 1' \
    '--only: no trace of the method: status 1 and one line'
refused 1 'no work was injected' 'traces without injected work: status 1 and one line' plain.trace
refused 1 'none.csv' "--injected: a missing table: status 1 and one line" --injected none.csv right-*.trace
done_testing
