#!/bin/sh
# Mode memory: threads, fork, exec, longjmp, signals; more accesses than the ring holds; a process that is killed, one
# that outlives the run, and one that fills its disk.
. "$(dirname "$0")/../tap.sh"
[ "$(uname -m)" = x86_64 ] || skip_all 'the exact tool is for x86-64'
command -v valgrind >/dev/null || skip_all 'valgrind is not installed'
assay=$root/assay
scratch

# victim NAME <SOURCE: compiles it to ./NAME
victim() {
    cat >"$1.c"
    gcc -O1 -g -fno-tree-vectorize -fno-unroll-loops -no-pie -pthread -o "$1" "$1.c" || exit 1
}

# record OUTPUT COMMAND...: records it in mode memory
record() {
    output=$1
    shift
    "$assay" record -q --mode memory --overwrite -o "$output" -- "$@" >out 2>err
}

# touched PROGRAM SYMBOL TRACE: `thread access index` of each access to an array with elements of 8 bytes
touched() {
    set -- $(nm -S "$1" | awk -v name="$2" '$4 == name { print "0x" $1, "0x" $2 }') "$3"
    "$assay" dump --kind access "$3" 2>/dev/null | awk -F , -v low="$(($1))" -v size="$(($2))" '
        NR > 1 && $4 >= low && $4 < low + size { print $(NF - 3), $(NF - 1), ($4 - low) / 8 }'
}

# sequence FIRST LAST WORDS: lines of the words and a number from FIRST to LAST
sequence() {
    awk -v first="$1" -v last="$2" -v words="$3" 'BEGIN { for (i = first; i <= last; i++) print words, i }'
}

# info TRACE EXPRESSION: prints it; m is the metadata of assay info
info() {
    "$assay" info --keep-going --format json "$1" 2>/dev/null |
        python3 -c "import json, sys; m = json.load(sys.stdin); print($2)"
}

# wait_until_there FILE: waits until it exists, two minutes at most
wait_until_there() {
    tries=0
    until [ -e "$1" ] || [ $tries -ge 600 ]; do
        sleep 0.2
        tries=$((tries + 1))
    done
    [ -e "$1" ]
}

# ---------------------------------------------------------------- threads

victim threads <<'END_OF_VICTIM'
#include <pthread.h>
long array[3000];
static void *work(void *from)
{
    volatile long *at = (long *)from;
    for (int i = 0; i < 1000; i++)
        at[i] = i;
    return 0;
}
int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, work, array + 1000 * i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    volatile long *at = array;
    return (int)(at[7] + at[1007] + at[2007]) - 21;
}
END_OF_VICTIM
record threads.trace ./threads
is "$? $(cat out err)" '0 ' 'a program with threads is recorded'
touched threads array threads.trace >got
for first in 0 1000 2000; do
    # the thread that accesses the first element of its part
    awk -v first=$first 'NR == FNR { if ($2 == "store" && $3 == first) thread = $1; next } $1 == thread { print $2, $3 }' got got >part
    sequence $first $((first + 999)) store >expected
    is "$(cmp expected part 2>&1)" '' "  the accesses of thread $((first / 1000 + 1)) are there, in order"
done
is "$(awk '$2 == "load" { print $1, $3 }' got | tr '\n' ' ')" '1 7 1 1007 1 2007 ' "  and the main thread's"
is "$("$assay" dump --kind access threads.trace | awk -F , 'NR > 2 && $3 < before { bad++ } { before = $3 } END { print bad + 0 }')" 0 \
    '  all accesses are in the order in which the process executed them'
is "$("$assay" dump --kind access --thread 3 threads.trace | awk -F , '$(NF - 3) != 3' | wc -l | tr -d ' ')" 1 \
    "  assay dump --thread prints only that thread's accesses"

# ---------------------------------------------------------------- fork and exec

victim processes <<'END_OF_VICTIM'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
long array[300];
static void touch(int from, int to)
{
    volatile long *at = array;
    for (int i = from; i < to; i++)
        at[i];
}
int main(int count, char **words)
{
    int status = 0;
    if (count > 1) {
        touch(200, 300);
        return 5;
    }
    touch(0, 50);
    execl("/nonexistent", "nonexistent", (char *)0);
    if (fork() == 0) {
        touch(50, 100);
        execl(words[0], words[0], "again", (char *)0);
    }
    wait(&status);
    touch(100, 200);
    return WEXITSTATUS(status) == 5 ? 0 : 1;
}
END_OF_VICTIM
record family ./processes
is "$? $(cat out err)" '0 ' 'a program that forks and executes itself is recorded'
for trace in family/*.trace; do
    touched processes array "$trace" | awk '{ printf "%s %s; ", $2, $3 }' |
        awk -F '; ' '{ print $1, "...", $(NF - 1), NF - 1 }'
done | LC_ALL=C sort >got
is "$(cat got)" 'load 0 ... load 199 150
load 200 ... load 299 100
load 50 ... load 99 50' '  each process and program has its own trace, also after a failed exec'

# ---------------------------------------------------------------- longjmp, and signals

victim jumps <<'END_OF_VICTIM'
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>
long array[100];
static jmp_buf place;
static volatile long *at = array;
static void handler(int number) { at[20 + (number == SIGUSR1)]; }
__attribute__((noinline)) static void deep(int depth)
{
    if (depth == 0)
        longjmp(place, 1);
    at[depth];
    deep(depth - 1);
    at[99];
}
__attribute__((noinline)) static void after(void) { at[30]; }
int main(void)
{
    signal(SIGUSR1, handler);
    if (setjmp(place) == 0)
        deep(3);
    after();
    kill(getpid(), SIGUSR1);
    after();
    return 0;
}
END_OF_VICTIM
record jumps.trace ./jumps
is "$?" 0 'a program with longjmp and a signal is recorded'
is "$(touched jumps array jumps.trace | tr '\n' ' ')" '1 load 3 1 load 2 1 load 1 1 load 30 1 load 21 1 load 30 ' \
    '  every access is there'
"$assay" dump --format json jumps.trace >all
is "$(python3 -c '
import json
tables = {}
for line in open("all"):
    row = json.loads(line)
    tables.setdefault(row["kind"], {})[row.get("id")] = row
def path(context):
    names = []
    while context:
        frame = tables["frame"][tables["context"][context]["frame"]]
        names.append(tables["method"][frame["method"]]["name"])
        context = tables["context"][context]["parent"]
    return ";".join(reversed(names[:names.index("main") + 1])) if "main" in names else ""
low = int("'"$(nm jumps | awk '$3 == "array" { print $1 }')"'", 16)
for line in open("all"):
    row = json.loads(line)
    if row["kind"] == "access" and low <= row["address"] < low + 800:
        print((row["address"] - low) // 8, path(row["context"]).split("main", 1)[1].replace("__kill", "kill"))
' | tr '\n' ' ')" '3 ;deep 2 ;deep;deep 1 ;deep;deep;deep 30 ;after 21 ;kill;[signal];handler 30 ;after ' \
    '  in its context'

# ---------------------------------------------------------------- masked accesses

if grep -qw avx2 /proc/cpuinfo; then
    cat >mask.s <<'END_OF_VICTIM'
        .data
        .balign 64
array:  .long 1, 2, 3, 4
mask:   .long -1, 0, 0, -1
        .bss
        .balign 64
target: .skip 64
        .text
        .globl _start
_start: vmovdqu mask(%rip), %xmm1
        vpmaskmovd array(%rip), %xmm1, %xmm2
        vpmaskmovd %xmm2, %xmm1, target(%rip)
        vmovdqu %ymm2, target+32(%rip)
        mov $60, %eax
        xor %edi, %edi
        syscall
END_OF_VICTIM
    gcc -nostdlib -static -no-pie -Wa,--noexecstack -o mask mask.s || exit 1
    record mask.trace ./mask
    is "$("$assay" dump --kind access mask.trace | awk -F , -v array="$((0x$(nm mask | awk '$3 == "array" { print $1 }')))" \
        -v target="$((0x$(nm mask | awk '$3 == "target" { print $1 }')))" \
        'NR > 1 { print $3, $(NF - 1), $NF, $4 - ($(NF - 1) == "load" ? array : target) }')" '1 load 16 16
2 load 4 0
2 load 4 12
3 store 4 0
3 store 4 12
4 store 32 32' 'a masked access is recorded as the elements that it accesses'
else
    skip 'this processor has no AVX2'
fi

# ---------------------------------------------------------------- more than the ring holds; killed

# The ring has room for a million accesses of such a loop (collect/exact/tool/memory/memory.c: two of 2^21 words each).
victim long_run <<'END_OF_VICTIM'
#include <signal.h>
#include <unistd.h>
long array[1000];
int main(int count, char **words)
{
    volatile long *at = array;
    for (int round = 0; round < 2500; round++)
        for (int i = 0; i < 1000; i++)
            at[i];
    if (count > 1 && fork() == 0)
        kill(getppid(), SIGKILL);
    else if (count > 1)
        pause();
    return 0;
}
END_OF_VICTIM
turns='{ if ($3 != (NR - 1) % 1000 || $2 != "load" || $1 != 1) bad++ } END { print NR, bad + 0 }'
record long.trace ./long_run
is "$?" 0 'a program with 2.5 million accesses is recorded'
is "$(touched long_run array long.trace | awk "$turns")" '2500000 0' '  all of them are there, in order'
[ "$(wc -c <long.trace)" -lt 2000000 ]
ok $? '  the trace has less than 2 MB'
rm -rf killed
record killed ./long_run killed
is "$?" 137 'a process is killed: status 137'
set -- $(grep -l '"ended":null' killed/*.trace)
touched long_run array "$1" | awk "$turns" >got
is "$(sed 's/.* //' got)" 0 '  its first accesses are there, in order'
between 1500000 "$(sed 's/ .*//' got)" 2500000 '  at most those are missing that the ring holds'
is "$(info "$1" 'm["metadata"]["exact"]["ended"], m["loss"]["unfinished"]')" 'None True' \
    '  the trace is marked as unfinished'
is "$(ls killed | sed 's/-[0-9]*//2' | uniq | tr '\n' ' ')" 'run-001.trace series.json ' '  and no other file is left'

# ---------------------------------------------------------------- a process outlives the run

victim leaves <<'END_OF_VICTIM'
#include <fcntl.h>
#include <unistd.h>
long array[1000];
int main(int count, char **words)
{
    volatile long *at = array;
    if (fork() != 0)
        return 0;
    for (int i = 0; i < 1000; i++)
        at[i];
    while (access(words[1], F_OK) != 0)
        usleep(10000);
    for (int round = 0; round < 6000; round++)
        for (int i = 0; i < 1000; i++)
            at[i];
    close(open(words[2], O_CREAT | O_WRONLY, 0600));
    return count - 3;
}
END_OF_VICTIM
rm -rf left
record left ./leaves go gone
is "$?" 0 'a process outlives the run: status 0'
for trace in left/*.trace; do
    touched leaves array "$trace" | wc -l | tr -d ' '
done | LC_ALL=C sort -n | tr '\n' ' ' >got
: >go
wait_until_there gone
ok $? '  it continues, unrecorded'
like got '^0 ' "  its parent's trace has none of its accesses"
grep -q 'outlived the run' left/series.json
ok $? '  series.json reports that it outlived the run' || { ls left && cat left/series.json; } | sed 's/^/# /'

# ---------------------------------------------------------------- a process outlives the run and is never idle

victim busy <<'END_OF_VICTIM'
#include <fcntl.h>
#include <unistd.h>
long array[1000];
int main(int count, char **words)
{
    volatile long *at = array;
    int ends[2];
    char byte = 0;
    if (pipe(ends) != 0)
        return 9;
    if (fork() != 0)
        return read(ends[0], &byte, 1) == 1 ? 0 : 8;
    for (int round = 0; access(words[1], F_OK) != 0; round++) {
        for (int i = 0; i < 1000000; i++)
            at[i % 1000] = i;
        if (round == 1 && write(ends[1], &byte, 1) != 1)
            return 7;
    }
    close(open(words[2], O_CREAT | O_WRONLY, 0600));
    return count - 3;
}
END_OF_VICTIM
rm -rf stop stopped
timeout 300 "$assay" record -q --mode memory --overwrite -o storm -- ./busy stop stopped >out 2>err
is "$?" 0 'a process that stores all the time outlives the run: status 0'
: >stop
wait_until_there stopped
ok $? '  it continues, unrecorded'
grep -q 'outlived the run' storm/series.json
ok $? '  series.json reports that it outlived the run' || sed 's/^/# /' storm/series.json
for trace in storm/*.trace; do
    touched busy array "$trace" | head -n 1200000
done | awk '{ bad += $2 != "store" || $3 != (NR - 1) % 1000 } END { print (NR > 1000000), bad + 0 }' >got
is "$(cat got)" '1 0' '  its stores until then are there, in order'

# ---------------------------------------------------------------- the disk is full

full=$(mktemp -d) && mount -t tmpfs -o size=6m none "$full" 2>/dev/null && mounted=1 || mounted=
if [ "$mounted" ]; then
    record "$full/series" ./long_run
    between 0 $? 1 'a full disk does not stop the program'
    umount "$full"
    like err '[Nn]o room|No space left' '  and one line reports it'
else
    skip 'a file system of 6 MB cannot be mounted here'
fi
rmdir "$full"

full=$(mktemp -d) && mount -t tmpfs -o size=1m none "$full" 2>/dev/null && mounted=1 || mounted=
if [ "$mounted" ]; then
    record "$full/series" ./long_run
    cp "$full"/series/*.trace none.trace
    umount "$full"
    like err 'no room or no reader' 'a disk without room for a ring: one line reports it'
    is "$(info none.trace 'm["loss"]["unfinished"], m["metadata"]["exact"]["lost_ring"]')" 'True 1' \
        '  and the trace is marked as unfinished'
else
    skip 'a file system of 1 MB cannot be mounted here'
fi
rmdir "$full"

# ---------------------------------------------------------------- options that contradict each other

for words in '--mode memory --fp-tolerance 1%' '--mode memory --burst auto' '--mode waste --values' '--values' \
    '--mode memory --engine soft' '--mode memory --clock fixed'; do
    # shellcheck disable=SC2086
    "$assay" record $words -o none -- true >out 2>err
    is "$? $(grep -vc '^Try ' err) $(ls -d none 2>&1 | grep -c 'No such')" "2 1 1" "refused: $words"
    like err '^assay-record: .*(mode memory|sees every access|takes samples|for sampling)' '  and tells why'
done

done_testing
