#!/bin/sh
# assay experiment: the description is checked as a whole; every run is made exactly once, whatever is killed when; results
# are made again if, and only if, what they come from has changed.
. "$(dirname "$0")/../tap.sh"
scratch
experiment=$build/libexec/assay/assay-experiment

# runs DIRECTORY: a line "CELL RUN" for each run that its series.json files have, in order
runs() {
    find "$1/recordings" -name series.json | LC_ALL=C sort | while read -r series; do
        cell=${series#"$1"/recordings/}
        python3 -c 'import json, sys
for run in json.load(open(sys.argv[1]))["done"]:
    if not run["interrupted"]: print(sys.argv[2], run["run"])' "$series" "${cell%/series.json}"
    done
}
# program NAME: a script that uses some CPU time, and logs its arguments to NAME.log
program() {
    cat >"$1" <<END
#!/bin/sh
echo "\$*" >>"$scratch/$1.log"
i=0
while [ \$i -lt 60000 ]; do i=\$((i + 1)); done
END
    chmod +x "$1"
}
program one
program two
cat >small.yaml <<'END'
# A comment
rounds: 3
seed: 1
programs:
  one: ./one {size} "a {size} b"
  two: ./two
factors:
  size: {small: -n 1, large: "-n 2 'x y'"}
recordings:
  cpu: record --engine soft --period 2ms
results:
  directory: paper
  tables:
    hot-{program}.tex: hot --top 3
    rounds.csv: ci --by program,size --value round
    only.csv: {assay: ci --by size --value round, only: {size: small, program: one}}
END

# --- the plan ---
"$experiment" --dry-run small.yaml >out 2>err
is "$? $(cat err)" '0 ' '--dry-run: status 0, and no message'
is "$(awk '$1 == "cpu" { print $2, $3, $4, $5, $6 }' out)" '3 9 0 9 unknown' \
    '  one program with two levels and one without make three cells and nine starts, of unknown time'
is "$(find . -name '*.data')" '' '  nothing is written'

# --- the runs ---
"$experiment" small.yaml >out 2>err
is "$? $(cat out)" '0 ' 'all runs and results are made: status 0'
is "$(runs small.data | tr '\n' ' ')" \
    'cpu/one/large 1 cpu/one/large 2 cpu/one/large 3 cpu/one/small 1 cpu/one/small 2 cpu/one/small 3 cpu/two 1 cpu/two 2 cpu/two 3 ' \
    '  each cell has three runs'
is "$(sort one.log | uniq -c | sed 's/^ *//')" "3 -n 1 a -n 1 b
3 -n 2 x y a -n 2 'x y' b" '  a level is words of its own, or text within a word'
rows() {
    cut -d , -f 1-4 "$1" | tr '\n' ' '
}
is "$(rows paper/rounds.csv)" 'program,size,n,mean one,small,3,2 one,large,3,2 two,,3,2 ' \
    '  the table of runs has a row for each, and the rounds 1, 2 and 3'
is "$(rows paper/only.csv)" 'size,n,mean,sd small,3,2,1 ' '  only chooses levels'
like paper/hot-one.tex '^.begin\{tabular\}' '  a table for each program is LaTeX'
is "$(ls paper | tr '\n' ' ')" 'hot-one.tex hot-two.tex only.csv rounds.csv ' '  there is no other result'
is "$(grep -c '"status":0' small.data/starts.jsonl)" 9 '  each start is noted'
orders=$(sed 's/.*"cell":"\([^"]*\)","round":\([0-9]*\),.*/\2 \1/' small.data/starts.jsonl)
is "$(echo "$orders" | cut -d ' ' -f 1 | tr '\n' ' ')" '1 1 1 2 2 2 3 3 3 ' '  a round starts every cell once'
"$experiment" --dry-run small.yaml | awk '$1 == "cpu" { print $2, $3, $4, $5 }' >out
is "$(cat out)" '3 9 9 0' '  --dry-run then counts nine runs as done'

sed 's/^seed: 1/seed: 1\ndata: again.data/; s/directory: paper/directory: again/' small.yaml >again.yaml
"$experiment" -q again.yaml
is "$(sed 's/.*"cell":"\([^"]*\)","round":\([0-9]*\),.*/\2 \1/' again.data/starts.jsonl)" "$orders" \
    'the same seed gives the same order'

# --- results, by content ---
made() {
    sed -n 's/^assay-experiment: \([^ ]*\): made.*/\1/p' err | LC_ALL=C sort | tr '\n' ' '
}
: >one.log
"$experiment" small.yaml 2>err
is "$? $(made)" '0 ' 'a second time nothing is made'
is "$(cat one.log)" '' '  and nothing is run'
sed -i 's/hot --top 3/hot --top 2/' small.yaml
"$experiment" report small.yaml 2>err
is "$? $(made)" '0 paper/hot-one.tex paper/hot-two.tex ' 'a changed line makes its own results again, and no others'
touch small.data/recordings/cpu/two/*.trace
"$experiment" report small.yaml 2>err
is "$(made)" '' 'newer files with the same content make nothing'
echo edited >paper/rounds.csv
rm paper/hot-two.tex
"$experiment" report small.yaml 2>err
is "$(made)" 'paper/hot-two.tex paper/rounds.csv ' 'a result that was edited or removed is made again'
cp paper/rounds.csv rounds.csv
rm -rf paper small.data/results.json small.data/runs one two
"$experiment" report small.yaml 2>err
is "$? $(made)" '0 paper/hot-one.tex paper/hot-two.tex paper/only.csv paper/rounds.csv ' \
    'report makes everything from the recordings alone, without the programs'
is "$(cmp paper/rounds.csv rounds.csv 2>&1)" '' '  with the same bytes'
program one
program two

# --- kills ---
sed 's/^seed: 1/seed: 2\ndata: killed.data/; s/directory: paper/directory: killed/' small.yaml >killed.yaml
for pause in 0.3 0.7 1.1; do
    "$experiment" -q killed.yaml 2>/dev/null &
    pid=$!
    sleep $pause
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
done
"$experiment" -q killed.yaml 2>err
is "$? $(cat err)" '0 ' 'after three kills the same command line completes the experiment'
is "$(runs killed.data)" "$(runs small.data)" '  every run is there exactly once'
is "$(cmp killed/rounds.csv rounds.csv 2>&1)" '' '  and the table of runs gives the same result'
printf '{"cell":"cpu/one/sm' >>killed.data/starts.jsonl
rm -r killed.data/recordings/cpu/two
"$experiment" -q killed.yaml 2>err
is "$? $(cat err) $(tail -n 1 killed.data/starts.jsonl | cut -c 1-27)" '0  {"cell":"cpu/two","round":3' \
    'a line that a kill has cut does no harm'

# Killed in the first run of a cell, which ends later and has changed a file that the command names.
cat >fatal <<'END'
#!/bin/sh
echo "$$" >>written.txt
if [ ! -e fatal.done ]; then
    : >fatal.done
    read -r _ _ _ parent _ <"/proc/$PPID/stat"
    kill -KILL "$parent"
fi
i=0
while [ $i -lt 60000 ]; do i=$((i + 1)); done
END
chmod +x fatal
: >written.txt
printf '%s\n' 'rounds: 2' 'programs: {fatal: ./fatal written.txt}' 'recordings: {cpu: record --engine soft --period 2ms}' >fatal.yaml
"$experiment" -q fatal.yaml 2>/dev/null
is $? 137 'an experiment that its program kills'
first_run() {
    runs fatal.data | grep -q 'cpu/fatal 1'
}
wait_until 60 first_run
"$experiment" -q fatal.yaml 2>err
is "$? $(cat err) $(runs fatal.data | wc -l)" '0  2' '  continues, although the first run has changed a file after that'

# One that is at work holds its directory.
rm -rf again.data
"$experiment" -q again.yaml &
first=$!
wait_until 30 test -e again.data/state.json
"$experiment" -q again.yaml 2>err
second=$?
if [ $second -eq 0 ]; then
    skip 'the first of two experiments ended before the second began'
else
    like err '^assay-experiment: again.data: another assay experiment is at work there$' 'two at once are refused'
fi
wait $first

# --- failing programs ---
cat >odd <<'END'
#!/bin/sh
i=0
while [ $i -lt 60000 ]; do i=$((i + 1)); done
exit 3
END
chmod +x odd
cat >odd.yaml <<'END'
rounds: 4
programs: {odd: ./odd, missing: ./nothing, two: ./two}
recordings: {cpu: record --engine soft --period 2ms}
results: {tables: {odd.csv: "ci --by program --value round", hot.csv: {assay: hot, only: {program: odd}}}}
END
"$experiment" odd.yaml 2>err
is $? 1 'failing programs: status 1'
like err '^assay-experiment: cpu/odd, round 1: run 1: exit status 3; status 3; see odd.data/recordings/cpu/odd/log' '  each failure is reported'
is "$(grep -c 'cpu/missing, round' err)" 2 '  a cell that failed twice in a row is not started again'
is "$(rows odd.csv)" 'program,n,mean,sd two,4,2.5,1.2909944487358056 ' '  failed runs are left out of the table'
like err 'odd.csv: made, without 2 failed runs$' '  which a message counts'
like err 'hot.csv: not made: there are no runs for it yet$' '  a result without a run is not made'

# --- what a cell was recorded with ---
cat >reads <<'END'
#!/bin/sh
echo "$VALUE" >>reads.log
cp input.txt output.txt
echo "$$" >>output.txt
i=0
while [ $i -lt 60000 ]; do i=$((i + 1)); done
END
chmod +x reads
echo one >input.txt
echo old >output.txt
cat >reads.yaml <<'END'
rounds: 2
programs: {reads: ./reads input.txt output.txt, two: ./two}
factors: {level: {a: {environment: {VALUE: first}}}}
recordings: {cpu: record --engine soft --period 2ms}
END
"$experiment" -q reads.yaml 2>err
is "$? $(cat err) $(cat reads.log)" '0  first
first' 'a level sets an environment variable; a file that the program itself writes may change'
: >two.log
sed -i 's/rounds: 2/rounds: 3/' reads.yaml
echo two >input.txt
"$experiment" -q reads.yaml 2>err
is "$? $(cat err)" '1 assay-experiment: cpu/reads/a: input.txt has changed since it was recorded; restore it, or --overwrite the recording' \
    'a changed file that a command names is refused'
is "$(cat two.log)" '' '  before anything runs'
"$experiment" -q --overwrite reads.yaml 2>err
is "$? $(cat err) $(grep -c first reads.log) $(grep -c '' two.log)" '0  5 1' '--overwrite records what has changed again, and nothing else'
sed -i 's/VALUE: first/VALUE: second/' reads.yaml
"$experiment" -q reads.yaml 2>err
is "$? $(cat err)" '1 assay-experiment: cpu/reads/a: its command line, environment or recording has changed since it was recorded; restore it, or --overwrite the recording
assay-experiment: cpu/two/a: its command line, environment or recording has changed since it was recorded; restore it, or --overwrite the recording' \
    'a changed environment is refused'

# --- rounds until intervals are narrow ---
# run_until VALUE NAME: makes and runs NAME.yaml with this `until`
run_until() {
    printf '%s\n' 'rounds: 2' "until: $1" 'programs: {two: ./two}' 'recordings: {cpu: record --engine soft --period 2ms}' >"$2.yaml"
    "$experiment" "$2.yaml" 2>err
}
run_until '{half_width: 0.0001%, most: 4}' wide
is "$? $(runs wide.data | wc -l)" '0 4' 'until: rounds are added as long as intervals are too wide, up to the most'
like err '^assay-experiment: cpu: 4 rounds: the widest interval is [0-9.e+]+ % of its mean, and 0.0001 % were wanted$' \
    '  which a message says'
run_until '{half_width: 0.0001%, most: 5}' wide
is "$(runs wide.data | wc -l)" 5 '  a resumed experiment adds more'
run_until '{half_width: 99%, of: max_rss_bytes}' narrow
is "$? $(runs narrow.data | wc -l)" '0 2' '  and none where intervals are narrow'

# --- another machine ---
sed -i 's/"cpu": ".*"/"cpu": "Another Processor"/' small.data/state.json
"$experiment" -q small.yaml 2>err
is "$? $(cat err)" '0 ' 'on another machine, a complete experiment needs no runs, and no option'
rm -r small.data/recordings/cpu/two
"$experiment" small.yaml 2>err
is $? 1 'one with missing runs: status 1'
like err '^assay-experiment: small.data was recorded on another machine: cpu was Another Processor and is .*; continue there, or --mix-machines$' \
    '  one line names the difference and the option'
"$experiment" -q --mix-machines small.yaml
is "$? $(grep -c '"kernel"' small.data/state.json)" '0 2' '  --mix-machines continues, and notes both'

# --- descriptions that are wrong ---
# wrong SED REGEXP WHAT: small.yaml, edited, is refused with this message
wrong() {
    sed "$1" small.yaml >wrong.yaml
    "$experiment" wrong.yaml 2>err
    is "$? $(find . -name 'wrong.data')" '1 ' "$3: status 1, and nothing runs"
    like err "^assay-experiment: wrong.yaml:$2" '  file, line, column and cause are in the message'
}
wrong '3s/.*/sede: 1/' "3:1: key 'sede' is unknown \(did you mean seed\?\)$" 'an unknown key'
wrong '3s/.*/seed: 1.5/' '3:7: seed must be a whole number from 0 to 100000' 'a number that is not whole'
wrong '3s/.*/warmup: [1]/' '3:9: warmup must be a whole number' 'a list in place of a number'
wrong '3s/.*/rounds: 4/' '3:1: this name is given twice: rounds$' 'a key that is there twice'
wrong '3s,.*,data: ../x,' "3:7: data '\.\./x': it must stay in the directory of this file$" 'a path out of the directory'
wrong '3s,.*,data: /x,' "3:7: data '/x': it must be relative to the directory of this file$" 'an absolute path'
wrong '3s/.*/until: 0/' '3:8: until: a half-width is wanted, as in 1%: a share of the mean$' 'a half-width of nothing'
wrong '3s/.*/until: {half_width: 1%, of: wall}/' "3:29: the column 'wall' is unknown; it is one of wall_s, " 'an unknown column'
wrong '3s/.*/data: {/' '5:6: ' 'broken YAML'
wrong 's,two: ./two,two: ./two {sise},' "6:8: the factor 'sise' is unknown \(did you mean size\?\)$" \
    'an unknown factor in braces'
wrong 's,two: ./two,../two: ./two,' "6:3: program '\.\./two': a name has up to 64 letters" 'a hostile name'
wrong 's,two: ./two,two: ./two > x,' "6:8: a command: '>' is for a shell, and no shell reads this" 'shell code'
wrong "s,two: ./two,two: ./two 'x," "6:8: a command: the quote ' has no end: 'x$" 'a quote without an end'
wrong 's/--period/--perid/' "10:8: record: no option '--perid' \(did you mean --period\?\)" 'an unknown option of a recording'
wrong 's/--period/--runs 2 --period/' '10:8: --runs: the experiment chooses it; see rounds$' \
    'an option that the experiment gives'
wrong 's/hot --top/hot --tip/' "14:24: hot: no option '--tip' \(did you mean --top\?\)" 'an unknown option of a result'
wrong 's/hot --top/hots --top/' "14:24: the verb 'hots' is unknown \(did you mean hot\?\)$" 'an unknown verb'
wrong 's/only.csv/x-{program}.csv/; s/rounds.csv/x-one.csv/' '16:30: two results go to paper/x-one.csv; ' 'two results in one file'
wrong 's/hot-{program}.tex/hot.tex/; s,rounds.csv,hot.tex/x.csv,' \
    "15:20: paper/hot.tex and paper/hot.tex/x.csv can't both exist$" 'a result below another'
wrong 's/hot-{program}/hot-{size}/' '14:21: hot-\{size\}.tex: size does not apply to program two; exclude it by `only`$' \
    'a result for each level of a factor that a program does not have'
wrong 's/^  size: {small: -n 1/  load: {small: -n 1/' "8:3: a factor can't be called load: the table of runs has another column of that name$" \
    'a factor with the name of a column'
wrong 's/^  size: {small: -n 1/  a.b: {small: -n 1/' "8:3: factor 'a.b': its name begins with a letter" \
    'a factor that cannot stand in braces'
wrong 's,two: ./two,two: "{size}",; s/small: -n 1/small: ""/' '6:8: the command has no word for cpu/two/small$' \
    'a command that a level makes empty'
wrong 's/--engine soft/--overw --engine soft/' '10:8: --overwrite: remove the directory' 'an abbreviated option that is refused'
wrong 's,--period 2ms,--period 2ms ./one dry,' '10:8: record: only options are wanted on this line; the command belongs to programs$' \
    'a command on the line of a recording'
is "$(grep -c dry one.log)" 0 '  which is not run'
wrong 's/hot --top 2/hot --top 2 other.trace/' '14:24: hot: only options are wanted on this line; inputs come from the recording$' \
    'an input on the line of a result'
wrong '3s,.*,data: paper/only.csv/x,' '16:23: paper/only.csv is a directory of recordings$' 'recordings below a result'
head -c 2000000 /dev/zero | tr '\0' '#' >large.yaml
"$experiment" large.yaml 2>err
like err 'large.yaml: more than 1 MB' 'a file that is too large is refused'
{ printf 'programs: ' && head -c 900000 /dev/zero | tr '\0' '['; } >deep.yaml
"$experiment" deep.yaml 2>err
is "$? $(cat err)" '1 assay-experiment: deep.yaml:1:42: more than 32 lists and maps within each other' \
    'a file of brackets is refused at once'
printf 'a: &a [*a, *a]\nprograms: *a\n' >loop.yaml
"$experiment" loop.yaml 2>err
is $? 1 'a file that contains itself is refused'
printf '{' >small.data/recordings/cpu/two/series.json
"$experiment" report small.yaml 2>err
like err '^assay-experiment: small.data/recordings/cpu/two/series.json: .*; remove the directory to record it again$' \
    'a damaged series is named'
# --- modes that do not sample: the seed of the experiment has no effect ---
printf 'rounds: 2\nprograms: {alone: ./two}\nrecordings: {time: record --mode time}\nresults:\n  tables: {times.csv: ci --by program --value wall_s}\n' >timed.yaml
"$experiment" -q timed.yaml >out 2>err
is "$? $(cat err)" '0 ' 'a recording of mode time: status 0'
is "$(runs timed.data | tr '\n' ' ')" 'time/alone 1 time/alone 2 ' '  it has its runs'
done_testing
