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
printf 'warning: lost events\nmain;a 1\nmain;b 2\nmain;b 3\n' >late.folded
import late.folded
is "$? $(stacks) $(grep -c "line 1: not 'frame;frame COUNT'" err)" '1 main;a 1 main;b 5  1' \
    'folded stacks are known by most of their lines'

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
printf '%s' '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":3,"dur":-2},{"ph":"B","name":"b","pid":1,"tid":1},
    {"ph":"X","name":"c","pid":1,"tid":1,"ts":3,"dur":2}]' >negative.json
import negative.json
is "$? $(stacks) $(grep -c "event 'a' has no time, or a negative length; 2 such places in all" err)" '1 c 2000  1' \
    'Chrome: an event without a time, and one of negative length'

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

done_testing
