#!/bin/sh
# assay audit waste: a sampled run of a Java program against its accesses by engine rewrite.
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip_all 'accesses are decoded on x86-64 alone'
"$record" -q -m dead-store -o probe -- true 2>err
if grep -q 'no watchpoints' err; then skip_all "$(cat err)"; fi
compile_java -d . "$root/tests/victims/java/Waste.java" || exit 1

"$record" -q -m silent-load -E rewrite -o exact -- java Waste half 1000 >out 2>err
is $? 0 'all accesses of a program are recorded'
timeout -k 1 600 "$record" -q -m silent-load -E soft -p 2ms --max-cost 100% --seed 1 -o sampled -- java Waste half 60000 >out 2>err
is $? 0 '  and a sample of them'
"$build/libexec/assay/assay-audit" waste --format csv exact/*.trace sampled/*.trace >out 2>err
is "$(cut -d, -f 1,2,16 out | tail -n +2 | tr '\n' ' ')" 'Waste,silent-load,samples Waste,silent-load,common ' \
    'the audit compares all samples, and what both have'

# Each iteration loads `same` twice, `changing` and an element of each; only the element of `changing` has another value:
# 4 of 5 loads are silent. The start of the JVM adds less than half a point.
between 0.795 "$(sed -n 2p out | cut -d, -f 3)" 0.805 '  4 of 5 loads are silent'
sed -n 2p out | awk -F, '{ exit !(0 <= $19 && $19 <= $20 && $20 <= 1 && 0 <= $21 && $21 <= $22 && $22 <= 1) }'
ok $? '  what sampling misses has bounds'
done_testing
