#!/bin/sh
# assay inspect: the loop of _202.jess in Figure 1 of Inagaki et al. (PLDI 2003), whose loads L1 to L11 their Table 1 lists, in all
# JVMs with all collectors. In the environment:
#   ASSAY_COLLECTORS  of each JVM (default: Serial Parallel G1 Z Shenandoah)
. "$(dirname "$0")/lib.sh"
compile_java -d . "$root/tests/victims/java/FindInMemory.java" || exit 1
java FindInMemory 300000 >plain
method='FindInMemory[$]Node2.findInMemory'

# patterns WHAT JVM_OPTION...: with references of $reference bytes. A token has 24 bytes, its facts at 16; then come its first
# fact, 16 bytes, and the array, with its length at 12 and its elements from 16 on.
patterns() {
    what=$1
    shift
    inspected "$@" FindInMemory 300000
    is "$status/$(cat out)" "0/$(cat plain)" "$what: the program gives its own result"
    is "$(grep -c "^$method" inter)" 11 '  Table 1: eleven loads'
    is "$(for load in L1 L2 L3 L5 L6 L7 L8; do inter "$method" $load | sed 's/:.*//; s/.* //'; done | xargs)" '0 0 0 0 0 0 0' \
        '  L1, L2, L3, and L5 to L8 are invariant'
    is "$(inter "$method" L4)" "$reference $reference:19" "  L4 has an inter-iteration stride of $reference bytes"
    strides=$(inter "$method" L9 | wc -w)
    between 10 "$strides" 20 '  L9 has none, since the tokens are shuffled'
    is "$(intra "$method" L9 L10 | sed 's/:.*//')/$(intra "$method" L9 L11 | sed 's/:.*//')" "base $((24 + 16 - 16 + 12))/base $((24 + 16 - 16 + 16))" \
        '  (L9, L10) and (L9, L11) have intra-iteration strides'
    is "$(intra "$method" L9 L10 | wc -w)" 2 '  and no other'
    is "$(sed -n "s/^$method \(L[0-9]*>L[0-9]*\) .*/\1/p" intra | LC_ALL=C sort | xargs)" \
        'L2>L3 L2>L4 L4>L9 L6>L7 L6>L8 L9>L10 L9>L11' '  Figure 5: the load dependence graph'
}

for jvm in $(jvms); do
    JAVA=$jvm
    for collector in ${ASSAY_COLLECTORS:-Serial Parallel G1 Z Shenandoah}; do
        "$jvm" -XX:+Use${collector}GC -version >/dev/null 2>&1 || continue
        reference=4
        [ $collector != Z ] || reference=8
        patterns "$jvm $collector" -Xms64m -XX:+Use${collector}GC
    done
done
done_testing
