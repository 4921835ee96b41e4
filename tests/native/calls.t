#!/bin/sh
# Calls of native programs that are chosen at random: known distributions, what they stand for, counters, and programs
# that must not be disturbed. Bounds are five standard errors, or a fifth if that is more.
# alone: it counts context switches.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
[ "$(uname -m)" = x86_64 ] || skip_all 'debug registers of x86-64'
scratch
unset LD_PRELOAD ASSAY_RECORD ASSAY_RECORDED JAVA_TOOL_OPTIONS
record=$build/libexec/assay/assay-record
variance=$build/libexec/assay/assay-variance
dump=$build/libexec/assay/assay-dump
victims=$root/tests/victims/calls
engines=
for engine in watch trampoline; do
    "$record" -q -m calls -E $engine -o probe -- true 2>err
    grep -q 'no watchpoints\|engine trampoline' err || engines="$engines $engine"
done
[ "$engines" ] || skip_all "$(cat err)"
"${CC:-gcc}" -O1 -g -pthread -fno-optimize-sibling-calls -o known "$victims/known.c" || exit 1
"${CC:-gcc}" -O1 -g -fno-optimize-sibling-calls -o pages "$victims/pages.c" || exit 1
"${CXX:-g++}" -O1 -g -pthread -fno-optimize-sibling-calls -o rough "$victims/rough.cc" || exit 1
"${CXX:-g++}" -std=c++17 -O1 -g -pthread -fno-stack-protector -o hard "$victims/hard.cc" || exit 1
"${CXX:-g++}" -std=c++17 -O1 -g -pthread -o seen "$victims/seen.cc" || exit 1
"${CXX:-g++}" -std=c++17 -O1 -g -pthread -static-libgcc -static-libstdc++ -o seen-static "$victims/seen.cc" || exit 1

# chosen DIRECTORY OPTION... -- COMMAND...: records it
chosen() {
    directory=$1
    shift
    timeout -k 1 600 "$record" -q -m calls -E $engine -p 3ms --max-cost 100% --seed 1 -o "$directory" "$@" >"$directory.out" 2>"$directory.err"
}

# table OPTION... TRACE...: as lines "FUNCTION N MEAN SD CV LO HI TREND", where blanks in names are underscores
table() {
    "$variance" --metric thread-cpu-ns --confidence 0.9999 --top 0 --format csv "$@" 2>err |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            { gsub(/ /, "_", $at["function"]); print $at["function"], $at["n"], $at["mean"], $at["sd"], $at["cv"], $at["cv_lo"], $at["cv_hi"], $at["trend"] + 0 }'
}

# holds TITLE CONDITION: an awk condition on n, mean, sd, cv, lo, hi, trend, each by the function's name
holds() {
    awk "{ n[\$1] = \$2; mean[\$1] = \$3; sd[\$1] = \$4; cv[\$1] = \$5; lo[\$1] = \$6; hi[\$1] = \$7; trend[\$1] = \$8
            error[\$1] = \$2 > 1 && \$3 > 0 ? 5 * \$4 / sqrt(\$2) / \$3 : 9; if (error[\$1] < 0.2) error[\$1] = 0.2 }
        function near(a, b, e) { return a > b * (1 - e) && a < b * (1 + e) }
        END { exit !($2) }" rows 2>said
    ok $? "$1" || sed 's/^/# /' said rows
}

check_engine() {
    rm -rf distributions counters arguments rough-* hard-* seen-[0-9] seen-static-* killed
    count=600 # steps may be slow, so that fewer calls are found
    [ $engine = watch ] || count=2400
    chosen distributions -- ./known $count
    is $? 0 'known distributions: the program runs'
    table distributions/*.trace >rows
    holds 'each function has instances' 'n["constant"] > 9 && n["bimodal"] > 9 && n["growing"] > 9 && n["leaf"] > 9 && n["total"] > 9 && n["each"] > 9'
    holds '  constant varies little' 'lo["constant"] < 0.3'
    holds '  20 or 100 units, in turn: 67 %' 'lo["bimodal"] < 0.67 && hi["bimodal"] > 0.5'
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

    # Counters: exactly 64 page faults, and a few of the allocator's or the kernel's
    chosen counters --counters cpu-time,page-faults,context-switches -- ./pages 1500
    is $? 0 'counters: the program runs'
    "$variance" --top 0 --format csv counters/*.trace 2>err | awk -F, '$1 == "touch" || $1 == "nap" { print $1, $2, $4 }' >rows
    is "$(awk '$1 == "touch" && $2 == "page-faults" { print ($3 > 63.5 && $3 < 66) }' rows)" 1 '  64 page faults a call' || sed 's/^/# /' rows
    is "$(awk '$1 == "nap" && $2 == "context-switches" { print ($3 > 0.9 && $3 < 1.5) }' rows)" 1 '  one context switch a call' || sed 's/^/# /' rows
    is "$(awk '{ v[$1, $2] = $3 } END { print (v["nap", "time_ns"] > v["nap", "thread-cpu-ns"] + 90000) }' rows)" 1 \
        '  a call that sleeps takes more elapsed time than CPU time'

    # Arguments: work(units) takes time in proportion to its first
    chosen arguments --arguments -- ./known $count
    "$variance" --correlate work --metric thread-cpu-ns --format csv arguments/*.trace 2>err |
        awk -F, 'NR > 1 && $1 ~ /^argument/ { print $1, $3 }' >rows
    is "$(head -n 1 rows | awk '{ print $1, $2, ($3 > 0.5) }')" 'argument 1 1' 'the argument that a function takes time for' || sed 's/^/# /' rows
    "$variance" --correlate work --metric thread-cpu-ns --format csv distributions/*.trace 2>err >rows
    is "$(grep -c argument rows)" 0 '  without --arguments there are none'

    # Programs that leave calls in other ways than by a return
    ./rough 40 >alone
    for period in 3ms 500us; do
        chosen "rough-$period" -p $period -- ./rough 40
        is "$? $(cat "rough-$period.out")" "0 $(cat alone)" "every $period: jumps, exceptions, other stacks, threads: the program does the same"
        for trace in "rough-$period"/*.trace; do "$dump" --kind instance "$trace" 2>>err | sed 1d; done | cut -d, -f 3 >whats
        # a process may end in a call that was chosen
        is "$(awk -v processes="$(ls "rough-$period" | wc -l)" '{ n[$1]++ } END { open = n["call"] - n["return"] - n["left"] - n["given-up"]
            print (n["call"] > 20), (open >= 0 && open <= n["unfinished"] + processes) }' whats)" \
            '1 1' '  every chosen call has an end' || sort whats | uniq -c | sed 's/^/# /'
    done
    ./hard >alone
    for seed in 1 2 3; do
        timeout -k 1 600 "$record" -q -m calls -E $engine -p 500us --max-cost 100% --seed $seed -o hard-$seed -- ./hard >out 2>err
        is "$? $(cat out)" "7 $(cat alone)" "frames of every size, code that can't be read, threads at the end: seed $seed does the same" || cat err
    done
    for program in seen seen-static; do
        ./$program >alone
        for seed in 1 2 3; do
            timeout -k 1 600 "$record" -q -m calls -E $engine -p 500us --max-cost 100% --seed $seed -o $program-$seed -- ./$program >out 2>err
            is "$? $(cat out)" "3 $(cat alone)" "$program, made code, exceptions, backtraces, traps of inexact results: seed $seed does the same" || cat err
        done
    done
    # after two seconds of CPU time, however long they take
    # shellcheck disable=SC2016
    "$record" -q -m calls -E $engine -p 1ms --max-cost 100% -o killed -- sh -c './known 100000 & known=$!
        while [ "$(awk "{ print \$14 + \$15 < 200 }" /proc/$known/stat)" = 1 ]; do sleep 0.1; done
        kill -9 $known; wait' >out 2>err
    is $? 0 'a program that is killed'
    "$variance" --format csv killed/*.trace >out 2>err
    is "$(awk -F, '$1 == "constant" && $3 > 4 { n++ } END { print n + 0 }' out)" 2 '  its calls so far are in the trace'
}
for engine in $engines; do
    echo "# engine $engine"
    check_engine
done

# Which engine is taken
"${CC:-gcc}" -std=gnu17 -D_GNU_SOURCE -O1 -o machine "$root/tests/machines/machine.c" || exit 1
# on MACHINE ENGINE: records there; skips it where machines can't be imitated
on() {
    ./machine "$1" "$record" -m calls -E "$2" -p 3ms -o "on-$1" -- ./known 100 >out 2>err
    status=$?
    [ $status != 77 ]
}
case $engines in *trampoline*)
    if on no-traps auto; then
        is $status 0 'where debug registers do not trap: the program is recorded'
        like err 'engine trampoline finds the calls: .*no watchpoints: ' '  by steps and stubs, and one line says why'
        "$variance" --format csv on-no-traps/*.trace 2>err | grep -q '^work,'
        ok $? '  and its calls are found'
        "$variance" on-no-traps/*.trace 2>err | grep -q 'found by steps (engine trampoline), which miss'
        ok $? '  which the table says'
        on no-traps watch
        is $status 1 '  but not by debug registers'
        on shadow-stacks trampoline
        is $status 1 'where the processor checks return addresses, stubs are refused'
        like err 'shadow stacks' '  and one line says why'
    fi
    ;;
esac

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

# What does not go
"$record" -q -m calls --counters wall-time -o no -- true 2>err
is $? 2 'a counter of mode methods: status 2'
like err 'is for --mode methods; --mode calls has cpu-time' '  one line says which there are'
"$record" -q -m calls --engine exact -o no -- true 2>err
is $? 2 'engine exact: status 2'
"$record" -q -m cpu --arguments -o no -- true 2>err
is $? 2 '--arguments in another mode: status 2'
"$record" -q -m calls --registers 2 -o no -- true 2>err
is $? 2 'an option of another mode: status 2'
done_testing
