#!/bin/sh
# Stacks of kinds that are hard to walk: native methods, deep recursion, exceptions, lambdas.
. "$(dirname "$0")/lib.sh"
victim Natives Deep Lambdas

trace random 5000000 -cp . Natives 5
is "$status" 0 'native methods: runs'
between 60 "$(percent 'Deflater.deflateBytesBytes' .)" 100 '  the native method is the leaf'
between 80 "$(percent '"state": "native"' Deflater.deflate)" 100 '  in state native'

for clock in random safepoint; do
    trace "$clock" 5000000 -cp . Deep 150
    is "$status $(cat out)" '0 done' "$clock: recursion and stack overflows: runs"
    whole '  a whole trace'
    between 1 "$(samples Deep.work)" 100000 '  the end of the recursion is seen'
    few 5 "$(samples '"state": "unwalkable"')" "$(samples)" '  few stacks are not walkable'
    "$dump" --format json --kind context out.trace >contexts
    between 1000 "$(wc -l <contexts)" 10000000 '  with its many frames'
done
"$dump" --format json --kind method out.trace | grep -q 'stack cut here'
ok $? '  and it says where the stack was cut'

trace random 5000000 -cp . Lambdas 15
is "$status" 0 'exceptions and lambdas: runs'
between 30 "$(percent 'Throwable.fillInStackTrace|StackTraceElement' .)" 100 '  exceptions have their time'
few 2 "$(samples '"state": "unwalkable"')" "$(samples)" '  few stacks are not walkable'
"$dump" --kind method out.trace >methods
! grep -q '0x' methods
ok $? '  no address in the name of a hidden class'
! grep -q 'unidentified' methods
ok $? '  every method is identified'
done_testing
