#!/bin/sh
# assay inspect: loops whose strides are known on paper, from 20 interpreted iterations of each.
. "$(dirname "$0")/lib.sh"
compile_java -d . "$root/tests/victims/java/Inspected.java" || exit 1
java Inspected 60000 >plain
item=24 reference=4
inspected -XX:+UseSerialGC Inspected 60000
is "$status/$(cat out)" "0/$(cat plain)" 'the program gives its own result'
is "$(inter Inspected.ints L1)/$(inter Inspected.ints L2)/$(inter Inspected.ints L3)" '4 0:19/4 0:19/4 4:19' \
    'int[]: the length, for the condition and for the check of bounds, stays; elements are 4 bytes apart'
is "$(inter Inspected.items L3)/$(inter Inspected.items L4)" "$reference $reference:19/4 $item:19" \
    'Item[]: references are 4 bytes apart, the objects, allocated in order, 24'
is "$(inter Inspected.ordered L1)/$(inter Inspected.ordered L2)" "4 $item:19/$reference $item:19" \
    'a list in the order of its allocation: nodes are 24 bytes apart'
between 15 "$(inter Inspected.shuffled L1 | wc -w)" 20 'a shuffled list: hardly two strides are equal'
is "$(inter Inspected.column L3)" "$reference $reference:19" "a matrix by column: rows' references are 4 bytes apart"
is "$(inter Inspected.column L5)" "8 $((16 + 64 * 8)):19" '  and elements one row of 16 + 64 × 8 bytes'
is "$(inter Inspected.indirect L3)/$(inter Inspected.indirect L5 | cut -d : -f 1)" '4 4:19/4 28' \
    'A[B[i]]: elements of B are 4 bytes apart, those of A 7 × 4'
is "$(inter Inspected.backwards L2)" '8 -16:19' 'long[] from its end in steps of two: -16'
is "$(intra Inspected.items L3 L4 | cut -d ' ' -f 1)" base 'Item[]: the object is loaded through the reference'
is "$(intra Inspected.indirect L3 L5 | cut -d ' ' -f 1)" index 'A[B[i]]: the index of A is what B holds'
is "$(intra Inspected.ordered L2 L2)" "base $item:19" 'a list: the next node is loaded through this one'

"$inspect" -o shown -- java -XX:+UseSerialGC Inspected 60000 >out 2>err
is "$?/$(cat out)" "0/$(cat plain)" 'with messages and a table: standard output is the program'"'"'s'
like err 'compiled methods with loops: .*inspected.*; their loops: .*complete' '  what became of methods and loops is reported'
like err 'inspection took .* of the process, .* of the time of the JIT compilers' '  and what it cost'
like err '^Inspected.items.* inter .* 24 ' '  the table has the strides (assay strides)'
done_testing
