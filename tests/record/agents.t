#!/bin/sh
# The recorder with the real native agent, if it is built: the traces hold what was requested.
. "$(dirname "$0")/lib.sh"
if [ ! -e "$build/lib/assay/libassay-native.so" ]; then
    echo '1..0 # SKIP no native agent in this build'
    exit 0
fi
record=$build/libexec/assay/assay-record
info=$build/libexec/assay/assay-info
compile spin.c spin -g || exit 1

# quietly ARGUMENT...: the recorder, repeated if it printed something, but five times at most: when the machine stands
# still while a program or an agent starts, that time is not sampled. Returns its status.
quietly() {
    for _ in 1 2 3 4 5; do
        "$record" -q --overwrite "$@" 2>err
        status=$?
        [ -s err ] || break
        sed 's/^/# again: /' err
    done
    return $status
}

quietly --runs 2 --seed 5 -o out -- ./spin 0.3
is $? 0 'a program that spins: status 0'
is "$(cat err)" '' '  nothing to complain of: most of its CPU time was sampled'
is "$(count out/*.trace)" 2 '  a trace a run'
like out/series.json '"state": "finished"' '  finished'
quietly -o wrapped -- sh -c './spin 0.2 & ./spin 0.2; wait'
is "$(cat err)" '' 'a script with two programs: most of it was sampled'
"$record" -q -o killed -- sh -c './spin 0.2; kill -9 $$' 2>err
is $? 137 'kill -9 of a recorded shell: status 137'
like err 'run 1: unfinished, .*: run-001-[0-9]+.trace; at most' '  its trace is unfinished'
is "$(count killed/*.trace)" 2 '  and there are both traces'
quietly -o one.trace -- ./spin 0.2
is "$? $(cat err) $(ls -d one*)" '0  one.trace' 'one file'
left='run 1: (no trace yet of .* still running .*\(process [0-9]+\)|still being written)'
"$record" -q -o left -- sh -c 'setsid ./spin 4 & echo $! >left.pid; exit 0' 2>err
is $? 0 'a child that has only begun when the command ends: status 0'
like err "$left" '  it is reported'
# wait_gone FILE: until the process whose id it holds has ended, or four minutes
wait_gone() {
    tries=0
    while grep -q '^State:.[^Z]' "/proc/$(cat "$1")/status" 2>&1 && [ $tries -lt 4800 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
}
wait_gone left.pid
"$record" -o left -- sh -c 'setsid ./spin 4 & echo $! >left.pid; exit 0' 2>err
like err 'complete: 1 of 1' '  the run counts'
like left/series.json '"state": "finished"' '  its trace is there in the end'
"$record" -q -o beside -- sh -c './spin 0.2; setsid ./spin 60 & echo $! >beside.pid; exit 0' 2>err
like err "$left" 'it is reported next to a complete trace'
kill "$(cat beside.pid)"
wait_gone beside.pid
printf '#include <fcntl.h>\n#include <unistd.h>\nint main(void) { creat("there", 0600); sleep(60); }\n' >sleeper.c
"${CC:-gcc}" -static -o sleeper sleeper.c || exit 1
"$record" -q -o later -- sh -c 'sh -c "./spin 0.2; exec setsid ./sleeper" & echo $! >later.pid; until [ -e there ]; do sleep 0.05; done' 2>err
like err "no trace yet of 1 process .*\(process $(cat later.pid)\)" '  and of a process whose earlier program has a trace'
is "$(count later/run-001-"$(cat later.pid)".trace)" 1 '  that trace is there'
kill "$(cat later.pid)"
if [ -x "$info" ]; then
    "$info" one.trace >text 2>err
    is $? 0 'assay info reads it'
    like text 'clock +random' '  the clock'
    like text 'resolved +true' '  names of functions'
    like text 'exit +.*"status":0' '  the exit status'
fi
done_testing
