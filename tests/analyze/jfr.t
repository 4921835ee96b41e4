#!/bin/sh
# assay import of recordings of JDK Flight Recorder: damage in the middle, who recorded it, threads and their states.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
needs tests/make_trace
programs=$build/libexec/assay
import() {
    rm -rf out
    mkdir out
    "$programs/assay-import" -o out/ "$@" >said 2>err
}
samples() {
    "$programs/assay-export" --to folded out/*.trace 2>/dev/null | awk '{ n += $NF } END { print n + 0 }'
}
folded() {
    "$programs/assay-export" --to folded out/*.trace 2>/dev/null | tr '\n' ' '
}
imported() {
    "$programs/assay-info" out/*.trace 2>/dev/null | sed -n "s/^ *imported  *//p"
}
# made FILE STATEMENTS: they set `data`; jfr is profiles.Jfr().chunk(), size its length, struct and profiles are there
made() {
    python3 -c "import sys
sys.path.insert(0, sys.argv[1])
import struct, profiles
from profiles import JfrOfAsyncProfiler as Async, varint
jfr = profiles.Jfr().chunk()
size = len(jfr)
def resized(chunk, to):
    return chunk[:8] + struct.pack('>Q', to) + chunk[16:]
$2
sys.stdout.buffer.write(data)" "$root/tests/analyze" >"$1"
}

# --- damage: three chunks of 100 samples each ---
made sound.jfr 'data = jfr * 3'
import sound.jfr
is "$? $(samples) $(cat err)" '0 300 ' 'three chunks: 300 samples'
size=$(($(wc -c <sound.jfr) / 3))
made magic.jfr 'data = jfr + b"XLR" + jfr[3:] + jfr'
import magic.jfr
is "$? $(samples)" '1 200' 'a chunk whose first bytes are damaged: the next one is found again'
is "$(cat err)" "assay-import: magic.jfr: byte $size: a chunk begins here that is cut or damaged; 1 of 3 chunks is damaged, and $size bytes of them were lost" \
    '  one line tells what was lost'
made header.jfr 'data = jfr + jfr[:56] + bytes(8) + jfr[64:] + jfr'
import header.jfr
is "$? $(samples) $(grep -c "byte $size: the header of the chunk is damaged; 1 of 3 chunks is damaged, and $size bytes" err) $(wc -l <err)" \
    '1 200 1 1' 'a chunk without a rate of ticks: the next one is found again'
made version.jfr 'data = jfr + jfr[:4] + bytes([0, 9]) + jfr[6:] + jfr'
import version.jfr
is "$? $(samples) $(grep -c "version 9.1 of JFR; 1.0 to 2.x are read; 1 of 3 chunks" err)" '1 200 1' 'a chunk of another version'
for case in 'zero|0' 'small|100' 'large|size + 100' 'huge|10**9'; do
    made resized.jfr "data = jfr + resized(jfr, ${case#*|}) + jfr"
    import resized.jfr
    is "$? $(samples) $(wc -l <err)" '1 300 1' "a size that is too ${case%|*}: all chunks are read, status 1 and one line"
done
like err "chunk at byte $size: its size is wrong, or its end is missing: another chunk begins at byte $((2 * size))" '  the line tells it'
# The end of the second chunk is missing, and with it the metadata
made short.jfr 'data = jfr + jfr[:1000] + jfr'
import short.jfr
is "$? $(samples) $(grep -c "another chunk begins at byte $((size + 1000))" err) $(grep -c '1000 bytes of them were lost' err)" '1 200 1 1' \
    'a chunk that is cut, with another one behind it'
made junk.jfr 'data = jfr + b"junk" * 10 + jfr'
import junk.jfr
is "$? $(samples) $(grep -c "byte $size: a chunk begins here that is cut or damaged; 1 of 3 chunks is damaged, and 40 bytes" err)" '1 200 1' \
    'bytes between chunks are passed over'
# An event of 40 samples from the beginning of the second chunk has an impossible size: 100 + 40 + 100
made event.jfr 'events = [profiles.Jfr().event(100, varint(1000 + 10000 * (i + 1)) + varint(1) + varint(1)) for i in range(40)]
at = 68 + sum(map(len, events))
data = jfr + jfr[:at] + bytes(4) + jfr[at + 4:] + jfr
print(size - at, file=open("lost", "w"))'
import event.jfr
is "$? $(samples) $(grep -c "an event with an impossible size; 1 of 3 chunks is damaged, and $(cat lost) bytes of them were lost" err) $(wc -l <err)" \
    '1 240 1 1' 'damage within a chunk: the samples before it, and the other chunks'
# The same in a chunk whose constants are in two checkpoints, each at a place of its own, of which the second leads to the
# first: threads and methods are known. Of the samples 7 are before the damage, 5 behind it.
made linked.jfr 'class Linked(Async):
    def samples(self):
        parts = super().pools()
        self.one = self.event(1, b"\0\0\0\1\1" + varint(15) + b"\1\1" + self.text("os") + varint(77) + self.text("worker") + varint(5))
        before, behind = (self.event(100, varint(2000) + varint(1) + varint(1) + varint(1)) * n for n in (7, 5))
        self.first = 68 + len(before) + 8
        return before + bytes(8) + self.one + behind
    def pools(self):
        whole = super().pools()
        at = 68 + len(self.samples())
        # the same constants without the thread, and with the way back: nine bytes of it are a negative number
        step = (self.first - at) % 2**64
        back = bytes((step >> 7 * i) & 0x7f | 0x80 for i in range(8)) + bytes([step >> 56])
        body = whole[4 + 1:].replace(self.text("os") + varint(77) + self.text("worker") + varint(5), b"")
        body = b"\0\0" + back + body[3:].replace(varint(15) + varint(1) + varint(1), varint(15) + varint(0))
        return self.event(1, body)
data = Linked(name="").chunk()'
import linked.jfr
is "$? $(folded) $("$programs/assay-info" out/*.trace 2>/dev/null | awk '$3 == 7 { print $1, $NF }')" '1 main;a 7  77 worker' \
    'damage within a chunk: constants behind it are found by the way back from the last ones'
made two.jfr 'data = jfr + b"XLR" + jfr[3:] + jfr + b"YLR" + jfr[3:] + jfr'
import two.jfr
is "$? $(samples) $(grep -c "2 of 5 chunks are damaged, and $((2 * size)) bytes of them were lost" err) $(wc -l <err)" '1 300 1 1' \
    'two damaged chunks: one line'
gzip -c magic.jfr >magic.jfr.gz
import magic.jfr.gz
is "$? $(samples)" '1 200' 'the same compressed'
import --keep-going magic.jfr
is "$?" 0 '  with --keep-going: status 0'

# --- who recorded it ---
made async.jfr 'data = Async(samples=[(1, 1, 1)] * 3).chunk()'
import async.jfr
is "$? $(samples)" '0 3' 'a recording of async-profiler'
like "$(imported >seen; echo seen)" '"tool":"async-profiler 3.0"' '  its trace names it, as the recording does'
made types.jfr 'data = Async(name="", samples=[(1, 1, 1)], types=[(107, "profiler.WallClockSample", [])]).chunk()'
import types.jfr
like "$(imported >seen; echo seen)" '"tool":"async-profiler"' "  types of its own name it, too"
import sound.jfr
like "$(imported >seen; echo seen)" '"tool":"JDK Flight Recorder"' 'any other recording is JDK Flight Recorder.s'
made user.jfr 'data = Async(name="my run", samples=[(1, 1, 1)]).chunk()'
import user.jfr
like "$(imported >seen; echo seen)" '"tool":"JDK Flight Recorder"' "  whatever its user calls it"
made both.jfr 'data = Async(samples=[(1, 1, 1)]).chunk() + jfr'
import both.jfr
is "$? $(grep -c 'its chunks are of more than one recorder' err)" '0 1' 'chunks of two recorders: a line tells it'
printf 'main@java 1 1 1 main;b\n' | "$build/tests/make_trace" other.trace clock=random run=1 series=s
import async.jfr
"$programs/assay-agree" --format csv out/async.jfr.trace other.trace >said 2>/dev/null
is "$? $(tail -n 1 said | cut -d, -f1,2)" '0 async-profiler 3.0,random' 'assay agree calls it by that name'

# The kind of the innermost frame: async-profiler has more of them than JDK Flight Recorder
for kind in 'C++|native' 'Kernel|native' 'C1 compiled|compiled' 'Interpreted|interpreted' 'other|unknown'; do
    made kind.jfr "chunk = Async(samples=[(1, 1, 1)] * 7)
chunk.text = lambda text, own=chunk.text: own('${kind%|*}' if text == 'JIT compiled' else text)
data = chunk.chunk()"
    import kind.jfr
    is "$("$programs/assay-info" out/*.trace 2>/dev/null | awk '$1 == "samples" { print $2, $3 }')" "7 ${kind#*|}" "a frame of the kind ${kind%|*}"
done

# --- threads and their states ---
made states.jfr 'data = Async(samples=[(1, 1, 1), (1, 1, 2), (1, 2, 3), (1, 2, 3)]).chunk()'
import states.jfr
is "$? $(folded)" '0 main;a 2 main;b 2 ' 'samples in any state of their thread'
is "$(cat err)" 'assay-import: states.jfr: not all of its threads were running, which --state can choose: 2 sleeping' \
    '  a line tells that there are several'
state() {
    "$programs/assay-export" --to folded --state "$1" out/*.trace 2>err | tr '\n' ' '
}
is "$(state runnable)" 'main;a 1 ' "  runnable is the JVM's word for running"
is "$(state running) $(state sleeping) $(state default) $(state sleeping,default)" 'main;a 1  main;b 2  main;a 1  main;a 1 main;b 2 ' \
    '  --state chooses them'
is "$("$programs/assay-hot" --state running,sleeping --format csv out/*.trace 2>/dev/null | tail -n +2 | cut -d, -f2,7 | tr '\n' ' ')" 'b,2 a,1 ' \
    '  assay hot: the same'
"$programs/assay-hot" --state running,sleeping --save-state a.state out/*.trace 2>/dev/null
"$programs/assay-merge" -o both.state a.state
is "$("$programs/assay-hot" --state sleeping,running --format csv both.state | tail -n +2 | cut -d, -f2,7 | tr '\n' ' ')" 'b,2 a,1 ' \
    '  a saved state keeps them, also joined by assay merge'
"$programs/assay-hot" both.state >said 2>err
is "$? $(cat err)" '1 assay-hot: both.state: was saved with --state running,sleeping: use it likewise' \
    '  and is not taken for another'
is "$("$programs/assay-info" out/*.trace | awk '$1 == "threads" { print $2, $3 }' | tr '\n' ' ')" '1 running 2 sleeping 1 default ' \
    '  assay info shows them'
is "$("$programs/assay-dump" out/*.trace | tail -n +2 | cut -d, -f8,10 | tr '\n' ' ')" 'default,a running,a sleeping,b sleeping,b ' \
    '  and assay dump each one'
"$programs/assay-hot" --state awake out/*.trace >said 2>err
is "$? $(head -n 1 err)" "2 assay-hot: --state 'awake': no such state; there are unknown, running, sleeping, waiting, parked, blocked, new, terminated, default" \
    'a state that there is not: status 2 and what there is'
made hotspot.jfr 'chunk = Async(name="", samples=[(1, 1, n) for n in range(1, 10)])
chunk.STATES = ["STATE_RUNNABLE", "STATE_SLEEPING", "STATE_IN_OBJECT_WAIT", "STATE_IN_OBJECT_WAIT_TIMED", "STATE_PARKED", "STATE_PARKED_TIMED", "STATE_BLOCKED_ON_MONITOR_ENTER", "STATE_NEW", "STATE_X"]
data = chunk.chunk()'
import hotspot.jfr
is "$("$programs/assay-info" out/*.trace | awk '$1 == "threads" { print $2, $3 }' | tr '\n' ' ')" \
    '1 unknown 1 running 1 sleeping 2 waiting 2 parked 1 blocked 1 new ' "the states of HotSpot, and one that is not known"
import sound.jfr
"$programs/assay-hot" --state running out/*.trace >said 2>err
is "$? $(cat err)" "1 assay-hot: out/sound.jfr.trace: whether its threads ran is not known, so --state can't be used" \
    'a recording without states: status 1 and one line'
import async.jfr
is "$(cat err)" '' '  none if all were running'
made none.jfr 'data = Async(samples=[(0, 1, 1), (1, 1, 1)]).chunk()'
import none.jfr
is "$? $(samples) $(grep -c "samples without a thread, which are in '.unknown.': 1" err)" '0 2 1' 'a sample without a thread is kept, and reported'
made undefined.jfr 'data = Async(samples=[(9, 1, 1), (1, 1, 1)]).chunk()'
import undefined.jfr
is "$? $(samples) $(grep -c 'a sample whose thread is not defined; 1 such place' err)" '1 2 1' 'a thread that is not defined: status 1, and the sample is kept'
# The field with the thread has one of two names; without either threads are not known
event() {
    made event.jfr "chunk = Async(types=[(110, 'jdk.ThreadPark', [('startTime', 3, ''), ('stackTrace', 14, 'pool')]$1)])
chunk.samples = lambda: chunk.event(110, varint(2000) + varint(1) + varint(1)) * 5
data = chunk.chunk()"
    import --profile jdk.ThreadPark event.jfr
    is "$? $(samples) $(grep -c 'not known: .*threads' said) $("$programs/assay-info" out/*.trace 2>/dev/null | awk '$3 == 5 { print $1, $NF }')" "0 5 $2" "$3"
}
event " + [('eventThread', 15, 'pool')]" '0 77 worker' 'an event with eventThread'
event " + [('sampledThread', 15, 'pool')]" '0 77 worker' 'the same event with sampledThread'
event " + [('thread', 3, '')]" '1 0 0.000' 'an event without a thread: a line says that threads are not known'

# --- locks and allocations: events that last or have bytes, of thread 1 ---
# profiles.JfrOfAsyncProfiler says which there are. A tick is 1 us.
made locks.jfr 'data = Async(aside=True).chunk()'
import locks.jfr
is "$? $(ls out | tr '\n' ' ')" \
    '0 locks.jfr.jdk.JavaMonitorEnter.trace locks.jfr.jdk.ObjectAllocationInNewTLAB.trace locks.jfr.jdk.ObjectAllocationOutsideTLAB.trace locks.jfr.profiler.Malloc.trace ' \
    'a recording without samples of execution: its locks and allocations are profiles'
like err 'it has no samples of execution, so its events of locks, allocations and files were taken$' '  a line tells it'
# weighs EVENT WEIGHT
weighs() {
    "$programs/assay-export" --to folded ${2:+--weight $2} "out/locks.jfr.$1.trace" 2>&1 | tr '\n' ' '
}
is "$(weighs jdk.JavaMonitorEnter) $(weighs jdk.JavaMonitorEnter duration) $(weighs jdk.JavaMonitorEnter samples)" \
    'main;a 2 main;b 1  main;a 12000 main;b 30000  main;a 2 main;b 1 ' 'locks: how often, and for how many ns'
is "$(weighs jdk.ObjectAllocationInNewTLAB) $(weighs jdk.ObjectAllocationInNewTLAB bytes) $(weighs jdk.ObjectAllocationInNewTLAB allocationSize)" \
    'main;a 2  main;a 4000  main;a 40 ' 'allocations in new buffers: how often, bytes of the buffers and of the objects'
is "$(weighs jdk.ObjectAllocationOutsideTLAB bytes) $(weighs profiler.Malloc bytes)" 'main;b 500  main;b;c 64 ' \
    'other allocations, and those of native code'
is "$(weighs profiler.Malloc duration)" \
    "assay-export: out/locks.jfr.profiler.Malloc.trace: its samples have no weight 'duration', but: samples (events), bytes " \
    'a weight that events do not have: one line lists those that they have'
made both.jfr 'data = Async(samples=[(1, 1, 2)], aside=True).chunk()'
import both.jfr
is "$? $(folded)" '0 main;a 1 ' 'beside samples of execution such events are left out'
is "$(cat err)" 'assay-import: both.jfr: --profile chooses other events: jdk.JavaMonitorEnter (3), jdk.ObjectAllocationInNewTLAB (2), jdk.ObjectAllocationOutsideTLAB (1), profiler.Malloc (1)' \
    '  a line names them'
import --profile jdk.JavaMonitorEnter both.jfr
is "$? $("$programs/assay-export" --to folded --weight duration out/*.trace | tr '\n' ' ') $(cat err)" '0 main;a 12000 main;b 30000  ' \
    '  --profile chooses one'

done_testing
