#!/bin/sh
# Mode calls with engine exact: functions whose numbers of calls and instructions are known on paper; calls that end in
# all the ways that there are; what assay variance and assay audit make of the records.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
[ "$(uname -m)" = x86_64 ] || skip_all 'the programs are made of x86-64 instructions'
[ -x "$build/lib/assay/valgrind/assay-amd64-linux" ] || skip_all 'this build has no Valgrind tool'
command -v valgrind >/dev/null || skip_all 'valgrind is not installed'
needs tests/make_trace
unset LD_PRELOAD ASSAY_RECORD JAVA_TOOL_OPTIONS
assay=$root/assay
scratch

# record TRACE FUNCTIONS [OPTION...] -- COMMAND...: records every call of these
record() {
    trace=$1
    functions=$2
    shift 2
    "$assay" record -q -m calls -E exact --overwrite --functions "$functions" -o "$trace" "$@" >out 2>err
}

# ended TRACE: how calls have ended, with their numbers
ended() {
    "$assay" dump --kind instance "$1" | awk -F, '$3 != "total" && NR > 1 { n[$3]++ }
        END { for (what in n) print what, n[what] }' | sort | xargs
}

# took TRACE FUNCTION...: for each, its instances: number, least, mean, largest of the first counter
took() {
    trace=$1
    shift
    for function in "$@"; do
        "$assay" variance --format csv --instances "$function" "$trace" 2>/dev/null |
            awk -F, -v name="$function" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^simulated/) { c = i; break } next }
                { x = $c; n++; sum += x; low = n == 1 || x < low ? x : low; high = x > high ? x : high }
                END { printf "%s %d %g %.6g %g\n", name, n, low, n ? sum / n : 0, high }'
    done | xargs
}

# cells TRACE NAMES [OPTION...]: these columns of assay variance
cells() {
    trace=$1
    names=$2
    shift 2
    "$assay" variance --format csv "$@" "$trace" 2>/dev/null | awk -F, -v names="$names" '
        NR == 1 { n = split(names, want, " "); for (i = 1; i <= NF; i++) at[$i] = i; next }
        { line = ""; for (i = 1; i <= n; i++) { v = (want[i] in at) ? $at[want[i]] : "no " want[i]
              line = line (i > 1 ? " " : "") (v ~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ ? sprintf("%.6g", v) : v) } print line }'
}

# Functions of known length. counted(n): 2n + 1 instructions, of which the first is the head of its loop.
cat >known.s <<'END_OF_CODE'
        .text
        .macro function name
        .globl \name
        .type \name, @function
\name:
        .endm
        function fixed
        nop
        nop
        nop
        ret
        function counted
        dec %edi
        jnz counted
        ret
        .size counted, .-counted
        function recursive      # 3 for n = 0, else 5 more than for n - 1
        test %edi, %edi
        jz 1f
        dec %edi
        call recursive
1:      ret
        .size recursive, .-recursive
        function outer
        nop
        nop
        jmp inner
        function inner
        nop
        ret
        function runs_into
        nop
        nop
        nop
        function entered
        nop
        ret
        function repeats
        rep stosb
        ret
        function both           # jumps to and fro: outer and inner once more
        test %edi, %edi
        jz 2f
        dec %edi
        jmp back
2:      ret
        function back
        jmp both
        function yields         # 2 + 4n
        mov %edi, %edx
3:      mov $24, %eax           # sched_yield
        syscall
        dec %edx
        jnz 3b
        ret
        function touches        # 64 lines; 2 + 3 * 64
        mov $64, %ecx
4:      movb (%rdi), %al
        add $64, %rdi
        loop 4b
        ret
        .section .note.GNU-stack, "", @progbits
END_OF_CODE

# ---------------------------------------------------------------- on paper

cat >paper.s <<'END_OF_CODE'
        .include "known.s"
        .data
        .balign 8
bytes:  .skip 64
        .text
        .globl _start
_start: mov $5, %ebx
1:      call fixed
        dec %ebx
        jnz 1b
        mov $10, %ebx
2:      mov %ebx, %edi
        call counted
        dec %ebx
        jnz 2b
        mov $3, %edi
        call recursive
        call outer
        call outer
        call inner
        call runs_into
        call entered
        lea bytes(%rip), %rdi
        mov $7, %ecx
        call repeats
        mov $4, %edi
        call both
        mov $0x5c, %edi
        mov $60, %eax
        syscall
END_OF_CODE
gcc -nostdlib -static -no-pie -Wa,--noexecstack -o paper paper.s || exit 1
record paper.trace 'fixed,counted,recursive,outer,inner,runs_into,entered,repeats,both,back' -- ./paper
is $? 92 'a program without libraries: its status'
is "$(cat err)" 'assay-record: run 1: exit status 92' '  and nothing else to report'
is "$(took paper.trace fixed counted)" 'fixed 5 4 4 4 counted 10 3 12 21' \
    'every call of functions of known length; a jump to its own beginning is no call'
is "$(took paper.trace recursive)" 'recursive 4 3 10.5 18' 'recursion: each call with those within it'
is "$(took paper.trace outer inner)" 'outer 2 5 5 5 inner 3 2 2 2' 'a tail call: both functions return'
is "$(took paper.trace runs_into entered)" 'runs_into 1 5 5 5 entered 2 2 2 2' 'a function that runs into the next one'
is "$(took paper.trace repeats)" 'repeats 1 2 2 2' 'an instruction that repeats at the beginning of a function'
is "$(took paper.trace both back)" 'both 1 23 23 23 back 1 19 19 19' \
    'functions that jump to each other within one call are one call each'
is "$(ended paper.trace)" 'call 30 return 30' 'all have returned'
is "$("$assay" info --format json paper.trace | python3 -c 'import json, sys
m = json.load(sys.stdin)["metadata"]
print(m["mode"], m["engine"], m["calls"]["engine"], *m["counters"], m["exact"]["functions"]["fixed"])')" \
    'calls exact exact simulated-instructions 1' 'the metadata name the engine, the counters and the functions'
"$assay" variance paper.trace >out 2>err
like out '30 calls were recorded: 30 returned, 0 were left' 'assay variance tells that these are all calls'
unlike out 'time_ns|at random' '  and has no times under Valgrind'
"$assay" variance --metric time_ns paper.trace >out 2>err
like err 'there is no such metric' '  also on request'
"$assay" dump --kind instance paper.trace | awk -F, '$3 == "total" { total = $8 } END { print total }' >total
is "$(cells paper.trace 'function share' | awk -v all="$(cat total)" '$1 == "recursive" { printf "%.3f", $2 * all }')" \
    18.000 'the share of the program: only outermost calls'

# ---------------------------------------------------------------- distributions

cat >main.c <<'END_OF_CODE'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
void fixed(void), counted(int), recursive(int), yields(int), touches(const char *);
static __attribute__((noinline)) void low(void) { counted(10); __asm__(""); }
static __attribute__((noinline)) void high(void) { counted(30); __asm__(""); }
static inline __attribute__((always_inline)) int part(const int *p) { return p[0] * 3 + p[1]; }
__attribute__((noinline)) int thin(const int *p) { return part(p); }
static void *body(void *arg)
{
    for (int i = 0; i < 20; i++)
        yields(10 * (int)(long)arg);
    return NULL;
}
static int waiting;
__attribute__((noinline)) void *waits(void *arg)
{
    __atomic_add_fetch(&waiting, 1, __ATOMIC_SEQ_CST);
    return sleep(60) ? NULL : arg;
}
__attribute__((noinline)) void forks(void)
{
    pid_t child = fork();
    for (int i = 0; i < (child ? 2 : 3); i++)
        fixed();
    if (child)
        waitpid(child, NULL, 0);
    __asm__("");
}
__attribute__((noinline)) void exits(void) { exit(0); }
__attribute__((noinline)) void *leaves_thread(void *arg) { pthread_exit(arg); }
int main(int argc, char **argv)
{
    static char lines[64 * 64] __attribute__((aligned(64)));
    pthread_t threads[4];
    int pair[2] = {argc, 0}, sum = 0;
    switch (argc > 1 ? *argv[1] : 0) {
    case 'b':
        for (int i = 0; i < 40; i++)
            counted(i % 2 ? 150 : 50);
        break;
    case 'c':
        for (int i = 0; i < 10; i++)
            low(), high();
        break;
    case 'i':
        for (int i = 0; i < 30; i++)
            pair[0] = i, sum += thin(pair), pair[1] ^= sum;
        break;
    case 't':
        for (long i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, body, (void *)(i + 1));
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
        break;
    case 'e':
        pthread_create(&threads[0], NULL, leaves_thread, NULL);
        pthread_join(threads[0], NULL);
        break;
    case 'g':
        pthread_create(&threads[0], NULL, waits, NULL);
        pthread_create(&threads[1], NULL, waits, NULL);
        while (__atomic_load_n(&waiting, __ATOMIC_SEQ_CST) < 2)
            usleep(10000);
        forks();
        break;
    case 'f':
        forks();
        break;
    case 'm':
        touches(lines), touches(lines);
        break;
    case 'd':
        recursive(999);
        break;
    case 'k':
        for (int i = 0; i < 5; i++)
            fixed();
        return system("kill -9 $PPID");
    case 'x':
        exits();
    }
    return sum == 12345;
}
END_OF_CODE
gcc -c known.s -o known.o && gcc -O2 -g -pthread -o main main.c known.o || exit 1
record b.trace counted -- ./main b
# 101 and 301, twenty times each: mean 201, CoV 100 · √(40/39) / 201
is "$(cells b.trace 'function n mean cv')" 'counted 40 201 0.50385' 'a bimodal function: its CoV'
record c.trace 'cou?ted,low,high' -- ./main c
is "$(cells c.trace 'function context n mean cv' --contexts | grep ^counted | grep -Eo '[a-z]+ [0-9]+ [0-9]+ 0$' | sort | xargs)" \
    'high 10 61 0 low 10 21 0' 'two contexts with different means'
record i.trace thin -- ./main i
is "$(cells i.trace 'function n')" 'thin 30' 'a function that begins with an inlined call has its own name'
record t.trace yields -- ./main t
# Threads run in turn: each counts its own instructions, 42, 82, 122, 162.
is "$(took t.trace yields)" 'yields 80 42 102 162' 'threads that give up the processor within calls'
is "$(cells t.trace 'function n cv threads')" 'yields 80 0 4' '  each call of a thread takes the same'
record d.trace recursive -- ./main d
is "$(took d.trace recursive)" 'recursive 1000 3 2500.5 4998' 'a thousand calls within each other'
rm -rf killed
record killed fixed --only main -- ./main k
is "$?" 137 'a program that is killed: its status'
like err 'unfinished, since its process did not end by exit' '  one line tells that its trace is not complete'
is "$(for trace in killed/*.trace; do took "$trace" fixed; done | sort | tail -1)" 'fixed 5 4 4 4' \
    '  which has the calls until the last time that the tool wrote'
record e.trace leaves_thread -- ./main e
is "$(ended e.trace)" 'call 1 left 1' 'a thread that ends itself within a call'
record x.trace exits,main -- ./main x
is "$(ended x.trace)" 'call 2 unfinished 2' 'an exit within calls'
rm -rf forked
record forked forks,fixed -- ./main f
is "$(for trace in forked/*.trace; do echo "$(ended "$trace"): $(took "$trace" fixed forks)"; done | sort | xargs)" \
    'call 3 return 3: fixed 2 4 4 4 forks 1 '"$(took "$(grep -l . forked/*.trace | head -1)" forks | cut -d' ' -f3-)"' call 3 return 3: fixed 3 4 4 4 forks 0 0 0 0' \
    'a fork: the parent has the open call, and the child its own'
rm -rf forked
record forked forks,fixed,waits -- ./main g
is "$(for trace in forked/*.trace; do ended "$trace"; done | sort | xargs)" 'call 3 return 3 call 5 return 3 unfinished 2' \
    'a fork beside other threads: those are the parent alone'
is "$(cat err)" '' '  nothing is damaged'
record m.trace touches --counters simulated-l1d-misses,simulated-instructions --caches 32K/8/64,32K/8/64,1M/16/64 \
    -- ./main m
is "$("$assay" dump --kind instance m.trace | awk -F, '$3 == "return" { print $8, $9 }' | xargs)" '64 194 0 194' \
    'misses of a simulated cache, and another counter'
is "$("$assay" info --format json m.trace | python3 -c 'import json, sys
print(json.load(sys.stdin)["metadata"]["calls"]["caches"])')" 32768/8/64,32768/8/64,1048576/16/64 \
    '  the metadata have the caches'
record a.trace counted --arguments -- ./main c
is "$("$assay" dump --kind instance a.trace | awk -F, '$3 == "call" { print $12 }' | sort | uniq -c | xargs)" '10 10 10 30' \
    '--arguments: the first register'
is "$("$assay" variance --format csv --correlate counted a.trace 2>/dev/null | awk -F, '$1 == "argument 1" { print $3 }')" \
    1 '  goes with what calls take'

# ---------------------------------------------------------------- ways to leave

cat >leave.cc <<'END_OF_CODE'
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <ucontext.h>
#include <unistd.h>
extern "C" void fixed(void);
namespace shapes {
struct thing {};
__attribute__((noinline)) void throws(int, thing) { throw 1; }
[[noreturn]] __attribute__((noinline)) void always(void) { throw 2; }
template <typename T> __attribute__((noinline)) T twice(T x) { fixed(); return x + x; }
__attribute__((noinline)) int catches(int n)
{
    try {
        n ? throws(n, thing()) : always();
    } catch (int what) {
        return what;
    }
    return 0;
}
}
static jmp_buf place;
extern "C" {
__attribute__((noinline)) void jumps(int n) { if (n == 0) longjmp(place, 1); jumps(n - 1); fixed(); }
static volatile int caught;
__attribute__((noinline)) void handler(int) { caught++; fixed(); }
__attribute__((noinline)) void jumping_handler(int) { siglongjmp(place, 1); }
__attribute__((noinline)) void interrupted(int sig) { raise(sig); fixed(); }
static ucontext_t outside, inside;
__attribute__((noinline)) void coroutine(void) { fixed(); swapcontext(&inside, &outside); fixed(); }
__attribute__((noinline)) void switches(void) { swapcontext(&outside, &inside); fixed(); }
}
int main(int, char **argv)
{
    static char stack[1 << 16], other[1 << 16];
    int sum = 0;
    struct sigaction action = {};
    stack_t alternate = {};
    switch (*argv[1]) {
    case 'x':
        for (int i = 0; i < 10; i++)
            sum += shapes::catches(i % 2);
        return sum == 15 ? 0 : 1;
    case 'j':
        if (setjmp(place) == 0)
            jumps(99);
        fixed();
        return 0;
    case 's':
        action.sa_handler = handler;
        sigaction(SIGUSR1, &action, nullptr);
        alternate.ss_sp = stack;
        alternate.ss_size = sizeof stack;
        sigaltstack(&alternate, nullptr);
        action.sa_flags = SA_ONSTACK;
        sigaction(SIGUSR2, &action, nullptr);
        interrupted(SIGUSR1);
        interrupted(SIGUSR2);
        return caught == 2 ? 0 : 1;
    case 'h':
        action.sa_handler = jumping_handler;
        sigaction(SIGUSR1, &action, nullptr);
        if (sigsetjmp(place, 1) == 0)
            interrupted(SIGUSR1);
        fixed();
        return 0;
    case 'u':
        getcontext(&inside);
        inside.uc_stack.ss_sp = other;
        inside.uc_stack.ss_size = sizeof other;
        inside.uc_link = &outside;
        makecontext(&inside, coroutine, 0);
        switches();
        switches();
        return 0;
    case 'n':
        return shapes::twice(2) + (int)shapes::twice(2.0) == 8 ? 0 : 1;
    }
}
END_OF_CODE
g++ -O0 -g -o leave leave.cc known.o || exit 1
record x.trace 'shapes::*' -- ./leave x
is $? 0 'exceptions: the program goes on as it would'
is "$(ended x.trace)" 'call 20 left 10 return 10' '  what they leave has not returned; what catches them has'
record x.trace 'shapes::throws,shapes::always' -- ./leave x
is "$(ended x.trace)" 'call 10 left 10' '  nor has a function whose caller goes on after the call'
record j.trace jumps,fixed -- ./leave j
is "$(ended j.trace)" 'call 101 left 100 return 1' 'longjmp over 100 calls'
record s.trace handler,interrupted,fixed -- ./leave s
is "$? $(ended s.trace)" '0 call 8 return 8' 'signal handlers, one on a stack of its own: they and what they interrupt return'
record h.trace 'jumping_handler,interrupted,fixed' -- ./leave h
is "$(ended h.trace)" 'call 3 left 2 return 1' 'a handler that jumps out'
record u.trace 'coroutine,switches,fixed' -- ./leave u
is "$? $(took u.trace fixed)" '0 fixed 4 4 4 4' 'coroutines: calls on either stack'
is "$(ended u.trace)" 'call 7 left 1 return 6' '  a call on a stack that was left is no instance'
for names in 'shapes::twice<int>' 'int shapes::twice<int>(int)' 'shapes::twice<i*' '_ZN6shapes5twiceIiEET_S1_'; do
    record n.trace "$names" -- ./leave n
    is "$? $(ended n.trace)" '0 call 1 return 1' "a name in C++: $names"
done
record n.trace 'shapes::throws(int, shapes::thing),shapes::twice*' -- ./leave x
is "$(ended n.trace)" 'call 5 left 5' 'a comma between parentheses belongs to the name'

# ---------------------------------------------------------------- libraries

cat >load.c <<'END_OF_CODE'
#include <dlfcn.h>
#include <stddef.h>
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        void *library = dlopen(argv[i], RTLD_NOW);
        void (*call)(int) = library ? (void (*)(int))dlsym(library, "counted") : NULL;
        if (!call)
            return 1;
        for (int n = 0; n < 3; n++)
            call(5 * i);
        dlclose(library);
    }
    return 0;
}
END_OF_CODE
sed 's/dec %edi/sub $2, %edi/; s/jnz counted/jg counted/' known.s >other.s
gcc -shared -nostdlib -o one.so known.o && gcc -c other.s && gcc -shared -nostdlib -o two.so other.o && strip one.so &&
    gcc -o load load.c -ldl || exit 1
record d.trace counted -- ./load ./one.so ./two.so ./one.so
is "$?" 0 'libraries that are loaded and unloaded, one of them stripped'
is "$("$assay" dump --kind instance d.trace | awk -F, '$3 == "return" { print $8 }' | xargs)" \
    '11 11 11 11 11 11 31 31 31' '  each call of either function'

# ---------------------------------------------------------------- names that are not there

record y.trace counted,cuonted,no_such_function -- ./main b
like err '^assay-record: run 1: .*: --functions: 2 of 3 names are not of any function in the files of the program: cuonted \(did you mean counted\?\); no_such_function$' \
    'names that no function has are reported, with a similar one'
is "$? $(ended y.trace)" '0 call 40 return 40' '  and the others are recorded'
rm -rf s
record s 'counted,sh_has_none' -- sh -c './main b; ./main c'
is "$(grep -c -- --functions: err)" 1 'several processes: one line'
like err '1 of 2 names .*: sh_has_none$' '  for names that none of them has'
"$assay" record -q -m calls -E exact --overwrite --functions 'operator<,operator->(ns::it<int, int>),a' -o o.trace -- ./main b >out 2>err
like err '--functions: 3 of 3 names .*: operator<; operator->\(ns::it<int,int>\); a$' "the brackets in an operator's name are not in pairs"

# ---------------------------------------------------------------- refusals

# refused STATUS REGEXP ARGUMENT...
refused() {
    status=$1
    pattern=$2
    shift 2
    "$assay" record "$@" -o refused.trace -- ./main b >out 2>err
    is $? "$status" "status $status: $*"
    like err "$pattern" '  and tells why'
}
refused 2 'needs to know whose calls to record: --functions NAME' -m calls -E exact
refused 2 'functions is for --engine exact' -m calls --functions f
refused 2 'functions is for --mode calls' -m waste --functions f
refused 2 'arguments is not for --engine hooks' -m calls -E hooks --arguments
refused 2 'must be names of functions' -m calls -E exact --functions f,,g
refused 2 'counters cpu-time: engine exact has simulated counters' -m calls -E exact --functions f --counters cpu-time
refused 2 'counters cycles: engine exact has simulated counters' -m calls -E exact --functions f --counters cycles
refused 2 'burst is not for --mode calls' -m calls -E exact --functions f --burst 1M:1M
refused 2 'period is for sampling: engine exact sees every call' -m calls -E exact --functions f --period 1ms
refused 2 'caches is for' -m calls --caches 32K/8/64,32K/8/64,1M/16/64
mkdir -p jdk/bin jdk/lib/server
: >jdk/lib/server/libjvm.so
cp main jdk/bin/java
"$assay" record -m calls -E exact --functions f -o refused.trace -- jdk/bin/java b >out 2>err
is $? 1 'a Java virtual machine: status 1'
like err 'jdk/bin/java is a Java virtual machine, and mode calls with this engine is for native programs' '  and tells why'

# ---------------------------------------------------------------- the audit

# The same calls as if they had been chosen, all of them, and counted by a real processor.
"$assay" dump --kind instance b.trace | awk -F, '
    $3 == "call" { print "instance call t", $2, $4, 1000, 0, 0, "main;counted" }
    $3 == "return" { print "instance return t", $2, $4, 0, $7, $8 }' >chosen
"$build/tests/make_trace" chosen.trace mode=calls exe=main 'counters=["instructions"]' <chosen
"$assay" audit variance --format csv --exact b.trace chosen.trace >out 2>err
is $? 0 'assay audit variance: all calls by engine exact against chosen ones'
is "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { print $at["function"], $at["metric"], $at["n_exact"], $at["n"], $at["error_points"] + 0, $at["good"], $at["covered"] }' out)" \
    'counted simulated-instructions : instructions 40 40 0 1 1' '  the same calls have no error'
"$build/tests/make_trace" faults.trace mode=calls exe=main 'counters=["page-faults"]' <chosen
"$assay" audit variance --exact b.trace faults.trace >out 2>err
is $? 1 '  without a metric in common: status 1'
like err 'no function has 30 instances and a common metric' '  and one line says so'
done_testing
