#!/bin/sh
# The programs on tables against R 4.2.2 on its data sets and NIST's certified values; formats in and out; the same
# result for any number of threads and order of files; invalid input.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
for verb in ci compare anova acf fit; do
    eval "$verb() { \"$build/libexec/assay/assay-$verb\" \"\$@\"; }"
done
command -v python3 >/dev/null || skip_all 'no python3 here'

# near WHAT EXPECTED TOLERANCE EXPRESSION: of the JSON in `out`; results are r, the summary is s
near() {
    python3 - "$2" "$3" "$4" 2>near.err <<'PYTHON'
import json, sys
document = json.load(open("out"))
r, s = document["results"], document.get("summary")
got = eval(sys.argv[3])
expected = float(sys.argv[1])
if abs(got - expected) > float(sys.argv[2]) * (abs(expected) or 1):
    sys.exit("%s is %.17g, not %s" % (sys.argv[3], got, sys.argv[1]))
PYTHON
    ok $? "$1" || sed 's/^/# /' near.err
}
# refused STATUS MESSAGE WHAT COMMAND...: that status and exactly one line, which contains the message
refused() {
    wanted="$1 1"
    message=$2 what=$3
    shift 3
    "$@" >out 2>err
    got="$? $(grep -vc '^Try ' err)"
    [ "$got" = "$wanted" ] && grep -qF -- "$message" err
    ok $? "$what" || { echo "status and lines $got, not $wanted, with: $message" && cat err; } | sed 's/^/# /'
}

# --- ci: R: t.test(c(10.1,9.8,10.4,10.0,9.7)); sd() ---
printf 'name,time\n' >times.csv
for x in 10.1 9.8 10.4 10.0 9.7; do echo "a,$x"; done >>times.csv
for x in 11.3 11.9 10.8 11.5 12.0 11.1; do echo "b,$x"; done >>times.csv
ci --format json --by name times.csv >out
near 'ci: lo' 9.6599563096708714 1e-14 'r[0]["lo"]'
near 'ci: hi' 10.3400436903291286 1e-14 'r[0]["hi"]'
near 'ci: sd' 0.2738612787525832 2e-15 'r[0]["sd"]'
near 'ci: median of the other group' 11.4 1e-15 'r[1]["median"]'
is "$(python3 -c 'import json; print(",".join(json.load(open("out"))["results"][0]))')" \
    'name,n,mean,sd,cv,sem,lo,hi,half_width,method,median,geomean,min,max,lag1,ess' 'ci: the columns'
is "$(ci --by name times.csv | sed -n 2p | awk '{print $1, $2, $3, $4, $5}')" 'a 5 10.00 ± 0.35' \
    'ci: the text table is rounded to what the interval supports'
ci --by name --method z --format json times.csv >out
near 'ci: --method z' 0.240045583817765515 1e-14 'r[0]["half_width"]' # 1.959963984540054 * 0.2738612787525832 / sqrt(5)

# --- compare: R: t.test(b, a), wilcox.test(b, a) ---
compare --by name --baseline a --format json times.csv >out
near 'compare: the ratio of the means' 1.1433333333333333 1e-15 'r[0]["ratio"]' # 68.6/6 / 10
near "compare: Welch's p" 0.0001905080145364495 1e-12 'r[0]["p"]'
near 'compare: the speedup is the inverse of the ratio' 0.87463556851311952 1e-15 'r[0]["speedup"]'
is "$(python3 -c 'import json; print(",".join(json.load(open("out"))["results"][0]))')" \
    'name,baseline,n,n_baseline,ratio,ratio_lo,ratio_hi,speedup,p,log10_p,method,speedup_lo,speedup_hi,mean,mean_baseline,change,change_lo,change_hi,verdict' 'compare: the columns'
compare --by name --method mann-whitney --format json times.csv >out
near 'compare: the exact Mann-Whitney p' 0.004329004329004329 1e-14 'r[0]["p"]'
printf 'g,x\na,1\na,1\na,1\nb,2\nb,2\nb,2\n' >apart.csv
compare --by g --method mann-whitney --format json apart.csv >out
near 'compare: the exact p of three 1s and three 2s' 0.1 1e-15 'r[0]["p"]' # 2 / (6 choose 3)
sed 's/2$/1/' apart.csv >equal.csv
compare --by g --method mann-whitney --format json equal.csv >out
near 'compare: six 1s have a single arrangement, so p is 1' 1 0 'r[0]["p"]'
refused 2 "no group 'c' for --baseline; there are: a, b" \
    'compare: an unknown baseline: status 2, and a line lists the groups' compare --by name --baseline c times.csv
awk -F, 'NR == 1 { print "run," $0; next } { print "new," $1 "," $2 * 2; print "old," $0 }' times.csv >runs.csv
compare --by run,name --baseline old --format json runs.csv >out
is "$(python3 -c 'import json; print([(x["name"], x["baseline"], x["ratio"]) for x in json.load(open("out"))["results"]])')" \
    "[('new, a', 'old, a', 2), ('new, b', 'old, b', 2), ('geomean', 'geomean', 2)]" \
    'compare: a value of the first group column is the baseline of the groups that share the other values'
cp times.csv old.csv
awk -F, 'NR > 1 { $2 = $2 / 2 } { print $1 "," $2 }' times.csv >new.csv
compare --value time --baseline old.csv --format json new.csv old.csv >out
is "$(python3 -c 'import json; print([(x["name"], x["ratio"]) for x in json.load(open("out"))["results"]])')" "[('new.csv, a', 0.5), ('new.csv, b', 0.5), ('geomean', 0.5)]" \
    'compare: two files, with one of them as the baseline'
refused 1 'only one group' 'compare: a single group: status 1' compare --value 2 --by 1 --no-header - <<END
a 1
a 2
END
# warned MESSAGE WHAT COMMAND...: status 0, and a line on standard error that contains the message
warned() {
    message=$1 what=$2
    shift 2
    "$@" >out 2>err
    status=$?
    [ $status = 0 ] && grep -qF -- "$message" err
    ok $? "$what" || { echo "status $status, not with: $message" && cat err; } | sed 's/^/# /'
}
printf '{"results": [{"command": "sort", "times": [4, 4.1, 4.2]}, {"command": "find", "times": [1, 1.1, 1.2]}]}' >both.json
printf '{"results": [{"command": "sort", "times": [2, 2.1, 2.2]}]}' >gone.json
warned 'both.json, find: only both.json has such a group' 'compare: a benchmark that only one file has is reported' \
    compare --baseline both.json both.json gone.json
is "$(sed -n 2p out | awk '{ print $1, $2, $3, $4 }') $(grep -c 'the same in both.json' out)" 'gone.json, sort both.json, sort 1' \
    'compare: the text table shows the baselines if they differ'
compare --by name times.csv >out
is "$(head -n 1 out | awk '{ print $2 }') $(grep -c 'means to that of a, with' out)" 'n 1' \
    'compare: a note names the baseline if all have the same'
printf 'g,x\na,1\na,1\nb,2\nb,2\n' >flat.csv
warned 'b: no p: on either side all values are equal (--method mann-whitney gives one)' \
    'compare: a warning says that two constant groups have no p' compare --by g flat.csv
printf 'g,x,y\na,-1,5\na,0,6\nb,3,7\nb,4,9\nc,1,2\n' >few.csv
warned 'c, y: no interval: too few values (1 value, and 2 of the baseline)' 'compare: a warning names the metric' compare --by g --value x,y few.csv
refused 1 'nothing can be compared: b: no comparison: a mean is below 0 (2 values, and 2 of the baseline)' \
    'compare: status 1, and why nothing can be compared' \
    compare --by g --value x few.csv
# 75.7 / 49.6 = 757/496; the quotient of the two nearest doubles is not the double nearest to it
printf 'g,x\n' >ratio.csv
for x in 6.9 2.5 12.4 1.6 4.8 8.8 12.6; do echo "a,$x"; done >>ratio.csv
for x in 4.0 1.8 17.5 7.0 19.2 18.0 8.2; do echo "b,$x"; done >>ratio.csv
for method in welch bootstrap; do
    compare --by g --method $method --format json ratio.csv >out
    near "compare: the ratio by $method is rounded once" 1.5262096774193548 0 'r[0]["ratio"]'
done
is "$(python3 -c 'import json; print(json.load(open("out"))["results"][0]["method"])')" 'BCa, 10000 resamples' \
    'compare: the method states the number of resamples'
printf 'g,x\na,1\na,2\nb,1\nb,6\n' >wide.csv
warned "b: no interval: the baseline's mean can't be told from 0" \
    'compare: a baseline that may be 0 bounds no ratio, and a warning says so' compare --by g wide.csv
printf 'g,x\na,10\na,11\na,12\nb,1\nb,6\n' >open.csv
# Welch's test of b against r·a has p = 0.05 at r = −1.570634 and 1.947690 (the density of t integrated numerically)
compare --by g open.csv >out 2>err
is "$(sed -n 2p out | awk '{ print $3, $4, $5, $6, $7, $8 }')" '0.3 [-1.6, 2.0] 3.1 [0.5, inf)' \
    'compare: where a ratio may be 0, its speedup has one bound'

# --- anova: R's PlantGrowth: aov, oneway.test, kruskal.test, TukeyHSD ---
{
    echo 'group,weight'
    for x in 4.17 5.58 5.18 6.11 4.50 4.61 5.17 4.53 5.33 5.14; do echo "ctrl,$x"; done
    for x in 4.81 4.17 4.41 3.59 5.87 3.83 6.03 4.89 4.32 4.69; do echo "trt1,$x"; done
    for x in 6.31 5.12 5.54 5.50 5.37 5.29 4.92 6.15 5.80 5.26; do echo "trt2,$x"; done
} >plants.csv
anova --by group --format json plants.csv >out
near 'anova: F' 4.846087862380135 1e-14 'r[0]["f"]'
near 'anova: p' 0.01590995832562294 1e-12 'r[0]["p"]'
near 'anova: sum of squares between' 3.76634 1e-14 'r[0]["ss_between"]'
near 'anova: sum of squares within' 10.49209 1e-14 'r[0]["ss_within"]'
near 'anova: overall CoV' 0.1195440145968786 1e-13 's["weight"]["overall_cov"]'
is "$(python3 -c 'import json; print(",".join(json.load(open("out"))["results"][0]))')" \
    'metric,f,dof_between,dof_within,p,log10_p,ss_between,ss_within,ms_between,ms_within,eta2,omega2,residual_sd,groups,n' 'anova: the columns'
anova --by group --method welch --format json plants.csv >out
near "anova: Welch's F" 5.180972408113189 1e-13 'r[0]["f"]'
near "anova: Welch's p" 0.01739282149017 1e-11 'r[0]["p"]'
anova --by group --method kruskal-wallis --format json plants.csv >out
near 'anova: Kruskal-Wallis, H' 7.988228749443715 1e-14 'r[0]["h"]'
near 'anova: Kruskal-Wallis, p' 0.01842375573147197 1e-13 'r[0]["p"]'
anova --by group --pairs tukey --format json plants.csv >out
near 'anova: Tukey, p of the third pair' 0.0120064239795 1e-8 'r[2]["p"]'
near 'anova: Tukey, its lower bound' 0.1737839485895 1e-8 'r[2]["lo"]'
printf 'g x\na 1\na 1\nb 2\nb 2\n' >constant.txt
anova --by g --format json constant.txt >out 2>err
is "$? $(grep -c 'F is infinite' err) $(grep -c '"f": "inf"' out)" '0 1 1' \
    'anova: constant groups have an infinite F, with a warning'
printf 'g,x\na,1\nb,2\nc,4\n' >singles.csv
refused 1 'too few values' 'anova: one row per group: status 1' anova --by g singles.csv
printf 'g,x\na,1\na,1\nb,1\n' >equal.csv
refused 1 'constant' 'anova: all values equal: status 1' anova --by g equal.csv
one=1.0000000000000000
printf "g,x\na,${one}1\na,${one}2\nb,${one}1\nb,${one}2\n" >close.csv
refused 1 'differ by less than this test can distinguish' 'anova: ranks of values that are equal as doubles: status 1' \
    anova --by g --method kruskal-wallis close.csv
refused 1 'only one group' 'anova: no groups: status 1' anova --value weight plants.csv
printf 'g,x,y\na,1,1\na,1,2\nb,1,3\nb,1,5\nc,1,9\n' >uneven.csv
warned 'x: constant within groups: there is no spread' \
    'anova: a constant metric is left out, with a warning' anova --by g --value x,y --format json uneven.csv
# R: anova(lm(c(1, 2, 3, 5, 9) ~ c("a", "a", "b", "b", "c"))): 15 on 2 and 2 degrees of freedom
near '  and the other one is tested' 15 1e-14 'r[0]["f"]'
refused 1 'x: constant' 'anova: only constant metrics: status 1' anova --by g --value x uneven.csv
for test in '--method welch' '--pairs games-howell'; do
    # shellcheck disable=SC2086
    warned '1 of 3 groups left out, since one value says nothing about a variance: c' \
        "anova $test: a group of one value is left out, and a warning names it" \
        anova --by g --value y $test --format json uneven.csv
    # R: oneway.test(c(1, 2, 3, 5) ~ c("a", "a", "b", "b")): F = 5 on 1 and 25/17 degrees of freedom
    near '  p is that of the other groups' 0.1987273889345261 1e-8 'r[0]["p"]'
done
printf 'g,x\na,1\nb,2\nc,3\nc,5\n' >single.csv
refused 1 'too few values: 3 groups, of which 1 has two or more' \
    'anova: Welch, a single group with a variance: status 1' anova --by g --method welch single.csv
printf 'g,x\na,1\na,1\nb,2\nb,3\n' >onesided.csv
refused 1 'x: group a is constant' \
    'anova: Welch, a constant group: status 1, and a line names it' anova --by g --method welch onesided.csv
printf 'g,x\na,1\na,1\nb,2\nb,2\nc,3\nc,4\n' >pairs.csv
warned 'x: the values of a are all equal, and so are those of b: the pair has no p' \
    'anova: Games-Howell, two constant groups have no p' \
    anova --by g --pairs games-howell pairs.csv
printf 'g,x\na,-1\na,-2\nb,2\nb,4\n' >signs.csv
warned 'x: no shares: the sum of a group is below 0' \
    'anova: groups whose sums have both signs have no shares' anova --by g --groups --format json signs.csv
is "$(python3 -c 'import json; d = json.load(open("out")); print([(x["cv"], x["share"]) for x in d["results"]][0], d["results"][1]["share"], d["summary"])')" \
    "(None, None) None {'x': {'overall_cov': None}}" '  a group with a negative mean has no CoV'
grep -q 'x: no overall CoV: a mean is not above 0' out
ok $? '  a note says why there is no overall CoV'
printf 'g,x\na,1\na,2\nb,0\nb,0\nc,5\n' >zero.csv
anova --by g --groups zero.csv | grep -q '(2 of 3 groups left out: they have one value or mean 0)'
ok $? 'anova: a note says how many groups the overall CoV leaves out, and why'
printf 'g,x\na,1e-170\na,3e-170\nb,1e300\nb,3e300\n' >far.csv
anova --by g --groups --format json far.csv >out
near 'anova: sd of tiny values' 1.4142135623730950e-170 1e-15 'r[0]["sd"]' # √2
near 'anova: sd of huge values' 1.4142135623730950e300 1e-15 'r[1]["sd"]'
printf 'g,x\na,1e-170\na,3e-170\nb,2e-170\nb,4e-170\n' >tiny.csv
refused 1 'too small' 'anova: values whose squares underflow: status 1' anova --by g tiny.csv
refused 2 'leave --method out' 'anova: --groups with --method: status 2' anova --by g --groups --method welch plants.csv
refused 2 '--figure says what --plot draws' \
    'anova: --figure without --plot: status 2' anova --by g --figure boxplot plants.csv

# --- acf: R's lh: acf(), Box.test(lag = 10, type = "Ljung-Box") ---
for x in 2.4 2.4 2.4 2.2 2.1 1.5 2.3 2.3 2.5 2 1.9 1.7 2.2 1.8 3.2 3.2 2.7 2.2 2.2 1.9 1.9 1.8 2.7 3 2.3 2 2 2.9 2.9 2.7 2.7 2.3 2.6 \
    2.4 1.8 1.7 1.5 1.4 2.1 3.3 3.5 3.5 3.1 2.6 2.1 3.4 3 2.9; do echo $x; done >lh.txt
acf --lags 10 --alpha 0.01 --format json lh.txt >out
near 'acf: r at lag 1' 0.5755244755244755 1e-15 'r[0]["r"]'
near 'acf: r at lag 10' -0.1538461538461538 1e-15 'r[9]["r"]'
near 'acf: the bound' 0.282896433519042956 1e-14 'r[0]["hi"]' # 1.959963984540054 / sqrt(48)
near 'acf: the Ljung-Box Q' 25.35093036050023 1e-14 's["q"]'
near 'acf: its p' 0.004718556595256218 1e-12 's["p"]'
near 'acf: its degrees of freedom' 10 0 's["dof"]'
is "$(python3 -c 'import json; s = json.load(open("out"))["summary"]; print(s["verdict"], sorted(s))')" \
    "not random: correlated ['dof', 'ess', 'log10_p', 'mean', 'n', 'p', 'q', 'sd', 'verdict']" \
    'acf: the verdict and the fields of the summary'
acf --lags 10 lh.txt | grep -q '^random: 48 values'
ok $? 'acf: the verdict depends on alpha'
printf '7\n7\n7\n' | acf --format json >out
is "$(python3 -c 'import json; d = json.load(open("out")); print(d["summary"]["verdict"], d["results"])')" 'constant []' \
    'acf: a constant series: a verdict without results'

# --- fit: R's cars: lm(dist ~ speed); NIST's Wampler1, whose coefficients are exact ---
{
    echo 'speed dist'
    for p in 4,2 4,10 7,4 7,22 8,16 9,10 10,18 10,26 10,34 11,17 11,28 12,14 12,20 12,24 12,28 13,26 13,34 13,34 13,46 14,26 14,36 14,60 14,80 \
        15,20 15,26 15,54 16,32 16,40 17,32 17,40 17,50 18,42 18,56 18,76 18,84 19,36 19,46 19,68 20,32 20,48 20,52 20,56 20,64 22,66 23,54 24,70 \
        24,92 24,93 24,120 25,85; do echo "$p" | tr , ' '; done
} >cars.txt
fit --x speed --y dist --format json cars.txt >out
near 'fit: slope' 3.932408759124088 1e-14 'r[1]["estimate"]' # 5387.4/1370 exactly
near 'fit: its standard error' 0.4155127766571222 1e-14 'r[1]["se"]'
near 'fit: its lower bound' 3.096964328140321 1e-12 'r[1]["lo"]'
near 'fit: intercept' -17.57909489051095 1e-14 'r[0]["estimate"]'
near 'fit: its p' 0.01231881615380903 1e-12 'r[0]["p"]'
near 'fit: R²' 0.6510793807582509 1e-14 's["r2"]'
near 'fit: residual sd' 15.37958674881991 1e-14 's["residual_sd"]'
near 'fit: F' 89.56710653646772 1e-13 's["f"]'
is "$(python3 -c 'import json; d = json.load(open("out")); print([x["term"] for x in d["results"]], sorted(d["summary"]))')" \
    "['intercept', 'speed'] ['dof', 'exact', 'f', 'log10_p', 'n', 'r2', 'residual_sd']" \
    'fit: the terms and the fields of the summary'
awk 'BEGIN { print "y x"; for (x = 0; x <= 20; x++) print 1 + x + x^2 + x^3 + x^4 + x^5, x }' >wampler.txt
fit --x x --y y --degree 5 --format json wampler.txt >out
is "$(python3 -c 'import json; d = json.load(open("out")); print([x["estimate"] for x in d["results"]], d["summary"]["residual_sd"], d["summary"]["exact"])')" \
    '[1, 1, 1, 1, 1, 1] 0.0 True' 'fit: an exact polynomial has no residual'
printf 'x,z,y\n1,2,1\n2,4,5\n3,6,2\n4,8,3\n5,10,4\n' >twice.csv
refused 1 "term 'z' is a linear combination" \
    'fit: a dependent column: status 1, and a line names it' fit --x x,z --y y twice.csv
refused 2 '--x COL' 'fit: no columns: status 2' fit twice.csv
refused 1 'too few' 'fit: as many terms as rows: status 1' fit --x x --y y --degree 4 twice.csv
printf 'g,x,y\na,1,2\nb,1,2\nb,2,3.1\nb,3,3.9\n' >small.csv
warned 'a: 1 row is too few for so many terms' \
    'fit: a group that is too small is left out, with a warning' fit --x 2 --y 3 --by g --format json small.csv
# R: lm(c(2, 3.1, 3.9) ~ c(1, 2, 3)): slope 0.95, se 0.0866; intercept 1.1, se 0.1871
near '  and the other one is fitted' 0.95 1e-15 'r[1]["estimate"]'
is "$(python3 -c 'import json; print([x["term"] for x in json.load(open("out"))["results"]])')" "['intercept', 'x']" \
    'fit: terms of columns given by position have their names'
refused 1 '2: 2 rows are too few' 'fit: only groups that are too small: status 1' fit --x x --y y --by y small.csv
is "$(fit -q --x x --y y --by g small.csv | awk '$1 == "b" && $2 == "x" { print $3, $4, $5, $6 }')" '0.9 ± 1.2 0.09' \
    'fit: the text table rounds se by itself, not by the interval'
is "$(fit -q --x x --y y --by g --format macros small.csv | grep -o 'b.intercept.se}.*')" 'b.intercept.se}{0.19}%' \
    '  the macros do the same'

# --- formats in ---
tr , '\t' <times.csv >times.tsv
tr , ' ' <times.csv | sed '1s/^/# made by hand\n/' >times.txt
awk -F, 'NR > 1 { printf "{\"name\": \"%s\", \"time\": %s}\n", $1, $2 }' times.csv >times.jsonl
gzip -k times.csv
zstd -q times.csv
sed 's/$/\r/; 1s/^/\xef\xbb\xbf/' times.csv >dos.csv
ci --by name --format csv times.csv >expected
for file in times.tsv times.txt times.jsonl times.csv.gz times.csv.zst dos.csv; do
    is "$(ci --by name --format csv $file 2>&1)" "$(cat expected)" "ci reads $file"
done
is "$(ci --by name --format csv <times.csv)" "$(cat expected)" 'ci reads standard input'

# --- the same for any number of threads and order of files ---
awk 'BEGIN { srand(5); print "g,h,x,y"; for (i = 0; i < 300000; i++) printf "%d,%s,%.6f,%.3f\n", 7 * rand(), i % 2 ? "odd" : "even", rand(), 1e6 * rand() }' >big.csv
head -n 1 big.csv >part2.csv
cp part2.csv part1.csv
sed -n '2,100000p' big.csv >>part1.csv
sed -n '100001,$p' big.csv >>part2.csv
for command in 'ci --value x,y --by g' 'anova --value x,y --by g' 'compare --value x --by h --baseline even' 'fit --x x --y y --by h' 'acf --value x --lags 20'; do
    # shellcheck disable=SC2086
    $command -q -j 1 --format csv big.csv >one
    # shellcheck disable=SC2086
    $command -q -j 4 --format csv big.csv >four
    is "$(cmp one four 2>&1; wc -l <one | awk '{ print ($1 > 1) }')" 1 "$command: the same bytes for -j 1 and -j 4"
    # shellcheck disable=SC2086
    $command -q --format csv part1.csv part2.csv >forth
    # shellcheck disable=SC2086
    $command -q --format csv part2.csv part1.csv >back
    is "$(cmp forth back 2>&1; wc -l <forth | awk '{ print ($1 > 1) }')" 1 \
        "$command: the same bytes for two files in either order"
done

# --- formats out ---
ci --by name --format latex times.csv >out
is "$(grep -c '\\toprule' out)" 1 'LaTeX: a table'
is "$(ci --by name --format macros times.csv | sed -n 's/^.assayvalue{ci.a.mean}//p')" '{10.00}%' \
    'LaTeX: values are rounded to what their interval supports'
grep -qF 'a & 5 & $10.00 \pm 0.35$' out
ok $? 'LaTeX: estimates with their half widths'
is "$(ci --by name --format markdown times.csv | sed -n 3p | cut -d'|' -f2-4)" ' a | 5 | 10.00 ± 0.35 ' \
    'Markdown: a table'
ci --by name --plot bars.svg times.csv >out 2>err
is "$? $(grep -c '<svg' bars.svg)" '0 1' '--plot: a figure'

# --- names of columns and groups, and names in messages ---
header() { "$@" 2>err | head -n 1 | cut -d, -f1-4; }
printf 'metric,n,group_n,x,y\n1,2,3,4,5\n1,2,3,5,6\n1,2,3,5,7\n' >names.csv
printf 'file,x\na,1\na,2\na,4\nb,3\nb,4\nb,7\n' >with_file.csv
cp with_file.csv with_file2.csv
is "$(header ci --by metric --value x,y --format csv names.csv)" 'group_metric,metric,n,mean' \
    'a group column named as the column "metric" gets a prefix'
is "$(header ci --by n,group_n --value x --format csv names.csv)" 'group_group_n,group_n,n,mean' \
    '  as does one whose name with the prefix is taken'
is "$(header acf --by file --format csv with_file.csv with_file2.csv)" 'file,group_file,lag,r' \
    '  as does one named like the column of files'
refused 2 "--by: 'n' is given twice" 'a column given twice in --by: status 2' ci --by n,metric,n --value x names.csv
refused 2 "--value: 'x' is given twice" 'a column given twice in --value: status 2' ci --value x,x names.csv
# Latin-1 in names, also of a column; and two names of 601 characters that differ in the last one
awk 'BEGIN {
    printf "g,x,y\351\n"
    for (i = 0; i < 600; i++) long = long "n"
    split("caf\351 " long "a " long "b", names, " ")
    for (g = 1; g <= 3; g++) for (i = 1; i <= 9; i++) printf "%s,%d,%d\n", names[g], i * i % 7, g + i * i * i % 11
}' >odd_names.csv
of_summary() { python3 -c 'import json, sys; s = json.load(open("out"))["summary"]; print(eval(sys.argv[1]))' "$1"; }
odd_y=$(printf 'y\351')
acf -q --lags 2 --value x --by g --format json odd_names.csv >out
is "$(of_summary '[(len(x["name"]), x["name"][-1]) for x in s["series"]]')" "[(4, 'é'), (601, 'a'), (601, 'b')]" 'acf: every series has its name'
fit -q --x x --y "$odd_y" --by g --format json odd_names.csv >out
is "$(of_summary '[(len(x["name"]), x["name"][-1]) for x in s["fits"]]')" "[(4, 'é'), (601, 'a'), (601, 'b')]" 'fit: every fit has its name'
anova -q --value "x,$odd_y" --by g --format json odd_names.csv >out
is "$(of_summary 'sorted(s)')" "['x', 'yé']" 'anova: every metric is in the summary'
compare -q --value x --by g --baseline "$(awk -F, 'END { print $1 }' odd_names.csv)" --format csv odd_names.csv >out
is "$(awk -F, '{ print length($1) }' out | sort -n | tr '\n' ' ')" '4 4 601 ' \
    'compare: the baseline is the group of exactly the given name'
printf 'g,x\n"a\n\033[31mb\302\233",1\nc,1\nc,2\n' >escape.csv
ci --by g --format latex escape.csv >out 2>err
is "$? $(grep -ac '^% warning: a??\[31mb?: no interval' out) $(wc -l <err) $(cat out err | LC_ALL=C tr -cd '\033\233' | wc -c)" '0 1 1 0' \
    'control characters in a name reach neither a table nor a message'
for confidence in 0.9999999999 0.95; do
    ci --by name --confidence $confidence times.csv
    compare --by name --confidence $confidence times.csv
    acf --value time --confidence $confidence times.csv
done | grep -o '[0-9.]* %' >out
is "$(uniq -c out | awk '{ print $1, $2 }' | tr '\n' ' ')" '3 99.99999999 3 95 ' '--confidence is shown with all its digits'
acf --lags 10 --format json lh.txt >out
is "$(grep -o '"mean": [^,]*' out)" '"mean": 2.4' 'acf: the summary has the shortest digits of a number' # 115.2 / 48
is "$(grep -hE '[^.].* \.(B|I|R|BR|IR|RB) ' "$root"/docs/man/*.1)" '' \
    'manual pages: no roff request in the middle of a line'

# --- warm-up, files, rates, documents of other tools ---
ci --by name --skip-first 2 --format json times.csv >out
near '--skip-first 2: of five values three are left' 3 0 'r[0]["n"]'
near '  they are the last ones' 10.033333333333333 1e-15 'r[0]["mean"]' # (10.4 + 10.0 + 9.7) / 3
refused 1 'a has 5 values: --skip-first 5 leaves none' \
    '--skip-first that leaves a group no value: status 1' ci --by name --skip-first 5 times.csv
{
    echo time
    for i in 1 2 3 4 5 6; do echo "15.$i"; done
    for i in 11 17 13 19 12 16 14 18 15 11 17 13 19 12 16 14 18 15 11 17 13 19 12 16; do echo "10.$i"; done
} >warm.csv
ci warm.csv >out 2>err
grep -q 'the first 6 of 30 values look like warm-up' err
ok $? 'ci: a warning reports a warm-up'
ci --skip-first 6 warm.csv >out 2>err
is "$(grep -c warm-up err)" 0 '  it disappears when the warm-up is skipped'
ci --value x --by g --format json big.csv >out 2>/dev/null
is "$(grep -o 'were not searched for warm-up' out | wc -l)" 1 \
    'ci: one note says that long groups are not searched for warm-up'
is "$(ci --value time --by-file --format csv new.csv old.csv | cut -d, -f1,2)" "$(printf 'file,n\nnew.csv,11\nold.csv,11')" \
    'ci: --by-file makes each file a group'
ci --method geomean --format csv --by name times.csv >out
is "$(ci --method geomean --by name times.csv | sed -n 1p | awk '{ print $1, $2, $3, $4, $5 }')" 'name n geomean lo hi' \
    'ci: --method geomean shows the geometric mean and its interval'
refused 2 'leave --method geomean out' \
    'ci: --method geomean with --half-width: status 2' ci --method geomean --half-width 1 times.csv
awk -F, 'NR == 1 { print "name,run,time"; next } { print $1 ",new," $2 * 2; print $1 ",old," $2 }' times.csv >turned.csv
compare --by name,run --baseline old --value time --format json turned.csv >out
is "$(python3 -c 'import json; print([(x["name"], x["baseline"], x["ratio"]) for x in json.load(open("out"))["results"]])')" \
    "[('a, new', 'a, old', 2), ('b, new', 'b, old', 2), ('geomean', 'geomean', 2)]" \
    'compare: the baseline is a value of any group column'
ci --format csv "$root/tests/table/import/hyperfine.json" >out 2>err
is "$? $(sed -n 1p out | cut -d, -f1) $(wc -l <out | awk '{ print ($1 > 2) }')" '0 name 1' "ci: a hyperfine document's benchmarks are its groups"
echo '{"results": [{"command": "x", "times": [1, 3]}, {"command": "x", "times": [10, 30]}]}' >twice.json
is "$(ci -q --format csv twice.json | cut -d, -f1-3 | tr '\n' ' ')" 'name,n,mean x,2,2 x (2),2,20 ' \
    '  a command that occurs twice is two benchmarks'
cat >jmh.json <<'JSON'
[{"jmhVersion": "1.36", "benchmark": "a", "mode": "thrpt", "threads": 1, "forks": 1, "primaryMetric": {"score": 10.0,
  "scoreUnit": "ops/s", "rawData": [[9.0, 10.0, 11.0]]}},
 {"jmhVersion": "1.36", "benchmark": "b", "mode": "thrpt", "threads": 1, "forks": 1, "primaryMetric": {"score": 20.0,
  "scoreUnit": "ops/s", "rawData": [[19.0, 20.0, 21.0]]}}]
JSON
compare --within none --format json jmh.json >out
near 'compare: of rates, more is better' 2 1e-15 'r[0]["speedup"]'
near "  the speedup's lower bound is that of the ratio" 0 0 'r[0]["speedup_lo"] - r[0]["ratio_lo"]'
cat >units.json <<'JSON'
[{"jmhVersion": "1.36", "benchmark": "a", "mode": "avgt", "threads": 1, "forks": 1, "primaryMetric": {"score": 10.0,
  "scoreUnit": "ns/op", "rawData": [[9.0, 10.0, 11.0]]}},
 {"jmhVersion": "1.36", "benchmark": "b", "mode": "thrpt", "threads": 1, "forks": 1, "primaryMetric": {"score": 20.0,
  "scoreUnit": "ops/s", "rawData": [[19.0, 20.0, 21.0]]}},
 {"jmhVersion": "1.36", "benchmark": "c", "mode": "thrpt", "threads": 1, "forks": 1, "primaryMetric": {"score": 40.0,
  "scoreUnit": "ops/s", "rawData": [[39.0, 40.0, 41.0]]}}]
JSON
compare --baseline 'b, thrpt, ops/s' --format json units.json >out 2>err
is "$(python3 -c 'import json; print([(x["name"], x["speedup"]) for x in json.load(open("out"))["results"]])')" \
    "[('c, thrpt, ops/s', 2)]" \
    'compare: only groups in the unit of the baseline are compared; of rates, more is better'
grep -qF 'a, avgt, ns/op: no comparison with b, thrpt, ops/s, which is not in ns/op but in ops/s' err
ok $? '  a warning names the others'
refused 1 "different units can't be compared" 'anova: groups in several units: status 1' anova units.json
refused 2 "'score' is in several units, such as ns/op and ops/s; add the column 'unit' to those of --by" \
    'ci: a group with several units: status 2' ci --by threads units.json
ci --by mode,unit --format json units.json >out
near '  with the unit among the group columns each unit has its group' 30 1e-15 'r[1]["mean"]'
# google NAME UNIT TIME...: entries of Google Benchmark; iterations 1, 2, 3 …
google() {
    python3 - "$@" <<'PYTHON'
import json, sys
name, unit, times = sys.argv[1], sys.argv[2], sys.argv[3:]
print(",\n".join(json.dumps({"name": name, "run_type": "iteration", "repetition_index": i, "threads": 1,
                             "iterations": i + 1, "real_time": float(x), "cpu_time": float(x), "time_unit": unit})
                 for i, x in enumerate(times)))
PYTHON
}
# benchmarks ENTRIES...: a document with these
benchmarks() {
    printf '{"context": {}, "benchmarks": [\n'
    first=1
    for entries; do
        [ $first = 1 ] || echo ,
        first=0
        echo "$entries"
    done
    echo ']}'
}
in_ns=$(google a ns 10 11 12) in_us=$(google b us 1 1.1 1.2) also_ns=$(google c ns 20 22 24)
benchmarks "$in_ns" "$in_us" "$also_ns" >google.json
compare --value real_time,iterations --format json google.json >out 2>err
is "$(python3 -c 'import json; print([(x["metric"], x["name"], x["ratio"]) for x in json.load(open("out"))["results"]])')" \
    "[('real_time', 'b', 100), ('real_time', 'c', 2), ('iterations', 'b', 1), ('iterations', 'c', 1)]" \
    'compare: times in several units are converted, and counts are not'
near_ratios() { python3 -c 'import json; print([(x["name"], x["ratio"]) for x in json.load(open("out"))["results"]])'; }
printf 'name,used,spare,unit\na,1,2,ns\na,1.5,2.5,ns\nb,1,2,MB\nb,1.5,2.5,MB\nc,2,3,us\nc,3,4,us\n' >kinds.csv
compare --by name,unit --value used,spare kinds.csv 2>&1 >/dev/null | grep 'no comparison' | sort -u >err
is "$(cat err)" "assay-compare: b, MB, used; b, MB, spare: no comparison with a, ns, which is not in MB but in ns" \
    '  a warning names each metric that is not compared'
refused 1 "different units can't be compared: 'used' of b, MB is not in ns like that of a, ns" \
    'anova: one value in several units: status 1' anova --by name,unit --value used kinds.csv
refused 2 "'used' is in several units, such as ns and MB; add the column 'unit' to those of --by" \
    'ci: a group with several units of one value: status 2' ci --by name --value used kinds.csv
benchmarks "$in_ns" >ns.json
benchmarks "$in_us" >us.json
ci --by threads --value real_time,iterations --format json ns.json us.json >out
near 'ci: two files, each in another unit, are converted' 555.5 1e-15 'r[0]["mean"]'
fit --x iterations --y real_time --format json ns.json us.json >out
is $? 0 '  fit: the same'
for order in 'ns.json several.json' 'ns.json a.json'; do
    cp google.json "${order#* }"
    # shellcheck disable=SC2086
    compare --by name,unit --baseline 'a, ns' --format json $order >out 2>err
    is "$(near_ratios)" "[('b, ns', 100), ('c, ns', 2)]" "compare: units across files, $order"
done
is "$(ci --by name,unit --format json ns.json | grep -c '"unit: ns"')" 1 'ci: the unit of all groups is reported'
cat >parameter.json <<'JSON'
{"results": [{"command": "x", "times": [1, 2, 3], "parameters": {"unit": "a"}},
  {"command": "x", "times": [2, 4, 6], "parameters": {"unit": "b"}}]}
JSON
compare --format json parameter.json >out 2>err
near "compare: a parameter 'unit' is not a unit" 2 1e-15 'r[0]["ratio"]'
anova --by unit --groups --format json parameter.json >out
near '  nor for anova' 4 1e-15 'r[1]["mean"]'
ci --by name --format json parameter.json >out
near '  ci puts rows with different values of it into one group' 3 1e-15 'r[0]["mean"]'
sed 's/"primaryMetric"/"secondaryMetrics": {"B": {"rawData": [[1, 2, 3]]}}, "primaryMetric"/' jmh.json >second.json
compare --value score,B --format json second.json >out
near 'compare: of rates, more is better, also beside other metrics' 2 1e-15 'r[0]["speedup"]'

# --- a warning about autocorrelation, but not about what chance explains ---
python3 - >chance.csv <<'PYTHON'
import random
random.seed(11)
print("g,y")
for g in range(400):
    for i in range(10):
        print("g%d,%.6f" % (g, random.gauss(10, 1)))
PYTHON
ci --by g --format csv chance.csv >out 2>err
# 5 names, and the number of others
named=$(awk -F'; ' '/autocorrelated|alternate/ { n += NF; if (match($0, /and [0-9]+ more:/)) n += substr($0, RSTART + 4) - 1 }
    END { print n + 0 }' err)
[ "$(wc -l <out)" -eq 401 ] && [ "$named" -lt 12 ]
ok $? 'ci: of 400 groups of ten independent values, fewer than 3 % are called autocorrelated' ||
    echo "# $named"
awk 'BEGIN { print "y"; for (i = 0; i < 40; i++) print 10 + int(i / 10) % 2 + (i * 7 % 11) / 40 }' >blocks.csv
warned 'the values are autocorrelated: an interval for independent values is too narrow (40 are worth' '  a warning reports that values in blocks are' ci blocks.csv
awk 'BEGIN { print "y"; for (i = 0; i < 40; i++) print 10 + i % 2 + (i * 7 % 11) / 40 }' >turns.csv
warned 'the values alternate or repeat' '  a warning reports alternating values' ci turns.csv

# --- digits that are dropped ---
printf 'y\n1.0000000000000000001\n1.0000000000000000002\n1.000000000000000000000\n0.000000000000000000000123\n' >digits.csv
warned '2 values of more than 18 significant digits were rounded' 'a warning reports digits beyond the 18th' \
    ci --format csv digits.csv
printf 'x,y\n1.0000000000000000001,1\n1.0000000000000000002,z\n12345678901234567890z,3\n4,5\n' >loss.csv
ci --value x,y --skip-bad --format json loss.csv >out 2>err
is "$(python3 -c 'import json; print(json.load(open("out"))["loss"])')" "{'rows': 2, 'skipped': 2, 'blank': 0, 'rounded': 1}" \
    '  the JSON counts such values in the rows that are used'

# --- series without autocorrelation ---
printf 'v\n7\n7\n7\n' >flat.txt
acf -q --format csv flat.txt >out 2>err
is "$? $(cat err)" '1 assay-acf: no autocorrelation of 3 values: constant' \
    'acf: a constant series alone: status 1 and one line, even with -q'
printf 'g v\na 7\nb 1\nb 2\n' >single.txt
warned 'a: no autocorrelation of 1 value: too few values' \
    'acf: a series of a single value is left out, with a warning' acf --by g --format json single.txt

# --- what lacks the statistic: status 1 if nothing else is left; a mean without an interval is an answer ---
printf 'g,y\na,7\nb,8\n' >ones.csv
warned 'a; b: no interval: too few values' 'ci: a single value has a mean, but no interval' ci --by g --format csv ones.csv
warned 'b: no interval: too few values (1 value, and 1 of the baseline)' 'compare: single values have a ratio, but no interval' compare --by g --format csv ones.csv
refused 1 'say nothing about the spread' 'anova: single values have no F: status 1' anova -q --by g ones.csv
printf '1 2\n' >point.txt
refused 1 '1 row is too few for so many terms' 'fit: one point has no line: status 1' fit -q --x 1 --y 2 point.txt

# --- bad input ---
: >empty.csv
echo 'name,time' >header.csv
sed '4s/10.4/10,4/' times.tsv >comma.tsv
sed '4s/10.4/nan/' times.csv >nan.csv
sed '4s/,.*/,/' times.csv >blank.csv
sed '4s/$/,7/' times.csv >ragged.csv
iconv -t UTF-16 times.csv >wide.csv
head -c 100000 /bin/sh >binary.csv
refused 1 'empty.csv' 'an empty file: status 1' ci empty.csv
refused 1 'header.csv' 'a header without rows: status 1' ci header.csv
refused 1 "comma.tsv: line 4, column 'time': '10,4'" 'a decimal comma: status 1, and its place' ci --by name comma.tsv
refused 1 "nan.csv: line 4, column 'time'" 'NaN: status 1, and its place' ci --by name nan.csv
refused 1 "blank.csv: line 4, column 'time'" 'a blank cell: status 1, and its place' ci --by name blank.csv
refused 1 'ragged.csv: line 4' 'a row with too many cells: status 1, and its place' ci --by name ragged.csv
refused 1 'wide.csv' 'UTF-16: status 1' ci --by name wide.csv
refused 1 'binary.csv' 'a binary file: status 1' ci binary.csv
refused 1 'nofile.csv: No such file' 'a missing file: status 1' ci nofile.csv
refused 1 'times.csv' 'an unknown column: status 1' ci --value tme times.csv
grep -q 'name.*time' err
ok $? '  a line lists the columns'
refused 2 'method' 'an unknown method: status 2' ci --method magic times.csv
refused 1 '/dev/full: No space left' 'a full disk: status 1' ci --by name -o /dev/full times.csv
ci --by name --skip-bad --format json nan.csv >out 2>err
is "$? $(grep -c "1 of 11 rows were left out; the first: nan.csv: line 4" err)" '0 1' \
    '--skip-bad: a warning counts the rows left out and gives the place of the first'
near '--skip-bad: the other rows are read' 4 0 'r[0]["n"]'
printf 'g,y\na,-1\na,x\nb,2\n' >left.csv
refused 1 "1 of 3 rows were left out, the first: left.csv: line 3, column 'y'" \
    '--skip-bad: status 1 if the other rows have no result; they are counted' \
    compare --by g --skip-bad left.csv
done_testing
