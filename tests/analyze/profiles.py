"""profiles.py DIR: writes one small profile in every format that assay import reads, byte by byte from the formats'
descriptions and without assay: main;a 30, main;b 50, main;b;c 20 samples; in formats without stacks the methods alone.
profiles.py --pprof FILE: prints what a pprof file holds, stack by stack."""
import gzip
import json
import struct
import sys

STACKS = [(("main", "a"), 30), (("main", "b"), 50), (("main", "b", "c"), 20)]
METHODS = ["main", "a", "b", "c"]


def write(directory, name, data):
    with open(f"{directory}/{name}", "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())


def varint(n):
    out = b""
    while n >= 0x80:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


def number(field, n):
    return varint(field << 3) + varint(n)


def part(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


# --- text ---

def folded():
    return "".join(f"{';'.join(stack)} {count}\n" for stack, count in STACKS)


def perf():
    out, at = "", 0
    for stack, count in STACKS:
        for _ in range(count):
            at += 1
            out += f"prog  7/8  [001] 5.{at:06}:     250000 cpu-clock:u: \n"
            out += "".join(f"\t{METHODS.index(m) + 4096:16x} {m}+0x5 (/bin/prog)\n" for m in reversed(stack)) + "\n"
    return out


def perf_columns():
    """No times, an accessed address before each stack, lines of source, and records that are no samples."""
    out = ""
    for stack, count in STACKS:
        out += "prog  8  PERF_RECORD_COMM: prog:7/8\n"
        for _ in range(count):
            out += "prog  7/8  [001]     250000 cpu-clock:u:     7ffc7f6d9c89 d+0x1 (/x/data)\n"
            out += "".join(f"\t{METHODS.index(m) + 4096:16x} {m}+0x5 (/bin/prog)\n  prog.c:7\n" for m in reversed(stack)) + "\n"
    return out


def simpleperf():
    """As simpleperf report-sample writes it; the first frame comes before the others."""
    out, at = "meta_info:\n  trace_offcpu: false\n", 10**9
    for stack, count in STACKS:
        for _ in range(count):
            at += 10**7
            frames = [f"vaddr_in_file: {METHODS.index(m)}9\n@file: /data/prog\n@symbol: {m}\n" for m in reversed(stack)]
            out += (f"sample:\n  event_type: cpu-clock\n  time: {at}\n  event_count: 10000000\n  thread_id: 77\n"
                    f"  thread_name: worker\n  {frames[0].replace('@', '  ')}  callchain:\n" +
                    "".join("    " + frame.replace("@", "    ") for frame in frames[1:]))
    return out


def self_counts():
    counts = {}
    for stack, count in STACKS:
        counts[stack[-1]] = counts.get(stack[-1], 0) + count
    return sorted(counts.items(), key=lambda item: -item[1])


def gprof():
    out = "Flat profile:\n\nEach sample counts as 0.01 seconds.\n"
    out += "  %   cumulative   self              self     total           \n"
    out += " time   seconds   seconds    calls  ms/call  ms/call  name    \n"
    cumulative = 0
    for method, count in self_counts():
        cumulative += count
        out += f"{count:6.2f}{cumulative / 100:11.2f}{count / 100:9.2f}{count:9}     1.00     1.00  {method}\n"
    return out + "  0.00       1.00     0.00                             main\n\n % the percentage of the time\n"


def callgrind():
    out = "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npositions: line\nevents: Ir\nsummary: 100\n\n"
    out += "ob=(1) /bin/prog\nfl=(1) prog.c\nfn=(1) main\n3 0\ncfn=(2) a\ncalls=1 10\n+1 30\ncfn=(3) b\ncalls=1 20\n* 70\n\n"
    out += "fn=(2)\n10 10\n+2 15\n-1 5\n\nfn=(3)\n20 50\ncfn=(4) c\ncalls=2 30\n* 20\n\nfn=(4)\n30 20\n\ntotals: 100\n"
    return out


def csv():
    return "Symbol Name,Self %\n" + "".join(f'"{m}",{c / 1.0:.1f}%\n' for m, c in self_counts())


def tree():
    """A table with indented methods and inclusive weights: b has its own 50 and the 20 of c."""
    return "Weight\tSymbol Names\n100\t main\n30\t  a\n70\t  b\n20\t   c\n"


# --- binary ---

def pprof():
    texts = ["", "samples", "count", "cpu", "nanoseconds", "main", "a", "b", "c", "prog.c"]
    out = part(1, number(1, 1) + number(2, 2))
    for stack, count in STACKS:
        ids = b"".join(varint(METHODS.index(m) + 11) for m in reversed(stack))
        out += part(2, part(1, ids) + part(2, varint(count)))
    for i in range(len(METHODS)):
        out += part(4, number(1, i + 11) + number(3, 4096 + i) + part(4, number(1, i + 21) + number(2, i + 1)))
        out += part(5, number(1, i + 21) + number(2, i + 5) + number(4, 9))
    out += part(11, number(1, 3) + number(2, 4)) + number(12, 10000000)
    return out + b"".join(part(6, text.encode()) for text in texts)


def pprof_of(types, samples, **texts):
    """A profile of types (name, unit) and samples (stack, values, labels); a stack is a text from its outermost frame on,
    and a label's value a text or a number. texts: drop_frames, keep_frames, default_type."""
    table = [""]

    def text(t):
        if t not in table:
            table.append(t)
        return table.index(t)

    methods = []
    out = b"".join(part(1, number(1, text(name)) + number(2, text(unit))) for name, unit in types)
    for stack, values, labels in samples:
        frames = stack.split(";")
        methods += [m for m in frames if m not in methods]
        sample = part(1, b"".join(varint(methods.index(m) + 1) for m in reversed(frames)))
        sample += part(2, b"".join(varint(v % 2**64) for v in values))
        for key, value in labels.items():
            is_text = isinstance(value, str)
            sample += part(3, number(1, text(key)) + (number(2, text(value)) if is_text else number(3, value)))
        out += part(2, sample)
    for i, m in enumerate(methods):
        out += part(4, number(1, i + 1) + part(4, number(1, i + 1))) + part(5, number(1, i + 1) + number(2, text(m)))
    for field, key in ((7, "drop_frames"), (8, "keep_frames"), (14, "default_type")):
        out += number(field, text(texts[key])) if key in texts else b""
    return out + b"".join(part(6, t.encode()) for t in table)


def packed(field, numbers):
    return part(field, b"".join(varint(n) for n in numbers))


def otlp(values=4, attributes=2, link=3, timed=True, extra=True, types=()):
    """ProfilesData of OTLP 1.10, or with the field numbers of 1.8 and 1.9. Zero elements come first in each table. A
    sample has a time for each count and no values, or one value. types: profiles around that one, the first before it: ids
    of texts for type and unit, and a value for each stack."""
    texts = ["", "samples", "count", "cpu", "nanoseconds", "main", "a", "b", "c", "prog.c", "thread.name", "thread.id"]
    out, at = part(1, number(1, 1) + number(2, 2)), 10**18
    for i, (_, count) in enumerate(STACKS):
        sample = number(1, i + 1)
        if timed:
            sample += part(5, struct.pack(f"<{count}Q", *range(at, at + 10**7 * count, 10**7)))
            at += 10**7 * count
        else:
            sample += packed(values, [count])
        sample += packed(attributes, [1, 2]) + number(link, 1) if extra else b""
        out += part(2, sample)
    out += varint(3 << 3 | 1) + struct.pack("<Q", 10**18) + part(5, number(1, 3) + number(2, 4)) + number(6, 10**7)
    tables = part(1, b"") + part(2, b"") + part(3, b"") + part(4, b"") + part(6, b"") + part(7, b"")
    for i, method in enumerate(METHODS):
        tables += part(3, number(1, i + 5) + number(3, 9))
        tables += part(2, number(2, 4096 + i) + part(3, number(1, i + 1) + number(2, i + 1)))
    for stack, _ in STACKS:
        tables += part(7, packed(1, [METHODS.index(m) + 1 for m in reversed(stack)]))
    tables += part(6, number(1, 10) + part(2, part(1, b"worker"))) + part(6, number(1, 11) + part(2, number(3, 77)))
    tables += b"".join(part(5, text.encode()) for text in texts)
    others = [part(2, part(1, number(1, type_text) + number(2, unit)) + b"".join(
        part(2, number(1, i + 1) + packed(values, [count]) + (packed(attributes, [1, 2]) + number(link, 1) if extra else b""))
        for i, count in enumerate(counts))) for type_text, unit, counts in types]
    scope = b"".join(others[:1]) + part(2, out) + b"".join(others[1:])
    return part(1, part(1, b"") + part(2, scope)) + part(2, tables)


def otlp_old():
    return otlp(values=2, attributes=3, link=4, timed=False)


def otlp_bare():
    """Of the versions before 1.10, with neither attributes nor links: values alone can't come from 1.10."""
    return otlp(values=2, timed=False, extra=False)


def otlp_json(samples="samples", lines="lines", text=True):
    """The same message in JSON: 64-bit integers are strings, zeros are absent; or with the names of 1.8 and plain numbers,
    and the values of attributes in the dictionary."""
    def whole(n):
        return str(n) if text else n

    texts = ["", "samples", "count", "cpu", "nanoseconds", "main", "a", "b", "c", "prog.c", "thread.name", "thread.id",
             "worker"]
    profile, at = {"sampleType": {"typeStrindex": 1, "unitStrindex": 2}, samples: []}, 10**18
    for i, (_, count) in enumerate(STACKS):
        sample = {"stackIndex": i + 1, "attributeIndices": [1, 2], "linkIndex": 1}
        if text:
            sample["timestampsUnixNano"] = [str(at + 10**7 * n) for n in range(count)]
            at += 10**7 * count
        else:
            sample["values"] = [count]
        profile[samples].append(sample)
    profile.update({"timeUnixNano": str(10**18), "periodType": {"typeStrindex": 3, "unitStrindex": 4},
                    "period": whole(10**7), "profileId": "00ff"})
    name = {"stringValue": "worker"} if text else {"stringValueStrindex": 12}
    tables = {"mappingTable": [{}], "locationTable": [{}], "functionTable": [{}], "linkTable": [{}, {"traceId": "00"}],
              "stringTable": texts, "stackTable": [{}],
              "attributeTable": [{}, {"keyStrindex": 10, "value": name},
                                 {"keyStrindex": 11, "value": {"intValue": whole(77)}}]}
    for i, _ in enumerate(METHODS):
        tables["functionTable"].append({"nameStrindex": i + 5, "filenameStrindex": 9})
        tables["locationTable"].append({"address": whole(4096 + i), lines: [{"functionIndex": i + 1, "line": whole(i + 1)}]})
    for stack, _ in STACKS:
        tables["stackTable"].append({"locationIndices": [METHODS.index(m) + 1 for m in reversed(stack)]})
    scopes = [{"scope": {"name": "x"}, "profiles": [profile]}]
    return json.dumps({"resourceProfiles": [{"resource": {}, "scopeProfiles": scopes}], "dictionary": tables})


def otlp_json_old():
    return otlp_json("sample", "line", False)


def gperftools():
    words = [0, 3, 1, 10000, 0]
    for stack, count in STACKS:
        words += [count, len(stack)] + [METHODS.index(m) + 16 for m in reversed(stack)]
    words += [0, 1, 0]
    text = "\n" + "".join(f" 0x{i + 16:08x} {m} (prog.java:{i + 1})\n" for i, m in enumerate(METHODS))
    return struct.pack(f"<{len(words)}I", *words) + text.encode()


class Jfr:
    """One chunk: metadata, constant pools after the samples, samples."""

    TYPES = [(1, "boolean", []), (2, "int", []), (3, "long", []), (4, "java.lang.String", []),
             (10, "java.lang.Class", [("name", 11, "pool")]), (11, "jdk.types.Symbol", [("string", 4, "")]),
             (12, "jdk.types.Method", [("type", 10, "pool"), ("name", 11, "pool"), ("descriptor", 11, "pool")]),
             (13, "jdk.types.StackFrame", [("method", 12, "pool"), ("lineNumber", 2, ""), ("bytecodeIndex", 2, ""),
                                           ("type", 16, "pool")]),
             (14, "jdk.types.StackTrace", [("truncated", 1, ""), ("frames", 13, "array")]),
             (15, "java.lang.Thread", [("osName", 4, ""), ("osThreadId", 3, ""), ("javaName", 4, ""),
                                       ("javaThreadId", 3, "")]),
             (16, "jdk.types.FrameType", [("description", 4, "")]),
             (100, "jdk.ExecutionSample", [("startTime", 3, ""), ("sampledThread", 15, "pool"),
                                           ("stackTrace", 14, "pool")])]
    MORE = [(101, "jdk.NativeMethodSample", [("startTime", 3, ""), ("sampledThread", 15, "pool"),
                                             ("stackTrace", 14, "pool")]),
            (102, "jdk.CPUTimeSample", [("startTime", 3, ""), ("stackTrace", 14, "pool"), ("eventThread", 15, "pool"),
                                        ("failed", 1, ""), ("samplingPeriod", 3, ""), ("biased", 1, "")]),
            (103, "jdk.CPUTimeSamplesLost", [("startTime", 3, ""), ("lostSamples", 2, ""), ("eventThread", 15, "pool")]),
            (104, "profiler.WallClockSample", [("startTime", 3, ""), ("sampledThread", 15, "pool"),
                                               ("stackTrace", 14, "pool"), ("samples", 2, "")]),
            (105, "jdk.MethodTrace", [("startTime", 3, ""), ("duration", 3, ""), ("eventThread", 15, "pool"),
                                      ("stackTrace", 14, "pool"), ("method", 12, "pool")])]

    def __init__(self, more=False):
        self.types = self.TYPES + (self.MORE if more else [])
        self.more = more

    def event(self, type_id, body):
        body = varint(type_id) + body
        size = len(body) + 4
        return bytes([size & 0x7F | 0x80, size >> 7 & 0x7F | 0x80, size >> 14 & 0x7F | 0x80, size >> 21]) + body

    def text(self, text):
        return b"\x03" + varint(len(text)) + text.encode() if text else b"\x01"

    def metadata(self):
        strings = []

        def index(text):
            if text not in strings:
                strings.append(text)
            return varint(strings.index(text))

        def element(name, attributes, children):
            return (index(name) + varint(len(attributes)) + b"".join(index(k) + index(v) for k, v in attributes) +
                    varint(len(children)) + b"".join(children))

        classes = []
        for type_id, name, fields in self.types:
            inside = []
            for field, of, how in fields:
                attributes = [("name", field), ("class", str(of))]
                attributes += [("constantPool", "true")] if how == "pool" else []
                attributes += [("dimension", "1")] if how == "array" else []
                inside.append(element("field", attributes, []))
            classes.append(element("class", [("name", name), ("id", str(type_id))], inside))
        tree = element("root", [], [element("metadata", [], classes)])
        return self.event(0, varint(0) + varint(0) + varint(1) + varint(len(strings)) +
                          b"".join(self.text(s) for s in strings) + tree)

    def pools(self):
        def pool(type_id, entries):
            return varint(type_id) + varint(len(entries)) + b"".join(varint(key) + value for key, value in entries)

        symbols = [(i + 1, self.text(m)) for i, m in enumerate(METHODS)] + [(9, self.text(""))]
        methods = [(i + 1, varint(1) + varint(i + 1) + varint(9)) for i in range(len(METHODS))]
        stacks = []
        for i, (stack, _) in enumerate(STACKS):
            frames = b"".join(varint(METHODS.index(m) + 1) + varint(METHODS.index(m) + 1) + varint(0) + varint(1)
                              for m in reversed(stack))
            stacks.append((i + 1, b"\x00" + varint(len(stack)) + frames))
        all_pools = [pool(16, [(1, self.text("JIT compiled"))]), pool(14, stacks), pool(12, methods),
                     pool(10, [(1, varint(9))]), pool(11, symbols),
                     pool(15, [(1, self.text("os") + varint(77) + self.text("worker") + varint(5))])]
        all_pools += self.further_pools(pool)
        parts = (all_pools[:2], all_pools[2:]) if self.more else (all_pools,)
        return b"".join(self.event(1, varint(0) + varint(0) + varint(0) + b"\x01" + varint(len(some)) + b"".join(some))
                        for some in parts)

    def further_pools(self, pool):
        return []

    def events(self):
        """Each type of samples: 3 native of main;a; 4 of CPU time of main;b, one of them without a stack, and 5 lost;
        wall-clock samples of weight 6 and 7; a call of c from main;b that took 8 ticks of 1 us."""
        body = b"".join(self.event(101, varint(2000 + i) + varint(1) + varint(1)) for i in range(3))
        body += b"".join(self.event(102, varint(3000 + i) + varint(2 if i else 0) + varint(1) + bytes([not i]) +
                                    varint(10**7) + b"\0") for i in range(4))
        body += self.event(103, varint(3500) + varint(5) + varint(1))
        body += b"".join(self.event(104, varint(4000 + n) + varint(1) + varint(1) + varint(n)) for n in (6, 7))
        return body + self.event(105, varint(5000) + varint(8) + varint(1) + varint(2) + varint(4))

    def samples(self):
        body, at = b"", 1000
        for i, (_, count) in enumerate(STACKS):
            for _ in range(count):
                at += 10000
                body += self.event(100, varint(at) + varint(1) + varint(i + 1))
        return body

    def chunk(self):
        body = self.events() if self.more else self.samples()
        pools_at = 68 + len(body)
        body += self.pools()
        metadata_at = 68 + len(body)
        body += self.metadata()
        return b"FLR\0" + struct.pack(">HHQQQQQQQI", 2, 1, 68 + len(body), pools_at, metadata_at, 10**18, 10**9, 1000,
                                      10**6, 1) + body


class JfrOfAsyncProfiler(Jfr):
    """As async-profiler writes it: the recording has its name, samples have the state of their thread."""

    STATES = ["STATE_DEFAULT", "STATE_RUNNABLE", "STATE_SLEEPING"]

    BASE = [("startTime", 3, ""), ("eventThread", 15, "pool"), ("stackTrace", 14, "pool")]
    ASIDE = [(110, "jdk.JavaMonitorEnter", BASE + [("duration", 3, "")]),
             (111, "jdk.ObjectAllocationInNewTLAB", BASE + [("allocationSize", 3, ""), ("tlabSize", 3, "")]),
             (112, "jdk.ObjectAllocationOutsideTLAB", BASE + [("allocationSize", 3, "")]),
             (113, "profiler.Malloc", BASE + [("address", 3, ""), ("size", 3, "")])]
    ASIDE_EVENTS = [(110, 1, 5), (110, 1, 7), (110, 2, 30), (111, 1, 16, 1000), (111, 1, 24, 3000), (112, 2, 500),
                    (113, 3, 1 << 40, 64)]

    def __init__(self, name="async-profiler 3.0", samples=(), types=(), aside=False):
        """samples: thread (1, or 0 for none), stack and state, each from 1. aside: with events of thread 1 that are no samples
        of execution: entries of a monitor in main;a that took 5 and 7 us, and in main;b that took 30 us; buffers of 1000 and
        3000 bytes for objects of 16 and 24 bytes in main;a; 500 bytes outside of them in main;b; malloc() of 64 in main;b;c."""
        super().__init__()
        self.aside = self.ASIDE_EVENTS if aside else []
        self.types = [t for t in self.TYPES if t[0] != 100] + list(types) + (self.ASIDE if aside else [])
        self.types += [(17, "jdk.types.ThreadState", [("name", 4, "")]),
                       (106, "jdk.ActiveRecording", [("startTime", 3, ""), ("name", 4, ""), ("destination", 4, "")]),
                       (100, "jdk.ExecutionSample", [("startTime", 3, ""), ("sampledThread", 15, "pool"),
                                                     ("stackTrace", 14, "pool"), ("state", 17, "pool")])]
        self.name = name
        self.list = samples

    def further_pools(self, pool):
        return [pool(17, [(i + 1, self.text(state)) for i, state in enumerate(self.STATES)])]

    def samples(self):
        body = self.event(106, varint(1000) + self.text(self.name) + self.text("out.jfr")) if self.name else b""
        return body + b"".join(self.event(100, varint(2000) + varint(thread) + varint(stack) + varint(state))
                               for thread, stack, state in self.list) + b"".join(
            self.event(e[0], varint(2000) + varint(1) + b"".join(map(varint, e[1:]))) for e in self.aside)


# --- JSON ---

def speedscope():
    frames = [{"name": m, "file": "prog.c", "line": i + 1} for i, m in enumerate(METHODS)]
    profile = {"type": "sampled", "name": "worker", "unit": "none", "startValue": 0, "endValue": 100,
               "samples": [[METHODS.index(m) for m in stack] for stack, _ in STACKS],
               "weights": [count for _, count in STACKS]}
    return json.dumps({"profiles": [profile], "shared": {"frames": frames},
                       "$schema": "https://www.speedscope.app/file-format-schema.json"})


def firefox_tables(shared):
    """Stacks main, main;a, main;b, main;b;c as columns; where a stack's caller is moved at version 66."""
    tables = {"stackTable": {"frame": [0, 1, 2, 3], "length": 4},
              "frameTable": {"func": [0, 1, 2, 3], "line": [1, None, 3, 4], "address": [-1] * 4, "length": 4},
              "funcTable": {"name": [4, 3, 2, 1], "isJS": [True] * 4, "length": 4},
              "stringArray": ["prog.js", "c", "b", "a", "main"]}
    if shared:
        tables["stackTable"]["prefixOffset"] = [0, 1, 2, 1]
        tables["funcTable"]["source"] = [0] * 4
        tables["sources"] = {"length": 1, "id": [None], "filename": [0]}
    else:
        tables["stackTable"]["prefix"] = [None, 0, 0, 2]
        tables["funcTable"]["fileName"] = [0] * 4
    return tables


def firefox(shared=True):
    """Version 66, all tables shared; or 40, with tables of the thread and weights."""
    meta = {"interval": 10, "startTime": 10**12, "preprocessedProfileVersion": 66 if shared else 40, "product": "prog"}
    samples = {"stack": [1] * 30 + [2] * 50 + [3] * 20, "timeDeltas": [10] * 100, "weight": None,
               "weightType": "samples", "length": 100}
    if not shared:
        samples = {"stack": [1, 2, 3], "time": [10, 310, 810], "weight": [30, 50, 20], "weightType": "samples"}
    thread = {"name": "worker", "pid": "7", "tid": 77, "samples": samples, "markers": {"name": [0], "data": [None]}}
    if shared:
        return json.dumps({"meta": meta, "libs": [], "threads": [thread], "shared": firefox_tables(True)})
    return json.dumps({"meta": meta, "libs": [], "threads": [thread | firefox_tables(False)]})


def firefox_old():
    return firefox(False)


def gecko():
    """The browser's own profile: tables of rows; the thread is of a second process, which began a second later."""
    def table(schema, data):
        return {"schema": {name: i for i, name in enumerate(schema)}, "data": data}

    samples = [[stack, 10 * (i + 1)] for i, stack in enumerate([1] * 30 + [2] * 50 + [3] * 20)]
    frames = [[4], [3, False, 0, None, None, 3], [2, True], [1, True, 0]]
    thread = {"name": "worker", "tid": 77, "pid": 7, "samples": table(["stack", "time", "eventDelay"], samples),
              "markers": table(["name", "startTime"], [[0, 1.5]]),
              "stackTable": table(["prefix", "frame"], [[None, 0], [0, 1], [0, 2], [2, 3]]),
              "frameTable": table(["location", "relevantForJS", "innerWindowID", "implementation", "column", "line"],
                                  frames),
              "stringTable": ["unused", "c (http://prog.js:4:7)", "b (x -> prog.js:3:1)", "a", "main (prog.js:1)"]}
    inner = {"libs": [], "threads": [thread], "processes": [], "meta": {"interval": 10, "startTime": 10**12 + 1000}}
    outer = {"meta": {"version": 27, "interval": 1, "startTime": 10**12, "gcpoison": 0, "processType": 0}, "libs": [],
             "threads": [], "processes": [inner]}
    return json.dumps(outer)


def devtools():
    """The same, as the Performance panel of Firefox saved it."""
    return json.dumps({"label": "", "duration": 1000.5, "markers": [{"name": "Styles", "processType": 2}], "frames": [],
                       "memory": [], "ticks": [], "profile": json.loads(gecko()), "version": 2})


def xctrace():
    """Each thing once with id, then with ref; stacks within and without tags, and frames of stacks that are new."""
    rows = []
    for i, (stack, count) in enumerate(STACKS):
        frames = "".join(f'<frame id="{10 + METHODS.index(m)}" name="{m}" addr="0x{METHODS.index(m)}9"/>'
                         if (m, i) in (("a", 0), ("main", 0), ("b", 1), ("c", 2))
                         else f'<frame ref="{10 + METHODS.index(m)}"/>' for m in reversed(stack))
        for k in range(count):
            first = i == k == 0
            at = 10 * len(rows) + 100
            thread = '<thread id="2" fmt="worker 0x4d (prog, pid: 7)"><tid id="3" fmt="0x4d">77</tid></thread>' if first \
                else '<thread ref="2"/>'
            weight = '<weight id="4" fmt="1 ns">1</weight>' if first else '<weight ref="4"/>'
            trace = f'<tagged-backtrace id="{20 + i}"><backtrace id="{30 + i}">{frames}</backtrace></tagged-backtrace>' \
                if k == 0 else (f'<backtrace ref="{30 + i}"/>' if k % 2 else f'<tagged-backtrace ref="{20 + i}"/>')
            rows.append(f'<row><sample-time id="{at}" fmt="">{(len(rows) + 1) * 1000000}</sample-time>{thread}{weight}{trace}</row>\n')
    return ('<?xml version="1.0"?>\n<trace-query-result>\n<node xpath=\'//trace-toc[1]\'><schema name="time-profile"><col>'
            '<mnemonic>time</mnemonic></col></schema>\n' + "".join(rows) + "</node></trace-query-result>\n")


def v8_head(key, extra):
    """A tree whose nodes contain their children, with a weight each."""
    def node(i, name, weight, *children):
        return {"functionName": name, "url": "prog.js", "lineNumber": i, key: weight, "id": i, "children": children}

    return json.dumps({"head": node(1, "(root)", 0, node(2, "main", 0, node(3, "a", 30),
                                                         node(4, "b", 50, node(5, "c", 20)))), **extra})


def cpuprofile_old():
    return v8_head("hitCount", {"startTime": 1, "endTime": 1.1, "samples": [3] * 30 + [4] * 50 + [5] * 20,
                                "timestamps": [10**6 + 1000 * i for i in range(100)]})


def heapprofile():
    return v8_head("selfSize", {"samples": [{"size": 30, "nodeId": 3, "ordinal": 1}]})


def cpuprofile():
    def node(i, name, children):
        return {"id": i, "callFrame": {"functionName": name, "url": "prog.js", "lineNumber": i}, "children": children}

    nodes = [node(1, "(root)", [2]), node(2, "main", [3, 4]), node(3, "a", []), node(4, "b", [5]), node(5, "c", [])]
    samples = [3] * 30 + [4] * 50 + [5] * 20
    return json.dumps({"nodes": nodes, "startTime": 1000, "endTime": 101000, "samples": samples,
                       "timeDeltas": [1000] * 100})


def chrome():
    frames = {"1": {"name": "main"}, "2": {"name": "a", "parent": "1"}, "3": {"name": "b", "parent": "1"},
              "4": {"name": "c", "parent": "3"}}
    samples = [{"tid": 8, "cpu": 0, "ts": 1000.5 + i, "name": "samples", "sf": str(i + 2), "weight": count}
               for i, (_, count) in enumerate(STACKS)]
    return json.dumps({"traceEvents": [], "stackFrames": frames, "samples": samples})


def chrome_calls():
    """Entries and exits: an exit that comes first has no entry, an exit of main ends b too, and main has no exit."""
    def event(ph, ns, name):
        return {"ph": ph, "ts": 1000 + ns / 1000, "pid": 7, "tid": 8, "name": name}

    return json.dumps([event("E", 0, "before"), event("B", 0, "main"), event("B", 0, "a"), event("E", 30, "a"),
                       event("B", 30, "b"), event("B", 80, "c"), event("E", 100, "c"), event("E", 100, "b")])


def chrome_v8(ids=("0x1",)):
    """The CPU profile above as DevTools streams it: args first, nodes in the chunk that uses them, a chunk before the
    event that begins the profile."""
    def node(i, name, parent):
        call = {"callFrame": {"functionName": name, "scriptId": 0, "url": "prog.js", "lineNumber": i}, "id": i}
        return dict(call, parent=parent) if parent else call

    def event(name, key, at, tid, data):
        return {"args": {"data": data}, "cat": "disabled-by-default-v8.cpu_profiler", "id": key, "name": name, "ph": "P",
                "pid": 7, "tid": tid, "ts": at}

    def chunk(key, at, nodes, samples):
        return event("ProfileChunk", key, at, 9, {"cpuProfile": {"nodes": nodes, "samples": samples},
                                                  "timeDeltas": [1000] * len(samples), "lines": [0] * len(samples)})

    events = []
    for key in ids:
        events += [chunk(key, 2000, [node(1, "(root)", 0), node(2, "main", 1), node(3, "a", 2)], [3] * 30),
                   event("Profile", key, 1000, 8, {"startTime": 1000}),
                   chunk(key, 40000, [node(4, "b", 2)], [4] * 50),
                   chunk(key, 90000, [node(5, "c", 4)], [5] * 20)]
    return json.dumps({"traceEvents": events})


# --- pprof, read ---

def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        tag, at = read_varint(data, at)
        value, at = read_varint(data, at)
        if tag & 7 == 2:
            value, at = data[at:at + value], at + value
        yield tag >> 3, value


def print_pprof(path):
    with open(path, "rb") as file:
        all_fields = list(fields(gzip.decompress(file.read())))
    texts = [value.decode() for field, value in all_fields if field == 6]
    functions = {f[1]: texts[f[2]] for f in (dict(fields(value)) for field, value in all_fields if field == 5)}
    locations = {}
    for value in (value for field, value in all_fields if field == 4):
        location = dict(fields(value))
        locations[location[1]] = functions[dict(fields(location[4]))[1]]
    types = [dict(fields(value)) for field, value in all_fields if field == 1]
    print("type", texts[types[0][1]], texts[types[0][2]])
    lines = []
    for value in (value for field, value in all_fields if field == 2):
        sample = list(fields(value))
        stack = ";".join(reversed([locations[v] for f, v in sample if f == 1]))
        lines.append(f"{stack} {[v for f, v in sample if f == 2][0]}")
    print("\n".join(sorted(lines)))


def main():
    if sys.argv[1] == "--pprof":
        return print_pprof(sys.argv[2])
    for make in (folded, perf, perf_columns, simpleperf, gprof, callgrind, csv, tree, pprof, otlp, otlp_old, otlp_bare, otlp_json, otlp_json_old, firefox, firefox_old,
                 gperftools, speedscope, gecko, devtools, xctrace, cpuprofile_old, heapprofile, cpuprofile, chrome, chrome_calls, chrome_v8):
        write(sys.argv[1], make.__name__, make())
    write(sys.argv[1], "jfr", Jfr().chunk())
    write(sys.argv[1], "jfr_async", JfrOfAsyncProfiler(samples=[(1, i % 3 + 1, i % 3 + 1) for i in range(100)]).chunk() * 2)
    write(sys.argv[1], "pprof_diff", pprof_of([("cpu", "ns"), ("none", "count")],
                                              [("main;new;a", [9, 0], {"tid": 7}), ("main;b", [5, 0], {"thread": "w"}),
                                               ("main;b", [-2, 0], {"thread": "w"})], drop_frames="new|x[a-z]+"))
    write(sys.argv[1], "pprof_weights", pprof_of([("objects", "count"), ("space", "bytes"), ("time", "ns")],
                                                 [("main;a", [9, 900, 3], {}), ("main;b", [5, 500, 0], {}), ("main;c", [0, 0, 7], {})]))
    write(sys.argv[1], "callgrind_events", "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\nevents: Ir Dr Dw\n\nfn=a\n1 30 7 0\n"
          "fn=b\n2 0 0 9\n3 70 1 2\n\ntotals: 100 8 11\n")
    write(sys.argv[1], "otlp_types", otlp(types=[(10, 2, [0, 0, 0]), (3, 4, [300, 0, 70])]))
    write(sys.argv[1], "jfr_aside", JfrOfAsyncProfiler(aside=True).chunk())
    write(sys.argv[1], "jfr_types", Jfr(more=True).chunk() + Jfr().chunk())
    write(sys.argv[1], "firefox.gz", gzip.compress(firefox().encode(), mtime=0))
    write(sys.argv[1], "pprof.gz", gzip.compress(pprof(), mtime=0))


if __name__ == "__main__":
    main()
