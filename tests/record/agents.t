#!/bin/sh
# The recorder with the real native agent, if that is built: the traces hold what was requested.
. "$(dirname "$0")/lib.sh"
if [ ! -e "$build/lib/assay/libassay-native.so" ]; then
    echo '1..0 # SKIP no native agent in this build'
    exit 0
fi
record=$build/libexec/assay/assay-record
info=$build/libexec/assay/assay-info
compile spin.c spin -g || exit 1

# quietly ARGUMENT...: runs the recorder again while it prints messages, up to five times: if the machine stands still or
# is slow while a program or an agent starts, that time is not sampled. Each time ./spin uses twice as much, of which the
# same start is a smaller part. Returns the recorder's status.
quietly() {
    for SPIN_TIMES in 1 2 4 8 16; do
        export SPIN_TIMES
        "$record" -q --overwrite "$@" 2>err
        status=$?
        [ -s err ] || break
        sed 's/^/# again: /' err
    done
    unset SPIN_TIMES
    return $status
}

quietly --runs 2 --seed 5 -o out -- ./spin 0.3
is $? 0 'a program that spins: status 0'
is "$(cat err)" '' '  no message: most of its CPU time was sampled'
is "$(count out/*.trace)" 2 '  each run has a trace'
like out/series.json '"state": "finished"' '  the series is finished'
quietly -o wrapped -- sh -c './spin 0.2 & ./spin 0.2; wait'
is "$(cat err)" '' 'a script with two programs: most of its CPU time was sampled'
"$record" -q -o killed -- sh -c './spin 0.2; kill -9 $$' 2>err
is $? 137 'kill -9 of a recorded shell: status 137'
is "$(messages err)" 'assay-record: run 1: killed by signal 9 (Killed)' '  one line reports that'
is "$(programs killed | xargs)" "$(printf '%s\n' "$shell" spin | sort | xargs)" '  and both programs have a trace'
quietly -o one.trace -- ./spin 0.2
is "$? $(cat err) $(ls -d one*)" '0  one.trace' '-o FILE leaves just the file'
left='run 1: (no trace yet of .* still running .*\(process [0-9]+\)|still being written)'
"$record" -q -o left -- sh -c 'setsid ./spin 4 & echo $! >left.pid; exit 0' 2>err
is $? 0 'a child that has just begun when the command ends: status 0'
like err "$left" '  the child is reported'
# wait_gone FILE: waits until the process whose id is in FILE has ended, four minutes at most
wait_gone() {
    tries=0
    while grep -q '^State:.[^Z]' "/proc/$(cat "$1")/status" 2>&1 && [ $tries -lt 4800 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
}
wait_gone left.pid
# Another process writes its trace, somewhat later on a slow machine.
"$info" --format json left/*.trace 2>/dev/null | sed -n 's/.*"writer_pid": *\([0-9]*\).*/\1/p' | sort -u >left.writer
wait_gone left.writer
"$record" -o left -- sh -c 'setsid ./spin 4 & echo $! >left.pid; exit 0' 2>err
like err 'complete: 1 of 1' 'the next recorder: the run counts as complete'
is "$(sed -n 's/.*"state": "\(.*\)".*/\1/p' left/series.json | sort -u)" finished "  and the child's trace is there in the end"
"$record" -q -o beside -- sh -c './spin 0.2; setsid ./spin 60 & echo $! >beside.pid; exit 0' 2>err
like err "$left" 'a child that runs on is reported, although the run has a complete trace'
kill "$(cat beside.pid)"
wait_gone beside.pid
printf '#include <fcntl.h>\n#include <unistd.h>\nint main(void) { creat("there", 0600); sleep(60); }\n' >sleeper.c
"${CC:-gcc}" -static -o sleeper sleeper.c || exit 1
"$record" -q -o later -- sh -c 'sh -c "./spin 0.2; exec setsid ./sleeper" & echo $! >later.pid; until [ -e there ]; do sleep 0.05; done' 2>err
like err "no trace yet of 1 process .*\(process $(cat later.pid)\)" \
    'a process is reported if only its earlier program has a trace'
is "$(count later/run-001-"$(cat later.pid)".trace)" 1 '  and that trace is there'
kill "$(cat later.pid)"
if [ -x "$info" ]; then
    "$info" one.trace >text 2>err
    is $? 0 'assay info reads the trace'
    like text 'clock +random' '  it tells the clock'
    like text 'resolved +true' '  that functions are named'
    like text 'exit +.*"status":0' '  and the exit status'
fi
done_testing
