#!/bin/sh
# assay compare --pull-request: the comment in Markdown, as it is written and as a forge renders it.
LC_ALL=C.UTF-8
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
compare() { "$build/libexec/assay/assay-compare" "$@"; }
# names FILE: the first cells of all rows, in order
names() {
    sed -n 's/^| `\([^`]*\)`.*/\1/p' "$1" | tr '\n' ' ' | sed 's/ $//'
}

# --- what changed first, the rest folded: in units of ns, of which 10.7 ms is the mean of 10.6 and 10.8 ms ---
cat >make.py <<'PY'
import json, sys
new = sys.argv[1] == "new"
benchmarks = []
def add(name, old_value, new_value, spread, count=8):
    mean = new_value if new else old_value
    if mean:
        benchmarks.append({"name": name, "unit": "ns", "values": [mean * (1 + spread * (-1) ** i) for i in range(count)]})
add("calm", 5e3, 5.001e3, 0.001)
add("small", 10.7e6, 11.5e6, 0.01)
add("large", 2.5e9, 5e9, 0.01)
add("quick", 800, 400, 0.01)
add("noisy", 1e6, 1.03e6, 0.05)
add("gone", 3e6, 0, 0.01)
add("fresh", 0, 7e6, 0.01)
with open(sys.argv[1] + ".csv", "w") as out:
    out.write("name,time,unit\n")
    for b in benchmarks:
        for v in b["values"]:
            out.write("%s,%.9g,ns\n" % (b["name"], v))
PY
python3 make.py old && python3 make.py new
compare -q --fail-on slower --margin 2% --pull-request comment.md old.csv new.csv >out 2>err
is "$?" 3 'the exit status is that of the gate'
is "$(head -n 1 comment.md)" '**2 slower**, 1 faster, 1 vanished, 1 new, 1 within 2 %, 1 undecided' \
    'the first line counts the verdicts, with what fails in bold'
is "$(sed '/<details>/,$d' comment.md | names /dev/stdin)" 'large small quick gone fresh geomean' \
    'differences come first: those that fail, then the largest'
is "$(sed -n '/undecided<.summary>/,/<.details>/p' comment.md | names /dev/stdin)" noisy 'what is undecided is folded'
is "$(sed -n '/within 2 %<.summary>/,/<.details>/p' comment.md | names /dev/stdin)" calm 'what is equal is folded'
like comment.md '^\| `small` \| 10\.7 ms \| 11\.5 ms \| \+7\.5% \[\+6\.[0-9], \+8\.[0-9]\] \| \*\*slower\*\* \|$' \
    'five columns, in units that suit the values'
like comment.md '^\| `large` \| 2\.50 s \| 5\.00 s \| \+100' '  seconds'
like comment.md '^\| `quick` \| 800 ns \| 400 ns \| -50' '  nanoseconds'
like comment.md '^\| `calm` \| 5\.000 µs \| 5\.001 µs \|' '  as many digits as show the difference'
like comment.md '^\| `gone` \| 3 ms \|  \|  \| vanished \|$' '  one side alone'
like comment.md '^\| `noisy` .* \| undecided: [0-9]+ more runs \|$' '  how many runs are missing'
like comment.md '^\| benchmark \| `old\.csv` \| `new\.csv` \| change \| verdict \|$' '  the columns name the files'
is "$(grep '^|' comment.md | awk -F'|' 'NF != 7' | wc -l)" 0 'every row has five cells'
is "$(grep -c '<details>' comment.md)" "$(grep -c '</details>' comment.md)" 'every fold is closed'
like comment.md '^- p tests that the ratio lies outside 0\.980392' 'the notes are there'
compare --strict -q --fail-on slower --margin 2% --pull-request comment.md old.csv new.csv >out 2>err
is "$(head -n 1 comment.md)" '**2 slower**, 1 faster, **1 vanished**, **1 new**, 1 within 2 %, **1 undecided**' \
    '--strict: all that fails is bold'
compare -q --pull-request comment.md old.csv new.csv >out 2>err
is "$? $(head -n 1 comment.md)" '0 2 slower, 1 faster, 1 vanished, 1 new, 2 without a difference that is shown' \
    'without a gate nothing fails, and without a margin nothing is undecided'
unlike comment.md 'undecided' '  anywhere'
compare -q old.csv new.csv >plain 2>err
compare -q --pull-request comment.md old.csv new.csv >out 2>err
is "$(grep -c '^new.csv' out)" 7 'the table on standard output is written, too, with what one side lacks'

# --- several metrics: a benchmark's rows stand together, and its name stands there once ---
go() { # NAME NS B ALLOCS
    for i in 1 2 3 4 5; do
        echo "Benchmark$1-4 100 $2.$i ns/op $3 B/op $4 allocs/op"
    done
}
{ go Sort 500 64 2 && go Map 700 128 3 && go Add 10 0 0; } >old.txt
{ go Sort 900 64 5 && go Map 1900 256 3 && go Add 10 0 0; } >new.txt
compare -q --fail-on worse --margin 2% --pull-request comment.md old.txt new.txt >out 2>err
sed '/<details>/,$d' comment.md | grep '^| ' >shown
is "$(sed -n '2,5s/^| \([^|]*\) |.*/\1/p' shown | tr '\n' ';')" '`BenchmarkMap-4`, ns/op;B/op;`BenchmarkSort-4`, allocs/op;ns/op;' \
    'each benchmark has its name once, with its largest change first'
like shown '^\| B/op \| 128 B/op \| 256 B/op \| \+100% \| \*\*larger\*\* \|$' '  an exact change has no interval'
like shown '^\| `BenchmarkSort-4`, allocs/op \| 2 allocs/op \| 5 allocs/op \| \+150% \| \*\*more\*\* \|$' '  nor has a count'

# --- names are text: they neither end a cell nor are they markup ---
cat >odd.py <<'PY'
import csv
odd = ["a|b", "x`y", "<script>alert(1)</script>", "*bold* _it_ ~~no~~", "back\\|slash", "&amp;", "[l](http://x)", "@user #12"]
for name, factor in (("odd_old", 1), ("odd_new", 2)):
    with open(name + ".csv", "w") as out:
        w = csv.writer(out)
        w.writerow(["name", "time"])
        for o in odd:
            for i in range(4):
                w.writerow([o, factor * 10 + i])
PY
python3 odd.py
compare -q --pull-request comment.md odd_old.csv odd_new.csv >out 2>err
like comment.md '^\| <code>a&#124;b</code> \|' 'a name with a bar is written with references'
like comment.md '^\| `@user #12` \|' '  others are code, in which nobody is mentioned'
is "$(grep '^|' comment.md | awk -F'|' 'NF != 7' | wc -l)" 0 '  each row still has five cells'
if command -v cmark-gfm >/dev/null; then
    cmark-gfm --unsafe -e table -e strikethrough -e autolink -e tagfilter comment.md >comment.html
    is "$(python3 - <<'PY'
import html, re
cells = re.findall(r"<tr>\n<td>(.*?)</td>", open("comment.html").read())
print(sorted(html.unescape(re.sub("</?code>", "", c)) for c in cells if "geomean" not in c) ==
      sorted(["a|b", "x`y", "<script>alert(1)</script>", "*bold* _it_ ~~no~~", "back\\|slash", "&amp;", "[l](http://x)", "@user #12"]))
PY
)" True '  rendered, each name is what it was'
    unlike comment.html '<a |<em>|<strong>s|<del>|<script' '  without links, emphasis or elements of its own'
    is "$(grep -c '<table>' comment.html)" 1 '  there is a table'
else
    skip 'no cmark-gfm here'
fi

# --- a comment has a limit ---
awk 'BEGIN { for (f = 0; f < 2; f++) { file = f ? "many_new.csv" : "many_old.csv"; print "name,time" >file
    for (b = 0; b < 2000; b++) for (i = 0; i < 3; i++)
        printf "a.rather.long.name.of.a.benchmark.number%d,%g\n", b, 100 + i + f * (b % 2) * 50 >file } }'
compare -q --margin 2% --pull-request comment.md many_old.csv many_new.csv >out 2>err
between 50000 "$(wc -c <comment.md)" 65536 '2000 benchmarks fit into a comment'
like comment.md '^1000 slower, 1000 within 2 %' '  the first line counts all'
is "$(($(sed '/<details>/,$d' comment.md | grep -c '^| `a') + $(sed -n '/<details>/q; s/^\([0-9]*\) more rows are left out.*/\1/p' comment.md)))" 1000 \
    '  rows that are left out are counted'
like comment.md '^\| `geomean` .* \[' '  the geometric mean stays'

# --- a family of tests ---
awk 'BEGIN { for (f = 0; f < 2; f++) { file = f ? "two_new.csv" : "two_old.csv"; print "name,ms" >file
    for (i = 0; i < 3; i++) printf "a,%g\nb,%g\n", 10 + i / 10 + f, 20 + i >file } }'
compare -q --family holm --pull-request comment.md two_old.csv two_new.csv >out 2>err
like comment.md '^Verdicts allow for 2 tests. Intervals are for one benchmark alone' 'a line before the tables says what is adjusted'
compare -q --pull-request comment.md two_old.csv two_new.csv >out 2>err
unlike comment.md 'Verdicts allow' '  only with --family'

# --- errors ---
compare -q --pull-request none/comment.md old.csv new.csv >out 2>err
is $? 1 'a file that cannot be written: status 1'
like err 'none/comment\.md: No such file' '  named'

done_testing
