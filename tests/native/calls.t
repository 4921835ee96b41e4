#!/bin/sh
# Calls of native programs that are chosen at random: known distributions, what they stand for, counters, and programs
# that must not be disturbed. Bounds are five standard errors, or a fifth if that is more.
# alone: it counts context switches.
. "$(dirname "$0")/calls.sh"
"${CC:-gcc}" -O1 -g -fno-optimize-sibling-calls -o pages "$victims/pages.c" || exit 1

# table OPTION... TRACE...: as lines "FUNCTION N MEAN SD CV LO HI TREND", where blanks in names are underscores
table() {
    "$variance" --metric thread-cpu-ns --confidence 0.9999 --top 0 --format csv "$@" 2>err |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            { gsub(/ /, "_", $at["function"]); print $at["function"], $at["n"], $at["mean"], $at["sd"], $at["cv"], $at["cv_lo"], $at["cv_hi"], $at["trend"] + 0 }'
}

# holds TITLE CONDITION: an awk condition on n, mean, sd, cv, lo, hi, trend, each by the function's name
holds() {
    meets "$2" 2>said
    ok $? "$1" || sed 's/^/# /' said rows
}

# meets CONDITION: the same, without a result
meets() {
    awk "{ n[\$1] = \$2; mean[\$1] = \$3; sd[\$1] = \$4; cv[\$1] = \$5; lo[\$1] = \$6; hi[\$1] = \$7; trend[\$1] = \$8
            error[\$1] = \$2 > 1 && \$3 > 0 ? 5 * \$4 / sqrt(\$2) / \$3 : 9; if (error[\$1] < 0.2) error[\$1] = 0.2 }
        function near(a, b, e) { return a > b * (1 - e) && a < b * (1 + e) }
        END { exit !($1) }" rows
}
of_spread='lo["bimodal"] < 0.67 && hi["bimodal"] > 0.5'

check_engine() {
    rm -rf distributions counters arguments
    count=600 # steps may be slow, so that fewer calls are found
    [ $engine = watch ] || count=2400
    # The host may disturb a recording; one of three is calm.
    for try in 1 2 3; do
        rm -rf distributions
        chosen distributions -- ./known $count
        status=$?
        table distributions/*.trace >rows
        meets "$of_spread" && break
    done
    is $status 0 'known distributions: the program runs'
    holds 'each function has instances' 'n["constant"] > 9 && n["bimodal"] > 9 && n["growing"] > 9 && n["leaf"] > 9 && n["total"] > 9 && n["each"] > 9'
    holds '  constant varies little' 'lo["constant"] < 0.3'
    holds '  20 or 100 units, in turn: 67 %' "$of_spread"
    holds '  their mean is 60, of constant 50' 'near(mean["bimodal"], mean["constant"] * 60 / 50, 1.5 * error["bimodal"])'
    holds '  total has 120, with all that it calls' 'near(mean["total"], mean["constant"] * 120 / 50, 1.5 * error["total"])'
    "$variance" --metric thread-cpu-ns --top 0 --format csv distributions/*.trace 2>err |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { gsub(/ /, "_", $at["function"]); print $at["function"], 2, 1, 0, 0, 0, 0, $at["trend"] + 0 }' >rows
    holds '  growing has a trend, constant has none' 'trend["growing"] > 1 && trend["constant"] < 0.3'
    table --contexts distributions/*.trace >rows
    is "$(awk '$1 == "leaf" { print $3 }' rows | sort -n | awk '{ m[NR] = $1 } END { r = m[2] / m[1]; print NR, (r > 3 && r < 5) }')" '2 1' \
        '  leaf takes 80 units below one caller and 20 below the other'
    # Each function is called 600 times, and a chosen call stands for those that were not. The standard error of the sum of
    # weights is the root of the sum of their squares.
    # Steps miss calls that begin long after the call or return before, so there the weights do not add up.
    counted='constant bimodal growing caller_small caller_large total'
    [ $engine = watch ] || counted=
    for function in $counted; do
        "$variance" --instances $function --format csv distributions/*.trace 2>err |
            awk -F, 'NR > 1 { n++; w += $3; squares += $3 * $3 } END { d = w - 600; e = 5 * sqrt(squares); print (d < e && d > -e), n, w }' >sum
        is "$(cut -d' ' -f 1 sum)" 1 "  $function: the weights add up to the number of calls ($(cut -d' ' -f 2- sum))"
    done
    "$variance" distributions/*.trace >out 2>err
    like out 'calls were chosen at random: [0-9]+ returned, 0 were left' '  none of them is left otherwise'
    like out 'known to [0-9.]+ us' '  what the recorder took is known so well'
    is "$("$build/libexec/assay/assay-hot" --inclusive --format csv distributions/*.trace 2>err | grep -c ',growing,')" 1 \
        '  the samples are those of a profile'

    # Counters: exactly 64 page faults, and a few of the allocator's or the kernel's. Where other programs want the
    # processor, a call is switched more often: one of three recordings is calm.
    one_switch='$1 == "nap" && $2 == "context-switches" { print ($3 > 0.9 && $3 < 1.5) }'
    for try in 1 2 3; do
        rm -rf counters
        chosen counters --counters cpu-time,page-faults,context-switches -- ./pages 1500
        status=$?
        "$variance" --top 0 --format csv counters/*.trace 2>err | awk -F, '$1 == "touch" || $1 == "nap" { print $1, $2, $4 }' >rows
        [ "$(awk "$one_switch" rows)" = 1 ] && break
    done
    is $status 0 'counters: the program runs'
    is "$(awk '$1 == "touch" && $2 == "page-faults" { print ($3 > 63.5 && $3 < 66) }' rows)" 1 '  64 page faults a call' || sed 's/^/# /' rows
    is "$(awk "$one_switch" rows)" 1 '  one context switch a call' || sed 's/^/# /' rows
    is "$(awk '{ v[$1, $2] = $3 } END { print (v["nap", "time_ns"] > v["nap", "thread-cpu-ns"] + 90000) }' rows)" 1 \
        '  a call that sleeps takes more elapsed time than CPU time'

    # Arguments: work(units) takes time in proportion to its first
    chosen arguments --arguments -- ./known $((count / 2))
    "$variance" --correlate work --metric thread-cpu-ns --format csv arguments/*.trace 2>err |
        awk -F, 'NR > 1 && $1 ~ /^argument/ { print $1, $3 }' >rows
    is "$(head -n 1 rows | awk '{ print $1, $2, ($3 > 0.5) }')" 'argument 1 1' 'the argument that a function takes time for' || sed 's/^/# /' rows
    "$variance" --correlate work --metric thread-cpu-ns --format csv distributions/*.trace 2>err >rows
    is "$(grep -c argument rows)" 0 '  without --arguments there are none'
}
for engine in $engines; do
    echo "# engine $engine"
    check_engine
done

# A processor that counts calls precisely, which is imitated: every call of one function interrupts at its first
# instruction.
cat >counted.c <<'C'
static volatile unsigned long sink;
__attribute__((noinline)) void work(unsigned units)
{
    for (unsigned i = 0; i < units * 1000; i++)
        sink = sink * 6364136223846793005u + 1;
}
int main(void)
{
    for (unsigned i = 0; i < 60000; i++)
        work(i % 2 ? 5 : 1);
    return 0;
}
C
"${CC:-gcc}" -std=gnu17 -D_GNU_SOURCE -O1 -o machine "$root/tests/machines/machine.c" || exit 1
"${CC:-gcc}" -O1 -g -no-pie -fno-optimize-sibling-calls -o counted counted.c || exit 1
# counting ENGINE OPTION...: records it there
counting() {
    engine=$1
    shift
    rm -rf on-near-calls
    CALLED=0x$(nm counted | awk '$3 == "work" { print $1 }') LIBPFM_FORCE_PMU=skl ./machine near-calls "$record" -m calls \
        -E "$engine" "$@" -p 2ms --max-cost 100% --seed 1 -o on-near-calls -- ./counted >out 2>err
    status=$?
}
counting pmu
if [ "${engines#*watch}" = "$engines" ]; then
    skip 'the event of calls is imitated by debug registers, which do not trap here' 7
elif [ $status = 77 ] || grep -q 'no precise event\|too few debug registers' err; then
    skip "no precise event of calls: $(tail -n 1 err)" 7
else
    is $status 0 'calls that the processor counts: the program runs'
    like err 'engine pmu finds the calls' '  the engine is told'
    table on-near-calls/*.trace >rows
    holds '  chosen calls vary: 1 or 5 units' 'n["work"] > 20 && hi["work"] > 0.5'
    "$variance" --instances work --format csv on-near-calls/*.trace 2>err |
        awk -F, 'NR > 1 { n++; w += $3; squares += $3 * $3 } END { d = w - 60000; e = 5 * sqrt(squares); print (d < e && d > -e && w > 30000), n, w }' >sum
    is "$(cut -d' ' -f 1 sum)" 1 "  the weights add up to the number of calls ($(cut -d' ' -f 2- sum))"
    counting auto
    like err 'engine pmu finds the calls' '  auto takes it'
    counting auto --arguments
    like err 'finds the calls: the event of calls comes too late for arguments' '  unless arguments are wanted'
    counting pmu --arguments
    is $status 2 '  which it refuses'
fi
done_testing
