#!/bin/sh
# Hardware events in the records of methods. Few virtual machines have counters, so imitate.c replaces them by the
# kernel's CPU clock: an event then counts nanoseconds, and must agree with the thread's CPU time beside it.
. "$(dirname "$0")/lib.sh"
unset ASSAY_IMITATE
cc -std=c17 -D_GNU_SOURCE -O1 -fPIC -shared -o imitate.so "$root/tests/machines/imitate.c" || exit 1
cc -O1 -finstrument-functions -pthread -o methods "$root/tests/victims/methods.c" || exit 1
cc -O1 -finstrument-functions -o planted "$root/tests/victims/phases_planted.c" || exit 1

# stolen_ms: time so far in which the host has run something else than this machine
stolen_ms() {
    awk -v hz="$(getconf CLK_TCK)" '/^cpu / { printf "%.0f", $9 * 1000 / hz }' /proc/stat
}

# on MACHINE ARGUMENT...: records there; $stolen is the stolen_ms() of that time, which the kernel's CPU clock counts and
# a thread's CPU time does not; $slow is 1 if reading a counter takes too long on the real machine
on() {
    machine=$1
    shift
    rm -rf out
    stolen=$(stolen_ms)
    ASSAY_IMITATE=$machine LD_PRELOAD=$scratch/imitate.so timeout -k 5 300 $record "$@" >said 2>err
    status=$?
    stolen=$(($(stolen_ms) - stolen))
    slow=$(grep -c 'a reading takes' err)
}

# columns: "TRACE THREAD counter_0 counter_1" of every event, each thread's events in order
columns() {
    for trace in out/*.trace; do
        "$dump" --kind event --format csv "$trace" | awk -F, -v trace="$trace" '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            { print trace $at["thread"], $at["counter_0"], $at["counter_1"] }'
    done
}

on counters --counters instructions,cpu-time -- ./planted
if grep -q 'perf_event_open: E\(ACCES\|PERM\|NOSYS\)' err; then
    skip_all 'there are no cpu-clock perf events here, so counters cannot be imitated'
fi
is "$status" 0 'a machine with counters: status 0'
if [ "$slow" -gt 0 ]; then
    skip 'reading a counter takes too long here'
else
    is "$(cat err)" '' '  without a message'
    "$build/libexec/assay/assay-info" out/*.trace >info
    like info 'counters +\["instructions","thread-cpu-ns"\]' '  the trace names the event as the command line does'
    like info '"name":"instructions".*"read_ns":[1-9]' '  and tells what a reading costs'
    columns | awk -v most="$((stolen + 2))" '
        $1 in hard && ($2 < hard[$1] || $3 < cpu[$1]) { bad++ }
        !($1 in first) { first[$1] = $2 - $3 }
        { hard[$1] = $2; cpu[$1] = $3; d = $2 - $3 - first[$1]; if (d < -2e6 - 0.05 * $3 || d > most * 1e6 + 0.05 * $3) off++; n++ }
        END { print (n > 0), bad + 0, off + 0 }' >seen
    is "$(cat seen)" '1 0 0' '  the counter never falls, and agrees with CPU time'
fi

on counters --counters instructions -- ./methods 100
is "$status" 0 'a program with threads and a fork: status 0'
[ "$slow" -gt 0 ] || is "$(counted | grep -c 'broken')" 0 '  every thread has its own counters'

if command -v javac >/dev/null && [ -e "$build/lib/assay/assay-methods.jar" ]; then
    compile_java -d . "$root/tests/victims/java/Methods.java" || exit 1
    on counters --counters cycles,instructions -- java -cp . Methods 100
    is "$status" 3 "Java: the exit status is the program's"
    if [ "$slow" -gt 0 ]; then
        skip 'reading a counter takes too long here'
    else
        is "$(columns | awk '$2 > 0 && $3 > 0 { n++ } END { print (n > 100) }')" 1 '  both events are counted'
        is "$(counted | grep -c broken)" 0 '  and the counters never fall'
    fi
fi

# Where there are no counters, or none that can be used, the recorder counts the next best.
for case in 'none:no such hardware counter' 'paranoid-3:not permitted' 'busy:no such hardware counter .*EBUSY' \
    'slow-read:a reading takes [0-9.]+ us here' 'fast:a rate that no processor has'; do
    on "${case%%:*}" --counters instructions -- ./methods 10
    is "$status $(wc -l <err)" '0 1' "machine ${case%%:*}: status 0, and one line on stderr"
    like err "^assay-record: --counters instructions: .*${case#*:}.*cpu-time is counted instead" \
        '  tells why, and what is counted instead'
    "$build/libexec/assay/assay-info" out/*.trace >info
    like info 'counters +\["thread-cpu-ns"\]' '  the trace names what was counted'
done
on none --counters cpu-time,cache-misses,page-faults -- ./methods 10
"$build/libexec/assay/assay-info" out/*.trace >info
like info 'counters +\["thread-cpu-ns","page-faults"\]' 'of several counters, only the missing one is left out'
done_testing
