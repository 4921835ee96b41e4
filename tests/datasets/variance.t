#!/bin/sh
# make reproduce-variance, of one case: each table has its rows.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
unset LD_PRELOAD ASSAY_RECORD ASSAY_RECORDED
[ -e "$build/lib/assay/valgrind/assay-amd64-linux" ] || skip_all 'simulated counters need Valgrind'
reproduce=$root/datasets/variance/reproduce
OUT=$scratch/results PAIRS=2 CASES=hash PROGRAMS=hash timeout 500 "$reproduce" >out 2>err
is $? 0 'the case of a hash table: status 0' || sed 's/^/# /' err
# Before, chains of some dozen entries; after, most have one: instructions vary less, and are fewer.
is "$(awk -F'|' '/^. hash before .*instructions/ { before = $5 + 0 } /^. hash after .*instructions/ { after = $5 + 0 }
    END { print (before > 50 && after < 35 && after > 10) }' out)" 1 'Table 5.1: variation before and after' || sed 's/^/# /' out
is "$(grep -c '^| hash | .* | [0-9.]* .*| 1.08 |' out)" 1 'Table 5.4: the speedup, and the published one'
if grep -q 'what recording calls costs is left out' err; then
    skip "$(grep 'left out' err)"
else
    is "$(grep -c '^| hash | [0-9.]* .*| dedup | 1.11; 14; 8 |' out)" 1 'Tables 5.2 and 5.3: what recording costs, and published' ||
        sed 's/^/# /' out err
fi
is "$(find "$scratch/results" -name 'hash-*.png' | wc -l)" 2 'the figures'
OUT=$scratch/results PAIRS=2 CASES=none "$reproduce" >out 2>err
is "$? $(cat err)" '2 reproduce: none: there is no such case' 'a case that there is not: status 2'
done_testing
