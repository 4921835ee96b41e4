#!/bin/sh
# Signals to the recorder, to the command and from a terminal; progress on a terminal.
. "$(dirname "$0")/lib.sh"

# A command that reports when it runs and which signals it gets, and ends by itself.
cat >waiting <<'END'
#!/bin/sh
got() {
    echo "$1" >>"$name.got"
    [ -e stubborn ] || exit "$2"
}
name=$1
trap 'got INT 0' INT
trap 'got TERM 0' TERM
trap 'got HUP 3' HUP
echo $$ >"$name.pid"
tries=0
[ ! -e go ] || exit 0
while [ $tries -lt 2400 ]; do sleep 0.05; tries=$((tries + 1)); done
END
chmod +x waiting

# Whatever waits for the test gives up after two minutes.
cat >patience <<'END'
#!/bin/sh
tries=0
until [ -e "$1" ] || [ $tries -ge 2400 ]; do sleep 0.05; tries=$((tries + 1)); done
END
chmod +x patience

# background COMMAND...: runs it in the background, but with the signals of the foreground; sets $pid
background() {
    env --default-signal=INT,QUIT,HUP,TERM "$@" &
    pid=$!
}

# taken PROCESS: whether no SIGINT, the second lowest bit of a mask, waits for it
taken() {
    ! grep -Eq '^(Sig|Shd)Pnd:.*[2367abef]$' "/proc/$1/status"
}

for signal in INT TERM HUP; do
    case $signal in INT) number=2 ;; TERM) number=15 ;; *) number=1 ;; esac
    background "$record" --runs 3 -o "$signal.out" -- ./waiting "$signal" 2>err
    wait_for "$signal.pid"
    kill -$signal $pid
    wait $pid
    is $? $((128 + number)) "SIG$signal to the recorder alone: status 128+$number"
    is "$(cat "$signal.got")" "$signal" '  the command gets it once'
    is "$(ls -d ./*.pid | wc -l)" 1 '  the series stops'
    is "$(count "$signal.out"/*.trace | sed 's/[1-9][0-9]*/some/')" some '  its traces are kept'
    like err "interrupted; finished runs are kept in .*$signal.out; the same command line resumes" \
        '  one line reports it'
    grep -q '"interrupted": true' "$signal.out/series.json"
    ok $? '  series.json has the run as interrupted'
    rm "$signal.pid"
done
: >go
"$record" --runs 3 -o INT.out -- ./waiting INT 2>err
is $? 0 'an interrupted series continues'
like err 'resuming: 0 of 3 runs' '  and repeats the interrupted run'
is "$(grep -c '"interrupted": true' INT.out/series.json)" 0 '  after that no run is interrupted'

background "$record" -q -o one.trace -- sleep 60 2>err
tries=0
until ls one.trace.d/*.trace >/dev/null 2>&1 || [ $tries -ge 600 ]; do
    sleep 0.05
    tries=$((tries + 1))
done
kill -TERM $pid
wait $pid
is $? 143 'SIGTERM with -o FILE: status 143'
is "$(ls -d one.trace*)" one.trace '  the trace is in the file'

# The whole process group gets the signal, as from kill -INT -PGID or timeout, and the command is killed by it.
background setsid "$record" -q --runs 3 -o group.out -- sh -c 'echo $$ >group.pid; exec sleep 60' 2>err
wait_for group.pid
kill -INT -"$(ps -o pgid= -p "$(cat group.pid)" | tr -d ' ')"
wait $pid
is $? 130 'SIGINT to the group: status 130'
like err 'run 1: killed by signal 2 \(Interrupt\)' '  one line reports that it killed the command'

# A command that does not end at a signal.
cat >stubborn <<'END'
#!/bin/sh
trap 'echo INT >>stubborn.got' INT
echo $$ >stubborn.pid
sh -c 'trap "" INT; echo $$ >stubborn.child; ./patience never'
./patience never
./patience never
END
chmod +x stubborn
background "$record" -q --runs 3 -o stubborn.out -- ./stubborn 2>err
wait_for stubborn.child
kill -INT $pid
wait_until 30 taken $pid
sleep 1 # two signals that are taken within a fifth of a second count as one
kill -INT $pid
wait $pid
is $? 130 'a second SIGINT: status 130'
like err 'run 1: killed by signal 9' '  the command is killed'
tries=0
while grep -q '^State:[[:space:]]*[RSD]' "/proc/$(cat stubborn.child)/status" 2>/dev/null && [ $tries -lt 600 ]; do
    sleep 0.05
    tries=$((tries + 1))
done
[ $tries -lt 600 ]
ok $? '  and so are its descendants'
# patient: how many processes of ./patience there are
patient() {
    grep -l '[p]atience' /proc/[0-9]*/cmdline 2>/dev/null | while IFS=/ read -r _ _ process _; do
        [ "$(readlink "/proc/$process/cwd")" != "$(pwd -P)" ] || echo "$process"
    done | wc -l
}
tries=0
until [ "$(patient)" = 0 ] || [ $tries -ge 600 ]; do
    sleep 0.05
    tries=$((tries + 1))
done
is "$(patient)" 0 '  and what it would have started next'

# SIGQUIT is left to the command.
cat >quit <<'END'
#!/bin/sh
trap 'echo QUIT >quit.got' QUIT
echo $$ >quit.pid
tries=0
until [ -e quit.got ] || [ $tries -ge 2400 ]; do sleep 0.05; tries=$((tries + 1)); done
END
chmod +x quit
background "$record" -q -o quit.out -- ./quit 2>err
wait_for quit.pid
kill -QUIT $pid
wait $pid
is "$? $(cat quit.got)" '0 QUIT' 'SIGQUIT is left to the command, and nothing stops'

# The command inherits the signal state with which the recorder started. Only signals 1 to 28 are compared: some above
# belong to the C library.
masks='sed -n "s/^\(Sig[IB][a-z]*\):.*\(.......\)\$/\1 \2/p" /proc/self/status'
(trap '' HUP && exec "$record" -q -o ignored -- sh -c "$masks >mask.ignored")
(trap '' HUP && sh -c "$masks >mask.plain")
is "$(cat mask.ignored)" "$(cat mask.plain)" 'the command inherits ignored and blocked signals unchanged'
is "$(wc -l <mask.plain)" 2 '  both masks were compared'
(trap '' CHLD && exec "$record" -q -o chld -- sh -c 'exit 8') 2>err
is $? 8 'an ignored SIGCHLD does no harm'

# On a terminal.
if command -v script >/dev/null && script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    script -qec "$record --runs 3 --warmup 1 -o tty.out -- sleep 0.01" /dev/null </dev/null >tty.log 2>&1
    tr '\r' '\n' <tty.log >tty.lines
    like tty.lines '1/4  warm-up run 1  elapsed [0-9]+:[0-9]+  ETA -' 'a terminal shows progress: the first run'
    like tty.lines '4/4  run 3  elapsed [0-9]+:[0-9]+  ETA [0-9]+:[0-9]+' '  and the last one, with an ETA'
    script -qec "$record -q --runs 3 -o ttyq.out -- sleep 0.01" /dev/null </dev/null >tty.log 2>&1
    is "$(cat tty.log)" '' '  but not with -q'

    cat >typist <<'END'
#!/bin/sh
./patience tty.pid
printf '\003'
./patience tty.done
END
    cat >counting <<'END'
#!/bin/sh
trap 'echo INT >>tty.got; sleep 0.3; exit 0' INT
echo $$ >tty.pid
tries=0
while [ $tries -lt 2400 ]; do sleep 0.05; tries=$((tries + 1)); done
END
    # The shell gets the Ctrl-C, too, and some shells end because of it.
    cat >terminal <<END
#!/bin/sh
trap : INT
$record --runs 3 -o ttyint.out -- ./counting
echo status \$?
touch tty.done
END
    chmod +x typist counting terminal
    ./typist | env --default-signal=INT,QUIT,HUP,TERM script -qec 'exec ./terminal' /dev/null >tty.log 2>&1
    like tty.log 'status 130' 'Ctrl-C on a terminal: status 130'
    is "$(cat tty.got)" INT '  the command gets it once, and ends when it wants to'
else
    skip 'script(1) gives no terminal here'
fi
done_testing
