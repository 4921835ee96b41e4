#!/bin/sh
# Threads and classes that come and go.
. "$(dirname "$0")/lib.sh"
victim Churn Unload Leave

for clock in random safepoint; do
    trace "$clock" 2000000 -cp . Churn 400
    is "$status $(cat out)" '0 done' "$clock: many short threads: the program gives its result"
    whole '  the trace is whole'
    between 400 "$("$dump" --format json --kind thread out.trace | grep -c '"tid"')" 1000000 '  every thread is defined'
    between 1 "$(samples Churn.work)" 100000 '  they have samples'
    few 2 "$(samples '"state": "unwalkable"')" "$(samples)" '  few stacks are unwalkable'
    trace "$clock" 2000000 -cp . Unload 60
    is "$status $(cat out)" '0 done' "$clock: classes are unloaded: the program gives its result"
    whole '  the trace is whole'
    between 1 "$(samples '(Unload.Work.run|\[unloaded method\])')" 100000 \
        '  samples in their methods have names or are reported as unloaded'
done

trace random 2000000 -cp . Leave return
roles=$("$dump" --format json --kind thread out.trace | sed -n 's/.*"name": "\([^"]*\)", "role": "\([^"]*\)".*/\2 \1/p' | sort -u)
for pair in 'jit C2 CompilerThre' 'jit C1 CompilerThre' 'vm VM Thread' 'java worker 0'; do
    printf '%s\n' "$roles" | grep -qx "$pair.*"
    ok $? "a thread has this role and name: $pair"
done

for java in $(javas); do
    home=$(dirname "$(dirname "$java")")
    [ "$(version "$home")" -ge 21 ] && [ -x "$home/bin/javac" ] || continue
    JAVAC=$home/bin/javac JAVA=$java
    victim Virtual
    for clock in random safepoint; do
        trace "$clock" 2000000 -cp . Virtual 300
        is "$status $(cat out)" '0 done' "Java $(version "$home"), $clock: virtual threads: the program gives its result"
        whole '  the trace is whole'
    done
    trace random 2000000 -cp . Virtual 300
    between 1 "$(samples Virtual.work)" 100000 '  their work has samples'
done
done_testing
