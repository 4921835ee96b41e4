#!/bin/sh
# Functions of native programs that are entered and left: every count is known from how the program is made.
. "$(dirname "$0")/lib.sh"

# built NAME COMPILER OPTION...: ./NAME of the victim
built() {
    name=$1 source=$(ls "$root/tests/victims/$1".c*)
    shift
    "$@" -finstrument-functions -pthread -o "$name" "$source" || exit 1
}

expected=$(printf '%s\nleaf enter 6005\nleaf exit 6005\n' "$without_leaf" | sort)
for level in -O0 -O2 '-O2 -fomit-frame-pointer' -O3; do
    built methods gcc $level
    recorded -- ./methods 2000
    is $? 0 "longjmp, threads that end inside, fork ($level): status 0"
    is "$(counted)" "$expected" '  every enter has its end'
    is "$(for trace in out/*.trace; do "$dump" --kind lost "$trace"; done | grep -vc ^thread)" 0 '  nothing is lost'
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
        skip "$compiler: there is none here"
        continue
    fi
    # shellcheck disable=SC2086 # a compiler and its option
    built methods_throw $compiler
    recorded -- ./methods_throw
    is "$? $(lost) $(named)" "0 0 $thrown" "$compiler: exceptions through a hundred frames, with others in destructors"
    # shellcheck disable=SC2086
    built methods_ends $compiler
    recorded -- ./methods_ends
    is "$? $(lost) $(named)" "0 0 $ended" '  and functions that end in all the ways there are'
done

built methods_exec gcc -O1
recorded -- ./methods_exec
is "$(counted)" 'f enter 2
f unfinished 2
g enter 2
g exit 2
main enter 2
main unfinished 2' 'an exec that fails, and one that does not'
is "$("$dump" --kind vm --format csv "$(ls -S out/*.trace | head -1)" | awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { rows[$at["what"]]++; threads[$at["thread"]] }
    END { for (t in threads) n++; print rows["writer-ns"] + 0, n + 0 }')" '2 1' '  what the recorder cost is told at both, in one stream'
recorded -- ./methods_exec leave
is "$?" 0 'main leaves by pthread_exit(): the process ends all the same'
is "$(counted)" 'g enter 1
g exit 1
late enter 1
late exit 1
main enter 1
main unfinished 1' '  and all is there'

# More events than a ring holds: the program waits for the writer, and loses none.
recorded -- ./methods 3000000
is "$(counted | grep -E '^(leaf|broken)')" 'leaf enter 3004005
leaf exit 3004005' 'three million calls, each with its end'

# What recording took outside of probes: of the recorder's start in the process that started it, of its own thread in each.
# Less than all that these processes took.
is "$(for trace in out/*.trace; do "$dump" --kind vm --format csv "$trace" | cut -d, -f 3 | tail -n +2 | paste -s -d ' ' -; done | sort)" \
    "$(for trace in out/*.trace; do echo writer-ns; done | sed '$s/^/rewrite-ns /' | sort)" "each process's trace says what its writer took, and one says what the start took"
"$build/libexec/assay/assay-phases" -q --format json out/*.trace >table
all=$("$build/libexec/assay/assay-info" --format json out/*.trace |
    awk '/"(user|system)_ns"/ { sum += $2 } END { print sum / 1e9 }') # a trace each, so more than once
between 0.000001 "$(sed -n 's/.*"writer_s": \([^,}]*\).*/\1/p' table)" "$all" '  which the summary has'
between 0.000001 "$(sed -n 's/.*"rewriting_s": \([^,}]*\).*/\1/p' table)" "$all" '  with what the start took'

# Calls of a function that does nothing: most of the time is the probes', and that is said. Of a long one it is not.
probes() { # the share that metadata tells, and that which its own numbers make, of the thread with so many events
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
between 0.1 "${1-}" 2 'what probes took is in the trace'
between 0.999999 "${2-}" 1.000001 '  events times what one costs, of the CPU time'
like err 'run 1: probes took about [0-9]* % of the CPU time of thread methods: 6e.06 events of [0-9]* ns' '  and is said'
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
between 0 "${1-}" 0.01 'next to nothing in long functions'
unlike err 'probes took' '  is not said'

# CPU time is that of the kernel: the process used at least as much as its main thread says, and not much less.
"$build/libexec/assay/assay-info" out/*.trace >info
like info 'counters +\["thread-cpu-ns"\]' 'the counter has a name'
like info 'probe +\{"enter_ns":[0-9.]+,"exit_ns":[0-9.]+,"pair_ns":[0-9.]+,"lo_ns"' 'what a probe costs is there'
longest=$(ls -S out/*.trace | head -1)
cpu=$("$dump" --kind event --format csv "$longest" | cut -d, -f5 | sort -n | tail -1)
used=$(sed -n 's/.*"user_ns":\([0-9]*\),"system_ns":\([0-9]*\).*/\1 \2/p' info | head -1)
between 1 "$cpu" "$(echo "$used" | awk '{ print ($1 + $2) * 1.05 + 2e7 }')" 'CPU time is within what the kernel accounts for'

built methods_counters gcc -O1
recorded --counters page-faults,context-switches -- ./methods_counters
is $? 0 'page faults and context switches'
for faults in $(used touch counter_0); do
    between 100 "$faults" 110 '  a page that is touched first is a fault, in a child of fork too'
done
is "$(used touch counter_0 | wc -l)" 2 '  both are there'
between 0 "$(used again counter_0)" 10 '  and not when it is touched again'
between 5 "$(used doze counter_1)" 1000 '  five waits are five switches or more'
is "$(counted | grep broken)" '' '  counters never fall'
recorded --counters cpu-time,allocated -- ./methods_counters
is "$(for trace in out/*.trace; do "$build/libexec/assay/assay-info" "$trace" | grep -c '  counters  *\["thread-cpu-ns"\]'; done | sort -u)" 1 'no bytes allocated in native programs'
like err 'allocated counts bytes of Java programs alone' '  and that is said'

built methods_killed gcc -O1
recorded -- ./methods_killed
is $? 137 'kill -9: its status'
is "$(counted)" 'broken: not ended out/'"$(ls out | grep trace)"'
end enter 1
leaf enter 1000
leaf exit 1000
main enter 1' '  what was written before is whole, and what was open has no end'
recorded -- /bin/true
is $? 1 'a program without probes: status 1'
like err 'no method with a probe was entered.*-fpatchable-function-entry=5 or -finstrument-functions' '  and what to do'

# Some of the functions: by name, by pattern, by size; with both kinds of probes.
printf '# some\nleaf\n\ndeep\ngone\nabort\n' >list
built methods gcc -O2 && cp methods methods_hooks
gcc -O2 -fno-inline -fpatchable-function-entry=5 -pthread -o methods_room "$root/tests/victims/methods.c" || exit 1
for kind in hooks room; do
    recorded --methods list -- ./methods_$kind 2000
    is "$? $(counted)" '0 deep enter 100
deep exit-by-exception 100
leaf enter 6005
leaf exit 6005' "$kind: just the functions of a list"
    is "$(grep -c -e --methods: err)" 1 '  what is not there is one line'
    like err '1 not found in the program or its libraries: gone; 1 without a probe, or never called: abort$' '  which tells why'
    recorded --include '*e*' --exclude 'le*' --exclude main -- ./methods_$kind 10
    is "$(counted | sed 's/ .*//' | sort -u | tr '\n' ' ')" 'deep ender jumper ' '  patterns'
    recorded --min-bytes 65535 -- ./methods_$kind 10
    is "$(counted | sed 's/ .*//' | sort -u | tr '\n' ' ')" 'main work ' '  a loop is a reason'
    recorded --min-bytes 65535 --no-loop-rule -- ./methods_$kind 10
    is $? 1 '  without the rule for loops nothing is left'
done
# Whether a function has a loop is looked up after it has run, perhaps when its code is no longer there.
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
main unfinished 1' 'whether a function has a loop, when its code is gone from memory'

echo gone >list
recorded --methods list -- ./methods_hooks 10
is $? 1 'nothing of the list is there: status 1'
like err '1 not found in the program or its libraries: gone$' '  and one line names it'
built methods_throw g++ -O2
printf 'Guard::Guard( )\nclean(int)\ndeep\n' >list
recorded --methods list -- ./methods_throw
is "$(counted)" 'Guard::Guard enter 300
Guard::Guard exit 300
deep enter 300
deep exit-by-exception 300' 'names with parameters, exceptions through others'
like err 'libraries: clean.int.$' '  and parameters that no function has'
recorded --include Guard -- ./methods_throw
is "$(counted)" 'Guard::Guard enter 300
Guard::Guard exit 300
Guard::~Guard enter 300
Guard::~Guard exit 300' 'all of a class'

# refused WHAT REGEXP ARGUMENT...
refused() {
    what=$1 message=$2
    shift 2
    recorded "$@" -- ./methods
    is $? 2 "$what: status 2"
    like err "$message" '  and a line that says it'
}
refused 'a clock' 'is for sampling' --clock fixed
refused 'an engine' 'is not for --mode methods' --engine soft
refused 'no number of bytes' 'a number of bytes up to 65535' --min-bytes x
refused 'no list' 'none: No such file' --methods none
refused 'a list and a pattern' 'names the methods' --methods list --include 'a*'
refused 'no counter' 'miles: there is no such counter .libpfm4: .*; use cpu-time' --counters cpu-time,miles
refused 'a counter twice' 'cpu-time is given twice' --counters cpu-time,cpu-time
refused 'five counters' 'at most 4' --counters cpu-time,wall-time,allocated,page-faults,context-switches
rm -rf out
"$build/libexec/assay/assay-record" --min-bytes 3 -- ./methods 2>err
is $? 2 'another mode: status 2'
like err 'is for --mode methods' '  and a line that says it'
done_testing
