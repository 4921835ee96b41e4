#!/bin/sh
# assay experiment over several sessions: another directory, other rounds and warm-up runs, results that are gone.
. "$(dirname "$0")/../tap.sh"
scratch
experiment=$build/libexec/assay/assay-experiment
mkdir first
cat >first/program <<'END'
#!/bin/sh
echo "$*" >>out.log
i=0
while [ $i -lt 30000 ]; do i=$((i + 1)); done
END
chmod +x first/program
mkdir first/below
echo text >first/input.txt
ln -s ../program first/below/program
cat >first/plan.yaml <<'END'
rounds: 2
warmup: 2
seed: 1
programs:
  here: {command: ./program here, input: input.txt}
  below: {command: ./program below, directory: below}
recordings: {cpu: record --engine soft --period 2ms, time: {assay: record --mode time, warmup: 0}}
results:
  tables:
    keep.csv: {assay: ci --by program --value round, from: time}
    gone.csv: {assay: ci --by program --value round, from: cpu}
    edited.csv: {assay: ci --by program --value round, from: cpu}
END
# --- warm-up runs ---
"$experiment" --dry-run first/plan.yaml >out
is "$(awk '{ print $2, $3, $4, $5 }' out | sed -n '2,4p' | tr '\n' ' ')" '2 8 0 8 2 4 0 4 4 12 0 12 ' \
    'starts to warm up are among those that --dry-run counts'
"$experiment" first/plan.yaml 2>err
is $? 0 'a session: status 0'
like err '^assay-experiment: 12 runs to make, with 4 to warm up, up to round 2 of 4 cells: the time is known once each recording has run$' \
    '  a line at its beginning says what is to be made'
is "$(sed -n 's/^assay-experiment: \(round .* runs\), .*/\1/p' err | tr '\n' ';')" 'round 1 of 2: 8 of 12 runs;round 2 of 2: 12 of 12 runs;' \
    '  and one after each round'
is "$(grep -c '"round":0,.*"warmup":2' first/plan.data/starts.jsonl) $(grep -c . first/out.log first/below/out.log | tr '\n' ' ')" \
    '2 first/out.log:6 first/below/out.log:6 ' '  warm-up runs are noted'
is "$(grep -c '^== cpu/here, warm-up$' first/plan.data/warmup/log)" 1 '  and called so in the log'
# method FILE: what the report says of its recordings
method() {
    sed -n 's/^<dt>.*<dd><code>assay record[^<]*<.code>, \(.*\)\.<.dd>$/\1/p' "$1"
}
is "$(method first/report.html)" '2 rounds, and 2 warm-up runs of each cell at the beginning of sessions, whose recordings are discarded
2 rounds' 'the report says how many there were'

# --- another directory ---
mv first second
sed -i 's/^rounds: 2/rounds: 3/; s/^warmup: 2/warmup: 0/' second/plan.yaml
(cd second && "$experiment" plan.yaml 2>../err)
is "$? $(grep -c '"status":0' second/plan.data/starts.jsonl)" '0 14' 'a directory that was moved continues'
like err "^assay-experiment: plan.data was recorded in $PWD/first, and continues here$" '  which a line says'
is "$(method second/report.html)" '3 rounds, and 2 warm-up runs of each cell at the beginning of sessions, whose recordings are discarded
3 rounds' '  the report has the warm-up runs of the first session, although the file no longer asks for any'
cp -r second third
sed -i 's/^rounds: 3/rounds: 4/' third/plan.yaml
"$experiment" third/plan.yaml 2>err
is "$? $(cut -d , -f 1-3 third/keep.csv | tr '\n' ' ')" '0 program,n,mean here,4,2.5 below,4,2.5 ' 'a copy continues'
sed -i 's/^rounds: 3/rounds: 4/' second/plan.yaml
"$experiment" second/plan.yaml 2>err
is "$? $(cut -d , -f 1-3 second/keep.csv | tr '\n' ' ') $(grep -c 'was recorded in' err)" '0 program,n,mean here,4,2.5 below,4,2.5  0' \
    '  and so does what it was copied from'
mv third fourth
sed -i 's/^rounds: 4/rounds: 5/' fourth/plan.yaml
echo changed >>fourth/program
"$experiment" fourth/plan.yaml 2>err
is $? 1 'a moved directory with a changed program does not continue'
like err '^assay-experiment: cpu/here: ./program has changed since it was recorded' '  for that reason'

# --- rounds that were added ---
sed -i 's/^warmup: 0/until: {half_width: 0.0001%, most: 5}/; s/^rounds: .*/rounds: 4/' second/plan.yaml
"$experiment" -q second/plan.yaml
sed -i 's/^until: .*/until: {half_width: 90%, of: cpu_s}/' second/plan.yaml
"$experiment" -q second/plan.yaml
is "$(method second/report.html | tail -n 1)" '5 rounds. Rounds were added until the 95 % interval of the mean of wall_s of each cell was within ± 0.0001 %, 5 at most. Intervals of experiments that stop like this are slightly too narrow' \
    'the report has the rule by which rounds were added, although the file has another now'

# --- results that are gone ---
sed -i '/gone.csv\|edited.csv/d' second/plan.yaml
echo edited >second/edited.csv
cp second/plan.yaml second/other.yaml
sed -i '1i data: plan.data' second/other.yaml
"$experiment" report second/other.yaml 2>err
is "$(grep -c 'no longer made' err)" 0 "a description with the same data does not name another's results"
"$experiment" report second/plan.yaml 2>err
is "$(grep 'no longer made' err)" 'assay-experiment: gone.csv is no longer made by plan.yaml; remove it if it is of no use' \
    'a file that the description no longer makes is named, unless it was edited'
is "$(ls second/gone.csv)" second/gone.csv '  it remains'
"$experiment" report second/plan.yaml 2>err
is "$(grep -c 'no longer made' err)" 0 '  once'

# --- a busy machine ---
# busy LOAD CPU_MS: four runs of 1 s, of which two began at this load and used this CPU time, on 2 cores
busy() {
    mkdir -p busy.data/recordings/time/one
    done=
    : >busy.data/starts.jsonl
    for run in 1 2 3 4; do
        load=0.5 cpu=990
        if [ $run -le 2 ]; then load=$1 cpu=$2; fi
        done="$done${done:+,}{\"run\": $run, \"clock\": \"\", \"interrupted\": false, \"started\": \"\", \"traces\": [],
            \"exit\": {\"status\": 0, \"signal\": null, \"wall_ns\": 1000000000, \"user_ns\": ${cpu}000000, \"system_ns\": 0}}"
        echo "{\"cell\": \"time/one\", \"round\": $run, \"machine\": 0, \"load\": $load, \"status\": 0, \"wall_s\": 1, \"bytes\": 0}" >>busy.data/starts.jsonl
    done
    echo "{\"configuration\": {\"clocks\": [{}]}, \"done\": [$done]}" >busy.data/recordings/time/one/series.json
    echo '{"seed": 1, "machines": [{"cores": 2}]}' >busy.data/state.json
    printf '%s\n' 'rounds: 4' 'programs: {one: ./one}' 'recordings: {time: record --mode time}' \
        'results: {directory: busy, tables: {x.csv: ci --value wall_s}}' >busy.yaml
    "$experiment" report busy.yaml 2>err
}
busy 6.25 250
like err '^assay-experiment: the machine was too busy for wall times: 2 of 4 runs began at a load above its 2 cores \(up to 6.2\), and took 2.0 s for 0.5 s of CPU time; compare cpu_s, or run on an idle machine$' \
    'runs that waited for a processor: one line with figures'
is "$(grep -c '^<li>The machine was too busy for wall times: 2 of 4 runs' busy/report.html)" 1 '  the report begins with it'
busy 6.25 950
is "$(grep -c 'too busy' err)" 0 'runs at a high load that did not wait'
busy 1.5 250
is "$(grep -c 'too busy' err)" 0 'runs that waited for something else than a processor'
done_testing
