# For tests/peers/history.bench: series of commits, Otava's method, and what either found.
#
# E-divisive with means as Apache Otava uses it, from the publications: Matteson and James, A nonparametric approach for
# multiple change point analysis of multivariate data, JASA 2014 (the divergence Q of two neighbouring segments, exponent
# 1); Fleming, Kolaczkowski and others, Hunter: Using change point detection to hunt for performance regressions, ICPE
# 2023 (windows of 50 values with half of that between them, Student's t test instead of permutations, then removal of
# the weakest change while its p is above 0.001, or its magnitude below the minimum). It looks once, at the whole series.
import math
import random
import sys

WINDOW, P_MAX = 50, 0.001


def student_p(a, b):
    """Two-sided p of Student's t test with pooled variance."""
    n, m = len(a), len(b)
    if n + m < 4:
        return 1.0
    x, y = sum(a) / n, sum(b) / m
    squares = sum((v - x) ** 2 for v in a) + sum((v - y) ** 2 for v in b)
    if squares == 0:
        return 0.0 if x != y else 1.0
    dof = n + m - 2
    t = abs(x - y) / math.sqrt(squares / dof * (1 / n + 1 / m))
    # The tail by Simpson's rule over θ = arctan(t/√dof): cos(θ)^(dof-1).
    begin, steps = math.atan(t / math.sqrt(dof)), 60
    width = (math.pi / 2 - begin) / steps
    tail = sum((1 if i in (0, steps) else 4 if i % 2 else 2) * max(math.cos(begin + i * width), 0) ** (dof - 1)
               for i in range(steps + 1)) * width / 3
    norm = math.sqrt(math.pi) * math.exp(math.lgamma(dof / 2) - math.lgamma((dof + 1) / 2))
    return min(1.0, 2 * tail / norm)


def best_split(x):
    """The index that maximizes Q = nm/(n+m)·(2·E|a−b| − E|a−a'| − E|b−b'|), in O(n²)."""
    n = len(x)
    within_left, within_right = 0.0, sum(abs(x[i] - x[j]) for i in range(n) for j in range(i))
    between, best, at = 0.0, -1.0, None
    for k in range(1, n):
        value = x[k - 1]
        left, right = sum(abs(value - v) for v in x[:k - 1]), sum(abs(value - v) for v in x[k:])
        within_left += left
        within_right -= right
        between += right - left
        m = n - k
        if k >= 2 and m >= 2:
            q = k * m / n * (2 * between / (k * m) - 2 * within_left / (k * (k - 1)) - 2 * within_right / (m * (m - 1)))
            if q > best:
                best, at = q, k
    return at


def divide(x, begin, end, found):
    at = best_split(x[begin:end]) if end - begin >= 4 else None
    if at is not None and student_p(x[begin:begin + at], x[begin + at:end]) <= 10 * P_MAX:
        divide(x, begin, begin + at, found)
        found.add(begin + at)
        divide(x, begin + at, end, found)


def divisive(x, minimum):
    found = set()
    for begin in range(0, max(1, len(x) - WINDOW // 2), WINDOW // 2):
        divide(x, begin, min(len(x), begin + WINDOW), found)
    points = sorted(found)
    while points:
        edges, worst, at = [0] + points + [len(x)], 0.0, None
        for i in range(len(points)):
            a, b = x[edges[i]:edges[i + 1]], x[edges[i + 1]:edges[i + 2]]
            p, mean = student_p(a, b), sum(a) / len(a)
            if abs(sum(b) / len(b) / mean - 1) < minimum:
                p = 1.0
            if p > worst:
                worst, at = p, i
        if worst <= P_MAX:
            break
        del points[at]
    return points


def noise(kind, rng, state, i, n):
    z = rng.gauss(0, 1)
    if kind == "log-normal":
        return (math.exp(z / 2) - math.exp(1 / 8)) / 0.604
    if kind == "t with 3 dof":
        return z / math.sqrt(rng.gammavariate(1.5, 2) / 3) / math.sqrt(3)
    if kind == "outliers":
        return z + (10 if rng.random() < 0.03 else 0)
    if kind.startswith("AR"):
        rho = float(kind.split()[1])
        state[0] = rho * state[0] + math.sqrt(1 - rho * rho) * z
        return state[0]
    if kind == "growing":
        return z * (0.5 + 1.5 * i / n)
    if kind == "wave":
        return z * (1 + 0.5 * math.sin(i * math.tau / 300))
    return round(z) if kind == "rounded" else z


def make(shape, kind, count, n, rng):
    """count series of n values with sd 1 about 100, and where they change."""
    for _ in range(count):
        state, level, planted = [rng.gauss(0, 1)], 100.0, []
        steps = {}
        if shape == "steps":
            at = 150
            while at + 10 < n:
                planted.append(at)
                steps[at] = rng.choice((-2, 2))
                at += rng.randint(60, 240)
        x = []
        for i in range(n):
            level += steps.get(i, 0)
            ramp = 4 * min(max((i - n / 2) / 40, 0), 1) if shape == "ramp" else 0
            x.append(level + ramp + noise(kind, rng, state, i, n))
        yield x, planted or ([n // 2 + 20] if shape == "ramp" else [])


def score(all_found, all_planted, tolerance):
    """Found changes that match a planted one, planted changes that are found, all found and all planted."""
    right = hits = found_count = planted_count = 0
    for found, planted in zip(all_found, all_planted):
        free = list(planted)
        for f in found:
            near = [p for p in free if abs(p - f) <= tolerance]
            if near:
                free.remove(min(near, key=lambda p: abs(p - f)))
        right += len(planted) - len(free)
        hits += len(planted) - len(free)
        found_count += len(found)
        planted_count += len(planted)
    return right, hits, found_count, planted_count


def main():
    mode = sys.argv[1]
    if mode == "make":  # SHAPE KIND COUNT N TABLE TRUTH
        shape, kind, count, n, table, truth = sys.argv[2:8]
        rng = random.Random(shape + kind)
        with open(table, "w") as t, open(truth, "w") as p:
            t.write("series,commit,value\n")
            for s, (x, planted) in enumerate(make(shape, kind, int(count), int(n), rng)):
                p.write(" ".join(map(str, planted)) + "\n")
                t.writelines(f"s{s},{i},{v:.6f}\n" for i, v in enumerate(x))
        return
    # judge SHAPE KIND N TABLE TRUTH FOUND: FOUND is assay history's CSV
    shape, kind, n, table, truth, result = sys.argv[2:8]
    n = int(n)
    planted = [[int(v) for v in line.split()] for line in open(truth)]
    series = [[] for _ in planted]
    for line in list(open(table))[1:]:
        name, _, value = line.split(",")
        series[int(name[1:])].append(float(value))
    rows = [line.rstrip("\n").split(",") for line in open(result)]
    at = {name: i for i, name in enumerate(rows[0])}
    assay, delays, covered = [[] for _ in planted], [], []
    for row in rows[1:]:
        s, f, seen = int(row[at["series"]][1:]), int(row[at["commit"]]), int(row[at["found"]])
        assay[s].append(f)
        for p in planted[s]:
            if shape == "steps" and p <= seen and abs(f - p) <= 20:
                delays.append(seen - p)
                covered.append(int(row[at["first"]]) <= p <= int(row[at["last"]]))
                break
    tolerance = 25 if shape == "ramp" else 5
    for name, found in (("assay", assay), ("Otava", [divisive(x, 0) for x in series[:max(1, len(series) // 10)]])):
        total = sum(len(x) for x, _ in zip(series, found)) / 1000
        right, hits, count, wanted = score(found, planted, tolerance)
        text = f"{shape:7s} {kind:13s} {name}  "
        if wanted == 0:
            text += f"false alarms in 1000 commits: {count / total:.2f}"
        else:
            text += f"precision {right / max(count, 1):.2f}  recall {hits / wanted:.2f}"
            if name == "assay" and shape == "steps":
                soon = sum(d <= 5 for d in delays) / wanted
                text += f"  within 5 commits {soon:.2f}  true commit among suspects {sum(covered) / max(len(covered), 1):.2f}"
        print(text, flush=True)


main()
