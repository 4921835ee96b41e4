#!/bin/sh
# Calls of native programs that their entry hooks choose at random: what they stand for, known distributions, contexts,
# and programs that must not be disturbed. Bounds are five standard errors, or a fifth if that is more. Where calls are
# counted, they are many enough that a few dozen or more of each function are chosen on any machine.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/lib.sh"
record="$build/libexec/assay/assay-record -q -m calls -E hooks --seed 1 -o out"
variance=$build/libexec/assay/assay-variance
victims=$root/tests/victims/calls

# table OPTION...: of the traces in out, as lines "FUNCTION N MEAN SD CV LO HI TREND"
table() {
    "$variance" --confidence 0.9999 --metric thread-cpu-ns --top 0 --format csv "$@" out/*.trace 2>table.err |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            { gsub(/ /, "_", $at["function"]); print $at["function"], $at["n"], $at["mean"], $at["sd"], $at["cv"], $at["cv_lo"], $at["cv_hi"], $at["trend"] + 0 }'
}

# holds TITLE CONDITION: an awk condition on n, mean, sd, cv, lo, hi, trend, each by the function's name
holds() {
    meets "$2"
    ok $? "$1" || sed 's/^/# /' rows
}

# meets CONDITION: whether it is so
meets() {
    awk "{ n[\$1] = \$2; mean[\$1] = \$3; sd[\$1] = \$4; cv[\$1] = \$5; lo[\$1] = \$6; hi[\$1] = \$7; trend[\$1] = \$8
            error[\$1] = \$2 > 1 && \$3 > 0 ? 5 * \$4 / sqrt(\$2) / \$3 : 9; if (error[\$1] < 0.2) error[\$1] = 0.2 }
        function near(a, b, e) { return a > b * (1 - e) && a < b * (1 + e) }
        END { exit !($1) }" rows
}

# stands FUNCTION CALLS: the weights of its instances add up to so many calls, within five standard errors, which are the
# root of the sum of their squares
stands() {
    "$variance" --instances "$1" --format csv out/*.trace 2>table.err |
        awk -F, -v calls="$2" 'NR > 1 { n++; w += $3; squares += $3 * $3 }
            END { d = w - calls; e = 5 * sqrt(squares); print (n > 0 && d <= e && d >= -e), n, w }' >sum
    is "$(cut -d' ' -f 1 sum)" 1 "  $1: the weights add up to $2 calls ($(cut -d' ' -f 2- sum))"
}

# whats: how often each record of an instance says what, as "WHAT COUNT"
whats() {
    for trace in out/*.trace; do "$dump" --kind instance "$trace" 2>>dump.err | sed 1d; done | cut -d, -f 3 |
        grep -v -e cost -e subtracted | sort | uniq -c | awk '{ print $2, $1 }'
}

cat >deep.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
static volatile unsigned long sink;
__attribute__((noinline)) unsigned long quick(unsigned long i) { return sink += i; }
/* Ten instances, one inside the other; the memory on the stack makes exits lower than entries. */
__attribute__((noinline)) unsigned long down(unsigned depth)
{
    volatile char *memory = __builtin_alloca(16 + depth * 32);
    memory[0] = 1;
    return memory[0] + (depth > 0 ? down(depth - 1) : 0) + quick(depth);
}
int main(int count, char **words)
{
    unsigned long n = strtoul(words[count - 1], NULL, 10), sum = 0;
    for (unsigned long i = 0; i < n; i++)
        sum += down(9);
    printf("%lu\n", sum);
}
EOF

of_bimodal='near(mean["bimodal"], mean["constant"] * 60 / 50, 1.5 * error["bimodal"])'
of_spread='lo["bimodal"] < 0.67 && hi["bimodal"] > 0.5'
of_total='near(mean["total"], mean["constant"] * 120 / 50, 1.5 * error["total"])'
for hooks in '-finstrument-functions' '-fpatchable-function-entry=16' '-finstrument-functions -fpatchable-function-entry=16'; do
    # shellcheck disable=SC2086 # words
    {
        "${CC:-gcc}" -O1 -g -pthread -fno-optimize-sibling-calls $hooks -o known "$victims/known.c" || exit 1
        "${CC:-gcc}" -O1 -g -fno-optimize-sibling-calls $hooks -o deep deep.c || exit 1
        "${CXX:-g++}" -O1 -g -pthread -fno-optimize-sibling-calls $hooks -o rough "$victims/rough.cc" || exit 1
        "${CXX:-g++}" -std=c++17 -O1 -g -pthread -fno-stack-protector $hooks -o hard "$victims/hard.cc" || exit 1
    }
    # The host may disturb a recording; one of five is calm.
    for try in 1 2 3 4 5; do
        recorded -- ./known 1200
        status=$?
        table >rows
        meets "$of_bimodal && $of_total && $of_spread" && break
    done
    is $status 0 "$hooks: the program runs"
    for function in constant bimodal growing caller_small; do stands $function 1200; done
    stands leaf 2400
    table --confidence 0.95 >rows
    holds '  growing has a trend, constant has none' 'trend["growing"] > 1 && trend["constant"] < 0.3'
    table >rows
    holds '  constant varies little' 'lo["constant"] < 0.3'
    holds '  20 or 100 units, in turn: 67 %' "$of_spread"
    holds '  their mean is 60, of constant 50' "$of_bimodal"
    holds '  total has 120, with all that it calls' "$of_total"
    table --contexts >rows
    is "$(awk '$1 == "leaf" { e = 5 * $4 / sqrt($2) / $3; print $3, e < 0.2 ? 0.2 : e }' rows | sort -n |
        awk '{ m[NR] = $1; e += $2 } END { r = m[2] / m[1]; print NR, (r > 4 * (1 - e) && r < 4 * (1 + e) && r > 1.5) }')" '2 1' \
        '  leaf takes 80 units below one caller and 20 below the other' || sed 's/^/# /' rows
    is "$("$variance" --contexts --format csv out/*.trace 2>err | awk -F, '$1 == "growing" { print $2; exit }' | sed 's/.* > //')" main \
        '  a context ends in the caller'

    ./deep 3000000 >alone
    recorded -- ./deep 3000000
    is "$? $(cat said)" "0 $(cat alone)" '  recursion: the program does the same'
    stands down 30000000
    stands quick 30000000
    is "$(whats | awk '{ n[$1] = $2 } END { print n["call"] - n["return"], n["left"] + 0, n["too-many"] + 0 }')" '0 0 0' \
        '  every chosen call has returned'

    ./rough 40 >alone
    recorded -- ./rough 40
    is "$? $(cat said)" "0 $(cat alone)" '  jumps, exceptions, other stacks, threads: the program does the same'
    # a process may end in a call that was chosen
    whats >ends
    is "$(awk -v processes="$(ls out | wc -l)" '{ n[$1] = $2 } END { open = n["call"] - n["return"] - n["left"]
            print (n["call"] > 20), (open >= 0 && open <= n["unfinished"] + 20 * processes) }' ends)" '1 1' \
        '  chosen calls have ends' || sed 's/^/# /' ends
    ./hard >alone
    recorded -- ./hard
    is "$? $(cat said)" "7 $(cat alone)" '  frames of every size, threads at the end: the program does the same'
    # after two seconds of CPU time, however long they take
    # shellcheck disable=SC2016
    recorded -- sh -c './known 100000 & known=$!
        while [ "$(awk "{ print \$14 + \$15 < 200 }" /proc/$known/stat)" = 1 ]; do sleep 0.1; done
        kill -9 $known; wait'
    table >rows
    holds '  the calls so far of a program that is killed are in the trace' 'n["leaf"] > 2'
done

# --methods, where functions have room for probes
"${CC:-gcc}" -O1 -g -fno-optimize-sibling-calls -fpatchable-function-entry=16 -o deep deep.c || exit 1
echo down >list
recorded --methods list -- ./deep 3000000
table >rows
is "$(cut -d' ' -f 1 rows)" down '--methods: only calls of these are chosen' || sed 's/^/# /' rows
stands down 30000000
"${CC:-gcc}" -O1 -g -fno-optimize-sibling-calls -finstrument-functions -o deep deep.c || exit 1
recorded --methods list -- ./deep 3000000
like err 'selects no functions of code that was compiled with -finstrument-functions' '  a line tells where functions are not selected'
# A tick while the program follows its return addresses leaves them as they are
cat >trail.c <<'EOF'
#include <execinfo.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#define PLAIN __attribute__((noinline))
static void *first[64];
static int depth;
static long others;
static volatile long sink;
PLAIN void look(void)
{
    void *found[64];
    int count = backtrace(found, 64);
    if (depth == 0) {
        memcpy(first, found, sizeof first);
        depth = count;
    } else if (count != depth || memcmp(first + 2, found + 2, (size_t)(count - 2) * sizeof *found) != 0) {
        others++;
    }
}
PLAIN void down(int left)
{
    if (left > 0)
        down(left - 1);
    for (int i = 0; left == 0 && i < 200; i++)
        look();
    sink++;
}
int main(void)
{
    clock_t end = clock() + CLOCKS_PER_SEC;
    while (clock() < end)
        down(30);
    printf("%ld\n", others);
}
EOF
"${CC:-gcc}" -O1 -g -fno-optimize-sibling-calls -fpatchable-function-entry=16 -o trail trail.c || exit 1
recorded -p 1ms -- ./trail
is "$? $(cat said)" '0 0' 'a tick within backtrace(): it finds the same frames as always'
done_testing
