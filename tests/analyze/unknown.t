#!/bin/sh
# Files that are no profile of a known format: what they look like, and what makes a profile of them.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
programs=$build/libexec/assay

# looks NAME PATTERN: assay import and assay hot refuse the file NAME, in one line each, which matches
looks() {
    for program in import hot; do
        "$programs/assay-$program" "$1" >said 2>err
        is "$? $(wc -c <said) $(wc -l <err) $(grep -Ec "^assay-$program: $1: .*$2" err)" '1 0 1 1' "$program: $1: $2" ||
            sed 's/^/# /' err
    done
    rm -rf "$1" ./*.trace
}

# --- by magic numbers: those of the tools' own documentation and sources ---
while IFS='|' read -r name bytes pattern; do
    # shellcheck disable=SC2059
    printf "$bytes" >"$name"
    head -c 600 /dev/zero >>"$name"
    looks "$name" "looks like $pattern"
done <<'END'
perf.data|PERFILE2h|perf.data: run perf script -i FILE > perf.txt
hprof|JAVA PROFILE 1.0.2\000\000|a heap dump .*JFR
gmon.out|gmon\001\000\000\000|gmon.out: run gprof PROGRAM FILE
trace.nettrace|Nettrace\024\000|.*dotnet-trace convert --format Speedscope
program|\177ELF\002\001\001\000\000\000\000\000\000\000\000\000\003\000|a program or library \(ELF\)
core|\177ELF\002\001\001\000\000\000\000\000\000\000\000\000\004\000|a core file
core-be|\177ELF\002\002\001\000\000\000\000\000\000\000\000\000\000\004|a core file
Main.class|\312\376\272\276\000\000\000\075|a class of Java
app.jar|PK\003\004\024|a zip archive: unpack it
x.bz2|BZh91AY|a file packed by bzip2: run bzip2 -d
table.parquet|PAR1\025|a Parquet file
db|SQLite format 3\000|an SQLite database
trace.dat|\027\010\104tracing6|trace.dat of trace-cmd
c.prof|\373\251\003\371|statistics of Python.s cProfile: run flameprof
d.prof|{(\003\000\000\000|statistics of Python.s cProfile: run flameprof
go.trace|go 1.22 trace\000\000\000|an execution trace of Go: run go tool trace -pprof
stackprof.dump|\004\010{\014|a dump of Ruby.s stackprof: run stackprof --stackcollapse
raw.rbspy|rbspy03\n|raw data of rbspy: run rbspy report
END
head -c 300 /dev/zero >x.tar
printf 'ustar' | dd of=x.tar bs=1 seek=257 conv=notrunc 2>/dev/null
looks x.tar 'looks like a tar archive: unpack it'
printf 'PERFILE2\000\000\000\000' | gzip >perf.data.gz
looks perf.data.gz 'looks like perf.data: run perf script'
printf 'assayTRC\001\000\000\000' | gzip >run.trace.gz
looks run.trace.gz 'looks like an assay trace: .*unpack it'

# --- by their texts ---
while IFS='|' read -r name text pattern; do
    # shellcheck disable=SC2059
    printf -- "$text" >"$name"
    looks "$name" "looks like $pattern"
done <<'END'
flame.svg|<?xml version="1.0"?>\n<!DOCTYPE svg>\n<svg width="1200">\n|a flame graph: it is a drawing
flame.html|<!DOCTYPE html>\n<html lang="en">\n<head>\n|a page, such as a flame graph
heap.heapsnapshot|{"snapshot":{"meta":{"node_fields":["type"]}}}|a heap snapshot of V8.*node --cpu-prof
massif.out|desc: (none)\ncmd: ls\ntime_unit: i\n#-----------\nsnapshot=0\n|output of massif
dhat.out|{"dhatFileVersion":2,"mode":"heap"}|output of DHAT
bench.json|{"results": [{"command": "sleep 1", "mean": 1}]}|results of a benchmark: assay ci
saved.state|{"assay-state": 2, "program": "hot"}x|a saved state|is not a saved state
ghc.prof|{\n"program": "p",\n"cost_centres": []}|a profile of GHC
safari.json|{"version":1,"recording":{"displayName":"x"}}|a recording of Safari
stackprof.json|{"version":1.2,"mode":"wall","missed_samples":0}|a dump of Ruby.s stackprof in JSON
isolate-v8.log|v8-version,6,0,287,53,0\n|V8.s log .*run node --cpu-prof
other.json|{"a": 1}|JSON: it is not a saved state .*nor a profile
dtrace.out|\n              libc.so.1`_read+0x7\n              a.out`main+0x10\n               12\n|output of DTrace: run stackcollapse.pl
bpftrace.out|@[\n    main+12\n]: 5\n|output of bpftrace: run stackcollapse-bpftrace.pl
sample.txt|Analysis of sampling prog (pid 7) every 1 millisecond\n|output of macOS.s sample: run stackcollapse-sample.awk
report.txt|# To display the perf.data header info, please use\n# Overhead  Command\n|text of perf report: run perf script
threads.txt|Full thread dump OpenJDK 64-Bit Server VM\n|a thread dump: it shows one moment
heap.prof|heap profile: 1: 2 [3: 4] @ heap/512\n|a heap profile: run pprof -proto
top.txt|File: prog\nType: cpu\nShowing nodes accounting for 30ms, 100%% of 30ms total\n|text of go tool pprof: run go tool pprof -proto
raw.txt|PeriodType: cpu nanoseconds\nPeriod: 10000000\n|text of go tool pprof -raw
print.txt|jdk.ExecutionSample {\n  startTime = 10:00:00.000\n}\n|text of jfr print: name the recording itself
flat.txt|--- Execution profile ---\nTotal samples       : 7\n|text of async-profiler: run asprof -o collapsed
cprofile.txt|         4 function calls in 0.000 seconds\n\n   Ordered by: standard name\n|text of Python.s cProfile: run python3 -m cProfile -o
strace.txt|%% time     seconds  usecs/call     calls    errors syscall\n|text of strace -c
gdb.txt|Thread 2 (LWP 7):\n#0  f () at a.c:3\n|backtraces of gdb: run stackcollapse-gdb.pl
weather.csv|day,temperature\nmonday,17\ntuesday,18\n|a table without columns of methods and their shares: assay ci
toc.xml|<?xml version="1.0"?>\n<trace-toc><run number="1"/></trace-toc>|the contents of a trace of Instruments: .*time-profile
END
printf '\000\000\001\000\110\000\000\000' >noise.etl
looks noise.etl 'looks like a trace of Windows \(ETW\)'
printf '\012\003abc\012\002de\012\001f\012\000' >trace.bin
looks trace.bin 'looks like a trace of Perfetto: run traceconv'
echo 'nothing of the kind' >prose.txt
looks prose.txt 'is not a profile of a known format \(jfr,.*folded\)'
: >empty
looks empty 'is empty'

# --- directories, by their files ---
while IFS='|' read -r file pattern; do
    mkdir directory
    echo x >"directory/$file"
    looks directory "is a directory.*$pattern"
done <<'END'
default.opts|data of uftrace: run uftrace dump -d DIR --chrome
form.template|a trace of Instruments: run xctrace export
r000hs.vtune|a result of VTune: run vtune -report hotspots
readme|name the traces or profiles in it
END
mkdir directory
echo x >directory/run-001-7.trace
"$programs/assay-import" directory >said 2>err
like err '^assay-import: directory: is a directory.*name them: DIR/\*.trace$' 'import: a directory with traces'
"$programs/assay-hot" directory >said 2>err
is $? 1 'hot: a directory stands for its traces'
like err '^assay-hot: directory/run-001-7.trace: is not an assay trace' '  one that is none has a line'
done_testing
