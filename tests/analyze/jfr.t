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
is "$(cat err)" 'assay-import: states.jfr: the states of threads were left out, for which a trace has no place: of 4 samples these were not running: 2 STATE_SLEEPING' \
    '  a line tells that states are left out'
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

done_testing
