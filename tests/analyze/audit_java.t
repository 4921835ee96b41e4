#!/bin/sh
# assay audit waste of Java programs: engine rewrite is exact; what both see; what only one of them has, and why; against
# answers computed by hand.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
needs tests/make_pairs
audit() {
    "$build/libexec/assay/assay-audit" waste "$@" 2>err
}
# recorded NAME ENGINE MODE [KEY=VALUE]...: of a JVM
recorded() {
    name=$1
    engine=$2
    mode=$3
    shift 3
    "$build/tests/make_pairs" "$name.trace" "series=$name" run=1 "mode=$mode" "engine=$engine" collector=jvm \
        exe=/opt/jdk/bin/java fp_tolerance=0.01 "$@"
}
# traps N WASTED PAIR [CODE]: N traps of a pair, of 8 bytes each, of which the first ones are wasted
traps() {
    awk -v n="$1" -v wasted="$2" -v pair="$3" -v code="${4-}" \
        'BEGIN { for (i = 0; i < n; i++) print "trap main 2 0", pair, (i < wasted), 8, 1, code }'
}
# row N: of the CSV of the last command in `out`, reals with six digits
row() {
    awk -F, -v OFS=, -v n="$1" 'NR == n + 1 { for (i = 1; i <= NF; i++) if ($i ~ /^-?[0-9]+\.[0-9e-]+$/) $i = sprintf("%.6f", $i); print }' out
}

# 10000 bytes of pairs, 7000 wasted: a is hoisted out of its loop by the compiler, d is rare. b calls c through a lambda.
recorded exact rewrite waste 'command=["java","-cp","x","Prog","1"]' <<'END'
total main 0 0 2000 16000
pair main 2 0 main:1;a:10 main:1;a:11 - 0 1000 1000 4000 4000
pair main 2 0 main:2;b:20;c:30 main:2;b:20;c:30 - 0 1000 500 4000 2000
pair main 2 0 main:3;r:50;r:50;r:50;r:51 main:3;r:50;r:50;r:50;r:51 - 0 475 475 1900 950
pair main 2 0 main:4;d:40 main:4;d:40 - 0 25 12 100 50
END
{
    traps 80 40 'main:2;b:20;Lambda/0x1.get;c:30 main:2;b:20;Lambda/0x1.get;c:30'
    traps 60 30 'main:3;r:50;r:50;r:50;r:50;r:50;r:50;r:51 main:3;r:50;r:50;r:50;r:50;r:51'
    traps 20 20 'main:2;b:20;c:30 main:2;b:20;c:30' 4c031c24 # add (%rsp), %r11
    traps 16 8 'main:2;b:20;[native] main:2;b:20;[native]'
    traps 12 0 'main:2;b:20;c:31 main:2;b:20;c:30'
    traps 8 4 'main:1;a:11 main:1;a:11' 438b448310 # mov 0x10(%r11,%rax,4), %eax
    traps 4 2 'main:5;c:30 main:5;c:30'
} >records
recorded sampled soft silent-load 'command=["./run","9"]' 'main=Prog 9' <records

# 104 of 200 traps are wasted: 0.52, Wilson's interval 0.451038 to 0.588208. The exact fraction is 0.7. Of the 4 exact pairs
# of contexts b > c and r match: the lambda's frame is left out, and recursion is folded. Their wasted bytes 4000 > 2000 > 950 >
# 50 are 0, 40, 30, 0 here (times 8).
# What both have: c and r: 2950 of 5900 bytes, and 40 + 30 + 2 (c in main:5) of 144 traps: both 0.5; Wilson: 0.419403 to 0.580597.
# Of Java's bytes a (40 %) and d (1 %) are missed, of the wasted ones 4000 and 50 of 7000. The 144 traps at exact lines would
# have hit a: 0.6^144 is nothing; but 0.99^144 is 0.235. By chance 144 traps miss 0.01 * 0.99^144 + 0.19 * 0.81^144 = 0.002352.
# 56 of 200 traps are where the exact run has nothing: 0.28.
audit --format csv --exact exact.trace sampled.trace >out
is $? 0 'a Java program: status 0'
is "$(row 1 | cut -d, -f 1-8)" 'Prog,silent-load,0.700000,0.520000,0.451038,0.588208,-18.000000,0' \
    'engine rewrite is exact, and the main class names the program'
is "$(row 1 | cut -d, -f 9,12,16)" '2,200,samples' '  contexts match without hidden frames, and recursion is folded'
is "$(row 1 | cut -d, -f 19-24)" '0.400000,0.410000,0.571429,0.578571,0.002352,0.280000' \
    '  what sampling misses: bounds, by chance, and what only it has'
is "$(row 2 | cut -d, -f 1-9)" 'Prog,silent-load,0.500000,0.500000,0.419403,0.580597,0,1,2' \
    'what both have is compared apart, without the stack'
is "$(row 2 | cut -d, -f 12,16,19-24)" '144,common,,,,,,' '  with its traps'
is "$(row 3)" '' '  there are no further rows'
audit exact.trace sampled.trace >people
like people 'Prog, silent-load: sampling does not see 40.0 to 41.0 % of .*, and 57.1 to 57.9 % of the wasted ones; .* 0.2 % by chance' \
    'a note tells what share sampling does not see'

# The effective number of traps is their number, since all have 8 bytes. The sampled runs have 1440 bytes off the stack, 84
# wasted traps of 180.
audit --format csv --lines 0 exact.trace sampled.trace >out
is "$(head -n 1 out)" program,kind,only,waste_share,share,traps,chance,reason,first,second '--lines: its columns'
is "$(row 1)" \
    'Prog,silent-load,exact,0.571429,0.400000,0,0.000000,"samples would have seen it: probably no access in compiled code, or one at another line",a:10,a:11' \
    '  samples would have seen a frequent pair'
is "$(row 2)" "Prog,silent-load,exact,0.007143,0.010000,0,$(awk 'BEGIN { printf "%.6f", 0.99 ^ 144 }'),too rare to be sampled,d:40,d:40" \
    '  a rare pair may have been missed by chance'
is "$(row 3)" 'Prog,silent-load,sampled,0.095238,0.088889,16,,"native code, the JVM, or a method without probes",[native],[native]' \
    '  native code is only sampled'
is "$(row 4)" 'Prog,silent-load,sampled,0.047619,0.044444,8,,"an access between is not in compiled code, or these are the JVM'"'"'s own",a:11,a:11' \
    '  lines of accesses that have others between them in the exact run'
is "$(row 5)" 'Prog,silent-load,sampled,0,0.066667,12,,"no access of bytecode at this line: the JVM'"'"'s own, or another line'"'"'s",c:31,c:30' \
    '  a line without accesses'
is "$(row 6)" '' '  and that is all'
audit --format csv --lines 1 exact.trace sampled.trace >out
is "$(cut -d, -f 3 out | tr '\n' ' ')" 'only exact sampled ' '--lines 1: one of each'
audit --format csv --pairs 0 exact.trace sampled.trace >out
is "$(grep -c . out)" 7 '--pairs: by context'
is "$(grep '"these lines' out | cut -d, -f 3,6,9-)" 'sampled,4, in other contexts",main:5 > c:30,main:5 > c:30' \
    '  lines that are exact in another context'

audit -j 1 --format csv --pairs 0 sampled.trace exact.trace >again
is "$(cat again)" "$(cat out)" 'the same for any order and -j'
audit --save-state=one exact.trace
audit --save-state=two sampled.trace
audit --format csv --pairs 0 two one >again
is "$(cat again)" "$(cat out)" '  and for partial states'

# Bursts of engine rewrite: of all 16000 bytes loaded 7000 are wasted; three bursts as in windows_test.c, 0.33.
recorded bursts rewrite waste 'command=["java","Prog"]' <<'END'
total main 0 0 8 60
burst 2 20 4 1 2 2
burst 2 20 6 3 0 0
burst 2 20 5 2 3 2
END
audit --format csv exact.trace sampled.trace bursts.trace >out
is "$(row 3 | cut -d, -f 1-8,16-18)" 'Prog,silent-load,0.437500,0.330000,0.063293,0.760914,-10.750000,1,bursts,0.100000,3' \
    'bursts of engine rewrite are compared with its full runs'
is "$(row 1 | cut -d, -f 3,16)" '0.700000,samples' '  and do not count as full runs'

# The lines of b were sampled, but never one after the other: the access between them that the exact run has is missing.
recorded apart rewrite waste 'command=["/opt/jdk/bin/java","-jar","lib/app.jar","-v"]' <<'END'
pair main 2 0 main:1;b:20 main:1;b:21 - 0 1000 1000 4000 4000
pair main 2 0 main:1;b:21 main:1;b:21 - 0 1000 1000 4000 4000
pair main 2 0 main:1;b:20 main:1;b:20 - 0 500 500 2000 2000
END
{
    traps 20 20 'main:1;b:20 main:1;b:20'
    traps 20 20 'main:1;b:21 main:1;b:21'
} >records
recorded both soft silent-load 'command=["java","-jar","app.jar"]' 'main=/srv/app.jar 1' <records
audit --format csv --lines 0 apart.trace both.trace >out
is "$(row 1 | cut -d, -f 1,3,4,8-)" \
    'app.jar,exact,0.400000,"both lines were sampled: probably one access is not in compiled code, or at another line",b:20,b:21' \
    'a pair of lines that were sampled with others; the file of -jar names the program'
is "$(row 2)" '' '  is all that is missed'

done_testing
