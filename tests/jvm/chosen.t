#!/bin/sh
# Calls of a JVM's methods that are chosen at random by their probes: what they stand for, known distributions, counters,
# collections, exceptions, threads, and programs that must not be disturbed. Bounds are five standard errors, or a fifth
# if that is more. Where calls are counted, they are many enough that a few dozen or more of each method are chosen on
# any machine.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/lib.sh"
record=$build/libexec/assay/assay-record
variance=$build/libexec/assay/assay-variance
[ -e "$build/lib/assay/assay-methods.jar" ] || skip_all 'this build has no class rewriter (libasm-java)'
victim Chosen

# chosen OPTION... -- COMMAND...: records it into out, all methods of Chosen but work
chosen() {
    rm -rf out
    timeout -k 1 600 "$record" -q -m calls --seed 1 --min-bytes 0 --include 'Chosen.*' --exclude '*.work' -o out "$@" \
        >said 2>err
}

# runs WHAT N [JAVA OPTION...]: records it; the program prints what it prints alone
runs() {
    what="$1 $2"
    shift 2
    # shellcheck disable=SC2086 # words
    java "$@" -cp . Chosen $what >alone
    # shellcheck disable=SC2086
    chosen -- java "$@" -cp . Chosen $what
    is "$? $(cat said)" "0 $(cat alone)" "$what $*: the program does the same"
}

# table METRIC OPTION... TRACE...: as lines "METHOD N MEAN SD CV LO HI TREND", without parameters and class
table() {
    metric=$1
    shift
    "$variance" --metric "$metric" --top 0 --format json "$@" 2>table.err | tr -d '{}"' | sed 's/Chosen\.\([a-z<>]*\)([^)]*)/\1/g' |
        awk '$1 == "function:" { for (i = 1; i < NF; i++) at[$i] = $(i + 1)
            print at["function:"], at["n:"], at["mean:"], at["sd:"], at["cv:"], at["cv_lo:"], at["cv_hi:"], at["trend:"] + 0, at["threads:"] }' | tr -d ,
}

# holds TITLE CONDITION: an awk condition on n, mean, sd, cv, lo, hi, trend, threads, each by the method's name
holds() {
    awk "{ n[\$1] = \$2; mean[\$1] = \$3; sd[\$1] = \$4; cv[\$1] = \$5; lo[\$1] = \$6; hi[\$1] = \$7; trend[\$1] = \$8; threads[\$1] = \$9
            error[\$1] = \$2 > 1 && \$3 > 0 ? 5 * \$4 / sqrt(\$2) / \$3 : 9; if (error[\$1] < 0.2) error[\$1] = 0.2 }
        function near(a, b, e) { return a > b * (1 - e) && a < b * (1 + e) }
        END { exit !($2) }" rows
    ok $? "$1" || sed 's/^/# /' rows
}

# stands METHOD CALLS: the weights of its instances add up to so many calls, within five standard errors, which are the
# root of the sum of their squares
stands() {
    "$variance" --instances "Chosen.$1" --format csv out/*.trace 2>table.err |
        awk -F, -v calls="$2" 'NR > 1 { n++; w += $3; squares += $3 * $3 }
            END { d = w - calls; e = 5 * sqrt(squares); print (n > 0 && d <= e && d >= -e), n, w }' >sum
    is "$(cut -d' ' -f 1 sum)" 1 "  $1: the weights add up to $2 calls ($(cut -d' ' -f 2- sum))"
}

# whats: how often each record of an instance says what, as "WHAT COUNT"
whats() {
    for trace in out/*.trace; do "$dump" --kind instance "$trace" 2>>dump.err | sed 1d; done | cut -d, -f 3 |
        grep -v -e cost -e subtracted | sort | uniq -c | awk '{ print $2, $1 }'
}

runs known 15000
stands 'constant()' 30000
stands 'bimodal(int)' 30000
stands 'growing(int,int)' 15000
stands 'leaf(int)' 30000
table thread-cpu-ns out/*.trace >rows
# Code that is compiled late, or another tenant of the processor, makes single calls long,
# which constant shows: one of six recordings will do.
for again in 2 3 4 5 6; do
    awk '$1 == "bimodal" { spread = $6 < 0.67 && $7 > 0.5 } $1 == "constant" { calm = $5 < 1 } END { exit !(spread && calm) }' rows && break
    echo "# recording $again"
    runs known 15000
    table thread-cpu-ns out/*.trace >rows
done
holds '  20 or 100 units, in turn: 67 %' 'lo["bimodal"] < 0.67 && hi["bimodal"] > 0.5'
holds '  a total takes more than what it calls' 'mean["total"] > mean["constant"] && mean["total"] > mean["bimodal"]'
table thread-cpu-ns --contexts out/*.trace >rows
is "$(awk '$1 == "leaf" { print $3 }' rows | sort -n | awk '{ m[NR] = $1 } END { print NR, (m[2] > 1.5 * m[1]) }')" '2 1' \
    '  leaf takes more below one caller than below the other' || sed 's/^/# /' rows
"$dump" --format json --kind instance out/*.trace >records 2>dump.err
like records '"what": "cost"' '  what an empty call takes is in the trace'
"$variance" out/*.trace >said 2>err
like said 'what the recorder took is subtracted: it is known to' '  and how well that is known'
is "$("$build/libexec/assay/assay-info" out/*.trace 2>err | grep -c '"engine":"hooks","engine_asked":"auto"')" 1 '  the trace names the engine'
is "$("$build/libexec/assay/assay-hot" --inclusive --format csv out/*.trace 2>err | grep -c 'Chosen.known(int)')" 1 \
    '  the samples are those of a profile'

for options in '' -Xint -XX:TieredStopAtLevel=1 '-Xverify:all -Xcheck:jni'; do
    calls=100000
    case $options in -Xint) calls=10000 ;; esac
    # shellcheck disable=SC2086 # words
    runs recursion $calls $options
    stands 'down(int)' "${calls}0"
done
whats >ends
is "$(awk '{ n[$1] = $2 } END { print n["call"] - n["return"], n["left"] + 0, n["too-many"] + 0 }' ends)" '0 0 0' \
    '  every chosen call has returned' || sed 's/^/# /' ends

runs exceptions 60000
stands 'thrower(int)' 60000
whats >ends
is "$(awk '{ n[$1] = $2 } END { print n["call"] - n["return"], n["left"] + 0 }' ends)" '0 0' \
    '  an exception that leaves a method is the end of its call' || sed 's/^/# /' ends

runs threads 10000
stands 'quick(int)' 4000000
table time_ns out/*.trace >rows
holds '  each of four threads has instances' 'threads["quick"] == 4'

# The first call of a thread is always chosen: that of main has all collections in it.
runs collections 200
table time_ns out/*.trace >rows
table wall-ns out/*.trace | sed 's/^/wall-/' >>rows
for trace in out/*.trace; do "$dump" --kind gc --format csv "$trace" 2>dump.err; done |
    awk -F, '$1 == "thread" { for (i = 1; i <= NF; i++) at[$i] = i; next } { sum += $at["duration_ns"] } END { printf "stopped 1 %d\n", sum }' >>rows
holds '  what a method took excludes the collections, and wall-ns has them' \
    'mean["stopped"] > 0 && near(mean["wall-main"] - mean["main"], mean["stopped"], 0.02)'
holds '  those are in the method that asks for them' 'mean["wall-collects"] - mean["collects"] > 3 * (mean["wall-quiet"] - mean["quiet"])'

rm -rf out
"$record" -q -m calls --min-bytes 0 --include 'Chosen.allocates' --counters allocated,page-faults,context-switches -o out -- \
    java -cp . Chosen allocates 20000 >said 2>err
table allocated-bytes out/*.trace >rows
holds 'allocated bytes: 64 arrays of 1024 bytes' 'near(mean["allocates"], 65536, 0.01)'

java -cp . Chosen hot 100000000 >alone
chosen -- java -cp . Chosen hot 100000000
is "$(cat said)" "$(cat alone)" 'a thread whose calls become rare'
stands 'quick(int)' 100000000
table time_ns out/*.trace >rows
holds '  soon has those chosen, too' 'n["slow"] >= 10 && mean["slow"] > 4900000'

printf 'Chosen.down\nChosen.gone\n' >list
rm -rf out
"$record" -q -m calls --methods list -o out -- java -cp . Chosen recursion 500 >said 2>err
table time_ns out/*.trace >rows
is "$(cut -d' ' -f 1 rows)" down '--methods: only calls of these are chosen' || sed 's/^/# /' rows
like err '1 not found.*Chosen.gone' '  one line names those that were not found'

# It is killed when its trace has a hundred calls, however long the JVM takes to start.
cat >killer <<'END'
java -cp . Chosen hot 2000000000 &
program=$!
unset LD_PRELOAD JAVA_TOOL_OPTIONS
until for trace in out/*.trace; do "$1" --kind instance "$trace"; done 2>dump.err |
    awk -F, '$3 == "return" { n++ } END { exit !(n >= 100) }' || ! kill -0 $program; do
    sleep 0.1
done
kill -9 $program
wait
END
rm -rf out
timeout -k 1 600 "$record" -q -m calls --min-bytes 0 --include 'Chosen.*' -o out -- sh killer "$dump" >said 2>err
is $? 0 'a JVM that is killed'
table time_ns out/*.trace >rows
holds '  its calls so far are in the trace' 'n["quick"] > 20'

for java in $(javas); do
    [ "$(version "$(dirname "$(dirname "$java")")")" -ge 21 ] || continue
    "$java" -cp . Chosen virtual 300 >alone
    chosen -- "$java" -cp . Chosen virtual 300
    is "$(cat said)" "$(cat alone)" "virtual threads: the program does the same"
    like err 'calls of virtual threads were to be chosen, and are not measured' '  one line tells that their calls are not measured'
    table time_ns out/*.trace >rows
    holds '  those of others are' 'n["main"] == 1 && !n["quick"]'
done

# What does not go
chosen -E watch -- java -cp . Chosen recursion 1
is $? 2 'engine watch and an option for probes: status 2'
like err 'is for probes: engine watch needs none' '  one line says why'
rm -rf out
"$record" -q -m calls -E watch -o out -- java -cp . Chosen recursion 1 >said 2>err
like err 'only engine hooks chooses calls of a JVM|no watchpoints' 'engine watch: one line says that a JVM is not recorded'
rm -rf out
"$record" -q -m calls -E hooks -c safepoint -o out -- java -cp . Chosen recursion 1 >said 2>err
is "$(cat said)" "$(java -cp . Chosen recursion 1)" 'clock safepoint: the program runs'
like err 'clock safepoint is not for mode calls; this JVM is not recorded' '  one line says that it is not recorded'
"$record" -q -m cpu -E hooks -o no -- true 2>err
is $? 2 'engine hooks in another mode: status 2'
"$record" -q -m calls --give-up-below 1us -o no -- true 2>err
is $? 2 'an option of mode methods: status 2'
done_testing
