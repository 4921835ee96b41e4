#!/bin/sh
# assay import: the shapes that one format takes: comments, columns, orders and trees. Expected values are counted in the
# inputs by hand.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
programs=$build/libexec/assay
# import FILE...: into out/, which is emptied first
import() {
    rm -rf out
    mkdir out
    "$programs/assay-import" -o out/ "$@" >said 2>err
}
# stacks [TRACE...]: in one line; without arguments those of all traces
stacks() {
    [ $# -gt 0 ] || set -- out/*.trace
    "$programs/assay-export" --to folded "$@" | tr '\n' ' '
}
hot() {
    "$programs/assay-hot" --format csv "$@" 2>err
}

# --- folded stacks ---
printf 'P1;T2;a.py:f:3 100\n# interval: 100\n  #duration=5\n# mode 1\n// 7\n' >austin.folded
import austin.folded
is "$? $(stacks)$(cat err)" '0 P1;T2;a.py:f:3 100 ' 'folded stacks: comments that end in a number are no stacks'
is "$(hot out/*.trace | tail -n +2 | cut -d, -f2,7)" 'a.py:f:3,100' '  nor methods'
printf '# gone;away 4\n#<Class:A>#b;c 7\n//anon;d 2\n' >ruby.folded
import ruby.folded
is "$? $(stacks)" '0 #<Class:A>#b;c 7 //anon;d 2 ' 'folded stacks: frames of Ruby and mappings begin like comments'
is "$(cat err)" 'assay-import: ruby.folded: 1 comments look like stacks, and are left out' '  a comment that looks like a stack is counted'
printf 'main;a 10 20\nmain;b 5 5\n' >diff.folded
import diff.folded
is "$? $(ls out) $(grep -c 'each line ends in two numbers.*keep the first by sed' err) $(wc -l <err)" '1  1 1' \
    'folded stacks of two profiles are refused in one line, which says what to do'
sed -E "$(sed -n "s/.*the second by sed -E '\(.*\)'.*/\1/p" err)" diff.folded >second.folded
import second.folded
is "$? $(stacks)" '0 main;a 20 main;b 5 ' '  and what it says leaves one of them'
printf 'main;worker 3 20\nmain;b 5\n' >number.folded
import number.folded
is "$? $(stacks) $(grep -c '1 lines have a number before the count' err)" '0 main;b 5 main;worker 3 20  1' \
    'folded stacks: a method may end in a number where other lines have one, and a line says so'
# 1.5 + 0.25 + 0.001 in thousandths
printf 'main;a 1.5\nmain;b .25\nmain;c 1e-3\n' >fraction.folded
import fraction.folded
is "$? $(stacks) $(grep -c '3 records, 1751 samples/1e3' said)" '0 main;a 1500 main;b 250 main;c 1  1' \
    'folded stacks: counts with decimals are scaled to integers'
# 101 times ten to the 16th is below 9e18, ten times as much is not
printf 'main;a 100.30000000000000004\nmain;b 0.7\n' >long.folded
import long.folded
is "$? $(stacks) $(cat err)" '0 main;a 1003000000000000000 main;b 7000000000000000  assay-import: long.folded: counts are rounded to 16 decimals' \
    '  as far as 64 bits hold their sum'
printf 'main;a 99999999999999999999\nmain;b 1\n' >large.folded
import large.folded
is "$? $(stacks) $(grep -c 'line 1: a count beyond 64 bits: 99999999999999999999; 1 such' err)" '1 main;b 1  1' \
    'folded stacks: a count beyond 64 bits'
printf 'warning: lost events\nmain;a 1\nmain;b 2\nmain;b 3\n' >late.folded
import late.folded
is "$? $(stacks) $(grep -c "line 1: not 'frame;frame COUNT'" err)" '1 main;a 1 main;b 5  1' \
    'folded stacks are known by most of their lines'

# --- perf script ---
# One sample of f called by main (g in the last) in each file, whatever the columns; d is the datum that f accesses.
f='      401136 f+0x6 (/x/w)'
d='        7ffc7f6d9c89 d+0x1 (/x/data)'
chain="$(printf '\t          401136 f+0x6 (/x/w)\n\t          401150 main+0x1a (/x/w)')"
one() {
    printf '%s\n' "$2" >"$1.txt"
    import "$1.txt"
    is "$? $(stacks)$(cat err)" "0 $3 " "perf script: $1"
}
one 'ip in the header' "w  5120 [001]  21.132130:          1 page-faults:     $f" 'f 1'
one 'addr, ip' "w  5120 [001]  21.132130:          1 page-faults: $d     $f" 'f 1'
one 'addr of the kernel, ip' "w  5120 [001]  21.132130:          1 page-faults: ffffffff81775b9a elf_load+0x28a ([kernel.kallsyms])     $f" 'f 1'
one 'addr, ip of the kernel' "w  5120 21.132130:  1 page-faults: $d ffffffff81775b9a elf_load+0x28a ([kernel.kallsyms])" 'elf_load 1'
one 'addr without a symbol, ip' "w  5120 21.132130:  1 page-faults:     7ffc7f6d9c89 [unknown] ([stack])     $f" 'f 1'
one 'ip, offsets in modules' "w  5120 21.132130:  1 cycles:           401136 [unknown] (/x/w+0x1136)" '[w] 1'
one 'ip, phys_addr' "w  5120 21.132130:  1 cycles:     $f        3a5b7000" 'f 1'
one 'addr, data_src, weight, ip, phys_addr' "w  5120 21.132130:  1 cpu/mem-loads,ldlat=30/P: $d        68100142 |OP LOAD|LVL L3 or L3 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A               12     $f        3a5b7000" 'f 1'
one 'ip, brstack' "w  5120 21.132130:  1 cycles:     $f  0x401136/0x401140/P/-/-/0  0x401100/0x401136/M/-/-/3 " 'f 1'
one 'ip, brstacksym' "w  5120 21.132130:  1 cycles:     $f  g(int)+0x5/f+0x0/P/-/-/0  main+0x1/g(int)+0x0/P/-/-/2 " 'f 1'
one 'ip, registers' "w  5120 21.132130:  1 cycles:     $f  ABI:2    AX:0x0    BX:0x7ffc7f6d9c89" 'f 1'
one 'ip, insn' "w  5120 21.132130:  1 cycles:     $f ilen: 3 insn: 48 89 e5" 'f 1'
one 'flags, ip, branch' "w  5120 21.132130:  1 branches:   call                     $f =>          401200 g+0x0 (/x/w)" 'f 1'
one 'frames, no ip in the header' "w  5120 21.132130:  1 cycles: 
$chain
" 'main;f 1'
one 'addr, frames' "w  5120 21.132130:  1 page-faults: $d
$chain

w  5120 21.132230:  1 page-faults: $d

" '[unknown] 1 main;f 1'
one 'frames, srcline' "w  5120 21.132130:  1 cycles: 
	          401136 f+0x6 (/x/w)
  w.c:12
	          401150 main+0x1a (/x/w)
  ??:0
	          401160 _start+0x1a (/x/w)
  w[401160]
" '_start;main;f 1'
is "$("$programs/assay-dump" --kind frame --format csv out/*.trace | cut -d, -f4,5 | paste -s -d ' ' -)" \
    'line,position 0,4198752 0,4198736 12,4198710' '  the line of the source, where it is known'
one 'frames without modules' "w  5120 21.132130:  1 cycles: 
	          401136 f+0x6
	          401150 main+0x1a
" 'main;f 1'
one 'no cpu, no period' "w  5120 21.132130: cycles:     $f" 'f 1'
one 'no comm' "   5120 21.132130:  1 cycles:     $f" 'f 1'
one 'no comm, a process' "   5120/5121 [000] 21.132130:  1 cycles:     $f" 'f 1'
one 'no time' "my thread: 1/2  5120 [000]   1 page-faults:     $f" 'f 1'
is "$("$programs/assay-info" out/*.trace | awk '$1 == 5120 { print $NF, $(NF - 1), $(NF - 2) }') $(grep -c 'not known: times' said)" '1/2 thread: my 1' \
    '  the thread and its name, which looks like columns'
one 'no time, no cpu, no period' "w 2  5120 page-faults:     $f
w 2  5120 page-faults:     $f
cc  5121 page-faults:     $f" 'f 3'
is "$("$programs/assay-info" out/*.trace | awk '$3 ~ /^[12]$/ && $1 ~ /^512/ { print $1 }' | sort | paste -s -d ' ' -)" '5120 5121' '  the threads'
one 'no time, frames' "w  5120 cycles: 
$chain
" 'main;f 1'
one 'no event' "w  5120  21.132130: 
$chain
" 'main;f 1'
one 'no event, ip' "w  5120  21.132130:     $f" 'f 1'
one 'no thread' "w  21.132130: 1 cycles: 
$chain
" 'main;f 1'
one 'misc' "w  5120 [000] U    21.132130:  1 cycles:     $f" 'f 1'
one 'an unknown thread' ":-1    -1 [000]  21.132130:  1 cycles:     $f" 'f 1'
one 'a name of hexadecimal digits' "w  5120 21.132130:  1 cycles:     $f
              cc  5121 21.132230:  1 cycles:     $f" 'f 2'
one "simpleperf's tabs" "com.app	4071/4075 [003] 21.132130: 250000 cpu-cycles:
	    7f0000001000 f (/data/app/~~x==/base.apk!/lib/x.so)
	    7f0000002000 main (/system/bin/app)
" 'main;f 1'
is "$("$programs/assay-info" out/*.trace | awk '$1 == 4075 { print $NF }')" com.app '  the thread and its name'
# As simpleperf's older scripts write it: microseconds without leading zeros, and frames that begin with their addresses
one "simpleperf's older script" "com.app	4075 [003] 21.130:		250000 cpu-cycles:
    7f0000001000	f (/data/app/~~x==/base.apk!/lib/x.so)
    7f0000002000	main (/system/bin/app)

com.app	4075 [003] 21.1130:		250000 cpu-cycles:
ffffffc000081000	k ([kernel.kallsyms])
    7f0000002000	main (/system/bin/app)
" 'main;f 1 main;k 1'
is "$("$programs/assay-dump" --kind sample --format csv out/*.trace | tail -n +2 | cut -d, -f2 | tr '\n' ' ')" \
    '21000130000 21001130000 ' '  the times'
one 'frames without blanks before them' "java 19983 cycles:
ffffffff8103d0ca native_write_msr_safe ([kernel.kallsyms])
401136 f (/x/w)
" 'f;native_write_msr_safe 1'
one 'a tracepoint without frames' "w  5120 [000]  21.132130: sched:sched_waking: comm=f pid=1 (2)" '[unknown] 1'
# folded stacks write a colon for a semicolon in a name
one 'inlined Java' "java  7 21.132130:  1 cycles: 
	    7f0000001000 LA;::a->LB;::b->LC;::c (/tmp/perf-7.map)
	    7f0000002000 std::unique_ptr<A>::operator->() const (/x/w)
	    7f0000003000 call<f()->int> (/x/w)
" 'call<f()->int>;std::unique_ptr<A>::operator->() const;A.a;B.b;C.c 1'
printf '%s\n' 'w  1967  1594.872969: PERF_RECORD_COMM exec: w:1967/1967' \
    'w  1967 [001]  1594.873089: PERF_RECORD_MMAP2 1967/1967: [0x559702fa2000(0x1000) @ 0x1000 fe:00 11 39]: r-xp /x/w' \
    'w  1967  1594.873090: PERF_RECORD_NAMESPACES 1967/1967 - nr_namespaces: 2' \
    '		[0/net: 3/0xf0000075, 1/uts: 3/0xeffffffe,' '		 2/ipc: 3/0xefffffff]' \
    "w  1967  1594.879000:    2004008  cpu-clock:     $f" 'w  1967  1594.88: PERF_RECORD_LOST lost 12' \
    'w  1967  1594.89: PERF_RECORD_EXIT(1967:1967):(1:1)' >sides.txt
import sides.txt
is "$? $(stacks 2>/dev/null)$(cat err)" '0 f 1 assay-import: sides.txt: 4 records of tasks and mappings (PERF_RECORD) were left out' \
    'perf script: records of tasks and mappings are no samples, and counted'
like said '12 lost while recording' '  lost records are losses'
{ echo 'Warning: 1 event was lost'; echo "w  5120 21.132130:  1 cycles:     $f"; } >warned.txt
import warned.txt
is "$? $(stacks) $(grep -c 'line 1: neither' err)" '1 f 1  1' 'perf script is known by more than its first line'
printf '%s\n' "w  5120 21.1:  250 cpu-clock:u:     $f" "w  5120 21.2:  150 cpu-clock:u:     $f" "w  5120 21.3:  7 cycles:     $f" >periods.txt
rm -rf out
"$programs/assay-import" --profile cpu-clock:u/period -o period.trace periods.txt >said 2>err
is "$? $(stacks period.trace) $(grep -c 'cpu-clock:u/period: 2 records, 400 ns' said)" '0 f 400  1' 'perf script: periods as weights'

# --- Chrome's events ---
# events NAME [PYTHON]: the events below as NAME.json, in the order of a key of Python
# main is from 0 to 20: a from 0 to 8 with b from 0 to 3 and c from 3 to 8; d from 8 to 10. So main has 10 of its own
cat >events.py <<'END'
import json, random, sys
def x(name, start, end):
    return {"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": start, "dur": end - start}
def call(phase, name, at):
    return {"ph": phase, "name": name, "pid": 1, "tid": 1, "ts": at}
whole = [x("main", 0, 20), x("a", 0, 8), x("b", 0, 3), x("c", 3, 8), x("d", 8, 10)]
mixed = [call("B", "main", 0), x("a", 0, 8), call("B", "b", 0), call("E", "b", 3), x("c", 3, 8), call("B", "d", 8),
         call("E", "d", 10), call("E", "main", 20)]
calls = [call("B", "main", 0), call("B", "a", 0), call("B", "b", 0), call("E", "b", 3), call("B", "c", 3),
         call("E", "c", 8), call("E", "a", 8), call("B", "d", 8), call("E", "d", 10), call("E", "main", 20)]
ended = sorted(whole, key=lambda event: (event["ts"] + event["dur"], -event["ts"]))
mixed_ended = sorted(mixed, key=lambda event: event["ts"] + event.get("dur", 0))
random.seed(1)
shuffled = random.sample(whole, len(whole))
print(json.dumps({"begun": whole, "ended": ended, "backwards": whole[::-1], "shuffled": shuffled, "mixed": mixed,
                  "mixed_ended": mixed_ended, "calls": calls, "calls_backwards": calls[::-1]}[sys.argv[1]]))
END
for order in begun ended backwards shuffled mixed mixed_ended calls calls_backwards; do
    python3 events.py $order >$order.json
    import $order.json
    is "$? $(stacks)$(cat err)" '0 main 10000 main;a;b 3000 main;a;c 5000 main;d 2000 ' "Chrome: durations, $order"
done
printf '%s' '{"traceEvents":[{"ph":"X","name":"child","pid":1,"tid":1,"ts":2,"dur":5},{"ph":"X","name":"parent","pid":1,"tid":1,"ts":0,"dur":10},
    {"ph":"X","name":"child","pid":1,"tid":1,"ts":12,"dur":5},{"ph":"X","name":"parent","pid":1,"tid":1,"ts":10,"dur":10}]}' >completion.json
import completion.json
is "$? $(hot out/*.trace | tail -n +2 | cut -d, -f2,7 | tr '\n' ' ')" '0 child,10000 parent,10000 ' 'Chrome: events are written when they end'
# Two that take all of each other's time: the one that is written later is around the other, as elsewhere in the thread
printf '%s' '[{"ph":"X","name":"in","pid":1,"tid":1,"ts":0,"dur":4},{"ph":"X","name":"out","pid":1,"tid":1,"ts":0,"dur":4},
    {"ph":"X","name":"child","pid":1,"tid":1,"ts":6,"dur":1},{"ph":"X","name":"parent","pid":1,"tid":1,"ts":5,"dur":5}]' >equal.json
import equal.json
is "$? $(stacks)" '0 out;in 4000 parent 4000 parent;child 1000 ' '  also those of equal extent'
printf '%s' '[{"ph":"X","name":"f","pid":1,"tid":1,"ts":5,"dur":2},{"ph":"X","name":"g","pid":1,"tid":2,"ts":1,"dur":3},
    {"ph":"X","name":"f","pid":1,"tid":1,"ts":1,"dur":2},{"ph":"X","name":"g","pid":2,"tid":1,"ts":6,"dur":9}]' >threads.json
import threads.json
is "$? $(stacks)" '0 f 4000 g 12000 ' 'Chrome: threads do not mix'
printf '%s' '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":10},{"ph":"X","name":"b","pid":1,"tid":1,"ts":6,"dur":9},
    {"ph":"b","name":"c","id":1,"pid":1,"tid":1,"ts":1},{"ph":"e","name":"c","id":1,"pid":1,"tid":1,"ts":3}]' >over.json
import over.json
is "$? $(stacks)" '0 a 6000 a;b 4000 ' 'Chrome: an event ends with the one around it'
is "$(cat err)" 'assay-import: over.json: 1 events that end after the one around them, ended with it; 1 asynchronous events, left out' \
    '  which is counted, and so are asynchronous ones'
# c is empty, though its exit is written first; f ends and begins again at 3, so that it has 3 + 4 of the 10
printf '%s' '[{"ph":"B","name":"a","tid":1,"ts":0},{"ph":"B","name":"b","tid":1,"ts":1},{"ph":"E","name":"b","tid":1,"ts":1},{"ph":"E","name":"c","tid":1,"ts":2},
    {"ph":"B","name":"c","tid":1,"ts":2},{"ph":"X","name":"d","tid":1,"ts":3,"dur":0},{"ph":"E","name":"a","tid":1,"ts":10}]' >empty.json
import empty.json
is "$? $(stacks)$(cat err)" '0 a 10000 ' 'Chrome: an empty event whose exit is written first'
printf '%s' '[{"ph":"B","name":"a","tid":1,"ts":0},{"ph":"B","name":"f","tid":1,"ts":0},{"ph":"E","name":"f","tid":1,"ts":3},{"ph":"B","name":"f","tid":1,"ts":3},
    {"ph":"E","name":"f","tid":1,"ts":7},{"ph":"E","name":"a","tid":1,"ts":10}]' >again.json
import again.json
is "$? $(stacks)$(cat err)" '0 a 3000 a;f 7000 ' '  and one that ends and begins again'
printf '%s' '[{"ph":"E","name":"f","tid":1,"ts":3},{"ph":"B","name":"f","tid":1,"ts":3},{"ph":"E","name":"f","tid":1,"ts":7}]' >late.json
import late.json
is "$? $(stacks)$(cat err)" '0 f 4000 assay-import: late.json: 1 exits without an entry, left out' '  and one whose first entry is missing'
printf '%s' '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":3,"tdur":2},{"ph":"X","name":"b","pid":1,"tid":1,"ts":7,"dur":3,"tdur":1}]' >tdur.json
import tdur.json
is "$? $(stacks)" '0 a 2000 b 3000 ' "Chrome: a thread's duration where there is no other"
printf '%s' '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":3,"dur":-2},{"ph":"B","name":"b","pid":1,"tid":1},
    {"ph":"X","name":"c","pid":1,"tid":1,"ts":3,"dur":2}]' >negative.json
import negative.json
is "$? $(stacks) $(grep -c "event 'a' has no time, or a negative length; 2 such places in all" err)" '1 c 2000  1' \
    'Chrome: an event without a time, and one of negative length'

# Around b, whose E shows that it ends earlier
printf '%s' '[{"ph":"B","name":"b","pid":1,"tid":1,"ts":0},{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":10},{"ph":"E","name":"b","pid":1,"tid":1,"ts":4}]' >tie.json
import tie.json
is "$? $(stacks)$(cat err)" '0 a 6000 a;b 4000 ' 'Chrome: an X around a B that begins with it'
for end in '' ',' ' , '; do
    printf '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":10},\n{"ph":"X","name":"b","pid":1,"tid":1,"ts":2,"dur":3}%s' "$end" >open.json
    import open.json
    is "$? $(stacks)$(cat err)" '0 a 7000 a;b 3000 assay-import: open.json: its list has no end, so whether it is whole is not known' \
        "Chrome: a list that ends in an event and '$end' is right, and a line says so"
done
printf '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":10},{"ph":"X","na' >cut.json
import cut.json
is "$? $(stacks) $(grep -c 'the file ends within its JSON' err)" '1 a 10000  1' '  one that ends within an event is cut'
printf '{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":10}' >cut.json
import cut.json
is "$? $(stacks) $(grep -c 'the file ends within its JSON' err)" '1 a 10000  1' '  and so is an object without its end'

printf '%s' '{"samples":[{"sf":"2","tid":1,"ts":5,"weight":3},{"sf":"9","tid":1,"ts":6}],"stackFrames":{"2":{"name":"f","parent":"1"},"1":{"name":"main"}},"traceEvents":[]}' >sorted.json
import sorted.json
is "$? $(stacks) $(grep -c "stack frame '9' is not defined; 1 such place" err)" '1 [unknown] 1 main;f 3  1' \
    'Chrome: samples before their frames, and one whose frame is missing'

# --- CPU profiles of V8 in events ---
# chunk TS SAMPLES DELTAS [DELTAS]: an event
chunk() {
    printf ',{"name":"ProfileChunk","ph":"P","id":1,"pid":1,"tid":1,"ts":%s,"args":{"data":{"cpuProfile":{"nodes":[{"id":1,"callFrame":{"functionName":"f"}}],"samples":%s,"timeDeltas":%s}%s}}}' \
        "$1" "$2" "$3" "${4:+,\"timeDeltas\":$4}"
}
begin='[{"name":"Profile","ph":"P","id":1,"pid":1,"tid":1,"ts":0,"args":{"data":{"startTime":100}}}'
{ echo "$begin"; chunk 9 '[1,1]' '[5,5]' '[5,5]'; echo ']'; } >twice.json
import twice.json
is "$? $(stacks)$(cat err)" '0 f 2 ' 'v8 in events: a list that is given twice is one list'
{ echo "$begin"; chunk 9 '[1,1]' '[5,5]' '[5,6]'; echo ']'; } >differ.json
import differ.json
is "$? $(stacks) $(grep -c 'a chunk that holds two lists of times, which differ' err)" '1 f 2  1' '  unless the two differ'
{ echo "$begin"; chunk 30 '[1,1]' '[5,6]'; chunk 10 '[1]' '[20]'; echo ']'; } >chunks.json
import chunks.json
is "$? $("$programs/assay-dump" --kind sample --format csv out/*.trace | tail -n +2 | cut -d, -f2 | tr '\n' ' ')" \
    '0 120000 125000 131000 ' 'v8 in events: chunks are taken in the order of their times'
printf '%s' '{"nodes":[{"id":1,"callFrame":{"functionName":"f"}}],"samples":[1,1],"timeDeltas":[1,2],"timeDeltas":[1,2]}' >twice.cpuprofile
import twice.cpuprofile
is "$? $(stacks)" '0 f 2 ' "V8's CPU profile: a list that is given twice is one list"

# --- callgrind ---
printf 'version: 1\ncreator: pyprof2calltree\nevents: Cost\n\nfl=a.py\nfn=f\n1 30\nfn=g\n7 70\n' >own.callgrind
import own.callgrind
is "$? $(stacks)" '0 f 30 g 70 ' 'callgrind without totals: status 0'
is "$(cat err)" 'assay-import: own.callgrind: it gives no totals, so whether it is whole is not known' '  a line says that there are none'
sed 's/^events.*/&\nsummary: 120/' own.callgrind >partial.callgrind
import partial.callgrind
is "$? $(stacks)$(cat err)" '0 f 30 g 70 assay-import: partial.callgrind: its lines hold 100 of the 120 Cost of its summary' \
    'callgrind: a summary may be larger than the sum of the lines, and a line says so'
sed 's/summary: 120/summary: 99/' partial.callgrind >less.callgrind
import less.callgrind
is "$? $(grep -c 'add up to 100, but its totals say 99' err)" '1 1' '  but not smaller'
sed 's/^creator.*/creator: callgrind-3.19.0/' own.callgrind >cut.callgrind
import cut.callgrind
is "$? $(grep -c 'ends without totals: it may be cut' err)" '1 1' \
    'callgrind by Valgrind, which always writes them: without totals it is cut'

# --- trees ---
# Instruments' deep copies: a blank for each level; start 5 - 5 = 0, main 5 - 3 = 2, delta() 3 s
printf 'Weight\tSelf Weight\t\tSymbol Name\n5.00 s  100.0%%\t0 s\t \tstart\n5.00 s  100.0%%\t2.00 s\t \t main\n3.00 s  60.0%%\t3.00 s\t \t  delta()\n' >deep13.txt
printf 'Weight\tSelf Weight\tSymbol Names\n5.00 s  100.0%%\t0 s\t   start\n5.00 s  100.0%%\t2.00 s\t    main\n3.00 s  60.0%%\t3.00 s\t     delta()\n' >deep16.txt
printf 'Weight\tSymbol Name(s)\n5.00 s  100.0%%\t   start\n5.00 s  100.0%%\t    main\n3.00 s  60.0%%\t     delta()\n' >inclusive.txt
printf 'Running Time\tSelf (ms)\t\tSymbol Name\n5000.0ms  100.0%%\t0.0\t \tstart\n5000.0ms  100.0%%\t2000.0\t \t main\n3000.0ms  60.0%%\t3000.0\t \t  delta()\n' >old.txt
for file in deep13.txt deep16.txt inclusive.txt old.txt; do
    import $file
    is "$? $(stacks)$(cat err)" '0 start;main 2000000000 start;main;delta() 3000000000 ' "$file: indentation is depth"
    unlike said 'not known:.*stacks' '  so stacks are known'
    is "$(hot -i out/*.trace | tail -n +2 | cut -d, -f2,3 | tr '\n' ' ')" 'main,1 start,1 delta(),0.6 ' '  inclusive shares are those of the tree'
done
# A dash is no weight of its own; in MiB
printf 'Weight\tSelf Weight\t\tSymbol Name\n5.00 Gc  100.0%%\t-\t \tapp (12)\n5.00 Gc  100.0%%\t404.75 Mc\t \t start\n1.34 Kc\t532 cycles\t \t  f\n' >dash.txt
import dash.txt
is "$? $(stacks)$(cat err)" '0 app (12);start 404750000 app (12);start;f 532 ' 'a tree: a dash is no weight of its own'
printf 'Bytes Used\tCount\t\tSymbol Name\n   2.50 MB     100.0%%\t3\t \tstart\n   1.25 MB      50.0%%\t1\t \t malloc\n\n\n' >bytes.txt
import bytes.txt
is "$? $(stacks) $(grep -c ' 262144000 bytes/1e2' said)" '0 start 131072000 start;malloc 131072000  1' 'a tree of allocations'
# One name at two depths, in two threads: a has 10 - 4 = 6 below t1, and 3 below b; b 4 - 3 = 1; a again 5 below t2
printf 'Weight,Symbol Name\n10 Mc,t1\n10 Mc,  a\n4 Mc,    b\n3 Mc,      a\n5000 Kc,t2\n5 Mc,  a\n' >twice.csv
import twice.csv
is "$? $(stacks)" '0 t1;a 6000000 t1;a;b 1000000 t1;a;b;a 3000000 t2;a 5000000 ' 'a tree with one name at two depths and two roots'
like said ' 15000000 cycles' '  in cycles'
printf 'Weight,Symbol Name\n2,a\n3, b\nx, c\n1,  d\n' >heavy.csv
import heavy.csv
is "$? $(stacks) $(grep -c 'heavy.csv: line 4: not a method and a number' err) $(grep -c '1 rows have less than the rows below them together, and count as 0' err)" '1 a;b 2 a;b;d 1  1 1' \
    'a tree: a row that is lighter than those below it, and one without a number'
printf 'Method,Weight\n a,2\n b,3\n' >flat.csv
import flat.csv
is "$? $(stacks) $(grep -c 'not known:.*stacks' said)" '0 a 2 b 3  1' 'a table whose methods are all indented alike is none'
printf 'Method,Weight\na,2 ms\nb,0\nc,3\nd,4 Mc\n' >units.csv
import units.csv
is "$? $(stacks) $(grep -c 'line 4.*2 such places' err)" '1 a 2000000  1' 'a table: units do not mix, and 0 needs none'

# --- columns of perf script: time of day, instructions between branches ---
printf 'prog 7 2026-11-28 06:20:41.095086 44839.987824: 250000 cpu-clock: \n\t 150af a+0x2f (/bin/prog)\n\nprog 7 2026-11-28 06:20:41.096086 44839.988824: 250000 cpu-clock: \n\t 150bf b+0x2f (/bin/prog)\n\n' >tod.txt
import tod.txt
is "$? $(stacks)$(cat err)" '0 a 1 b 1 ' 'perf script: a time of day before the time'
is "$("$programs/assay-dump" out/*.trace | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } { print $at["time_ns"] "," $at["thread_name"] }' | tail -n +2 | tr '\n' ' ')" '44839987824000,prog 44839988824000,prog ' \
    '  is no part of the command'
sed 's/44839[.0-9]*: 250000 //' tod.txt >day.txt
import day.txt
# date -u -d '2026-11-28 06:20:41' +%s
is "$? $("$programs/assay-dump" out/*.trace | cut -d, -f2,8 | tail -n +2 | tr '\n' ' ')" \
    '0 1795846841095086000,prog 1795846841096086000,prog ' '  and is the time where there is no other'
printf 'prog 7 1.000001: cycles:  401136 main+0x4 (/bin/prog)\n\tmain+0:\n\t0000000000401132\tinsn: 55 48 89 e5\n\t0000000000401136\tinsn: eb fe \t# PRED 5 cycles [5] 0.40 IPC\n\t... not reaching sample ...\n\nprog 7 1.000002: cycles:  401140 f+0x4 (/bin/prog)\n\tf+0:\n\t0000000000401140\tpush %%rbp \t# MISPRED\n\n' >insn.txt
import insn.txt
is "$? $(stacks)$(cat err)" '0 f 1 main 1 ' 'perf script: instructions between branches are no frames'

# --- lists of JSON that are given twice: the last one counts, as in JavaScript ---
printf '%s' '{"shared":{"frames":[{"name":"a"},{"name":"b"}]},"profiles":[{"type":"sampled","name":"t","unit":"none",
    "samples":[[0],[0,1]],"weights":[3,4],"samples":[[0],[0,1]],"weights":[3,4]}]}' >dup-speedscope.json
import dup-speedscope.json
is "$? $(stacks)" '0 a 3 a;b 4 ' 'speedscope: lists that are given twice are one list'
printf '%s' '{"shared":{"frames":[{"name":"a"}]},"profiles":[{"type":"evented","name":"t","unit":"none",
    "events":[{"type":"O","frame":0,"at":0},{"type":"C","frame":0,"at":5}],
    "events":[{"type":"O","frame":0,"at":0},{"type":"C","frame":0,"at":5}]}]}' >dup-events.json
import dup-events.json
is "$? $(stacks) $(grep -c "a second list of events in profile 't'" err)" '1 a 5  1' \
    'speedscope: a second list of events is told, and not added'
printf '%s' '{"meta":{"preprocessedProfileVersion":40,"interval":1,"startTime":0},"threads":[{"name":"t","tid":1,
    "samples":{"stack":[0,1],"time":[1,2],"stack":[0,1],"time":[1,2]},"stackTable":{"frame":[0,1],"prefix":[null,0]},
    "frameTable":{"func":[0,1],"line":[null,null]},"funcTable":{"name":[0,1]},"stringArray":["a","b"]}]}' >dup-firefox.json
import dup-firefox.json
is "$? $(stacks)" '0 a 1 a;b 1 ' 'Firefox: columns that are given twice are one column'
printf '%s' '{"head":{"functionName":"(root)","id":1,"hitCount":0,"children":[{"functionName":"a","id":2,"hitCount":2,
    "children":[]}]},"samples":[2,2],"timestamps":[10,20],"samples":[2,2],"timestamps":[10,20]}' >dup-head.json
import dup-head.json
is "$? $(stacks)" '0 a 2 ' 'V8, old: lists that are given twice are one list'
done_testing
