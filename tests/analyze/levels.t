#!/bin/sh
# Levels of repetition: the unit of analysis is the process, not the iteration. Expected values are by hand, with the
# quantiles of Student's t from tables: 4.302652730 (2 degrees of freedom), 12.70620474 (1).
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
for verb in ci compare anova; do
    eval "$verb() { \"$build/libexec/assay/assay-$verb\" \"\$@\"; }"
done
# json EXPRESSION: of the results r, warnings w and notes n in `out`
json() {
    python3 -c 'import json, sys; d = json.load(open("out")); r, w, n = d["results"], d["warnings"], d["notes"]
print(eval(sys.argv[1]))' "$1"
}

# --- --within ---
# Forks of a: 104.5, 108.5, 112.5; of b: half a unit more. Within a fork, values differ by at most 1.
rows() {
    echo v,fork,i,t
    for fork in 1 2 3; do
        for i in 1 2 3 4; do
            echo "a,$fork,$i,$((100 + 4 * fork + i % 2))"
            echo "b,$fork,$i,$((100 + 4 * fork + i % 2)).5"
        done
    done
}
rows >rows.csv
ci --value t --by v --within fork --format json rows.csv >out 2>err
is "$(json '[(x["v"], x["n"], x["mean"], x["sd"], round(x["half_width"], 6)) for x in r]')" \
    "[('a', 3, 108.5, 4, 9.936551), ('b', 3, 109, 4, 9.936551)]" \
    'ci --within: values are means of forks; 4.302652730 · 4/√3 = 9.936551'
is "$(json '[x for x in n if "means" in x]')" \
    "['values are means of 3 forks of 4 iterations each: iterations of one fork are not independent']" \
    '  the unit is named'
is "$(cat err)" '' '  differences between forks are not taken for changes of level'
compare --value t --by v --within fork --format json rows.csv >out 2>err
# Welch with equal sizes and variances: t = 0.5/√(16/3 + 16/3) = 0.153093 on 4 degrees of freedom. For 4 degrees
# p = 1 − s(3 − s²)/2 with s = t/√(4 + t²) = 0.0763237.
is "$(json '[(x["n"], x["n_baseline"], round(x["ratio"], 6), round(x["p"], 4), x["verdict"]) for x in r]')" \
    "[(3, 3, 1.004608, 0.8857, 'no difference shown')]" 'compare --within: t = 0.153093 on 4 degrees of freedom'
like out 'means of 3 forks of 4 iterations' '  the unit is named'
anova --value t --by v --within fork --format json rows.csv >out 2>err
is "$(json '[(x["n"], x["dof_within"], round(x["f"], 7)) for x in r]')" '[(6, 4, 0.0234375)]' \
    'anova --within: F is the square of that t'
compare --value t --by v --within fork --method bootstrap --format json rows.csv >out 2>err
is "$(json '[x["n"] for x in r]')" '[3]' 'bootstrap: processes are resampled whole'
sort -t , -k 3,3 -k 2,2r -k 1,1 rows.csv | sed '/^v/d; 1i v,fork,i,t' >shuffled.csv
ci --value t --by v --within fork --format csv rows.csv | sort >a
ci --value t --by v --within fork --format csv shuffled.csv | cut -d , -f 1-10 | sort >b
is "$(cut -d , -f 1-10 a)" "$(cat b)" 'rows of a process need not follow each other'
ci --value t --by v --within fork --format csv rows.csv >a
ASSAY_PART_BYTES=40 ci -j 4 --value t --by v --within fork --format csv rows.csv >b
is "$(cat b)" "$(cat a)" 'cut into parts: the same'

# --- a process with one value, and one with more than others ---
printf 'fork,t\n1,10\n2,14\n3,12\n' >ones.csv
ci --value t --format csv ones.csv >a 2>err
ci --value t --within fork --format csv ones.csv >b 2>err
is "$(cat b)" "$(cat a)" 'one value per process: the same result as without --within'
printf 'fork,t\n1,10\n2,14\n2,16\n3,9\n3,12\n3,15\n' >uneven.csv
ci --value t --within fork --format json uneven.csv >out 2>err
is "$(json '(r[0]["n"], round(r[0]["mean"], 6))')" '(3, 12.333333)' 'uneven: each process counts the same'
like out 'means of 3 forks of 1 to 3 iterations each.*each counts the same' '  and the note says so'
ci --value t --by v --within fork --skip-first 1 --format json rows.csv >out 2>err
is "$(json '(r[0]["n"], round(r[0]["mean"], 6))')" '(3, 108.333333)' '--skip-first leaves out the first value of each process'
sed '/^a,2,[2-4]/d' rows.csv | ci --value t --by v --within fork --skip-first 3 >out 2>err
is "$? $(cat err)" '1 assay-ci: fork 2 of a has 1 value: --skip-first 3 leaves none' '  and names the process that has no more'

# --- one process ---
sed -n '1p; /,1,/p' rows.csv | grep -v ',[23],.,' >single.csv
compare --value t --by v --within fork --format json single.csv >out 2>err
is "$(json '[(x["n"], round(x["ratio"], 6), x["ratio_lo"], x["p"], x["verdict"]) for x in r]')" \
    "[(1, 1.004785, None, None, None)]" 'one fork: a ratio, but neither interval, nor p, nor verdict'
like err 'all values are of one fork, so nothing can be said about differences between forks; --within none' \
    '  a warning says why, and what to do'
ci --value t --by v --within fork --format json single.csv >out 2>err
is "$(json '[(x["mean"], x["lo"]) for x in r]')" '[(104.5, None), (105, None)]' '  ci: a mean without an interval'
ci --value t --by v --within none --format json single.csv >out 2>err
is "$(json '[(x["n"], x["lo"] is None) for x in r]')" '[(4, False), (4, False)]' '--within none: values are independent'

# --- planning ---
# Means 10, 14, 18: variance 16; within 2, 2, 2, so 16 − 2/2 = 15 between, and 15/17 of the variance.
printf 'fork,t\n1,9\n1,11\n2,13\n2,15\n3,17\n3,19\n' >pilot.csv
ci --value t --within fork --half-width 30% --cost 10s,1s --format json pilot.csv >out 2>err
is "$(json '(r[0]["values"], round(r[0]["sd_between"] ** 2, 9), round(r[0]["sd_within"] ** 2, 9), round(r[0]["icc"] * 17, 9))')" \
    '(6, 15.0, 2.0, 15.0)' 'variances between and within processes'
# Half width 4.2. n = 5: 5·(4.2/2.776445105)² = 11.44 < 15: never. n = 6: 6·(4.2/2.570581836)² = 16.0172; 2/1.0172 → 2:
# 6·12 = 72. n = 7: 7·(4.2/2.446911851)² = 20.62; 2/5.62 → 1: 7·11 = 77.
is "$(json '(r[0]["plan_processes"], r[0]["plan_iterations"])')" '(6, 2)' '--cost 10s,1s: 6 processes of 2 cost less than 7 of 1'
is "$(json '(r[0]["runs_needed"], r[0]["more_runs"])')" '(17, 14)' \
    '  runs needed, by Stein: (4.302652730·4/4.2)² = 16.79'
ci --value t --within fork --half-width 30% --cost 1s,1s --format json pilot.csv >out 2>err
is "$(json '(r[0]["plan_processes"], r[0]["plan_iterations"])')" '(7, 1)' '--cost 1s,1s: 7 of 1 cost 14, 6 of 2 cost 18'
ci --value t --half-width 30% --cost 10s,1s --format json pilot.csv >out 2>err
is "$(json '(r[0]["plan_processes"], r[0]["plan_iterations"])')" '(None, None)' 'without processes there is no plan'
like err 'no plan: values are not means of processes; --within says' '  and a warning says so'
head -3 pilot.csv | ci --value t --within fork --half-width 30% --cost 10s,1s --format json >out 2>err
is "$(json '(r[0]["plan_processes"], r[0]["sd_between"], r[0]["icc"])')" '(None, None, None)' 'one process: no variance, no plan'
for bad in 10s 10s,0 10s,1s,1s x,1 -1,1; do
    ci --value t --within fork --half-width 30% --cost "$bad" pilot.csv >out 2>err
    is "$?" 2 "--cost $bad: bad usage"
done
ci --value t --within fork --cost 10s,1s pilot.csv >out 2>err
is "$?" 2 '--cost without --half-width: bad usage'

# --- several columns, several files, names ---
printf 'host,fork,t\nx,1,10\nx,1,12\ny,1,20\ny,1,22\nx,2,30\n' >hosts.csv
ci --value t --within host,fork --format json hosts.csv >out 2>err
is "$(json '(r[0]["n"], r[0]["max"])')" '(3, 30)' 'several columns together name a process'
printf 'fork,t\n1,20\n1,22\n' >more.csv
printf 'fork,t\n1,10\n1,12\n' >some.csv
ci --value t --within fork --format json some.csv more.csv >out 2>err
is "$(json '(r[0]["n"], r[0]["min"], r[0]["max"])')" '(2, 11, 21)' 'fork 1 of another file is another process'
ci --value t --within file --format json some.csv more.csv >out 2>err
is "$(json '(r[0]["n"], [x for x in n if "means" in x])')" \
    "(2, ['values are means of 2 files of 2 iterations each: iterations of one file are not independent'])" \
    '--within file: each file is a process'
ci --value t --within fork,file --format json some.csv more.csv >out 2>err
is "$(json '[x for x in n if "means" in x]')" \
    "['values are means of 2 forks of 2 iterations each: iterations of one fork are not independent']" \
    '--within fork,file: the processes are forks'
printf 'process,a,b\n1,1,2\n1,3,4\n2,5,6\n' | compare --wide a,b --within process --format json >out 2>err
is "$(json '[(x["n"], x["n_baseline"], round(x["ratio"], 6)) for x in r]')" '[(2, 2, 1.285714)]' \
    '--wide: means of processes are 2 and 5 in a, 3 and 6 in b: 4.5/3.5'
printf '1 1 7\n1 1 9\n1 2 5\n' | ci --no-header --value 3 --within 2 --format json >out 2>err
is "$(json '[x for x in n if "means" in x]')" \
    '["values are means of 2 processes (column '"'2'"') of 1 to 2 iterations each: iterations of one process (column '"'2'"') are not independent; each counts the same, whatever its iterations"]' \
    'a column without a name'
printf 'v,fork,t\na,1,1\na,1,2\na,2,x\nb,1,x\nb,2,x\n' | ci --by v --within fork --value t --skip-bad --format json >out 2>err
is "$(json '[x for x in w if "no value" in x]')" "['b: no value is left: it is not in this result']" \
    'a group without values is named without its processes'

# --- bad usage ---
ci --value t --by fork --within fork rows.csv >out 2>err
is "$?" 2 'a column in both --by and --within: bad usage'
like err "'fork' is in both --by and --within" '  the message'
ci --value t --within frok rows.csv >out 2>err
is "$?" 1 'no such column'
like err "no column 'frok' \(did you mean 'fork'\?\)" '  the message suggests one'
ci --value t --within fork,fork rows.csv >out 2>err
is "$?" 2 'a column given twice: bad usage'
# Columns that tell processes apart don't keep units apart: 1 ms, 2000 us and 3 ms of one process are 2000 us.
printf 'v,a,b,c,unit,t\na,1,1,1,ms,1\na,1,1,1,us,2000\na,1,1,1,ms,3\na,2,1,1,us,4000\n' >units.csv
for verb in ci compare anova; do
    sed 's/us,4000/B,4000/' units.csv | "$verb" --by v --within a,b,c,unit --value t >out 2>err
    is "$?" 2 "$verb: units of two kinds in a column of --within: bad usage"
    like err "in several units, such as us and B; add the column 'unit' to those of --by" '  the message'
done
ci --by v --within a,b,c,unit --value t --format json units.csv >out 2>err
is "$(json '([x for x in n if "unit:" in x], r[0]["n"], r[0]["min"])')" "(['unit: us'], 3, 2000)" \
    'the unit is a column of --within: its values are converted to one unit'

# --- formats that have levels ---
jmh() {
    printf '[{"benchmark": "x.A.run", "mode": "avgt", "threads": 1, "primaryMetric": {"scoreUnit": "us/op", "rawData": %s}}]' "$1"
}
jmh '[[10, 11], [20, 21], [30, 31]]' >old.json
jmh '[[11, 12], [21, 22], [31, 32]]' >new.json
ci --format json old.json >out 2>err
is "$(json '(r[0]["n"], r[0]["sd"], [x for x in n if "means" in x])')" \
    "(3, 10, ['values are means of 3 forks of 2 iterations each: iterations of one fork are not independent'])" \
    'JMH: forks'
compare --format json old.json new.json >out 2>err
is "$(json '[(x["n"], round(x["p"], 3)) for x in r]')" '[(3, 0.908)]' '  compared, t = 1/√(200/3) on 4 degrees of freedom'
ci --by fork --format json old.json >out 2>err
is "$(json '[x["n"] for x in r]')" '[2, 2, 2]' '  --by fork: their iterations'
ci --within none --format json old.json >out 2>err
is "$(json '[x["n"] for x in r]')" '[6]' '  --within none: all iterations'
harness="$root/tests/table/import"
# levels FILE...: name, n and mean of each group
levels() {
    ci --format json "$@" >out 2>err
    json '"".join("%s %d %.10g;" % (x["name"], x["n"], x["mean"]) for x in r)'
}
ci --format json "$harness/jmh.txt" >out 2>err
is "$(json '[(x["size"], x["n"], x["mean"], x["sd"] and round(x["sd"], 6)) for x in r]')" \
    "[('100', 2, 11, 0.707107), ('1000', 1, 125, None)]" "JMH's log: forks of 10.5 and 11.5" || cat out
is "$(levels "$harness/pyperf.json")" 'sort 2 0.234375;scan 1 1.50000005;' \
    'pyperf: processes, without those that calibrated'
like err '^assay-ci: scan: all values are of one process' '  one process has no interval, and the warning says why'
is "$(levels "$harness/rebench.data" | cut -c 1-26)" 'Fib 3 50032;Fib 3 103.375;' 'ReBench: invocations'
is "$(levels "$harness/krun.json")" 'fannkuch:HotSpot:default-java 2 0.2708333333;nbody:C:default-c 1 1.5;' \
    'Krun: process executions count the same, (1/6 + 3/8)/2'
# Two invocations of h2, the first of which is repeated after a failure.
dacapo() {
    for line in 'completed warmup 1 in 90' 'completed warmup 2 in 70' 'PASSED in 60' 'completed warmup 1 in 100' \
        'FAILED warmup' 'completed warmup 1 in 80' 'completed warmup 1 in 94' 'completed warmup 2 in 76' 'PASSED in 64'; do
        echo "===== DaCapo 23.11 h2 $line msec ====="
    done
}
dacapo >dacapo.txt
ci --format json dacapo.txt >out 2>err
is "$(json '[(x["warmup"], x["n"], x["mean"]) for x in r]')" "[('yes', 4, 86.25), ('no', 2, 62)]" \
    'DaCapo: invocations; warm-ups have means 80, 100, 80 and 85'
cp "$harness/renaissance.json" one.json
sed 's/2500/5500/' one.json >two.json
is "$(levels one.json two.json)" 'chi-square 2 2750;scrabble 2 500;' 'Renaissance: a file is a process'
is "$(levels one.json)" 'chi-square 2 2000;scrabble 1 500;' '  iterations of one file are its values'
like out 'a file is of one process' '  and a note says what intervals do not cover'
ci --by file --format json one.json two.json >out 2>err
like out 'a file is of one process' '  --by file: the same note'
# Each benchmark has forks of its own, whatever --by is.
printf '[%s, %s]' "$(jmh '[[10, 12], [20, 22]]' | sed 's/^.//; s/.$//')" \
    "$(jmh '[[1, 3], [5, 7]]' | sed 's/^.//; s/.$//; s/x.A/x.B/')" >both.json
ci --by mode --format json both.json >out 2>err
is "$(json '[(x["n"], x["min"], x["max"], x["mean"]) for x in r]')" '[(4, 2, 21, 10)]' \
    '--by without the name: fork 1 of one benchmark is not that of another'
ci --by 1 --format json both.json old.json >out 2>err
is "$(json '[(x["name"], x["n"]) for x in r]')" "[('x.A.run', 5), ('x.B.run', 2)]" '--by with the position of the name: the same'
sed 's/"avgt"/"sample"/' old.json >sample.json
printf '[%s, %s]' "$(sed 's/^.//; s/.$//' old.json)" "$(sed 's/^.//; s/.$//' sample.json)" >modes.json
ci --by threads --format json modes.json new.json >out 2>err
is "$(json '[x["n"] for x in r]')" '[9]' 'a later file in which the mode does not tell benchmarks apart'
cp new.json a.json
ci --by threads --format json a.json modes.json >out 2>err
is "$?" 1 'a later file in which one more column tells processes apart: refused'
like err "modes.json: its processes differ in 'mode', but those of a.json don't; name the columns with --within" '  the message'
dacapo | sed 's/FAILED warmup/completed warmup 2 in 80/' >full.txt
ci --by name --format json full.txt >out 2>err
is "$(json '[x["n"] for x in r]')" '[4]' 'warm-ups and timed iterations are of one invocation'
# files of several tools
echo '{"results": [{"command": "x.A.run", "times": [1, 3], "exit_codes": [0, 0]}]}' >hyperfine.json
cp old.json a.json
cp hyperfine.json b.json
ci a.json b.json >out 2>err
is "$?" 1 'a later file does not say which process measured: refused'
like err "b.json: it does not say which process measured a value, but a.json has 'fork'; --within none takes" '  the message'
cp hyperfine.json a.json
cp old.json b.json
ci --value time,score a.json b.json >out 2>err
like err "no column 'score'" 'other columns: as ever'

# --- messages that name the side and the level ---
printf 'v,process,t\n%s' "$(for p in 1 2 3; do printf 'old,%s,%s\nnew,%s,%s\n' $p 1$p $p 1$p.2; done)" >near.csv
compare --by v --within process --margin 1% near.csv >out 2>err
like out 'more runs: how many processes each side lacks' 'more runs are processes'
printf 'v,process,t\nold,1,1\nold,1,2\nnew,1,3\nnew,2,4\n' >one-sided.csv
compare --by v --within process --baseline old one-sided.csv >out 2>err
like err 'new: no interval: the baseline has only one value' 'what lacks values is the baseline'
compare --by v --within process --baseline old one-sided.csv >both 2>&1
is "$(grep -c 'the baseline has only one value' both)" 1 'a warning is there once where both streams end in one file'
done_testing
