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

# --- effect sizes of pairs: the values of tests/stats/inference/paired_effect_test.c, from R ---
{
    echo pair,kind,time
    set -- 10.1 9.8 11.2 10.5 12.3 9.9 10.8 11.5 10.2 11.9
    for y in 9.7 9.9 10.4 10.1 11.2 9.9 10.3 11.1 9.5 11.6; do
        printf '%s,new,%s\n%s,old,%s\n' $# "$1" $# "$y"
        shift
    done
} >effects.csv
effect() { # SIZE
    compare --pair pair --by kind --baseline old --effect "$1" --format json effects.csv >out 2>err
    json '[[round(x[k], 7) for k in ("effect", "effect_lo", "effect_hi")] + [x["effect_method"]] for x in r]'
}
is "$(effect g)" "[[0.5186446, 0.1639463, 0.858356, \"Hedges' g_av, noncentral t\"]]" '--effect g of pairs is g_av'
is "$(effect gz)" "[[1.1529694, 0.3644598, 1.9081625, \"Hedges' g_z, noncentral t\"]]" '--effect gz'
is "$(effect rank)" "[[0.9555556, 0.8199962, 0.9896091, 'rank-biserial, Fisher z']]" '--effect rank'
printf '%s\n' pair,kind,time 1,old,1 1,new,2 2,old,1 2,new,3 3,old,2 3,new,4.5 >raised.csv
compare --pair pair --by kind --baseline old --effect rank --format json raised.csv >raised 2>err
like raised '"effect_method": "rank-biserial, Wilson"' '  of differences of one sign it is Wilson'\''s'
is "$(json 'sum("rank-biserial correlation of pairs" in x for x in n)')" 1 '  a note says what it is'
compare --pair pair --by kind --effect a12 effects.csv >out 2>err
like err 'with --pair use g, gz or rank' 'effect sizes of independent values are refused, and those of pairs named'

# --- what more runs do not help ---
printf 'name,time\na,10\nb,20\nc,30\n' >even.csv
printf 'name,time\na,11\nb,21\nc,31\n' >later.csv
compare --pair name --margin 2% --effect gz even.csv later.csv >out 2>err
like out ' undecided  +paired t' 'equal differences: undecided, without a number of runs'
like err 'no p: all differences are equal' '  a warning says why'
like err 'no effect size: all differences are equal' '  and why there is no effect size'
printf 'time\n0\n30\n1\n' >some.csv
printf 'time\n0\n0\n0\n' >zero.csv
compare --margin 2% some.csv zero.csv >out 2>err
like out ' undecided  +Welch' 'a ratio of 0: likewise'
unlike out 'too few runs' '  which is not for lack of runs'

# --- a family with a margin: the notes name the p that decides ---
compare --pair pair --by kind --baseline old --margin 2% --family holm effects.csv >out 2>err
like out 'equivalent with p_family below 0.05; .* at 0.025, adjusted likewise,' '--family --margin: the note names p_family'
compare --pair pair --by kind --baseline old --margin 2% effects.csv >out 2>err
like out 'equivalent with p below 0.05' '  without --family it names p'
compare --pair pair --by kind --method welch effects.csv >out 2>err
is "$? $(grep -c 'welch compares independent values; with --pair use paired-t' err)" '2 1' '--method welch is not a test of pairs'

done_testing
