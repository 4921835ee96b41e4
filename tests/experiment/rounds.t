#!/bin/sh
# assay experiment: rounds one at a time for batch systems, ten kills at random moments, and what a killed session leaves.
. "$(dirname "$0")/../tap.sh"
scratch
experiment=$build/libexec/assay/assay-experiment
# program NAME: a script that uses some CPU time
program() {
    cat >"$1" <<'END'
#!/bin/sh
i=0
while [ $i -lt 30000 ]; do i=$((i + 1)); done
END
    chmod +x "$1"
}
program one
program two
# starts DATA: "ROUND CELL" for each start, in order
starts() {
    sed 's/.*"cell":"\([^"]*\)","round":\([0-9]*\),.*/\2 \1/' "$1/starts.jsonl"
}

# --- one round a job ---
cat >job.yaml <<'END'
rounds: 3
seed: 1
programs: {one: ./one, two: ./two}
recordings: {cpu: record --mode time}
results: {tables: {round.csv: ci --by program --value round}}
END
"$experiment" --one-round job.yaml 2>err
is "$? $(starts job.data | sort | tr '\n' ' ')" '0 1 cpu/one 1 cpu/two ' '--one-round makes every cell of the first round'
is "$(cat err)" 'assay-experiment: round 1 is made; 2 rounds are left' '  a note says what is left'
is "$(find . -name round.csv)" '' '  there is no result'
"$experiment" -q --one-round job.yaml &
first=$!
"$experiment" -q --one-round job.yaml &
second=$!
wait $first
status=$?
wait $second
is "$status $? $(starts job.data | cut -d ' ' -f 1 | tr '\n' ' ')" '0 0 1 1 2 2 3 3 ' \
    'two jobs at once make a round each, one after the other'
"$experiment" --one-round job.yaml 2>err
is "$? $(cat err) $(starts job.data | wc -l)" '0 assay-experiment: all rounds are made 6' 'a job too many makes nothing'
"$experiment" -q report job.yaml
is "$? $(cut -d , -f 1-3 round.csv | tr '\n' ' ')" '0 program,n,mean one,3,2 two,3,2 ' 'report then makes the results of all rounds'
is "$(find job.data -name '*.trace')" '' '  recordings of mode time leave no trace, and have a table of runs'
"$experiment" --one-round report job.yaml 2>err
is $? 2 '--one-round with report is bad usage'

sed 's/^seed.*/data: failing.data/; s,two: ./two,two: ./nothing,; s/rounds: 3/rounds: 4/' job.yaml >failing.yaml
for job in 1 2 3 4 5; do "$experiment" -q --one-round failing.yaml 2>err; done
is "$? $(starts failing.data | tr '\n' ' ' | sed 's/^1 cpu.one 1 cpu.two/1 cpu\/two 1 cpu\/one/')" '0 1 cpu/two 1 cpu/one 1 cpu/two 2 cpu/one 3 cpu/one 4 cpu/one ' \
    'a cell that failed in two jobs is not started by further ones'
"$experiment" -q --one-round failing.yaml 2>err
is "$? $(cat err)" '1 assay-experiment: cpu/two failed twice in a row, and only a command without --one-round starts it again' \
    '  until only that is left, which a message says'
sed 's/^rounds: 3/rounds: 2/; s/^seed.*/until: {half_width: 0.0001%, most: 3}/; 1i data: until.data' job.yaml >until.yaml
for job in 1 2 3 4; do "$experiment" -q --one-round until.yaml 2>err; done
is "$? $(starts until.data | cut -d ' ' -f 1 | tr '\n' ' ')" '0 1 1 2 2 3 3 ' 'jobs add the rounds that until asks for'

# --- what a killed session leaves ---
# The experiment is killed while its program runs, which ends later.
cat >orphan <<'END'
#!/bin/sh
if [ ! -e orphan.done ]; then
    : >orphan.done
    read -r _ _ _ parent _ <"/proc/$PPID/stat"
    kill -KILL "$parent"
    sleep 0.5
fi
i=0
while [ $i -lt 30000 ]; do i=$((i + 1)); done
END
chmod +x orphan
cat >orphan.yaml <<'END'
rounds: 2
programs: {orphan: ./orphan}
recordings: {cpu: record --engine soft --period 2ms}
results: {tables: {machine.csv: {assay: ci --by machine --value load}}}
END
"$experiment" -q orphan.yaml 2>/dev/null
is "$? $(cat orphan.data/starts.jsonl 2>/dev/null)" '137 ' 'an experiment that is killed during a start'
"$experiment" orphan.yaml 2>err
is "$? $(starts orphan.data | tr '\n' ' ')" '0 1 cpu/orphan 2 cpu/orphan ' \
    '  waits for the run that outlived it, and notes its start'
like err 'orphan.data/recordings/cpu/orphan: waits for a run that an earlier experiment has started$' '  which a message says'
is "$(cut -d , -f 1,2 machine.csv | tr '\n' ' ')" 'machine,n machine-1,2 ' '  both runs have a machine and a load in the table'
is "$(find orphan.data -name running.json)" '' '  nothing remains of the kill'
"$build/libexec/assay/assay-info" --format json orphan.data/recordings/cpu/orphan/*.trace >out 2>/dev/null
like out '"program": ?"orphan"' 'traces have the program and its levels as labels'

# --- ten kills at random moments ---
cat >plain.yaml <<'END'
rounds: 4
seed: 7
programs: {one: "./one {size}", two: ./two}
factors: {size: [small, large]}
recordings:
  cpu: record --engine soft --period 2ms
  time: {assay: record --mode time, rounds: 2}
results:
  directory: paper
  tables:
    hot-{program}.csv: {assay: hot, from: cpu}
    rounds.csv: {assay: "ci --by program,size,machine --value round", from: cpu}
    times.csv: {assay: "ci --by program,size --value wall_s", from: time}
    times.tex: {assay: "compare --by program --baseline one --value cpu_s", from: cpu}
  figures:
    hot.svg: {assay: hot --by command, from: cpu}
  values:
    "{program}.hot{rank}": {assay: hot --top 2, from: cpu}
    "time.{program}.{size}": {assay: ci --value wall_s, from: time, only: {program: one}}
END
# Half of the kills are of the experiment alone, whose start goes on; the others are of all processes.
moments=$(awk 'BEGIN { srand(46); for (i = 0; i < 10; i++) printf "%.2f\n", 0.05 + rand() * rand() * 2 }')
kills=0
for moment in $moments; do
    setsid "$experiment" -q plain.yaml >/dev/null 2>&1 &
    pid=$!
    sleep "$moment"
    if [ $((kills % 2)) -eq 0 ]; then kill -KILL $pid; else kill -s KILL -- -$pid; fi 2>/dev/null
    wait $pid 2>/dev/null
    kills=$((kills + 1))
done
"$experiment" -q plain.yaml 2>err
is "$? $(cat err)" '0 ' 'after ten kills at random moments the same command line completes the experiment'
runs() {
    find "$1/recordings" -name series.json | LC_ALL=C sort | while read -r series; do
        python3 -c 'import json, sys
print(*sorted(run["run"] for run in json.load(open(sys.argv[1]))["done"] if not run["interrupted"]), end="; ")' "$series"
    done
}
is "$(runs plain.data)" '1 2 3 4; 1 2 3 4; 1 2 3 4; 1 2; 1 2; 1 2; ' '  each run is there exactly once'
is "$(starts plain.data | sort | uniq | wc -l)" 18 '  and each start is noted'
is "$(find . -path ./plain.data/recordings -prune -o -name '.*' -type f -print)" '' '  no unfinished file remains'
mkdir undisturbed
cp -r plain.yaml plain.data undisturbed
rm -r undisturbed/plain.data/results.json undisturbed/plain.data/runs
"$experiment" -q report undisturbed/plain.yaml 2>err
is "$? $(cat err)" '0 ' 'report makes all results of the same recordings without a disturbance'
is "$(find paper -type f ! -name 'report.*' | wc -l) $(diff -r paper undisturbed/paper 2>&1)" '8 ' '  they have the same bytes'
done_testing
