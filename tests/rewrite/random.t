#!/bin/sh
# Engine rewrite: random bytecode programs (random/) against a model of their pairs that shares no code with assay: of every
# pair of accesses every count, the object and the loop are the same. In the environment:
#   ASSAY_RANDOM_PROGRAMS  how many (default: 100)
#   ASSAY_RANDOM_FIRST     the number of the first one, to repeat one that differs
#   ASSAY_RANDOM_SEED      another seed makes other programs
#   ASSAY_RANDOM_PARALLEL  how many run at a time
#   ASSAY_RANDOM_PAUSE     milliseconds between collections that another thread asks for; 0: it does not
#   ASSAY_RANDOM_OPTIONS   options for the JVM
#   JAVA                   another JVM
. "$(dirname "$0")/lib.sh"
programs=${ASSAY_RANDOM_PROGRAMS:-100}
first=${ASSAY_RANDOM_FIRST:-0}
seed=${ASSAY_RANDOM_SEED:-1}
batch=1000
asm=/usr/share/java/asm.jar:/usr/share/java/asm-tree.jar
[ -e ${asm%:*} ] && [ -e ${asm#*:} ] || skip_all 'no ASM here'
compile_java -cp $asm -d classes "$root"/tests/rewrite/random/*.java || exit 1

# compared FIRST COUNT: whether the programs run as they must, and have the pairs that they must have; what differs is
# in `differences`
compared() {
    java -cp classes:$asm Generate "$seed" "$1" "$2" >left || return
    # shellcheck disable=SC2086
    counted waste ${ASSAY_RANDOM_OPTIONS:-} -cp classes Runner "${ASSAY_RANDOM_PARALLEL:-1}" "${ASSAY_RANDOM_PAUSE:-0}"
    LC_ALL=C sort outcomes >expected
    LC_ALL=C sort out | diff expected - >differences || return
    ! grep 'without probes\|not complete' err >differences || return
    java -cp classes Compare 20 >differences
}

at=$first
while [ "$at" -lt $((first + programs)) ]; do
    count=$((first + programs - at))
    [ $count -le $batch ] || count=$batch
    compared "$at" "$count"
    ok $? "programs $at to $((at + count - 1)) of seed $seed: $(head -n 1 differences)" || sed 's/^/# /' differences
    sed 's/^/# /' left
    at=$((at + count))
done

# A count that is wrong by one must be found.
awk -F '\t' -v OFS='\t' 'NR == 1 { $4++ } { print }' model >changed && mv changed model
! java -cp classes Compare 20 >differences
ok $? 'a count that differs by one is found'
done_testing
