#!/bin/sh
# assay warmup: processes with planted warm-ups, slowdowns and changes; groups of them; bad input. Expected values are by
# hand.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
warmup() { "$build/libexec/assay/assay-warmup" "$@"; }
# json EXPRESSION: of the results r, summary s, warnings w and notes n in `out`
json() {
    python3 -c 'import json, sys; d = json.load(open("out")); r, s, w, n = d["results"], d.get("summary"), d["warnings"], d["notes"]
print(eval(sys.argv[1]))' "$1"
}

# 120 iterations a process; the noise repeats 1 -3 2 -1 4 -2 3 -4 tenths, with the mean 0. Benchmarks: even (flat in all
# processes), jit (150 for 20, 24 and 28 iterations, then 100), late (100, from iteration 80 on 110), odd (flat, a
# warm-up, and a change in iteration 110), big (as even, with an outlier).
awk 'BEGIN {
    split("1 -3 2 -1 4 -2 3 -4", noise, " ")
    split("even jit late odd big", names, " ")
    print "benchmark,run,iteration,ms"
    for (b = 1; b <= 5; b++)
        for (run = 1; run <= 3; run++)
            for (i = 0; i < 120; i++) {
                level = 100
                if (names[b] == "jit" && i < 16 + 4 * run) level = 150
                if (names[b] == "late" && i >= 80) level = 110
                if (names[b] == "odd" && run == 2 && i < 30) level = 130
                if (names[b] == "odd" && run == 3 && i >= 110) level = 130
                if (names[b] == "big" && i == 60) level = 500
                printf "%s,%d,%d,%.1f\n", names[b], run, i, level + noise[i % 8 + 1] / 10
            }
}' >runs.csv
warmup --by benchmark --within run --value ms --format json runs.csv >out 2>err
is "$? $(cat err)" '0 ' 'five benchmarks of three processes'
is "$(json '[(x["benchmark"], x["class"], x["processes"], x["flat"], x["warm_up"], x["slowdown"], x["no_steady_state"]) for x in r]')" \
    "[('even', 'flat', 3, 3, 0, 0, 0), ('jit', 'warm-up', 3, 0, 3, 0, 0), ('late', 'slowdown', 3, 0, 0, 3, 0), ('odd', 'inconsistent', 3, 1, 1, 0, 1), ('big', 'flat', 3, 3, 0, 0, 0)]" \
    '  their classes'
# Quantiles of type 7: of 20, 24, 28 the 5th percentile is 20.4, and the 95th 27.6
is "$(json '[(x["steady_from"], round(x["steady_from_lo"], 9), round(x["steady_from_hi"], 9)) for x in r if x["benchmark"] != "odd"]')" \
    '[(0, 0, 0), (24, 20.4, 27.6), (80, 80, 80), (0, 0, 0)]' '  iterations before the steady state'
is "$(json '[x["before"] for x in r if x["benchmark"] == "jit"]')" '[3600]' '  and their sum: 24 times 150, with three whole noises'
# jit: the noise of the rest, which begins at 20, 24 and 28: 100, 96 and 92 iterations, of which 4, 0, 4 are beyond whole
# noises: 4 -2 3 -4 = 1 tenth in all.
is "$(json '[(round(x["steady"], 9), x["lo"] < x["steady"] < x["hi"]) for x in r if x["benchmark"] == "jit"]')" \
    "[($(python3 -c 'print(round((3 * 100 + 0.1 / 100 + 0.1 / 92) / 3, 9))'), True)]" '  the steady level: the mean of means'
is "$(json '[x["outliers"] for x in r]')" '[0, 0, 0, 0, 3]' '  outliers are counted'
is "$(json '[round(x["steady"], 6) for x in r if x["benchmark"] == "big"]')" "[$(python3 -c 'print(round(100 + 400 / 120, 6))')]" \
    '  and are in the means'
is "$(json 's')" "{'groups': 5, 'processes': 15}" '  the summary counts'

warmup --by benchmark --within run --value ms --processes --format json runs.csv >out
is "$(json '[(x["run"], x["class"], x["steady_from"], x["segments"]) for x in r if x["benchmark"] == "odd"]')" \
    "[('1', 'flat', 0, 1), ('2', 'warm-up', 30, 2), ('3', 'no steady state', None, 2)]" '--processes: a row for each'
is "$(json '[x["steady"] for x in r if x["run"] == "3" and x["benchmark"] == "odd"]')" '[None]' '  without a steady state there is no level'
warmup --by benchmark --within run --value ms runs.csv >out
like out '^jit +warm-up +3 warm-up +24 \[20\.4, 27\.6\] +3600 +100\.00' 'text: a row has all of it'
like out '^odd +inconsistent +1 flat, 1 warm-up, 1 no steady state ' '  with the number of processes in each class'

# --- options ---
warmup --by benchmark --within run --value ms --tolerance 20% --format json runs.csv >out
is "$(json '[(x["benchmark"], x["class"]) for x in r if x["benchmark"] in ("late", "jit")]')" \
    "[('jit', 'warm-up'), ('late', 'flat')]" '--tolerance: 10 % more is the same'
warmup --by benchmark --within run --value ms --steady-share 50% --format json runs.csv >out
is "$(json '[x["class"] for x in r if x["benchmark"] == "late"]')" "['no steady state']" '--steady-share: forty iterations are not half'
warmup --by benchmark --within run --value ms --direction higher --format json runs.csv >out
is "$(json '[x["class"] for x in r if x["benchmark"] in ("late", "jit")]')" "['slowdown', 'warm-up']" '--direction: higher is better'
warmup --by benchmark --within run --value ms --skip-first 28 --format json runs.csv >out
is "$(json '[x["class"] for x in r if x["benchmark"] == "jit"]')" "['flat']" '--skip-first: the rest is flat'
sed -n '1p; /^jit,1,/p' runs.csv >one.csv
warmup --value ms --format json one.csv >out 2>err
is "$(json '[(x["class"], x["steady_from"], x["iterations"]) for x in r]')" "[('warm-up', 20, 120)]" \
    'without processes a group is one'
is "$(json '[x for x in n if "taken for one process" in x] != []')" True '  and a note says so'
sed '/^[^b]/!d' runs.csv | sed -n '1p; /^jit/p' | sort -t , -k 3,3n -s | sed '/^bench/d; 1i benchmark,run,iteration,ms' >mixed.csv
warmup --by benchmark --within run --value ms --format json mixed.csv >out
is "$(json '[(x["class"], x["steady_from"]) for x in r]')" "[('warm-up', 24)]" 'rows of a process need not follow each other'
warmup -j 1 --by benchmark --within run --value ms --format csv runs.csv >a
ASSAY_PART_BYTES=100 warmup -j 7 --by benchmark --within run --value ms --format csv runs.csv >b
is "$(cmp a b)" '' 'the same for any number of threads'

# --- the output of benchmark tools ---
# Two invocations of 40 iterations, of which the first ten are slow. DaCapo times the last one.
for invocation in 1 2; do
    for i in $(seq 39); do
        echo "===== DaCapo 9.12-MR1 h2 starting warmup $i ====="
        echo "===== DaCapo 9.12-MR1 h2 completed warmup $i in $((i <= 10 ? 300 + i % 3 : 100 + i % 3)) msec ====="
    done
    echo "===== DaCapo 9.12-MR1 h2 starting ====="
    echo "===== DaCapo 9.12-MR1 h2 PASSED in 101 msec ====="
done >dacapo.log
expected="[('h2', '1', 'warm-up', 40, 10), ('h2', '2', 'warm-up', 40, 10)]"
warmup --processes --format json dacapo.log >out 2>err
is "$(json '[(x["name"], x["invocation"], x["class"], x["iterations"], x["steady_from"]) for x in r]')" "$expected" \
    'DaCapo: the timed iteration follows the others of its invocation'
"$build/libexec/assay/assay-ci" --steady --format json dacapo.log >out 2>err
is "$(json '[(x["name"], x["n"], x["values"]) for x in r]')" "[('h2', 2, 60)]" '  ci --steady takes them alike'
jmh() { # ITERATIONS
    printf '# JMH version: 1.37\n# Benchmark mode: Average time, time/op\n# Benchmark: org.ex.Fill.run\n'
    for fork in 1 2; do
        echo "# Fork: $fork of 2"
        for i in $(seq 20); do echo "# Warmup Iteration   $i: $((i <= 10 ? 300 + i % 3 : 100 + i % 3)).5 us/op"; done
        for i in $(seq 20); do echo "Iteration   $i: $((100 + i % 3)).5 us/op"; done
    done
}
jmh >jmh.txt
warmup --processes --format json jmh.txt >out 2>err
is "$(json '[(x["name"], x["fork"], x["class"], x["iterations"], x["steady_from"]) for x in r]')" \
    "[('org.ex.Fill.run', '1', 'warm-up', 40, 10), ('org.ex.Fill.run', '2', 'warm-up', 40, 10)]" \
    'what JMH prints: with the warm-up iterations'
"$build/libexec/assay/assay-ci" --format json jmh.txt >out 2>err
is "$(json '[(x["n"], x["values"]) for x in r]')" '[(2, 40)]' '  which ci leaves out'
# One file of each process.
for process in 1 2; do
    python3 -c 'import json
times = [300 + i % 3 if i < 10 else 100 + i % 3 for i in range(40)]
print(json.dumps({"format_version": 6, "data": {"scrabble": {"results": [{"duration_ns": t * 1000000} for t in times]}}}))' >"renaissance$process.json"
    awk 'BEGIN { print "benchmark,duration_ns,uptime_ns"; for (i = 0; i < 40; i++) print "scrabble," (i < 10 ? 300 + i % 3 : 100 + i % 3) "000000," i }' >"renaissance$process.csv"
done
for form in json csv; do
    within=''
    [ "$form" = json ] || within='--by benchmark --within file'
    # shellcheck disable=SC2086 # options are words
    warmup $within --processes --format json "renaissance1.$form" "renaissance2.$form" >out 2>err
    is "$(json '[(x["file"], x["class"], x["iterations"], x["steady_from"]) for x in r]')" \
        "[('renaissance1.$form', 'warm-up', 40, 10), ('renaissance2.$form', 'warm-up', 40, 10)]" \
        "Renaissance's $form: a file is a process"
done
python3 -c 'import bz2, json
times = [3.0 + i % 3 / 100 if i < 10 else 1.0 + i % 3 / 100 for i in range(40)]
document = {"wallclock_times": {"fannkuch:HotSpot:default-java": [times, times, []]}, "config": "x", "core_cycle_counts": {}}
open("krun.json", "w").write(json.dumps(document))
open("krun.json.bz2", "wb").write(bz2.compress(json.dumps(document).encode()))'
warmup --processes --format json krun.json >out 2>err
is "$(json '[(x["name"], x["process"], x["class"], x["iterations"], x["steady_from"]) for x in r]')" \
    "[('fannkuch:HotSpot:default-java', '1', 'warm-up', 40, 10), ('fannkuch:HotSpot:default-java', '2', 'warm-up', 40, 10)]" 'Krun'
like err '1 .*crashed, or has not run yet' '  a process execution that crashed is reported'
warmup krun.json.bz2 >out 2>err
is "$? $(cat err)" '1 assay-warmup: krun.json.bz2: is packed by bzip2; unpack it (bzip2 -dc) into a pipe' '  packed: refused, with the remedy'
{
    echo '# Execution Start: 2026-01-01T00:00:00'
    printf 'invocation\titeration\tvalue\tunit\tcriterion\tbenchmark\texecutor\tsuite\n'
    for process in 1 2; do
        for i in $(seq 0 39); do
            printf '%d\t%d\t%d\tkb\tmemory\tFib\tvm\ts\n' $process $((i + 1)) 500
            printf '%d\t%d\t%d\tms\ttotal\tFib\tvm\ts\n' $process $((i + 1)) $((i < 10 ? 300 + i % 3 : 100 + i % 3))
        done
    done
} >rebench.data
warmup --processes --format json rebench.data >out 2>err
is "$(json '[(x["name"], x["criterion"], x["invocation"], x["class"], x["steady_from"]) for x in r]')" \
    "[('Fib', 'memory', '1', 'flat', 0), ('Fib', 'total', '1', 'warm-up', 10), ('Fib', 'memory', '2', 'flat', 0), ('Fib', 'total', '2', 'warm-up', 10)]" \
    'ReBench: invocations, a series for each criterion'

# pyperf: ten warm-ups of each process, and thirty values; the process that calibrated has only warm-ups of other loops
python3 -c 'import json
def process(run):
    return {"warmups": [[8, 0.3 + (i + run) % 3 / 1000] for i in range(10)], "values": [0.1 + (i + run) % 3 / 1000 for i in range(30)]}
print(json.dumps({"version": "1.0", "metadata": {"unit": "second", "name": "sort"}, "benchmarks": [{"metadata": {"loops": 8},
    "runs": [{"warmups": [[1, 0.5], [8, 0.3]]}, process(0), process(1)]}]}))' >pyperf.json
warmup --processes --format json pyperf.json >out 2>err
is "$(json '[(x["process"], x["class"], x["iterations"], x["steady_from"]) for x in r]')" "[('2', 'warm-up', 40, 10), ('3', 'warm-up', 40, 10)]" \
    'pyperf: the warm-ups of a process come before its values'
"$build/libexec/assay/assay-ci" --steady --format json pyperf.json >out 2>err
is "$(json '[(x["n"], x["values"]) for x in r]')" '[(2, 60)]' '  ci --steady takes them alike'
"$build/libexec/assay/assay-ci" --format json pyperf.json >out 2>err
is "$(json '[(x["n"], x["values"]) for x in r]')" '[(2, 60)]' '  without it, warm-ups are not read'

# --- the figure ---
warmup -q --by benchmark --within run --value ms --plot out.svg runs.csv >out 2>err
is "$? $(cat err)" '0 ' '--plot: fifteen processes are drawn'
is "$(grep -c "fill = 'rgb(228, 238, 246)'" out.svg)" 14 '  the steady state is shaded, in all but the one without'
is "$(grep -c '>no steady state<' out.svg) $(grep -c '>slowdown<' out.svg) $(grep -c '>flat<' out.svg)" '1 3 7' \
    '  each strip names its class'
is "$(grep -c '>ms<' out.svg)" 1 '  the axis is named'

# --- few iterations, and none ---
printf 'run,ms\n1,1\n1,2\n1,1\n2,1\n2,1\n2,1\n2,1\n' >few.csv
warmup --within run --value ms --processes --format json few.csv >out 2>err
is "$? $(json '[(x["run"], x["class"]) for x in r]')" "0 [('2', 'flat')]" 'three iterations are too few: the process is left out'
like err '^assay-warmup: 1: too few iterations for a classification: it is left out' '  with a warning'
warmup --within run --value ms --format json few.csv >out 2>err
is "$(json '[(x["processes"], x["lo"]) for x in r]')" '[(1, None)]' '  one process has no interval'
head -n 4 few.csv >fewer.csv
warmup --within run --value ms fewer.csv >out 2>err
is "$? $(tail -n 1 err)" '1 assay-warmup: no process has the 4 iterations that a classification needs' 'none is left: status 1'
warmup --tolerance x runs.csv >out 2>err
is $? 2 'a bad option: status 2'
done_testing
