#!/bin/sh
# Samples: a known split, all threads, losses where a program blocks the signal, without permission for perf events.
# alone: it measures shares of samples, and counts ticks.
. "$(dirname "$0")/lib.sh"
compile spin -O1 -g || exit 1
compile blocked -O1 || exit 1
compile usage -O1 || exit 1

# The clock ticks every 1 ± 0.3 ms of CPU time: 2.5 s give n ≈ 2500 independent samples, fewer where ticks can't be
# delivered. The share of seventy() has sd sqrt(0.7 × 0.3 / n) = 0.0092. Five sd, and 0.01 for the loops' overhead, are
# exceeded once in a million runs.
config=',"period_ns":1000000,"spread_ns":300000,"max_cost":1'
metered split ./spin 2500
"$resolve" -q split.d/*.trace
share=$(lines split '^sample' | awk '{split($7, f, ":"); n[f[1]]++} END {print n["seventy"] / (n["seventy"] + n["thirty"])}')
within=$(awk "BEGIN {print 5 * sqrt(0.21 / $(samples split)) + 0.01}")
between "$(awk "BEGIN {print 0.7 - $within}")" "$share" "$(awk "BEGIN {print 0.7 + $within}")" \
    'seventy() has 70 % of the samples of seventy() and thirty()'
known=$(lines split '^sample' | grep -c -E 'spin:[^<]*<main:')
between 0.97 "$(awk "BEGIN {print $known / $(samples split)}")" 1 '  samples are under spin() under main()'
is "$(lines split '^sample' | grep -c -v native)" 0 '  every stack can be walked'
# The sum of m intervals has mean m ms and sd 0.173 sqrt(m) ms, plus the time of each tick: 100 us on a slow machine.
# While a virtual machine is stopped, the clocks of its threads go on, but not their CPU time, if the machine reports
# stolen time: each stolen millisecond may add a tick.
between "$(awk "BEGIN {print $(cpu_ms split) / 1.13 - $(merged split 1)}")" "$(ticks split)" \
    "$(awk "BEGIN {print ($(cpu_ms split) + $(cat split.stolen)) / 0.97 + $(waited split)}")" \
        '  there is a tick for each millisecond of CPU time'
between "$(awk "BEGIN {print ($(ticks split) - $(hidden split 1)) / 2}")" "$(samples split)" 100000 \
    '  and most ticks give a sample'

config=''
metered threads ./spin 60 20
between "$(burnt_ms threads)" "$(cpu_ms threads)" "$(cat threads.used)" \
    'the trace has the CPU time of 20 threads of 60 ms each'
# A tick comes every 10 ms of that; each thread's count has a variance below 0.5, so five sd are 16; the rest is
# overhead.
expected=$(awk "BEGIN {print $(cpu_ms threads) / 10}")
# On a busy machine, a clock in wall time may come too late for most of them.
between "$(awk "BEGIN {n = $expected - 16 - $(merged threads 10) - $(waited threads); print n < 1 ? 1 : n}")" \
    "$(ticks threads)" "$(awk "BEGIN {print $expected + 30 + $(cat threads.stolen) / 10 + $(waited threads)}")" \
    '  threads that are short compared with an interval have their share of ticks'
is "$(lines threads '^thread' | wc -l)" 21 '  and all threads are listed'

# With the signal blocked for 300 ms about 30 ticks come, of which one stays pending: 29 ± 4 are lost, more if the
# machine is stopped.
metered blocked ./blocked 300
between "$(awk "BEGIN {least = 20 - $(merged blocked 10); print (least > 1 ? least : 1)}")" "$(lost blocked 'not delivered')" \
    "$(awk "BEGIN {print ($(cpu_ms blocked) + $(cat blocked.stolen)) / 10 - 20 + $(hidden blocked 10) + $(waited blocked)}")" \
    'ticks that meet a blocked signal count as lost'
between "$(awk "BEGIN {print 20 - $(merged blocked 10)}")" "$(samples blocked)" \
    "$(awk '/^burnt/ && !n++ {print most - $2 / 10}' most="$(most_ticks blocked)" blocked.burns)" \
        '  and later ticks give samples'
between "$(awk "BEGIN {print $(cpu_ms blocked) / 10 - $(spread blocked) - $(merged blocked 10)}")" "$(ticks blocked)" \
    "$(most_ticks blocked)" '  no tick is forgotten'

config=',"clock":"fixed"'
metered fixed ./spin 300
# middle FIELD: the median distance of a thread's samples in this field, in ms
middle() {
    lines fixed '^sample' | awk -v field="$1" 'NR > 1 {print ($field - before) / 1e6} {before = $field}' | sort -n |
        awk '{x[NR] = $1} END {print x[int((NR + 1) / 2)]}'
}
# In wall time an interval can only be longer; in CPU time it is shorter where the host's share is not counted.
between 9.9 "$(middle 3)" 1000 'the fixed clock does not tick earlier than after 10 ms of wall time'
between 0 "$(middle 4)" "$(awk '/^jump/ {sum += $2} END {print 10.6 + sum}' fixed.burns)" \
    '  nor later than after 10 ms of CPU time'

# timer DIRECTORY: the timer thread took the samples
timer() {
    lines "$1" '^meta' | grep -q '"source": "timer-thread"'
    ok $? "$1: the source is the timer thread"
    lines "$1" '^meta' | grep -q '"interval_clock": "wall"'
    ok $? '  its intervals are in wall time'
    between 3 "$(samples "$1")" $((100 + $(cat "$1.stolen") / 10)) '  it takes samples'
    for trace in "$1".d/*.trace; do # setpriv may have one too
        ./trace_text "$trace" | awk '/^sample/ {if ($5 <= tick) bad = 1; tick = $5} END {exit bad}' || echo "$trace"
    done >unnumbered
    is "$(cat unnumbered)" '' '  and numbers its ticks'
}
config=',"source":"timer-thread"'
sampled timer ./spin 300
timer timer

config=''
if [ "$(id -u)" -eq 0 ] && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 1 ] &&
    setpriv --reuid=65534 --regid=65534 --clear-groups test -r "$agent" 2>/dev/null; then
    sampled nobody setpriv --reuid=65534 --regid=65534 --clear-groups ./spin 300
    timer nobody
    lines nobody '^meta' | grep -q '"source_reason": "cpu-clock: perf_event_open: '
    ok $? '  the metadata tell why'
else
    skip 'the lack of permission cannot be tested here'
fi

config=',"source":"pmu","pmu":{"type":0,"config":"0x0","events_per_ns":2.5}'
sampled pmu ./spin 100
lines pmu '^meta' | grep -Eq '"source": "pmu"|"source_reason": "pmu: perf_event_open: .*"source": "timer-thread"|"source": "timer-thread", "source_reason": "pmu: '
ok $? 'without hardware counters the metadata tell why'

# Descriptors run out: the timer thread samples the remaining threads.
config=''
(
    ulimit -n 40
    metered few ./spin 30 40
) 2>err
is "$(lines few '^thread' | wc -l)" 41 'with few descriptors every thread is listed'
if [ "$(waited few)" -eq 0 ]; then
    is "$(wc -l <err)" 1 '  one line tells how the remaining threads are sampled'
else
    is "$(wc -l <err)" 0 '  without a message: a timer thread needs none'
fi
between "$(burnt_ms few)" "$(cpu_ms few)" "$(cat few.used)" '  their CPU time is in the trace'
# Of the timer thread's ticks those count in which a thread ran, so n of them have an sd of at most sqrt(n). The CPU
# time is the observed one: on a machine that stands still now and then it is a multiple of 1.2 seconds.
between 20 "$(samples few)" "$(awk "BEGIN {n = ($(cpu_ms few) + $(cat few.stolen)) / 10 + $(waited few); print n + 5 * sqrt(n) + 30}")" \
    '  and they are sampled according to it'
done_testing
