#!/bin/sh
# Engine rewrite with --adjacent: loads of what the element before or after held, in a program whose pairs are known on paper.
. "$(dirname "$0")/lib.sh"
compile_java -d . "$root/tests/victims/java/Adjacent.java" || exit 1
n=60 m=20

# A call that moves all elements by one loads m - 1 of them. From the second call on each is in a pair, and all but one are
# adjacent (Adjacent.java). 60 steps of 1.5 between the floating-point values are more than 1 % of the largest.
for method in bytesUp charsUp shortsUp intsUp longsUp floatsUp doublesUp objectsUp intsDown copyUp copyDown; do
    echo "Adjacent.$method adjacent-load $(((n - 1) * (m - 1))) $(((n - 1) * (m - 2)))"
    echo "Adjacent.$method silent-load $(((n - 1) * (m - 1))) 0"
done >wanted
cat >>wanted <<EOT
Adjacent.copyFar adjacent-load $(((n - 1) * (m - 2))) 0
Adjacent.copyFar silent-load $(((n - 1) * (m - 2))) 0
Adjacent.equal adjacent-load $(((n - 1) * m)) 0
Adjacent.equal silent-load $(((n - 1) * m)) $(((n - 1) * m))
Adjacent.alone adjacent-load $((n - 1)) 0
Adjacent.alone silent-load $((n - 1)) 0
Adjacent.scanUp adjacent-load $(((n - 1) * m)) 0
Adjacent.scanUp silent-load $(((n - 1) * m)) 0
Adjacent.scanDown adjacent-load $(((n - 1) * m)) $(((n - 1) * (m - 1)))
Adjacent.scanDown silent-load $(((n - 1) * m)) 0
Adjacent.far adjacent-load $((2 * (n - 1))) 0
Adjacent.far silent-load $((2 * (n - 1))) $((n - 1))
Adjacent.odd adjacent-load $((n - 1)) 0
Adjacent.odd silent-load $((n - 1)) 0
EOT
# The first of two elements never changes, so its loads are silent. From the second call on the second one equals it at
# every other call.
for method in notNumbers zeros near nulls; do
    echo "Adjacent.$method adjacent-load $((2 * (n - 1))) $((n / 2))"
    echo "Adjacent.$method silent-load $((2 * (n - 1))) $((n - 1))"
done >>wanted
LC_ALL=C sort wanted >sorted

# loads TITLE: the loads of the program's methods are those above; insertions at the front of a list are as docs/waste.md has it
loads() {
    grep -E '^Adjacent[.].*-load ' pairs | grep -v -e 'Adjacent.main' -e 'Adjacent.inFront' >own
    is "$(cat own)" "$(cat sorted)" "$1"
    is "$(awk '$1 == "java.util.ArrayList.add" && $2 == "adjacent-load" { print $4 }' pairs)" $(((n - 2) * (n - 3) / 2)) \
        '  and those of ArrayList.add, of a class of java.base'
}

counted waste Adjacent $n
output=$(cat out)
grep -E '^Adjacent[.].*(silent|dead)' pairs >plain
is "$(grep -c adjacent pairs)" 0 'without the option no adjacent load is recorded'

options=--adjacent
counted waste Adjacent $n
is "$status/$(cat out)" "0/$output" 'with it, the program gives its own result'
loads 'the adjacent loads are those of the moves by one'
is "$(grep -E '^Adjacent[.].*(silent|dead)' pairs)" "$(cat plain)" '  all other kinds are the same as without'
"$build/libexec/assay/assay-info" traces/*.trace >info
like info 'adjacent +true' '  assay info shows it'
"$waste" --kind adjacent-load --pairs 0 --format csv traces/*.trace >found
is "$(grep -c 'Adjacent.inFront.*java.util.ArrayList.add' found)" 1 '  assay waste shows them at the insertion'
"$waste" --format csv traces/*.trace | cut -d, -f 1,6 | grep load >totals
is "$(cut -d, -f 2 totals | uniq | wc -l)/$(wc -l <totals)" 1/2 '  as a kind of its own, of the same loads as the silent ones'
"$waste" --save-state state traces/*.trace
is "$("$waste" --kind adjacent-load --pairs 0 --format csv state)" "$(cat found)" '  and from a saved state'
counted silent-load -Xverify:all -Xcomp -XX:CompileOnly=Adjacent Adjacent $n
loads 'mode silent-load, compiled'
counted waste -Xint -XX:+UseSerialGC Adjacent $n
loads 'interpreted'

# refused TITLE MESSAGE OPTION...
refused() {
    "$record" -q --adjacent -o none "$3" "$4" "$5" "$6" ${7:+"$7" "$8"} -- java Adjacent 1 2>err
    is $? 2 "$1"
    like err "$2" '  one line says so'
}
refused 'no other engine takes the option' 'adjacent is for engine rewrite' -m waste -E exact
refused 'nor a mode without loads' 'adjacent is for the modes waste and silent-load' -m dead-store -E rewrite
refused 'nor bursts' 'adjacent needs every access: leave out --burst' -m waste -E rewrite --burst 1M:9M
done_testing
