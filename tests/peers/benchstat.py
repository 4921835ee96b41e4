#!/usr/bin/env python3
"""benchstat.py TESTDATA: compares assay with benchstat's golden outputs (golang.org/x/perf/cmd/benchstat/testdata).

Medians to the digits that benchstat prints, changes in percent to two decimals, p to three, geometric means. The
environment variable PROGRAMS names the programs' folder. The exit status is 1 if a figure differs.
"""
import json, math, os, re, subprocess, sys

folder, programs = sys.argv[1], os.environ["PROGRAMS"]
PREFIX = {"n": 1e-9, "µ": 1e-6, "m": 1e-3, "": 1, "k": 1e3, "M": 1e6, "G": 1e9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}
SCALE = {"ns/op": ("sec/op", 1e-9), "MB/s": ("B/s", 1e6)}
counts = {"medians": [0, 0], "changes": [0, 0], "p": [0, 0], "geomeans": [0, 0]}


def run(program, *arguments):
    out = subprocess.run([f"{programs}/assay-{program}", "-q", "--format", "json", *arguments], cwd=folder,
                         stdout=subprocess.PIPE, check=True)
    return json.loads(out.stdout)["results"]


def check(kind, what, got, text, shown, step):
    """Counts a difference; benchstat prints text, whose value is `shown` and whose last digit is worth `step`."""
    counts[kind][0] += 1
    if abs(got - shown) > 0.5001 * step + 1e-12 * abs(shown):
        counts[kind][1] += 1
        print(f"  {kind} of {what}: {got!r}, benchstat prints {text}")


def quantity(text):
    number, prefix = re.match(r"([0-9.]+)(.*)", text).groups()
    step = 10.0 ** -len(number.partition(".")[2])
    return float(number) * PREFIX[prefix], step * PREFIX[prefix]


def tables(golden):
    """Each table of a golden output: its unit, and its rows as lines."""
    found, rows = [], []
    for line in open(os.path.join(folder, golden), encoding="utf-8"):
        if "│" in line:
            units = [cell for cell in re.findall(r"[^│ ]+/[^│ ]+", line) if cell in ("sec/op", "B/s")]
            rows = []
            if units:
                found.append((units[0], rows))
        elif line.strip() and not line.split()[0].endswith(":"):
            rows.append(line.rstrip("\n"))
    return found


def crc_medians():
    for name in ("crc-old.txt", "crc-new.txt"):
        found = {}
        for r in run("ci", "--method", "median", name):
            unit, scale = SCALE[r["metric"]]
            found[unit, r["name"].removeprefix("Benchmark")] = r["median"] * scale
        yield name, found


def check_medians():
    files = dict(crc_medians())
    names = iter(["crc-old.txt", "crc-old.txt", "crc-new.txt", "crc-new.txt"])
    for unit, rows in tables("crcOldNew.stdout"):
        found, logs = files[next(names)], []
        for row in rows:
            name, shown = row.split()[:2]
            value, step = quantity(shown)
            if name == "geomean":
                check("geomeans", f"medians in {unit}", math.exp(sum(logs) / len(logs)), shown, value, step)
            else:
                check("medians", name, found[unit, name], shown, value, step)
                logs.append(math.log(found[unit, name]))


def check_changes():
    lines = [l for l in open(os.path.join(folder, "crc-new.txt"), encoding="utf-8")
             if not l.startswith("Benchmark") or "/align=0" in l]
    path = os.path.join(os.getcwd(), "align0.txt")
    open(path, "w", encoding="utf-8").writelines(lines)
    results = run("compare", "--method", "mann-whitney", "--by", "size,poly", "--baseline", "IEEE", path)
    found = {}
    for r in results:
        size, _, poly = r["name"].partition(", ")
        found[SCALE[r["metric"]][0], size, poly] = r
    for unit, rows in tables("crcSizeVsPoly.stdout"):
        for row in rows:
            size, shown = row.split()[0], re.findall(r"([-+][0-9.]+)%(?: \(p=([0-9.]+))?", row)
            for poly, (percent, p) in zip(("Castagnoli", "Koopman"), shown):
                if size == "geomean":
                    product = [found[unit, s.split()[0], poly]["ratio"] for s in rows if not s.startswith("geomean")]
                    mean = 1.0
                    for ratio in product:
                        mean *= ratio ** (1 / len(product))
                    check("geomeans", f"{poly} in {unit}", 100 * (mean - 1), percent, float(percent), 0.01)
                    continue
                r = found[unit, size, poly]
                check("changes", f"{size} {poly} in {unit}", 100 * r["change"], percent, float(percent), 0.01)
                check("p", f"{size} {poly} in {unit}", r["p"], p, float(p), 0.001)


def check_old_new():
    results = run("compare", "--method", "mann-whitney", "old.txt", "new.txt")
    lines = [l.strip().split(",") for l in open(os.path.join(folder, "csvOldNew.stdout"), encoding="utf-8")]
    for r, line in zip(results, (l for l in lines if l[0].startswith(("Encode", "geomean")))):
        check("medians", line[0] + ", old", r["median_baseline"] * 1e-9, line[1], float(line[1]), 1e-12 * float(line[1]))
        check("medians", line[0] + ", new", r["median"] * 1e-9, line[3], float(line[3]), 1e-12 * float(line[3]))
        if line[5] not in ("~", ""):
            check("geomeans" if line[0] == "geomean" else "changes", line[0], 100 * r["change"], line[5], float(line[5].rstrip("%")), 0.01)
        if line[6]:
            p = re.match(r"p=([0-9.]+)", line[6]).group(1)
            check("p", line[0], r["p"], p, float(p), 0.001)


check_medians()
check_changes()
check_old_new()
print("%-22s %s" % ("benchstat's goldens", ", ".join(f"{n} {kind}, {bad} differ" for kind, (n, bad) in counts.items())))
sys.exit(any(bad for _, bad in counts.values()) or not counts["p"][0])
