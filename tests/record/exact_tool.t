#!/bin/sh
# Engine exact from the command to the trace, with the real Valgrind and tool: counts are in the trace, at the right
# function and line; processes fork, execute others, have threads, or are killed.
. "$(dirname "$0")/../tap.sh"
unset LD_PRELOAD ASSAY_RECORD VALGRIND_LIB
[ -x "$build/lib/assay/valgrind/assay-amd64-linux" ] || skip_all 'this build has no Valgrind tool'
command -v python3 >/dev/null || skip_all 'no python3 here'
record=$build/libexec/assay/assay-record
info=$build/libexec/assay/assay-info
scratch

# Ten times 1000 ints: `same` gets the same value each time, `other` a different one. Nothing is loaded in between. So
# 9000 stores to each are dead, and those to `same` are silent: 36,000 bytes each.
cat >victim.c <<'END'
#include <stdlib.h>
#include <stdio.h>
static int same[1000];
__attribute__((noinline)) static void fill(volatile int *p, int value)
{
    for (int i = 0; i < 1000; i++)
        p[i] = value;
}
__attribute__((noinline)) static int sum(volatile int *p)
{
    int s = 0;
    for (int i = 0; i < 1000; i++)
        s += p[i];
    return s;
}
int main(void)
{
    int *other = malloc(1000 * sizeof *other);
    for (int round = 0; round < 10; round++) {
        fill(same, 7);
        fill(other, round);
    }
    printf("%d\n", sum(same) + sum(other));
    return 3;
}
END
"${CC:-gcc}" -g -O1 -o victim victim.c

# wasted TRACE WASTE FUNCTION: bytes wasted by pairs whose later access is in the function
cat >wasted.py <<'END'
import json, subprocess, sys
dump, trace, waste, function = sys.argv[1:]
methods, frames, contexts, wasted = {}, {}, {}, 0
for line in subprocess.run([dump, "--format", "json", trace], capture_output=True, text=True).stdout.splitlines():
    row = json.loads(line)
    if row["kind"] == "method":
        methods[row["id"]] = row["name"]
    elif row["kind"] == "frame":
        frames[row["id"]] = methods[row["method"]]
    elif row["kind"] == "context":
        contexts[row["id"]] = frames[row["frame"]]
    elif row["kind"] == "pair" and row["waste"] == waste and contexts.get(row["second"]) == function:
        wasted += row["wasted_bytes"]
print(wasted)
END
wasted() {
    python3 wasted.py "$build/libexec/assay/assay-dump" "$@"
}

"$record" -m waste --no-profile -o waste -- ./victim >out 2>err
is $? 3 "the exit status is the program's"
is "$(cat out)" 16000 '  and so is the output'
like err 'engine exact \(every load and store, under Valgrind [0-9.]+\)' '  one line reports the engine'
is "$(wc -l <err)" 2 '  and one the exit status; there are no others'
is "$(wasted waste/*.trace silent-store fill)" 36000 'silent stores are counted at their function'
is "$(wasted waste/*.trace dead-store fill)" 72000 'dead stores are counted'
is "$(wasted waste/*.trace silent-load fill)" 0 'there are no silent loads'
# Valgrind itself gives up at DWARF sections that it does not understand, such as those of clang 14.
objcopy --remove-section .debug_line_str victim odd
"$record" -q -m waste --no-profile -o odd.d -- ./odd >out 2>err
is $? 3 "a program whose debug information Valgrind can't read is recorded"
is "$(wasted odd.d/*.trace dead-store fill)" 72000 '  and dead stores are counted'
"$info" --format json waste/*.trace >info.json
is $? 0 'the trace is whole'
like info.json '"resolved": true' '  its functions are named'
like info.json '"damaged": false' '  the raw file was not damaged'
"$record" -q -E exact -m silent-store -o silent -- ./victim >out 2>err
is "$(wasted silent/*.trace silent-store fill) $(wasted silent/*.trace dead-store fill)" '36000 0' \
    'mode silent-store counts silent stores only'
"$record" -q -m spatial-load -o spatial -- ./victim >out 2>err
is "$("$build/libexec/assay/assay-dump" --kind object spatial/*.trace | grep -c ',heap,4000,')" 1 \
    'spatial loads: the heap object has its size'
"$build/libexec/assay/assay-dump" --kind method spatial/*.trace >methods
like methods ',same,' '  and the static object has its name'

# Two libraries, one after the other at the same address, with different variables at the same place: an object lives as
# long as its library. Of four loads from each, three follow another one.
cat >library.c <<'END'
volatile int NAME[4];
int look(void);
int look(void)
{
    return NAME[0] + NAME[1] + NAME[2] + NAME[3];
}
END
cat >loads.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    void *at = NULL;
    int same = 1, sum = 0;
    for (int i = 1; i < argc; i++) {
        void *library = dlopen(argv[i], RTLD_NOW);
        int (*look)(void) = library ? (int (*)(void))dlsym(library, "look") : NULL;
        if (!look)
            return 1;
        same &= !at || at == (void *)look;
        at = (void *)look;
        sum += look();
        dlclose(library);
    }
    puts(same ? "same" : "different");
    return sum;
}
END
for name in former latter; do
    "${CC:-gcc}" -O1 -g -shared -fPIC -DNAME=$name -o $name.so library.c || exit 1
done
"${CC:-gcc}" -O1 -g -o loads loads.c -ldl || exit 1
place=$("$record" -q -m spatial-load -o libraries -- ./loads ./former.so ./latter.so ./former.so)
if [ "$place" = same ]; then
    is "$("$build/libexec/assay/assay-waste" -q --pairs 0 --format csv libraries/*.trace | python3 -c '
import collections, csv, sys
events = collections.Counter()
for row in csv.DictReader(sys.stdin):
    if row["second_context"].split(" > ")[-1].startswith("look"):
        events[row["object"].split("@")[0]] += int(row["events"])
print(sorted(events.items()))')" "[('former', 6), ('latter', 3)]" 'spatial loads: a variable is an object while its library is loaded'
else
    skip 'the libraries were not loaded at the same address'
fi

# A long rep instruction must not delay a signal: its handler finds a count between all and none.
cat >rep.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>
enum { BYTES = 4 << 20, ROUNDS = 200, ENOUGH = 5 };
static volatile sig_atomic_t inside, running;
static void handler(int number, siginfo_t *info, void *user)
{
    greg_t left = ((ucontext_t *)user)->uc_mcontext.gregs[REG_RCX];
    inside += running && left > 0 && left < BYTES;
}
int main(void)
{
    char *block = malloc(BYTES);
    struct itimerval every = {{0, 20000}, {0, 20000}};
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
    for (int round = 0; round < ROUNDS && inside < ENOUGH; round++) {
        char *at = block;
        size_t left = BYTES;
        running = 1;
        __asm__ volatile("rep stosb" : "+D"(at), "+c"(left) : "a"(0) : "memory");
        running = 0;
    }
    printf("%d\n", (int)inside);
    return 0;
}
END
"${CC:-gcc}" -D_GNU_SOURCE -O1 -o rep rep.c
"$record" -q -m waste --no-profile -o rep.out -- ./rep >out 2>err
between 5 "$(cat out)" 1000 'signals interrupt long rep instructions'

# processes
"$record" -q -m waste --no-profile -o tree -- sh -c '(./victim); ./victim | cat; exec ./victim' >out 2>err
is $? 3 'a shell with children that executes a program: status 3'
is "$(cat out | tr '\n' ' ')" '16000 16000 16000 ' '  every program has its output'
is "$(for t in tree/*.trace; do wasted "$t" silent-store fill; done | grep -c '^36000$')" 3 \
    '  all three programs are measured'
is "$(count() { ls "$@" 2>/dev/null | wc -l; }; count tree/*.exact tree/*.valgrind)" 0 '  and no raw file is left'
cat >killed.c <<'END'
#include <fcntl.h>
static volatile int place;
int main(void)
{
    creat("begun", 0666);
    for (;;)
        place = 1;
}
END
"${CC:-gcc}" -g -O1 -o killed killed.c
# writings FILE...: how often the tool has written all of its data, to the end (collect/exact/tool/state/raw.h:
# RAW_TIME)
cat >writings.py <<'END'
import struct, sys
data, at, times = open(sys.argv[1], "rb").read(), 0, 0
while at + 8 <= len(data):
    kind, size = struct.unpack_from("<II", data, at)
    at += 8 + size
    times += kind == 10 and at <= len(data)
print(times)
END
writings() {
    python3 writings.py killed.out/*.exact
}
"$record" -q -m waste --no-profile -o killed.out -- ./killed 2>err &
recorder=$!
wait_until 60 test -e begun
# The next may have begun before the loop.
enough=$(($(writings) + 2))
has_enough() {
    [ "$(writings)" -ge "$enough" ]
}
wait_until 60 has_enough
for raw in killed.out/*.exact; do
    pid=${raw##*-}
    kill -9 "${pid%.exact}"
done
wait $recorder
is $? 137 'kill -9: status 137'
like err 'unfinished, .*\(it was killed, perhaps\): run-001-[0-9]+\.trace' '  reported'
between 1 "$(wasted killed.out/*.trace silent-store main)" 1e18 '  the trace has what the program did until then'

# Threads that end by exit(2), not exit_group(2): the last one ends the process, unless a signal does.
cat >leave.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static pthread_t first;
static void *other(void *how)
{
    pthread_join(first, NULL);
    if (strcmp(how, "killed") == 0)
        raise(SIGTERM);
    syscall(SYS_exit, 4);
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    first = pthread_self();
    if (argc > 1 && strcmp(argv[1], "alone") != 0)
        pthread_create(&thread, NULL, other, argv[1]);
    syscall(SYS_exit, 4);
}
END
"${CC:-gcc}" -O1 -pthread -o leave leave.c
# left HOW: how the process ended, according to the command's status and to the trace
left() {
    "$record" -q -m waste --no-profile -o "leave.$1" -- ./leave "$1" 2>err
    status=$?
    "$info" --format json "leave.$1"/*.trace |
        python3 -c "import json, sys; e = json.load(sys.stdin)['metadata']['exact']; print($status, e['ended'], e['status'])"
}
is "$(left alone)" '4 exited 4' 'exit(2) by the only thread: its status'
is "$(left last)" '4 exited 4' '  by the last of two threads: its status'
is "$(left killed)" '143 signalled 0' '  by the first, while the other is killed: the signal'

# The class of a store is that of its instruction in every mode: 3000 stores of doubles.
cat >doubles.c <<'END'
int main(void)
{
    static volatile double values[1000];
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 1000; i++)
            values[i] = i;
    return 0;
}
END
"${CC:-gcc}" -O1 -o doubles doubles.c
for mode in dead-store silent-store waste; do
    "$record" -q --engine exact --no-profile -m $mode -o "doubles.$mode" -- ./doubles
    is "$("$root/assay" dump -k total "doubles.$mode"/*.trace | awk -F, '$3 == "store" && $4 == "approximate" { n += $5 } END { print n }')" \
        3000 "$mode: stores of doubles are approximate"
done

# A loop is named by its own line (tests/symbols/loops.t has all kinds of them): the outer one repeats the loads, and its
# header begins with the inner one. With optimization both are in main.
cat >nest.c <<'END'
static volatile int a[1000];
static inline int pass(void)
{
    int s = 0;
    for (int i = 0; i < 1000; i++)
        s += a[i] + i;
    return s;
}
int main(void)
{
    int s = 0;
    for (int r = 0; r < 50; r++)
        s += pass();
    return s;
}
END
for level in -O0 -O2; do
    "${CC:-gcc}" -g "$level" -o nest nest.c
    "$record" -q --engine exact -m silent-load -o "nest$level" -- ./nest 2>err
    is "$("$build/libexec/assay/assay-waste" -q --kind silent-load --scopes 0 --format csv "nest$level"/*.trace |
        awk -F, 'NR > 1 && $3 != "" { print $3; exit }')" \
        main:12 "$level: the scope is the line of the loop that repeats the loads"
done

# What a scope is does not depend on how many loop headers were passed: the tool numbers times anew when they are used up,
# here after 1 to 700,000. Four functions load the same, one of them only in the last round; another loop runs between
# them, and the other half of the same 8 bytes is loaded by another instruction.
cat >rounds.c <<'END'
static _Alignas(8) volatile int value[2] = {5, 2};
__attribute__((noinline)) static int first(void)
{
    return value[0];
}
__attribute__((noinline)) static int second(void)
{
    return value[0];
}
__attribute__((noinline)) static int third(void)
{
    return value[0];
}
__attribute__((noinline)) static int last(void)
{
    return value[0];
}
__attribute__((noinline)) static void spin(void)
{
    for (volatile int i = 0; i < 250000; i++)
        ;
}
int main(void)
{
    int s = 0;
    for (int round = 0; round < 3; round++) {
        s += first();
        spin();
        s += second();
        spin();
        s += third() + value[1] - 2;
        spin();
        if (round == value[1])
            s += last();
    }
    return s != 50;
}
END
"${CC:-gcc}" -g -O1 -o rounds rounds.c
mkdir limited
printf '#!/bin/sh\nexec %s --assay-times=$times "$@"\n' "$(command -v valgrind)" >limited/valgrind
chmod +x limited/valgrind
export times
for times in '' 1 300000 700000; do
    PATH=${times:+$scratch/limited:}$PATH "$record" -q --engine exact -m silent-load -o "times$times" -- ./rounds
    "$build/libexec/assay/assay-waste" -q --kind silent-load --pairs 0 --format csv "times$times"/*.trace >pairs.csv
    is "$(awk -F, '$7 ~ /first:4$/ && $8 ~ /second:8$/ || $7 ~ /second:8$/ && $8 ~ /third:12$/ ||
        $7 ~ /third:12$/ && $8 ~ /last:16$/ { print $6, $9 }' pairs.csv)" \
        "$(printf '12 \n12 \n4 ')" "times ${times:-as usual}: loads that follow those of the same round: no loop"
    is "$(awk -F, '$7 ~ /third:12$/ && $8 ~ /first:4$/ { print $6, $9 }' pairs.csv)" '8 main:26' \
        '  and those that follow the round before: the loop of the rounds'
done
unset times

# A program may go on after a fault, with all its registers and flags as they were, whatever its instructions do with
# the value: the handler mends one register. No fault gets lost, not even that of a load whose value is unused.
cat >resume.c <<'END'
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>
static long value[2] = {10, 11};
static int faults;
static void mend(int number, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    (void)info;
    faults++;
    if (number == SIGSEGV)
        registers[REG_RBX] = (greg_t)value;
    else
        registers[REG_RCX] = 2;
}
int main(void)
{
    struct sigaction action = {.sa_sigaction = mend, .sa_flags = SA_SIGINFO};
    long sum, equal, quotient, next, wide;
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGFPE, &action, NULL);
    __asm__ volatile("xor %%ebx, %%ebx\n\tmov $5, %%eax\n\tmov $0, %%edx\n\tcmp $5, %%eax\n\t"
                     "mov (%%rbx), %%rcx\n\t"
                     "sete %%dl\n\tlea (%%rax, %%rcx), %%rsi\n\tmov $6, %%eax\n\tcmp $7, %%eax"
                     : "=S"(sum), "=d"(equal) : : "rax", "rbx", "rcx", "cc");
    __asm__ volatile("xor %%ecx, %%ecx\n\tmov $3, %%ebx\n\tmov $8, %%eax\n\txor %%edx, %%edx\n\t"
                     "div %%rcx\n\t"
                     "add %%rbx, %%rax\n\tmov $0, %%ebx\n\txor %%edx, %%edx"
                     : "=a"(quotient) : : "rbx", "rcx", "rdx", "cc");
    __asm__ volatile("xor %%ebx, %%ebx\n\tmov $5, %%eax\n\t"
                     "mov (%%rbx), %%rcx\n\t"
                     "add $1, %%eax\n\tlea 1(%%rcx), %%rcx\n\tlea (%%rax, %%rcx), %%rsi"
                     : "=S"(next) : : "rax", "rbx", "rcx", "cc");
    __asm__ volatile("xor %%ebx, %%ebx\n\tmov (%%rbx), %%rcx\n\tmov $1, %%ecx\n\t"
                     "xor %%ebx, %%ebx\n\ttest %%al, (%%rbx)\n\tcmp $7, %%ecx\n\t"
                     "xor %%ebx, %%ebx\n\tmovups (%%rbx), %%xmm0\n\tpxor %%xmm0, %%xmm0"
                     : : : "rbx", "rcx", "xmm0", "cc");
    __asm__ volatile("xor %%ebx, %%ebx\n\tmov $5, %%eax\n\t"
                     "movups (%%rbx), %%xmm0\n\t"
                     "add $1, %%eax\n\tpsrldq $8, %%xmm0\n\tmovq %%xmm0, %%rcx\n\tlea (%%rax, %%rcx), %%rsi"
                     : "=S"(wide) : : "rax", "rbx", "rcx", "xmm0", "cc");
    printf("%ld %ld %ld %ld %ld, %d faults\n", sum, equal, quotient, next, wide, faults);
    return 0;
}
END
"${CC:-gcc}" -O1 -o resume resume.c
resumed='15 1 7 17 17, 7 faults'
is "$(./resume)" "$resumed" 'a program goes on after seven faults'
for mode in waste silent-load silent-store dead-store 'waste --burst 20:1000' spatial-load memory 'memory --values'; do
    # shellcheck disable=SC2086 # words
    is "$(timeout 600 "$record" -q --engine exact --no-profile -m $mode --overwrite -o resume.out -- ./resume 2>&1)" "$resumed" \
        "  and does the same in mode $mode"
done

# a JVM is not measured
mkdir jdk
printf '#!/bin/sh\necho "$LD_PRELOAD" >"%s/preload"\n' "$scratch" >jdk/java
chmod +x jdk/java
"$record" -q -m waste --no-profile -o jvm -- sh -c 'jdk/java; echo done' >out 2>err
is $? 0 'a command that starts a JVM: status 0'
like err 'starts java, which is not recorded: it is a Java virtual machine' \
    '  one line reports that the JVM is not measured'

# Valgrind has no AVX-512: programs that query the processor find none, and others are ended.
cat >wide.c <<'END'
int main(void)
{
    static char from[64], to[64];
    __asm__ volatile("vmovdqu64 %1, %%zmm0\n\tvmovdqu64 %%zmm0, %0" : "=m"(to) : "m"(from));
    return to[5];
}
END
gcc -O1 -o wide wide.c
"$record" -q -m waste --no-profile -o wide.out -- ./wide 2>err
is $? 132 'a program with instructions of AVX-512: status 132'
like err 'Valgrind has no AVX-512' '  one line tells what to do'

# A 32-bit program is not measured.
if command -v as >/dev/null && printf '%s\n' '.globl _start' '_start: movl $1, %eax' 'movl $5, %ebx' 'int $0x80' >short.s &&
    as --32 -o short.o short.s && ld -m elf_i386 -o short short.o && { ./short; [ $? = 5 ]; } 2>log; then
    "$record" -q -m waste --no-profile -o short.out -- sh -c './short; echo $?' >out 2>err
    is "$(cat out)" 5 'a 32-bit program that a command starts runs'
    like err 'starts short, which is not recorded: it is not a 64-bit program' '  one line reports that it is not measured'
    is "$(wc -l <err)" 1 '  and there is no other'
    "$record" -q -m waste --no-profile -o environment.out -- sh -c 'exec ./short one two' >out 2>err
    is $? 5 '  executed by the command, it sets the exit status'
else
    skip 'no 32-bit programs here'
fi
done_testing
