#!/bin/sh
# assay experiment: report.pdf has what report.html has; names are never commands of LaTeX; the same data give the same
# bytes; without LaTeX a line says why there is none, and no report of other data remains.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
needs tests/make_trace
experiment=$build/libexec/assay/assay-experiment
# trace RUN STACK: 100 samples, RUN × 10 of which are of the stack
trace() {
    awk -v n="$1" -v stack="$2" 'BEGIN { for (i = 0; i < 100; i++) print "main", i, i * 10, i * 10, i < 10 * n ? stack : "main" }' |
        "$build/tests/make_trace" "study.data/recordings/cpu/fop/run-00$1-7.trace" series=s run="$1" clock=random
}
mkdir -p study.data/recordings/cpu/fop
for run in 1 2 3; do
    trace $run 'main;\\\\input{secret}%&#$_^~<T>é中'
    printf '{"run": %d, "clock": "random", "interrupted": false, "started": "", "exit": {"status": 0, "signal": null,
        "wall_ns": %d000000000, "user_ns": 0, "system_ns": 0}, "traces": [{"file": "run-00%d-7.trace"}]},' $run $run $run
done | sed '$s/,$//' >done.json
printf '{"configuration": {"clocks": [{}]}, "done": [%s]}' "$(cat done.json)" >study.data/recordings/cpu/fop/series.json
cat >study.yaml <<'END'
question: '\input{secret} & 100 % of $x_1^2$ #~{}?'
method: "\\immediate\\write18{touch hacked} \\end{document} ≤ ± 中"
rounds: 4
programs: {fop: "./none '\\input{{secret}' \"it's `--`\""}
recordings: {cpu: record}
results:
  directory: paper
  tables:
    hot.tex: hot
    times.csv: ci --by program --value wall_s
    waste.tex: waste
    aligned.tex: hot --latex siunitx,fit --rename method=aligned
    info.txt: info
  figures: {hot.svg: hot}
  values: {"hot{rank}": hot}
END
echo 'the secret is out' >secret.tex
mkdir -p study.data/pages
cp secret.tex study.data/pages
report() {
    "$experiment" report study.yaml >out 2>err
}

# --- without LaTeX ---
PATH=/nonexistent "$experiment" report study.yaml 2>err
like err '^assay-experiment: paper/report.pdf: not made: neither pdflatex nor lualatex is installed \(Debian: apt-get install texlive-latex-recommended lmodern\); report.html has everything$' \
    'without LaTeX a line says why there is no report.pdf'
is "$(ls paper/report.html paper/report.pdf 2>/dev/null)" paper/report.html '  and report.html is written'
mkdir bin
printf '#!/bin/sh\n[ "$1" = --version ] || { echo; echo "! LaTeX Error: no such luck."; exit 1; }\n' >bin/pdflatex
chmod +x bin/pdflatex
PATH=$PWD/bin:$PATH "$experiment" report study.yaml 2>err
like err '^assay-experiment: paper/report.pdf: not made: pdflatex: ! LaTeX Error: no such luck.; see study.data/pages/report.log$' \
    'an error of LaTeX is reported'
if ! command -v pdflatex >/dev/null || ! kpsewhich booktabs.sty >/dev/null; then
    skip 'pdflatex or booktabs is not installed'
    done_testing
    exit
fi

# --- with LaTeX ---
report
like err '^assay-experiment: paper/report.pdf: written$' 'with LaTeX it is written'
is "$(head -c 5 paper/report.pdf) $(grep -c 'Overfull\|Missing character' study.data/pages/report.log)" '%PDF- 0' \
    '  and nothing is wider than its column, or missing'
is "$(ls hacked study.data/pages/hacked 2>/dev/null)" '' '  names execute nothing'
if command -v pdftotext >/dev/null; then
    pdftotext -layout paper/report.pdf text
    is "$(grep -c 'the secret is out' text)" 0 '  and read nothing'
    tr -d '\n ' <text >joined
    for expected in 'alignedshare' '\input{secret}&100%of$x' '\write18{touchhacked}' '[U+4E2D]' '20.00%' 'hot2.share' \
        'assayrecord--./none' '3runs,0failed,1missing' 'Runsthataremissing:1of4.' 'Notmade:paper/waste.tex:assay-waste:nomemoryaccesses'; do
        is "$(grep -cF -e "$expected" joined)" 1 "  it has: $expected"
    done
else
    skip 'pdftotext is not installed'
fi
cp paper/report.pdf before.pdf
report
is "$(cmp before.pdf paper/report.pdf 2>&1) $(grep -c report err)" ' 0' 'the same data: it is not made again'
rm -r paper study.data/results.json study.data/pages
report
is "$(cmp before.pdf paper/report.pdf 2>&1)" '' '  or has the same bytes'
mkdir -p elsewhere/deep
cp -r study.yaml study.data elsewhere/deep
rm -r elsewhere/deep/study.data/results.json elsewhere/deep/study.data/pages
"$experiment" -q report elsewhere/deep/study.yaml 2>/dev/null
is "$(cmp before.pdf elsewhere/deep/paper/report.pdf 2>&1)" '' '  also elsewhere'
sed -i 's/^rounds: 4/rounds: 3/' study.yaml
PATH=/nonexistent "$experiment" -q report study.yaml 2>/dev/null
is "$(ls paper/report.pdf 2>/dev/null)" '' 'the report of other data is removed if none can be made'
done_testing
