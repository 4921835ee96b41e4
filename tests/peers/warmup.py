# For tests/peers/warmup.bench: processes with planted classes, the published method, and what either found.
#
# The method of Barrett, Bolz-Tereick, Killick, Mount and Tratt, Virtual machine warmup blows hot and cold, OOPSLA 2017,
# as its tool warmup_stats applies it, written anew: outliers beyond the median ± 3·(P90 − P10) of the 200 iterations
# around, none among the first 100; segments by PELT with changes of mean and variance and the penalty 15·ln n; and from
# the last segment back to the first one that differs from it. Two segments are equal if the interval mean ± variance
# overlaps that of the last one, whose half width is at least 0.001 s. A change in the last iterations (500 of 2000
# there, and here as large a share) leaves no steady state.
import csv
import math
import random
import sys

CLASSES = ("flat", "warm-up", "slowdown", "no steady state")
NOISES = ("normal", "log-normal", "AR 0.5", "AR 0.9", "outliers", "spread")
PROGRAMS = ("bursts", "spikes", "wandering spread")  # noise as in processes of Java programs
LEVEL = 0.1  # s


def shape(name, rng, n):
    """The levels of the iterations relative to LEVEL, and after how many the steady state begins (None: there is none)."""
    cut, size = rng.randint(n // 20, n // 3), rng.uniform(0.05, 0.5)
    steady = [1.0] * n
    if name == "flat":
        return steady, 0
    if name == "warm-up":
        kind = rng.choice(("step", "decay", "stages"))
        for i in range(n):
            if kind == "decay":  # within 1 % after `cut` iterations
                steady[i] += size * math.exp(-i / cut * math.log(size / 0.01))
            elif i < cut:
                steady[i] += size if kind == "step" or i < cut // 2 else 0.4 * size
        return steady, cut
    if name == "slowdown":
        dip = rng.random() < 0.5
        for i in range(cut):
            steady[i] = 1 + size if dip and i < cut // 4 else 1 - rng.uniform(0.05, 0.2) if i == 0 else steady[i - 1]
            if dip and i == cut // 4:
                steady[i] = 1 - rng.uniform(0.05, 0.2)
        return steady, cut
    kind = rng.choice(("late", "levels", "ramp"))
    period, late = rng.randint(max(12, n // 20), n // 6), rng.randint(3 * n // 4 + n // 20, n - n // 20)
    for i in range(n):
        if kind == "late":
            steady[i] += size if i >= late else 0
        elif kind == "levels":
            steady[i] += size if i // period % 2 else 0
        else:
            steady[i] += 2 * size * i / n
    return steady, None


def noise(name, rng, n):
    """Noise of sd 1, one value for each iteration."""
    if name.startswith("AR"):
        phi, state, x = float(name.split()[1]), rng.gauss(0, 1), []
        for _ in range(n):
            state = phi * state + math.sqrt(1 - phi * phi) * rng.gauss(0, 1)
            x.append(state)
        return x
    if name == "log-normal":
        return [(math.exp(0.5 * rng.gauss(0, 1)) - math.exp(0.125)) / 0.604 for _ in range(n)]
    if name == "outliers":
        return [rng.gauss(0, 1) + (rng.uniform(10, 60) if rng.random() < 0.03 else 0) for _ in range(n)]
    if name == "spread":  # four times as large in a part of the iterations
        begin = rng.randint(0, n)
        return [rng.gauss(0, 1) * (2 if begin <= i < begin + n // 2 else 0.5) for i in range(n)]
    if name == "bursts":  # a tenth of the time, five times as much, and slower, for some five iterations
        x, left = [], 0
        for _ in range(n):
            left = left - 1 if left > 0 else rng.randint(2, 8) if rng.random() < 0.02 else 0
            x.append(abs(rng.gauss(0, 5)) if left else rng.gauss(0, 1))
        return x
    if name == "spikes":  # a collection in every tenth iteration or so takes up to as long as the others
        period, size = rng.randint(7, 15), rng.uniform(20, 200)
        return [rng.gauss(0, 1) + (size * rng.uniform(0.9, 1.1) if i % period == period // 2 else 0) for i in range(n)]
    if name == "wandering spread":  # its log wanders with an sd of 0.7, and forgets within some 20 iterations
        state, x = rng.gauss(0, 0.7), []
        for _ in range(n):
            state = 0.95 * state + math.sqrt(1 - 0.95**2) * rng.gauss(0, 0.7)
            x.append(math.exp(state) * rng.gauss(0, 1))
        return x
    return [rng.gauss(0, 1) for _ in range(n)]


# --- the published method ---


def percentile(x, p):
    x = sorted(x)
    at = (len(x) - 1) * p
    low = int(at)
    return x[low] + (at - low) * (x[min(low + 1, len(x) - 1)] - x[low])


def outliers(x):
    found = []
    for i in range(100, len(x)):
        window = x[i - 100:i + 100]
        if abs(x[i] - percentile(window, 0.5)) > 3 * (percentile(window, 0.9) - percentile(window, 0.1)):
            found.append(i)
    return found


def pelt(x, penalty):
    """Ends of the segments that minimize Σ n(ln(2π·variance) + 1) + penalty; each has two values or more."""
    n, sums, squares = len(x), [0.0], [0.0]
    for value in x:
        sums.append(sums[-1] + value - x[0])
        squares.append(squares[-1] + (value - x[0]) ** 2)

    def cost(begin, end):
        count = end - begin
        variance = (squares[end] - squares[begin]) / count - ((sums[end] - sums[begin]) / count) ** 2
        return count * (math.log(2 * math.pi * max(variance, 1e-11)) + 1)

    best, before, candidates = [-penalty, math.inf], [0, 0], [0]
    for end in range(2, n + 1):
        costs = [(best[begin] + cost(begin, end), begin) for begin in candidates]
        least, at = min(costs)
        best.append(least + penalty)
        before.append(at)
        candidates = [begin for total, begin in costs if total <= best[end]] + [end - 1]
    ends = [n]
    while before[ends[0]] > 0:
        ends.insert(0, before[ends[0]])
    return ends


def published(x, share):
    """Class, and iterations before the steady state."""
    n, out = len(x), set(outliers(x))
    kept = [i for i in range(n) if i not in out]
    values = [x[i] for i in kept]
    ends = pelt(values, 15 * math.log(len(values)))
    segments = []
    for begin, end in zip([0] + ends, ends):
        part = values[begin:end]
        mean = sum(part) / len(part)
        segments.append((kept[begin], kept[end - 1], mean, sum((v - mean) ** 2 for v in part) / len(part)))
    _, _, last, spread = segments[-1]
    half, verdict, steady_from = max(spread, 0.001), "flat", None
    for position in range(len(segments) - 2, -1, -1):
        _, end, mean, variance = segments[position]
        if last - half <= mean + variance and mean - variance <= last + half:
            continue
        if steady_from is None:
            steady_from = segments[position + 1][0]
        if end > n - share * n:
            return "no steady state", None
        if mean - variance < last - half:
            return "slowdown", steady_from
        verdict = "warm-up"
    return verdict, steady_from or 0


# --- the bench ---


def matrix(title, truth, found):
    right = sum(a == b for a, b in zip(truth, found))
    print(f"{title}: {right} of {len(truth)} right")
    print(f"  {'planted':16s}" + "".join(f"{name:>17s}" for name in CLASSES))
    for name in CLASSES:
        row = [sum(a == name and b == other for a, b in zip(truth, found)) for other in CLASSES]
        print(f"  {name:16s}" + "".join(f"{count:17d}" for count in row))


def make(count, n, sd, table, truth, rng, noises):
    table.write("process,iteration,s\n")
    process = 0
    for name in CLASSES:
        for kind in noises:
            for _ in range(count):
                process += 1
                level, cut = shape(name, rng, n)
                x = [LEVEL * (a + sd * b) for a, b in zip(level, noise(kind, rng, n))]
                truth.write(f"{process}\t{name}\t{kind}\t{'' if cut is None else cut}\n")
                table.writelines(f"{process},{i},{value:.9f}\n" for i, value in enumerate(x))


def judge(title, n, series, truth, assay):
    noises = list(dict.fromkeys(row[2] for row in truth))
    theirs = {row[0]: published(series[row[0]], 0.25) for row in truth}
    for name, found in (("assay warmup", assay), ("published method", theirs)):
        matrix(f"{name}, {title}", [row[1] for row in truth], [found[row[0]][0] for row in truth])
        print("  right by noise: " + ", ".join(
            f"{kind} {sum(found[row[0]][0] == row[1] for row in truth if row[2] == kind)}"
            for kind in noises) + f" of {len(truth) // len(noises)} each")
        errors = sorted(abs(float(found[row[0]][1]) - float(row[3])) / n for row in truth
                        if row[1] in ("warm-up", "slowdown") and found[row[0]][0] == row[1])
        if errors:
            print(f"  begin of the steady state, where a warm-up or slowdown is found: off by {percentile(errors, 0.5):.1%} of "
                  f"the iterations in the median, {percentile(errors, 0.9):.1%} in the 90th percentile")


def by_eye(row, found):
    """Whether class and begin are as seen, or as defensible: 2, 1 or 0."""
    for name, worth in (("", 2), ("also", 1)):
        least, most = row[f"{name or 'from'}_least"], row[f"{name or 'from'}_most"]
        if found[0] == row[name or "class"] and (least == "" or int(least) <= float(found[1]) <= int(most)):
            return worth
    return 0


def programs(series, rows, assay):
    """A row for each process: by eye, assay's class, the published method's (its least half width is 1 % of the level)."""
    score = {"assay": [0, 0, 0], "published": [0, 0, 0]}
    for row in rows:
        key = f"{row['workload']} {row['process']}"
        x = series[key]
        unit = percentile(x[-len(x) // 4:], 0.5) / LEVEL
        verdicts = {"assay": assay[key], "published": published([value / unit for value in x], 0.25)}
        line = []
        for name, found in verdicts.items():
            right = by_eye(row, found)
            score[name][right] += 1
            begin = "" if found[0] == "no steady state" else f" {int(float(found[1]))}"
            line.append(f"{found[0]}{begin}{('!', ' (also)', '')[right]}")
        eye = row["class"] + (f" {row['from_least']}-{row['from_most']}" if row["from_least"] else "")
        also = row["also"] + (f" {row['also_least']}-{row['also_most']}" if row["also_least"] else "")
        print(f"| {key} | {eye} | {also} | " + " | ".join(line) + " |")
    for name, (wrong, also, right) in score.items():
        print(f"{name}: {right} of {len(rows)} as by eye, {also} defensible, {wrong} wrong")


def classes(path, key):
    rows = list(csv.DictReader(open(path)))
    return {row[key]: (row["class"], row["steady_from"]) for row in rows}


def main():
    if sys.argv[1] == "make":  # COUNT N SD TABLE TRUTH SEED KINDS: sd in percent of the level
        count, n, sd, seed = int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]) / 100, int(sys.argv[7])
        noises = NOISES if sys.argv[8] == "usual" else PROGRAMS
        with open(sys.argv[5], "w") as table, open(sys.argv[6], "w") as truth:
            make(count, n, sd, table, truth, random.Random(seed), noises)
    elif sys.argv[1] == "judge":  # TITLE N TABLE TRUTH FOUND: FOUND is the CSV of assay warmup --processes
        truth = [line.rstrip("\n").split("\t") for line in open(sys.argv[5])]
        series = {row[0]: [] for row in truth}
        for row in csv.DictReader(open(sys.argv[4])):
            series[row["process"]].append(float(row["s"]))
        judge(sys.argv[2], int(sys.argv[3]), series, truth, classes(sys.argv[6], "process"))
    else:  # programs TABLE CLASSES FOUND: a column for each process
        table = list(csv.DictReader(open(sys.argv[2])))
        series = {name: [float(row[name]) for row in table] for name in table[0] if name != "iteration"}
        programs(series, list(csv.DictReader(open(sys.argv[3]))), classes(sys.argv[4], "column"))


main()
