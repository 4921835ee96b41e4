#!/bin/sh
# --steady of assay ci, compare and anova: what processes measured before their steady state is left out, and counted.
# Expected values are by hand.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
for verb in ci compare anova warmup; do
    eval "$verb() { \"$build/libexec/assay/assay-$verb\" \"\$@\"; }"
done
# json EXPRESSION: of the results r, warnings w and notes n in `out`
json() {
    python3 -c 'import json, sys; d = json.load(open("out")); r, w, n = d["results"], d["warnings"], d["notes"]
print(eval(sys.argv[1]))' "$1"
}

# 120 iterations a process; the noise repeats 1 -3 2 -1 4 -2 3 -4 tenths, with the mean 0. Benchmarks: even (flat), jit
# (150 for 20, 24 and 28 iterations, then 100), late (100, from iteration 80 on 110), odd (flat, a warm-up of 30, and a
# change in iteration 110, so that the third process has no steady state).
planted() {
    awk -v list="$1" 'BEGIN {
        split("1 -3 2 -1 4 -2 3 -4", noise, " ")
        count = split(list, names, " ")
        print "benchmark,run,iteration,ms"
        for (b = 1; b <= count; b++)
            for (run = 1; run <= 3; run++)
                for (i = 0; i < 120; i++) {
                    level = 100
                    if (names[b] == "jit" && i < 16 + 4 * run) level = 150
                    if (names[b] == "late" && i >= 80) level = 110
                    if (names[b] == "odd" && run == 2 && i < 30) level = 130
                    if (names[b] == "odd" && run == 3 && i >= 110) level = 130
                    if (names[b] == "bad" && i >= 110) level = 130
                    printf "%s,%d,%d,%.1f\n", names[b], run, i, level + noise[i % 8 + 1] / 10
                }
    }'
}
planted 'even jit late odd' >runs.csv
set -- --by benchmark --within run --value ms
ci "$@" --steady --format json runs.csv >out 2>err
is "$? $(json '[(x["benchmark"], x["n"], x["values"]) for x in r]')" \
    "0 [('even', 3, 360), ('jit', 3, 288), ('late', 3, 120), ('odd', 2, 210)]" \
    'ci --steady: 72 iterations of jit, 240 of late, and of odd 30 and a whole process are left out'
# The noise of jit beyond whole periods is 1 tenth in the first and the last process, 0 in the other.
mean=$(python3 -c 'print(round((3 * 100 + 0.1 / 100 + 0.1 / 92) / 3, 9))')
is "$(json '[round(x["mean"], 9) for x in r if x["benchmark"] == "jit"]')" "[$mean]" '  the mean is that of the rest'
is "$(json '[x for x in n if "before the steady" in x]')" \
    "['342 of 1440 iterations come before the steady state and are left out; 1 of 12 processes has no steady state and is left out whole (120 iterations)']" \
    '  a note counts both'
is "$(json '[x for x in w if "steady" in x]')" "['odd: processes without a steady state are left out (1 of 3)']" \
    '  a warning names the benchmark that lost a process'
ci "$@" --steady --format csv runs.csv 2>err | cut -d , -f 1,3-5 >a
warmup "$@" --format json runs.csv >out
is "$(ci "$@" --steady --format json runs.csv 2>err | python3 -c 'import json, sys
print([(x["benchmark"], round(x["mean"], 9), round(x["lo"], 9), round(x["hi"], 9)) for x in json.load(sys.stdin)["results"]])')" \
    "$(json '[(x["benchmark"], round(x["steady"], 9), round(x["lo"], 9), round(x["hi"], 9)) for x in r]')" \
    '  means and intervals are those of assay warmup'
ASSAY_PART_BYTES=100 ci -j 7 "$@" --steady --format csv runs.csv >b 2>err
ci -j 1 "$@" --steady --format csv runs.csv >a 2>err
is "$(cmp a b)" '' '  the same for any number of threads'
{ head -n 1 runs.csv; sed 1d runs.csv | sort -t , -k 3,3n -s; } >mixed.csv
ci "$@" --steady --format json mixed.csv >out 2>err
like out '342 of 1440 iterations' '  rows of a process need not follow each other'

# --- the same options as those of assay warmup ---
ci "$@" --steady --tolerance 20% --format json runs.csv >out 2>err
is "$(json '[x["values"] for x in r if x["benchmark"] in ("jit", "late")]')" '[288, 360]' '--tolerance: 10 % more is the same'
ci "$@" --steady --steady-share 50% --format json runs.csv >out 2>err
is "$(json '[x["benchmark"] for x in r]')" "['even', 'jit', 'odd']" '--steady-share: forty iterations are not half, and late is left out'
like out 'late: no process has a steady state: it is not in this result' '  a warning says so'
ci "$@" --skip-first 24 --steady --format json runs.csv >out 2>err
is "$(json '[x["values"] for x in r if x["benchmark"] == "jit"]')" '[284]' '--skip-first is applied before'
ci "$@" --tolerance 3% runs.csv >out 2>err
is "$? $(head -n 1 err)" '2 assay-ci: --tolerance and --steady-share say what --steady leaves out; say --steady too' \
    '--tolerance without --steady: bad usage'
ci "$@" --steady --tolerance x runs.csv >out 2>err
is "$? $(head -n 1 err)" '2 assay-ci: --tolerance x: must be a percentage from 0 to 100' 'a tolerance that is not a number: bad usage'

# --- compare and anova ---
planted 'jit even' >old.csv
sed 's/^even/old/; s/^jit/new/' old.csv >versions.csv
compare "$@" --baseline old --format json versions.csv >out 2>err
is "$(json '[(x["n"], round(x["ratio"], 3), x["verdict"]) for x in r]')" "[(3, 1.1, 'slower')]" \
    'compare: the warm-up of 24 of 120 iterations makes the new one 10 % slower'
compare "$@" --baseline old --steady --format json versions.csv >out 2>err
is "$(json '[(x["n"], round(x["ratio"], 3)) for x in r]')" '[(3, 1.0)]' 'compare --steady: it is as fast once it is steady'
like out '72 of 720 iterations come before the steady state and are left out"' '  a note counts what is left out'
anova "$@" --steady --groups --format json versions.csv >out 2>err
is "$(json '[(x["n"], round(x["mean"], 3)) for x in r]')" '[(3, 100.001), (3, 100)]' 'anova --steady: likewise'
anova "$@" --steady --format json versions.csv >out 2>err
like out '72 of 720 iterations' '  also where it would only need sums'
planted 'bad even' >first.csv
compare "$@" --steady first.csv >out 2>err
is "$? $(tail -n 1 err)" \
    '1 assay-compare: the first group, bad, has no values; say with --baseline which one to compare with' \
    'compare: a baseline without a steady state is refused'

# --- what has no steady state, or no iterations ---
planted bad >bad.csv
ci "$@" --steady bad.csv >out 2>err
is "$? $(cat err)" \
    '1 assay-ci: --steady leaves nothing: of 3 processes 3 have no steady state, and 0 fewer than the 4 iterations that are needed; assay warmup --processes shows them' \
    'no process has a steady state: status 1'
printf 'run,ms\n1,1\n1,2\n1,1\n2,1\n2,1\n2,1\n2,1\n' >few.csv
ci --within run --value ms --steady --format json few.csv >out 2>err
is "$(json '[x for x in n if "before the steady" in x]')" \
    "['0 of 7 iterations come before the steady state and are left out; 1 of 2 processes has too few iterations and is left out (3)']" \
    'three iterations are too few, and their process is left out'
is "$(head -n 1 err)" 'assay-ci: processes with too few iterations are left out (1 of 2)' '  a warning says so, also of a table that is one group'
{ sed 's/^/b,/; 1s/^b/benchmark/' few.csv && printf 'c,%s\n' 1,1 1,2 2,1 2,3; } >groups.csv
ci --by benchmark --within run --value ms --steady --format json groups.csv >out 2>err
like err 'c: no process has enough iterations: it is not in this result' '  a group of such processes is named, with this reason'
unlike err 'c: no process has a steady state' '  and not as one without a steady state'
ci --by benchmark --value ms --steady runs.csv >out 2>err
is "$? $(cat err)" \
    '2 assay-ci: --steady needs the iterations of each process; --within COL names the column that tells the processes of a group apart' \
    'nothing tells processes apart: bad usage'
ci --by benchmark --value ms --within none --steady runs.csv >out 2>err
is "$? $(head -n 1 err)" '2 assay-ci: --within none takes values as independent, without a steady state; leave --steady out' \
    '--within none: bad usage'
sed '1s/$/,kb/; 2,$s/$/,7/' old.csv >two.csv
ci --by benchmark --within run --value ms,kb --steady --format json two.csv >out 2>err
is "$(json '[x for x in n if "before the steady" in x]')" \
    "['ms: 72 of 720 iterations come before the steady state and are left out', 'kb: 0 of 720 iterations come before the steady state and are left out']" \
    'two columns: each has its own steady state'
python3 -c 'import json
print(json.dumps({"format_version": 5, "data": {"scrabble": {"results": [{"duration_ns": t} for t in [90] * 10 + [50, 51] * 20]}}}))' >one.json
ci --steady --format json one.json >out 2>err
is "$(json '[(x["n"], x["mean"]) for x in r]')" '[(40, 50.5)]' 'a file that is a process: iterations are values'
done_testing
