#!/bin/sh
# Programs that do what they may, but where a sampler inside them could do harm: descriptors, last threads, handlers.
. "$(dirname "$0")/lib.sh"
compile corners -O1 || exit 1

# sealed NAME WHAT: all traces of NAME are whole
sealed() {
    is "$(lines "$1" '^(whole|unfinished)' | sort -u)" whole "$2"
}

# corner STATUS WHAT ARGUMENT...: ./corners ARGUMENT... ends with STATUS under the agent; WHAT is the title
corner() {
    expected=$1 what=$2
    shift 2
    sampled "$1" timeout 120 ./corners "$@" >said
    is $? "$expected" "$what: status $expected"
}

# later: the number of samples after the program had taken all descriptors
later() {
    lines take '^sample' | awk -v taken="$(cat said)" 'taken != "" && $4 > taken * 1e6' | wc -l
}
: >said
say_enough 10 later &
corner 0 'a program opens a file at every descriptor' take own
wait
is "$(cat own)" mine '  the file has what the program wrote, and nothing else'
sealed take '  the trace is whole'
between 15 "$(samples take)" "$(most_ticks take)" '  it has samples'
between 10 "$(later)" $(($(samples take) - 5)) '  also from the time after that'

corner 0 'main leaves by pthread_exit(), and then the last thread ends' last
sealed last '  the trace is whole'
between 5 "$(samples last)" "$(most_ticks last)" "  and has the last thread's samples"
corner 0 'the only thread leaves by pthread_exit()' alone
is "$(cat said)" bye '  functions registered by atexit() run'
sealed alone '  the trace is whole'

corner 192 'a program that handles SIGURG gets its own alone; SIGRTMAX without a handler' urgent
# timeout(1) ends itself by the same signal, which it does not handle; on a slow machine its child has a trace before
# it executes the program, too.
sealed urgent '  the traces of both are whole'
between 2 "$(lines urgent '^whole' | wc -l)" 3 '  and there are not more of them'
between 5 "$(samples urgent)" "$(most_ticks urgent)" '  and has samples'

i=0 bad=0
while [ $i -lt 100 ]; do
    sampled alarm timeout 120 ./corners alarm
    [ $? -eq 7 ] || bad=$((bad + 1))
    i=$((i + 1))
done
is $bad 0 '_exit() in a handler that interrupts malloc() ends the process, a hundred times'
is "$(lines alarm '^unfinished' | wc -l)" 0 '  and the traces are whole'
i=0 bad=0
while [ $i -lt 20 ]; do
    sampled race timeout 120 ./corners race
    [ $? -eq 7 ] || bad=$((bad + 1))
    i=$((i + 1))
done
is $bad 0 '_exit() while another thread returns from main ends the process, twenty times'
sealed race '  and the traces are whole'

corner 0 'a program and its signal handler fork' forks
corner 0 'a program with two thousand short threads' threads
sealed threads '  the trace is whole'
corner 0 'threads whose start the agent cannot see leave no descriptors behind' gone

corner 0 'a program with unwind information that leads nowhere' lost
between 8 "$(lines lost '^sample' | grep -c unwalkable)" "$(most_ticks lost)" '  its stacks are unwalkable'
corner 139 'a program that faults' fault
corner 139 'a program to which a SIGSEGV is sent' sent

compile spin -O1 || exit 1
config=',"period_ns":1000000,"spread_ns":300000,"max_cost":1'
(ulimit -f 24 && INSIDE=yes sampled full timeout 120 ./spin 3000 2>err)
is $? 0 'a trace that cannot grow does not stop the program'
is "$(grep -c 'is not complete: File too large' err)" 1 '  one line on stderr reports it'
lines full '^sample' >/dev/null
ok $? '  the part that was written can be read'
config=''

if unshare --user true 2>err; then
    sampled user unshare --user sh -c 'echo in' >said
    is "$? $(cat said)" '0 in' 'a program of one thread gets a user namespace'
else
    skip 'there are no user namespaces here'
fi
if [ "$(id -u)" -eq 0 ] && nsenter --mount=/proc/$$/ns/mnt true 2>err; then
    sampled mount nsenter --mount=/proc/$$/ns/mnt sh -c 'echo in' >said
    is "$? $(cat said)" '0 in' 'a program of one thread enters a mount namespace'
else
    skip 'namespaces cannot be entered here'
fi

for name in one two; do
    gcc -O1 -shared -fPIC -o $name.so "$root/tests/victims/plugin.c" || exit 1
done
sampled plugins timeout 120 ./corners plugins ./one.so ./two.so
if [ $? -eq 0 ]; then
    between 12 "$(lines plugins '^sample' | grep -c '\[two\.so\]')" "$(most_ticks plugins)" \
        'a library that is loaded where another was has its own samples'
else
    skip 'the two libraries were loaded at different addresses'
fi
# A program that has the agent but no recorder, as after an exec with another environment.
cat >bare.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
static void *run(void *nothing) { return nothing; }
int main(void)
{
    pthread_t thread;
    const char *error = dlerror();
    printf("%s\n", error ? error : "no error");
    return pthread_create(&thread, NULL, run, NULL) || pthread_join(thread, NULL);
}
END
"${CC:-gcc}" -O1 -pthread -o bare bare.c || exit 1
LD_PRELOAD=$agent ./bare >said 2>&1
is "$? $(cat said)" '0 no error' 'without a recorder the agent leaves no sign of itself'
done_testing
