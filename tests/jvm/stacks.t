#!/bin/sh
# Stacks that are hard to walk: native methods, deep recursion, exceptions, lambdas.
# alone: it measures shares of samples.
. "$(dirname "$0")/lib.sh"
victim Natives Deep Lambdas

trace random 5000000 -cp . Natives 5
is "$status" 0 'native methods: status 0'
between 60 "$(percent 'Deflater.deflateBytesBytes' .)" 100 '  the native method is the leaf'
between 80 "$(percent '"state": "native"' Deflater.deflate)" 100 '  in state native'

for clock in random safepoint; do
    trace "$clock" 5000000 -cp . Deep 400
    is "$status $(cat out)" '0 done' "$clock: recursion and stack overflows: the program gives its result"
    whole '  the trace is whole'
    between 1 "$(samples Deep.work)" 100000 '  the end of the recursion has samples'
    few 5 "$(samples '"state": "unwalkable"')" "$(samples)" '  few stacks are unwalkable'
    "$dump" --format json --kind context out.trace >contexts
    between 1000 "$(wc -l <contexts)" 10000000 '  the stacks have their many frames'
done
"$dump" --format json --kind method out.trace | grep -q 'stack cut here'
ok $? '  a frame says where a stack was cut'

trace random 5000000 -cp . Lambdas 15
is "$status" 0 'exceptions and lambdas: status 0'
between 30 "$(percent 'Throwable.fillInStackTrace|StackTraceElement' .)" 100 \
    '  exceptions have at least 30 % of the samples'
few 2 "$(samples '"state": "unwalkable"')" "$(samples)" '  few stacks are unwalkable'
"$dump" --kind method out.trace >methods
! grep -q '0x' methods
ok $? '  no address in the name of a hidden class'
! grep -q 'unidentified' methods
ok $? '  every method is identified'
done_testing
