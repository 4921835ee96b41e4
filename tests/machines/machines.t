#!/bin/sh
# Imitated machines (imitate.c): slow, fast, jumping, stopping, shared and forbidden counters. On each of them a profile
# is right, or the next engine replaces the first for a reason that is reported, or the table says that it must not be
# believed; and the program makes progress.
. "$(dirname "$0")/../tap.sh"
scratch
unset LD_PRELOAD ASSAY_RECORD ASSAY_RECORDED JAVA_TOOL_OPTIONS ASSAY_IMITATE
assay=$root/assay
case $build in "$root/build") ;; *) skip_all 'only the ordinary build has the command assay' ;; esac
compile() {
    "${CC:-gcc}" -std=c17 -D_GNU_SOURCE -O1 -g -pthread "$@" 2>log || {
        cat log
        echo 'Bail out! a victim does not compile'
        exit 1
    }
}
compile -fPIC -shared -o imitate.so "$root/tests/machines/imitate.c"
compile -o split "$root/tests/machines/split.c"
compile -o known "$root/tests/victims/watch/known.c"

# stolen_ms: time so far in which the host has run something else than this machine
stolen_ms() {
    awk -v hz="$(getconf CLK_TCK)" '/^cpu / { printf "%.0f", $9 * 1000 / hz }' /proc/stat
}

# on MACHINE DIRECTORY OPTION... -- COMMAND...: records into DIRECTORY on that machine
on() {
    machine=$1
    directory=$2
    shift 2
    before=$(stolen_ms)
    ASSAY_IMITATE=$machine LD_PRELOAD=$scratch/imitate.so timeout -k 5 300 "$assay" record --seed 1 -o "$directory" "$@" \
        >"$directory.out" 2>"$directory.err"
    status=$?
    echo $(($(stolen_ms) - before)) >"$directory.stolen"
    return $status
}

# field DIRECTORY KEY...: a value of `assay info`
field() {
    "$assay" info --format json "$1"/*.trace 2>/dev/null | python3 -c '
import json, sys
value = json.load(sys.stdin)
for key in sys.argv[1:]:
    value = value.get(key) if value is not None else None
print(value)' "$2" "${3-}" ${4+"$4"} 2>/dev/null
}

# halves DIRECTORY: hot says that the table must not be believed, or seventy() has 70 % of the samples of it and
# thirty(), within five standard errors
halves() {
    "$assay" hot --inclusive --top 0 --format csv "$1"/*.trace >"$1.csv" 2>"$1.said"
    status=$?
    if grep -q 'DO NOT BELIEVE' "$1.said"; then
        is "$status" 1 "$1: a table that must not be believed gives status 1"
        return
    fi
    is "$status" 0 "$1: the table can be believed"
    awk -F, '$2 == "seventy" { s = $7 } $2 == "thirty" { t = $7 }
        END { n = s + t; p = n ? s / n : 0; exit !(n >= 20 && (p - 0.7) ^ 2 <= 25 * 0.21 / n + 0.0004) }' "$1.csv"
    ok $? "$1: seventy() has 70 % of the samples" || sed 's/^/# /' "$1.csv"
}

# used_s DIRECTORY: the CPU time of its process
used_s() {
    "$assay" info --format json "$1"/*.trace 2>/dev/null | python3 -c '
import json, sys
end = json.load(sys.stdin)["metadata"]["exit"]
print((end["user_ns"] + end["system_ns"]) / 1e9)'
}

# due DIRECTORY: the ticks of a clock of 10 ms that may have been due at most, in CPU time, in wall time where the
# source counts that, and while the host ran something else
due() {
    awk -v used="$(used_s "$1")" -v wall="$(field "$1" metadata exit wall_ns)" -v stolen="$(cat "$1.stolen")" \
        'BEGIN { print used * 100 + wall / 1e7 + stolen / 10 + 20 }'
}

# steady DIRECTORY: no false losses, and the program has made progress: it burns 1.2 s, and all else may take twice that
steady() {
    between 0 "$(field "$1" ticks lost)" "$(due "$1")" "$1: no more samples are lost than were due"
    between 1 "$(used_s "$1")" 3.6 "$1: CPU time"
}

# try MACHINE ENGINE [REGEXP]: auto selects ENGINE with a message that matches. Where the counters are good, or seem so,
# the real machine's cost of a tick may still rule them out, so pmu is requested there.
try() {
    case $2 in pmu/pmu) asked=pmu ;; *) asked=auto ;; esac
    on "$1" "$1" -E $asked -- ./split 1200
    is "$?" 0 "$1: the program runs"
    is "$(field "$1" metadata engine)/$(field "$1" metadata source)" "$2" "  its engine and source are the right ones"
    [ $# -lt 3 ] || like "$1.err" "$3" "  one line tells the reason"
    halves "$1"
    steady "$1"
}

on none probe -- ./split 300
cpu_clock=$(field probe metadata source)
timer=timer-thread
if [ "$cpu_clock" = cpu-clock ]; then
    try none soft/cpu-clock 'this machine has no hardware counters'
    try counters pmu/pmu
    try slow-enable soft/cpu-clock 'hardware counters.*are not used: starting one takes [0-9.]* ms of CPU time for each thread'
    try slow-events soft/$timer 'cpu-clock perf events are not used: starting one takes'
    try slow-read soft/cpu-clock 'hardware counters.*are not used: a tick costs at least [0-9.]* us, which is'
    try slow-later pmu/pmu
    try fast soft/cpu-clock 'they count .* events per nanosecond, more than any processor can'
    try fast-later pmu/pmu
    try jumps pmu/pmu
    try backwards pmu/pmu
    try busy soft/cpu-clock 'another user has them'
    try multiplexed soft/cpu-clock 'others use them too: they count for only [0-9]* % of the time'
    try silent soft/cpu-clock 'they count, but do not interrupt'
    try vanish pmu/pmu
    try paranoid-3 soft/$timer 'perf events are not permitted .perf_event_open: EACCES'
    try paranoid-4 soft/$timer 'perf events are not permitted .perf_event_open: EPERM'

    on counters chosen -p 100ms -- ./split 300
    like chosen.err 'engine pmu .hardware counters.$' 'counters: auto uses them where a tick costs next to nothing'

    # an interval is lengthened before the run if a tick would take more than its share of it
    on none shortened -p 10us -- ./split 1200
    is "$?" 0 'none, with an interval of 10 us: the program runs'
    like shortened.err 'clock random: a tick costs at least [0-9]* us of CPU time here, so the interval is [0-9.]* ms instead of 0.01' \
        '  the interval is lengthened, and one line reports it'
    is "$(field shortened metadata period_asked)" 10000 '  the trace has the requested interval'
    halves shortened
    between 40000 "$(field shortened metadata period_ns)" 20480000 '  and the one that was used'

    # problems that are found during the run are in the trace, counted once, and in the table
    between 1 "$(field slow-later ticks changes slowed)" 3 \
        'slow-later: the trace counts that the interval was lengthened'
    like slow-later.said 'its interval was lengthened from 10 to [0-9.]* ms' '  and the table reports it'
    between 1 "$(field fast-later ticks changes corrected)" 3 \
        'fast-later: the trace counts that the period was corrected'
    like fast-later.said 'its period was corrected' '  and the table reports it'
    for machine in jumps backwards; do
        between 1 "$(field $machine ticks changes impossible)" 60 "$machine: impossible values are counted, each once"
        like $machine.said "impossible values" '  and the table reports them'
        is "$(field $machine ticks doubt)" '' '  but can be believed'
    done
    "$assay" info jumps/*.trace >info 2>/dev/null
    like info '^ +clock +[0-9]+ impossible' 'assay info reports impossible values'
    "$assay" hot --save-state state jumps/*.trace 2>/dev/null
    "$assay" hot --save-state state slow-later/*.trace 2>/dev/null
    "$assay" hot --format json state >saved.json 2>saved.err
    is "$?" "$(grep -c 'DO NOT BELIEVE' slow-later.said)" 'a saved state keeps the doubt'

    # a requested engine is kept, with a message about its cost
    on slow-read asked -E pmu -- ./split 600
    is "$?/$(field asked metadata engine)" 0/pmu 'slow-read: engine pmu is used on request'
    like asked.err 'engine pmu was requested, but a tick costs' '  one line reports its cost'
    on multiplexed shared -E pmu -- ./split 600
    like shared.err 'engine pmu was requested, but others use them too' \
        'multiplexed: engine pmu is used on request, and one line reports its users'
    halves shared

    # a counter that stops while the program continues
    on vanish stopped -E pmu -- ./split 3500
    is "$(field stopped ticks changes replaced)" 1 'vanish: the clock is replaced'
    between 150 "$(field stopped ticks came)" "$(due stopped)" '  and sampling goes on'
    halves stopped
else
    skip 'there are no cpu-clock perf events here, so machines cannot be imitated'
fi

# Watched accesses, of which a known fraction is silent: 3 of 4 loads. Among seventeen machines an interval that holds in
# 95 % of all cases would miss it now and then.
watched() {
    on "$1" "watch-$1" -m silent-load -p 2ms -- ./known 300000000
    status=$?
    if grep -q 'no watchpoints' "watch-$1.err"; then
        is $status 1 "$1: without watchpoints the status is 1"
        return
    fi
    is $status 0 "$1: the program runs"
    "$assay" waste --bias 0 --confidence 0.9999 --format csv "watch-$1"/*.trace >"watch-$1.csv" 2>"watch-$1.said"
    fraction=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "pair_lo") l = i; else if ($i == "pair_hi") h = i }
        NR == 2 { print($l <= 0.80 && $h >= 0.70) }' "watch-$1.csv")
    if ! grep -q 'DO NOT BELIEVE\|no memory accesses' "watch-$1.said"; then
        [ "$fraction" = 1 ]
        ok $? "$1: the fraction is right" || sed 's/^/# /' "watch-$1.csv"
    fi
}
for machine in none counters slow-enable slow-read slow-later fast fast-later jumps backwards busy multiplexed silent \
    vanish paranoid-3 paranoid-4 slow-traps no-traps; do
    watched $machine
done
like watch-no-traps.err 'no watchpoints: (this machine.s debug registers can be set, but accesses do not trap|.*perf_event)' \
    'no-traps: registers that never trap are refused, and one line tells why'
is "$(find watch-no-traps -name '*.trace' 2>/dev/null | wc -l)" 0 '  and leave no trace with wrong numbers'

# a JVM has a dozen threads
if command -v javac >/dev/null && [ -e "$build/lib/assay/libassay-jvm.so" ]; then
    compile_java -d . "$root/tests/victims/java/Calls.java" || exit 1
    for machine in none counters slow-enable slow-events slow-later fast-later jumps vanish paranoid-3; do
        on $machine jvm-$machine -- java -cp . Calls 30000000
        is "$?" 0 "$machine: a JVM runs"
        between 0 "$(field jvm-$machine ticks lost)" "$(due jvm-$machine)" '  no more samples are lost than were due'
        "$assay" hot --inclusive --top 0 --format csv jvm-$machine/*.trace >jvm-$machine.csv 2>jvm-$machine.said
        status=$?
        if grep -q 'DO NOT BELIEVE' jvm-$machine.said; then
            is $status 1 '  a table that must not be believed gives status 1'
        else
            is $status 0 '  the table can be believed'
            like jvm-$machine.csv 'Calls.main' "  and has the program's main method"
        fi
    done
else
    skip 'there is no JDK here'
fi
done_testing
