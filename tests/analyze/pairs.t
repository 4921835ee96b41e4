#!/bin/sh
# assay compare --pair: which values belong together, what decides, and what becomes of pairs that are equal or have no
# ratio. Tests of two samples by pairs: compare.t and tests/stats/inference/paired_test.c.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
compare() { "$build/libexec/assay/assay-compare" "$@"; }
# json EXPRESSION: of the results r, warnings w and notes n in `out`
json() {
    python3 -c 'import json, sys
d = json.load(open("out")); r, w, n = d["results"], d["warnings"], d["notes"]
print(eval(sys.argv[1]))' "$1"
}

# --- a text in several files is the same one ---
# Means of the texts: 1.1, 2.1, 3.1 and 2.05, 4.05, 6.15. The differences 0.95, 1.95, 3.05 have the mean 1.98333 and the
# standard deviation 1.05040, so t = 3.2704 with 2 degrees of freedom; R: t.test(x, y, paired = TRUE).
mkdir old new
printf 'name,time\na,1\nb,2\nc,3\n' >old/1.csv
printf 'name,time\na,1.2\nb,2.2\nc,3.2\n' >old/2.csv
printf 'name,time\na,2\nb,4\nc,6.3\n' >new/1.csv
printf 'name,time\na,2.1\nb,4.1\nc,6\n' >new/2.csv
wanted='[(3, 1.944444444, 0.082141)]'
compare --pair name --by directory --format json old/*.csv new/*.csv >out 2>err
is "$(json '[(x["n"], round(x["ratio"], 9), round(x["p"], 6)) for x in r]')" "$wanted" \
    '--by directory: values of a text in several files of a directory count as their mean'
for side in old new; do
    { echo version,name,time && sed -n "s/^[abc]/$side,&/p" $side/1.csv; } >one-$side.csv
    { echo version,name,time && sed -n "s/^[abc]/$side,&/p" $side/2.csv; } >two-$side.csv
done
compare --pair name --by version --baseline old --format json ./*-old.csv ./*-new.csv >out 2>err
is "$(json '[(x["n"], round(x["ratio"], 9), round(x["p"], 6)) for x in r]')" "$wanted" '  and of several files in one table'
compare --pair name --steady old/1.csv new/1.csv >out 2>err
is $? 2 '--pair with --steady: status 2'

# --- verdicts agree with the interval: programs whose times differ much, all 5 % slower ---
# 1/1.5 … 1.5 contains the interval [0.91, 1.19], and 1/1.02 … 1.02 does not exclude it.
{ echo name,time && printf '%s\n' a,1 b,10 c,100 d,1000; } >before.csv
{ echo name,time && printf '%s\n' a,1.05 b,10.5001 c,105.0002 d,1050.0003; } >after.csv
compare --pair name --margin 50% --format json before.csv after.csv >out 2>err
is "$(json '[(x["verdict"], round(x["ratio_lo"], 3), round(x["ratio_hi"], 3)) for x in r]')" "[('equivalent', 0.911, 1.189)]" \
    '--margin: equivalent, as the interval lies within'
compare --pair name --margin 2% --format json before.csv after.csv >out 2>err
is "$(json '[x["verdict"] for x in r], sum("how many pairs" in x for x in n)')" "(['undecided'], 1)" \
    '  undecided, as it contains a bound; what lacks are pairs'
# Six pairs of 100 and 105 -+ 4: the ends of the interval have the logarithms 0.04879 -+ 0.04478. ln 1.02 is 0.02899 off, so
# n pairs are needed with t(n - 1)/sqrt(n) <= t(5)/sqrt(6) 0.02899/0.04478 = 0.679: 0.715 for 10, 0.672 for 11.
{ echo name,time && printf '%s,100\n' a b c d e f; } >hundred.csv
{ echo name,time && printf '%s\n' a,101 b,109 c,101 d,109 e,101 f,109; } >more.csv
compare --pair name --margin 2% --format json hundred.csv more.csv >out 2>err
is "$(json '[(x["verdict"], x["more_runs"]) for x in r]')" "[('undecided', 5)]" '  five more pairs'

# --- equal pairs ---
cp before.csv again.csv
compare --pair name --format json before.csv again.csv >out 2>err
is "$(json '[(x["verdict"], x["p"]) for x in r], w')" "([('no difference', None)], [])" 'pairs of equal values: no difference'
for method in paired-t wilcoxon sign; do
    compare --pair name --method $method --fail-on worse --strict --margin 2% --format json before.csv again.csv >out 2>err
    is "$? $(json '[(x["verdict"], x["method"]) for x in r], sum("or are equal in each pair" in x for x in n)')" \
        "0 ([('equivalent', 'exact values')], 1)" "  --margin, $method: equivalent, without a test"
done

# --- suites of pairs: a value of 0 has no ratio by ranks, and what only one side has no counterpart ---
# The ratios of suite t are 1.1, 1.05 and 1.1; of u 1.21, 1.1 and 1.1; s has a value of 0.
{
    echo version,suite,name,time
    printf 'v1,%s\n' s,a,1 s,b,2 s,c,3 t,a,1 t,b,2 t,c,3 u,a,1 u,b,2 u,c,3 gone,a,1 gone,b,2 gone,c,9
    printf 'v2,%s\n' s,a,0 s,b,2.1 s,c,3.3 t,a,1.1 t,b,2.1 t,c,3.3 u,a,1.21 u,b,2.2 u,c,3.3 new,a,3 new,b,4 new,c,11
} >suites.csv
compare --pair name --by version,suite --baseline v1 --method sign --margin 1% --format json suites.csv >out 2>err
is "$? $(json '[round(x["ratio"], 9) for x in r if x["name"] == "geomean"], sum("1 ratio to 0, of 0 or not defined is not" in x for x in n)')" \
    '0 ([1.1], 1)' 'a ratio that does not exist is not in the geometric mean, and a note counts it'
is "$(json '[(x["name"], x["median"], x["median_baseline"]) for x in r if x["verdict"] in ("new", "vanished")]')" \
    "[('v2, new', 4, None), ('v2, gone', None, 2)]" '  new and vanished rows have medians, too'

# --- pairs are not a series ---
awk 'BEGIN { print "name,time"; for (i = 0; i < 60; i++) print "p" i "," (i < 8 ? 1000 : 10) + i % 7 }' >fast.csv
awk 'BEGIN { print "name,time"; for (i = 0; i < 60; i++) print "p" i "," (i < 8 ? 1030 : 10.3) + i % 7 }' >slow.csv
compare --pair name --format json fast.csv slow.csv >out 2>err
is "$(json 'w, sum("not a series" in x for x in n)')" '([], 1)' 'no warning of warm-up: programs differ'

done_testing
