#!/bin/sh
# assay inspect --heap-dump: loops whose strides are known on paper, with the objects of a dump instead of the JVM's.
. "$(dirname "$0")/lib.sh"
needs tests/inspect/layout_text
layout_text=$build/tests/inspect/layout_text
compile_java -nowarn -d . "$root/tests/victims/java/Dumped.java" "$root/tests/victims/java/Layouts.java" 2>/dev/null || exit 1

# known WHAT HALVED: what tests/victims/java/Dumped.java says, with references of 4 bytes
known() {
    what=$1
    is "$(inter Dumped.items L3)/$(inter Dumped.items L4)" '4 4:19/4 24:19' \
        "$what: Item[]: references are 4 bytes apart, the objects, allocated in order, 24"
    is "$(inter Dumped.ordered L1)/$(inter Dumped.ordered L2)" '4 24:19/4 24:19' \
        '  a list in the order of its allocation: nodes are 24 bytes apart'
    between 15 "$(inter Dumped.shuffled L1 | wc -w)" 20 '  a shuffled list: hardly two strides are equal'
    is "$(inter Dumped.halved L1)" "4 $2:19" "  a list without every second node: $2"
    is "$(inter Dumped.indirect L3)/$(inter Dumped.indirect L5 | cut -d : -f 1)" '4 4:19/8 56' \
        '  A[B[i]]: elements of B are 4 bytes apart, those of A 7 × 8'
    is "$(inter Dumped.statics L1)/$(inter Dumped.statics L5)" '4 0:19/8 16:19' \
        '  a static field keeps its place; every second element of its array is 16 bytes apart'
    is "$(intra Dumped.items L3 L4 | cut -d ' ' -f 1)/$(intra Dumped.indirect L3 L5 | cut -d ' ' -f 1)" base/index \
        '  which load uses the value of which is known'
}

# The same process: its methods while it runs, then its heap.
inspected -XX:+UseSerialGC -Xmx64m Dumped 20000 all.hprof false
is "$status" 0 'a living JVM is inspected, and dumps its heap'
known 'the living JVM' 48
cp inter living
dumped all.hprof .
is "$status/$(cat out)" 0/ 'its dump'
known 'its dump' 48
for method in items ordered halved indirect statics; do
    grep "^Dumped.$method " living >expected
    grep "^Dumped.$method " inter | diff expected - >differences
    ok $? "  $method: exactly as in the living JVM" || sed 's/^/# /' differences
done
is "$(inter Dumped.chosen L4)" '8 32:19' '  an argument that is chosen, Part[]: objects of 32 bytes'
like err 'arguments of .* entries, [1-9][0-9]* of them on stacks: [1-9][0-9]* from stacks, [1-9][0-9]* chosen' \
    '  how arguments were got is reported'
like err 'headers of 12 bytes, references of 4; computed layouts of classes: .*confirmed' '  so is what is known of layouts'
like err '^Dumped.items.* inter .* 24 ' '  the table has the strides (assay strides)'
"$dump" --kind thread traces/*.trace >threads.csv
like threads.csv 'main' '  arguments of a stack have the name of their thread'

java -XX:+UseSerialGC Dumped 0 compacted.hprof true >plain
dumped compacted.hprof .
known 'after a collection that compacts the heap' 24

gzip -c compacted.hprof >packed.hprof.gz
split=$(($(wc -c <compacted.hprof) / 2))
{ head -c $split compacted.hprof | gzip; tail -c +$((split + 1)) compacted.hprof | gzip; } >blocks.hprof.gz
cp inter expected
for each in packed blocks; do
    dumped $each.hprof.gz .
    diff expected inter >differences
    is "$status/$?" 0/0 "a dump that is packed ($each): the same"
done

jar=$(command -v jar)
if [ -n "$jar" ]; then
    mkdir classes && cp Dumped*.class classes && "$jar" cf dumped.jar -C . classes

    options='--methods Dumped.ordered,x.none'
    dumped compacted.hprof dumped.jar
    unset options
    is "$status/$(cut -d ' ' -f 1 inter | sort -u)" 0/Dumped.ordered 'classes in a jar, and methods by name'
fi

# Layouts, as the JVM itself says
layouts='All Bytes BytesMore Empty EmptyLong EndsWithReference AfterReference Deep OddBytes OddMore Wide Failure Statics'
for jvm in $(jvms); do
    for option in '' ${ASSAY_LAYOUTS:-}; do
        rm -f layouts.hprof
        # shellcheck disable=SC2086
        "$jvm" $option Layouts layouts.hprof 2>/dev/null | grep '^Layouts' | LC_ALL=C sort >expected
        # shellcheck disable=SC2046
        "$layout_text" layouts.hprof $(printf 'Layouts$%s ' $layouts) >layouts.out
        grep -v -e ' size ' -e '<' layouts.out | LC_ALL=C sort | diff expected - >differences
        is "$?/$(wc -l <expected)" 0/57 "$jvm $option: 57 fields are where Unsafe says" || sed 's/^/# /' differences
        is "$(grep -c 'size confirmed' layouts.out)" 12 '  and objects are as long as computed'
    done
done

# What is not whole
head -c $(($(wc -c <compacted.hprof) - 20)) compacted.hprof >cut.hprof
dumped cut.hprof .
is $status 1 'a dump that is cut: a failure'
like err 'cut.hprof: cut at byte [0-9]*: .*; what is before that is used' '  it is said where, and the rest is used'
is "$(inter Dumped.chosen L4)" '8 32:19' '  the trace has it'
head -c 1000 compacted.hprof >cut.hprof
dumped cut.hprof .
is $status 1 'a dump that is cut before its heap: a failure'
head -c 100000 packed.hprof.gz >cut.hprof.gz
dumped cut.hprof.gz .
is $status 1 'a packed dump that is cut: a failure'
like err 'gzip data are cut' '  it is said why'
echo no dump >no.hprof
for bad in no.hprof . missing.hprof; do
    dumped $bad .
    is "$status/$(grep -c . err)" 1/1 "$bad: one line"
done
dumped compacted.hprof missing.jar
is "$status/$(grep -c . err)" 1/1 'no such classes: one line'
dumped compacted.hprof plain
is "$status/$(grep -c . err)" 1/1 'a file that is no archive: one line'
"$inspect" --heap-dump compacted.hprof 2>err
is $? 2 'no classes: bad usage'
"$inspect" --heap-dump compacted.hprof --classes . -- java Dumped 2>err
is $? 2 'a dump and a command: bad usage'
"$inspect" --methods Dumped.items -- java Dumped 2>err
is $? 2 'names of methods for a command: bad usage'
dumped compacted.hprof .
cp -r traces kept
"$inspect" -q -o kept --heap-dump compacted.hprof --classes . 2>err
is $? 1 'a trace that is there is not replaced'
"$inspect" -q --overwrite -o kept --heap-dump compacted.hprof --classes . 2>err
is "$?/$(cat err)" 0/ '  but with --overwrite'
done_testing
