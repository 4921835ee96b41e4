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

done_testing
