#!/bin/sh
# One run: the command's streams, environment and exit status; its processes' traces; wrappers and children.
. "$(dirname "$0")/lib.sh"

echo hello | "$record" -q -- cat >out 2>err
is "$?" 0 'status 0'
is "$(cat out)" hello "stdin and stdout are the command's"
is "$(cat err)" '' 'there is nothing on stderr with -q'
is "$(count assay-out/*.trace)" 1 'assay-out has one trace'
is "$(ls -A assay-out | grep -v '\.trace$')" series.json '  and the state, nothing else'
like assay-out/*.trace '"exit":\{"status":0,"signal":null,"wall_ns":[0-9]' 'the trace tells how the command ended'
"$record" -q -o err1 -- sh -c 'echo oops >&2' 2>err
is "$(cat err)" oops "stderr is the command's"

for status in 1 3 126 255; do
    "$record" -q -o "s$status" -- sh -c "exit $status" 2>err
    is $? $status "status $status is passed on"
    like err "run 1: exit status $status" '  and one line tells it'
done
"$record" -q -o killed -- sh -c 'kill -SEGV $$' 2>err
is $? 139 'signal 11: status 139'
like err 'run 1: killed by signal 11 \(Segmentation fault\)' '  and one line tells it'
is "$(grep -c '"signal": 11' killed/series.json)" 1 '  and series.json has the signal'
like err "^assay-record: run 1: this may be due to recording; compare a plain run: sh -c 'kill -SEGV \\$\\$'\$" \
    '  and a line tells how to find out whether that is due to recording'
"$record" -q -o status3 -- sh -c 'exit 3' 2>err
unlike err 'due to recording' '  not after a status that only the program can have'

"$record" -q -o none -- ./no-such-program 2>err
is $? 127 'no such command: status 127'
is "$(cat err)" 'assay-record: ./no-such-program: No such file or directory' '  one line tells why'
is "$(count none/*.trace)" 0 '  there is no trace'
PATH=/usr/bin:/bin "$record" -q -o none -- no-such-program-anywhere 2>err
is $? 127 'no such command in PATH: status 127'
echo data >plain
"$record" -q -o none2 -- ./plain 2>err
is $? 126 'a file that is not executable: status 126'
is "$(cat err)" 'assay-record: ./plain: Permission denied' '  one line tells why'
"$record" -q --runs 5 -o none3 -- ./no-such-program 2>err
is "$(wc -l <err)" 1 'a command that cannot be executed ends the series'

# environment
LD_PRELOAD='' JAVA_TOOL_OPTIONS='' "$record" -q -o env1 -- sh -c 'echo "$LD_PRELOAD|$JAVA_TOOL_OPTIONS"' >out
is "$(cat out)" "$scratch/i/lib/assay/libassay-native.so|" 'LD_PRELOAD names the agent'
before=$scratch/i/lib/assay/other.so
cp i/lib/assay/libassay-native.so "$before"
LD_PRELOAD=$before FAKE_AGENT=nothing "$record" -q -o env2 -- sh -c 'echo "$LD_PRELOAD"' >out 2>err
is "$(cat out)" "$scratch/i/lib/assay/libassay-native.so:$before" 'LD_PRELOAD keeps what it held before'
cp i/lib/assay/libassay-native.so i/lib/assay/libassay-jvm.so
JAVA_TOOL_OPTIONS='-Xmx1g -Da="b c"' "$record" -q -o env3 -- sh -c 'echo "$JAVA_TOOL_OPTIONS"' >out
is "$(cat out)" "-Xmx1g -Da=\"b c\" -agentpath:$scratch/i/lib/assay/libassay-jvm.so" \
    'JAVA_TOOL_OPTIONS keeps what it held before'
"$record" -q -o env4 -- "$record" -q -o env5 -- sh -c 'echo "$LD_PRELOAD|$JAVA_TOOL_OPTIONS"' >out
is "$(cat out)" "$scratch/i/lib/assay/libassay-native.so|-agentpath:$scratch/i/lib/assay/libassay-jvm.so" \
    'a recorder inside a recorded command does not add the agents twice'
is "$(count env5/*.trace)" 1 '  and records the command'
rm i/lib/assay/libassay-jvm.so

# wrappers and children
cat >wrapper <<'END'
#!/bin/sh
dir=$(dirname "$0")
[ -d "$dir" ] || exit 9
exec /bin/echo "$@"
END
chmod +x wrapper
"$record" -q -o wrap -- ./wrapper a 'b  c' >out
is "$(cat out)" 'a b  c' 'a wrapper script passes its arguments'
is "$(count wrap/run-001-*.trace)" 3 '  and every program that it executed has a trace'
"$record" -q -o pipe -- sh -c 'echo x | cat | cat; (exit 4)' >out 2>err
is $? 4 "a pipeline in sh -c: the status is the shell's"
is "$(cat out)" x '  so is the output'
is "$(count pipe/*.trace)" 3 '  and each process has a trace'

# children that outlive the command
"$record" -o late -- sh -c 'FAKE_AGENT=unfinished setsid sleep 60 & echo $! >late.pid; i=0
    until [ -e late/run-001-$!.1.trace ] || [ $i -ge 1500 ]; do sleep 0.02; i=$((i + 1)); done' 2>err
is $? 0 'a child that outlives the command: no hang'
like err 'run 1: still being written, .* outlives the command: run-001-[0-9]+\.1\.trace' '  one line reports it'
like late/series.json '"running"' '  and series.json lists it as running'
kill "$(cat late.pid)"
wait_until 30 is_gone late.pid
"$record" -o late -- sh -c 'FAKE_AGENT=unfinished setsid sleep 60 & echo $! >late.pid; i=0
    until [ -e late/run-001-$!.1.trace ] || [ $i -ge 1500 ]; do sleep 0.02; i=$((i + 1)); done' 2>err
unlike late/series.json '"running",' 'the next recorder finds that it has ended'

# missing and damaged traces
FAKE_AGENT=unfinished "$record" -o unfinished -- sh -c 'kill -9 $$' 2>err
is $? 137 'kill -9: status 137'
like err 'run 1: unfinished, .*\(it was killed, perhaps\): run-001-[0-9]+\.trace; at most the last second' \
    '  one line names the unfinished trace'
is "$(count unfinished/*.trace)" 1 '  the trace is kept'
like unfinished/*.trace '"exit":\{"status":null,"signal":9,' '  and has the signal'
FAKE_AGENT=damaged "$record" -o damaged -- true 2>err
is $? 1 'no trace but a damaged one: status 1'
like err 'run 1: run-001-[0-9]+\.trace: is empty' '  one line tells what is wrong'
# used DIRECTORY: the CPU time in ms of its last run
used() {
    awk -F '[:,]' '/"(user|system)_ns"/ {ns[$1] = $2} END {for (key in ns) sum += ns[key]; printf "%d", sum / 1e6}' "$1/series.json"
}
# Time for which the machine stands still may count as the program's CPU time.
tries=0
while
    FAKE_AGENT=nothing "$record" --overwrite -o nothing -- true 2>err
    status=$?
    [ "$(used nothing)" -ge 50 ] && [ $tries -lt 10 ]
do tries=$((tries + 1)); done
is $status 1 'no trace: status 1'
like err 'run 1: no trace: .*too little for a sample.*statically' '  one line tells the likely reason'
FAKE_AGENT=nothing "$record" -o nothing -- sh -c 'exit 7' 2>err
is $? 7 "no trace of a command that fails: the status is the command's"
FAKE_AGENT=nothing "$record" -o nothing2 -- sh -c 'i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done' 2>err
like err 'no trace: nothing .*statically linked or set-user-ID.*JAVA_TOOL_OPTIONS' \
    'no trace of a longer run: one line tells more reasons'
FAKE_AGENT=nothing "$record" -c safepoint -o nothing3 -- true 2>err
like err 'no trace: clock safepoint samples Java virtual machines only' \
    'no trace of a native program with clock safepoint: one line tells why'
if compile static.c static -static 2>err; then
    "$record" -o static.out -- ./static 2>err
    is $? 1 'a statically linked program: status 1'
    like err 'statically linked' '  which is among the reasons'
fi

# CPU time
FAKE_CPU_NS=1000 "$record" -o cover -- sh -c 'i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done' 2>err
is $? 0 'CPU time that was not sampled is not a failure'
like err 'run 1: [0-9.]+ of [0-9.]+ s of CPU time \(100 %\) were not sampled' '  but one line reports it'
"$record" -o cover2 -- sh -c 'i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done' 2>err
unlike err 'not sampled' 'there is no such line if all CPU time was sampled'
done_testing
