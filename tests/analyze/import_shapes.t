#!/bin/sh
# assay import: the shapes that one format takes: comments, columns, orders and trees. Expected values are counted in the
# inputs by hand.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
programs=$build/libexec/assay
# import FILE...: into out/, which is emptied first
import() {
    rm -rf out
    mkdir out
    "$programs/assay-import" -o out/ "$@" >said 2>err
}
# stacks [TRACE...]: in one line; without arguments those of all traces
stacks() {
    [ $# -gt 0 ] || set -- out/*.trace
    "$programs/assay-export" --to folded "$@" | tr '\n' ' '
}
hot() {
    "$programs/assay-hot" --format csv "$@" 2>err
}

# --- folded stacks ---
printf 'P1;T2;a.py:f:3 100\n# interval: 100\n  #duration=5\n# mode 1\n// 7\n' >austin.folded
import austin.folded
is "$? $(stacks)$(cat err)" '0 P1;T2;a.py:f:3 100 ' 'folded stacks: comments that end in a number are no stacks'
is "$(hot out/*.trace | tail -n +2 | cut -d, -f2,7)" 'a.py:f:3,100' '  nor methods'
printf '# gone;away 4\n#<Class:A>#b;c 7\n//anon;d 2\n' >ruby.folded
import ruby.folded
is "$? $(stacks)" '0 #<Class:A>#b;c 7 //anon;d 2 ' 'folded stacks: frames of Ruby and mappings begin like comments'
is "$(cat err)" 'assay-import: ruby.folded: 1 comments look like stacks, and are left out' '  a comment that looks like a stack is counted'
printf 'main;a 10 20\nmain;b 5 5\n' >diff.folded
import diff.folded
is "$? $(ls out) $(grep -c 'each line ends in two numbers.*keep the first by sed' err) $(wc -l <err)" '1  1 1' \
    'folded stacks of two profiles are refused in one line, which says what to do'
sed -E "$(sed -n "s/.*the second by sed -E '\(.*\)'.*/\1/p" err)" diff.folded >second.folded
import second.folded
is "$? $(stacks)" '0 main;a 20 main;b 5 ' '  and what it says leaves one of them'
printf 'main;worker 3 20\nmain;b 5\n' >number.folded
import number.folded
is "$? $(stacks) $(grep -c '1 lines have a number before the count' err)" '0 main;b 5 main;worker 3 20  1' \
    'folded stacks: a method may end in a number where other lines have one, and a line says so'
# 1.5 + 0.25 + 0.001 in thousandths
printf 'main;a 1.5\nmain;b .25\nmain;c 1e-3\n' >fraction.folded
import fraction.folded
is "$? $(stacks) $(grep -c '3 records, 1751 samples/1e3' said)" '0 main;a 1500 main;b 250 main;c 1  1' \
    'folded stacks: counts with decimals are scaled to integers'
# 101 times ten to the 16th is below 9e18, ten times as much is not
printf 'main;a 100.30000000000000004\nmain;b 0.7\n' >long.folded
import long.folded
is "$? $(stacks) $(cat err)" '0 main;a 1003000000000000000 main;b 7000000000000000  assay-import: long.folded: counts are rounded to 16 decimals' \
    '  as far as 64 bits hold their sum'
printf 'warning: lost events\nmain;a 1\nmain;b 2\nmain;b 3\n' >late.folded
import late.folded
is "$? $(stacks) $(grep -c "line 1: not 'frame;frame COUNT'" err)" '1 main;a 1 main;b 5  1' \
    'folded stacks are known by most of their lines'

# --- callgrind ---
printf 'version: 1\ncreator: pyprof2calltree\nevents: Cost\n\nfl=a.py\nfn=f\n1 30\nfn=g\n7 70\n' >own.callgrind
import own.callgrind
is "$? $(stacks)" '0 f 30 g 70 ' 'callgrind without totals: status 0'
is "$(cat err)" 'assay-import: own.callgrind: it gives no totals, so whether it is whole is not known' '  a line says that there are none'
sed 's/^creator.*/creator: callgrind-3.19.0/' own.callgrind >cut.callgrind
import cut.callgrind
is "$? $(grep -c 'ends without totals: it may be cut' err)" '1 1' \
    'callgrind by Valgrind, which always writes them: without totals it is cut'

done_testing
