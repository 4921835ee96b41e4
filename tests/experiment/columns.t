#!/bin/sh
# assay experiment: mistakes in lines of results are found before the first run, or after the first round.
. "$(dirname "$0")/../tap.sh"
scratch
experiment=$build/libexec/assay/assay-experiment
cat >busy <<'END'
#!/bin/sh
echo run >>busy.log
i=0
while [ $i -lt 60000 ]; do i=$((i + 1)); done
END
chmod +x busy
# description RESULTS: an experiment with two programs, two levels and these results
description() {
    cat <<'END'
rounds: 2
seed: 1
programs: {one: "./busy {level}", two: "./busy {level}"}
factors: {level: [1, 6]}
recordings: {time: record --mode time, cpu: {assay: record --engine soft --period 2ms, only: {level: 1, program: one}}}
results:
  directory: paper
END
    printf '%s\n' "$1"
}
# wrong RESULTS MESSAGE WHAT: refused before anything runs, in one line
wrong() {
    description "$1" >wrong.yaml
    "$experiment" wrong.yaml 2>err
    is "$? $(find . -name 'wrong.data' -o -name busy.log)" '1 ' "$3: status 1, and nothing runs"
    like err "^assay-experiment: wrong.yaml:$2" '  file, line, column and cause are in the message'
    is "$(grep -c '' err)" 1 '  in one line'
}
# table LINE: a table of this line
table() {
    echo "  tables: {x.csv: {from: time, assay: '$1'}}"
}
wrong "$(table 'ci --by program --value wal_s')" \
    "8:39: paper/x.csv: ci: the table of runs: no column 'wal_s' \(did you mean 'wall_s'\?\); there are: recording, program, level," \
    'a value that the table of runs lacks'
wrong "$(table 'compare --by progam,level --baseline 1 --value wall_s')" "8:39: paper/x.csv: compare: .*no column 'progam'" \
    'a group that it lacks'
wrong "$(table 'compare --by level --baseline 2 --value wall_s')" "8:39: paper/x.csv: compare: no group '2' for --baseline; there are: 1, 6$" \
    'a level that the description lacks'
wrong "$(table 'ci --by program --value wall_s --columns program,men')" \
    "8:39: paper/x.csv: ci: --columns: the table has no column 'men' \(did you mean mean\?\)$" 'a column that the result lacks'
wrong "$(table 'ci --by program --value wall_s --sort men')" "8:39: paper/x.csv: ci: --sort: the table has no column 'men'" \
    'a column to sort by that it lacks'
wrong "$(table 'ci --by program --value wall_s --rename men=x')" \
    "8:39: paper/x.csv: ci: --rename: the table has no column 'men'" 'a column to rename that it lacks'
wrong "  tables: {x.csv: {from: time, assay: ci --value wall_s}, y.csv: {from: x.csv, assay: ci --value men}}" \
    "8:87: paper/y.csv: ci: paper/x.csv: no column 'men' \(did you mean 'mean'\?\)" 'a column that another result lacks'
wrong '  values: {"{program}.{level}": {from: time, assay: "ci --by program,level --value cpu_s,wall_s"}}' \
    '8:53: one.1: two rows have values of one name; write a column into the name by which they differ: \{metric\}$' \
    'values of two rows with one name'
wrong '  values: {"{program}": {from: time, assay: "ci --by program,level --value cpu_s"}}' \
    '8:45: one: two rows have values of one name; write a column into the name by which they differ: \{level\}$' \
    '  of two levels'
wrong '  values: {"{program}.{levl}": {from: time, assay: "ci --by program,level --value cpu_s"}}' \
    '8:52: one.\{levl\}: \{levl\} is neither a factor nor a column \(did you mean level\?\)$' 'a name with an unknown column'
wrong '  values: {"a.{metric}": {from: time, assay: "ci --value cpu_s,wall_s"}, "a.cpu_s": {from: time, assay: ci --value cpu_s}}' \
    '8:105: a.cpu_s: value a.cpu_s.n comes from two results; change a name$' 'values of two results with one name'
wrong "  figures: {x.pdf: {from: time, assay: 'ci --by progam --value cpu_s --width column'}}" \
    "8:40: paper/x.pdf: ci: the table of runs: no column 'progam'" 'a group of a figure'
wrong "  tables: {x.csv: {from: time, assay: 'ci --by program --value cpu_s --width column'}}" \
    '8:39: paper/x.csv: ci: options say how a figure looks, but none is drawn' "a figure's option for a table"
"$experiment" --dry-run wrong.yaml >out 2>err
is "$? $(cat out)" '1 ' '--dry-run finds them, too'

# --- lines on traces ---
description '  tables:
    hot.csv: {from: cpu, assay: "hot --columns method,shr"}
    times.csv: {from: time, assay: "ci --by program,level,clock --value wall_s,cpu_s --columns program,level,mean"}
  values:
    "hot{rank}": {from: cpu, assay: hot --top 3}
    "{program}.{level}.clock": {from: time, assay: "compare --by clock,machine --baseline nothing --value wall_s"}
  figures:
    "times-{program}.pdf": {from: time, assay: "ci --by program,level --value cpu_s --width column"}' >traces.yaml
"$experiment" traces.yaml 2>err
is $? 1 'a line on traces is wrong: status 1'
like err "^assay-experiment: paper/hot.csv will not be made: hot: --columns: the table has no column 'shr'.*; the runs go on, and the line can be corrected meanwhile$" \
    '  a message names it'
is "$(sed -n 's/^assay-experiment: \(round 1\|paper.hot.csv will not\|one.1.clock: not\|paper.hot.csv: not\) .*/\1/p' err | tr '\n' ' ')" \
    'round 1 paper/hot.csv will not paper/hot.csv: not one.1.clock: not ' '  after the first round'
is "$(grep -c 'not made: assay-compare' err) $(grep -c '^assay-experiment: {program}.{level}.clock: 3 more not made, for the same reason$' err)" \
    '1 1' 'the same reason is printed once for all levels'
is "$(grep -c . busy.log)" 10 '  all runs are made'
"$experiment" report traces.yaml 2>err
is "$(grep -o "<li>--columns leaves out metric, without which 4 rows can't be distinguished from another" paper/report.html | sort -u | wc -l)" 1 \
    'a column that distinguishes rows, and is left out, is a warning of the report'
done_testing
