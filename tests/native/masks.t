#!/bin/sh
# Programs that block every signal, as many libraries' threads do: they are sampled nevertheless, and their masks and
# own signals look as without the agent.
# alone: it counts ticks.
. "$(dirname "$0")/lib.sh"
compile masks -O1 -g || exit 1
compile usage -O1 || exit 1

for way in threads told own wait; do
    metered $way ./masks $way >$way.said
    is "$? $(cat $way.said)" '0 ' "$way: the program behaves as without the agent"
done

# Two threads that burn 400 ms each: a sample for every 10 ms, that is 80 without those that could not be delivered.
between 0 "$(lost threads 'not delivered')" "$(($(hidden threads 10) + $(waited threads)))" \
    'no tick is lost in threads that block every signal'
between "$(awk "BEGIN {least = 40 - $(merged threads 10); print (least > 1 ? least : 1)}")" "$(samples threads)" 100000 '  which have samples'

# Debug registers trap in such threads, too; where they can't be had the recorder reports it.
"$build/libexec/assay/assay-record" -q -m silent-load -p 1ms --seed 1 -o watched -- ./masks threads >watched.said 2>watched.err
status=$?
if grep -q 'no watchpoints' watched.err; then
    is "$status $(cat watched.said)" '1 ' 'without watchpoints the program is not run'
else
    is "$status $(cat watched.said)" '0 ' 'with watchpoints the program behaves as without the agent'
    between 5 "$("$build/libexec/assay/assay-dump" --kind trap watched/*.trace 2>/dev/null | wc -l)" 1000000 \
        '  and the watchpoints trap'
fi
done_testing
