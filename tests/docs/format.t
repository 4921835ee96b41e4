#!/bin/sh
# docs/trace-format.md: read_trace.py, which is based only on that page, reads what assay dump reads: in a complete
# trace, cut ones, damaged ones, one that a newer version might have written, and a recorded one.
LC_ALL=C.UTF-8
export LC_ALL
. "$(dirname "$0")/../tap.sh"
for need in python3 zstd; do
    command -v "$need" >/dev/null || skip_all "no $need here"
done
needs tests/make_trace tests/make_pairs
dump=$build/libexec/assay/assay-dump
scratch

# Sorted keys and Python's spaces, so that lines can be compared.
canonical() {
    python3 -c 'import json, sys
for line in sys.stdin:
    print(json.dumps(json.loads(line), sort_keys=True))'
}

# agree TRACE WHAT: both print the same records in the same order; the reader's summary is in `summary`
agree() {
    python3 "$root/tests/docs/read_trace.py" "$1" >read 2>err
    sed -n '$p' read >summary
    sed '$d' read >got
    "$dump" --format json "$1" 2>/dev/null | canonical >expected
    is "$(cmp got expected 2>&1; cat err)" '' "$2"
}

# summary KEY
summary() {
    python3 -c 'import json, sys; print(json.load(open("summary"))["summary"][sys.argv[1]])' "$1"
}

version=$(sed -n 's/.*TRACE_MAJOR = \([0-9]*\), TRACE_MINOR = \([0-9]*\).*/\1.\2/p' "$root/trace/schema.h")
is "$(sed -n '1s/.*, version //p' "$root/docs/trace-format.md")" "$version" 'the page specifies the version that is written'
is "$(sed -n 's/^- The format has version \([0-9.]*\),.*/\1/p' "$root/NEWS")" "$version" 'NEWS has the version that is written'

# Each value of an enumeration that assay dump names has a name in the page, and in the reader of that page.
names=$(awk '/static const char \*const names/ { on = 1 } on { print } /;/ { on = 0 }' "$root/trace/schema.c" |
    grep -o '"[^"]*"' | tr -d '"' | sort -u)
is "$(echo "$names" | grep -cx -e enter -e outside-writer-ns)" 2 'the names of values are found in trace/schema.c'
is "$(echo "$names" | while read -r name; do grep -qF "\"$name\"" "$root/tests/docs/read_trace.py" || echo "$name"; done)" '' \
    '  the reader has them all'
is "$(echo "$names" | while read -r name; do grep -qE "^\|.*\| \`?$name\`? \|" "$root/docs/trace-format.md" || echo "$name"; done)" '' \
    '  and so has the page'

# three threads, two with names beyond ASCII; stacks that recur; a column too varied to be compressed; lost records
awk 'BEGIN {
    srand(5)
    for (i = 0; i < 3000; i++) {
        time += int(2e7 * rand()); depth = 1 + int(6 * rand()); stack = "main"
        for (d = 0; d < depth; d++) stack = stack ";m" int(12 * rand())
        printf "%s %d %.0f %.0f %s\n", i % 5 ? "main" : i % 2 ? "wörker/1" : "wörker/2", i, time, time / 3, stack
        if (i % 900 == 0) printf "lost main %d\n", 1 + i
    }
}' >samples
CHUNK=400 "$build/tests/make_trace" whole.trace clock=random period_ns=10000000 note='größer "als"' <samples
agree whole.trace 'a whole trace: both read the same records'
is "$(wc -l <got | tr -d ' ')" "$("$dump" --format json whole.trace | wc -l | tr -d ' ')" '  every record'
is "$(grep -c '"kind": "sample"' got)" 3000 '  3000 of them are samples'
is "$(summary finished) $(summary indexed) $(summary lost_bytes)" 'True True 0' \
    '  it is finished and indexed, and no byte is lost'
is "$(summary metadata)" "{'clock': 'random', 'period_ns': 10000000, 'note': 'größer \"als\"'}" '  its metadata'

"$build/tests/make_pairs" pairs.trace mode=waste 'exact={"lost_nodes":2}' <<'END'
burst 0 314 100 96 68 20
burst 2 20 4 1 2 2
object 0 4000 table
object 1 64 main;make:7;malloc@1f
total main 0 0 100 800
total worker 1 1 10 80
pair main 3 0 main:5 main:6 loop:4 1 50 40 400 320
pair worker 0 1 - main:6 - 0 18446744073709551615 4 8 1
END
agree pairs.trace 'memory accesses: both read the same records'
is "$(grep -c -e '"object_kind": "heap"' -e '"waste": "dead-store"' -e '"access": "store"' got)" 4 \
    '  enumerations have names'

# Several weights and states of threads: those of weight 0 are a kind of their own
python3 -c "import sys
sys.path.insert(0, sys.argv[1])
import profiles
sys.stdout.buffer.write(profiles.pprof_of([('a', 'count'), ('b', 'bytes'), ('c', 'ns')], [('main;f', [7, 10, 300], {}), ('main;g', [1, 70, 0], {})]))" \
    "$root/tests/analyze" >weights.pb
"$build/libexec/assay/assay-import" -q -o weights.trace weights.pb 2>/dev/null
agree weights.trace 'several weights: both read the same records'
is "$(grep '"kind": "\(zero-\)*sample"' got | sed 's/.*"kind": "\([a-z-]*\)".*"method": "\(.\)".*"weight": \([0-9]*\), "weight_1": \([0-9]*\), "weight_2": \([0-9]*\)}/\1 \2 \3 \4 \5/' | tr '\n' ' ')" \
    'sample f 300 7 10 zero-sample g 0 1 70 ' '  a sample of weight 0 is of another kind'

# Calls that were chosen: what they took is signed
printf '%s\n' 'instance call main 10 1 2500 0 0 main;f' 'instance return main 20 1 0 -3 -4' 'instance left main 30 2 0 0 0' |
    "$build/tests/make_trace" chosen.trace mode=calls 'counters=["thread-cpu-ns"]'
agree chosen.trace 'chosen calls: both read the same records'
is "$(python3 -c 'import json
for line in open("got"):
    r = json.loads(line)
    if r["kind"] == "instance":
        print(r["what"], r["number"], r["weight"], r["took_ns"], r["counter_0"])' | xargs)" \
    'call 1 2500 0 0 return 1 0 -3 -4 left 2 0 0 0' '  calls and their ends'

# CPU time together with elapsed time
awk 'BEGIN { for (i = 0; i < 2000; i++) printf "%s t %d f %d %d\n", i % 2 ? "exit" : "enter", i * i * 37, i * i * 37 - 5 * int(i / 90), 3 * i }' |
    "$build/tests/make_trace" events.trace 'counters=["thread-cpu-ns","allocated-bytes"]'
agree events.trace 'method entries and exits: both read the same records'
is "$(python3 - "$root/tests/docs" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from read_trace import Trace

trace = Trace(open("events.trace", "rb").read())
print({tuple(trace.data[chunk.at + 44 + 16 * column] for column in (0, 3, 4)) for chunk in trace.chunks if chunk.kind == 25})
END
)" '{(1, 7, 1)}' '  the columns are coded delta, beside, delta'

size=$(wc -c <whole.trace)
for share in 30 61; do
    head -c $((size * share / 100)) whole.trace >cut.trace
    agree cut.trace "the first $share % of a trace: both read the same records"
    is "$(summary finished)" False '  it is not finished'
done
head -c $((size - 24)) whole.trace >cut.trace
agree cut.trace 'a trace without its trailer: both read the same records'
is "$(summary lost_bytes)" 0 '  no byte is lost'

for share in 20 45 75 99; do
    python3 -c 'import sys
data = bytearray(open("whole.trace", "rb").read())
data[len(data) * int(sys.argv[1]) // 100] ^= 0x55
open("damaged.trace", "wb").write(data)' $share
    agree damaged.trace "a wrong byte at $share % of a trace: both read the same records"
done

# A newer minor version: an unknown kind, an extra column, a missing column, an unknown coding. Without the index, which
# does not describe these chunks.
python3 - "$root/tests/docs" <<'END'
import struct, sys
sys.path.insert(0, sys.argv[1])
from read_trace import Trace, crc32c

trace = Trace(open("whole.trace", "rb").read())
head = bytearray(trace.data[:trace.start])
head[10] = 7
head[20:24] = struct.pack("<I", crc32c(head[:20]))
out = bytes(head)
samples = 0
for chunk in trace.chunks:
    data = trace.data[chunk.at:chunk.at + chunk.bytes]
    header, directory, rest = bytearray(data[:44]), bytearray(data[44:44 + 16 * chunk.columns]), data[44 + 16 * chunk.columns:]
    samples += chunk.kind == 16
    if chunk.kind == 16 and samples % 5 == 1:
        header[4] = 200
    elif chunk.kind == 16 and samples % 5 == 2:
        extra = bytes(chunk.count)
        while len(directory) < 14 * 16:
            directory += struct.pack("<BBHIII", 0, 0, 0, len(extra), len(extra), crc32c(extra))
            rest += extra
        directory += struct.pack("<BBHIII", 99, 99, 0, len(extra), len(extra), crc32c(extra))
        rest += extra
    elif chunk.kind == 16 and samples % 5 == 3:
        rest = rest[:-struct.unpack_from("<I", directory, 64 + 8)[0]]
        directory = directory[:64]
    elif chunk.kind == 16 and samples % 5 == 4:
        directory[16] = 9
    header[5] = len(directory) // 16
    header[32:36] = struct.pack("<I", len(directory) + len(rest))
    header[36:40] = struct.pack("<I", crc32c(directory))
    header[40:44] = struct.pack("<I", crc32c(header[:40]))
    out += bytes(header) + bytes(directory) + rest
open("newer.trace", "wb").write(out)
END
agree newer.trace 'a trace of a newer minor version: both read the same records'
is "$(($(summary skipped) > 2)) $(summary damaged) $(summary lost_bytes)" '1 0 0' \
    '  unknown chunks are skipped, none is damaged'

python3 -c 'data = bytearray(open("whole.trace", "rb").read())
data[8] = 2
open("major.trace", "wb").write(data)'
python3 "$root/tests/docs/read_trace.py" major.trace >out 2>err
is "$? $(cat err)" '1 format version 2' 'a trace of a newer major version is refused by the reader'
"$dump" major.trace >out 2>err
is "$? $(grep -c 'format version 2' err)" '1 1' '  and by assay'

# only the recorder writes modules, positions and lines
"$build/libexec/assay/assay-record" -q -o real.trace -- sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done' 2>err
if [ -s real.trace ]; then
    agree real.trace 'a recorded trace: both read the same records'
    is "$(grep -c '"kind": "module"' got | sed 's/^[1-9][0-9]*$/some/')" some '  it has modules'
    is "$(python3 -c 'import json, re, sys
documented = set(re.findall("`([a-z0-9_]+)`", " ".join(line.split("|")[1] for line in open(sys.argv[1]) if line.startswith("| `"))))
metadata = json.load(open("summary"))["summary"]["metadata"]
print(sorted(set(metadata) - documented), "clock_cost" in metadata)' "$root/docs/trace-format.md")" '[] True' \
        '  the page explains all of its metadata'
else
    skip 'nothing can be recorded here'
    skip 'nothing can be recorded here'
fi

# accesses, whose columns are predicted from each other
cat >touch.c <<'END'
static unsigned long state = 1, table[300]; // Valgrind reads no symbols of a program without initialized data
static unsigned char bytes[700];
void _start(void)
{
    for (int i = 0; i < 3000; i++) {
        state = state * 6364136223846793005ul + 1442695040888963407ul;
        if (state >> 63)
            table[state % 300] += bytes[i % 700] + state;
        else
            bytes[i % 700] = (unsigned char)(state >> 40);
    }
    __asm__ volatile("syscall" : : "a"(60), "D"(0) : "rcx", "r11", "memory");
}
END
if command -v valgrind >/dev/null && [ "$(uname -m)" = x86_64 ] &&
    gcc -O1 -nostdlib -static -no-pie -fno-stack-protector -o touch touch.c; then
    for words in '' --values '--values --fetches'; do
        # shellcheck disable=SC2086
        "$build/libexec/assay/assay-record" -q -m memory $words --overwrite -o touch.trace -- ./touch 2>err
        agree touch.trace "every access of a program${words:+, with $words}: both read the same records"
        [ "$(grep -c '"kind": "access"' got)" -gt 5000 ]
        ok $? '  there are more than 5000'
        is "$(grep -c '"kind": "iteration"' got)" 3000 '  and the iterations of its loop'
        [ "$(grep -c '"kind": "fetch"' got)" -gt 3000 ]
        is $? "$(echo "$words" | grep -q fetches; echo $?)" '  and fetches, if they were wanted'
    done
    size=$(wc -c <touch.trace)
    for share in 50 80 95; do
        python3 -c 'import sys
data = bytearray(open("touch.trace", "rb").read())
data[len(data) * int(sys.argv[1]) // 100] ^= 0x55
open("damaged.trace", "wb").write(data)' $share
        agree damaged.trace "  a wrong byte at $share % of it: both read the same records"
    done
else
    skip 'no valgrind here'
fi
done_testing
