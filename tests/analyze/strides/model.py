"""Strides of the loads in a trace of mode memory, by a second way: for known.t. Only what assay dump prints is read.

model.py DUMP METHODS TRACE...: of methods whose name (of Java: Class.method) matches the regular expression METHODS. Prints
CSV with the columns site, loop, kind, partner, stride, majority and executions.

Every load is looked at in each loop around it, whichever of them assay strides chooses. Of the executions of a load in an
iteration of the loop the first one counts.
"""

import csv
import re
import subprocess
import sys
from collections import Counter, defaultdict
from operator import itemgetter

MAJORITY = 0.75
OBJECT_BYTES = 1 << 16  # an address this close to a loaded value is in the object that the value points to
ENOUGH = 20  # iterations, for a statement


def lines(dump, trace, kind):
    process = subprocess.Popen([dump, "--kind", kind, trace], stdout=subprocess.PIPE, text=True)
    yield from process.stdout
    if process.wait() != 0:
        sys.exit(f"model.py: {trace}: no table of kind {kind}")


def rows(dump, trace, kind):
    return csv.DictReader(lines(dump, trace, kind))


def numbers(dump, trace, kind, *columns):
    """Cells of these columns in each row of a long table without texts in quotes."""
    table = lines(dump, trace, kind)
    cells = itemgetter(*map(next(table).rstrip().split(",").index, columns))
    return (cells(line.split(",")) for line in table)


def most_frequent(counter):
    """Value, share, and how many there are in all."""
    count = sum(counter.values())
    return (*counter.most_common(1)[0], count) if count else (None, 0, 0)


class Names:
    """Where contexts are: METHOD:LINE of their own frames."""

    def __init__(self, dump, trace):
        methods = {row["id"]: (row["class"] + "." if row["class"] else "") + row["name"] for row in rows(dump, trace, "method")}
        frames = {row["id"]: f'{methods[row["method"]]}:{row["line"]}' for row in rows(dump, trace, "frame")}
        self.of_context = {row["id"]: frames[row["frame"]] for row in rows(dump, trace, "context")}


class Load:
    """A load in a loop, both by their places; what all its contexts and threads have in common."""

    def __init__(self):
        self.executions = 0
        self.strides = Counter()
        self.distances = defaultdict(Counter)  # by partner: address minus that of the partner
        self.leads = defaultdict(Counter)  # by partner: address minus the value that the partner has loaded
        self.scales = defaultdict(Counter)  # by partner: change of the address for a change of the loaded value by 1

    def verdict(self):
        stride, count, all_strides = most_frequent(self.strides)
        majority = count / all_strides if all_strides else 0
        if all_strides >= ENOUGH and majority > MAJORITY and not stride:
            return "none", "", stride, majority
        moves = Counter({number: count for number, count in self.strides.items() if number})
        step, steps, all_moves = most_frequent(moves)
        if all_moves >= ENOUGH and steps > MAJORITY * all_moves:
            return "inter", "", step, steps / all_moves
        nearest = sorted(self.distances, key=lambda partner: abs(most_frequent(self.leads[partner])[0]))
        for partner in nearest:
            distance, count, pairs = most_frequent(self.distances[partner])
            lead, leads, _ = most_frequent(self.leads[partner])
            if pairs >= ENOUGH and leads > MAJORITY * pairs and abs(lead) < OBJECT_BYTES and count > MAJORITY * pairs:
                return "intra", partner, distance, count / pairs
        for partner, scales in self.scales.items():
            scale, count, changes = most_frequent(scales)
            lead, leads, _ = most_frequent(self.leads[partner])
            # A pointer leads to its object itself, and is no index
            if changes >= ENOUGH and count > MAJORITY * changes and (scale != 1 or abs(lead) >= OBJECT_BYTES):
                return "indirect", partner, "", count / changes
        return "none", "", "", majority


class Loop:
    """A loop in a context: its iteration, and what its loads did in this one and in the one before."""

    def __init__(self, place, outer):
        self.place, self.outer = place, outer
        self.now, self.before = {}, {}  # by site: address and value
        self.last = {}  # by site: address, and the iteration
        self.iteration = 0

    def iterate(self, count):
        self.iteration += count
        self.before = self.now if count == 1 else {}
        self.now = {}


def follow(dump, trace, methods, loads):
    names = Names(dump, trace)
    loops = {row["id"]: Loop(names.of_context[row["context"]], row["outer"]) for row in rows(dump, trace, "loop")}
    sites = {}  # of loads in loops: their place and loop
    for row in rows(dump, trace, "site"):
        place = names.of_context[row["context"]]
        if row["access"] == "load" and row["loop"] in loops and methods.search(place):
            sites[row["id"]] = place, row["loop"]
    table = numbers(dump, trace, "iteration", "accesses", "loop", "count")
    iterations = ((int(at), loop, int(count)) for at, loop, count in table)
    end = float("inf"), None, 0  # after all accesses
    at, loop, count = next(iterations, end)
    for number, (site, address, value) in enumerate(numbers(dump, trace, "access", "site", "address", "value")):
        while at <= number:
            if loop in loops:
                loops[loop].iterate(count)
            at, loop, count = next(iterations, end)
        if site not in sites:
            continue
        place, around = sites[site]
        while around in loops:
            note(loads[place, loops[around].place], loops[around], place, int(address), int(value))
            around = loops[around].outer


def note(load, loop, place, address, value):
    load.executions += 1
    if place in loop.now:
        return
    if place in loop.last and loop.last[place][1] == loop.iteration - 1:
        load.strides[address - loop.last[place][0]] += 1
    loop.last[place] = address, loop.iteration
    for partner, (its_address, its_value) in loop.now.items():
        load.distances[partner][address - its_address] += 1
        load.leads[partner][address - its_value] += 1
        if partner in loop.before and place in loop.before and its_value != loop.before[partner][1]:
            scale = (address - loop.before[place][0]) / (its_value - loop.before[partner][1])
            load.scales[partner][scale] += scale != 0
    loop.now[place] = address, value


def main():
    dump, methods, *traces = sys.argv[1:]
    loads = defaultdict(Load)
    for trace in traces:
        follow(dump, trace, re.compile(methods), loads)
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["site", "loop", "kind", "partner", "stride", "majority", "executions"])
    for (place, loop), load in sorted(loads.items()):
        kind, partner, stride, majority = load.verdict()
        table.writerow([place, loop, kind, partner, stride, f"{majority:.6f}", load.executions])


main()
