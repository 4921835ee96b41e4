"""waste.py PROGRAM ASSAY TRACE...: one program's rows of tests/peers/waste.bench, after checking its sums.

Reads the records themselves (assay dump), adds them up without assay's analyzers, and compares the sums with those of
assay waste. Prints for each kind: program, fraction, the top pair's share of the kind's waste, its first and second line,
their callers if the lines are the C library's own, and the loop around both. If a sum differs, prints why and returns
status 1.
"""
import csv
import io
import json
import re
import subprocess
import sys
from collections import defaultdict

KINDS = {"dead-store": "store", "silent-store": "store", "silent-load": "load"}
NAME_MAX = 2047  # bytes of a name that analyzers keep
LIBRARY = ("libc.so", "ld-linux", "libm.so")


def run(assay, *arguments):
    return subprocess.run([assay, *arguments], check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout


def records(assay, kind, trace):
    return csv.DictReader(io.StringIO(run(assay, "dump", "--kind", kind, trace)))


def brief(name):
    """A C++ name without its template arguments."""
    while re.search("<[^<>]*>", name):
        name = re.sub(" ?<[^<>]*>", "", name)
    return name


class Places:
    """The contexts of a trace as paths of frames, outermost first; `nodes` numbers the paths of texts of all traces."""

    def __init__(self, assay, trace, nodes):
        self.modules = {r["id"]: r["path"] for r in records(assay, "module", trace)}
        methods = {r["id"]: r for r in records(assay, "method", trace)}
        self.frames = {r["id"]: (methods[r["method"]], r) for r in records(assay, "frame", trace)}
        texts = {frame: self.text(frame) for frame in self.frames}
        self.contexts, self.node = {}, {"0": 0}
        for r in records(assay, "context", trace):
            self.contexts[r["id"]] = r
            self.node[r["id"]] = nodes.setdefault((self.node[r["parent"]], texts[r["frame"]]), len(nodes) + 1)

    def text(self, frame):
        method, place = self.frames[frame]
        name = (method["name"] + method["signature"])[:NAME_MAX]
        if int(place["line"]) > 0:
            return "%s:%s" % (name, place["line"])
        if place["module"] != "0":
            return "%s@0x%x" % (name, int(place["position"]))
        return name

    def path(self, context):
        frames = []
        while context != "0":
            frames.append(self.contexts[context]["frame"])
            context = self.contexts[context]["parent"]
        return frames[::-1]

    def chain(self, context):
        return " > ".join(self.text(frame) for frame in self.path(context)) if context != "0" else ""

    def module(self, frame):
        return self.modules.get(self.frames[frame][1]["module"], "?").rsplit("/", 1)[-1]

    def line(self, frame):
        method, place = self.frames[frame]
        if int(place["line"]) > 0 and method["file"] == self.module(frame):
            return "%s, line %s of an unknown file, in %s" % (brief(method["name"]), place["line"], self.module(frame))
        if int(place["line"]) > 0:
            return "%s:%s (%s)" % (method["file"].rsplit("/", 1)[-1], place["line"], brief(method["name"]))
        return "%s@0x%x in %s, no line" % (brief(method["name"]), int(place["position"]), self.module(frame))

    def describe(self, context):
        """The innermost line and, if that is in the C library, its caller."""
        path = self.path(context)
        if not path:
            return "[unknown]"
        line = self.line(path[-1])
        if self.module(path[-1]).startswith(LIBRARY):
            callers = [frame for frame in path if not self.module(frame).startswith(LIBRARY)]
            line += ", called from " + self.line(callers[-1]) if callers else ", of the C library's own"
        return line


def add_up(assay, traces):
    """Totals; sums of each kind; the wasted bytes of each pair of texts, and one pair of contexts that represents it; the bytes of each pair of contexts in each kind."""
    totals, sums, pairs, shown, nodes = defaultdict(int), defaultdict(lambda: [0, 0]), defaultdict(int), {}, {}
    sizes = defaultdict(lambda: defaultdict(int))
    for trace in traces:
        places = Places(assay, trace, nodes)
        for total in records(assay, "total", trace):
            totals[total["access"]] += int(total["bytes"])
        for pair in records(assay, "pair", trace):
            size, wasted = int(pair["bytes"]), int(pair["wasted_bytes"])
            if not 0 <= wasted <= size or int(pair["wasted_events"]) > int(pair["events"]):
                sys.exit("%s: a pair wastes more than it has: %s" % (trace, dict(pair)))
            sums[pair["waste"]][0] += size
            sums[pair["waste"]][1] += wasted
            key = (pair["waste"], places.node[pair["first"]], places.node[pair["second"]], places.node[pair["scope"]])
            pairs[key] += wasted
            sizes[pair["waste"]][trace, pair["first"], pair["second"]] += size
            shown.setdefault(key, (places, pair))
    return totals, sums, pairs, shown, sizes


def says(row, places, pair):
    """Whether a row of assay waste --pairs describes this pair."""
    scope = places.path(pair["scope"])
    return (row["first_context"] == places.chain(pair["first"]) and row["second_context"] == places.chain(pair["second"]) and
            row["scope"] == (places.text(scope[-1]) if scope else ""))


def problems(assay, traces, totals, sums, pairs, shown, sizes):
    """The inconsistencies, one line each."""
    for row in csv.DictReader(io.StringIO(run(assay, "waste", "-q", "--format", "csv", *traces))):
        kind, (size, wasted) = row["kind"], sums[row["kind"]]
        total = totals[KINDS[kind]]
        if (int(row["bytes"]), int(row["wasted_bytes"])) != (total, wasted):
            yield "%s: assay waste says %s of %s bytes, the records %d of %d" % (
                kind, row["wasted_bytes"], row["bytes"], wasted, total)
        if size > total and kind != "dead-store" or not wasted <= size:
            yield "%s: %d wasted bytes in %d of pairs of %d in all" % (kind, wasted, size, total)
        for name, expected in (("fraction", wasted / total), ("pair_fraction", wasted / size)):
            if abs(float(row[name]) - expected) > 1e-12:
                yield "%s: %s is %s, not %.17g" % (kind, name, row[name], expected)
        most = max(value for key, value in pairs.items() if key[0] == kind)
        top = next(csv.DictReader(io.StringIO(
            run(assay, "waste", "-q", "--pairs", "1", "--kind", kind, "--format", "csv", *traces))))
        found = [key for key, value in pairs.items() if key[0] == kind and value == most and says(top, *shown[key])]
        if int(top["wasted_bytes"]) != most or not found:
            yield "%s: the top pair has %s wasted bytes; the most in the records is %d%s" % (
                kind, top["wasted_bytes"], most, "" if found else ", of another pair")
    # Every stored byte that was stored before is in one pair of each kind, unless one of the two stores is the
    # kernel's: such pairs are not dead stores, and are not compared.
    dead, silent = sizes["dead-store"], sizes["silent-store"]
    both = dead.keys() & silent.keys()
    if not both or any(dead[pair] != silent[pair] for pair in both):
        yield "of %d pairs of stores %d have other bytes as dead stores than as silent ones" % (
            len(both), sum(dead[pair] != silent[pair] for pair in both))


def left_out(assay, traces):
    """The losses that the recording reports."""
    for trace in traces:
        exact = json.loads(run(assay, "info", "--format", "json", trace))["metadata"]["exact"]
        for name, value in exact.items():
            if value and name not in ("instructions", "accesses", "ended", "status"):
                yield "%s %s" % (name, value)


def main(program, assay, traces):
    totals, sums, pairs, shown, sizes = add_up(assay, traces)
    wrong = list(problems(assay, traces, totals, sums, pairs, shown, sizes))
    for line in wrong:
        print("%s: %s" % (program, line), file=sys.stderr)
    for kind, access in KINDS.items():
        key = max((key for key in pairs if key[0] == kind), key=lambda key: (pairs[key], key))
        places, pair = shown[key]
        print("%-8s %-12s %6.2f %%  top pair %5.2f %% of it" % (
            program, kind, 100 * sums[kind][1] / totals[access], 100 * pairs[key] / max(sums[kind][1], 1)))
        print("    first   %s" % places.describe(pair["first"]))
        print("    second  %s" % places.describe(pair["second"]))
        if key[3]:
            print("    loop    %s" % places.line(places.path(pair["scope"])[-1]))
    for line in left_out(assay, traces):
        print("    left out: %s" % line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
