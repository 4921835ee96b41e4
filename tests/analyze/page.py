"""Pages of --format html, for page.t: what a browser would see of one, and whether it has the same values as the CSV.

page.py check PAGE       one line: tags that are not closed, what the page would load, and the number of tables
page.py same PAGE CSV [ID]
                         one line for each cell that differs, then how many cells were compared; of an article alone
page.py text PAGE        the text outside of script and style
"""
import csv
import html.parser
import re
import sys

VOID = {"meta", "br", "input", "link", "img", "base", "hr", "col"}
LOADING = {"link", "img", "iframe", "object", "embed", "base", "form", "audio", "video", "source"}


class Page(html.parser.HTMLParser):
    def __init__(self, path, article=None):
        super().__init__()
        self.open, self.wrong, self.loads, self.tables, self.text, self.cell = [], [], [], [], [], None
        text = open(path, encoding="utf-8").read()
        if article:
            text = text[text.index(f'<article id="{article}">'):]
            text = text[:text.index("</article>") + len("</article>")]
        self.feed(text)
        self.close()
        self.wrong += self.open
        self.loads += re.findall(r"@import|url\(['\"]?(?!#)[^)]*|\bfetch\(|XMLHttpRequest|innerHTML|\beval\(", text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag in LOADING:
            self.loads.append(tag)
        self.loads += [name for name in ("src", "srcset", "data", "action", "poster") if name in given]
        for name in ("href", "xlink:href"):
            if given.get(name, "#")[0] != "#":
                self.loads.append(given[name])
        if tag == "table":
            self.tables.append((given.get("class"), []))
        if tag == "tr":
            self.tables[-1][1].append([])
        if tag in ("td", "th"):
            self.cell = [given.get("title"), "", tag]
        if tag == "br" and self.cell:
            self.cell[1] += "\n"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if self.open and self.open[-1] == tag:
            self.open.pop()
        else:
            self.wrong.append("/" + tag)
        if tag in ("td", "th"):
            self.tables[-1][1][-1].append(self.cell)
            self.cell = None

    def handle_data(self, data):
        if self.cell:
            self.cell[1] += data
        if not {"script", "style"} & set(self.open):
            self.text.append(data)

    def table(self, name):
        for found, rows in self.tables:
            if found == name:
                return [cell[1] for cell in rows[0]], rows[1:]
        return None


def is_rounded(shown, exact):
    """Whether a number of the page is that of the CSV, rounded as the page shows it."""
    found = re.match(r"\(?([+-]?\d+(?:\.(\d+))?)(e[+-]?\d+)?(%)?", shown.replace("~", "").strip())
    if not found:
        return shown in ("inf", "-inf") and shown == exact
    factor = float("1" + (re.search(r"\)(e[+-]?\d+)", shown) or [None, found[3] or "e0"])[1]) / (100 if found[4] else 1)
    units = {" B": 1, " kB": 1e3, " MB": 1e6, " GB": 1e9, " TB": 1e12}
    factor *= next((size for unit, size in units.items() if shown.endswith(unit)), 1)
    places = 10.0 ** -len(found[2] or "") * factor
    if not found[2] and re.search(r"[1-9]0+$", found[1]):  # rounded to tens, hundreds …
        places *= 10 ** (len(found[1]) - len(found[1].rstrip("0")))
    return abs(float(found[1]) * factor - float(exact)) <= 0.5000001 * places


def same_cell(name, cell, row):
    """Compares a cell of the table for readers. None: the CSV has no such column, or the readers' own text."""
    title, shown, _ = cell
    exact = row.get(name)
    if exact is None:
        return None
    if title is None:
        return shown in (exact, exact or "-") or is_rounded(shown, exact)
    interval = re.fullmatch(r"(\S+) \[(\S+), (\S+)\]", title)
    if not interval:
        return title == exact and is_rounded(shown, exact)
    low, high = (row.get(f"{name}_{end}", row.get(end)) for end in ("lo", "hi"))
    return list(interval.groups()) == [exact, low or interval[2], high or interval[3]] and is_rounded(shown, exact)


def compare(page, path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    names, shown = page.table("result")
    expected = [dict(zip(rows[0], row)) for row in rows[1:]]
    count = 0
    if len(shown) != len(expected):
        print(f"{len(shown)} rows instead of {len(expected)}")
    for number, (cells, row) in enumerate(zip(shown, expected)):
        for name, cell in zip(names, cells):
            good = same_cell(name, cell, row)
            count += good is not None
            if good is False:
                print(f"row {number + 1}, {name}: {cell[:2]} instead of {row[name]!r}")
    values = page.table("values")
    if values:
        for number, (cells, row) in enumerate(zip([values[0]] + values[1], rows)):
            found = [cell[1] if isinstance(cell, list) else cell for cell in cells]
            count += len(row)
            if found != row:
                print(f"row {number} of all values: {found} instead of {row}")
        if len(values[1]) != len(expected):
            print(f"{len(values[1])} rows of all values instead of {len(expected)}")
    elif names != rows[0]:
        print(f"columns {names} instead of {rows[0]}")
    print(f"{count} cells")


page = Page(sys.argv[2], sys.argv[4] if len(sys.argv) > 4 else None)
if sys.argv[1] == "check":
    print(page.wrong, page.loads, len(page.tables))
elif sys.argv[1] == "text":
    print("".join(page.text))
else:
    compare(page, sys.argv[3])
