#!/bin/sh
# assay waste --html: the page is complete in itself, its numbers are those of the tables, nothing in a trace or source
# file gets out of its text, source files are found, and a page that can't be written leaves none behind.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
needs tests/make_trace tests/make_pairs
programs=$build/libexec/assay
waste() {
    "$programs/assay-waste" "$@" 2>err
}
# data PAGE EXPRESSION: what Python makes of the page's data `d`; where(COLUMNS, NAME, VALUE): numbers of rows
data() {
    python3 -c '
import json, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
d = json.loads(re.search(r"<script type=\"application/json\" id=\"data\">(.*?)</script>", page, re.S).group(1))
def chain(node):
    names = []
    while node:
        names.insert(0, d["frames"]["text"][d["nodes"]["frame"][node]])
        node = d["nodes"]["parent"][node]
    return " > ".join(names) or "[unknown]"
def line(name):
    return d["lines"]["text"].index(d["frames"]["text"].index(name))
print(eval(sys.argv[2]))' "$1" "$2"
}

# Lines and their accesses in pairs, wasted ones first:
#   f:30   loads 99 of 100, from one iteration of main:2 to the next
#   g:50   stores: 20 of 40 dead, 30 of 40 silent; loads 0 of 60
#   main:3 calls memset: stores 200 of 200 dead
cat >source.c <<'END'
int x;
int main(void) {
    /* </script><script>alert(1)</script><!-- <script> */
}
END
printf 'a line \342\200\250 and \377\n' >>source.c
mkdir both
FILE=$PWD/source.c "$build/tests/make_pairs" both/w.trace series=w run=1 mode=waste engine=exact \
    'command=["prog","</title><script>alert(2)</script>"]' fp_tolerance=0.01 <<'END'
total main 0 0 500 4000
total main 1 0 700 6000
pair main 2 0 main:4;f:30 main:4;f:30 main:2 0 100 99 800 792
pair main 0 0 main:5;g:50 main:5;g:51 - 0 40 20 320 160
pair main 1 0 main:5;g:48 main:5;g:50 - 0 40 30 320 240
pair main 2 0 main:5;g:48 main:5;g:50 - 0 60 0 480 0
pair main 0 0 main:3;memset!99;helper!7 main:2 - 0 200 200 1600 1600
END
# 100 samples: f:30 34, g:50 10, memset 6, main:9 50
for stack in 34/main:4\;f:30 10/main:5\;g:50 6/main:3 50/main:9; do
    awk -v n="${stack%%/*}" -v stack="${stack#*/}" 'BEGIN { for (i = 0; i < n; i++) print stack }'
done | awk '{ print "main", NR, NR * 1000, NR * 1000, $0 }' |
    "$build/tests/make_trace" both/c.trace series=c run=1 mode=cpu clock=random period_ns=1000

waste --html page.html both/w.trace both/c.trace >out
is $? 0 '--html writes a page'
is "$(cat err)" '' '  without a message'
like out '^dead-store +29.33% ' '  and the table is printed all the same'
is "$(ls -A | sort | xargs)" 'both err out page.html source.c' '  there is no other new file'

# --- complete in itself ---
is "$(python3 -c '
import html.parser, re
class Parser(html.parser.HTMLParser):
    loads, scripts, styles = [], 0, 0
    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.scripts += tag == "script"
        self.styles += tag == "style"
        if tag in ("link", "img", "iframe", "object", "embed", "base", "form", "audio", "video", "source"): self.loads.append(tag)
        self.loads += [name for name in ("src", "srcset", "data", "action", "poster", "background") if name in given]
        if given.get("href", "#")[0] != "#": self.loads.append(given["href"])
parser = Parser()
text = open("page.html", encoding="utf-8").read()
parser.feed(text)
print(parser.loads, parser.scripts, parser.styles, re.findall(r"https?://|@import|url\(|\bfetch\(|XMLHttpRequest|\bimport\(|innerHTML|\beval\(", text))')" \
    '[] 2 1 []' 'the page loads nothing: no script, style or image from elsewhere; texts never become markup'
like page.html "default-src 'none'" '  and forbids it'

# --- numbers ---
is "$(data page.html '[(k["kind"], k["bytes"], k["wasted_bytes"], round(k["fraction"], 6)) for k in d["kinds"]], d["traffic"]')" \
    "([('dead-store', 6000, 1760, 0.293333), ('silent-store', 6000, 240, 0.04), ('silent-load', 4000, 792, 0.198)], 10000)" \
    'kinds: bytes and fractions'
is "$(data page.html 'sorted(zip(map(chain, d["pairs"]["first"]), map(chain, d["pairs"]["second"]), map(chain, d["pairs"]["scope"]), d["pairs"]["kind"], d["pairs"]["wasted_bytes"], d["pairs"]["bytes"], d["pairs"]["wasted_events"], d["pairs"]["events"]))')" \
    "[('main:3 > memset:99 > helper:7', 'main:2', '[unknown]', 0, 1600, 1600, 200, 200), ('main:4 > f:30', 'main:4 > f:30', 'main:2', 2, 792, 800, 99, 100), ('main:5 > g:48', 'main:5 > g:50', '[unknown]', 1, 240, 320, 30, 40), ('main:5 > g:50', 'main:5 > g:51', '[unknown]', 0, 160, 320, 20, 40)]" \
    'pairs: both paths, loop, wasted and all bytes and accesses; what wastes nothing is left out'
# gain: f:30 0.99 * 0.34; main:3 0.06; g:50 0.3 * 0.1
is "$(data page.html '[[round(d["lines"][c][line(n)], 6) for c in ("gain", "time", "wasted_bytes", "accesses", "wasted_accesses")] for n in ("f:30", "main:3", "g:50", "main:9")]')" \
    '[[0.3366, 0.34, 792, 100, 99], [0.06, 0.06, 1600, 200, 200], [0.03, 0.1, 240, 100, 30], [0, 0.5, 0, 0, 0]]' \
    'lines: gain, time, bytes; also those that only need time'

# f:30 repeats its loads from one iteration of main:2 to the next; memset stores what nothing reads
is "$(data page.html '[d["inefficiencies"][d["line_words"][line(n)][0]][0] for n in ("f:30", "main:3")], d["line_words"][line("f:30")][1:], len(d["line_words"]), len(d["function_words"])')" \
    "(['repeated load', 'zeroing before overwriting'], ['99 % of its loads in pairs repeat what an earlier iteration of the loop at main:2 loaded.'], 3, 3)" \
    'words: what the lines and functions look like'

# Every number of the tables, by columns that both have.
cat >compare.py <<'END'
import json, re, subprocess, sys
program, page, inputs = sys.argv[1], sys.argv[2], sys.argv[3:]
d = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', open(page, encoding="utf-8").read(), re.S).group(1))
def table(*options):
    result = subprocess.run([program, *options, "--format", "json", *inputs], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return json.loads(result)["results"]
def chain(node):
    names = []
    while node:
        names.insert(0, d["frames"]["text"][d["nodes"]["frame"][node]])
        node = d["nodes"]["parent"][node]
    return " > ".join(names) or "[unknown]"
def share(columns, i, kinds):
    return columns["fraction"][i] if "fraction" in columns else columns["wasted_bytes"][i] / kinds[columns["kind"][i]]
names = d["kind_names"]
kinds = {names.index(k["kind"]): k["bytes"] for k in d["kinds"]}
compared = 0
def same(what, ours, theirs):
    global compared
    compared += 1
    if ours != theirs: sys.exit(f"{what}: page {ours}, table {theirs}")
for view, option in (("pairs", "--pairs"), ("scopes", "--scopes"), ("objects", "--objects")):
    rows = {}
    columns = d[view]
    for i in range(len(columns["kind"])):
        if view == "objects":
            key = (names[columns["kind"][i]], chain(d["object_list"][columns["object"][i]][1]))
        elif view == "scopes":
            key = (names[columns["kind"][i]], chain(columns["scope"][i]) if columns["scope"][i] else None)
        else:
            key = (names[columns["kind"][i]], chain(columns["first"][i]), chain(columns["second"][i]), chain(columns["scope"][i]) if columns["scope"][i] else None,
                   chain(d["object_list"][columns["object"][i]][1]) if columns["object"][i] else None)
        rows[key] = i
    listed = table(option, "0")
    same(view, len(rows), len(listed))
    for row in listed:
        if view == "objects": key = (row["kind"], row["object"])
        elif view == "scopes": key = (row["kind"], row["scope"])
        else: key = (row["kind"], row["first_context"], row["second_context"], row["scope"], row["object"])
        i = rows[key]
        for name in ("wasted_bytes", "events", "wasted_events"):
            if name in row: same(f"{view} {key} {name}", columns[name][i], row[name])
        same(f"{view} {key} fraction", share(columns, i, kinds), row["fraction"])
        ours = columns["traffic_share"][i] if "traffic_share" in columns else columns["wasted_bytes"][i] / d["traffic"]
        same(f"{view} {key} traffic_share", ours, row["traffic_share"])
for view in ("functions", "lines"):
    columns = d[view]
    listed = table("--hot", f"--{view}", "0") if d["profile_runs"] else table(f"--{view}", "0")
    for i, row in enumerate(listed):
        name = d["function_names"][columns["function"][i]] if view == "functions" else d["frames"]["text"][columns["text"][i]]
        same(f"{view} {i}", name, row[view[:-1]])
        for column in ("accesses", "wasted_bytes", "traffic_share", "gain", "bound", "time"):
            if column in row and column in columns: same(f"{view} {name} {column}", columns[column][i], row[column])
        words = d[view[:-1] + "_words"][i]
        name_and_remedy = d["inefficiencies"][words[0]] if words else ["", ""]
        same(f"{view} {name} words", [*name_and_remedy, " ".join(words[1:]) if words else ""],
             [row["inefficiency"] or "", row["remedy"] or "", row["evidence"] or ""])
for ours, theirs in zip(d["kinds"], table()):
    for column in theirs: same(f"kinds {column}", ours[column], theirs[column])
print("same" if compared > 40 else f"only {compared} compared")
END
is "$(python3 compare.py "$programs/assay-waste" page.html both/w.trace both/c.trace 2>&1)" same \
    'each view has the numbers of --format json, to the last digit'
"$build/tests/make_pairs" run2.trace series=w run=2 mode=waste engine=exact 'command=["prog"]' fp_tolerance=0.01 <<'END'
total main 0 0 500 4400
total main 1 0 700 6100
object 1 64 main:7;make:8
object 0 64 table
pair main 2 0 main:4;f:30 main:4;f:30 main:2 1 100 90 800 720
pair main 2 0 main:4;f:31 main:4;f:30 main:2 2 10 9 80 72
pair main 0 0 main:5;g:50 main:5;g:51 - 0 40 10 320 80
END
waste --html runs.html both/w.trace run2.trace >out
is "$(python3 compare.py "$programs/assay-waste" runs.html both/w.trace run2.trace 2>&1)" same \
    '  also those of several runs, with means, intervals and objects'
waste --html kind.html --kind dead-store both/w.trace >out
is "$(data kind.html '[k["kind"] for k in d["kinds"]], sorted(set(d["pairs"]["kind"]))')" "(['dead-store'], [0])" \
    '--kind: the page has only this kind'
waste --save-state s1 both/c.trace && waste --save-state s2 both/w.trace && waste --html state.html s1 s2 >out
is "$(cmp page.html state.html && echo same)" same 'saved states give the same page'
waste -j 1 --html one.html both/c.trace both/w.trace >out
is "$(cmp page.html one.html && echo same)" same '  and so do another order and one thread'
python3 -c '
import json
state = json.load(open("s2"))
del state["state"]["frames"]
json.dump(state, open("old", "w"))'
waste old s1 >out
is $? 0 'a state without files of frames, as older versions wrote, can still be read'

# --- hostile texts ---
is "$(grep -c -e '<script>alert' -e '<!--' page.html)" 0 'no text of a command or a source file becomes markup'
is "$(data page.html 'd["labels"]["command"]')" "['prog </title><script>alert(2)</script>']" '  the command is there as a text'
is "$(data page.html '[p for s in d["sources"] for p in s["parts"]] == [[1, "int x;\nint main(void) {\n    /* </script><script>alert(1)</script><!-- <script> */\n}\na line \u00e2\u0080\u00a8 and \u00ff"]]')" \
    True '  a source file, too; one that is no UTF-8 as Latin-1'
{
    echo 'total main 1 0 700 6000'
    echo 'pair main 0 0 </script><script>alert(3)</script>"&\u2028:1 main:2 - 0 40 20 320 160'
    printf 'pair main 0 0 \377\376bytes:1 main:2 - 0 40 20 320 160\n'
    printf 'pair main 0 0 line\342\200\250separator:1 main:2 - 0 40 20 320 160\n'
    awk 'BEGIN { name = "ns::Template<"; while (length(name) < 1900) name = name "Argument" length(name) ","; gsub(/:/, "_", name)
        print "pair main 1 0 " name "int>:7 main:2 - 0 40 20 320 160" }'
} | "$build/tests/make_pairs" hostile.trace series=w run=1 mode=waste engine=exact 'command=["prog"]'
waste --html hostile.html hostile.trace >out
is "$(grep -c -e '<script>alert' hostile.html)" 0 'names of functions: no markup'
is "$(data hostile.html 'sorted(t for t in d["frames"]["text"] if "script" in t or "bytes" in t or "separator" in t)')" \
    "['</script><script>alert(3)</script>\"&\\\\u2028:1', 'line\\u2028separator:1', 'ÿþbytes:1']" '  but the names themselves'
is "$(data hostile.html 'max(map(len, d["frames"]["text"])) > 1900')" True '  however long'
is "$(python3 -c '
import re
text = open("hostile.html", encoding="utf-8").read()
print(len(re.findall("[\u2028\u2029<]", re.search("id=\"data\">(.*?)</script>", text, re.S).group(1))))')" 0 '  in the data line separators and < are escaped'

# --- source files ---
is "$(data page.html '[d["files"][s["file"]] == s["path"] for s in d["sources"]], d["missing"]')" '([True], [])' 'a file is found by its path'
mkdir -p tree/b/src tree/a/other tree/.hidden/b/src && echo 'int right;' >tree/b/src/part.c && echo 'int wrong;' >tree/a/other/part.c &&
    echo 'int hidden;' >tree/.hidden/b/src/part.c
FILE=/build/of/b/src/part.c "$build/tests/make_pairs" moved.trace series=w run=1 mode=waste engine=exact 'command=["prog"]' <<'END'
total main 1 0 700 6000
pair main 0 0 main:1 main:2 - 0 40 20 320 160
END
waste --html moved.html moved.trace >out
is "$(data moved.html 'd["sources"], d["missing"]')" "([], [{'file': 0, 'why': 'was not found'}])" 'a file that is not there is listed'
waste --html moved.html --sources nothing:tree/a --sources tree moved.trace >out
is "$(data moved.html '[(s["path"], s["parts"], s["alike"]) for s in d["sources"]]')" "[('tree/b/src/part.c', [[1, 'int right;']], 1)]" \
    '--sources: the file below these folders whose path is most alike'
like err '^assay-waste: --sources nothing: No such file or directory$' '  a folder that is not there is a warning'
ln -s tree linked && waste --html moved.html --sources linked moved.trace >out
is "$(data moved.html '[s["path"] for s in d["sources"]]')" "['linked/b/src/part.c']" '  also if the folder is a link'
FILE=$PWD/err "$build/tests/make_pairs" other.trace series=w run=1 mode=waste engine=exact 'command=["prog"]' <<'END'
total main 1 0 700 6000
pair main 0 0 main:1 main:2 - 0 40 20 320 160
END
waste --html other.html other.trace >out
is "$(data other.html 'd["sources"], d["missing"]')" "([], [{'file': 0, 'why': 'has no name of source code'}])" \
    'what is not named like source code is not put into a page'
# one_pair FILE LINE: a page of a pair in this file
one_pair() {
    FILE=$1 "$build/tests/make_pairs" one.trace series=w run=1 mode=waste engine=exact 'command=["prog"]' <<END
total main 1 0 700 6000
pair main 0 0 main:$2 main:$2 - 0 40 20 320 160
END
    waste --html one.html one.trace >out
}
mkdir -p deep/include && echo 'root:secret' >secret && ln -s "$PWD/secret" link.c && ln -s "$PWD/source.c" alias.c && mkfifo fifo.c
for name in deep/include/../../secret link.c; do
    one_pair "$PWD/$name" 1
    is "$(data one.html '[m["why"] for m in d["missing"]]'):$(grep -c 'root:secret' one.html)" "['has no name of source code']:0" \
        "  nor by the path $name: the name of the file that it leads to counts"
done
one_pair "$PWD/alias.c" 1
is "$(data one.html 'd["missing"], d["sources"][0]["lines"]')" '([], 5)' '  a link to source code is followed'
one_pair "$PWD/fifo.c" 1
is "$(data one.html '[m["why"] for m in d["missing"]]')" "['is not a regular file']" '  a FIFO is not read'
awk 'BEGIN { for (i = 1; i <= 40000; i++) print "int line_" i ";" }' >large.c
FILE=$PWD/large.c "$build/tests/make_pairs" large.trace series=w run=1 mode=waste engine=exact 'command=["prog"]' <<'END'
total main 1 0 700 6000
pair main 0 0 main:100 main:20000 - 0 40 20 320 160
pair main 0 0 main:20100 main:39999 - 0 40 20 320 160
pair main 0 0 main:20020 main:50000 - 0 40 20 320 160
END
waste --html large.html large.trace >out
is "$(data large.html '[(first, text.count("\n") + 1, text.split("\n")[0]) for first, text in d["sources"][0]["parts"]], d["sources"][0]["lines"]')" \
    "([(60, 81, 'int line_60;'), (19960, 181, 'int line_19960;'), (39959, 42, 'int line_39959;')], 40000)" \
    'of a large file only the lines around those of frames'

{ echo 'int first;' && head -c 13000000 /dev/zero | tr '\0' x && printf '\nint last;\n'; } >long.c
one_pair "$PWD/long.c" 2
is "$(data one.html 'd["sources"][0]["parts"], d["sources"][0]["lines"], len(page) < 1000000')" "([[1, 'int first;']], 3, True)" \
    'a line that is larger than what the page takes of sources is left out, and what follows'
awk 'BEGIN { for (line = sprintf("%1000s", ";"); n < 20000; n++) print line }' >wide.c
{
    echo 'total main 1 0 700 6000'
    awk 'BEGIN { for (i = 1; i <= 20000; i += 80) print "pair main 0 0 main:" i " main:" i " - 0 40 20 320 160" }'
} | FILE=$PWD/wide.c "$build/tests/make_pairs" wide.trace series=w run=1 mode=waste engine=exact 'command=["prog"]'
waste --html wide.html wide.trace >out
# 12 MiB are 12570 lines of 1001 bytes and a rest
is "$(data wide.html 'sum(text.count("\n") + 1 for first, text in d["sources"][0]["parts"])')" 12570 \
    '  and a file whose lines are all near those of frames ends where the page has enough'

# --- machine code: two instructions of a program that is there as it was recorded, and one that is not ---
if command -v objdump >/dev/null && command -v gcc >/dev/null; then
    echo 'volatile int a; int main(void) { a = 3; return a; }' >code.c
    gcc -O1 -Wl,--build-id -o code code.c
    address=$(objdump -d code | sed -n 's/^ *\([0-9a-f]*\):.*movl *\$0x3,.*/\1/p')
    python3 - "$root" "$PWD/code" "$address" >made <<'END'
import subprocess, sys
notes = subprocess.run(["readelf", "-n", sys.argv[2]], stdout=subprocess.PIPE, text=True).stdout
print(notes.split("Build ID: ")[1].split()[0])
END
    for id in "$(cat made)" 0000; do
        MODULE=$PWD/code BUILD_ID=$id "$build/tests/make_pairs" code-$id.trace series=w run=1 mode=waste engine=exact 'command=["prog"]' <<END
total main 1 0 700 6000
pair main 0 0 main@$address main@$address - 0 40 20 320 160
END
        waste --html code-$id.html code-$id.trace >out
    done
    is "$(data "code-$(cat made).html" '[i.split()[0] for i in d["instructions"] if i]')" "['movl']" \
        'without a line, the instruction at the address is shown'
    is "$(data code-0000.html '[i for i in d["instructions"] if i]')" '[]' '  unless the file is another one'
else
    skip 'no gcc or objdump'
    skip 'no gcc or objdump'
fi

# --- errors ---
waste --html /dev/full both/w.trace >out
is $? 1 'a full disk: status 1'
is "$(cat err)" 'assay-waste: /dev/full: No space left on device' '  and one line'
is "$([ -c /dev/full ] && echo there)" there '  and the device stays'
waste --html nowhere/page.html both/w.trace >out
is $?:"$(cat err)" '1:assay-waste: nowhere/page.html: No such file or directory' 'a folder that is not there'
mkdir folder
waste --html folder both/w.trace >out
is $?:"$(cat err)" '1:assay-waste: folder: Is a directory' 'a folder in its stead'
cp page.html before.html
(ulimit -f 20 && trap '' XFSZ && waste --html before.html both/w.trace >out)
is $?:"$(cat err)" '1:assay-waste: before.html: File too large' 'no more space while the page is written'
is "$(cmp page.html before.html && echo same):$(ls -A | grep -c tmp)" same:0 '  the old page stays as it was, and there is no half one'
cp both/w.trace kept.trace
waste --html kept.trace both/w.trace >out
is "$?:$(head -n 1 err)" '2:assay-waste: --html kept.trace: the file exists, and is not named like a page (.html), so it stays' \
    'a trace in the stead of the page: status 2'
is "$(cmp kept.trace both/w.trace && echo same)" same '  and it stays'
waste -q --html /dev/full both/w.trace >out
is "$(cat err)" 'assay-waste: /dev/full: No space left on device' '-q: the reason for the status is still printed'
waste --html both.html -o both.json both/w.trace >out
is $?:"$(wc -c <out | tr -d ' ')" 0:0 '--html with -o: both are written'
is "$(python3 -c 'import json; json.load(open("both.json")); print("json")'):$(cmp both.html kind.html >/dev/null || data both.html 'len(d["pairs"]["kind"])')" json:4 '  and both are complete'
waste --html empty.html both/c.trace >out
is $?:"$([ -e empty.html ] || echo none)" 1:none 'a CPU profile alone: status 1, and no page'
like err 'empty.html: the page is not written, since there are no memory accesses' '  with the reason'
waste --sources tree both/w.trace >out
like err '^assay-waste: --sources has an effect only with --html FILE$' '--sources without --html is a warning'
waste --html by.html --by program both/w.trace >out
like err 'the page shows all inputs together, without --by and --threads' '--by: a warning'
ln -s target.html link.html && : >target.html && waste --html link.html both/w.trace >out
is "$([ -L link.html ] && cmp link.html both.html && echo same)" same 'a link stays one: its target is replaced'

# --- warnings and notes ---
is "$(data one.html 'd["warnings"]')" "['silent-load: the fraction leaves out 1 of 1 runs: no bytes loaded']" 'a warning of the table is on the page, once'
is "$(data both.html 'd["notes"]')" "['floating-point values count as equal within 1 %, all others must be identical']" '  and notes about the recordings'
{ echo 'main 1 1000 1000 main:9' && echo 'lost main 1'; } |
    "$build/tests/make_trace" loss.trace series=c run=1 mode=cpu clock=random period_ns=1000
waste --html loss.html both/w.trace loss.trace >out
is "$(data loss.html '[n for n in d["notes"] if "lost" in n]')" "['1 record was lost while recording (assay info tells why)']" '  also what was lost'

# --- without a script, and in a browser ---
python3 -c '
import re
text = open("page.html", encoding="utf-8").read()
text = re.sub(r"<(script|style).*?</\1>", "", text, flags=re.S)
print(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", text)))' >plain
like plain 'dead-store 29.33 % 1760 6000' 'without JavaScript the kinds are there'
like plain 'f:30 33.66 %.*main:3 6.00 %' '  and the first lines'
if command -v node >/dev/null; then
    cat >model.mjs <<'END'
import {readFileSync} from 'fs';
import {runInNewContext} from 'vm';
const page = readFileSync(process.argv[2], 'utf8'), model = readFileSync(process.argv[3] + '/analyze/waste/page/model.js', 'utf8');
const textContent = /id="data">([^]*?)<\/script>/.exec(page)[1];
console.log(runInNewContext(model + '\n;' + process.argv[4], {document: {getElementById: () => ({textContent})}}));
END
    is "$(node model.mjs page.html "$root" 'JSON.stringify([...pairsAtFrames().wasting].map(([frame, list]) => [frames.text[frame], list.map(pair => pairs.wasted_bytes[pair])]).sort())')" \
        '[["f:30",[792]],["g:50",[240,160]],["main:3",[1600]]]' \
        'the script: pairs are found by their line; a dead store at the earlier one, what the C library does at its caller'
    is "$(node model.mjs page.html "$root" '["g:5", "silent store", "MAIN:5 load", "helper", "source.c g:51", "nothing"].map(words => Array.from(pairs.kind.keys()).filter(pair => pairHas(wordsOf(words)).every(has => has(pair))).map(pair => pairs.wasted_bytes[pair]).join("+")).join()')" \
        '240+160,240,,1600,160,' '  the search finds functions, lines, files and kinds'
    is "$(node model.mjs page.html "$root" '["repeated", "zeroing over"].map(words => Array.from(lines.text.keys()).filter(line => lineHas(wordsOf(words)).every(has => has(line))).map(line => frames.text[lines.text[line]]).join("+")).join()')" \
        'f:30,main:3' '  and what lines look like'
    is "$(node model.mjs page.html "$root" '["a::b<c, d<e>, aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa>::f(int) const", "std::operator<< <std::char_traits<char>, aaaaaaaaaaaaaaaa>(int)", "java.util.concurrent.aaaaaaaaaaaaaaaaaaaaaaaaa.<init>(int)", "short(int)", "un<closed aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "operator()(int, aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa)"].map(shortName).join()')" \
        'a::b<…>::f(…) const,std::operator<< <…>(…),java.util.concurrent.aaaaaaaaaaaaaaaaaaaaaaaaa.<init>(…),short(int),un<closed aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,operator()(…)' \
        '  long names lose what is in their brackets'
    {
        echo 'total main 1 0 700 6000'
        printf 'pair main 0 0 - f\342\200\256c.b:7 - 0 40 20 320 160\n'
    } | "$build/tests/make_pairs" marks.trace series=w run=1 mode=waste engine=exact 'command=["prog"]'
    waste --html marks.html marks.trace >out
    is "$(node model.mjs marks.html "$root" 'frames.text.filter(text => text.includes("c.b")).join()')" 'f\u202ec.b:7' \
        '  marks that turn the direction of text are written out'
    is "$(node model.mjs marks.html "$root" 'JSON.stringify([...pairsAtFrames().wasting].map(([frame, list]) => [frames.text[frame], list.length]))')" \
        '[["[unknown]",1]]' '  the pairs of [unknown] are found'
    python3 -c '
import re
print(re.findall(r"<script>(.*?)</script>", open("page.html", encoding="utf-8").read(), re.S)[-1])' >script.js
    node --check script.js 2>why
    is $?:"$(cat why)" 0: '  is valid'
else
    for each in 1 2 3 4 5 6 7; do skip 'no node'; done
fi
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -n "$browser" ]; then
    # A browser on a busy machine may stop before the page has unpacked its data: one of three does not.
    show() {
        for try in 1 2 3; do
            "$browser" --headless=new --no-sandbox --disable-gpu --user-data-dir="$PWD/browser" --virtual-time-budget=20000 \
                --dump-dom "file://$PWD/$1" >shown 2>/dev/null
            grep -q 'data-opened="[0-9]' shown && break
        done
        cat shown
    }
    show 'page.html#pairs' >dom
    is "$(grep -o 'role="row" data-at="[0-9]*"' dom | sort | xargs)" "$(for i in 0 1 2 3; do echo "role=\"row\" data-at=\"$i\""; done | xargs)" \
        'a browser shows the pairs'
    like dom 'stored, and never read' '  and the first one'
    show 'page.html#pairs?view=nothing&kind=none&sel=-1&frame=99999' >dom
    is "$(grep -o 'role="row" data-at="[0-9]*"' dom | wc -l | tr -d ' ')" 4 '  also at an address that names what is not there'
    # Keys that an element with the focus leaves to the browser: what dispatchEvent() returns
    cat >keys.html <<'END'
<script>
const leaves = (where, key) => document.querySelector(where).dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
document.documentElement.dataset.keys = [['.scroller', 'Tab'], ['.scroller', 'ArrowDown'], ['.detail', 'ArrowDown'], ['.detail', 'j']]
  .map(([where, key]) => leaves(where, key)).join();
</script>
END
    cat page.html keys.html >keyed.html
    show 'keyed.html#pairs' >dom
    like dom 'data-keys="true,false,true,false"' '  Tab leaves a list, and arrows scroll a text that has the focus'
    show 'hostile.html#functions' >dom
    is "$(grep -c '<script>alert' dom):$(grep -c 'alert(3)' dom | grep -vcx 0)" 0:1 '  names are texts'
else
    for each in 1 2 3 4 5; do skip 'no browser'; done
fi

# --- large ---
awk 'BEGIN {
    srand(1); print "total main 0 0 900000000 8000000000"; print "total main 1 0 900000000 8000000000"
    for (i = 0; i < 100000; i++) {
        a = int(rand() * 3000); b = int(rand() * 3000); n = 1 + int(1000 / (1 + i % 1000))
        print "pair main", i % 3, 0, "main:" 1 + a % 40 ";part_" a % 300 ":" a ";leaf_" a ":" i % 90 + 1, "main:" 1 + b % 40 ";part_" b % 300 ":" b ";end_" b ":" i % 70 + 1, (i % 4 ? "main:" 1 + a % 40 : "-"), 0, n, n, 8 * n, 8 * n
    }
}' | "$build/tests/make_pairs" many.trace series=w run=1 mode=waste engine=exact 'command=["prog"]'
start=$(date +%s%N)
waste --html many.html many.trace >out
is $? 0 'a hundred thousand pairs'
count=$(data many.html 'len(d["pairs"]["kind"])')
echo "# $count pairs: $(wc -c <many.html) bytes, $((($(date +%s%N) - start) / 1000000)) ms with reading the data back"
between 99000 "$count" 100000 '  are in the page'
between 1 "$(($(wc -c <many.html) / count))" 150 '  with at most 150 bytes each'
if [ -n "$browser" ]; then
    show 'many.html#pairs' >dom
    echo "# opened after $(grep -o 'data-opened="[0-9]*"' dom) ms"
    between 5 "$(grep -o 'role="row" data-at' dom | wc -l)" 200 '  of which only those in sight are elements'
else
    skip 'no browser'
fi
done_testing
