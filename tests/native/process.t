#!/bin/sh
# Processes that fork, exec, end abruptly or get signals: each leaves whole traces and behaves as without the agent.
. "$(dirname "$0")/lib.sh"
compile processes -O1 || exit 1
compile spin -O1 || exit 1
compile usage -O1 || exit 1

# whole DIRECTORY WHAT: all traces are whole
whole() {
    is "$(lines "$1" '^(whole|unfinished)' | sort -u)" whole "$2"
}

# run WAY STATUS TRACES: ./processes WAY has this status, this number of traces, which are whole, and the right CPU time
# and ticks in all of them together
run() {
    metered "$1" ./processes "$1"
    is $? "$2" "$1: status $2"
    is "$(traces "$1")" "$3" '  every program has a trace'
    whole "$1" '  which is whole'
    # Every burn counts, and none twice; besides there are the starts and ends of programs, and the agent.
    between "$(burnt_ms "$1")" "$(cpu_ms "$1")" "$(awk '{print $1 + 0.1}' "$1.used")" \
        '  the CPU time is that of all its processes'
    # There is a tick for every 10 ms, sampled or lost. While the machine stands still and reports that, the clocks go on.
    between "$(awk "BEGIN {print $(cpu_ms "$1") / 10 - $(spread "$1") - $(merged "$1" 10)}")" "$(ticks "$1")" \
        "$(most_ticks "$1")" '  no tick is forgotten'
}

# heard WAY: less than half of the ticks that could give a sample are lost
heard() {
    between 0 "$(awk "BEGIN {n = $(lost "$1" 'not delivered') - $(hidden "$1" 10); print n < 0 ? 0 : n}")" \
        "$(awk "BEGIN {n = $(ticks "$1") - $(hidden "$1" 10); print n < 0 ? 0 : n / 2}")" '  most ticks give a sample'
}

run fork 0 2
heard fork
for way in exec thread; do
    run $way 0 2
    heard $way
    is "$(lost $way 'late attach')" "$(late_ticks $way)" \
        '  time before an exec does not count as lost if the earlier trace has it'
done
run failed 0 1
heard failed
run vfork 0 2
heard vfork
run _exit 7 1
heard _exit
run quick 7 1
heard quick
run prof 0 1
heard prof
run masked 0 2
between 1 "$(find masked.d -name '*.trace' ! -name '*.1.trace' -exec ./trace_text {} + | grep -c 'lost not delivered')" 1 \
    '  ticks are lost before the exec, while the signal is blocked'
run both 0 1
run closed 0 1
say_enough 5 samples close &
run close 0 1
wait
between 5 "$(samples close)" "$(most_ticks close)" \
    '  after the program has closed all descriptors, another clock samples it'

for number in INT TERM HUP; do
    directory=$scratch/$number.d
    mkdir "$directory"
    # Background jobs of sh ignore SIGINT.
    env --default-signal=INT,HUP,TERM ASSAY_RECORD="{\"directory\":\"$directory\",\"prefix\":\"run\"}" LD_PRELOAD=$agent \
        ./processes wait >"$number.ready" 2>&1 &
    wait_for "$number.ready"
    kill -s "$number" $!
    wait $!
    lines "$number" '"arguments": \["./processes"' >/dev/null
    ok $? "SIG$number: the process leaves a trace"
    whole "$number" '  which is whole'
done
ASSAY_RECORD="{\"directory\":\"$scratch/TERM.d\",\"prefix\":\"run\"}" LD_PRELOAD=$agent sh -c './processes wait >ready & pid=$!
    i=0; until [ -s ready ] || [ $i -ge 300 ]; do sleep 0.1; i=$((i + 1)); done; kill -TERM $pid; wait $pid'
is $? 143 'the signal still ends the process: status 143'
(sampled killed ./processes wait >ready.killed) &
wait_for ready.killed
kill -KILL "$(wait_sampled killed processes)"
wait
state=whole
[ -z "${INSIDE:-}" ] || state=unfinished
is "$(lines killed '^(whole|unfinished)')" $state "a killed process leaves a trace that is $state"
between 2 "$(samples killed)" 300 '  which has its samples'

# A thousand ticks per second: a handler that could be cancelled, or that takes longer than an interval, would fail
# here.
config=',"period_ns":1000000,"spread_ns":300000,"max_cost":1'
compile cancel -O1 || exit 1
sampled cancel ./cancel 200
is $? 0 'threads are cancelled and exit as without the agent'
whole cancel '  the trace is whole'
lines cancel '^sample' | grep -q 'truncated stack'
ok $? '  a stack of 5000 frames is truncated'
# In the last three instructions of libgcc's forced unwinding the unwind tables describe a frame that is gone: a sample
# there can't be walked. There are several hundred samples, so that a few of these do not matter.
between 0 "$(lines cancel '^sample' | grep -c unwalkable)" "$(($(samples cancel) / 100))" \
    '  99 % of the stacks can be walked'
config=''

sampled short sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do /bin/true; done'
# On a busy machine some of them last for 50 ms, and get a trace after that, by a clock that is behind by 10 ms at most.
# On a slow one they use 10 ms of CPU time, of which the collector's own threads, which no trace lists, use less than half.
for trace in $(find short.d -name '*.trace'); do
    ./trace_text "$trace" >text
    start=$(sed -n 's/^meta.*"start_realtime": "\([^"]*\)".*/\1/p' text)
    [ -n "$start" ] || echo "no beginning: $trace"
    awk -v start="$(date -d "$start" +%s.%N)" -v written="$(stat -c %.9Y "$trace")" \
        '/^thread/ && $NF >= 5e6 {good = 1}
        /^(sample|lost)/ || written - start >= 0.04 {good = 1} END {if (!good) print "short"}' text
done >short
is "$(wc -l <short)" 0 'short processes without a sample or a loss leave no traces'
is "$(find short.d ! -name '*.trace' ! -type d | wc -l)" 0 '  and no other files'

# A shell closes descriptor 0 and then opens the file there. In the child of a fork the sampler starts at that moment;
# in a process that goes on it reads /proc many times meanwhile.
printf 'one two\n' >words
cat >redirects <<'END'
many() { n=0; while [ $n -lt $1 ]; do read -r a b <words && [ "$a$b" = onetwo ] || echo wrong; n=$((n + 1)); done; }
i=0
while [ $i -lt 1000 ]; do (many 12); i=$((i + 1)); done
many 60000
END
sampled redirects sh redirects >wrong
is "$(wc -l <wrong)" 0 "the sampler does not disturb a shell's redirections"

metered script sh -c './spin 60 & ./spin 60; wait; exec ./spin 60'
is "$(grep -c burnt script.burns)" 3 'three programs of a script burn CPU time'
between "$(burnt_ms script)" "$(cpu_ms script)" "$(cat script.used)" \
    '  the traces have their CPU time, also of parallel ones'

if [ "$(id -u)" -eq 0 ]; then
    sampled identity setpriv --reuid=65534 --regid=65534 --clear-groups sh -c 'id -u'  >who
    is $? 0 'a process that changes its user keeps running'
    is "$(cat who)" 65534 '  as that user'
else
    skip 'this is not root'
fi
if command -v java >/dev/null; then
    sampled java java -version >java.out 2>&1
    is $? 0 'a Java program runs'
    is "$(lines java '"exe": "[^"]*/java"' 2>/dev/null | wc -l)" 0 '  and its process has no trace of this agent'
else
    skip 'there is no java here'
fi
ASSAY_RECORD='{' LD_PRELOAD=$agent ./processes burn 2>err
is $? 0 'a broken configuration does not stop the program'
is "$(wc -l <err)" 1 '  one line on stderr reports it'
ASSAY_RECORD='{"directory":"/nowhere/at/all"}' LD_PRELOAD=$agent ./processes burn 2>err
is $? 0 'nor does a directory that does not exist'
is "$(wc -l <err)" 1 '  one line on stderr reports it'
LD_PRELOAD=$agent ./processes burn
is $? 0 'without a configuration the agent does nothing'
done_testing
