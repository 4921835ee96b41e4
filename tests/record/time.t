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
