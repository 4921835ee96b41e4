#!/bin/sh
# What a comparison says: directions, zeros, baselines, and who is left out.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
for verb in ci compare; do
    eval "$verb() { \"$build/libexec/assay/assay-$verb\" \"\$@\"; }"
done
# json EXPRESSION: of the results r, warnings w and notes n in `out`
json() {
    python3 -c 'import json, sys; d = json.load(open("out")); r, w, n = d["results"], d["warnings"], d["notes"]
print(eval(sys.argv[1]))' "$1"
}
says() {
    grep -qF -- "$1" err
    ok $? "$2" || sed 's/^/# /' err
}

# --- a geometric mean over times and rates ---
jmh() {
    printf '[{"benchmark": "x.Tp.run", "mode": "thrpt", "threads": 1, "primaryMetric": {"scoreUnit": "ops/ms", "rawData": [[%s]]}},
{"benchmark": "x.Av.run", "mode": "avgt", "threads": 1, "primaryMetric": {"scoreUnit": "us/op", "rawData": [[%s]]}}]' "$1" "$2"
}
jmh '100, 101, 102' '10.0, 10.1, 10.2' >old.json
jmh '200, 201, 202' '5.0, 5.1, 5.2' >new.json
compare --format json old.json new.json >out 2>err
is "$(json '[round(x["speedup"], 6) for x in r if x["name"] == "geomean"]')" \
    "$(python3 -c 'print([round((201 / 101 * 10.1 / 5.1) ** .5, 6)])')" \
    'times and rates: the geometric mean is that of the speedups, √(201/101 · 10.1/5.1)'
is "$(json '[(x["ratio"], x["mean"]) for x in r if x["name"] == "geomean"]')" '[(None, None)]' \
    '  which is no ratio of values, and has no mean'

# --- an interval as it is ---
printf 'v,t\na,10\na,11\na,12\na,10.5\na,11.5\nb,12\nb,30\nb,13\nb,14\nb,40\n' >skewed.csv
compare --method mann-whitney --by v skewed.csv >out 2>err
is "$(sed -n 2p out | cut -c 1-27 | xargs)" 'b 5 1.27 [1.08, 3.64]' 'text: an interval with unequal sides has both bounds'
compare --method mann-whitney --by v --format latex skewed.csv >out 2>err
like out '1\.27\\ \[1\.08, 3\.64\]' '  LaTeX'
compare --method mann-whitney --by v --format markdown skewed.csv >out 2>err
like out '1\.27 \[1\.08, 3\.64\]' '  Markdown'

# --- directions and verdicts ---
go() { # NAME NS SCORE PAUSE B
    for i in 1 2 3 4; do
        echo "BenchmarkX/impl=$1-4 100 $2.$i ns/op $(($3 + i)) score $4 pause-ns $(($5 + i)) B/op"
    done
}
{ printf 'Unit score better=higher\nUnit pause-ns assume=exact\n' && go a 10 200 5 50 && go b 8 300 6 30; } >go.txt
compare --by impl --format json go.txt >out 2>err
is "$(json '[(x["metric"], x["verdict"]) for x in r]')" \
    "[('ns/op', 'faster'), ('score', 'better'), ('pause-ns', 'slower'), ('B/op', 'smaller')]" \
    'more is better where the file says so, and sizes are smaller or larger'
is "$(json '[(x["ratio"], x["ratio_lo"], x["p"], x["method"]) for x in r if x["metric"] == "pause-ns"]')" \
    "[(1.2, None, None, 'exact values')]" '  exact values have no interval and no p'
printf 'name,throughput\na,10\na,11\na,12\nb,30\nb,31\nb,32\n' | compare --format json >out 2>err
is "$(json '[(x["verdict"], x["speedup"] > 2) for x in r]')" "[('faster', True)]" 'a column "throughput" is a rate'
printf 'name,grade\na,10\na,11\na,12\nb,30\nb,31\nb,32\n' >grades.csv
compare --higher-is-better grade --format json grades.csv >out 2>err
is "$(json '[x["verdict"] for x in r]')" "['better']" '--higher-is-better COLUMN'
compare --higher-is-better grades grades.csv >out 2>err
is $? 2 '--higher-is-better with another name: status 2'

# --- families of tests ---
awk 'BEGIN { print "b,v,t"; for (v = 0; v < 2; v++) for (b = 0; b < 5; b++) for (i = 0; i < 6; i++)
    print "b" b "," (v ? "new" : "old") "," (b == 4 ? 7 : 100 + i * 7 % 5 + v * b * 1.7) }' >family.csv
for family in holm bh; do
    compare --by b,v --baseline old --family $family --format json family.csv >out 2>err
    # the step-down and step-up procedures, from the p in the same rows
    is "$(json 'all(abs(x["p_family"] - a) < 1e-14 for x, a in (lambda t, bh: [(x, min(1, min(len(t) / j * t[j - 1]["p"] for j in range(i, len(t) + 1))
if bh else max((len(t) - j + 1) * t[j - 1]["p"] for j in range(1, i + 1)))) for i, x in enumerate(t, 1)])(sorted((x for x in r if x["p"] is not None),
key=lambda x: x["p"]), "'$family'" == "bh")), sum(x["p_family"] is not None for x in r)')" '(True, 4)' "--family $family: p adjusted for the four tests"
    is "$(json 'all((x["p_family"] < 0.05) == (x["verdict"] == "slower") for x in r if x["p"] is not None)')" True \
        '  which decide the verdict'
    is "$(json '[(x["p_family"], x["verdict"]) for x in r if x["name"].startswith("b4")], sum("for 4 tests" in x and "1 comparison without p is" in x for x in n)')" \
        "([(None, 'no difference')], 1)" '  a row without p is not among them, and a note says so'
done
compare --by b,v --baseline old --family holm --margin 1% --format json family.csv >out 2>err
is "$(json '[x["verdict"] for x in r if x["p"] is not None and x["name"].startswith("b3")]')" "['slower']" \
    '  equivalence: the tests of the other direction are adjusted, too'
compare --by b,v --baseline old --family fdr family.csv >out 2>err
is $? 2 '--family with another name: status 2'
compare --by b,v --baseline old --format csv family.csv >out 2>err
unlike out p_family '  without it there is no such column'

# --- effect sizes ---
# R: effsize 0.8.1, cliff.delta(x, y) with x = 10 10 20 20 20 30 30 30 40 50 and y = 10 20 30 40 40 50
awk 'BEGIN { print "v,t"; n = split("10 20 30 40 40 50", y); for (i = 1; i <= n; i++) print "y," y[i]
    n = split("10 10 20 20 20 30 30 30 40 50", x); for (i = 1; i <= n; i++) print "x," x[i] }' >effect.csv
compare --effect cliff --format json effect.csv >out 2>err
is "$(json '[[round(x[k], 12) for k in ("effect", "effect_lo", "effect_hi")] + [x["effect_method"]] for x in r]')" \
    "[[-0.25, -0.72658458889, 0.389006190199, \"Cliff's delta, Feng-Cliff\"]]" '--effect cliff'
compare --effect a12 --format json effect.csv >out 2>err
is "$(json '[[round(x[k], 12) for k in ("effect", "effect_lo", "effect_hi")] for x in r]')" \
    "[[0.375, 0.136707705555, 0.694503095099]]" '--effect a12'
# R: effectsize 0.8.3, hedges_g(x, y)
compare --effect g --format json effect.csv >out 2>err
is "$(json '[[round(x[k], 5) for k in ("effect", "effect_lo", "effect_hi")] for x in r]')" \
    "[[-0.399, -1.35998, 0.57578]]" '--effect g'
printf 'v,t\na,5\na,5\nb,6\nb,6\n' | compare --effect g --format json >out 2>err
is "$(json '[(x["effect"], x["effect_method"]) for x in r], sum("no effect size" in x for x in w)')" '([(None, None)], 1)' \
    'no g of constant values, and a warning says so'
compare --effect d effect.csv >out 2>err
is $? 2 '--effect with another name: status 2'

# --- pairs ---
# Darwin's maize (Fisher 1935, §17), mixed up; R: t.test(x, y, paired = TRUE), wilcox.test(…), binom.test(13, 15)
awk 'BEGIN { n = split("188 96 168 176 153 172 177 163 146 173 186 168 177 184 96", x); split("139 163 160 160 147 149 149 122 132 144 130 144 102 124 144", y)
    print "pot,kind,height"; for (i = 1; i <= n; i++) print "p" i ",self," y[i]; for (i = n; i >= 1; i--) print "p" (i * 7 % n + 1) ",cross," x[i * 7 % n + 1]
    print "p16,cross,1000\np17,self,1\np18,self,2" }' >maize.csv
p_of() { # METHOD OPTION...
    compare --pair pot --by kind --baseline self --method "$@" --format json maize.csv >out 2>err
    json '[round(x["p"], 12) for x in r]'
}
is "$(p_of paired-t)" '[0.049702944022]' '--pair: paired t, whatever the order of the values'
is "$(json '[(round(x["ratio"], 9), round(x["ratio_lo"], 9), round(x["ratio_hi"], 9), x["n"], x["n_baseline"]) for x in r]')" \
    '[(1.148885728, 1.000221859, 1.297549597, 15, 15)]' '  with the interval of the mean difference'
is "$(json 'sum("15 pairs; 1 value, and 2 of the baseline, without a partner are left out" in x for x in w)')" 1 \
    '  values without a partner are counted'
is "$(p_of wilcoxon) $(p_of wilcoxon --alternative greater) $(p_of sign)" '[0.041259765625] [0.020629882812] [0.007385253906]' \
    '  signed ranks, one-sided, and signs'
grep -v self maize.csv >cross.csv
grep -v cross maize.csv >self.csv
compare --pair pot --format json self.csv cross.csv >out 2>err
is "$(json '[round(x["p"], 12) for x in r]')" '[0.049702944022]' '  of two files'
printf 'pot,self,cross\na,10,11\nb,20,23\nc,30,31\nd,40,48\n' >wide.csv
compare --pair pot --wide self,cross --method sign --format json wide.csv >out 2>err
is "$(json '[(x["p"], x["n"]) for x in r]')" '[(0.125, 4)]' '  of the columns of --wide: 2/2^4'
printf 'pot,self,cross\na,10,11\nb,20,23\nb,22,23\nc,30,30\n' >wide.csv
compare --pair pot --wide self,cross --method wilcoxon --format json wide.csv >out 2>err
is "$(json '[(x["p"], x["n"], x["median_baseline"]) for x in r], sum("count as their mean" in x or "1 pair of equal values is left out" in x for x in n)')" \
    '([(0.5, 3, 21)], 2)' '  several values of a pair count as their mean, and equal ones are left out, with notes'
for options in '--pair kind' '--pair pot --method bootstrap' '--pair pot --method welch' '--pair pot --effect cliff' '--effect gz' '--pair pot --within pot' '--method sign'; do
    # shellcheck disable=SC2086
    compare $options --by kind maize.csv >out 2>err
    is $? 2 "$options: status 2"
done

# --- zero is a value ---
sub() { # NS B ALLOCS
    for i in 0 1 2 3 4; do
        echo "BenchmarkSub-4 2000 $(($1 + i)) ns/op $2 B/op $3 allocs/op"
    done
}
sub 114 64 0 >old.txt
sub 78 0 1 >new.txt
compare --method mann-whitney --format json old.txt new.txt >out 2>err
is "$(json '[(x["ratio"], x["change"], round(x["p"], 12), x["verdict"]) for x in r if x["metric"] == "B/op"]')" \
    "[(0, -1, $(python3 -c 'print(round(2 / 252, 12))'), 'smaller')]" '64 to 0: ratio 0, −100 %, p = 2/252 by enumeration'
is "$(json '[(x["ratio"], round(x["p"], 12), x["verdict"]) for x in r if x["metric"] == "allocs/op"]')" \
    "[(None, $(python3 -c 'print(round(2 / 252, 12))'), 'more')]" '0 to 1: a p, and no ratio'
sub 114 0 0 >zero.txt
sub 78 0 0 >zero2.txt
compare --format json zero.txt zero2.txt >out 2>err
is "$(json '[(x["verdict"], x["p"]) for x in r if x["metric"] != "ns/op"], len(w)')" \
    "([('no difference', None), ('no difference', None)], 0)" 'equal zeros: no difference, and no warning'

# --- warnings of a kind ---
{ echo name,time && for i in 1 2 3 4 5 6 7 8 9; do echo "p$i,$i"; done; } >single.csv
ci --by name --format json single.csv >out 2>err
is "$(json w)" "['p1; p2; p3; p4; p5; and 4 more: no interval: too few values']" \
    'warnings of a kind become one, with five names at most'

# --- baselines of several files ---
printf 'name,t\nx,10\nx,11\ny,1\ny,2\n' >zold.csv
printf 'name,t\nx,5\nx,6\ny,3\ny,4\n' >anew.csv
for options in '--by name' '--by name --by-file' '--by name,file'; do
    # shellcheck disable=SC2086
    compare $options --format json zold.csv anew.csv >out 2>err
    is "$(json '[(x["baseline"], round(x["ratio"], 3)) for x in r if "geo" not in x["name"]]')" \
        "[('zold.csv, x', 0.524), ('zold.csv, y', 2.333)]" "$options: each against the first file named"
done
ci --by name,file --format json zold.csv anew.csv >out 2>err
is "$(json 'sorted((x["file"], x["name"], x["mean"]) for x in r)')" \
    "[('anew.csv', 'x', 5.5), ('anew.csv', 'y', 3.5), ('zold.csv', 'x', 10.5), ('zold.csv', 'y', 1.5)]" \
    'ci --by name,file: the files are groups, too'
compare --by name --baseline x --format json zold.csv anew.csv >out 2>err
is "$(json '[x["n"] for x in r], sum("treated as one table" in x for x in n)')" '([4], 1)' \
    'a baseline that is no file: files are one table, and a note says so'
sed 's/-4 /-16 /' new.txt >new16.txt
compare --format json old.txt new16.txt >out 2>err
is "$(json '[x["n"] for x in r if x["metric"] == "ns/op"], sum("number of processors" in x for x in n)')" '([5], 1)' \
    'names that differ in the number of processors are matched, with a note'

# --- who is left out ---
cat >failed.json <<'JSON'
{"results": [
 {"command": "prog-old", "mean": 0.1, "times": [0.01, 0.01, 0.012], "exit_codes": [127, 127, 127]},
 {"command": "prog-new", "mean": 2.0, "times": [1.9, 2.0, 2.1], "exit_codes": [0, 0, 0]},
 {"command": "prog-newer", "mean": 1.0, "times": [1.0, 1.1, 1.2], "exit_codes": [0, 0, 0]}]}
JSON
compare failed.json >out 2>err
is "$? $(wc -c <out)" '1 0' 'the first benchmark failed: nothing takes its place as the baseline'
says 'the first group, prog-old, has no values; say with --baseline which one to compare with' '  a line names it'
compare --baseline prog-new failed.json >out 2>err
says 'prog-old: no value is left: it is not in this result' '  with another baseline a warning does'
printf 'name,t\na,1\na,x\nb,2\nb,3\nc,\nd,-\nd,4\n' >rows.csv
ci --by name --skip-bad rows.csv >out 2>err
says 'c: no value is left: it is not in this result' 'a group whose rows are all bad is named'
is "$(grep -c 'no value is left' err)" 1 '  and no other one'

done_testing
