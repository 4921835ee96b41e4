#!/bin/sh
# Functions with room for a probe at their entry (-fpatchable-function-entry): recorded are the same calls as with
# -finstrument-functions in the same program, or those that follow from its source; and the program's results stay
# right.
. "$(dirname "$0")/lib.sh"
victims=$root/tests/victims

# both COMPILER SOURCE ROOM OPTION...: compiles without inlining in both ways; writes the calls to ./instrumented and
# ./patched
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

# same COMPILER SOURCE ROOM OPTION...: both have the same calls, and none is lost
same() {
    both "$@"
    is "$status $(cat patched log)" "0 $(cat instrumented)" "$*: both compilations have the same calls"
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
leaf exit 6005' '  and these are the right ones'
same gcc methods_exec.c 5 -O1 -no-pie
same g++ methods_throw.cc 5 -O2
same g++ methods_throw.cc 5 -O2 -static-libgcc
is "$(grep -E '^(deep|clean|main)' patched)" 'clean enter 303
clean exit 303
deep enter 300
deep exit-by-exception 300
main enter 1
main exit 1' '  and these are the right ones'
if command -v clang >clang.path; then
    same clang methods.c 5 -O2
    same clang methods.c 20,4 -O1
    same clang++ methods_throw.cc 5 -O0
    same clang++ methods_throw.cc 5 -O2
    same clang++ methods_ends.cc 5 -O2
else
    skip 'there is no clang here'
fi
same g++ methods_ends.cc 5 -O3
# With both options at once a call counts once, also in inlined code and in clones of functions.
twice() { # COMPILER SOURCE OPTION...
    compiler=$1 source=$2
    shift 2
    "$compiler" "$@" -w -pthread -finstrument-functions -o a "$victims/$source" &&
        "$compiler" "$@" -w -pthread -finstrument-functions -fpatchable-function-entry=5 -o b "$victims/$source" || exit 1
    recorded -- ./a 2000
    counted >instrumented
    recorded -- ./b 2000
    is "$? $(counted 2>log)" "0 $(cat instrumented)" "both options at once: each call counts once ($*)"
}
twice gcc methods.c -O2
twice gcc methods.c -O2 -fcf-protection
twice g++ methods_throw.cc -O2
twice g++ methods_ends.cc -O2
twice gcc methods_clones.c -O3
is "$(counted)" 'constant enter 200
constant exit 200
main enter 1
main exit 1
part enter 200
part exit 200
scalar enter 100
scalar exit 100' '  and these are the right ones'
if command -v clang >clang.path; then
    twice clang++ methods_ends.cc -O2
fi
# A function that must not have a hook contains one nevertheless: that of an inlined function.
cat >hookless.c <<'END'
static volatile int sink;
void inner(int n) { sink += n; }
__attribute__((noinline, no_instrument_function)) void outer(int n) { inner(n); sink++; }
int main(void) { for (int i = 0; i < 100; i++) { outer(i); inner(i); } return 0; }
END
for option in '' -fcf-protection; do
    # shellcheck disable=SC2086 # none, or one
    gcc -O2 $option -finstrument-functions -fpatchable-function-entry=5 -o hookless hookless.c || exit 1
    recorded -- ./hookless
    is "$? $(counted)" '0 inner enter 200
inner exit 200
main enter 1
main exit 1
outer enter 100
outer exit 100' "both options at once: each call counts once with a hook inlined into a function without one $option"
done

# Functions with one option each in a program: a tail call from one to the other counts.
cat >first.c <<'END'
void last_hooked(int n);
void last_both(int n);
static volatile int sink;
__attribute__((noinline)) void first(int n) { sink += n; last_hooked(n); }
__attribute__((noinline)) void other(int n) { sink += n; last_both(n); }
int main(void) { for (int i = 0; i < 100; i++) { first(i); other(i); } return 0; }
END
cat >last.c <<'END'
static volatile int sink;
void LAST(int n) { sink += n; }
END
gcc -O2 -fpatchable-function-entry=5 -c first.c && gcc -O2 -finstrument-functions -DLAST=last_hooked -c last.c &&
    gcc -O2 -finstrument-functions -fpatchable-function-entry=5 -DLAST=last_both -c -o both.o last.c &&
    gcc -o mixed first.o last.o both.o || exit 1
recorded -- ./mixed
is "$? $(counted)" '0 first enter 100
first exit 100
last_both enter 100
last_both exit 100
last_hooked enter 100
last_hooked exit 100
main enter 1
main exit 1
other enter 100
other exit 100' 'tail calls between functions with one option each are recorded'

# A static C++ runtime catches exceptions where the recorder can't see it: such exits are recorded as unfinished or by
# exception, and the calls still nest.
both g++ methods_throw.cc 5 -O1 -static-libgcc -static-libstdc++
is "$status $(grep -E '^(broken|deep|clean)' patched)" \
    "0 $(grep -E '^(broken|deep|clean)' instrumented | sed 's/deep exit .*/deep exit-by-exception 300/')" \
    'calls are recorded with a static C++ runtime'

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
    is "$? $(cat said)" '0 right' \
        "arguments, results, registers, signals, stacks, cancellation and a stack walk are unchanged ($level)"
    is "$(counted 2>log | grep -Ev '^(main|switched|yielding)')" "$expected" '  every call has its end'
    recorded -- ./hooked 500 above
    is "$? $(cat said)" '0 right' '  and with a thread whose stack lies inside a frame'
done

# Killed at any moment, a program leaves a trace that can be read and nests.
gcc -O1 -fpatchable-function-entry=5 -o spin "$victims/methods_spin.c" || exit 1
readable=0
cat >killer <<'END'
./spin &
program=$!
until for trace in out/*.trace; do LD_PRELOAD= "$2" --kind event --format csv "$trace"; done 2>/dev/null |
    grep -q ,enter, || ! kill -0 $program; do
    sleep 0.05
done
sleep "$1"
kill -9 $program
wait $program
END
for after in 0.01 0.13 0.27 0.39 0.53; do
    recorded -- sh killer $after "$dump"
    "$dump" --kind event --format csv out/*.trace 2>log | grep -q ,enter, && readable=$((readable + 1))
    is "$(counted 2>log | grep '^broken' | grep -v 'not ended')" '' \
        "killed $after s after its first events: recorded calls nest"
done
is "$readable" 5 '  and every trace can be read'

# Probes that cost too much are taken out of the code; all else stays.
gcc -O1 -fpatchable-function-entry=5 -pthread -o spinning "$victims/methods.c" || exit 1
recorded --give-up-below 1ms -- ./spinning 2000000
is "$? $(counted | grep -Ev '^leaf')" "0 $without_leaf" 'a method loses its probe: all other calls are recorded'
between 1000 "$(counted | awk '$1 == "leaf" && $2 == "enter" { print $3 }')" 1999999 \
    '  and its own are not, from then on'
like err 'lost their probes: 1 ' '  a message reports it'

# Libraries loaded with the program and while it runs; too little room at a function's entry.
cat >library.c <<'END'
static volatile int sink;
#ifdef LACKS
void LACKS(void);
void FUNCTION(void) { LACKS(); }
#else
void FUNCTION(void) { sink++; }
#endif
#ifdef STARTS
#include <pthread.h>
static void *run(void *argument) { for (int i = 0; i < 200000; i++) FUNCTION(); return argument; }
static pthread_t thread;
__attribute__((constructor)) static void start(void) { pthread_create(&thread, 0, run, 0); }
__attribute__((destructor, patchable_function_entry(0))) static void end(void) { pthread_join(thread, 0); }
#endif
END
cat >loads.c <<'END'
/* Calls a function of each library seven times. "close" unloads the last library; "fail" comes before one that can't be
 * loaded. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
void of_library(void);
static volatile int stop;
__attribute__((patchable_function_entry(0))) static void *busy(void *nothing)
{
    while (!stop)
        usleep(100);
    return nothing;
}
int main(int count, char **arguments)
{
    pthread_t thread;
    void *library = NULL;
    pthread_create(&thread, NULL, busy, NULL);
    of_library();
    for (int i = 1; i < count; i++) {
        void (*function)(void);
        if (strcmp(arguments[i], "close") == 0) {
            dlclose(library);
            continue;
        }
        if (strcmp(arguments[i], "fail") == 0) {
            if (dlopen(arguments[++i], RTLD_NOW))
                abort();
            continue;
        }
        library = dlopen(arguments[i], RTLD_NOW);
        *(void **)&function = library ? dlsym(library, arguments[++i]) : (abort(), NULL);
        for (int n = 0; n < 7; n++)
            function();
    }
    usleep(300000);
    stop = 1;
    return pthread_join(thread, NULL);
}
END
library() { # NAME FUNCTION OPTION...
    name=$1 function=$2
    shift 2
    gcc -O1 -shared -fPIC -pthread -fpatchable-function-entry=5 -DFUNCTION="$function" "$@" -o "$name" library.c || exit 1
}
mkdir apart
library first.so of_library
library second.so of_second
library third.so of_third
library starts.so of_starts -DSTARTS
library lacks.so of_lacks -DLACKS=nowhere
library apart/found.so of_found
gcc -O1 -fpatchable-function-entry=5 -pthread -o loads loads.c ./first.so "-Wl,-rpath,$PWD/apart" || exit 1
recorded -- ./loads ./second.so of_second ./third.so of_third
is "$? $(counted)" '0 main enter 1
main exit 1
of_library enter 1
of_library exit 1
of_second enter 7
of_second exit 7
of_third enter 7
of_third exit 7' 'a program with two threads: calls into a linked library and two that are loaded later are recorded'
is "$(grep -c 'not recorded' err)" 0 '  no function is left out'
recorded -- ./loads ./second.so of_second close ./third.so of_third close ./second.so of_second close
is "$? $(counted | grep -v main)" '0 of_library enter 1
of_library exit 1
of_second enter 14
of_second exit 14
of_third enter 7
of_third exit 7' '  also when each library is loaded where another was'
echo of_second >list
recorded --methods list -- ./loads ./second.so of_second ./third.so of_third
is "$(counted)" 'of_second enter 7
of_second exit 7' '  and only the chosen one with --methods'
recorded -- ./loads fail ./lacks.so ./second.so of_second close fail ./lacks.so ./third.so of_third
is "$? $(counted | grep -v main)" '0 of_library enter 1
of_library exit 1
of_second enter 7
of_second exit 7
of_third enter 7
of_third exit 7' '  also when each is loaded where one failed to load'
recorded --methods list -- ./loads fail ./lacks.so ./second.so of_second
is "$(counted)" 'of_second enter 7
of_second exit 7' '  and only the chosen one with --methods'
recorded -- ./loads ./starts.so of_starts found.so of_found
is "$? $(counted | grep -E 'broken|of_[sf]|start')" '0 of_found enter 7
of_found exit 7
of_starts enter 200007
of_starts exit 200007
start enter 1
start exit 1' \
    "calls from a library's constructor and its thread are recorded, and those into a library that the rpath finds"
is "$(grep -c 'not recorded' err)" 0 '  no function is left out'
cat >forks.c <<'END'
/* At once, one thread forks, one loads and unloads a library, and one calls a function that the writer decides on. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#define QUIET __attribute__((patchable_function_entry(0)))
static volatile int stop;
void called(void);
QUIET static void *call(void *nothing)
{
    while (!stop)
        called();
    return nothing;
}
QUIET static void *forks(void *nothing)
{
    for (int i = 0; i < 200; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(0);
        waitpid(child, NULL, 0);
    }
    return nothing;
}
QUIET int main(int count, char **arguments)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, forks, NULL);
    pthread_create(&threads[1], NULL, call, NULL);
    for (int i = 0; i < 200; i++) {
        void *library = dlopen(arguments[1], RTLD_NOW);
        void (*function)(void);
        *(void **)&function = library ? dlsym(library, arguments[2]) : (abort(), NULL);
        function();
        dlclose(library);
    }
    pthread_join(threads[0], NULL);
    stop = 1;
    pthread_join(threads[1], NULL);
    return count != 3;
}
END
printf '#include <unistd.h>\nvoid called(void) { usleep(20); }\n' >called.c
gcc -O1 -c -finstrument-functions called.c && gcc -O1 -fpatchable-function-entry=5 -pthread -o forks forks.c called.o || exit 1
recorded --methods list -- timeout -s KILL 250 ./forks ./second.so of_second
is "$? $(counted)" '0 of_second enter 200
of_second exit 200' 'threads fork and load libraries while the writer decides on functions: every call is recorded'

gcc -O1 -fpatchable-function-entry=2 -pthread -o small "$victims/methods.c" || exit 1
recorded -- ./small 10
is $? 1 'too little room for probes: status 1'
like err 'small: 7 functions are not recorded: they have less than 5 bytes.*compile with -fpatchable-function-entry=5' \
    '  and a message tells how to compile it'
done_testing
