#!/usr/bin/env python3
"""datasets/published: every table is well formed and described, and each derived number is recomputed from the printed
numbers that it derives from, within what their digits allow (printed.py). Numbers that do not follow are listed in
exceptions.csv, with both values; the test fails if one of them follows after all, or if another does not.

published.t [DIRECTORY]"""

import math
import re
import sys
from fractions import Fraction
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from printed import Interval, Table, decimals, exact, f_log10_p, geomean, mean, middle_of, printed, total  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "datasets" / "published"
EXCEPTION_HEADER = ["table", "row", "column", "rule", "published", "data", "low", "high"]

# log10 of the upper tail of F: mpmath 1.3, 60 digits, x^a (1-x)^b / (a B(a,b)) 2F1(1, a+b; a+1; x) summed term by term
# (DLMF 8.17.8), x = within / (within + between F), a = within/2, b = between/2. R 4.2.2's pf(log.p = TRUE) agrees in 10
# digits or more except for two: it gives -Inf at F = 43.03 and -2601.598 at F = 495.95.
LOG10_P = {
    (37.94, 48, 2640): -260.23612630414613,
    (1.74, 10, 664): -1.1648575770353623,
    (43.03, 49, 32339): -396.22984180409593,
    (117.34, 20, 10749): -439.63811158130728,
    (495.95, 26, 102894): -2601.5845269483804,
    (39.23, 26, 89004): -196.4642498027175,
    (63.56, 14, 2934): -156.40888850331015,
    (288.24, 19, 32206): -1074.7180871944753,
}


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def ok(self, good, name, *details):
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}".replace("#", "no."))
        for detail in details if not good else ():
            print(f"# {detail}")
        return good

    def done(self):
        print(f"1..{self.count}")
        sys.exit(1 if self.failed else 0)


class Ledger:
    """The checks, and the exceptions that are known."""

    def __init__(self, tap, table):
        self.tap = tap
        self.known = {tuple(row[name] for name in EXCEPTION_HEADER[:4]): row for row in table.rows}
        self.seen = set()

    def check(self, where, published, data, low, high, follows):
        """`where`: table, row, column, rule; the rest: texts, and whether the published value follows."""
        name = f"{where[0].removesuffix('.csv')}, {where[1]}, {where[2]} ({where[3]})"
        known = self.known.get(where)
        self.seen.add(where)
        if known is None:
            line = ",".join((*where, published, data, low, high))
            self.tap.ok(follows, f"{name}: published {published}, data gives {data}", "does not follow:", line)
            return
        same = [known[key] for key in EXCEPTION_HEADER[4:]] == [published, data, low, high]
        self.tap.ok(not follows and same, f"{name}: published {published}, data gives {data}: does not follow",
                    "it follows now" if follows else f"exceptions.csv has other values: {known}")

    def rest(self):
        for where in sorted(set(self.known) - self.seen):
            self.tap.ok(False, f"exceptions.csv: nothing is checked as {', '.join(where)}")


def text_of(value, places):
    return "inf" if value == float("inf") else f"{float(value):.{places}f}"


def compare(ledger, where, published, wanted, data, point=None):
    """Published text with its interval `wanted` against the interval that the data give, around `point`."""
    places = decimals(published.lstrip("<")) + 2
    low, high = text_of(data.low, places), text_of(data.high, places)
    around = text_of(data.middle() if point is None else point, places)
    ledger.check(where, published, f"at least {low}" if high == "inf" else around, low, high, wanted.meets(data))


# --- form ---

def check_form(tap, table):
    name = table.name
    tap.ok(bool(table.comments) and table.comments[0].startswith("# source: "), f"{name}: begins with its source")
    tap.ok(all(re.fullmatch("[a-z][a-z0-9_]*", column) for column in table.header) and
           len(set(table.header)) == len(table.header), f"{name}: columns are snake_case and distinct", table.header)
    ragged = [row for row in table.cells if len(row) != len(table.header)]
    tap.ok(table.cells and not ragged, f"{name}: every row has {len(table.header)} cells", *ragged)
    lines = table.text.split("\n")
    spaced = [cell for row in table.cells for cell in row if cell != cell.strip()]
    bad = [line for line in lines[:-1]
           if not line or line != line.strip() or not (line.isascii() and line.isprintable())]
    tap.ok(not bad and not spaced and lines[-1] == "", f"{name}: no stray space, blank line or odd character",
           *bad, *spaced)


def check_readme(tap, readme, tables, exceptions):
    sections = re.split(r"^### ", readme, flags=re.M)[1:]
    named = [section.partition("\n")[0].strip("`") for section in sections]
    tap.ok(sorted(named) == sorted(tables), "README.md has one section per file and no other",
           f"only in README.md: {sorted(set(named) - set(tables))}", f"only files: {sorted(set(tables) - set(named))}")
    for name, section in zip(named, sections):
        columns = re.findall(r"^\| `([a-z0-9_]+)` \|", section, flags=re.M)
        header = tables[name].header if name in tables else []
        tap.ok(columns == header, f"README.md describes the columns of {name}", f"{columns} against {header}")
    listed = re.findall(r"^\| ([a-z][^|]*\.csv) \| ([^|]*) \| `([^|]*)` \| ([^|]*) \| ([^|]*) \|", readme, flags=re.M)
    wanted = [tuple(row[key] for key in ("table", "row", "column", "published", "data")) for row in exceptions.rows]
    tap.ok(sorted(listed) == sorted(wanted), "README.md lists the exceptions, and no others",
           *sorted(set(listed) ^ set(wanted)))


# --- rules ---

STATISTICS = {"mean": mean, "median": middle_of, "geomean": geomean, "sum": total}


def check_statistics(ledger, table, columns, read=printed):
    """The rows of kind mean, median, geomean or sum, over the rows of kind data."""
    for row in table.derived():
        rule = row["kind"]
        for column in columns:
            cells = [data[column] for data in table.data()]
            point = STATISTICS[rule]([exact(cell) for cell in cells]).low
            compare(ledger, (table.name, rule, column, rule), row[column], read(row[column]),
                    STATISTICS[rule]([read(cell) for cell in cells]), point)


def check_estimates(ledger, table):
    """Estimated overhead: profiled invocations over all invocations (section 5.1)."""
    for row in table.rows:
        data = exact(Fraction(100 * int(row["dynamic_phases"]), int(row["dynamic_total"])))
        published = row["estimated_overhead_percent"]
        compare(ledger, (table.name, row["benchmark"], "estimated_overhead_percent", "quotient"), published,
                printed(published), data)


def power_text(log):
    """10**log, which may be too small for a float."""
    if log > -5:
        return f"{10 ** log:.5f}"
    return f"{10 ** (log - math.floor(log)):.2f}e{math.floor(log)}"


def check_p(ledger, table):
    for row in table.rows:
        f, dof = printed(row["f"]), (int(row["dof_between"]), int(row["dof_within"]))
        low, data, high = (f_log10_p(float(value), *dof) for value in (f.high, f.middle(), f.low))
        follows = Interval(10 ** low, 10 ** high).meets(printed_p(row["p"]))
        ledger.check((table.name, row["benchmark"], "p", "F and dof"), row["p"], power_text(data), power_text(low),
                     power_text(high), follows)


def printed_p(text):
    return Interval(0.0, float(text[1:])) if text.startswith("<") else printed(text)


def check_f_tail(tap):
    for (f, between, within), log10_p in LOG10_P.items():
        got = f_log10_p(f, between, within)
        tap.ok(abs(got - log10_p) < 1e-10 * max(1.0, -log10_p), f"F = {f} of ({between}, {within}) has mpmath's p",
               f"{got!r} against {log10_p!r}")


def check_thresholds(ledger, table, earlier):
    """The thresholds of Table 4 are those of Table 3."""
    for column in ("theta_grain_percent", "theta_weight_percent"):
        published, data = (" ".join(row[column] for row in rows) for rows in (table.rows, earlier.rows))
        ledger.check((table.name, "all", column, "as in Table 3"), published, data, data, data, published == data)


def check_whole(ledger, table):
    """The components of the time add up to the whole."""
    for row in table.rows:
        parts = [row[column] for column in table.header[1:]]
        point = sum(Fraction(part) for part in parts if not part.startswith("<"))
        compare(ledger, (table.name, row["benchmark"], "all", "sum is 100 %"), "100.000", exact("100"),
                total([printed(part) for part in parts]), point)


def check_collector(ledger, table, earlier):
    """Table 6 gives the collector's share with one more digit than Table 5."""
    more = {row["benchmark"]: row["time_percent"] for row in table.rows if row["phase"] == "garbage collector"}
    for row in earlier.rows:
        published = row["garbage_collector_percent"]
        compare(ledger, (earlier.name, row["benchmark"], "garbage_collector_percent", "as in Table 6"), published,
                printed(published), printed(more[row["benchmark"]]))


def instruction_share(phase, average):
    """A phase's share of the instructions: its share of the time, times mean CPI, over its CPI."""
    time, cpi, overall = (printed(text) for text in (phase["time_percent"], phase["cpi"], average["cpi"]))
    return Interval(time.low * overall.low / cpi.high / 100, time.high * overall.high / cpi.low / 100)


def check_averages(ledger, table):
    """Events per instruction of the whole are at least the contribution of one phase."""
    events = table.header[table.header.index("cpi") + 1:]
    for average in table.derived():
        phases = [row for row in table.data() if row["benchmark"] == average["benchmark"]]
        for column in events:
            low = max(instruction_share(phase, average).low * printed(phase[column]).low for phase in phases)
            compare(ledger, (table.name, average["benchmark"], column, "at least one phase's part"), average[column],
                    printed(average[column]), Interval(low, float("inf")))


def check_calls(ledger, table):
    """Time per call times calls is the total; selected: over 10 % of main's time in all and over 5 % per call."""
    main = int(table.rows[0]["total_time"])
    for row in table.rows:
        spent, call, calls = (int(row[column]) for column in ("total_time", "time_per_call", "calls"))
        compare(ledger, (table.name, row["method"], "total_time", "time_per_call * calls"), row["total_time"],
                exact(spent), exact(call * calls))
        selected = "yes" if spent > Fraction(main, 10) and call > Fraction(main, 20) else "no"
        ledger.check((table.name, row["method"], "selected", "thresholds"), row["selected"], selected, selected,
                     selected, row["selected"] == selected)


def check_repeats(ledger, table, original, label, columns):
    """Rows that are printed twice; `columns` maps this table's to the original's, `label` names a row."""
    for row, before in zip(table.rows, original.rows, strict=True):
        for column, source in columns.items():
            where = (table.name, " ".join(row[name] for name in label), column, f"as in {original.name}")
            ledger.check(where, row[column], before[source], before[source], before[source],
                         row[column] == before[source])


def check_dissertation_repeats(ledger, tables):
    """Chapter 4 is the paper on JXPerf."""
    for n, label, renamed, new in ((1, ["inefficiency", "overhead", "sampling_period"], {}, ["overhead"]),
                                   (2, ["application"], {}, []),
                                   (3, ["program"], {"approach": "patch"}, ["group", "speedup", "half_width"])):
        table = tables[f"dissertation-table4.{n}.csv"]
        columns = {column: renamed.get(column, column) for column in table.header if column not in new}
        check_repeats(ledger, table, tables[f"jxperf-table{n}.csv"], label, columns)


def check_derived(tap, ledger, tables):
    accuracy = [tables[f"profiler-accuracy-table{n}.csv"] for n in (1, 2, 3)]
    for table, first in zip(accuracy, ("hprof_slowdown", "hprof_slope", "tprof_slope")):
        check_statistics(ledger, table, table.header[table.header.index(first):])
    for name in ("jxperf-table2.csv", "dissertation-table4.2.csv"):
        check_statistics(ledger, tables[name], tables[name].header[2:], exact)
    for name, first in (("dissertation-table3.1.csv", 2), ("dissertation-table5.3.csv", 3)):
        check_statistics(ledger, tables[name], tables[name].header[first:])
    # "1 x" among "1.07 x" has lost its zeros
    check_statistics(ledger, tables["dissertation-table5.2.csv"], ["runtime_slowdown"], lambda text: printed(text, 2))
    phases = {n: tables[f"method-level-phases-table{n}.csv"] for n in (3, 4, 5, 6)}
    check_calls(ledger, tables["method-level-phases-figure3.csv"])
    check_estimates(ledger, phases[3])
    check_f_tail(tap)
    check_p(ledger, phases[4])
    check_thresholds(ledger, phases[4], phases[3])
    check_whole(ledger, phases[5])
    check_collector(ledger, phases[6], phases[5])
    check_averages(ledger, phases[6])
    check_dissertation_repeats(ledger, tables)


def main():
    tap = Tap()
    tables = {path.name: Table(path) for path in sorted(FOLDER.glob("*.csv"))}
    for table in tables.values():
        check_form(tap, table)
    exceptions = tables["exceptions.csv"]
    tap.ok(exceptions.header == EXCEPTION_HEADER, "exceptions.csv has the expected columns")
    check_readme(tap, (FOLDER / "README.md").read_text(encoding="utf-8"), tables, exceptions)
    ledger = Ledger(tap, exceptions)
    try:
        check_derived(tap, ledger, tables)
        ledger.rest()
    except (KeyError, ValueError) as error:
        tap.ok(False, f"the derived numbers can be computed: {error!r}")
    tap.done()


main()
