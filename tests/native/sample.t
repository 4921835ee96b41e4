#!/bin/sh
# What samples say: a known split, all threads, loss where a program blocks the signal, without permission for perf events.
. "$(dirname "$0")/lib.sh"
compile spin -O1 -g || exit 1
compile blocked -O1 || exit 1
compile usage -O1 || exit 1

# The clock ticks every 1 ± 0.3 ms of CPU time: 2.5 s give n ≈ 2500 independent samples, fewer where it can't be heard,
# whose share of seventy() has sd sqrt(0.7 × 0.3 / n) = 0.0092. Five of them, and 0.01 for the loops' overhead, miss once
# in a million runs.
config=',"period_ns":1000000,"spread_ns":300000,"max_cost":1'
metered split ./spin 2500
"$resolve" -q split.d/*.trace
share=$(lines split '^sample' | awk '{split($7, f, ":"); n[f[1]]++} END {print n["seventy"] / (n["seventy"] + n["thirty"])}')
within=$(awk "BEGIN {print 5 * sqrt(0.21 / $(samples split)) + 0.01}")
between "$(awk "BEGIN {print 0.7 - $within}")" "$share" "$(awk "BEGIN {print 0.7 + $within}")" \
    'seventy() has 70 % of the samples of seventy() and thirty()'
known=$(lines split '^sample' | grep -c -E 'spin:[^<]*<main:')
between 0.97 "$(awk "BEGIN {print $known / $(samples split)}")" 1 'under spin() under main()'
is "$(lines split '^sample' | grep -c -v native)" 0 'every stack could be walked'
# Sum of m intervals: mean m ms, sd 0.173 sqrt(m) ms, plus what a tick takes each: 100 us on a slow machine. When a virtual machine is stopped the
# clocks of its threads go on, their CPU time does not if it tells so: there may be a tick more for a millisecond of that.
between "$(awk "BEGIN {print $(cpu_ms split) / 1.13 - $(merged split 1)}")" "$(ticks split)" \
    "$(awk "BEGIN {print ($(cpu_ms split) + $(cat split.stolen)) / 0.97 + $(waited split)}")" 'a tick a millisecond of CPU time'
between "$(awk "BEGIN {print ($(ticks split) - $(hidden split 1)) / 2}")" "$(samples split)" 100000 'most of them give a sample'

config=''
metered threads ./spin 60 20
between "$(burnt_ms threads)" "$(cpu_ms threads)" "$(cat threads.used)" 'the CPU time of 20 threads, each of which goes on for 60 ms'
# A tick comes every 10 ms of it; each thread's count has a variance below 0.5, so five sd are 16; the rest is overhead.
expected=$(awk "BEGIN {print $(cpu_ms threads) / 10}")
# In wall time on a busy machine the clock may come too late for most of them.
between "$(awk "BEGIN {n = $expected - 16 - $(merged threads 10) - $(waited threads); print n < 1 ? 1 : n}")" \
    "$(ticks threads)" "$(awk "BEGIN {print $expected + 30 + $(cat threads.stolen) / 10 + $(waited threads)}")" \
    'threads too short for a whole interval each give their share of samples'
is "$(lines threads '^thread' | wc -l)" 21 'all threads are known'

# With the signal blocked for 300 ms about 30 ticks come and one stays pending: 29 ± 4 are lost, more if the machine is
# stopped.
metered blocked ./blocked 300
expected=$(awk "BEGIN {print $(cpu_ms blocked) / 10}")
hidden=$(hidden blocked 10)
between 20 "$(lost blocked 'not delivered')" "$(awk "BEGIN {print $expected - 20 + $hidden + $(waited blocked)}")" \
    'ticks that meet a blocked signal are counted as loss'
between "$(awk "BEGIN {print 20 - $(merged blocked 10)}")" "$(samples blocked)" \
    "$(awk '/^burnt/ && !n++ {print most - $2 / 10}' most="$(most_ticks blocked)" blocked.burns)" 'and come again afterwards'
between "$(awk "BEGIN {print $expected - 6 - $(merged blocked 10)}")" "$(ticks blocked)" \
    "$(awk "BEGIN {print $expected + 6 + $(cat blocked.stolen) / 10 + $(waited blocked)}")" '  and none is forgotten'

config=',"clock":"fixed"'
metered fixed ./spin 300
# middle FIELD: the median of what a thread's samples are apart in it, in ms
middle() {
    lines fixed '^sample' | awk -v field="$1" 'NR > 1 {print ($field - before) / 1e6} {before = $field}' | sort -n |
        awk '{x[NR] = $1} END {print x[int((NR + 1) / 2)]}'
}
# Wall time can only make an interval longer; CPU time makes it shorter where the host's share of it is not counted.
between 9.9 "$(middle 3)" 1000 'the fixed clock never ticks sooner than every 10 ms'
between 0 "$(middle 4)" "$(awk '/^jump/ {sum += $2} END {print 10.6 + sum}' fixed.burns)" '  nor later, by CPU time'

timer() {
    lines "$1" '^meta' | grep -q '"source": "timer-thread"'
    ok $? 'the source is the timer thread'
    lines "$1" '^meta' | grep -q '"interval_clock": "wall"'
    ok $? '  its intervals are wall time'
    between 3 "$(samples "$1")" $((100 + $(cat "$1.stolen") / 10)) '  which takes samples'
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
    ok $? '  and the metadata say why'
else
    skip 'cannot do without permission here'
fi

config=',"source":"pmu","pmu":{"type":0,"config":"0x0","events_per_ns":2.5}'
sampled pmu ./spin 100
lines pmu '^meta' | grep -Eq '"source": "pmu"|"source_reason": "pmu: perf_event_open: .*"source": "timer-thread"|"source": "timer-thread", "source_reason": "pmu: '
ok $? 'without hardware counters the metadata say so'

# Descriptors run out: threads beyond go to the timer thread.
config=''
(
    ulimit -n 40
    metered few ./spin 30 40
) 2>err
is "$(lines few '^thread' | wc -l)" 41 'with few descriptors every thread is known'
if [ "$(waited few)" -eq 0 ]; then
    is "$(wc -l <err)" 1 'one line says what became of the others'
else
    is "$(wc -l <err)" 0 'and a timer thread needs none'
fi
between "$(burnt_ms few)" "$(cpu_ms few)" "$(cat few.used)" 'their time is known'
# The timer thread draws from its ticks those in which a thread ran, so n of them have an sd of at most sqrt(n). The CPU
# time is what was seen of it: on a machine that stands still now and then it is a multiple of 1.2 seconds.
between 20 "$(samples few)" "$(awk "BEGIN {n = ($(cpu_ms few) + $(cat few.stolen)) / 10 + $(waited few); print n + 5 * sqrt(n) + 30}")" \
    'and they are sampled by their CPU time'
done_testing
