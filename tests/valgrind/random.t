#!/bin/sh
# Random programs of memory accesses under the exact tool: every count of every pair must be the reference model's.
# PROGRAMS (10000), SEED (1).
. "$(dirname "$0")/../tap.sh"
[ "$(uname -m)" = x86_64 ] || skip_all 'the programs are made of x86-64 instructions'
grep -qw avx2 /proc/cpuinfo || skip_all 'this processor has no AVX2'
command -v valgrind >/dev/null || skip_all 'valgrind is not installed'
needs tests/valgrind/machine tests/valgrind/pairs
scratch
machine=$build/tests/valgrind/machine
seed=${SEED:-1}
programs=${PROGRAMS:-10000}

"$machine" run "$seed" "$programs" 2>log
ok $? "$programs programs do natively what they should" || sed 's/^/# /' log
"$machine" expect "$seed" "$programs" | LC_ALL=C sort >expected
counts=$(awk -F '\t' '{ n[$1]++; wasted[$1] += $8 } END { for (k in n) if (wasted[k] > 10000 && n[k] > 1000) good++; print good }' expected)
is "$counts" 3 'all three kinds are wasted, in more than a thousand pairs each'

"$build/libexec/assay/assay-record" -q --engine exact --mode waste -o out -- "$machine" run "$seed" "$programs" >log 2>&1
ok $? 'and are recorded' || sed 's/^/# /' log

# The counts of the pairs between the instructions, by the names of their functions up to execute(). What a pair wasted
# in different scopes is one. A system call is no access that could be silent: pairs that end in one count no further
# than their being there, and the model has none.
"$build/tests/valgrind/pairs" site_ out/*.trace | awk -F '\t' '
    function names(text,   frames, count, i, result) {
        count = split(text, frames, "<")
        for (i = 1; i <= count && frames[i] !~ /^execute\|/; i++) {
            sub(/\|.*/, "", frames[i])
            result = result (i > 1 ? "<" : "") frames[i]
        }
        return result
    }
    $1 == "pair" && $5 ~ /^site_/ && $6 ~ /^site_/ && $6 !~ /^site_read_file\|/ {
        key = $3 "\t" $4 "\t" names($5) "\t" names($6)
        events[key] += $9; wasted_events[key] += $10; bytes[key] += $11; wasted_bytes[key] += $12
    }
    $1 == "damage" { print }
    END {
        for (key in bytes)
            if (bytes[key] > 0)
                printf "%s\t%.0f\t%.0f\t%.0f\t%.0f\n", key, events[key], wasted_events[key], bytes[key], wasted_bytes[key]
    }' | LC_ALL=C sort >got
differing=$(LC_ALL=C comm -3 expected got | wc -l)
is "$differing" 0 "every count of $(wc -l <expected) pairs is the model's" || diff expected got | head -n 20 | sed 's/^/# /'
done_testing
