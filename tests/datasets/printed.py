"""Printed numbers, and what follows from them: for published.t.

A printed number stands for every value that rounds to it: 0.26 for [0.255, 0.265], "<0.01" for [0, 0.01]. What is
derived from printed numbers is therefore an interval too, and it follows if it meets the interval of what was printed.
"""

import csv
import math
import re
from fractions import Fraction
from statistics import median


class Table:
    """One CSV file: its comment lines, its header, its rows as dictionaries, and its text."""

    def __init__(self, path):
        with open(path, encoding="utf-8", newline="") as file:
            self.text = file.read()
        self.name = path.name
        lines = self.text.split("\n")
        self.comments = [line for line in lines if line.startswith("#")]
        cells = list(csv.reader(line for line in lines[len(self.comments):] if line))
        self.header = cells[0] if cells else []
        self.cells = cells[1:]
        self.rows = [dict(zip(self.header, row)) for row in self.cells]

    def data(self):
        return [row for row in self.rows if row.get("kind", "data") == "data"]

    def derived(self):
        return [row for row in self.rows if row.get("kind", "data") != "data"]


class Interval:
    """[low, high], both ends included."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def meets(self, other):
        return self.low <= other.high and other.low <= self.high

    def middle(self):
        return (self.low + self.high) / 2


def decimals(text):
    return len(text.partition(".")[2])


def printed(text, places=None):
    """The interval of a printed number; `places` for a column that drops its trailing zeros."""
    if text.startswith("<"):
        return Interval(Fraction(0), Fraction(text[1:]))
    if not re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", text):
        raise ValueError(f"'{text}' is not a printed number")
    half = Fraction(1, 2 * 10 ** (decimals(text) if places is None else places))
    return Interval(Fraction(text) - half, Fraction(text) + half)


def exact(text):
    """A count."""
    return Interval(Fraction(text), Fraction(text))


def total(values):
    return Interval(sum(v.low for v in values), sum(v.high for v in values))


def mean(values):
    s = total(values)
    return Interval(s.low / len(values), s.high / len(values))


def middle_of(values):
    """The median: it grows with every value, so its bounds are the medians of the bounds."""
    return Interval(median(v.low for v in values), median(v.high for v in values))


def geomean_of(numbers):
    return math.exp(math.fsum(math.log(number) for number in numbers) / len(numbers))


def geomean(values):
    return Interval(geomean_of([v.low for v in values]), geomean_of([v.high for v in values]))


def beta_fraction(a, b, x):
    """The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method; x < (a+1)/(a+b+2)."""
    tiny = 1e-300
    c, d = 1.0, 1.0 / (1.0 - (a + b) * x / (a + 1.0))
    value = d
    for m in range(1, 10000):
        for term in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                     -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1.0 / ((1.0 + term * d) or tiny)
            c = (1.0 + term / c) or tiny
            value *= c * d
        if abs(c * d - 1.0) < 1e-16:
            return value
    raise ArithmeticError("the continued fraction does not converge")


def f_log10_p(f, between, within):
    """log10 of the upper tail of the F distribution, for f above its mode."""
    a, b = within / 2.0, between / 2.0
    x = within / (within + between * f)
    if x >= (a + 1.0) / (a + b + 2.0):
        raise ValueError(f"F = {f} lies below the upper tail")
    log_front = a * math.log(x) + b * math.log1p(-x) - math.log(a)
    log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    return (log_front - log_beta + math.log(beta_fraction(a, b, x))) / math.log(10.0)
