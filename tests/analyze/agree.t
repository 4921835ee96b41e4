#!/bin/sh
# assay agree: it finds and names planted disagreements; definitions computed by hand; populations; the same result for
# any number of threads, order of files and split into states; invalid input.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
needs tests/make_trace
agree() {
    "$build/libexec/assay/assay-agree" "$@" 2>err
}
# trace NAME RUN CLOCK THREAD:STACK:COUNT...: the samples of each stack in turn, 10 ms of CPU time apart
trace() {
    name=$1 run=$2 clock=$3
    shift 3
    for line; do echo "$line"; done |
        awk -F: '{ for (i = 0; i < $3; i++) { n[$1]++; printf "%s %d %.0f %.0f %s\n", $1, n[$1], n[$1] * 1e7, n[$1] * 1e7, $2 } }' |
        "$build/tests/make_trace" "$name.trace" series=s run="$run" clock="$clock" period_ns=10000000 period_unit=ns
}
# refused STATUS MESSAGE WHAT ARGUMENT...
refused() {
    wanted="$1 1" message=$2 what=$3
    shift 3
    agree "$@" >out
    got="$? $(grep -vcE '^(Try |information)' err)"
    [ "$got" = "$wanted" ] && grep -qF -- "$message" err
    ok $? "$what" || { echo "status and lines $got, not $wanted, with: $message" && cat err; } | sed 's/^/# /'
}

# The truth: leaf 60 %, hot 20 %, cold 20 %, five runs that scatter a little between leaf and hot.
# moved: half of leaf's share is given to its caller. doubled: every sample of cold counts twice. dropped: every third
# sample is lost, of a program that switches from leaf to hot to cold with each sample.
for r in 1 2 3 4 5; do
    trace "truth$r" $r truth "main:main;hot;leaf:$((597 + r))" "main:main;hot:$((203 - r))" main:main\;cold:200
    trace "moved$r" $r moved "main:main;hot;leaf:$((297 + r))" "main:main;hot:$((503 - r))" main:main\;cold:200
    trace "doubled$r" $r doubled "main:main;hot;leaf:$((597 + r))" "main:main;hot:$((203 - r))" main:main\;cold:400
    awk -v r=$r 'BEGIN { split("main;leaf main;hot main;cold", stack, " ")
        for (i = 0; i < 600 + r; i++) printf "main %d %.0f %.0f %s\n", i, i * 1e7 + 1, i * 1e7 + 1, stack[i % 3 + 1] }' >turns
    "$build/tests/make_trace" turns$r.trace series=s run=$r clock=turns period_ns=10000000 period_unit=ns <turns
    awk 'NR % 3' turns | "$build/tests/make_trace" dropped$r.trace series=s run=$r clock=dropped period_ns=10000000 period_unit=ns
done
columns=a,b,hottest_a,hottest_b,same,class,tau,overlap,distance,lo,hi,verdict
agree --format csv truth?.trace moved?.trace >out
is "$? $(head -n 1 out)" "0 $columns" 'the columns, and status 0'
# a is moved: leaf 0.30, hot 0.50, cold 0.20; b is truth: 0.60, 0.20, 0.20. Pairs: leaf-hot turned, leaf-cold the same,
# hot-cold tied in b: tau = (1 - 1)/sqrt(3 * 2)
is "$(tail -n 1 out | cut -d, -f1-8)" 'moved,truth,hot,leaf,no,caller/callee,0,1' \
    'the hottest methods, their class, tau and overlap'
between 0.29999 "$(tail -n 1 out | cut -d, -f9)" 0.30001 'the distance is the share that moved'
between 0.29 "$(tail -n 1 out | cut -d, -f10)" 0.3 '  the lower bound of its interval is below it'
between 0.3 "$(tail -n 1 out | cut -d, -f11)" 0.31 '  the upper bound is above it'
is "$(tail -n 1 out | cut -d, -f12)" differ '  the verdict is that they differ'
like err 'moved, truth: in the latter a share of 0.3 moved from hot to leaf, its callee' 'a share that moved from callee to caller is named'
agree --format csv truth?.trace doubled?.trace >out
is "$(tail -n 1 out | cut -d, -f1-6)" 'doubled,truth,leaf,leaf,yes,agree' \
    'one method counted twice: the hottest stays the same'
like err 'doubled, truth: in the latter cold has 0.5 times the weight relative to all others, which keep their proportions' \
    '  a message names the method that was counted twice'
between 0.13332 "$(tail -n 1 out | cut -d, -f9)" 0.13335 '  the distance: the share of cold is 1/3 instead of 1/5'
agree --format csv turns?.trace dropped?.trace >out
like err 'dropped has 6[67]\.. % of the samples that its period and its threads. CPU time call for' \
    'a message names the profiler that dropped every third sample'
unlike err 'turns has' '  but not the one that dropped none'
is "$(tail -n 1 out | cut -d, -f1-4,8)" 'dropped,turns,leaf,leaf,0.6666666666666666' \
    '  a method that was never sampled lowers the overlap'
agree --format csv truth?.trace truth1.trace >out
is "$? $(grep -c 'there are fewer than two profilers' err)" '1 1' 'a single profiler: status 1, and one line says why'
cp truth1.trace other.trace
agree --by file --format csv truth1.trace other.trace >out
is "$(tail -n 1 out)" 'other.trace,truth1.trace,leaf,leaf,yes,agree,1,1,0,,,' \
    'a profile agrees with itself; a single run gives no interval'

# A caller and a callee whose calls only another profile saw; and methods that are not related
trace chain1 1 chain 'main:main;a;b:10' 'main:main;c:90'
trace links1 1 links 'main:main;b;c:10' 'main:main;a:90'
trace loose1 1 loose 'main:main;d:90' 'main:main;a:10'
agree --format csv chain1.trace links1.trace loose1.trace >out
is "$(tail -n +2 out | cut -d, -f1-4,6 | tr '\n' ' ')" \
    'chain,links,c,a,caller/callee chain,loose,c,d,disagree links,loose,a,d,disagree ' \
    'classes: callers count transitively, over the calls of all profiles'

# Union_n by hand; the two hottest are c and b of chain, a and c of links, d and a of loose
agree --union --top 3 --format csv chain1.trace links1.trace loose1.trace >out
is "$(tr '\n' ' ' <out)" 'n,union,lo,hi 1,3,, 2,4,, 3,4,, ' '--union: Union_n'
agree --union --top 2 --format csv truth?.trace moved?.trace doubled?.trace >out
is "$(tail -n +2 out | cut -d, -f1,2 | tr '\n' ' ')" '1,2 2,3 ' '--union: Union_n of the means over runs'
# HOTNESS of truth: leaf 0.6 with sd of the runs' k/1000, k = 1 to 5: 0.0015811; 2.7764451 * 0.0015811 / sqrt 5 = 0.0019632
agree --hotness --top 1 --format csv truth?.trace moved?.trace >out
is "$(head -n 2 out | cut -d, -f1-3 | tr '\n' ' ')" 'profiler,method,hotness moved,leaf,0.3 ' '--hotness: the columns'
is "$(awk -F, '$1 == "truth" { printf "%s %.7f %.7f", $2, $3 - $4, $5 - $3 }' out)" 'leaf 0.0019632 0.0019632' \
    "--hotness: Student's t interval"
agree --methods --top 2 --format csv truth?.trace moved?.trace >out
is "$(head -n 1 out)" a,b,method,hotness_a,hotness_b,difference,lo,hi,distance,verdict '--methods: the columns'
# Welch: the variances are equal, dof 8: 2.3060041 * 0.0015811 * sqrt(2/5) = 0.0023060
is "$(awk -F, 'NR == 2 { printf "%s %.4f %.7f %.4f", $3, $6, $8 - $6, $9 }' out)" 'hot -0.3000 0.0023060 0.1500' \
    "--methods: the largest difference first, with Welch's interval"

# The observer effect: times 9.8, 10, 10.2 s without, 10.9, 11, 11.1 s with. The ratio of means is 1.1; Welch's test
# of with against r * without has p = 0.05 at r = 1.055803 and 1.148706 (the density of t integrated numerically)
observed() {
    echo "main 1 10000000 10000000 main;leaf" | "$build/tests/make_trace" "$1.trace" series=s run="$2" profiler="$3" clock=random \
        "exit={\"wall_ns\": $4, \"user_ns\": $5, \"system_ns\": 500000000}"
}
observed alone1 1 alone 9800000000 4500000000
observed alone2 2 alone 10000000000 4500000000
observed alone3 3 alone 10200000000 4500000000
observed with1 1 with 10900000000 5500000000
observed with2 2 with 11000000000 5500000000
observed with3 3 with 11100000000 5500000000
agree --observer alone --format csv alone?.trace with?.trace >out
is "$? $(head -n 1 out)" '0 a,b,same,distance,lo,hi,noise,wall_a,wall_b,wall,wall_lo,wall_hi,cpu,cpu_lo,cpu_hi,verdict,wall_verdict,cpu_verdict' \
    '--observer: the columns'
is "$(awk -F, 'NR == 2 { printf "%s %s %s %s %s %s %.4f %.4f %.4f", $1, $2, $3, $4, $8, $9, $10, $11, $12 }' out)" \
    'alone with yes 0 10 11 0.1000 0.0558 0.1487' '--observer: distance, times and overhead with its interval'
is "$(awk -F, 'NR == 2 { printf "%.6f %.6f %.6f", $13, $14, $15 }' out)" '0.200000 0.200000 0.200000' \
    '--observer: CPU time is user and system time'
agree --observer with --format csv alone?.trace with?.trace >out
is "$(awk -F, 'NR == 2 { printf "%s %s %.6f", $1, $2, $10 }' out)" 'with alone -0.090909' \
    '--observer NAME: NAME is the first of each pair'
agree --save-state observed.state alone?.trace with?.trace
agree --observer with --format csv observed.state >again
cmp -s out again
is $? 0 '--observer: a saved state gives the same table'
# 0.2 of 10 s with sd 0.1 is a difference; identical profiles, and equal times that scatter, show none.
is "$(awk -F, 'NR == 2 { print $16 "," $17 "," $18 }' out)" 'no difference shown,differ,differ' '--observer: verdicts on profile, wall and CPU time'
observed even1 1 even 9900000000 4500000000
observed even2 2 even 10000000000 4500000000
observed even3 3 even 10300000000 4500000000
agree --observer alone --format csv alone?.trace even?.trace >out
is "$(awk -F, 'NR == 2 { print $16 "," $17 }' out)" 'no difference shown,no difference shown' '  where an interval includes 0, no difference is shown'
agree --format csv alone?.trace even?.trace >out
is "$(tail -n 1 out | cut -d, -f6,12)" 'agree,no difference shown' 'equal profiles: the same hottest method, and no difference shown'
agree --observer with --format csv alone?.trace with?.trace >out
refused 1 "no profiles of 'nobody', with which to compare the others" \
    '--observer: an unknown profiler' --observer nobody alone?.trace with?.trace
agree --observer truth --format csv truth?.trace moved?.trace >out
is "$? $(tail -n 1 out | cut -d, -f1,2,8-) $(grep -c 'the time of runs is not known' err)" '0 truth,moved,,,,,,,,,differ,, 1' \
    '--observer: traces without times of runs give no overhead, and a message reports it'

# Populations: one profiler sees the compiler and the collector too
trace java1 1 java 'main@java:main;hot:60' 'main@java:main;cold:40'
trace all1 1 all 'main@java:main;hot:60' 'main@java:main;cold:40' 'C2@jit:compile:50' 'G1@gc:mark:50'
agree --format csv java1.trace all1.trace >out
is "$(tail -n 1 out)" 'all,java,hot,hot,yes,agree,1,1,0,,,' 'profilers are compared on the threads that both see'
like err 'all also sees other threads \(50.00 % of its samples\): profilers are compared on the roles that all of them see: java' \
    '  a message reports what only one of them sees'
trace vm1 1 vm 'main@java:main;hot:60' 'main@java:main;cold:40' 'main@java:main;[VM]:70' 'main@java:[start]:30'
agree --format csv java1.trace vm1.trace >out
is "$(tail -n 1 out)" 'java,vm,hot,hot,yes,agree,1,1,0,,,' \
    'code outside methods that one profiler does not name is not compared'
like err 'vm: 50.00 % of the samples are in code that not all of them see \(\[VM\], \[start\]\) and are left out' \
    '  a message reports it'
trace late1 1 late 'main@java:main;late:10' 'main@java:main;cold:90'
agree --format csv java1.trace late1.trace >out
is "$(tail -n 1 out | cut -d, -f3-6,9)" 'hot,cold,no,disagree,0.6' 'a method that one profiler never saw is compared'
printf 'main;hot 60\nmain;cold 40\n' >plain.folded
"$build/libexec/assay/assay-import" -q -o plain.trace plain.folded
trace jit1 1 jit 'main@java:main;hot:60' 'main@java:main;cold:40' 'C2@jit:[JIT]:150' 'G1@gc:mark:50'
agree --by file --format csv jit1.trace plain.trace >out
is "$(tail -n 1 out | cut -d, -f3-6,9)" 'hot,hot,yes,agree,0.3333333333333333' \
    'without thread roles: [JIT], the hottest of one profiler, is not compared, but methods are'
like err 'plain.trace does not tell its threads apart' '  a message reports the missing roles'
for r in 1 2; do
    trace bare$r $r bare main:main\;hot:60 main:main\;cold:40
    trace seen$r $r seen main:main\;hot:60 main:main\;cold:40 'main:[VM]:100'
done
agree --observer bare --format csv bare?.trace seen?.trace >out
is "$(tail -n 1 out | cut -d, -f3,4)" 'yes,0.5' \
    '--observer: code outside methods adds to the distance, but is not the hottest method'
trace gc1 1 gc 'G1@gc:mark:50'
agree --format csv java1.trace gc1.trace >out
is "$? $(grep -c 'gc, java have no threads in common' err)" '1 1' \
    'profilers without a common thread: status 1, and a line names them'
trace empty1 1 empty
agree --format csv java1.trace empty1.trace >out
is "$? $(grep -c 'no samples of empty' err)" '1 1' 'a profiler without samples: status 1, and a line names it'

# The same bytes for any -j, order and split into states
agree --format json -j 1 truth?.trace moved?.trace doubled?.trace >one
agree --format json -j 4 doubled?.trace truth[345].trace moved?.trace truth[12].trace >many
[ -s one ] && cmp -s one many
is $? 0 'the same bytes for -j 1 and 4, in any order'
agree --save-state a.state doubled?.trace moved?.trace
agree --save-state b.state truth?.trace
for options in '' --union --hotness --methods; do
    # shellcheck disable=SC2086
    agree $options --format csv truth?.trace moved?.trace doubled?.trace >one
    # shellcheck disable=SC2086
    agree $options --format csv b.state a.state >many
    [ -s one ] && cmp -s one many
    is $? 0 "saved states give the same bytes: agree $options"
done
echo '{"assay-state": 1}' >bad.state
agree bad.state truth1.trace >out
is $? 1 'a file that is not a saved state: status 1'

# Tables. Fig. 1 and §2: for pmd, hprof and yourkit name jj_scan_token (6.2 and 8.5 %); the others name two other
# methods and give it 0; their shares here stand for what the figure shows. So four profilers name three hottest
# methods, and one pair of six agrees.
cat >pmd.csv <<'END'
profiler,method,run,share
hprof,jj_scan_token,1,0.062
hprof,evaluate,1,0.01
jprofile,getPositionFromParent,1,0.06
jprofile,jj_scan_token,1,0
xprof,evaluate,1,0.05
yourkit,jj_scan_token,1,0.085
END
table='--profiler profiler --method method --run run --share share'
# shellcheck disable=SC2086
agree $table --format csv pmd.csv >out
is "$? $(head -n 1 out) $(grep -c ',yes,agree,' out) $(grep -c ',no,unknown,' out)" "0 $columns 1 5" \
    'published: one pair of six agrees on pmd'
# shellcheck disable=SC2086
is "$(agree $table --union --top 1 --format csv pmd.csv | tail -n 1)" '1,3,,' 'published: Union_1 of pmd is 3'
# Shares that are not listed are one share of their own: |0.062 - 0.085| + |0.01 - 0| + |0.928 - 0.915|, halved
# shellcheck disable=SC2086
is "$(agree $table --format csv pmd.csv | awk -F, '$1 == "hprof" && $2 == "yourkit" { printf "%.6f", $9 }')" 0.023000 \
    'the remainder that a table does not list counts as one share'
# shellcheck disable=SC2086
agree $table pmd.csv >out
like out 'without call stacks it is unknown' "a note says that tables have no call stacks"
# §4.1: the bounds of Union_n
awk 'BEGIN { print "profiler,method,run,share"; for (p = 1; p <= 4; p++) for (m = 1; m <= 5; m++) for (r = 1; r <= 3; r++)
    print "p" p ",p" p "m" m "," r "," (6 - m) / 20 }' >apart.csv
# shellcheck disable=SC2086
is "$(agree $table --union --top 5 --format csv apart.csv | tail -n +2 | tr '\n' ' ')" '1,4,4,4 2,8,8,8 3,12,12,12 4,16,16,16 5,20,20,20 ' \
    'Union_n is n times the number of profilers in total disagreement'
sed 's/,p[1-4]m/,m/' apart.csv >alike.csv
# shellcheck disable=SC2086
is "$(agree $table --union --top 5 --format csv alike.csv | tail -n +2 | tr '\n' ' ')" '1,1,1,1 2,2,2,2 3,3,3,3 4,4,4,4 5,5,5,5 ' \
    '  and n in total agreement'
# shellcheck disable=SC2086
agree $table --format csv apart.csv >out
is "$? $(grep -c 'no method in common' err)" '0 6' 'a message reports each pair of profilers without a common method'
printf 'profiler,method,share\na,f(int),1\nb,f,1\n' >signatures.csv
agree --profiler profiler --method method --share share --format csv signatures.csv >out
is "$(tail -n 1 out)" 'a,b,f(int),f,no,unknown,-1,0,1,,,' 'a table without a column of runs'

# The figure shows the hottest methods of each profiler, whatever the table shows
agree --plot fig.svg --top 3 truth?.trace moved?.trace >out
is "$? $(grep -cE '<text>(leaf|hot|cold)</text>' fig.svg) $(head -n 1 out | awk '{ print $1, $3 }')" '0 3 a hottest_a' \
    '--plot draws HOTNESS, and the table stays as it is'
agree --hotness --format csv truth?.trace moved?.trace >hotness.csv
"$build/libexec/assay/assay-plot" agree hotness.csv -o table.svg 2>err
is "$? $(grep -cE '<text>(leaf|hot|cold)</text>' table.svg)" '0 3' 'assay plot draws it from the saved table'

# Invalid input
refused 2 'name the columns: --profiler COL --method COL --share COL' \
    'a missing option for a column: status 2 and one line' --share share pmd.csv
# shellcheck disable=SC2086
refused 2 "--by can't be used with --profiler" '--by with a table: status 2 and one line' $table --by run pmd.csv
printf 'profiler,method,run,share\na,f,1,6.2\n' >percent.csv
# shellcheck disable=SC2086
refused 1 'not a share from 0 to 1 (divide percent by 100)' 'percentages instead of shares: status 1 and one line' \
    $table percent.csv
printf 'profiler,method,run,share\na,f,1,0.7\na,g,1,0.7\n' >inclusive.csv
# shellcheck disable=SC2086
refused 1 'profiler a, run 1: its shares add up to 1.4; they must be self shares of a run' \
    'inclusive shares: status 1 and one line' $table inclusive.csv
printf 'profiler,method,run,share\na,f,1,0.7\na,f,1,0.1\n' >twice.csv
# shellcheck disable=SC2086
refused 1 'a, f, 1 has 2 rows; a method has one share in each run' \
    'a method given twice in a run: status 1 and one line' $table twice.csv
refused 2 'not a value that this option takes' '--top 0: status 2 and one line' --top 0 truth1.trace
refused 1 'nowhere.trace' 'a missing trace: status 1 and one line' nowhere.trace
done_testing
