#!/bin/sh
# datasets/warmup/reproduce: bad settings are refused, and a series that is complete is classified without another run.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
reproduce=$root/datasets/warmup/reproduce
PROCESSES=0 OUT=$PWD/none "$reproduce" >out 2>err
is "$? $(cat err)" "2 reproduce: '0': PROCESSES and ITERATIONS must be whole numbers above 0" 'no process: refused'
ITERATIONS=3 OUT=$PWD/none "$reproduce" >out 2>err
is "$? $(cat err)" '2 reproduce: ITERATIONS=3: a classification needs four' 'three iterations: refused'
is "$(ls)" 'err
out' '  and nothing is made'
if [ "$(dpkg-query -W -f '${db:Status-Status}' libantlr-java 2>/dev/null)" != installed ] || ! command -v javac >/dev/null; then
    skip 'libantlr-java or javac is not installed'
else
    # Two processes of antlr: iterations of 300 ms until the tenth, then 100 ms.
    mkdir series
    echo 40 >series/iterations
    for process in 1 2; do
        awk 'BEGIN { print "wall_ns,cpu_ns,thread_ns"; t = 5000
            for (i = 0; i <= 40; i++) { printf "%.0f,%.0f,%.0f\n", t, t, t; t += (i < 10 ? 300 : 100) * 1000000 + i % 3 * 100000 } }' \
            >series/antlr-$process.moments
    done
    PROCESSES=2 ITERATIONS=40 WORKLOADS=antlr OUT=$PWD/series "$reproduce" >out 2>err
    is $? 0 'a complete series is classified'
    like out '^antlr +warm-up +2 warm-up +10 ' '  the iterations are the differences of moments'
    ITERATIONS=50 WORKLOADS=antlr OUT=$PWD/series "$reproduce" >out 2>err
    is "$? $(cat err)" \
        "2 reproduce: $PWD/series holds a series of ITERATIONS=40: remove it, or choose another OUT" \
        'a series of other iterations is not mixed in'
fi
done_testing
