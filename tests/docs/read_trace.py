#!/usr/bin/env python3
"""read_trace.py TRACE - a reader of traces that is based only on docs/trace-format.md.

Prints every record as `assay dump --format json` does, then a line {"summary": ...}: metadata, whether the file is
finished, bytes lost, damaged and skipped chunks. Needs the zstd command.
"""
import json
import struct
import subprocess
import sys

HEADER, CHUNK, ENTRY, TRAILER = 24, 44, 16, 24
NONE = 2**64 - 1
MASK = 2**64 - 1
U, S, T = "unsigned", "signed", "text"
SAMPLE = [("time_ns", U), ("cpu_ns", U), ("context", U), ("state", U), ("tick", U), ("weight", U)]
SAMPLE += [(f"weight_{i}", U) for i in range(1, 8)] + [("thread_state", U)]
KINDS = {
    1: ("module", [("id", U), ("path", T), ("build_id", T), ("bias", U), ("low", U), ("high", U)]),
    2: ("method", [("id", U), ("class", T), ("name", T), ("signature", T), ("file", T)]),
    3: ("frame", [("id", U), ("method", U), ("line", U), ("position", S), ("module", U)]),
    4: ("context", [("id", U), ("parent", U), ("frame", U)]),
    5: ("thread", [("id", U), ("tid", U), ("name", T), ("role", U), ("first_ns", U), ("first_cpu_ns", U),
                   ("last_ns", U), ("last_cpu_ns", U)]),
    6: ("object", [("id", U), ("object_kind", U), ("bytes", U), ("context", U)]),
    7: ("site", [("id", U), ("context", U), ("thread", U), ("access", U), ("bytes", U), ("loop", U)]),
    8: ("loop", [("id", U), ("context", U), ("of_thread", U), ("outer", U)]),
    9: ("code", [("id", U), ("address", U), ("bytes", U), ("instructions", U)]),
    16: ("sample", SAMPLE),
    17: ("gc", [("time_ns", U), ("duration_ns", U)]),
    18: ("lost", [("time_ns", U), ("cause", U), ("count", U)]),
    19: ("pair", [("time_ns", U), ("waste", U), ("values", U), ("first", U), ("second", U), ("scope", U), ("object", U),
                  ("events", U), ("wasted_events", U), ("bytes", U), ("wasted_bytes", U)]),
    20: ("total", [("time_ns", U), ("access", U), ("values", U), ("events", U), ("bytes", U)]),
    21: ("access", [("site", U), ("instructions", U), ("address", U), ("value", U), ("value_1", U), ("value_2", U),
                    ("value_3", U)]),
    22: ("trap", [("time_ns", U), ("waste", U), ("values", U), ("first", U), ("second", U), ("wasted", U), ("bytes", U),
                  ("weight", U), ("second_bytes", U), ("register", U), ("first_code_low", U), ("first_code_high", U),
                  ("second_code_low", U), ("second_code_high", U), ("start", U)]),
    23: ("watch", [("time_ns", U), ("outcome", U), ("count", U)]),
    24: ("range", [("time_ns", U), ("start", U), ("end", U), ("instructions", U), ("events", U), ("bytes", U),
                   ("approx_events", U), ("approx_bytes", U)]),
    25: ("event", [("time_ns", U), ("what", U), ("method", U), ("counter_0", U), ("counter_1", U), ("counter_2", U),
                   ("counter_3", U)]),
    26: ("clock", [("time_ns", U), ("what", U), ("from", U), ("to", U), ("share", U)]),
    28: ("vm", [("time_ns", U), ("what", U), ("value", U)]),
    27: ("giveup", [("time_ns", U), ("method", U), ("calls", U), ("mean_ns", U), ("why", U), ("share", U)]),
    29: ("zero-sample", SAMPLE),
    30: ("instance", [("time_ns", U), ("what", U), ("number", U), ("context", U), ("weight", U), ("took_ns", S),
                      ("counter_0", S), ("counter_1", S), ("counter_2", S), ("counter_3", S), ("argument_1", S),
                      ("argument_2", S), ("argument_3", S), ("argument_4", S), ("argument_5", S), ("argument_6", S)]),
    32: ("burst", [("time_ns", U), ("waste", U), ("bytes", U), ("wasted_bytes", U), ("unseen_bytes", U),
                   ("crossing_bytes", U), ("crossing_wasted_bytes", U)]),
    33: ("iteration", [("accesses", U), ("loop", U), ("count", U)]),
    34: ("fetch", [("code", U), ("instructions", U), ("accesses", U), ("count", U)]),
    35: ("dependence", [("from", U), ("to", U), ("how", U)]),
    31: ("index", [("offset", U), ("kind", U), ("thread", U), ("count", U), ("first_ns", U), ("last_ns", U)]),
}
KEYS = {21: "site", 34: "code"}
SAMPLES = ("sample", "zero-sample")
ENUMERATIONS = {
    ("sample", "state"): ["unknown", "native", "compiled", "interpreted", "runtime", "jit", "gc", "vm", "unwalkable",
                          "stub"],
    ("sample", "thread_state"): ["unknown", "running", "sleeping", "waiting", "parked", "blocked", "new", "terminated",
                                 "default"],
    ("thread", "role"): ["native", "java", "jit", "gc", "vm"],
    ("object", "object_kind"): ["static", "heap", "mapped"],
    ("burst", "waste"): ["dead-store", "silent-store", "silent-load", "spatial-load", "adjacent-load"],
    ("pair", "waste"): ["dead-store", "silent-store", "silent-load", "spatial-load", "adjacent-load"],
    ("pair", "values"): ["precise", "approximate"],
    ("total", "access"): ["load", "store"],
    ("site", "access"): ["load", "store"],
    ("dependence", "how"): ["unknown", "base", "index"],
    ("total", "values"): ["precise", "approximate"],
    ("trap", "waste"): ["dead-store", "silent-store", "silent-load", "spatial-load", "adjacent-load"],
    ("trap", "values"): ["precise", "approximate"],
    ("watch", "outcome"): ["declined", "replaced", "given-up", "collected", "unknown", "fresh", "pending", "no-access",
                           "system", "blocked", "kernel",
                           "unseen"],
    ("event", "what"): ["enter", "exit", "exit-by-exception", "unfinished"],
    ("clock", "what"): ["slowed", "corrected", "replaced", "impossible"],
    ("instance", "what"): ["call", "return", "left", "given-up", "unfinished", "too-many", "no-call", "blocked",
                           "subtracted", "cost", "total", "refused", "skidded"],
    ("giveup", "why"): ["short", "costly"],
    ("vm", "what"): ["safepoint-ns", "safepoint-sync-ns", "class-load-ns", "class-verify-ns", "class-init-ns", "classes",
                     "compile-ns", "rewrite-ns", "writer-ns", "outside-writer-ns", "osr-compiles"],
    ("lost", "cause"): ["buffer full", "not delivered", "no thread", "no memory", "write failed", "late attach",
                        "no enter", "given up"],
}


class Damage(Exception):
    pass


class Unknown(Exception):
    pass


def crc_table():
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        yield byte


TABLE = list(crc_table())


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def varints(raw):
    at = 0
    while at < len(raw):
        value, at = varint(raw, at)
        yield value


def varint(raw, at):
    value = shift = 0
    while True:
        if at == len(raw) or shift > 63:
            raise Damage("a varint is cut or too long")
        byte = raw[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            if value > MASK:
                raise Damage("a varint is too large")
            return value, at


def plain(raw):
    return list(varints(raw))


def delta(raw):
    values, value = [], 0
    for z in varints(raw):
        value = value + ((z >> 1) ^ -(z & 1)) & MASK
        values.append(value)
    return values


def difference(z):
    return (z >> 1) ^ -(z & 1)


def pair_place(before, now):
    return (now * 0x9E3779B1 + before * 0x85EBCA6B) % 2**32 >> 16


def chain(raw):
    values, table, before, now = [], {}, 0, 0
    for code in varints(raw):
        place = pair_place(before, now)
        before, now = now, code - 1 if code else table.get(place, 0)
        table[place] = now
        values.append(now)
    return values


def step(raw, keys):
    values, table, key, value = [], {}, 0, 0
    for z, now in zip(varints(raw), keys, strict=True):
        place = pair_place(key, now)
        table[place] = table.get(place, 0) + difference(z) & MASK
        value = value + table[place] & MASK
        key = now
        values.append(value)
    return values


def stride(raw, keys):
    values, table, before = [], {}, 0
    for z, key in zip(varints(raw), keys, strict=True):
        last, stride_now, recent = table.get(key % 2**16, (None, 0, 0))
        expected = before if last is None else last + stride_now
        before = expected + difference(z) & MASK
        moved = 0 if last is None else before - last & MASK
        table[key % 2**16] = (before, moved if moved == recent else stride_now, moved)
        values.append(before)
    return values


def same(raw, keys):
    values, table = [], {}
    for z, key in zip(varints(raw), keys, strict=True):
        table[key % 2**16] = table.get(key % 2**16, 0) + difference(z) & MASK
        values.append(table[key % 2**16])
    return values


def strings(raw):
    values, at = [], 0
    while at < len(raw):
        length, at = varint(raw, at)
        if length > len(raw) - at:
            raise Damage("a text is cut")
        values.append(raw[at:at + length].decode("utf-8", "surrogateescape"))
        at += length
    return values


def unpack(packing, stored, size):
    if packing == 0:
        raw = stored
    else:
        raw = subprocess.run(["zstd", "-dcq"], input=stored, stdout=subprocess.PIPE, check=False).stdout
    if len(raw) != size:
        raise Damage("the sizes do not agree")
    return raw


class Chunk:
    """Reads a chunk header at data[at:]; raises Damage if there is none."""

    def __init__(self, data, at):
        header = data[at:at + CHUNK]
        if len(header) < CHUNK or header[:4] != b"CHNK":
            raise Damage("no chunk")
        (self.kind, self.columns, _, self.stream, self.count, self.first_ns, self.last_ns, self.payload,
         self.directory_crc, crc) = struct.unpack("<4xBBHIIQQIII", header)
        if (crc != crc32c(header[:40]) or self.count > 2**20 or self.payload < ENTRY * self.columns or
                at + CHUNK + self.payload > len(data)):
            raise Damage("no valid chunk header")
        self.at, self.bytes = at, CHUNK + self.payload

    def column(self, data, number, at, size, keys, times):
        name, kind = KINDS[self.kind][1][number]
        coding, packing, _, raw, stored, crc = struct.unpack_from("<BBHIII", data, self.at + CHUNK + ENTRY * number)
        if coding > 7 or packing > 1:
            raise Unknown(f"coding of {name}")
        if stored > size:
            raise Damage(f"{name} extends beyond the chunk")
        content = data[at:at + stored]
        if crc32c(content) != crc:
            raise Damage(f"checksum of {name}")
        if (coding == 2) != (kind == T) or packing == 1 and raw > 2**26:
            raise Damage(f"{name} has the wrong type or is too large")
        raw_bytes = unpack(packing, content, raw)
        if coding == 7:
            if times is None:
                raise Damage(f"{name} is relative to missing times")
            beside = delta(raw_bytes)
            if len(beside) != len(times):
                raise Damage(f"{name} has more or fewer values than there are times")
            values = [(more + time) & MASK for more, time in zip(beside, times)]
        elif coding > 3:
            try:
                values = {4: step, 5: stride, 6: same}[coding](raw_bytes, keys)
            except (TypeError, ValueError) as error:
                raise Damage(f"{name}: {error}") from error
        else:
            values = (plain, delta, strings, chain)[coding](raw_bytes)
        if len(values) != self.count:
            raise Damage(f"{name} has {len(values)} values instead of {self.count}")
        if kind == S:
            values = [value - 2**64 if value >= 2**63 else value for value in values]
        return values, stored

    def rows(self, data):
        if self.kind not in KINDS:
            raise Unknown(f"kind {self.kind}")
        directory = data[self.at + CHUNK:self.at + CHUNK + ENTRY * self.columns]
        if crc32c(directory) != self.directory_crc:
            raise Damage("checksum of the directory")
        at, end, columns = self.at + CHUNK + len(directory), self.at + self.bytes, {}
        for number, (name, kind) in enumerate(KINDS[self.kind][1]):
            if number >= self.columns:
                columns[name] = ["" if kind == T else 0] * self.count
                continue
            columns[name], stored = self.column(data, number, at, end - at, columns.get(KEYS.get(self.kind)),
                                                columns.get("time_ns"))
            at += stored
        return [dict(zip(columns, row)) for row in zip(*columns.values())]


class Trace:
    def __init__(self, data):
        self.data, self.lost_bytes = data, 0
        if data[:8] != b"assayTRC":
            raise SystemExit("no trace")
        major, self.minor, length, metadata_crc, crc = struct.unpack_from("<HHIII", data, 8)
        if major > 1:
            raise SystemExit(f"format version {major}")
        metadata = data[HEADER:HEADER + length]
        if crc32c(data[:20]) != crc or len(metadata) < length or crc32c(metadata) != metadata_crc:
            raise SystemExit("damaged header")
        self.metadata = json.loads(metadata)
        self.start = HEADER + length
        self.finished = self.trailer(len(data) - TRAILER) is not None
        self.indexed = self.finished and self.by_index()
        if not self.indexed:
            self.walk()

    def trailer(self, at):
        trailer = self.data[at:at + TRAILER] if at >= self.start else b""
        if len(trailer) < TRAILER or trailer[:8] != b"assayEND":
            return None
        offset, _, crc = struct.unpack("<QII", trailer[8:])
        return offset if crc == crc32c(trailer[:20]) else None

    def by_index(self):
        offset, chunks = self.trailer(len(self.data) - TRAILER), []
        try:
            while offset != NONE:
                index = Chunk(self.data, self.start + offset)
                if index.kind != 31:
                    return False
                for row in index.rows(self.data):
                    chunk = Chunk(self.data, self.start + row["offset"])
                    if (chunk.kind, chunk.count) != (row["kind"], row["count"]):
                        return False
                    chunks.append(chunk)
                if index.first_ns != NONE and index.first_ns >= offset:
                    return False
                offset = index.first_ns
        except (Damage, Unknown):
            return False
        self.chunks = sorted(chunks, key=lambda chunk: chunk.at)
        return True

    def part(self, at):
        """Returns the chunk at a place, or None for a trailer, and its size; raises Damage if it is neither."""
        if self.trailer(at) is not None:
            return None, TRAILER
        chunk = Chunk(self.data, at)
        return chunk, chunk.bytes

    def resynchronise(self, at):
        end = len(self.data)
        for place in range(at + 1, end):
            if self.data[place:place + 4] == b"CHNK":
                try:
                    Chunk(self.data, place)
                    return place
                except Damage:
                    pass
        return end - TRAILER if self.finished and end - TRAILER > at else end

    def walk(self):
        self.chunks, at = [], self.start
        while at < len(self.data):
            try:
                chunk, size = self.part(at)
                if chunk and chunk.kind != 31:
                    self.chunks.append(chunk)
                at += size
            except Damage:
                after = self.resynchronise(at)
                self.lost_bytes += after - at
                at = after


def name_of(kind, column, value):
    names = ENUMERATIONS.get((kind, column))
    if names is None:
        return value
    return names[value] if value < len(names) else "unknown"


def shown(kind, column, metadata):
    """assay dump shows the columns of samples that the metadata name."""
    number = int(column[7:]) if column.startswith("weight_") else 0
    named = metadata.get("thread_states") is True if column == "thread_state" else number < max(1, len(metadata.get("weights", [])))
    return kind not in SAMPLES or named


def main(path):
    with open(path, "rb") as file:
        trace = Trace(file.read())
    records, defined, damaged, skipped = [], {}, 0, 0
    for chunk in trace.chunks:
        try:
            rows = chunk.rows(trace.data)
        except Unknown:
            skipped += 1
            continue
        except Damage:
            damaged += 1
            continue
        kind = KINDS[chunk.kind][0]
        for row in rows:
            if chunk.kind < 16:
                defined[kind, row["id"]] = row
            records.append((kind, chunk.stream, row))
    lost = {"name": "[lost definition]"}
    for kind, stream, row in records:
        record = {"kind": kind, "thread": stream}
        record.update((column, name_of("sample" if kind in SAMPLES else kind, column, value)) for column, value in row.items()
                      if shown(kind, column, trace.metadata))
        if kind in SAMPLES:
            record["thread_name"] = defined.get(("thread", stream), lost)["name"]
            context = defined.get(("context", row["context"]), {})
            frame = defined.get(("frame", context.get("frame")), {})
            record["method"] = defined.get(("method", frame.get("method")), lost)["name"]
        if kind == "access":
            site = defined.get(("site", row["site"]), {"thread": 0, "context": 0, "access": 0, "bytes": 0})
            record.update(of_thread=site["thread"], context=site["context"], bytes=site["bytes"],
                          access=name_of("site", "access", site["access"]))
        if kind == "iteration":
            loop = defined.get(("loop", row["loop"]), {"of_thread": 0, "context": 0})
            record.update(of_thread=loop["of_thread"], context=loop["context"])
        print(json.dumps(record, sort_keys=True))
    print(json.dumps({"summary": {"metadata": trace.metadata, "finished": trace.finished, "indexed": trace.indexed,
                                  "lost_bytes": trace.lost_bytes, "damaged": damaged, "skipped": skipped}}))


if __name__ == "__main__":
    main(sys.argv[1])
