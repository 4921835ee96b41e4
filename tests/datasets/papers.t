#!/bin/sh
# The page of the papers' tables beside ours, from imitated results: verdicts by hand, and what datasets/published says of each table.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
papers=$root/datasets/papers
published=$root/datasets/published
scratch
for wrong in SCALE=0 SCALE=2 SCALE=x; do
    env "$wrong" OUT="$scratch/none" "$papers/reproduce" 2>err
    is "$?/$(wc -l <err)/$([ -e none ]; echo $?)" 2/1/1 "$wrong: status 2 and one line, and nothing is started"
done
OUT=$scratch/none "$papers/reproduce" phases nothing 2>err
is "$?/$(cat err)" '2/reproduce: nothing: there is no such part; choose from profilers phases waste variance strides' 'an unknown part: status 2, and a line says so'
mkdir -p other
echo 0.5 >other/scale
SCALE=0.1 OUT=$scratch/other "$papers/reproduce" phases 2>err
is "$?/$(wc -l <err)" 2/1 'a series of another scale: status 2 and one line'

# --- notes: each names columns that its table has, and each table has a note ---
for table in "$published"/*-*.csv; do
    name=$(basename "$table" .csv)
    paper=${name%-*}
    awk -v section="${name##*-}" '/^## / { inside = $2 == section ":" } inside' "$published/$paper.md" >section
    missing=$(sed -n 's/^- \(rows\|compared\): //p' section | tr ' ' '\n' |
        while read -r column; do grep -v '^#' "$table" | sed -n 1p | tr , '\n' | grep -qx "$column" || echo "$column"; done)
    is "$([ -s section ]; echo $?) $missing" '0 ' "$name has a section in $paper.md, whose columns are those of the table"
done

# --- verdicts ---
mkdir -p out/profilers out/strides
cat >out/profilers/values.csv <<'END_OF_VALUES'
table,row,column,ours,value,lo,hi
profiler-accuracy-table1,antlr,hprof_slowdown,"antlr, ours",1.2,1.15,1.25
profiler-accuracy-table1,bloat,hprof_slowdown,sablecc,1.2,1.16,1.25
profiler-accuracy-table1,chart,hprof_slowdown,jfreechart,1.2,0.5,2
profiler-accuracy-table1,fop,hprof_slowdown,fop,1.5,,
profiler-accuracy-table1,fop,time_s,fop,2,1,3
profiler-accuracy-table1,fop,jfr,"<jfr> & ""more""",1.1,1.0,1.2
profiler-accuracy-table1,h2,jfr,h2,1.1,1.0,1.2
profiler-accuracy-table3,antlr CharBuffer.fill,tprof_slope,antlr,0.996,0.995,0.997
END_OF_VALUES
printf '<svg xmlns="http://www.w3.org/2000/svg"/>' >out/profilers/figure1.svg
echo 'a <machine>' >out/machine.txt
"$papers/page" "$scratch/out" >counts 2>err
is $? 0 'a page of imitated results: status 0'
verdict() {
    awk -F, -v key="$1" 'index($0, key ",") == 1 { print $NF }' out/comparisons.csv | paste -s -d ' ' -
}
# 1.1 stands for 1.05 to 1.15.
is "$(verdict profiler-accuracy-table1,antlr,hprof_slowdown)" agrees '1.1, ours from 1.15: agrees'
is "$(verdict profiler-accuracy-table1,bloat,hprof_slowdown)" differs '1.1, ours from 1.16: differs'
is "$(verdict profiler-accuracy-table1,chart,hprof_slowdown)" undecided '1.1, ours from 0.5 to 2: undecided'
is "$(verdict profiler-accuracy-table1,fop,hprof_slowdown)" 'without interval' 'ours without an interval'
is "$(verdict profiler-accuracy-table1,fop,time_s)" 'not compared' 'a column that is another quantity'
is "$(verdict profiler-accuracy-table1,fop,jfr)" 'ours alone' 'a column of ours'
is "$(verdict profiler-accuracy-table1,h2,jfr)" 'ours alone' 'a row of ours'
is "$(verdict profiler-accuracy-table1,pmd,hprof_slowdown)" 'not measured' 'a published value without ours'
is "$(verdict 'profiler-accuracy-table3,antlr CharBuffer.fill,tprof_slope')" agrees '1.00, ours from 0.995: agrees'
like counts '^2 values agree, 1 differ, 1 are undecided, [0-9]+ are not measured, 4 of ours have no verdict$' 'the counts are printed'
is "$(grep -c '^[^,]*,[^,]*,[^,]*,[^,]*,.*,' out/comparisons.csv)" "$(wc -l <out/comparisons.csv)" 'no row of comparisons is cut'

# --- the page ---
# on_page PATTERN WHAT: a line of the page matches
on_page() {
    grep -Eq -- "$1" out/index.html
    ok $? "$2"
}
if command -v xmllint >/dev/null; then
    xmllint --html --noout out/index.html 2>&1 | grep -v 'Tag \(main\|section\|figure\|figcaption\) invalid' | grep error >errors
    is "$(cat errors)" '' 'the page is HTML'
else
    skip 'no xmllint'
fi
on_page '1\.1<span class="ours agrees" title="antlr, ours: agrees">= 1\.2 \[1\.15, 1\.25\]' 'ours below the published value, with its mark'
on_page 'title="&lt;jfr&gt; &amp; &quot;more&quot;: ours alone"' '  names are inert'
on_page 'a &lt;machine&gt;' '  the machine'
on_page '<td>h2 <small>ours alone</small></td>' '  a row of ours'
on_page "src=\"data:image/svg[+]xml;base64,$(base64 -w 0 out/profilers/figure1.svg)\"" '  the figure is in the page'
on_page 'xprof slope: printed 0[.]28, the data give 0[.]2964' '  a published value that contradicts its table'
on_page '<tr><td><a href="#profiler-accuracy">profiler-accuracy</a><td>2<td>1<td>1<td>[0-9]+<td>4</tr>' '  the counts of a paper'
is "$(grep -oE '(src|href)="(https?:|//|[a-z]+/)' out/index.html)" '' '  no reference outside of the page'
rm -r out/profilers
"$papers/page" "$scratch/out" >counts 2>/dev/null
like counts '^0 values agree, 0 differ, 0 are undecided' 'a part that is not there: its values are not measured'
done_testing
