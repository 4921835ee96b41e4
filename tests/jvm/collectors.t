#!/bin/sh
# Garbage collectors: their threads are found and named, their pauses are recorded, and no stacks are lost to them.
. "$(dirname "$0")/lib.sh"
victim Collect

for collector in Serial Parallel G1 Z Shenandoah; do
    option=-XX:+Use${collector}GC
    if ! java "$option" -version >/dev/null 2>&1; then
        skip "no $collector collector in this JVM"
        continue
    fi
    # Without -Xms the heap's initial size depends on the machine's memory, and on a large machine nothing is collected.
    trace random 2000000 "$option" -Xms64m -Xmx512m -cp . Collect 4000
    is "$status $(cat out)" '0 done' "$collector: the program gives its result"
    whole '  the trace is whole'
    between 1 "$(percent '"state": "gc"' .)" 95 '  the trace has samples of the collector'
    is "$(samples '"state": "gc"' | tr -d ' ')" "$(samples 'garbage collector\]')" '  they have its name'
    between 1 "$("$dump" --format json --kind gc out.trace | wc -l)" 100000 '  its pauses are recorded'
    between 60 "$(percent 'Collect.allocate' '"state": "(compiled|interpreted)"')" 100 \
        '  most samples of Java code are in the method that allocates'
    few 2 "$(samples '"state": "unwalkable"')" "$(samples)" '  few stacks are unwalkable'
done
trace safepoint 5000000 -Xms64m -cp . Collect 2000
between 1 "$("$dump" --format json --kind gc out.trace | wc -l)" 100000 'the safepoint clock records pauses, too'
done_testing
