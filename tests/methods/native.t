#!/bin/sh
# Entries and exits of the functions of native programs: every count follows from the program's source.
. "$(dirname "$0")/lib.sh"

# built NAME COMPILER OPTION...: compiles the victim NAME to ./NAME
built() {
    name=$1 source=$(ls "$root/tests/victims/$1".c*)
    shift
    "$@" -finstrument-functions -pthread -o "$name" "$source" || exit 1
}

expected=$(printf '%s\nleaf enter 6005\nleaf exit 6005\n' "$without_leaf" | sort)
for level in -O0 -O2 '-O2 -fomit-frame-pointer' -O3; do
    built methods gcc $level
    recorded -- ./methods 2000
    is $? 0 "longjmp, threads that end inside calls, fork ($level): status 0"
    is "$(counted)" "$expected" '  every call has its end'
    is "$(for trace in out/*.trace; do "$dump" --kind lost "$trace"; done | grep -vc ^thread)" 0 '  no event is lost'
done

thrown='clean enter 303
clean exit 303
deep enter 300
deep exit-by-exception 300
destroy enter 300
destroy exit 300
main enter 1
main exit 1
make enter 300
make exit 300
outer enter 3
outer exit 3
thrower enter 3
thrower exit-by-exception 3'
ended='below enter 100
below exit-by-exception 100
between enter 100
between exit-by-exception 100
brief enter 100
brief exit-by-exception 100
caught enter 100
caught exit 100
chain enter 100
chain exit 100
destroy enter 100
destroy exit 100
fails enter 100
fails exit-by-exception 100
guarded enter 100
guarded exit 100
hops enter 100
hops exit-by-exception 100
jumped enter 100
jumped exit 100
last enter 100
last exit 100
main enter 1
main unfinished 1
never enter 100
never exit-by-exception 100
stops enter 1
stops unfinished 1
swallows enter 100
swallows exit 100'
named() { counted 2>&1 | sed 's/Guard::~Guard/destroy/; s/Guard::Guard/make/' | sort; }
lost() { for trace in out/*.trace; do "$dump" --kind lost "$trace"; done 2>&1 | grep -vc ^thread; }
for compiler in 'g++ -O0' 'g++ -O2' 'g++ -O3' 'clang++ -O0' 'clang++ -O1' 'clang++ -O2' 'clang++ -O3'; do
    if ! command -v "${compiler% *}" >compiler.path; then
        skip "there is no $compiler here"
        continue
    fi
    # shellcheck disable=SC2086 # a compiler and its option
    built methods_throw $compiler
    recorded -- ./methods_throw
    is "$? $(lost) $(named)" "0 0 $thrown" \
        "$compiler: exceptions pass a hundred frames, and destructors throw others: every call is recorded"
    # shellcheck disable=SC2086
    built methods_ends $compiler
    recorded -- ./methods_ends
    is "$? $(lost) $(named)" "0 0 $ended" '  and calls that end in every other way there is'
done

built methods_exec gcc -O1
recorded -- ./methods_exec
is "$(counted)" 'f enter 1
f unfinished 1
g enter 2
g exit 2
main enter 1
main unfinished 1' 'an exec that fails changes nothing, and one that succeeds ends the calls'
recorded -- ./methods_exec leave
is "$?" 0 'main leaves by pthread_exit(): the process ends nevertheless'
is "$(counted)" 'g enter 1
g exit 1
late enter 1
late exit 1
main enter 1
main unfinished 1' '  and every call is recorded'

# More events than a ring holds: the program waits for the reader, and no event is lost.
recorded -- ./methods 3000000
is "$(counted | grep -E '^(leaf|broken)')" 'leaf enter 3004005
leaf exit 3004005' 'three million calls are recorded, each with its end'

# What recording took outside probes: the start, in the process that was started, and for each process a thread that
# writes its trace, in another process.
is "$(for trace in out/*.trace; do "$dump" --kind vm --format csv "$trace" | cut -d, -f 3 | tail -n +2 | paste -s -d ' ' -; done | sort)" \
    "$(for trace in out/*.trace; do echo outside-writer-ns; done | sed '$s/^/rewrite-ns /' | sort)" \
        "each trace tells what its process's writer took, and one tells what the start took"
"$build/libexec/assay/assay-phases" -q --format json out/*.trace >table
all=$("$build/libexec/assay/assay-info" --format json out/*.trace |
    awk '/"(user|system)_ns"/ { sum += $2 } END { print sum / 1e9 }') # each trace has it, so it counts more than once
between 0.000001 "$(sed -n 's/.*"outside_writer_s": \([^,}]*\).*/\1/p' table)" 60 "  the summary has the writers' time"
is "$(sed -n 's/.*"writer_s": \([^,}]*\).*/\1/p' table)" 0.0 '  of which none is within the program'
between 0.000001 "$(sed -n 's/.*"rewriting_s": \([^,}]*\).*/\1/p' table)" "$all" '  and that of the start'

# Calls of a function that does nothing: probes take most of the time, and a message reports it; not with a long function.
# probes EVENTS: the share of the thread with EVENTS events that its metadata have, and its ratio to events times cost
probes() {
    for trace in out/*.trace; do
        "$build/libexec/assay/assay-info" --format json "$trace"
    done | python3 -c '
import json, sys
text, at = sys.stdin.read(), 0
while text[at:].strip():
    trace, end = json.JSONDecoder().raw_decode(text[at:].lstrip())
    at = len(text) - len(text[at:].lstrip()) + end
    told, pair = trace["metadata"].get("probes"), trace["metadata"]["probe"]["pair_ns"]
    if told and told["events"] == int(sys.argv[1]):
        print(told["share"], told["share"] / (told["events"] * pair / 2 / told["cpu_ns"]))' "$1"
}
set -- $(probes 6000224)
between 0.1 "${1-}" 2 "the trace has the probes' share of a thread's CPU time"
between 0.999999 "${2-}" 1.000001 '  which is the number of events times the cost of one'
like err 'run 1: probes took about [0-9]* % of the CPU time of thread methods: 6e.06 events of [0-9]* ns' \
    '  and a message reports it'
cat >few.c <<'END'
static volatile double sum;
__attribute__((noinline)) static void lengthy(void)
{
    for (int i = 0; i < 40000000; i++)
        sum += i;
}
int main(void)
{
    for (int i = 0; i < 5; i++)
        lengthy();
}
END
gcc -O1 -finstrument-functions -o few few.c || exit 1
recorded -- ./few
set -- $(probes 12)
between 0 "${1-}" 0.01 'in long functions the share is next to nothing'
unlike err 'probes took' '  and no message reports it'

# CPU time is the kernel's: the process used about as much as its main thread recorded, or more.
"$build/libexec/assay/assay-info" out/*.trace >info
like info 'counters +\["thread-cpu-ns"\]' 'the trace names the counter'
like info 'probe +\{"enter_ns":[0-9.]+,"exit_ns":[0-9.]+,"pair_ns":[0-9.]+,"lo_ns"' 'the trace has the cost of a probe'
longest=$(ls -S out/*.trace | head -1)
cpu=$("$dump" --kind event --format csv "$longest" | cut -d, -f5 | sort -n | tail -1)
used=$(sed -n 's/.*"user_ns":\([0-9]*\),"system_ns":\([0-9]*\).*/\1 \2/p' info | head -1)
between 1 "$cpu" "$(echo "$used" | awk '{ print ($1 + $2) * 1.05 + 2e7 }')" \
    "a thread's CPU time is within the process's, as the kernel accounts for it"

built methods_counters gcc -O1
recorded --counters page-faults,context-switches -- ./methods_counters
is $? 0 'page faults and context switches: status 0'
for faults in $(used touch counter_0); do
    between 100 "$faults" 110 '  the first access to a page is a fault, also in the child of a fork'
done
is "$(used touch counter_0 | wc -l)" 2 '  both processes have their calls'
between 0 "$(used again counter_0)" 10 '  and the second access is not'
between 5 "$(used doze counter_1)" 1000 '  five waits are five context switches or more'
is "$(counted | grep broken)" '' '  counters never fall'
recorded --counters cpu-time,allocated -- ./methods_counters
is "$(for trace in out/*.trace; do "$build/libexec/assay/assay-info" "$trace"; done | grep '  counters ' | sort -u |
    tr -s ' ')" ' counters ["thread-cpu-ns"]' \
    'native programs have no counter of allocated bytes'
like err 'allocated counts bytes of Java programs alone' '  and a message reports it'

built methods_killed gcc -O1
recorded -- ./methods_killed
is $? 137 'kill -9: status 137'
is "$(counted)" 'end enter 1
end unfinished 1
leaf enter 1000
leaf exit 1000
main enter 1
main unfinished 1' '  every call is there, and those that were open are unfinished'
recorded -- /bin/true
is $? 1 'a program without probes: status 1'
like err 'no method with a probe was entered.*-fpatchable-function-entry=5 or -finstrument-functions' \
    '  and a message tells how to compile it'

# A choice of functions by name, pattern or size, with both kinds of probes.
printf '# some\nleaf\n\ndeep\ngone\nabort\n' >list
built methods gcc -O2 && cp methods methods_hooks
gcc -O2 -fno-inline -fpatchable-function-entry=5 -pthread -o methods_room "$root/tests/victims/methods.c" || exit 1
for kind in hooks room; do
    recorded --methods list -- ./methods_$kind 2000
    is "$? $(counted)" '0 deep enter 100
deep exit-by-exception 100
leaf enter 6005
leaf exit 6005' "$kind: --methods records just the functions of a list"
    is "$(grep -c -e --methods: err)" 1 '  one line names those that are missing'
    like err '1 not found in the program or its libraries: gone; 1 without a probe, or never called: abort$' \
        '  and tells why'
    recorded --include '*e*' --exclude 'le*' --exclude main -- ./methods_$kind 10
    is "$(counted | sed 's/ .*//' | sort -u | tr '\n' ' ')" 'deep ender jumper ' \
        '  --include and --exclude take patterns'
    recorded --min-bytes 65535 -- ./methods_$kind 10
    is "$(counted | sed 's/ .*//' | sort -u | tr '\n' ' ')" 'main work ' \
        '  functions with loops are recorded whatever their size'
    recorded --min-bytes 65535 --no-loop-rule -- ./methods_$kind 10
    is $? 1 '  with --no-loop-rule none is recorded: status 1'
done
# Whether a function has a loop is looked up after it has run, when its code may be gone.
echo 'void brief(void) {}' >brief.c
cat >unmaps.c <<'END'
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void)
{
    void *library = dlopen("./brief.so", RTLD_NOW);
    void (*brief)(void);
    *(void **)&brief = library ? dlsym(library, "brief") : (abort(), NULL);
    for (int i = 0; i < 7; i++)
        brief();
    if (munmap((void *)((uintptr_t)brief & ~(uintptr_t)4095), 4096) != 0)
        abort();
    usleep(500000);
    _exit(0);
}
END
gcc -O1 -shared -fPIC -finstrument-functions -o brief.so brief.c && gcc -O1 -finstrument-functions -o unmaps unmaps.c || exit 1
recorded --min-bytes 65535 -- ./unmaps
is "$? $(counted)" '0 main enter 1
main unfinished 1' 'a function whose code is gone from memory is known to have no loop'

echo gone >list
recorded --methods list -- ./methods_hooks 10
is $? 1 'no function of the list exists: status 1'
like err '1 not found in the program or its libraries: gone$' '  and one line names what was not found'
built methods_throw g++ -O2
printf 'Guard::Guard( )\nclean(int)\ndeep\n' >list
recorded --methods list -- ./methods_throw
is "$(counted)" 'Guard::Guard enter 300
Guard::Guard exit 300
deep enter 300
deep exit-by-exception 300' 'names with parameters are found, and exceptions pass functions that were not chosen'
like err 'libraries: clean.int.$' '  a message names parameters that no function has'
recorded --include Guard -- ./methods_throw
is "$(counted)" 'Guard::Guard enter 300
Guard::Guard exit 300
Guard::~Guard enter 300
Guard::~Guard exit 300' 'the name of a class selects all its functions'

# refused WHAT REGEXP ARGUMENT...: WHAT ends with status 2 and a message that matches
refused() {
    what=$1 message=$2
    shift 2
    recorded "$@" -- ./methods
    is $? 2 "$what: status 2"
    like err "$message" '  and a message tells why'
}
refused 'a sampling clock' 'is for sampling' --clock fixed
refused 'a sampling engine' 'is not for --mode methods' --engine soft
refused '--min-bytes without a number' 'a number of bytes up to 65535' --min-bytes x
refused 'a list that does not exist' 'none: No such file' --methods none
refused 'a list and a pattern' 'names the methods' --methods list --include 'a*'
refused 'an unknown counter' 'miles: there is no such counter .libpfm4: .*; use cpu-time' --counters cpu-time,miles
refused 'a counter twice' 'cpu-time is given twice' --counters cpu-time,cpu-time
refused 'five counters' 'at most 4' --counters cpu-time,wall-time,allocated,page-faults,context-switches
rm -rf out
"$build/libexec/assay/assay-record" --min-bytes 3 -- ./methods 2>err
is $? 2 '--min-bytes in another mode: status 2'
like err 'is for --mode methods' '  and a message tells why'
done_testing
