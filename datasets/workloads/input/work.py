"""A mix of interpreter work for Python 2.7 (Jython) and 3: objects, dictionaries, strings, sorting, floats."""
import sys


class Random(object):
    """The minimal standard generator of Park and Miller."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = self.state * 16807 % 2147483647
        return self.state % n


def sieve(limit):
    prime = [True] * limit
    for i in range(2, int(limit ** 0.5) + 1):
        if prime[i]:
            for j in range(i * i, limit, i):
                prime[j] = False
    return sum(i for i in range(2, limit) if prime[i])


def count_words(random, count):
    syllables = "ba ke lo mi nu ra se ti vo za".split()
    words = ["".join(syllables[random.below(10)] for _ in range(1 + random.below(3))) for _ in range(count)]
    tally = {}
    for word in words:
        tally[word] = tally.get(word, 0) + 1
    ranked = sorted(tally.items(), key=lambda item: (-item[1], item[0]))
    return sum(rank * len(word) * n for rank, (word, n) in enumerate(ranked))


def queens(n, columns=(), rising=(), falling=()):
    row = len(columns)
    if row == n:
        return 1
    free = (c for c in range(n) if c not in columns and row + c not in rising and row - c not in falling)
    return sum(queens(n, columns + (c,), rising + (row + c,), falling + (row - c,)) for c in free)


def mandelbrot(size, limit):
    total = 0
    for y in range(size):
        for x in range(size):
            re, im = 3.0 * x / size - 2.0, 2.0 * y / size - 1.0
            a = b = 0.0
            n = 0
            while n < limit and a * a + b * b < 4.0:
                a, b = a * a - b * b + re, 2 * a * b + im
                n += 1
            total += n
    return total


class Node(object):
    def __init__(self, key):
        self.key, self.left, self.right = key, None, None


def insert(root, key):
    if root is None:
        return Node(key)
    if key < root.key:
        root.left = insert(root.left, key)
    elif key > root.key:
        root.right = insert(root.right, key)
    return root


def depth(root):
    return 0 if root is None else 1 + max(depth(root.left), depth(root.right))


def tree_depth(random, count):
    root = None
    for _ in range(count):
        root = insert(root, random.below(1000000))
    return depth(root)


def work():
    """One iteration: the same number every time."""
    random = Random(1)
    parts = (sieve(40000), count_words(random, 10000), queens(6), mandelbrot(40, 60), tree_depth(random, 3000))
    checksum = 0
    for part in parts:
        checksum = (checksum * 31 + part) % 4294967291
    return checksum


def main(name, iterations):
    checksums = set(work() for _ in range(iterations))
    assert len(checksums) == 1
    print("%s: %d iterations, checksum %08x" % (name, iterations, checksums.pop()))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
