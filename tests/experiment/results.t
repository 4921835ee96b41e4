#!/bin/sh
# assay experiment report: results of recordings with known answers, which are made here.
. "$(dirname "$0")/../tap.sh"
scratch
needs tests/make_trace
experiment=$build/libexec/assay/assay-experiment

# samples COUNT STACK
samples() {
    awk -v n="$1" -v stack="$2" 'BEGIN { for (i = 0; i < n; i++) print "main", i, i * 10, i * 10, stack }'
}
# cell ID RUN:B:WALL_MS...: a series of runs with B samples of main;a_b<T> in 100, and that wall time
cell() {
    id=$1
    shift
    mkdir -p "study.data/recordings/$id"
    done=
    for run in "$@"; do
        number=${run%%:*} b=${run#*:}
        wall=${b#*:} b=${b%:*}
        { samples $((100 - b)) main; samples "$b" 'main;a_b<T>'; } |
            "$build/tests/make_trace" "study.data/recordings/$id/run-00$number-7.trace" series="$id" run="$number" clock=random
        done="$done${done:+,}{\"run\": $number, \"clock\": \"random\", \"interrupted\": false, \"started\": \"\",
            \"exit\": {\"status\": 0, \"signal\": null, \"wall_ns\": ${wall}000000, \"user_ns\": 0, \"system_ns\": 0},
            \"traces\": [{\"file\": \"run-00$number-7.trace\"}]}"
    done
    echo "{\"configuration\": {\"clocks\": [{}]}, \"done\": [$done]}" >"study.data/recordings/$id/series.json"
}
# Shares of 0.1, 0.2 and 0.3 have mean 0.2, those of 0.5, 0.6 and 0.7 have 0.6; times of 1, 2 and 3 s have mean 2 s.
cell cpu/fop/g1 1:10:1000 2:20:2000 3:30:3000
cell cpu/fop/serial 1:50:1000 2:60:1000 3:70:1000
cat >study.yaml <<'END'
rounds: 3
programs: {fop: "./none {gc}"}
factors: {gc: [g1, serial]}
recordings: {cpu: record}
results:
  directory: paper
  tables:
    times.csv: ci --by gc --value wall_s
  figures:
    hot.pdf: hot --top 2
  values:
    "{program}.{gc}.hot{rank}": hot --top 2
    time.{gc}: ci --value wall_s
END
report() {
    "$experiment" report "${1:-study.yaml}" >out 2>err
}
report
is "$? $(cat out)" '0 ' 'all results are made: status 0'
value() {
    python3 -c 'import json, sys
print(json.load(open("paper/values.json"))[sys.argv[1]])' "$1"
}
macro() {
    sed -n "s/^.assayvalue{$1}{\(.*\)}%\$/\1/p" paper/values.tex
}
is "$(value fop.g1.hot2.share) $(value fop.serial.hot1.share) $(value time.g1.mean)" '0.2 0.6 2' \
    'values.json has all values by name'
is "$(value fop.g1.hot2.method) $(value fop.g1.hot1.method)" 'a_b<T> main' '  also those that are texts'
is "$(macro fop.g1.hot2.share) $(macro fop.g1.hot2.samples)" '20.00\% 60' 'values.tex has them as in a table'
is "$(macro fop.g1.hot2.method)" 'a\_b\textless{}T\textgreater{}' '  with the characters that LaTeX reserves'
# Times 1, 2, 3: sd 1, half width 4.303 / sqrt 3 = 2.484, so the lower bound is 2 - 2.484 = -0.484
is "$(macro time.g1.mean.estimate) $(macro time.g1.interval)" '\ensuremath{2.0 \pm 2.5} \ensuremath{[-0.5, 4.5]}' \
    '  with estimates and intervals'
is "$(cut -d , -f 1-3 paper/times.csv | tr '\n' ' ')" 'gc,n,mean g1,3,2 serial,3,1 ' 'a table has them by level'
is "$(head -c 5 paper/hot.pdf)" '%PDF-' 'a figure is made'

# Values from fewer rounds than exist
sed 's/rounds: 3/rounds: 2/' study.yaml >two.yaml
sed -i '1i data: study.data' two.yaml
report two.yaml
is "$? $(value fop.g1.hot2.share | cut -c 1-4)" '0 0.15' 'a file that asks for fewer rounds gets the first ones'
report
is "$? $(value fop.g1.hot2.share)" '0 0.2' '  and for all of them again'

# A value that can't be made again
cp study.data/recordings/cpu/fop/g1/run-001-7.trace good.trace
echo damaged >study.data/recordings/cpu/fop/g1/run-001-7.trace
report
is "$? $(macro fop.g1.hot2.share) $(macro fop.serial.hot1.share)" '1  60.00\%' \
    'a value that cannot be made from changed recordings is left out, and not kept as it was'
mv good.trace study.data/recordings/cpu/fop/g1/run-001-7.trace
report
is "$? $(macro fop.g1.hot2.share)" '0 20.00\%' '  until it can'

# Names of values
sed 's/.hot{rank}/.hot{rnak}/' study.yaml >wrong.yaml
sed -i '1i data: study.data' wrong.yaml
report wrong.yaml
is $? 1 'an unknown column in a name: status 1'
like err '^assay-experiment: fop.g1.hot\{rnak\}: not made: \{rnak\} is neither a factor nor a column \(did you mean rank\?\)$' \
    '  one line names it'
sed 's/.hot{rank}/.hot/' study.yaml >wrong.yaml
sed -i '1i data: study.data' wrong.yaml
report wrong.yaml
like err '^assay-experiment: fop.g1.hot: not made: two rows have values of one name; write a column into the name by which they differ: \{rank\}$' \
    'a name for two rows is refused'
sed 's/time.{gc}/"{program}.{gc}.hot{n}"/; s/hot{rank}/hot{runs}/; s/--top 2/--top 1/' study.yaml >wrong.yaml
sed -i '1i data: study.data' wrong.yaml
report wrong.yaml
like err 'assay-experiment: value fop.g1.hot3.lo comes from two results; change a name$' 'a name in two results is refused'
sed 's/times.csv/values.tex/' study.yaml >wrong.yaml
report wrong.yaml
like err 'wrong.yaml:8:17: paper/values.tex is for all values; choose another name$' \
    'a table in the place of the values is refused'
sed 's/time.{gc}/"{gc} x"/' study.yaml >wrong.yaml
report wrong.yaml
like err "wrong.yaml:13:5: value '\{gc\} x': a name has letters, digits" 'a name with a blank is refused'
# --- results of other results, of plain files, figures of tables ---
printf 'method,share,published\nmain,0.5,1\na_b<T>,0.4,1\n' >published.csv
cat >chain.yaml <<'END'
data: study.data
rounds: 3
programs: {fop: "./none {gc}"}
factors: {gc: [g1, serial]}
recordings: {cpu: record}
results:
  directory: chain
  tables:
    hot-{gc}.csv: hot --top 2
    all.csv: {assay: ci --value mean, from: "means-{gc}.csv"}
    means-{gc}.csv: ci --by round --value wall_s
    both-{gc}.csv: {assay: ci --by round --value mean, from: "means-{gc}.csv"}
    published.csv: {assay: ci --by method --value share, file: published.csv}
  figures:
    hot-{gc}.svg: {assay: plot hot --title x, from: {ours: "hot-{gc}.csv"}, file: {published: published.csv}}
  values:
    "mean": {assay: ci --value mean, from: all.csv}
END
report chain.yaml
is "$? $(cat out)" '0 ' 'results are made from other results and from files: status 0'
# Six means of 1, 2, 3, 1, 1 and 1 s
is "$(cut -d , -f 1,2 chain/all.csv | tr '\n' ' ')" 'n,mean 6,1.5 ' 'a table from all files of another result'
is "$(cut -d , -f 1-3 chain/both-g1.csv | tr '\n' ' ')" 'round,n,mean 1,1,1 2,1,2 3,1,3 ' '  or from the one of its own level'
like chain/published.csv '^a_b<T>,1,0.4,' 'a table from a file that is not ours'
like chain/hot-g1.svg 'published' 'a figure shows ours and others, by the names of from and file'
is "$(ls chain | grep -v '^report' | tr '\n' ' ')" 'all.csv both-g1.csv both-serial.csv hot-g1.csv hot-g1.svg hot-serial.csv hot-serial.svg means-g1.csv means-serial.csv published.csv values.json values.tex ' \
    '  one for each level'
is "$(grep -c '<svg' chain/report.html) $(grep -c 'href="../published.csv"' chain/report.html | sed 's/^[1-9].*/linked/')" '2 linked' \
    '  the report shows it, with a link to the file'
sed -i 's/0.4,1/0.3,1/' published.csv
report chain.yaml
is "$(sed -n 's/^assay-experiment: \(.*\): made$/\1/p' err | sort | tr '\n' ' ')" 'chain/hot-g1.svg chain/hot-serial.svg chain/published.csv ' \
    'a changed file makes its own results again'
echo damaged >chain/means-g1.csv
report chain.yaml
is "$(sed -n 's/^assay-experiment: \(.*\): made$/\1/p' err | sort | tr '\n' ' ')" 'chain/means-g1.csv ' \
    'a result that was edited is made again, and those that read it remain if it has the same bytes'
cp study.data/recordings/cpu/fop/g1/run-001-7.trace good.trace
echo damaged >study.data/recordings/cpu/fop/g1/run-001-7.trace
report chain.yaml
like err 'chain/hot-g1.svg: not made: chain/hot-g1.csv, which it is made from, was not made$' 'a result is not made from one that could not be made'
mv good.trace study.data/recordings/cpu/fop/g1/run-001-7.trace
report chain.yaml
"$experiment" pack -q -o chain.zip chain.yaml
is "$(python3 -m zipfile -l chain.zip | grep -c '^chain/published.csv ')" 1 'the archive has the files that results read'
# refused SED REGEXP WHAT
refused() {
    sed "$1" chain.yaml >wrong.yaml
    report wrong.yaml
    like err "^assay-experiment: wrong.yaml:$2" "$3"
}
refused 's/from: "means-{gc}.csv"}/from: means.csv}/' "10:45: recording or table 'means.csv' is unknown" 'an unknown input'
refused 's/means-{gc}.csv: ci --by round --value wall_s/means-{gc}.csv: {assay: ci --value mean, from: all.csv}/' \
    '[0-9:]*: [a-z{}.-]*: it would be made from itself$' 'results that read each other'
refused 's/file: published.csv}/file: nothing.csv}/' '13:64: nothing.csv: No such file or directory$' 'a file that does not exist'
refused 's/hot-{gc}.csv: hot --top 2/hot-{gc}.csv: plot hot/' '9:19: plot belongs to figures:' 'plot under tables'
refused 's/^  figures:/  pages: {x.html: hot}\n&/' "14:19: hot: no option '--html'; see --help$" 'a page of a program that makes none'
refused 's/"mean":/"{gc}.x": {assay: ci --value mean, from: cpu}\n    "g1.x":/' '[0-9:]*: two results give values called g1.x; change a name$' \
    'values with the same name'
refused 's/^data: .*/data: -x/' "1:7: data '-x': programs take what begins with '-' for an option$" 'a path that begins with a dash'
refused 's/hot-{gc}.csv: hot --top 2/hot-{gc}.csv: hot --macros x.tex/' '9:19: --macros: values of a text belong to values:$' \
    'values in a file of their own'
# --- LaTeX: a figure is two files, and no line of LaTeX hides a table from the report ---
cat >latex.yaml <<'END'
data: study.data
rounds: 3
programs: {fop: "./none {gc}"}
factors: {gc: [g1, serial]}
recordings: {cpu: record}
results:
  directory: latex
  tables:
    hot.tex: hot --top 2 --latex siunitx,plain --digits 3
  figures:
    fig.tex: hot --top 2
    fig.gp: hot --top 2
END
report latex.yaml
is "$? $(ls -A latex | grep -v '^report' | tr '\n' ' ')" '0 fig-tex.pdf fig.gp fig.tex hot.tex ' 'a figure for LaTeX is two files'
is "$(grep -o '{[^{}]*\.pdf}' latex/fig.tex | sort -u | tr '\n' ' ')" '{fig-tex.pdf} {latex/fig-tex.pdf} ' '  the first includes the second'
like latex/fig.gp "^figure_output = 'fig.pdf'$" '  and a script of gnuplot draws into a file of its name'
is "$(grep -c 'href="./fig-tex.pdf"' latex/report.html)" 1 '  the report has links to both'
is "$(sed -n '/^<h3>hot.tex/,/^<\/article>/p' latex/report.html | grep -c '<td>a_b&lt;T&gt;</td><td title="0.39*7*">40.0%')" 1 \
    'a table with options for LaTeX is in the report, too'
for damage in 'echo damaged >latex/fig-tex.pdf' 'rm latex/fig-tex.pdf' 'echo damaged >latex/fig.tex'; do
    eval "$damage"
    report latex.yaml
    is "$? $(sed -n 's/^assay-experiment: \(.*\): made$/\1/p' err) $(head -c 5 latex/fig-tex.pdf)" '0 latex/fig.tex %PDF-' \
        "both are made again after: $damage"
done
report latex.yaml
like err '0 results made, 3 unchanged, 0 not made$' '  and not after nothing'
"$experiment" pack -q -o latex.zip latex.yaml
is "$(python3 -m zipfile -l latex.zip | grep -c '^latex/latex/fig\(-tex.pdf\|.tex\) ')" 2 '  the archive has both'
sed 's/fig.gp:/fig-tex.pdf:/' latex.yaml >wrong.yaml
report wrong.yaml
like err 'wrong.yaml:12:18: two results go to latex/fig-tex.pdf; write' '  and nothing else can have the name of the second'
# --- the archive ---
report
"$experiment" pack study.yaml 2>err
is $? 0 'pack: status 0'
like err '^assay-experiment: study.zip: [0-9]+ files, [0-9.]+ kB$' '  one line names the archive'
cp study.zip first.zip
touch study.data/recordings/cpu/fop/g1/*.trace
"$experiment" pack -q study.yaml
is "$(cmp first.zip study.zip 2>&1)" '' '  the same content gives the same archive'
mkdir elsewhere
python3 -m zipfile -e study.zip elsewhere
is "$(cd elsewhere/study && sha256sum -c --quiet SHA256SUMS 2>&1)" '' '  SHA256SUMS has the digests of its files'
"$experiment" report elsewhere/study/study.yaml 2>err
like err '0 results made, 6 unchanged, 0 not made$' '  where it is unpacked, all results are up to date'
rm -r elsewhere/study/paper
"$experiment" report -q elsewhere/study/study.yaml
is "$? $(diff -r paper elsewhere/study/paper)" '0 ' '  and can be made again: the same bytes'
(cd elsewhere && "$experiment" pack -q -o other.zip ../study.yaml && mv other.zip ..)
is "$(cmp other.zip study.zip 2>&1)" '' '-o names the archive, from where the command runs'
mkdir full
"$experiment" pack -o full study.yaml 2>err
is $? 1 'an archive that cannot be written: status 1'
like err '^assay-experiment: .*/full: Is a directory$' '  one line names it'
"$experiment" report -o x.zip study.yaml 2>err
is $? 2 '-o without pack is bad usage'
done_testing
