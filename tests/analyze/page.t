#!/bin/sh
# --format html: a page needs nothing else, has the values of the CSV, and shows the figure, notes, warnings and what was
# left out; texts never become markup; the suffix of -o chooses the format; without gnuplot there is no figure.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
needs tests/make_trace tests/make_pairs
programs=$build/libexec/assay
page() {
    PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/analyze/page.py" "$@"
}
# is_page CELLS FIGURES PROGRAM ARGUMENT...: the page is complete in itself, and each of its cells, which are so many,
# is that of the CSV of the same run
is_page() {
    cells=$1 figures=$2 program=$3
    shift 3
    "$programs/assay-$program" -q --format csv "$@" >out.csv 2>err
    "$programs/assay-$program" -q --format html "$@" >out.html 2>err
    is "$? $(cat err)" '0 ' "assay $program $*: a page"
    is "$(page check out.html | cut -d ' ' -f 1,2)" '[] []' '  its tags are closed, and it loads nothing'
    is "$(page same out.html out.csv)" "$cells cells" '  its values are those of the CSV'
    is "$(grep -c '<svg' out.html)" "$figures" "  figures: $figures"
}

cat >times.csv <<'END'
name,ms
"a<b>&""c""",10.1
"a<b>&""c""",10.4
"a<b>&""c""",9.9
"</table><script>alert(1)</script>",12.5
"</table><script>alert(1)</script>",12.9
"</table><script>alert(1)</script>",12.25
e,11
e,1.13e1
e,10.8
END
{ echo x,y,z && awk 'BEGIN { for (i = 0; i < 9; i++) print i "," 2 * i + i % 3 "," i * i }'; } >xy.csv
awk 'BEGIN { print "ms"; for (i = 1; i <= 60; i++) print 100 + (i * 7919) % 13 }' >series.csv
awk 'BEGIN { print "commit,time"; for (c = 1; c < 30; c++) print c "," 100 + (c > 15 ? 20 : 0) + (c * 7) % 3 }' >commits.csv
for run in 1 2; do
    awk -v run=$run 'BEGIN { for (i = 0; i < 200; i++) printf "main %d %.0f %.0f main;%s\n", i, i * 1e7 + (i * i * 7919) % 1e6,
        i * 1e7, (i * 7) % 10 < 5 + run ? "hot<int>" : "cold" }' |
        "$build/tests/make_trace" r$run.trace series=s run=$run clock=random period_ns=10000000 period_unit=ns start_monotonic_ns=0
done
"$build/tests/make_pairs" w.trace series=w run=1 mode=waste engine=exact <<'END'
total main 0 0 500 4000
total main 1 0 700 6000
pair main 0 0 main:5;g:50 main:5;g:51 - 0 40 20 320 160
pair main 2 0 main:4;f:30 main:4;f:30 - 0 100 99 800 792
END

# --- each program that prints a table: the number of cells is rows × columns, of both tables if there are two ---
is_page 97 1 ci --by name times.csv
is_page 77 1 compare --by name times.csv
is_page 40 1 anova --by name times.csv
is_page 34 1 fit --x x --y y xy.csv
is_page 47 0 fit --x x,z --y y xy.csv
is_page 40 1 acf series.csv
is_page 8 1 warmup series.csv
is_page 42 1 history --by commit --value time commits.csv
is_page 16 1 hot r1.trace r2.trace
is_page 10 1 rate r1.trace
is_page 13 1 intervals r1.trace
is_page 65 1 waste w.trace
is_page 43 1 waste --pairs 1 w.trace
for program in "$programs"/assay-*; do
    "$program" --help | grep -q 'text (default), csv, tsv' || continue
    like "$root/docs/man/${program##*/}.1" '^\.B.* html$|^\.BR html' "${program##*/}: its manual has html"
done

# --- texts ---
"$programs/assay-ci" --by name times.csv --format html >page.html
is "$(grep -o '<script[^ ]*' page.html)" '<script>' 'names are texts: there is no other script than that of the page'
is "$(sed -n '/<svg/,/<.svg>/p' page.html | grep -c '&lt;script>al')" 1 '  in the figure, too'
printf 'name,ms\nb\377d\033[1m,1\nb\377d\033[1m,2\n' >bytes.csv
"$programs/assay-ci" --by name --format html bytes.csv >page.html
is "$? $(page text page.html | grep -c 'bÿd?\[1m')" '0 2' 'bytes that are not UTF-8, and control characters'
cp times.csv "it's \$<b>.csv"
"$programs/assay-ci" --by name --format html "it's \$<b>.csv" >page.html
is "$(page text page.html | grep -cF "assay ci --by name --format html 'it'\\''s \$<b>.csv'")" 2 'the title and the headline have the command line, which can be copied'
is "$(grep -c '<b>.csv' page.html)" 0 '  and is a text'

# --- what accompanies the table ---
"$programs/assay-ci" --by name --skip-bad --format html - >page.html 2>err <<'END'
name,ms
a,1
a,x
a,2
END
page text page.html >text
like text 'How large is it, and how certain is that\?' 'the question'
like text '1 of 3 rows were left out; the first: .*x' 'the warning'
like text '^skipped1$' '  what was left out, as JSON counts it'
like text '95 % intervals: Student' 'the method'
like text '^meanTheir mean\.' 'what columns mean'
like text '^assay [0-9]+\.' 'the version'
like err 'rows were left out' 'warnings are on standard error as well'

# --- where it goes ---
for suffix in html htm; do
    "$programs/assay-ci" --by name -o out.$suffix times.csv
    is "$? $(head -n 1 out.$suffix)" '0 <!DOCTYPE html>' "-o out.$suffix writes a page"
done
"$programs/assay-ci" --by name --format text -o text.html times.csv
is "$(head -n 1 text.html | cut -d ' ' -f 1)" name '  unless --format says otherwise'
"$programs/assay-ci" --by name --figure boxplot -o box.html times.csv
is "$? $(grep -c '<svg' box.html)" '0 1' '--figure chooses the figure of a page'
"$programs/assay-ci" --by name --plot plot.svg -o both.html times.csv
is "$? $(grep -c '<svg' plot.svg both.html | tr '\n' ' ')" '0 plot.svg:1 both.html:1 ' '--plot draws it into a file, too'
"$programs/assay-ci" --by name -o first.html times.csv
"$programs/assay-ci" --by name -o out.html times.csv
is "$(sed 's/first\.html/out.html/g' first.html | cksum)" "$(cksum <out.html)" 'the same table gives the same page'

# --- many rows, and the script ---
awk 'BEGIN { for (i = 0; i < 1500; i++) print "n" i "," (i * 7919) % 1500 / 7; }' | sed '1i name,ms' >many.csv
"$programs/assay-ci" -q --by name --format html many.csv >many.html
"$programs/assay-ci" -q --by name --format csv many.csv >many_out.csv
is "$(page same many.html many_out.csv)" '40516 cells' 'all of many rows are on the page'
like many.html '^<noscript><style>tbody\.rest' '  also without a script, which shows the first ones at once'
# clicked BUTTON TIMES PAGE: the first three means, and how many rows are shown, after clicks on a head
clicked() {
    sed '/<.html>/d' "$3" >clicked.html
    cat >>clicked.html <<END
<script>
for (let i = 0; i < $2; i++) document.querySelectorAll('table.result th button')[$1].click();
const rows = [...document.querySelectorAll('table.result tbody tr')];
document.title = rows.slice(0, 3).map(row => row.cells[2].textContent).join() + ' ' + rows.length;
</script></html>
END
    chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$PWD/browser" --dump-dom \
        "file://$PWD/clicked.html" 2>/dev/null | sed -n 's,.*<title>\(.*\)</title>.*,\1,p'
}
if command -v chromium >/dev/null; then
    is "$(clicked 2 0 many.html)" "0,59.857,119.71 1000" 'a script shows the first 1000 rows'
    is "$(clicked 2 1 many.html)" "214.14,214,213.86 1000" '  a click on a head sorts all rows downwards'
    is "$(clicked 2 2 many.html)" "0,0.14286,0.28571 1000" '  another one upwards'
    is "$(clicked 2 3 many.html)" "0,59.857,119.71 1000" '  and the next one as they were'
    printf '%s\n' day,ms 2026-11-20,2 2026-11-20,2 2026-11-03,1 2026-11-03,1 2026-12-01,3 2026-12-01,3 >days.csv
    "$programs/assay-ci" -q --by day --format html days.csv >days.html
    is "$(clicked 0 1 days.html)" "1,2,3 3" '  dates are in order, though each begins with a number'
else
    skip 'sorting needs chromium'
fi

# The answer in one sentence, escaped, and none where there is more than one answer
# headline PROGRAM ARGUMENT...
headline() {
    answering=$1
    shift
    "$programs/assay-$answering" -q --format html "$@" >answer.html 2>err || echo failed
    sed -n 's,^<p class="headline">\(.*\)</p>$,\1,p' answer.html
}
printf '1\n2\n3\n' >three.txt
is "$(headline ci three.txt)" 'The mean of value is 2.0 ± 2.5, with 95 % confidence.' \
    'assay ci of one group: 4.303 · 1/√3 = 2.48'
is "$(headline ci --by name times.csv)" '' '  none of several groups'
printf '1\n' >lone.txt
is "$(headline ci lone.txt)" '' '  none without an interval'
cat >versions.csv <<'END'
version,bench,ms
a<b,x,100
a<b,x,101
a<b,x,99
new,x,120
new,x,121
new,x,119
a<b,y,10
a<b,y,11
a<b,y,10.5
new,y,10.2
new,y,10.9
new,y,10.4
END
is "$(headline compare --by version,bench --baseline 'a<b' versions.csv)" \
    'Compared with a&lt;b, 1 of 2 results is slower, 1 is not shown to differ. Each is tested alone.' \
    'assay compare: how many results have which verdict'
is "$(headline compare --by version,bench --baseline 'a<b' --margin 2% --family holm versions.csv)" \
    'Compared with a&lt;b and a margin of 2 %, 1 of 2 results is slower, 1 is undecided. Verdicts allow for 2 tests; intervals are for one comparison alone.' \
    '  with --family it says what intervals are for'
grep -v ,y, versions.csv >one.csv
is "$(headline compare --by version --value ms --baseline 'a<b' one.csv | sed 's/ \[.*\]//')" \
    'Compared with a&lt;b, new is slower: the ratio is 1.200, with 95 % confidence.' '  one result has its ratio'
for run in 1 2 3; do
    for i in 1 2 3 4 5 6 7 8 9 10; do
        echo "t $i $((i * 1000000)) $i main;$([ $i -le $((3 + run)) ] && echo 'hot<T>' || echo "m$((i % 3))")"
    done | "$build/tests/make_trace" share$run.trace series=s run=$run period_ns=1000000
done
is "$(headline hot share?.trace)" \
    'hot&lt;T&gt; has 50 ± 25 % of the samples: the mean over 3 runs, with 95 % confidence.' \
    'assay hot: the first row; 4.303 · 10/√3 = 24.8'
is "$(headline hot share1.trace)" 'hot&lt;T&gt; has 40 % of the samples; one run gives no interval.' '  one run has no interval'
is "$(headline hot --by file share?.trace)$(headline hot --inclusive share?.trace)" '' \
    '  none of several tables, nor of inclusive shares, of which main has all'
awk 'BEGIN { print "commit,time"; for (i = 0; i < 60; i++) print "c" i "," (i < 40 ? 100 : 120) + i % 5 / 10 }' >commits.csv
headline history --by commit --value time commits.csv >found
like found \
    '^1 change is shown in 1 history, at commit c40: [+]19\.9' 'assay history: the newest change'
head -n 41 commits.csv >calm.csv
is "$(headline history --by commit --value time calm.csv)" 'No change is shown in 1 history.' '  or that none is shown'

# --- without gnuplot ---
PATH='' "$programs/assay-ci" --by name -o bare.html times.csv 2>err
is "$? $(cat err)" '0 assay-ci: the page has no figure: gnuplot is not installed (Debian: apt-get install gnuplot-nox)' \
    'without gnuplot: the page is written, and a line says what it lacks'
is "$(page text bare.html | grep -c 'There is no figure: gnuplot is not installed') $(grep -c '<svg' bare.html)" '1 0' \
    '  and so does the page'
"$programs/assay-ci" -q --by name --format csv times.csv >bare.csv
is "$(page same bare.html bare.csv)" '97 cells' '  whose table is there'
done_testing
