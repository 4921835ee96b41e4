#!/bin/sh
# Random programs of memory accesses under the exact tool: every count of every pair must equal the reference model's,
# in mode waste and, with fewer programs, in each single mode. PROGRAMS (10000) and SEED (1) choose others.
. "$(dirname "$0")/../tap.sh"
[ "$(uname -m)" = x86_64 ] || skip_all 'the programs are made of x86-64 instructions'
grep -qw avx2 /proc/cpuinfo || skip_all 'this processor has no AVX2'
command -v valgrind >/dev/null || skip_all 'valgrind is not installed'
needs tests/exact/tool/machine tests/exact/tool/pairs
scratch
machine=$build/tests/exact/tool/machine
seed=${SEED:-1}
programs=${PROGRAMS:-10000}

# expect PROGRAMS KINDS: the model's counts of these kinds, in ./expected
expect() {
    "$machine" expect "$seed" "$1" | LC_ALL=C sort |
        awk -F '\t' -v kinds="$2" 'index(" " kinds " ", " " $1 " ")' >expected
}

# counts: the counts of pairs between the instructions, by the names of their functions up to execute(), summed over
# scopes. A system call is not an access that could be silent: the model does not determine whether pairs that end in
# one are counted.
counts() {
    awk -F '\t' '
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
                    printf "%s\t%.0f\t%.0f\t%.0f\t%.0f\n", key, events[key], wasted_events[key], bytes[key], \
                        wasted_bytes[key]
        }' | LC_ALL=C sort
}

# check MODE PROGRAMS KINDS: records and compares
check() {
    expect "$2" "$3"
    "$build/libexec/assay/assay-record" -q --no-profile --engine exact --mode "$1" -o "$1" -- "$machine" run "$seed" "$2" >log 2>&1
    ok $? "$2 programs are recorded in mode $1" || sed 's/^/# /' log
    "$build/tests/exact/tool/pairs" site_ "$1"/*.trace | counts >got
    differing=$(LC_ALL=C comm -3 expected got | wc -l)
    is "$differing" 0 "  all counts of $(wc -l <expected) pairs are the model's" ||
        diff expected got | head -n 20 | sed 's/^/# /'
}

"$machine" run "$seed" "$programs" 2>log
ok $? "$programs programs leave the expected memory when they run natively" || sed 's/^/# /' log
expect "$programs" 'dead-store silent-store silent-load'
is "$(awk -F '\t' '{ pairs[$1]++; wasted[$1] += $8 } END { for (k in pairs) n += wasted[k] > pairs[k] && pairs[k] > 1000; print n }' expected)" \
    3 'each kind has more than a thousand pairs, and more wasted bytes than pairs'
check waste "$programs" 'dead-store silent-store silent-load'
for kind in dead-store silent-store silent-load; do
    check "$kind" $((programs / 5)) "$kind"
done
"$machine" run 2>log
is $? 2 'a call without numbers is refused'
done_testing
