#!/bin/sh
# Functions with room for a probe at their entry (-fpatchable-function-entry): the same calls as -finstrument-functions
# sees in the same program, or those that are known from how the program is made; and the program computes what it did.
. "$(dirname "$0")/lib.sh"
victims=$root/tests/victims

# both COMPILER SOURCE ROOM OPTION...: calls of both compilations, without inlining, into ./instrumented and ./patched
both() {
    compiler=$1 source=$2 room=$3
    shift 3
    "$compiler" "$@" -w -fno-inline -pthread -finstrument-functions -o a "$victims/$source" &&
        "$compiler" "$@" -w -fno-inline -pthread -fpatchable-function-entry="$room" -o b "$victims/$source" || exit 1
    recorded -- ./a 2000
    counted >instrumented
    recorded -- ./b 2000
    status=$?
    counted >patched 2>log
}

# same COMPILER SOURCE ROOM OPTION...: they are the same, and nothing is lost
same() {
    both "$@"
    is "$status $(cat patched log)" "0 $(cat instrumented)" "$*: both compilations give the same calls"
}
same gcc methods.c 5 -O0
same gcc methods.c 5 -O2
same gcc methods.c 5 -O3 -fomit-frame-pointer -fcf-protection
same gcc methods.c 16,3 -O2 -fcf-protection
is "$(grep -E '^(deep|leaf|ender)' patched)" 'deep enter 100
deep exit-by-exception 100
ender enter 4
ender unfinished 4
leaf enter 6005
leaf exit 6005' '  and these are right'
same gcc methods_exec.c 5 -O1 -no-pie
same g++ methods_throw.cc 5 -O2
same g++ methods_throw.cc 5 -O2 -static-libgcc
is "$(grep -E '^(deep|clean|main)' patched)" 'clean enter 303
clean exit 303
deep enter 300
deep exit-by-exception 300
main enter 1
main exit 1' '  and these are right'
if command -v clang >clang.path; then
    same clang methods.c 5 -O2
    same clang methods.c 20,4 -O1
    same clang++ methods_throw.cc 5 -O0
else
    skip 'clang: there is none here'
fi
# A runtime of its own catches what we can't see: its exits are told as unfinished or by exception, never wrong.
both g++ methods_throw.cc 5 -O1 -static-libgcc -static-libstdc++
is "$status $(grep -E '^(broken|deep|clean)' patched)" "0 $(grep -E '^(broken|deep|clean)' instrumented | sed 's/deep exit .*/deep exit-by-exception 300/')" 'a static C++ runtime'

expected='cancelled enter 1
cancelled unfinished 1
cleaned enter 1
cleaned exit 1
descend enter 500
descend exit 500
extended enter 500
extended exit 500
first enter 500
first exit 500
floats enter 500
floats exit 500
handled enter 500
handled exit 500
handler enter 500
handler exit 500
last enter 500
last exit 500
local enter 500
local exit 500
locals enter 500
locals exit 500
many enter 500
many exit 500
pair enter 500
pair exit 500
second enter 500
second exit 500
traced enter 1
traced exit 1
wide enter 500
wide exit 500'
for level in -O0 -O2 '-O3 -march=native'; do
    # shellcheck disable=SC2086 # several options
    gcc $level -w -fno-inline -fpatchable-function-entry=5 -pthread -o hooked "$victims/methods_patched.c" || exit 1
    recorded -- ./hooked 500
    is "$? $(cat said)" '0 right' "arguments, results, registers, signals, stacks, cancellation, a walk ($level)"
    is "$(counted 2>log | grep -Ev '^(main|switched|yielding)')" "$expected" '  every enter has its end'
    recorded -- ./hooked 500 above
    is "$? $(cat said)" '0 right' '  with stacks inside a frame'
done

# Killed at any moment: the trace can be read, and what it holds nests.
gcc -O1 -fpatchable-function-entry=5 -o spin "$victims/methods_spin.c" || exit 1
readable=0
for after in 0.11 0.23 0.37 0.59 0.83; do
    recorded --max-cost 100% -- sh -c "./spin & sleep $after; kill -9 \$!; wait \$!"
    "$dump" --kind event --format csv out/*.trace >events 2>log # status 1: it has no end
    grep -q ,enter, events && readable=$((readable + 1))
    is "$(counted 2>log | grep '^broken' | grep -v 'not ended')" '' "killed after $after s: what there is nests"
done
is "$readable" 5 '  and the traces can be read'

# Probes that cost too much are taken out of the code; all else stays.
gcc -O1 -fpatchable-function-entry=5 -pthread -o spinning "$victims/methods.c" || exit 1
recorded --give-up-below 1ms -- ./spinning 2000000
is "$? $(counted | grep -Ev '^leaf')" "0 $without_leaf" 'a method that loses its probe'
between 1000 "$(counted | awk '$1 == "leaf" && $2 == "enter" { print $3 }')" 1999999 '  is not recorded from then on'
like err 'lost their probes: 1 ' '  which is said'

# Libraries, before and while the program runs; too little room.
cat >library.c <<'END'
static volatile int sink;
void of_library(void) { sink++; }
END
cat >loads.c <<'END'
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>
void of_library(void);
int main(int count, char **arguments)
{
    of_library();
    if (count > 1) {
        void *later = dlopen(arguments[1], RTLD_NOW);
        void (*function)(void);
        *(void **)&function = later ? dlsym(later, "of_library") : (abort(), NULL);
        function();
        usleep(500000);
    }
}
END
gcc -O1 -shared -fPIC -fpatchable-function-entry=5 -o first.so library.c && cp first.so second.so &&
    gcc -O1 -fpatchable-function-entry=5 -o loads loads.c ./first.so || exit 1
recorded -- ./loads ./second.so
is "$(counted)" 'main enter 1
main exit 1
of_library enter 1
of_library exit 1' 'a library that the program is linked with'
like err 'second.so: 1 function is not recorded: the file was loaded while the program ran; .*LD_PRELOAD' '  and one that it loads later: it is said'
gcc -O1 -fpatchable-function-entry=2 -pthread -o small "$victims/methods.c" || exit 1
recorded -- ./small 10
is $? 1 'too little room: status 1'
like err 'small: 7 functions are not recorded: they have less than 5 bytes.*compile with -fpatchable-function-entry=5' '  and what to do'
done_testing
