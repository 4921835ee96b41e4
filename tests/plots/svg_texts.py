"""Texts in gnuplot's SVG that are beyond the page or over each other.

svg_texts.py FILE...: a line for each fault; exit status 1 if there are any. Widths are those of Helvetica (the AFM files
of Adobe's base fonts), which Arial and its replacements share.
"""
import math
import re
import sys
import xml.etree.ElementTree as tree

WIDTHS = {}
for characters, width in (
    ("'", 191), ("ijl", 222), ("|", 260), (" !,./:;I\\[]ft", 278), ("r()-–`", 333), ('"', 355), ("*", 389), ("^", 469),
    ("Jcksvxyz", 500), ("{}", 334), ("#$0123456789?L_abdeghnopqu", 556), ("+<=>~×±∖", 584), ("FTZ", 611),
    ("&ABEKPSVXY", 667), ("CDHNRUw", 722), ("GOQ", 778), ("Mm", 833), ("%", 889), ("W", 944), ("…", 1000), ("@", 1015),
    ("←→", 1000), ("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", 333)):
    for character in characters:
        WIDTHS[character] = width / 1000
WIDTHS.update({"f": 0.278, "t": 0.278, "r": 0.333, "%": 0.889})


class Text:
    """A text with the corners of its box; y grows downwards."""

    def __init__(self, text, x, y, turned, size, anchor):
        self.text = text
        width = size * sum(WIDTHS.get(character, 0.6) for character in text)
        left = {"start": 0, "middle": -width / 2, "end": -width}[anchor]
        # What letters without descenders cover: neighbours may come closer than their lines are high.
        corners = [(left + dx, dy) for dx in (0, width) for dy in (-0.66 * size, 0)]
        angle = math.radians(turned)
        xs = [x + a * math.cos(angle) - b * math.sin(angle) for a, b in corners]
        ys = [y + a * math.sin(angle) + b * math.cos(angle) for a, b in corners]
        self.low, self.high = (min(xs), min(ys)), (max(xs), max(ys))

    def shares(self, other):
        """The extent that both cover, along x and y."""
        return [min(self.high[i], other.high[i]) - max(self.low[i], other.low[i]) for i in (0, 1)]


def read(path):
    root = tree.parse(path).getroot()
    texts = []
    for group in root.iter("{http://www.w3.org/2000/svg}g"):
        place = re.match(r"translate\(([-0-9.]+),([-0-9.]+)\)(?: rotate\(([-0-9.]+)\))?", group.get("transform", ""))
        for text in group.findall("{http://www.w3.org/2000/svg}text"):
            content = "".join(text.itertext())
            if place and content.strip():
                x, y, turned = place.groups()
                texts.append(Text(content, float(x), float(y), float(turned or 0), float(group.get("font-size")),
                                  group.get("text-anchor", "start")))
    return [float(part) for part in root.get("viewBox").split()], texts


def faults(path):
    (left, top, width, height), texts = read(path)
    if not texts:
        yield "it has no text"
    for text in texts:
        if text.low[0] < left - 1 or text.low[1] < top - 1 or text.high[0] > left + width + 1 or text.high[1] > top + height + 1:
            yield f"'{text.text}' is beyond the page"
    for i, one in enumerate(texts):
        for other in texts[:i]:
            across, up = one.shares(other)
            if across > -1.5 and up > 1 and one.text != "–":
                yield f"'{other.text}' and '{one.text}' share {across:.0f} by {up:.0f}"


found = 0
for name in sys.argv[1:]:
    for fault in faults(name):
        found += 1
        print(f"{name}: {fault}")
sys.exit(found > 0)
