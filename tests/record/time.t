#!/bin/sh
# Mode time: the command runs alone, and series.json has its time, memory and page faults.
. "$(dirname "$0")/lib.sh"
ci() { "$build/libexec/assay/assay-ci" --format tsv "$@"; }

"$record" -m time --runs 3 --warmup 1 -o out -- sh -c 'echo "$LD_PRELOAD$ASSAY_RECORD$JAVA_TOOL_OPTIONS." >>env; exit 0' 2>err
is "$? $(cat err)" '0 ' 'mode time: status 0, no message'
is "$(sort env | uniq -c | xargs)" '4 .' '  three runs and a warm-up, whose environment is the caller'"'"'s'
is "$(ls out)" series.json '  there is no trace'
ci --value wall_time out >table 2>err
is "$(cut -f 2 table | tail -1) $(cat err)" '3 ' '  assay ci reads three runs, without the warning that recording costs time'
"$record" -m time --runs 3 -o out --warmup 1 -- sh -c 'echo "$LD_PRELOAD$ASSAY_RECORD$JAVA_TOOL_OPTIONS." >>env; exit 0' 2>err
like err '^assay-record: out: complete: 3 of 3 runs exist' 'a complete series is not run again'

# what is measured, of a program whose use of the machine is known: 40 MB, 0.2 s of CPU time, and a sleep of 0.3 s
cat >use.c <<'END'
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
int main(void)
{
    char *memory = malloc(40000000);
    memset(memory, 1, 40000000);
    while (clock() < CLOCKS_PER_SEC / 5)
        memory[clock() % 1000]++;
    usleep(300000);
    return memory[5] == 0;
}
END
"${CC:-gcc}" -O1 -o use use.c
"$record" -q -m time -o use.out -- ./use
value() { ci --value "$1" use.out 2>/dev/null | tail -1 | cut -f 3; }
between 0.5 "$(value wall_time)" 60 'wall time: what it computes and sleeps'
between 0.2 "$(value cpu_time)" 0.4 'CPU time: what it computes'
between 40 "$(value max_rss)" 46 'memory: what it touches'
between 20 "$(value page_faults)" 10700 'page faults: one for each 2 MiB to one for each 4 KiB'

# a program without libc, which touches two pages: nothing of the recorder's memory counts as its own
cat >tiny.c <<'END'
void _start(void)
{
    __asm__ volatile("mov $60, %eax; xor %edi, %edi; syscall");
}
END
"${CC:-gcc}" -static -nostdlib -o tiny tiny.c
"$record" -q -m time -o use.out --overwrite -- ./tiny
between 0 "$(value max_rss)" 0.4 'memory of a program that needs next to none'
between 1 "$(value page_faults)" 15 '  and its page faults'

# the command begins as a shell would begin it
state='grep -E "^Sig(Blk|Ign)" /proc/self/status; ls /proc/self/fd | wc -l; echo "$0" "$@"'
sh -c "$state" a 'b c' >plain.out
"$record" -q -m time -o state.out -- sh -c "$state" a 'b c' >out.txt
is "$(cat out.txt)" "$(cat plain.out)" 'signals, descriptors and words are those of a command that a shell starts'
"$record" -q -m time -o parent.out -- sh -c 'cat /proc/$PPID/comm' >out.txt
is "$(cat out.txt)" assay-record '  its parent is assay record'
mkdir first second
printf 'echo script $*\n' >second/script && chmod +x second/script && touch first/script
PATH=$scratch/first:$scratch/missing:$scratch/second:$PATH "$record" -q -m time -o script.out -- script a b >out.txt
is "$? $(cat out.txt)" '0 script a b' 'a script without interpreter line, found in PATH behind a file that is not executable'
"$record" -q -m time -o script.out --overwrite -- second/script c >out.txt
is "$? $(cat out.txt)" '0 script c' '  and by its path'
"$record" -m time -o none.out -- first/script 2>err
is "$? $(cat err)" '126 assay-record: first/script: Permission denied' 'a file that is not executable'
"$record" -q -m time -o signal.out -- sh -c 'kill -TERM $PPID; sleep 60' 2>err
is $? 143 'a signal to the recorder ends the command'
rm "$scratch/i/lib/assay/assay-exec"
"$record" -m time -o missing.out -- true 2>err
is "$? $(cat err)" '0 assay-record: lib/assay/assay-exec is missing: memory and page faults include some MB of assay record' \
    'an incomplete installation: a line says what that means'
cp "$build/lib/assay/assay-exec" "$scratch/i/lib/assay/"

# failures
printf '#!/bin/sh\nread n <n; echo $((n + 1)) >n; [ $n -ne 2 ]\n' >odd && chmod +x odd && echo 1 >n
"$record" -m time --runs 3 -o odd.out -- ./odd 2>err
is "$? $(cat err)" '1 assay-record: run 2: exit status 1' 'a failing run is reported'
ci --value wall_time odd.out >table 2>err
is "$(cut -f 2 table | tail -1)" 2 '  and is not in the table'
like err 'the first: odd.out: 1 run failed \(exit status 1\)' '  which says so'
"$record" -m time -o none.out -- ./missing 2>err
is "$? $(cat err)" '127 assay-record: ./missing: No such file or directory' 'a missing command'
refused() {
    "$record" -m time "$@" -o none -- true 2>err
    is "$? $(count none)" '2 0' "refused: $*"
}
refused -p 1ms
refused --clock fixed
refused -E soft
refused --only true
refused --check
refused --counters cpu-time
refused --policy uniform
"$record" -m time -o one.trace -- true 2>err
is "$? $(count one.trace)" '2 0' 'refused: a file for the trace'
done_testing
