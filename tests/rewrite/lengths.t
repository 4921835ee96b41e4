#!/bin/sh
# Engine rewrite with --array-lengths: loads of arrays' lengths, in a program whose pairs are known on paper.
. "$(dirname "$0")/lib.sh"
compile_java -d . "$root/tests/victims/java/Lengths.java" || exit 1
n=300

# As the comments in Lengths.java say. BitSet is of java.base, whose classes are prepared.
cat >lengths <<EOT
Lengths.loop silent-load $n $n
Lengths.again silent-load $((10 * (n - 1))) $((10 * (n - 1)))
Lengths.rows silent-load $n $n
java.util.BitSet.valueOf silent-load $((2 * (n - 1))) $((2 * (n - 1)))
EOT
echo "java.util.BitSet.valueOf silent-load $((n - 1)) $((n - 1))" >elements

# loads FILE TITLE: the silent loads of the program's methods are those of FILE, and no others
loads() {
    grep -E '^(Lengths[.]|java.util.BitSet.valueOf).* silent-load ' pairs >own
    grep -v 'BitSet' own >methods
    grep -v 'BitSet' "$1" >wanted
    is "$(cat methods)" "$(LC_ALL=C sort wanted)" "$2"
    is "$(grep BitSet own)" "$(grep BitSet "$1")" '  and in a class of java.base'
}

counted waste Lengths $n
output=$(cat out)
loads elements 'without the option lengths are no places'

options=--array-lengths
counted waste Lengths $n
is "$status/$(cat out)" "0/$output" 'with it, the program gives its own result'
loads lengths '  a length is loaded each time, and never changes'
"$build/libexec/assay/assay-info" traces/*.trace >info
like info 'array_lengths +true' '  assay info shows it'
"$waste" traces/*.trace >notes
like notes 'in 1 of 1 traces reading the length of an array is a load of 4 bytes' '  assay waste says so'
"$waste" --save-state state traces/*.trace
"$waste" state >notes
like notes 'in 1 of 1 traces reading the length of an array is a load of 4 bytes' '    and from a saved state'
counted silent-load -Xverify:all -Xcomp -XX:CompileOnly=Lengths Lengths $n
loads lengths '  mode silent-load, compiled'
counted waste -Xint -XX:+UseSerialGC Lengths $n
loads lengths '  interpreted'
options='--array-lengths --between-threads'
counted waste Lengths $n
loads lengths '  with pairs between threads'
burst=10M:90M
counted waste Lengths $n
loads lengths '  in bursts'

"$record" -q -m waste -E exact --array-lengths -o none -- true 2>err
is $? 2 'no other engine takes the option'
like err 'array-lengths is for engine rewrite' '  one line says so'
"$record" -q -m dead-store -E rewrite --array-lengths -o none -- java Lengths 1 2>err
is $? 2 'nor a mode without loads'
like err 'array-lengths is for the modes waste and silent-load' '  one line says so'
done_testing
