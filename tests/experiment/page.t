#!/bin/sh
# assay experiment: report.html loads nothing, has each cell of the results, all warnings, failures and gaps, every command
# and links to the raw data; texts are never markup; the same data give the same bytes.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
programs=$build/libexec/assay
experiment=$programs/assay-experiment
report=paper/deep/report.html
page() {
    PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/analyze/page.py" "$@"
}
# links: the links of the report to other files, one a line
links() {
    page check $report | sed "s/^[^]]*] \[\(.*\)].*/\1/; s/, /\n/g" | tr -d "'"
}
# article NAME: the id of the article that begins with this result
article() {
    grep -A 1 '^<article id=' $report | grep -B 1 "^<h3>$1" | sed -n 's/^<article id="\(.*\)">/\1/p'
}
# same NAME VERB ARGUMENT...: how many cells of the result's article are those of the CSV of the same command line
same() {
    article=$(article "$1") verb=$2
    shift 2
    "$programs/assay-$verb" -q --format csv "$@" >out.csv
    page same $report out.csv "$article"
}
# shown TEXT FILE: whether the file has it
shown() {
    if grep -qF -e "$1" "$2"; then echo shown; else echo missing; fi
}
cat >busy <<'END'
#!/bin/sh
i=0
while [ $i -lt 60000 ]; do i=$((i + 1)); done
exit "${STATUS:-0}"
END
chmod +x busy
# Names and texts of a user, as hostile as a description can have them.
cat >small.yaml <<'END'
title: "</title><script>alert(1)</script>"
question: "Is <b>this</b> inert?"
method: |
  Two clocks, </main> as the first paragraph says.

  The <i>second</i> paragraph.
rounds: 3
seed: 7
programs:
  one: ./busy {size} "</script><script>alert(2)</script>"
  two: {command: ./busy, environment: {QUIET: "</style>"}}
  odd: {command: ./busy, environment: {STATUS: 3}}
factors:
  size: {small: "-n 1", large: "'<img src=x>'"}
recordings:
  cpu: {assay: record --engine soft --period 2ms, only: {program: [one, two]}}
  bad: {assay: record --engine soft --period 2ms, only: {program: [odd, two]}, rounds: 4}
results:
  directory: paper/deep
  tables:
    hot-{program}.tex: {assay: hot --top 3, from: cpu, only: {program: [one, two]}}
    times.csv: {assay: "ci --by program,size --value wall_s", from: cpu}
    bad.csv: {assay: ci --by program --value round, from: bad}
    waste.tex: {assay: waste, from: cpu}
    info.txt: {assay: info, from: cpu}
    "it's #1 & <b>.csv": {assay: ci --by size --value round, from: cpu}
  figures:
    hot-{program}.pdf: {assay: hot --top 3, from: cpu}
    times.svg: {assay: ci --by program --value wall_s, from: cpu}
  values:
    "{program}.hot{rank}": {assay: hot --top 3, from: cpu}
END
"$experiment" small.yaml >out 2>err
is $? 1 'an experiment with failures: status 1'
like err "^assay-experiment: $report: written$" '  its report is written, beside the results'
is "$(page check $report | cut -d ' ' -f 1)" '[]' '  all tags are closed'
is "$(links | grep -vE '^\./|^\.\./\.\./(small\.yaml|small\.data/)')" '' '  it loads nothing, and links only to files here'
is "$(for link in $(links); do
    path=$(python3 -c 'import sys, urllib.parse; print(urllib.parse.unquote(sys.argv[1]))' "$link")
    test -e "paper/deep/$path" || echo "$path"
done)" '' '  each of which exists'
is "$(links | grep -c '^./it%27s%20%231%20%26%20%3Cb%3E.csv')" 1 '  whatever its name is'

# --- texts ---
is "$(grep -o '<script[^>]*>' $report)" '<script>' 'texts are never markup: there is no other script than that of the page'
is "$(grep -c '<img\|<b>this\|<i>second\|<b>\.csv' $report) $(grep -c '</main>' $report)" '0 1' '  and no element'
page text $report >text
for expected in 'Is <b>this</b> inert?' 'Two clocks, </main> as the first paragraph says.' 'The <i>second</i> paragraph.' \
    '</title><script>alert(1)</script>' 'QUIET=</style>'; do
    is "$(shown "$expected" text)" shown "  it shows $expected"
done

# --- tables, figures, values ---
is "$(article hot-one.tex)" r1 'each result has an article'
is "$(same hot-one.tex hot --top 3 small.data/recordings/cpu/one/*/*.trace)" "$(awk 'END { print 8 * (NR - 1) " cells" }' out.csv)" \
    '  with the cells of its CSV'
is "$(same times.csv ci --by program,size --value wall_s small.data/runs/results/paper/deep/times.runs.csv)" '104 cells' \
    '  also from the table of runs'
is "$(grep -c '<h3>hot-one.tex, hot-one.pdf, one.hot{rank}</h3>' $report)" 1 'a table, a figure and values of one command line share it'
is "$(grep -c '<svg' $report)" 3 'the figures are in the page'
is "$(grep -o " id=['\"][^ >]*" $report | tr -d "\"'" | sort | uniq -d)" '' '  and no two elements have the same id'
python3 - >values <<'END'
import html, json
for name, value in json.load(open("paper/deep/values.json")).items():
    text = "<td>" + html.escape(value, quote=False) + "</td>" if isinstance(value, str) else '<td class="n"'
    print(f"<tr><td>{name}</td>{text}")
END
is "$(grep -c . values) $(grep -cFf values $report)" '48 48' 'all values are there'

# --- what went wrong ---
is "$(sed -n 's/^\([0-9]*\) of \([0-9]*\) runs succeeded, \(.*\)\.$/\1 \2 \3/p' text)" '13 17 2 failed, and 2 are missing' \
    'runs that failed or are missing are counted'
is "$(sed -n '/^What to know first/,/^Method/p' text | grep -c '^2 runs failed\|^2 of 17 runs are missing\|^waste.tex was not made')" 3 \
    '  the page begins with them'
is "$(grep -c '<td>exit status 3</td>' $report)" 2 '  each failed run is listed'
"$programs/assay-hot" --top 3 --format json small.data/recordings/cpu/one/*/*.trace 2>/dev/null >one.json
python3 -c 'import html, json
for warning in json.load(open("one.json"))["warnings"]: print("<li>" + html.escape(warning, quote=False))' >warnings
is "$(awk 'END { print (NR > 0) }' warnings) $(sed -n '/<section id="remarks">/,/<.section>/p; /<article id="r1">/,/<.article>/p' $report | grep -cFf warnings)" \
    "1 $(awk 'END { print 2 * NR }' warnings)" \
    'the warnings of a result are at the beginning, and with the result'
is "$(shown 'assay-waste: no memory accesses: ' text)" shown '  and what a program printed that failed'

# --- commands ---
for expected in 'assay record --engine soft --period 2ms -- ./busy -n 1' 'assay hot --top 3 --output=paper/deep/hot-two.tex' \
    'assay hot --top 3 --plot=paper/deep/hot-two.pdf' 'assay experiment report small.yaml' \
    "$(ls small.data/recordings/cpu/two/*.trace | tail -n 1)"; do
    is "$(shown "$expected" text)" shown "commands: $expected"
done

# --- in a browser ---
# browse WIDTH SCRIPT: the text that the script leaves as the title
browse() {
    sed '/<.html>/d' $report >browsed.html
    printf '<script>\n%s\n</script></html>\n' "$2" >>browsed.html
    chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$PWD/browser" \
        --window-size="$1,900" --dump-dom "file://$PWD/browsed.html" 2>/dev/null | sed -n 's,.*<title>\(.*\)</title>.*,\1,p'
}
if command -v chromium >/dev/null; then
    is "$(browse 1400 'document.querySelectorAll("#r1 th button")[0].click();
document.title = [...document.querySelectorAll("#r1 .result tbody tr")].map(row => row.cells[0].textContent).join();')" 3,2,1 \
        'a click on a head sorts'
    for width in 400 1400; do
        is "$(browse $width 'const page = document.documentElement; document.title = page.scrollWidth - page.clientWidth;')" 0 \
            "  $width pixels are enough for the page"
    done
    chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$PWD/browser" --no-pdf-header-footer \
        --print-to-pdf=print.pdf "file://$PWD/$report" 2>/dev/null
    if command -v pdftotext >/dev/null; then
        pdftotext -layout print.pdf print.txt
        is "$(shown '(./times.csv)' print.txt)" shown 'printed: links have their address'
        is "$(shown '95 % intervals: Student' print.txt)" shown '  what was folded away and matters is there'
    else
        skip 'pdftotext is not installed'
    fi
else
    skip 'no chromium: sorting, widths and printing are not tried'
fi

# --- the same bytes ---
cp $report before.html
"$experiment" report small.yaml 2>err
is "$(cmp before.html $report 2>&1) $(grep -c written err)" ' 0' 'the same data give the same page, which is not written again'
rm -r small.data/pages small.data/results.json
"$experiment" report small.yaml 2>err
is "$(cmp before.html $report 2>&1)" '' '  also when every result is made anew'
mkdir moved
cp -r small.yaml small.data paper moved
rm moved/$report
(cd / && "$experiment" -q report "$scratch/moved/small.yaml" 2>/dev/null)
is "$(cmp before.html moved/$report 2>&1)" '' '  and elsewhere'

# --- files of others ---
echo mine >$report
"$experiment" -q report small.yaml 2>err
is "$? $(cat $report)" '1 mine' 'a file that is not this report is not overwritten'
like err 'report.html: it is not the report of this experiment; remove it, or choose another directory of results$' \
    '  which a message says'
rm $report
sed 's/info.txt:/report.html:/' small.yaml >clash.yaml
"$experiment" report clash.yaml 2>err
like err '^assay-experiment: clash.yaml:[0-9:]*: paper/deep/report.html is for the report; choose another name$' \
    'a result cannot have its name'
printf '%s\n' 'rounds: 1' 'programs: {two: ./busy}' 'recordings: {cpu: record --engine soft --period 2ms}' >bare.yaml
"$experiment" -q bare.yaml
is "$? $(ls report.html 2>/dev/null)" '0 ' 'without results there is no report'
done_testing
