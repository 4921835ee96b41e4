#!/bin/sh
# Listing 1 of the profiler accuracy paper has a known answer: hot() does nearly all of the work. A clock that
# interrupts anywhere must find it, inlined into cold() or not; one that waits for safepoints must attribute the time to
# cold().
# alone: it measures shares of samples.
. "$(dirname "$0")/lib.sh"
victim Listing1

for java in $(javas); do
    JAVA=$java
    what=$(version "$(dirname "$(dirname "$java")")")
    trace random 5000000 -cp . Listing1 400000000
    is "$status $(cat out)" "0 $("$java" -cp . Listing1 400000000)" "Java $what: the program gives its own result"
    whole '  random: the trace is whole'
    between 80 "$(percent 'Listing1.hot\(' Listing1)" 100 '  random: hot() has the time'
    between 80 "$(percent 'hot\(' '"state": "(compiled|interpreted)", .*Listing1')" 100 \
        '  random: most samples of Java code are in hot()'
    between 50 "$(samples)" 100000 '  random: there are enough samples'
    trace fixed 5000000 -cp . Listing1 400000000
    between 80 "$(percent 'Listing1.hot\(' Listing1)" 100 '  fixed: hot() has the time'
    trace safepoint 5000000 -cp . Listing1 400000000
    whole '  safepoint: the trace is whole'
    between 90 "$(percent 'Listing1.cold\(' Listing1)" 100 '  safepoint: cold() has the time'
    between 50 "$(samples)" 100000 '  safepoint: there are enough samples'
done

trace random 2000000 -Xint -cp . Listing1 10000000
between 50 "$(percent 'Listing1.hot\(' Listing1)" 100 'interpreter: hot() has most of the time'
is "$(samples Listing1 '"state": "compiled"')" 0 '  none of it is compiled'
"$dump" --kind frame out.trace >frames
between 5 "$(awk -F, 'NR > 1 { lines[$4] = 1 } END { for (l in lines) n++; print n }' frames)" 1000000 \
    '  frames distinguish bytecodes'
done_testing
