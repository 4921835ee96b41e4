#!/bin/sh
# What samples count as: profiles with several values each are imported once, and --weight chooses among them in every
# program that counts samples. The files are made here, so that each sum can be checked by hand.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
needs tests/make_trace
programs=$build/libexec/assay
# import TRACE FILE [OPTION...]
import() {
    trace=$1
    shift
    rm -f "$trace"
    "$programs/assay-import" -o "$trace" "$@" >said 2>err
}
# folded TRACE [OPTION...]
folded() {
    "$programs/assay-export" --to folded "$@" 2>err | tr '\n' ' '
}
# hot OPTION... TRACE...: method and weight of each row
hot() {
    "$programs/assay-hot" --format csv "$@" 2>err | tail -n +2 | cut -d, -f2,7 | tr '\n' ' '
}
# weights TRACE: what assay info shows
weights() {
    "$programs/assay-info" "$1" 2>/dev/null | sed -n 's/^  weight  *//p' | tr '\n' ' '
}
made() {
    python3 -c "import sys
sys.path.insert(0, sys.argv[1])
import profiles
sys.stdout.buffer.write(profiles.pprof_of($2))" "$root/tests/analyze" >"$1"
}

# --- pprof: all types of values at once ---
# As Go writes a heap profile: main;a has allocated most, main;b holds most, main;c has freed all
made heap.pb "[('alloc_objects', 'count'), ('alloc_space', 'bytes'), ('inuse_objects', 'count'), ('inuse_space', 'bytes')],
    [('main;a', [90, 900, 2, 20], {}), ('main;b', [5, 500, 4, 400], {}), ('main;c', [7, 70, 0, 0], {})], default_type='inuse_space'"
import heap.trace heap.pb
is "$? $(cat said)" "0 heap.trace: pprof, inuse_space: 2 records, 420 bytes, 1 more that only other weights count; not known: times, threads, period, runs" \
    'pprof: a sample that the default type does not count is kept'
is "$(cat err)" "assay-import: heap.pb: its samples weigh 'inuse_space'; --weight chooses others: alloc_objects, alloc_space, inuse_objects" \
    '  a line tells the weights'
is "$(weights heap.trace)" '420 inuse_space (bytes), by default 102 alloc_objects (count) 1470 alloc_space (bytes) 6 inuse_objects (count) ' \
    '  assay info shows them, with their sums'
is "$("$programs/assay-info" --format json heap.trace | python3 -c 'import json, sys
print(*((w["name"], w["unit"], w["sum"]) for w in json.load(sys.stdin)["weights"][:2]))')" \
    "('inuse_space', 'bytes', 420) ('alloc_objects', 'count', 102)" '  in JSON, too'
is "$(hot heap.trace)" 'b,400 a,20 ' 'assay hot: the default weight'
is "$(hot --weight alloc_space heap.trace)" 'a,900 b,500 c,70 ' '  --weight chooses another by name'
is "$(hot --weight alloc_objects heap.trace)" 'a,90 c,7 b,5 ' '  or another'
is "$(hot --weight inuse_space heap.trace)" 'b,400 a,20 ' '  the name of the default weight is that'
is "$(hot --weight alloc_space/bytes heap.trace)$(hot --weight alloc_space/count heap.trace; grep -c "no weight 'alloc_space/count'" err)" \
    'a,900 b,500 c,70 1' '  with its unit'
is "$(hot --weight bytes heap.trace)" 'b,400 a,20 ' '  bytes: of several weights in bytes the default one'
"$programs/assay-hot" --weight alloc_space heap.trace 2>&1 | tail -n 1 >said
is "$(cat said)" "samples count as their weight 'alloc_space' (--weight)" '  a note tells it'
is "$("$programs/assay-hot" --weight alloc_space --inclusive --format csv heap.trace 2>/dev/null | sed -n 2p)" '1,main,1,,,,1470,1' \
    '  inclusive: all of 900 + 500 + 70'
"$programs/assay-hot" --weight samples heap.trace >said 2>err
is "$? $(cat said err)" "1 assay-hot: heap.trace: its samples have no weight 'samples', but: inuse_space (bytes), alloc_objects (count), alloc_space (bytes), inuse_objects (count)" \
    'a weight that there is not: status 1, and one line lists those that there are'
is "$(folded heap.trace)" 'main;a 20 main;b 400 ' 'assay export: the default weight'
is "$(folded --weight alloc_objects heap.trace)" 'main;a 90 main;b 5 main;c 7 ' '  --weight chooses another'
for to in pprof speedscope chrome; do
    "$programs/assay-export" --to $to --weight alloc_space heap.trace >back 2>err
    import back.trace back
    is "$(folded back.trace)" 'main;a 900 main;b 500 main;c 70 ' "  through $to and back: the same"
done
"$programs/assay-export" --to pprof --weight alloc_space -o back heap.trace
import back.trace back
is "$(weights back.trace)" '1470 alloc_space (bytes), by default ' '  pprof names the type and its unit'
"$programs/assay-export" --to pprof -o back heap.trace
import back.trace back
is "$? $(weights back.trace)" "0 $(weights heap.trace)" 'assay export to pprof: all weights, unless one is chosen'
is "$(hot back.trace) $(hot --weight alloc_objects back.trace)" 'b,400 a,20  a,90 c,7 b,5 ' '  the first is the default, and a sample of weight 0 is kept'
if command -v go >/dev/null && go tool pprof -h 2>&1 | grep -q sample_index; then
    top() {
        go tool pprof -top -unit=B "$@" back 2>/dev/null | awk '$1 == "flat" { on = 1; next } on && $1 != 0 { print $NF "," $1 + 0 }' | tr '\n' ' '
    }
    is "$(top) $(top -sample_index=alloc_objects)" 'b,400 a,20  a,90 c,7 b,5 ' '  as go tool pprof reads it'
else
    skip 'there is no go tool pprof here'
fi
made other.pb "[('alloc_space', 'bytes'), ('inuse_space', 'bytes')], [('main;a', [1, 2], {})]"
import other.trace other.pb
"$programs/assay-export" --to pprof -o back heap.trace other.trace 2>err
is "$? $(cat err)" '1 assay-export: other.trace: its samples have other weights than those before it: choose one with --weight' \
    '  traces with different weights: status 1 and one line'
"$programs/assay-export" --to pprof --weight alloc_space -o back heap.trace other.trace 2>err
import back.trace back
is "$? $(weights back.trace)" '0 1471 alloc_space (bytes), by default ' '  unless one is chosen that all have'
"$programs/assay-export" --to pprof --weight inuse_space -o back heap.trace other.trace 2>err
import back.trace back
is "$? $(weights back.trace)" '0 422 inuse_space (bytes), by default ' '  also if it is the default of one of them'
"$programs/assay-export" --to folded --pairs --weight bytes heap.trace >said 2>err
is "$? $(head -n 1 err)" '2 assay-export: --weight and --state choose samples, and can'"'"'t be used with --pairs or --events' \
    'assay export: a weight of pairs is refused'

# The choice of the default type at import
import asked.trace --profile alloc_objects heap.pb
is "$? $(folded asked.trace)$(cat err)" '0 main;a 90 main;b 5 main;c 7 ' 'import --profile NAME: that type is the default'
is "$(folded --weight inuse_space asked.trace)" 'main;a 20 main;b 400 ' '  and the others are kept'
is "$(hot --weight bytes asked.trace)$(cat err)" \
    "assay-hot: asked.trace: several weights of its samples are 'bytes'; choose one by its name: alloc_objects (count), alloc_space (bytes), inuse_objects (count), inuse_space (bytes)" \
    '  then which bytes are meant is not clear'
# More types than a trace has weights, some without values: the first seven of the others
made many.pb "[(f't{i}', 'count') for i in range(10)], [('main', [1, 2, 3, 0, 5, 6, 7, 8, 9, 10], {})]"
import many.trace many.pb
is "$? $(weights many.trace)" '0 10 t9 (count), by default 1 t0 (count) 2 t1 (count) 3 t2 (count) 5 t4 (count) 6 t5 (count) 7 t6 (count) 8 t7 (count) ' \
    'ten types: the default one and seven others'
like err "values that were left out, since they are negative or too many: t8; .*passed over: t3" '  a line tells which are not kept'
# A difference: 50 - 20 = 30 ns of 5 - 6 = -1 samples; 9 - 12 = -3 ns of 4 - 1 = 3 samples
made diff.pb "[('samples', 'count'), ('cpu', 'nanoseconds')], [('main;a', [5, 50], {}), ('main;a', [-6, -20], {}), ('main;b', [4, 9], {}), ('main;b', [-1, -12], {})]"
import diff.trace diff.pb
is "$? $(folded diff.trace) $(folded --weight samples diff.trace)" '0 main;a 30  main;b 3 ' 'a difference: the net of each weight, where it is positive'
# Values beyond 32 bits, and their sum beyond 64
made large.pb "[('a', 'count'), ('b', 'bytes')], [('main;x', [2**63 - 1, 1], {}), ('main;y', [5 * 10**9, 1], {})]"
import large.trace large.pb
is "$? $(folded --weight a large.trace)" '0 main;x 9223372036854775807 main;y 5000000000 ' 'large values'
made sum.pb "[('a', 'count'), ('b', 'bytes')], [('main', [2**63 - 1, 1], {})] * 3"
import sum.trace sum.pb
is "$? $(ls sum.trace 2>/dev/null) $(grep -c 'the sum of all weights: Value too large' err)" '1  1' 'sums of further weights beyond 64 bits are refused, too'

# --- several traces ---
made cpu.pb "[('samples', 'count'), ('cpu', 'nanoseconds')], [('main;a', [3, 30], {}), ('main;b', [1, 70], {})]"
import cpu.trace cpu.pb
is "$(hot --weight duration cpu.trace) $(hot --weight samples cpu.trace)" 'b,70 a,30  a,3 b,1 ' 'duration is a unit of time; samples is a name here'
"$programs/assay-hot" --format csv --weight duration cpu.trace heap.trace >said 2>err
is "$? $(grep -c . said) $(cat err)" \
    "1 3 assay-hot: heap.trace: its samples have no weight 'duration', but: inuse_space (bytes), alloc_objects (count), alloc_space (bytes), inuse_objects (count)
assay-hot: 1 inputs could not be read and are not in this result" \
    'a trace that lacks the weight is named and left out: status 1'
"$programs/assay-agree" --by file --weight samples --format csv cpu.trace many.trace >said 2>err
is "$? $(grep -c "many.trace: its samples have no weight 'samples'" err)" '1 1' 'assay agree: the same'
# Samples: a 3/4, b 1/4; ns: a 0.3, b 0.7. Total variation to a trace of equal shares: 1/4 and 0.2
printf 'main;a 1\nmain;b 1\n' >equal.folded
import equal.trace equal.folded
distance() {
    "$programs/assay-agree" --by file --format csv "$@" cpu.trace equal.trace 2>err | tail -n 1 | cut -d, -f9 | xargs printf %.4f
}
is "$(distance) $(distance --weight samples)" '0.2000 0.2500' 'assay agree: distances of the weights that are chosen'

# Saved states
"$programs/assay-hot" --weight alloc_space --save-state a.state heap.trace
"$programs/assay-merge" -o both.state a.state
is "$? $(hot --weight alloc_space both.state)" '0 a,900 b,500 c,70 ' 'a saved state keeps its weight, also joined by assay merge'
"$programs/assay-hot" both.state >said 2>err
is "$? $(cat err)" '1 assay-hot: both.state: was saved with --weight alloc_space: use it likewise' '  and is not taken for another'
"$programs/assay-hot" --save-state a.state heap.trace
"$programs/assay-hot" --weight bytes a.state >said 2>err
is "$? $(cat err)" '1 assay-hot: a.state: was saved without --weight: use it likewise' '  nor is one without a choice'

# Parts and threads
for parts in 1 3; do
    is "$(ASSAY_PART_RECORDS=$parts hot -j 2 --weight alloc_space heap.trace)" 'a,900 b,500 c,70 ' "parts of $parts records: the same"
done

# A recording of assay, and a profile with one weight
printf 'main@java 1 1 1 main;b\nmain@java 2 2 2 main;b\n' | "$build/tests/make_trace" own.trace clock=random run=1 series=s
is "$(hot --weight samples own.trace)$(weights own.trace)" 'b,2 ' "assay's own recording has samples alone"
is "$(hot --weight bytes own.trace)$(cat err)" "assay-hot: own.trace: its samples have no weight 'bytes', but: samples" '  and nothing else'
is "$(hot --weight samples equal.trace)" 'a,1 b,1 ' 'folded stacks are samples'

printf 'main;a 1.5\nmain;b 0.25\n' >decimals.folded
import decimals.trace decimals.folded
is "$(hot --weight samples decimals.trace)" 'a,150 b,25 ' '  also parts of samples'

# --- rate counts as hot does ---
# One batch of samples a second, as wall-clock profilers write them: 10, 10 and 10 of them; the records are 1, 5 and 1
cat >steady.txt <<'END'
w 7 1.000000: 10 cycles: 401000 f+0x0 (/bin/w)
w 7 2.000000: 2 cycles: 401000 f+0x0 (/bin/w)
w 7 2.200000: 2 cycles: 401000 f+0x0 (/bin/w)
w 7 2.400000: 2 cycles: 401000 f+0x0 (/bin/w)
w 7 2.600000: 2 cycles: 401000 f+0x0 (/bin/w)
w 7 2.800000: 2 cycles: 401000 f+0x0 (/bin/w)
w 7 3.000000: 10 cycles: 401000 f+0x0 (/bin/w)
w 7 4.000000: 10 cycles: 401000 f+0x0 (/bin/w)
END
import steady.trace steady.txt
rate() {
    "$programs/assay-rate" --format csv "$@" 2>err | tail -n +2 | cut -d, -f4,5 | tr '\n' ' '
}
is "$(rate steady.trace)" '1,1 5,5 2,2 ' 'assay rate: samples'
is "$(rate --weight period steady.trace)" '10,10 10,10 20,20 ' '  --weight period: a steady sampler is steady'
import periods.trace --profile cycles/period steady.txt
is "$(rate periods.trace)" '10,10 10,10 20,20 ' '  the same where periods are the default weight'
is "$(rate --weight samples periods.trace)" '1,1 5,5 2,2 ' '  and samples the choice'
"$programs/assay-rate" --weight bytes steady.trace >said 2>err
is "$? $(cat err)" "1 assay-rate: steady.trace: its samples have no weight 'bytes', but: samples, period (cycles)" 'a weight that there is not'

# --- other formats ---
is "$(folded --weight period steady.trace) $(folded steady.trace)" 'f 40  f 8 ' 'perf script: periods and samples'
printf '%s\n' 'w 7 1.0: cycles: 401000 f+0x0 (/bin/w)' >plain.txt
import plain.trace plain.txt
is "$(folded --weight period plain.trace)$(cat err)" "assay-export: plain.trace: its samples have no weight 'period', but: samples" \
    '  without periods there are none'
cat >events.callgrind <<'END'
# callgrind format
version: 1
creator: other
events: Ir Dr Dw I1 D1 D2 IL DL DW Bc

fn=f
1 10 4 0 1 2 3 4 5 6 7
fn=g
2 0 8 1 0 0 0 0 0 9 0
fn=h
3 0 0 0 0 0 0 0 0 1 0

totals: 10 12 1 1 2 3 4 5 16 7
END
mkdir out
"$programs/assay-import" -o out/ events.callgrind >said 2>err
is "$? $(ls out | tr '\n' ' ')$(cat err)" '0 events.callgrind.Bc.trace events.callgrind.DW.trace events.callgrind.Ir.trace ' \
    'callgrind: eight events are weights of one trace, others have traces of their own'
is "$(folded out/events.callgrind.Ir.trace) $(folded --weight Dr out/events.callgrind.Ir.trace) $(folded --weight DL out/events.callgrind.Ir.trace)" \
    'f 10  f 4 g 8  f 5 ' '  costs of three of them'
is "$(folded out/events.callgrind.DW.trace) $(folded out/events.callgrind.Bc.trace)" 'f 6 g 9 h 1  f 7 ' '  and of the others'
import dw.trace --profile DW events.callgrind
is "$? $(folded dw.trace) $(folded --weight Ir dw.trace)" '0 f 6 g 9 h 1  f 10 ' '  --profile chooses the default'
cat >flat.gprof <<'END'
Flat profile:

Each sample counts as 0.01 seconds.
  %   cumulative   self              self     total
 time   seconds   seconds    calls  ms/call  ms/call  name
 75.00      0.03     0.03       12     2.50     2.50  f
 25.00      0.04     0.01                             main
  0.00      0.04     0.00      500     0.00     0.00  g
END
import flat.trace flat.gprof
is "$? $(folded flat.trace) $(folded --weight calls flat.trace)" '0 f 3 main 1  f 12 g 500 ' 'gprof: calls'
python3 - <<'END'
import json

nodes = [{"id": i, "callFrame": {"functionName": name, "url": "", "lineNumber": 0}, "children": children}
         for i, name, children in ((1, "(root)", [2, 3]), (2, "a", []), (3, "b", []))]
# Samples at 100, 130, 190 and 200 us; the end is at 250: a 30, b 60, a 10, b 50 us
lists = {"samples": [2, 3, 2, 3], "timeDeltas": [100, 30, 60, 10]}
json.dump({"nodes": nodes, "startTime": 0, "endTime": 250, **lists}, open("v8.json", "w"))
json.dump({"nodes": nodes, "startTime": 0, "samples": [2, 3]}, open("untimed.json", "w"))
tree = [{"id": i, "callFrame": {"functionName": name}, **({"parent": 1} if i > 1 else {})}
        for i, name in ((1, "(root)"), (2, "a"), (3, "b"))]
# The same in two chunks: how long the last sample lasts is not known
events = [{"ph": "P", "name": "Profile", "pid": 1, "tid": 2, "id": "0x1", "ts": 0, "args": {"data": {"startTime": 0}}}]
for ts, part in ((150, slice(0, 2)), (250, slice(2, 4))):
    data = {"cpuProfile": {"nodes": tree if ts == 150 else [], "samples": lists["samples"][part]}, "timeDeltas": lists["timeDeltas"][part]}
    events.append({"ph": "P", "name": "ProfileChunk", "pid": 1, "tid": 2, "id": "0x1", "ts": ts, "args": {"data": data}})
json.dump(events, open("chrome.json", "w"))
# main from 0 to 20 us; a from 0 to 8 and from 12 to 20: main has 4 of its own, and ends with a
calls = [{"ph": "X", "name": name, "pid": 1, "tid": 2, "ts": ts, "dur": dur} for name, ts, dur in (("main", 0, 20), ("a", 0, 8), ("a", 12, 8))]
json.dump(calls, open("calls.json", "w"))
stacks = {"1": {"name": "a"}, "2": {"name": "b"}}
samples = [{"tid": 8, "cpu": 0, "ts": i, "name": "time", "sf": sf, "weight": weight} for i, (sf, weight) in enumerate((("1", 5), ("2", 7), ("1", 1)))]
json.dump({"otherData": {"unit": "ns"}, "traceEvents": [], "stackFrames": stacks, "samples": samples}, open("sf.json", "w"))
# CPU time of 3 us, 250 us and unknown
table = {"stackTable": {"frame": [0, 1], "prefix": [None, None], "length": 2}, "stringArray": ["a", "b"],
         "frameTable": {"func": [0, 1], "line": [None, None], "address": [-1, -1], "length": 2},
         "funcTable": {"name": [0, 1], "isJS": [True, True], "fileName": [None, None], "length": 2}}
samples = {"stack": [0, 1, 0], "time": [1, 2, 3], "weight": None, "weightType": "samples", "threadCPUDelta": [3, 250, None], "length": 3}
json.dump({"meta": {"interval": 1, "startTime": 0, "preprocessedProfileVersion": 40, "product": "p", "sampleUnits": {"time": "ms", "threadCPUDelta": "\u00b5s"}},
           "libs": [], "threads": [{"name": "w", "pid": "7", "tid": 77, "samples": samples, **table}]}, open("gecko.json", "w"))
frames = {"frames": [{"name": "a"}, {"name": "b"}]}
schema = "https://www.speedscope.app/file-format-schema.json"
sampled = {"type": "sampled", "name": "t", "startValue": 0, "endValue": 1, "samples": [[0], [0], [1]], "weights": [1, 2, 500]}
json.dump({"$schema": schema, "shared": frames, "profiles": [{**sampled, "unit": "milliseconds"}]}, open("ms.json", "w"))
json.dump({"$schema": schema, "shared": frames, "profiles": [{**sampled, "unit": "bytes"}]}, open("bytes.json", "w"))
evented = {"type": "evented", "name": "t", "unit": "milliseconds", "startValue": 0, "endValue": 3,
           "events": [{"type": kind, "frame": frame, "at": at} for kind, frame, at in
                      (("O", 0, 0), ("O", 1, 1), ("C", 1, 2), ("O", 1, 2), ("C", 1, 3), ("C", 0, 3))]}
json.dump({"$schema": schema, "shared": frames, "profiles": [evented]}, open("evented.json", "w"))
END
import v8.trace v8.json
is "$? $(folded v8.trace) $(folded --weight duration v8.trace)" '0 a 2 b 2  a 40000 b 110000 ' "V8's profile: the time until the next sample, or the end"
import untimed.trace untimed.json
is "$? $(weights untimed.trace)" '0 2 samples (samples), by default ' '  without times there are no durations'
import chrome.trace chrome.json
is "$? $(folded chrome.trace) $(folded --weight duration chrome.trace)" '0 a 2 b 2  a 40000 b 60000 ' "Chrome's events of it: the same but for the last sample"
import calls.trace calls.json
is "$? $(folded calls.trace) $(folded --weight calls calls.trace)" '0 main 4000 main;a 16000  main 1 main;a 2 ' "Chrome's events: own time and calls"
import sf.trace sf.json
is "$? $(folded sf.trace) $(folded --weight samples sf.trace)" '0 a 6 b 7  a 2 b 1 ' "Chrome's samples with a unit: these and their number"
import gecko.trace gecko.json
is "$? $(folded gecko.trace) $(folded --weight cpu gecko.trace)" '0 a 2 b 1  a 3000 b 250000 ' "Firefox's samples: CPU time since the previous one"
import ms.trace ms.json
is "$? $(folded ms.trace) $(folded --weight samples ms.trace) $(folded --weight duration ms.trace)" \
    '0 a 3000000 b 500000000  a 2 b 1  a 3000000 b 500000000 ' 'speedscope: durations and samples'
import bytes.trace bytes.json
is "$? $(folded --weight bytes bytes.trace) $(folded --weight samples bytes.trace)" '0 a 3 b 500  a 2 b 1 ' '  bytes and samples'
import evented.trace evented.json
is "$? $(folded --weight duration evented.trace) $(folded --weight calls evented.trace)" '0 a 1000000 a;b 2000000  a 1 a;b 2 ' \
    '  events: own times and calls'
python3 - "$root/tests/analyze" <<'END'
import json, sys
sys.path.insert(0, sys.argv[1])
import profiles
profiles.write(".", "otlp", profiles.otlp_old())
# Of the type thread.name there are only zeros; of cpu 300 of main;a and 70 of main;b;c
types = [(10, 2, [0, 0, 0]), (3, 4, [300, 0, 70])]
profiles.write(".", "otlp_old_types", profiles.otlp(values=2, attributes=3, link=4, timed=False, types=types))
profiles.write(".", "otlp_new_types", profiles.otlp(types=types))
data = json.loads(profiles.otlp_json_old())
own = data["resourceProfiles"][0]["scopeProfiles"][0]["profiles"]
key = next(key for key in own[0] if key.startswith("sample") and key != "sampleType")
for at, (of, unit, counts) in zip((0, 2), types):
    own.insert(at, {"sampleType": {"typeStrindex": of, "unitStrindex": unit},
                    key: [{"stackIndex": i + 1, "attributeIndices": [1, 2], "values": [count]} for i, count in enumerate(counts)]})
profiles.write(".", "otlp_json_types", json.dumps(data))
END
import otlp.trace otlp
is "$? $(weights otlp.trace) $(folded --weight samples otlp.trace)" '0 100 samples (count), by default  main;a 30 main;b 50 main;b;c 20 ' \
    'OTLP: a type is the only weight of its trace'
for file in otlp_old_types otlp_new_types otlp_json_types; do
    import types.trace $file
    cp err told
    is "$? $(weights types.trace) $(folded types.trace) $(folded --weight cpu types.trace)" \
        '0 100 samples (count), by default 370 cpu (nanoseconds)  main;a 30 main;b 50 main;b;c 20  main;a 300 main;b;c 70 ' \
        "$file: the types are weights of one trace"
    like told "its samples weigh 'samples'; --weight chooses others: cpu" '  a line tells it'
    import asked.trace --profile cpu $file
    is "$? $(folded asked.trace) $(folded --weight samples asked.trace)" '0 main;a 300 main;b;c 70  main;a 30 main;b 50 main;b;c 20 ' \
        '  --profile chooses the first'
done
printf 'Function,Bytes Used\nf,30\ng,70\n' >table.csv
import table.trace table.csv
is "$? $(folded --weight 'Bytes Used' table.trace)" '0 f 30 g 70 ' 'a table: its column'

for file in cpu.pb events.callgrind otlp_old_types otlp_json_types; do
    "$programs/assay-import" -q -o no.trace --profile nope $file 2>err
    is "$? $(ls no.trace 2>/dev/null) $(sed 's/, /\n/g; s/.*but: //' err | sort | tr '\n' ' ')" \
        "1  $(case $file in cpu.pb) echo 'cpu samples ' ;; otlp*) echo 'cpu samples thread.name ' ;; *) echo 'Bc D1 D2 DL DW Dr Dw I1 IL Ir ' ;; esac)" \
        "$file: a value that there is not: status 1, and a line lists those that there are"
done

# --- traces without further weights are as small as before ---
is "$("$programs/assay-dump" own.trace | head -n 1)" 'thread,time_ns,cpu_ns,context,state,tick,weight,thread_name,method' \
    'assay dump shows no columns that a trace does not have'
is "$(python3 - "$root/tests/docs" own.trace cpu.trace heap.trace <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from read_trace import Trace

for path in sys.argv[2:]:
    print(*(chunk.columns for chunk in Trace(open(path, "rb").read()).chunks if chunk.kind in (16, 29)), end=";")
END
)" '6;7;9 8;' '  and the file has none: a chunk has the columns up to the last that is used'

done_testing
