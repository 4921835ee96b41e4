#!/bin/sh
# assay import: every format, in hand-made files with known answers; files of other tools where those are installed; and
# damaged files.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
real=${ASSAY_REAL_PROFILES:-$root/../shared/real/profiles}
scratch
needs tests/make_trace
programs=$build/libexec/assay
# import FILE...: into out/, which is emptied first
import() {
    rm -rf out
    mkdir out
    "$programs/assay-import" -o out/ "$@" >said 2>err
}
folded() {
    "$programs/assay-export" --to folded "$@"
}
hot() {
    "$programs/assay-hot" --format csv "$@" 2>err
}
# metadata TRACE KEY
metadata() {
    "$programs/assay-info" "$1" 2>/dev/null | sed -n "s/^ *$2  *//p"
}

# --- folded stacks ---
printf '# made by hand\na;b;c 3\n\na;b 12\r\n// no count\na;x y;c 5\na;b;c 4\n' >x.folded
import x.folded
is $? 0 'folded stacks: status 0'
is "$(folded out/x.folded.trace)" "$(printf 'a;b 12\na;b;c 7\na;x y;c 5')" \
    'folded stacks are exported as they were imported, equal ones summed'
is "$(hot out/x.folded.trace | cut -d, -f2,3,7 | tail -n +2)" "$(printf 'b,0.5,12\nc,0.5,12')" 'assay hot sums weights'
is "$(cat said)" 'out/x.folded.trace: folded, samples: 4 records, 24 samples; not known: times, threads, period, runs' \
    'a line says what was imported and what is not known'
like "$(metadata out/x.folded.trace imported >unknown; echo unknown)" '"unknown":\["times","threads","period","runs"\]' \
    '  so does the metadata of the trace'
"$programs/assay-import" -o two/ x.folded x.folded >said 2>err
is "$? $(grep -c 'already exists' err)" '1 1' 'an existing trace is not overwritten: status 1'
gzip -c x.folded >y.folded.gz
import y.folded.gz
is "$(folded out/y.folded.trace)" "$(printf 'a;b 12\na;b;c 7\na;x y;c 5')" 'folded stacks compressed with gzip'
printf 'a;b 1\nno count here\na;c 2\n' >bad.folded
import bad.folded
is "$? $(cat err)" "1 assay-import: bad.folded: line 2: not 'frame;frame COUNT': 'no count here'; 1 such place in all" \
    'an invalid line: status 1, and its place'
is "$(folded out/bad.folded.trace)" "$(printf 'a;b 1\na;c 2')" '  the other lines are imported'
"$programs/assay-import" -q --keep-going -o kept.trace bad.folded >said 2>err
is "$? $(cat said)" '0 ' '  with --keep-going: status 0; with -q: no output'
awk 'BEGIN { for (i = 0; i < 3000; i++) printf "f%d;", i; print "leaf 7" }' >deep.folded
import deep.folded
is "$? $(grep -c '1 stacks were cut to their 1023 innermost frames' said)" '0 1' 'a deep stack is cut, with a note'
is "$(folded out/deep.folded.trace | tr ';' '\n' | sed -n '1p;2p;$p')" "$(printf '[stack cut here]\nf1978\nleaf 7')" \
    '  its innermost frames are kept'
awk 'BEGIN { print "a;b 18446744073709551615"; print "a;c 1" }' >huge.folded
import huge.folded
is "$? $(ls out)" '1 ' 'weights beyond 64 bits: status 1, no trace'
"$programs/assay-import" - <x.folded >said 2>err
is "$? $(folded stdin.trace | wc -l)" '0 3' 'standard input: the trace is stdin.trace'
for case in 'nofile|No such file' 'empty|is empty' 'text|not a profile of a known format' 'comments|not a profile'; do
    : >empty
    echo 'just some text' >text
    echo '# nothing else' >comments
    import "${case%%|*}"
    is "$? $(grep -c "^assay-import: ${case%%|*}: .*${case#*|}" err) $(wc -l <err)" '1 1 1' \
        "${case%%|*}: status 1 and one line"
done
"$programs/assay-import" >said 2>err
is $? 2 'no file: status 2'

# --- perf script ---
cat >p.txt <<'END'
# ========
# captured on: today
# ========
#
my prog   12/13  [002] 10.000001:    1001001 cpu-clock:u: 
	             6f1 ns::f(int)+0x10 (/opt/a (b)/prog)
	             789 main (/opt/prog (deleted))
	ffffffff8100 [unknown] ([kernel.kallsyms])

my prog   12/13  [002] 10.001001:    1001001 cpu-clock:u: 
	             123 [unknown] (/lib/libc.so.6)
	             700 inl (inlined)
	             789 main (/opt/prog)

other    14 11.000000123: cycles:  ffff1234 sym+0x1 ([kernel.kallsyms])
other    14 11.5: cycles: 
END
import p.txt
is $? 0 'perf script: status 0'
is "$(ls out | tr '\n' ' ')" 'p.txt.cpu-clock-u.trace p.txt.cycles.trace ' 'perf script: a trace for each event'
is "$(folded --threads out/p.txt.cpu-clock-u.trace)" \
    "$(printf 'my prog;[kernel.kallsyms];main;ns::f(int) 1\nmy prog;main;inl;[libc.so.6] 1')" \
    'perf script: stacks, symbols without offsets, modules'
is "$("$programs/assay-dump" --kind sample --format csv out/p.txt.cpu-clock-u.trace | cut -d, -f2 | tr '\n' ' ')" \
    'time_ns 10000001000 10001001000 ' \
    'perf script: times in ns'
is "$("$programs/assay-info" out/p.txt.cpu-clock-u.trace | awk '/my prog/ { print $1, $3 }')" '13 2' \
    'perf script: the thread of PID/TID'
is "$(folded out/p.txt.cycles.trace)" "$(printf '[unknown] 1\nsym 1')" \
    'perf script: a frame in the head line, and a sample without a stack'
"$programs/assay-import" -o one.trace p.txt >said 2>err
is "$? $(grep -c 'holds 2 profiles (cpu-clock:u, cycles)' err)" '1 1' \
    '-o FILE for two events: status 1, and a line lists them'
"$programs/assay-import" --profile cycles -o one.trace p.txt >said 2>err
is "$? $(folded one.trace | awk '{ n += $NF } END { print n }')" '0 2' '  --profile chooses one'
"$programs/assay-import" --profile nope -o none.trace p.txt >said 2>err
is "$? $(grep -c "no profile 'nope', but: cpu-clock:u, cycles" err)" '1 1' \
    '  an unknown profile: status 1, and a line lists them'
{ cat p.txt; echo '	zzz not a frame'; } >q.txt
import q.txt
is "$? $(grep -c "line $(wc -l <q.txt): neither the header nor a frame" err)" '1 1' \
    'perf script: an invalid line: status 1, and its place'

{ for task in 'C2 CompilerThre 7' 'GC Thread#0 8' 'java 9' 'VM Thread 10'; do printf '%s 1.000000: cycles: \n\t10 f (/bin/x)\n\n' "$task"; done; } >jvm.txt
import jvm.txt
is "$? $(grep -c 'not known: .*roles' said)" '0 1' 'perf script: a line says that roles of threads are not known'
is "$("$programs/assay-dump" --kind thread --format csv out/jvm.txt.trace | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "role") at = i; next } { role = $at } /C2|GC|java|VM/ { print role }' | sort | paste -s -d ' ' -)" \
    'gc jit native vm' '  except for those of the JVM, known by their names'
# uftrace writes an empty item where it lost events: at the beginning, in between, twice, at the end; texts keep commas
printf '{"traceEvents":[\n,\n{"ts":1,"ph":"B","pid":7,"name":"main,,]"},\n,\n,\n{"ts":3,"ph":"B","pid":7,"name":"a\\",,b"},{"ts":4,"ph":"E","pid":7,"name":"a\\",,b"},{"ts":5,"ph":"E","pid":7,"name":"main,,]"}\n,\n]}' >lost.json
import lost.json
is "$? $(folded out/*.trace | tr '\n' ' ')" '0 main,,] 3000 main,,];a",,b 1000 ' \
    'Chrome: what follows lost events is read'
is "$(grep -c '4 lost while recording' said) $(grep -c '4 empty items, where the recorder lost an unknown number of events' said err | awk -F: '{ n += $2 } END { print n }')" '1 1' \
    '  a line counts the losses'
# A list that is longer than the part parsed at once
awk 'BEGIN { print "{\"traceEvents\":["; for (i = 0; i < 20000; i++) { printf "%s{\"ts\":%d,\"ph\":\"X\",\"dur\":1,\"pid\":7,\"name\":\"f\"}\n", i ? "," : "", i; if (i % 100 == 99) print "," } print "]}" }' >long.json
import long.json
is "$? $(folded out/*.trace) $(grep -c '200 lost while recording' said)" '0 f 20000000 1' '  in a long list too'

# A loss belongs to the thread of the preceding event, also within one part; without one, to the first thread
{
    echo '[,'
    for tid in 7 8; do
        i=0
        while [ $i -lt 5 ]; do
            echo '{"ts":'$tid$i',"ph":"X","dur":1,"pid":1,"tid":'$tid',"name":"f"},'
            [ $tid = 7 ] || echo ,
            i=$((i + 1))
        done
    done
    echo '{"ts":99,"ph":"X","dur":1,"pid":1,"tid":9,"name":"f"}]'
} >threads.json
import threads.json
is "$? $("$programs/assay-dump" --kind thread --format csv out/*.trace | grep -c '')" '0 4' \
    'Chrome: losses add no thread'
is "$("$programs/assay-info" out/*.trace | sed -n 's/^ *\([789]\) .*/\1/p' | sort -u | paste -s -d ' ' -)" '7 8 9' \
    '  the threads are those that had events'
is "$("$programs/assay-dump" --kind lost --format csv out/*.trace 2>/dev/null | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { n[$at["thread"]] += $at["count"] } END { for (t in n) print n[t] }' | sort -n | paste -s -d ' ' -)" \
    '1 5' '  each loss is counted for its thread'
echo '[{"ts":1,,"ph":"X","dur":1,"pid":1,"tid":7,"name":"f"}]' >object.json
import object.json
is "$?" 1 'Chrome: an extra comma within an object is damage: status 1'

# --- one profile in every format: the same hot list ---
mkdir made
python3 "$root/tests/analyze/profiles.py" made
for format in folded perf perf_columns simpleperf pprof pprof.gz otlp otlp_old otlp_bare otlp_json otlp_json_old firefox firefox.gz firefox_old gperftools jfr speedscope gecko devtools xctrace cpuprofile_old heapprofile cpuprofile chrome chrome_calls chrome_v8 tree; do
    import "made/$format"
    is "$? $(folded out/*.trace | tr '\n' ' ')" '0 main;a 30 main;b 50 main;b;c 20 ' "$format: stacks and counts"
    is "$(hot out/*.trace | cut -d, -f1-3 | tail -n +2 | tr '\n' ' ')" '1,b,0.5 2,a,0.3 3,c,0.2 ' "$format: the hot list"
done
for format in gprof callgrind csv; do
    import "made/$format"
    is "$? $(hot out/*.trace | cut -d, -f1-3 | tail -n +2 | tr '\n' ' ')" '0 1,b,0.5 2,a,0.3 3,c,0.2 ' "$format: the hot list"
    is "$(grep -c 'not known: .*stacks' said)" 1 "$format: a line says that stacks are not known"
done
import made/jfr
is "$(grep -c 'native code' err)" 0 'jfr: no line about native code for a recorder that is not a JVM'
is "$("$programs/assay-dump" --kind sample --format csv out/jfr.trace | sed -n '2p' | cut -d, -f2)" 1000000000010000000 \
    'jfr: ticks are converted to ns'
is "$("$programs/assay-info" out/jfr.trace | awk '$3 == 100 { print $1, $NF }')" '77 worker' 'jfr: the thread'
is "$("$programs/assay-info" out/jfr.trace | awk '$1 == "samples" { print $2, $3 }')" '100 compiled' \
    'jfr: the kind of the frame is compiled'
printf 'main@java 1 1 1 main;b\nmain@java 2 2 2 main;a\nC1@jit 1 1 1 compile\n' | "$build/tests/make_trace" both.trace clock=random run=1 series=s
"$programs/assay-agree" --by file --format csv out/jfr.trace both.trace >said 2>err
is "$? $(grep -c 'compared on the roles that all of them see: java' err)" '0 1' \
    "jfr: its threads have role java, so assay agree compares only those"
import made/jfr_types
is "$? $(cd out && for trace in *; do name=${trace#jfr_types.}; echo "${name%.trace}:" $(folded "$trace"); done | tr '\n' ' ')" \
    '0 jdk.CPUTimeSample: [unknown] 1 main;b 3 jdk.ExecutionSample: main;a 30 main;b 50 main;b;c 20 jdk.MethodTrace: main;b;c 8000 jdk.NativeMethodSample: main;a 3 profiler.WallClockSample: main;a 13 ' \
    'jfr: all types of samples, from two chunks, with pools in two checkpoints'
is "$(grep -c 'without the time that they spend in native code and in the JVM' err)" 1 \
    'jfr: a line reports what samples of execution do not see'
like said '4 records, 4 samples, 1 thread, 5 lost while recording' 'jfr: lost samples of CPU time are counted'
{ head -c 67 made/jfr; printf '\000'; tail -c +69 made/jfr; } >plain.jfr
import plain.jfr
is "$? $(grep -c 'byte 0: the chunk.s integers are not compressed' err)" '1 1' \
    'jfr: uncompressed integers are refused: status 1'
import made/cpuprofile
is "$("$programs/assay-intervals" --format csv out/*.trace | tail -n 1 | cut -d, -f4,5)" '99,1' \
    "cpuprofile: assay intervals reads its times"
import made/folded
"$programs/assay-intervals" --format csv out/*.trace >said 2>err
unlike said 'random' 'folded stacks have no times: no verdict on intervals'

# --- simpleperf ---
import made/simpleperf
is "$("$programs/assay-info" out/*.trace | awk '$3 == 100 { print $1, $NF }')" '77 worker' 'simpleperf: the thread'
is "$("$programs/assay-dump" out/*.trace | sed -n 2p | cut -d, -f2)" 1010000000 '  times in ns'
import --profile cpu-clock/period made/simpleperf
like said 'cpu-clock/period: 100 records, 1000000000 ns' '  --profile EVENT/period weights samples by their event_count'
{ printf 'lost_situation:\n  sample_count: 100\n  lost_count: 4\ncontext_switch:\n  switch_on: true\n  time: 1\n'
  sed 's/symbol: a$/symbol: prog[+9]/' made/simpleperf; echo 'and more'; } >lost.txt
import lost.txt
is "$? $(folded out/*.trace | head -n 1) $(grep -c '4 lost while recording' said) $(grep -c "neither a record nor a field: 'and more'" err)" \
    '1 main;[prog] 30 1 1' '  code without a symbol, losses, and a line that is none of its'

# --- formats with tables, trees and references ---
import made/devtools
is "$("$programs/assay-dump" out/*.trace | sed -n '2p' | cut -d, -f2,8)" 1000000001010000000,worker \
    'Firefox, raw: times begin with the process of the thread'
is "$(folded --lines out/*.trace | tail -n 1)" 'main:1;b:3;c:4 20' '  lines of JavaScript are in the locations of frames'
sed 's/\["unused"/[/' made/gecko >nameless.json
import nameless.json
is "$?" 1 'Firefox, raw: damage: status 1'
sed 's/"stack": 0, "time": 1/"stack": 1, "time": 0/' made/gecko >moved.json
import moved.json
is "$? $(grep -c 'stack 10 was sampled but is not defined' err)" '1 1' '  the schema says where a column is'
import made/xctrace
is "$("$programs/assay-info" out/*.trace | awk '$3 == 100 { print $1, $NF }')" '77 worker' 'xctrace: the thread'
is "$("$programs/assay-dump" out/*.trace | sed -n '2,3p' | cut -d, -f2 | tr '\n' ' ')" '1000000 2000000 ' '  times, in ns'
like said 'time-profile: 100 records, 100 ns' '  weights are ns'
sed 's/name="a" addr="0x19"/name="0x1019" addr="0x1019"/; s|name="a" addr="0x19"/>||; s|\(addr="0x1019"\)/>|\1><binary id="9" name="lib.dylib" path="/usr/lib/lib.dylib" load-addr="0x1000"/></frame>|' \
    made/xctrace >plain.xml
import plain.xml
is "$? $(folded out/*.trace | head -n 1) $("$programs/assay-dump" --kind frame out/*.trace | grep -c ',25,')" \
    '0 main;[lib.dylib] 30 1' '  code without a symbol is named after its module, and has its address there'
sed 's/<weight ref="4"\/>/<sentinel\/>/; s/ref="2"/ref="99"/' made/xctrace >lost.xml
import lost.xml
is "$? $(grep -c 'ref="99" refers to nothing; 99 such places' err)" '1 1' '  what is not defined is counted'
sed 's/time-profile/thread-state/; s/<weight.*weight>//; s/<weight[^>]*>//; s/<tagged-backtrace.*<\/row>/<\/row>/; s/<backtrace.*<\/row>/<\/row>/; s/<tagged-backtrace [^>]*>//' \
    made/xctrace >states.xml
import states.xml
is "$? $(grep -c "holds the table 'thread-state'.*export the table time-profile" err)" '1 1' '  another table is refused'
import made/cpuprofile_old
is "$("$programs/assay-dump" out/*.trace | sed -n '2,3p' | cut -d, -f2 | tr '\n' ' ')" '1000000000 1001000000 ' \
    'V8, old: times are those of the samples'
is "$(folded --lines out/*.trace | tail -n 1)" 'main:2;b:4;c:5 20' '  lines count from 1'
sed 's/, "samples": .*/}/' made/cpuprofile_old >hits.json
import hits.json
is "$? $(folded out/*.trace | tr '\n' ' ')$(grep -c 'not known: times' said)" '0 main;a 30 main;b 50 main;b;c 20 1' \
    'V8, old: without a list of samples nodes count as often as they were hit'
import made/heapprofile
like said 'heapprofile, bytes: 3 records, 100 bytes' 'V8, a sampled heap: weights are bytes'

# --- values, durations ---
printf '%s' '[{"ph":"B","ts":10,"tid":1,"pid":1,"name":"a"},{"ph":"X","ts":12,"dur":3,"tid":1,"pid":1,"name":"b"},
    {"ph":"M","name":"thread_name","tid":1,"pid":1,"args":{"name":"x"}},{"ph":"E","ts":20,"tid":1,"pid":1}]' >events.json
import events.json
is "$? $(folded out/*.trace | tr '\n' ' ')" '0 a 7000 a;b 3000 ' \
    'Chrome: durations become the time that each event is innermost, in ns'
printf '%s' '[{"ph":"B","ts":10,"tid":1,"pid":1,"name":"a"},{"ph":"E","ts":8,"tid":1,"pid":1},{"ph":"E","ts":20,"tid":1,"pid":1}]' >events.json
import events.json
is "$? $(folded out/*.trace) $(grep -c '1 exits without an entry, left out' err)" '0 a 10000 1' \
    'Chrome: events are taken in the order of their times, whatever that of the file is'
import made/chrome_calls
is "$? $(grep -c 'chrome_calls: 1 exits without an entry, left out; 1 events that never end, taken to last until the last event of their thread' err)" '0 1' \
    'Chrome: an exit without an entry and an event that never ends are counted'
printf '%s' '[{"ph":"B","ts":0,"tid":1,"name":"a"},{"ph":"B","ts":1,"tid":1,"name":"b"},{"ph":"B","ts":2,"tid":1,"name":"c"},
    {"ph":"E","ts":5,"tid":1,"name":"x"},{"ph":"E","ts":6,"tid":1,"name":"b"},{"ph":"E","ts":9,"tid":1,"name":"a"}]' >events.json
import events.json
is "$? $(folded out/*.trace | tr '\n' ' ')" '0 a 4000 a;b 1000 a;b;c 4000 ' 'Chrome: an exit ends the event of its name'
is "$(cat err)" 'assay-import: events.json: 1 exits without an entry, left out; 1 events without an exit, ended with the one around them' \
    '  events without an entry or an exit are counted'
printf '%s' '[{"ph":"B","ts":0,"pid":"1/2","tid":"3","name":"a"},{"ph":"B","ts":1,"pid":"1","tid":"2/3","name":"b"},
    {"ph":"E","ts":4,"pid":"1/2","tid":"3","name":"a"},{"ph":"E","ts":6,"pid":"1","tid":"2/3","name":"b"}]' >events.json
import events.json
is "$? $(folded out/*.trace | tr '\n' ' ')" '0 a 4000 b 5000 ' 'Chrome: threads whose texts hold slashes stay apart'

# --- CPU profiles of V8 in events ---
import made/chrome_v8
is "$("$programs/assay-intervals" --format csv out/*.trace | tail -n 1 | cut -d, -f4,5)" '99,1' \
    "v8 in events: assay intervals reads its times"
is "$("$programs/assay-dump" --kind sample --format csv out/*.trace | sed -n 2p | cut -d, -f2)" 2000000 \
    'v8 in events: times are from the start of the profile'
is "$("$programs/assay-info" out/chrome_v8.trace | awk '$3 == 100 { print $1 }')" 8 'v8 in events: the thread that was sampled, not the one that sampled'
python3 -c 'import sys
sys.path.insert(0, sys.argv[1])
import profiles
print(profiles.chrome_v8(("0x1", "0x2")))' "$root/tests/analyze" >two.json
import two.json
is "$? $(ls out | tr '\n' ' ')" '0 two.json.samples-7-0x1.trace two.json.samples-7-0x2.trace ' 'v8 in events: a profile for each id'
is "$(folded out/*0x2.trace | tr '\n' ' ')" 'main;a 30 main;b 50 main;b;c 20 ' 'v8 in events: the profiles do not mix'
sed 's/"name": "Profile"/"name": "other"/' made/chrome_v8 >late.json
import late.json
is "$? $(folded out/*.trace | awk '{ n += $NF } END { print n }') $(grep -c '100 samples of CPU profiles whose beginning is missing' err)" '0 100 1' \
    'v8 in events: a profile without its beginning has samples, and no times'
sed 's/"samples": \[5, /"samples": [6, /' made/chrome_v8 >undefined.json
import undefined.json
is "$? $(folded out/*.trace | awk '{ n += $NF } END { print n }') $(grep -c 'node 6 was sampled but is not defined' err)" '1 100 1' \
    'v8 in events: an undefined node is reported, with status 1'

# --- speedscope ---
printf '%s' '{"shared":{"frames":[{"name":"a"},{"name":"b"}]},"profiles":[{"type":"evented","name":"t","unit":"milliseconds",
    "events":[{"type":"O","frame":0,"at":1},{"type":"O","frame":1,"at":2.5},{"type":"C","frame":1,"at":3},{"type":"C","frame":0,"at":4}]}]}' >evented.json
import evented.json
is "$? $(folded --threads out/*.trace | tr '\n' ' ')" '0 t;a 2500000 t;a;b 500000 ' 'speedscope: an evented profile, in ns'
printf 'Method,Share\n"f(int, ""x"")",45.25\n\ng,50\nh,zero\n' >shares.csv
import shares.csv
is "$? $(grep -c 'line 5' err) $(folded out/*.trace | tr '\n' ' ')" '1 1 f(int, "x") 4525 g 5000 ' \
    'a table: quotes, decimals, and an invalid row with its place'
printf 'Method,Share\n"a"b,5\na,7\nc,2,"open\n' >quotes.csv
import quotes.csv
is "$? $(grep -c 'line 2.*2 such' err) $(folded out/*.trace | tr '\n' ' ')" '1 1 a 7 ' \
    'a table: text after a closing quote and an unclosed quote are refused'
printf 'Weight,Self Weight,Symbol Name\n"1.20 s  60.0%%","500.00 ms  62.5%%",main\n"0.80 s  40.0%%",0.3 s,"f(int, int)"\n-,0 s,g\n"0.8 s",7 parsecs,h\n' >xctrace.csv
import xctrace.csv
is "$? $(grep -c 'line 5.*1 such' err) $(folded out/*.trace | tr '\n' ' ')" '1 1 f(int, int) 300000000 main 500000000 ' \
    'a table of Instruments: times with units, followed by shares, in ns'
like said ' 2 records, 800000000 ns, 1 of weight 0 left out' "  a line gives the unit"
sed 's/^totals: 100/totals: 101/' made/callgrind >wrong.callgrind
import wrong.callgrind
is "$? $(grep -c 'add up to 100, but its totals say 101' err)" '1 1' "callgrind: the file's own totals are checked"

# --- OTLP: 1.10 renumbered the fields of a sample, and the file does not state a version ---
import made/otlp
is "$("$programs/assay-info" out/otlp.trace | awk '$3 == 100 { print $1, $NF }')" '77 worker' \
    'otlp: the thread, from attributes'
is "$("$programs/assay-dump" --kind sample --format csv out/otlp.trace | sed -n '2p' | cut -d, -f2)" 1000000000000000000 \
    'otlp: times in ns'
is "$(cat err)" '' 'otlp: attributes of threads are not left out'
# each of the three samples has two attributes
sed 's/thread\.name/thread.hues/' made/otlp >colored.otlp
import colored.otlp
is "$? $(cat err)" '0 assay-import: colored.otlp: 3 attributes of samples that are no threads were left out: thread.hues' \
    'otlp: other attributes are counted and named'
sed 's/thread\.id/host\.id/' made/otlp_json >hosted.json
cat hosted.json hosted.json >hosted.jsonl
import hosted.jsonl
is "$? $(cat err)" '0 assay-import: hosted.jsonl: 6 attributes of samples that are no threads were left out: host.id' \
    'otlp in JSON: those of several messages together'
# ResourceProfiles > ScopeProfiles > Profile > Sample; 1.7: two locations from 0 on, values 5
printf '\n\020\022\016\022\014\n\002\010\001\022\006\020\002\032\002\005\006\022\000' >old.otlp
import old.otlp
is "$? $(ls out) $(grep -c 'OTLP before 1.8, which is not supported' err)" '1  1' 'otlp before 1.8 is refused'
# stack 1, two numbers in field 2, two times: 1.9 has values there, 1.10 attributes
printf '\n\040\022\036\022\034\n\000\022\030\010\001\022\002\005\006\052\020\001\000\000\000\000\000\000\000\002\000\000\000\000\000\000\000' >either.otlp
import either.otlp
is "$? $(ls out) $(grep -c 'of OTLP 1.9 or of 1.10, which use the same fields differently' err)" '1  1' \
    'otlp that could be of two versions is refused'

import made/otlp_json
is "$("$programs/assay-info" out/otlp_json.trace | awk '$3 == 100 { print $1, $NF }')" '77 worker' \
    'otlp in JSON: the thread, from attributes'
is "$("$programs/assay-dump" --kind sample --format csv out/otlp_json.trace | sed -n '2,3p' | cut -d, -f2 | tr '\n' ' ')" \
    '1000000000000000000 1000000000010000000 ' 'otlp in JSON: times beyond 53 bits'
is "$(metadata out/otlp_json.trace period_ns)" 10000000 'otlp in JSON: the period'
python3 -c 'import json
one = json.load(open("made/otlp_json_old"))
print(json.dumps(one))
one["dictionary"]["stringTable"][6:9] = ["x", "y", "z"]
print(json.dumps(one))' >lines.json
import lines.json
is "$? $(folded out/*.trace | tr '\n' ' ')" '0 main;a 30 main;b 50 main;b;c 20 main;x 30 main;y 50 main;y;z 20 ' \
    'otlp in JSON: a message per line, each with its own dictionary'
printf '%s' '{"resourceProfiles":[{"scopeProfiles":[{"profiles":[{"sampleType":[{"typeStrindex":1}],"sample":[{"locationsLength":2,"value":["5"]}]}]}]}]}' >old.json
import old.json
is "$? $(ls out) $(grep -c 'byte [0-9]*: its samples are those of OTLP before 1.8' err)" '1  1' 'otlp in JSON before 1.8 is refused'
sed 's/"values": \[30\]/"values": [30, 1.5]/; s/"stackIndex": 2/"stackIndex": 9/' made/otlp_json_old >odd.json
import odd.json
is "$? $(folded out/*.trace | tr '\n' ' ') $(grep -c '2 such places' err)" '1 [unknown] 50 main;b;c 20  1' \
    'otlp in JSON: a sample of two values is left out, an undefined stack keeps its weight; both are reported'
sed 's/"samples": \[{/"samples": {"x": [{/; s/}\], "timeUnixNano"/}]}, "timeUnixNano"/' made/otlp_json >shape.json
import shape.json
is "$? $(grep -c 'an object where a list was expected: samples' err)" '1 1' \
    'otlp in JSON: an object in place of a list is reported'

# --- Firefox ---
import made/firefox
is "$("$programs/assay-info" out/firefox.trace | awk '$3 == 100 { print $1, $NF }')" '77 worker' 'firefox: the thread'
is "$("$programs/assay-dump" --kind sample --format csv out/firefox.trace | sed -n '2,3p' | cut -d, -f2 | tr '\n' ' ')" \
    '1000000000010000000 1000000000020000000 ' 'firefox: times from the start of the profile'
is "$(metadata out/firefox.trace period_ns)" 10000000 'firefox: its interval is the period'
sed 's/"weight": null/"weight": [1, -1]/' made/firefox >diff.json
import diff.json
is "$? $(grep -c "thread 'worker': 100 samples, but 2 times or weights" err)" '1 1' \
    'firefox: columns of unequal length: status 1'
sed 's/"frame": \[0, 1, 2, 3\]/"frame": [0, 1, 2]/' made/firefox >short.json
import short.json
is "$? $(folded out/*.trace | awk '{ n += $NF } END { print n }') $(grep -c 'stack 3 was sampled but is not defined; 20 such' err)" '1 100 1' \
    'firefox: a stack that is not defined keeps its samples'

sed 's/"timeDeltas": \[10, 10,/"timeDeltas": [1e999, -1e999,/' made/firefox >infinite.json
import infinite.json
is "$? $(grep -c "thread 'worker': the time of a sample is not a number; 99 such" err)" '1 1' \
    'firefox: infinite times between samples, of both signs: status 1'

# --- output of assay export ---
import made/jfr
for format in speedscope pprof chrome folded; do
    "$programs/assay-export" --to $format -o "export.$format" out/jfr.trace
    "$programs/assay-import" -q -o "back.$format.trace" "export.$format" 2>err
    is "$? $(folded "back.$format.trace" | tr '\n' ' ')" '0 main;a 30 main;b 50 main;b;c 20 ' \
        "export to $format and back keeps every count"
done
for format in speedscope pprof chrome; do
    is "$("$programs/assay-info" back.$format.trace | awk '/^  tid / { getline; print ($1 == 77 || $NF == "worker") }')" 1 \
        "export to $format and back keeps the thread"
done
is "$(python3 "$root/tests/analyze/profiles.py" --pprof export.pprof)" "$(printf 'type samples count\nmain;a 30\nmain;b 50\nmain;b;c 20')" \
    'export to pprof, read by another reader'
is "$(python3 -c 'import json, sys
profile = json.load(open("export.speedscope"))
frames = [frame["name"] for frame in profile["shared"]["frames"]]
for one in profile["profiles"]:
    for stack, weight in zip(one["samples"], one["weights"]):
        print(one["name"], ";".join(frames[i] for i in stack), weight)')" "$(printf 'worker main;a 30\nworker main;b 50\nworker main;b;c 20')" \
    'export to speedscope, read by another reader'
is "$(python3 -c 'import json
trace = json.load(open("export.chrome"))
print(len(trace["samples"]), trace["samples"][0]["ts"], sum(sample["weight"] for sample in trace["samples"]))')" '100 1000000000010000.0 100' \
    'export to chrome: every sample, with its time'
printf '%s' '{"shared":{"frames":[{"name":"a\nb","file":"c\nd","line":7},{"name":"a","file":"b\nc"}]},"profiles":[{"type":"sampled",
    "name":"t","unit":"none","startValue":0,"endValue":2,"samples":[[0],[1]],"weights":[1,1]}]}' >lines.json
"$programs/assay-import" -q -o lines.trace lines.json && "$programs/assay-export" --to speedscope --lines -o lines.out lines.trace
is "$? $(python3 -c 'import json
print([[frame.get(key) for key in ("name", "file", "line")] for frame in json.load(open("lines.out"))["shared"]["frames"]])')" \
    "0 [['a\\nb', 'c\\nd', 7], ['a', 'b\\nc', None]]" 'export to speedscope: names and files may hold line ends'
"$programs/assay-export" --to pprof -o both.pprof out/jfr.trace back.folded.trace 2>err
is "$? $(python3 "$root/tests/analyze/profiles.py" --pprof both.pprof | awk '/main/ { n += $2 } END { print n }')" '0 200' \
    'export to pprof: two traces in one file'
"$programs/assay-export" --to chrome -o both.chrome out/jfr.trace back.folded.trace 2>err
is "$? $(grep -c 'holds one trace' err)" '1 1' 'export to chrome: two traces: status 1'
import made/callgrind
"$programs/assay-export" --to pprof -o mixed.pprof back.folded.trace out/callgrind.trace 2>err
is "$? $(grep -c "weighed in 'Ir', those before it in 'samples'" err)" '1 1' \
    'export: samples and instructions are not summed: status 1'
"$programs/assay-export" --to nonsense out/callgrind.trace 2>err
is "$?" 2 'export: an unknown format: status 2'

# --- damage ---
head -c 1500 made/jfr >cut.jfr
import cut.jfr
is "$? $(wc -l <err) $(grep -c 'cut.jfr: byte [0-9]*: the file ends within an event' err)" '1 1 1' \
    'jfr without its metadata: status 1 and one line'
{ cat made/jfr; head -c 1500 made/jfr; } >second.jfr
import second.jfr
is "$? $(folded out/*.trace | awk '{ n += $NF } END { print n }')" '1 100' \
    'jfr: the chunk before the one that is cut is read'
head -c 150 made/pprof.gz >cut.gz
import cut.gz
is "$? $(grep -c 'cut.gz: byte [0-9]*: the gz data is cut' err)" '1 1' 'cut gzip data: status 1, and its place'
head -c 60 made/gperftools >cut.cpu
import cut.cpu
is "$? $(folded out/*.trace | awk '{ n += $NF } END { print n }')" '1 80' 'gperftools: the stacks before a cut are read'
head -c 300 made/speedscope >cut.json
import cut.json
is "$? $(grep -c 'the file ends within its JSON' err)" '1 1' 'cut JSON: status 1 and one line'

# --- files of other tools, made here ---
cat >prog.c <<'END'
static volatile double sink;
static volatile long length = 30000;
__attribute__((noinline)) static void spin(void)
{
    double x = 1;
    for (long i = 0; i < 300 * length; i++)
        x = x * 1.0000001 + (double)(i % 3);
    sink = x;
}
__attribute__((noinline)) static void other(void)
{
    double x = 1;
    for (long i = 0; i < 100 * length; i++)
        x += x / (double)(i + 1);
    sink = x;
}
int main(int argc, char **argv)
{
    (void)argv;
    length = argc > 1 ? 30 : length;
    for (int i = 0; i < 5; i++) {
        spin();
        other();
    }
    return 0;
}
END
gcc -g -O1 -o prog prog.c
if command -v callgrind_annotate >/dev/null && valgrind -q --tool=callgrind --callgrind-out-file=cg.out ./prog short 2>err; then
    import cg.out
    is "$? $(folded out/*.trace | awk '{ n += $NF } END { print n }')" \
        "0 $(callgrind_annotate cg.out | awk '/PROGRAM TOTALS/ { gsub(",", ""); print $1 }')" 'callgrind: the total that callgrind_annotate prints'
    is "$(hot out/*.trace | awk -F, '$2 == "spin" { print $7 }')" \
        "$(callgrind_annotate cg.out | awk '/:spin / { gsub(",", ""); print $1; exit }')" 'callgrind: the cost of a function that it prints'
    cut_at=$(($(wc -c <cg.out) / 2))
    head -c $cut_at cg.out >cg.cut
    import cg.cut
    is "$? $(grep -c 'the file ends without totals\|add up to' err)" '1 1' 'cut callgrind output: status 1 and one line'
else
    skip 'no callgrind here'
fi
if command -v gprof >/dev/null && gcc -pg -g -O1 -o profiled prog.c && ./profiled && [ -f gmon.out ]; then
    gprof ./profiled gmon.out >flat.txt 2>err
    import flat.txt
    is "$? $(folded out/*.trace | awk '{ n += $NF } END { print n }')" \
        "0 $(awk '/^ *[0-9.]+ +[0-9.]+ +[0-9.]+ / && !done { last = $2 } /^ %/ { done = 1 } END { printf "%.0f", 100 * last }' flat.txt)" \
        'gprof: the last cumulative time, in samples of 10 ms'
else
    skip 'no gprof here'
fi
if command -v perf >/dev/null && perf record -q -e cpu-clock -g -o perf.data ./prog >/dev/null 2>&1 && [ -s perf.data ]; then
    perf script -i perf.data >perf.txt 2>/dev/null
    import perf.txt
    is "$? $(folded out/*.trace | awk '{ n += $NF } END { print n }')" "0 $(perf script -i perf.data -F time 2>/dev/null | grep -c :)" \
        'perf script: the samples that perf script prints'
else
    skip 'no perf here that can record'
fi
if command -v java >/dev/null && command -v jfr >/dev/null; then
    cat >Hot.java <<'END'
public class Hot {
    static volatile long sink;
    static long spin(long n) { long x = 1; for (long i = 0; i < n; i++) x = x * 31 + i; return x; }
    public static void main(String[] a) {
        for (long end = System.nanoTime() + 1500000000L; System.nanoTime() < end;) sink += spin(100000);
    }
}
END
    compile_java Hot.java
    java -XX:StartFlightRecording=filename=hot.jfr,settings=profile Hot >out.txt 2>&1
    import hot.jfr
    for event in ExecutionSample NativeMethodSample; do
        is "$(folded out/hot.jfr*"$event"*.trace out/hot.jfr.trace 2>/dev/null | awk '{ n += $NF } END { print n + 0 }')" \
            "$(jfr summary hot.jfr | awk -v event="jdk.$event" '$1 == event { n = $2; if (n == 0 && event ~ /Native/) n = other; print n } $1 == "jdk.ExecutionSample" { other = $2 }')" \
            "jfr: the $event events that jfr summary counts"
    done
    is "$(hot out/hot.jfr.trace out/hot.jfr.jdk.ExecutionSample.trace | awk -F, '$2 == "Hot.spin(long)" { print $7 }')" \
        "$(jfr print --json --events jdk.ExecutionSample hot.jfr | python3 -c 'import json, sys
print(sum(event["values"]["stackTrace"]["frames"][0]["method"]["name"] == "spin" for event in json.load(sys.stdin)["recording"]["events"]))')" \
        'jfr: the samples of a method as jfr print shows them'
else
    skip 'no JDK here'
fi
if command -v node >/dev/null; then
    echo 'function spin(n) { let x = 1; for (let i = 0; i < n; i++) x = x * 1.0001 + i; return x } for (let i = 0; i < 20; i++) spin(1e6)' >spin.js
    node --cpu-prof --cpu-prof-name=node.cpuprofile --trace-event-categories disabled-by-default-v8.cpu_profiler spin.js
    import node.cpuprofile
    is "$? $(folded out/*.trace | awk '{ n += $NF } END { print n }')" \
        "0 $(python3 -c 'import json; print(len(json.load(open("node.cpuprofile"))["samples"]))')" \
        'node: all samples of the profile'
    hot out/*.trace >alone
    import node_trace.1.log
    is "$? $(for trace in out/*samples-*.trace; do hot "$trace" | cmp -s - alone && echo same; done)" '0 same' \
        'node: the profile in the events of the trace gives the same hot list'
else
    skip 'no node here'
fi

# --- real files, compared with what their tools print ---
if [ -d "$real/speedscope" ]; then
    for file in "$real"/speedscope/linux-perf/*.txt; do
        name=${file##*/}
        import "$file"
        is "$? $(folded out/*.trace | awk '{ n += $NF } END { print n }')" "0 $(grep -cE '^[^#[:space:]].*: *$' "$file")" \
            "$name: one sample per head line"
    done
    for file in simple simple-crlf simple-utf16-le simple-utf16-be; do
        import "$real/speedscope/stackcollapse/$file.txt"
        is "$(folded out/*.trace)" "$(printf 'a;b 5\na;b;c 5\na;b;d 4')" "$file.txt: the same stacks in every encoding"
    done
    import "$real/speedscope/stackcollapse/simple-with-invalids.txt"
    is "$? $(folded out/*.trace | awk '{ n += $NF } END { print n }') $(grep -c 'line 8: .*invalid line' err)" '1 14 1' \
        'simple-with-invalids.txt: an invalid line is reported, with its place'
else
    skip "no real profiles in $real"
fi
if [ -d "$real/pprof" ]; then
    for file in cppbench java; do
        import "$real/pprof/$file.cpu"
        is "$? $(folded out/*.trace | awk '{ n += $NF } END { print n }')" \
            "0 $(awk '/^Locations/ { exit } $2 ~ /:$/ && $1 ~ /^[0-9]+$/ { n += $1 } END { print n }' "$real/pprof/$file.cpu.string")" \
            "$file.cpu: the samples that pprof prints"
    done
    is "$("$programs/assay-dump" --kind frame --format csv out/java.cpu.trace | wc -l)" 63 \
        'java.cpu: the frames that are on stacks, and a header line'
    import "$real/pprof/cppbench.cpu"
    # pprof does not count the frame of the signal handler's return, second on every stack.
    is "$("$programs/assay-dump" --kind frame --format csv out/cppbench.cpu.trace | python3 -c 'import sys
have = {int(line.split(",")[4]) for line in sys.stdin.readlines()[1:]}
printed = open(sys.argv[1]).read().split("Locations")[1].split("Mappings")[0]
want = {int(line.split()[1], 16) for line in printed.splitlines() if line.strip()}
print(sorted(map(hex, want - have)), sorted(map(hex, have - want)))' "$real/pprof/cppbench.cpu.string")" "[] ['0x7f5e5414e5af']" \
        'cppbench.cpu: the locations that pprof prints, and the return from the signal handler'
else
    skip "no real pprof profiles in $real"
fi
if [ -d "$real/jmc" ]; then
    import "$real/jmc/hotmethods.jfr"
    is "$? $(hot out/hotmethods.jfr.jdk.ExecutionSample.trace | tail -n +2 | cut -d, -f2,7 | sed 's/"//g; s/(.*)//; s/,/ /' | sort)" \
        "0 $(gzip -dc "$real/jmc/derived-hotmethods.samples.csv.gz" | tail -n +2 | cut -d, -f4 | tr / . | sort | uniq -c | awk '{ print $2, $1 }' | sort)" \
        'hotmethods.jfr: every method has the samples of the printout'
    is "$(hot --threads out/hotmethods.jfr.jdk.ExecutionSample.trace | tail -n +2 | awk -F, '{ n[$2] += $(NF - 1) } END { for (i in n) print i, n[i] }' | sort)" \
        "$(gzip -dc "$real/jmc/derived-hotmethods.samples.csv.gz" | tail -n +2 | cut -d, -f2 | sort | uniq -c | awk '{ n = $1; $1 = ""; print substr($0, 2), n }' | sort)" \
        'hotmethods.jfr: every thread has the samples of the printout'
    import "$real/jmc/9u0.jfr"
    is "$? $(ls out | sed 's/.*[.]\(.*\)[.]trace/\1/' | tr '\n' ' ')" \
        '0 JavaMonitorWait ObjectAllocationInNewTLAB ObjectAllocationOutsideTLAB SocketRead SocketWrite ' \
        '9u0.jfr has no samples of methods: its locks, allocations and sockets are imported'
    like err 'it has no samples of execution' '  a line tells it'
    import --profile com.oracle.jdk.JavaMonitorWait "$real/jmc/9u0.jfr"
    is "$? $(hot out/9u0.jfr.trace | cut -d, -f2,7 | sed -n 2p)" \
        "0 $(sed -n 's/^void \(java.lang.Object.wait(long)\) (\([0-9]*\))$/\1,\2/p' "$real/jmc/9u0.stacktraces.txt")" \
        '9u0.jfr, version 1.0: the waits of the printout'
else
    skip "no real recordings in $real"
fi

done_testing
