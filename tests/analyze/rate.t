#!/bin/sh
# assay rate: samples per interval of recordings whose samples are known, and the bounds of the recording.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
needs tests/make_trace
rate=$build/libexec/assay/assay-rate
make_trace=$build/tests/make_trace
CHUNK=7
export CHUNK

# rows FILE [OPTION...]: without the path, rows joined by blanks
rows() {
    "$rate" --format csv "$@" 2>err | sed '1d; s/[^,]*,//' | tr '\n' ' '
}

# bad usage and bad input
"$rate" >out 2>err
is "$? $(wc -c <out)" '2 0' 'no trace: bad usage, nothing printed'
for bad in 0 -1s 1h x; do
    "$rate" --interval="$bad" x.trace >out 2>err
    is "$? $(grep -c -- "$bad" err)" '2 1' "--interval $bad is refused"
done
: | "$make_trace" empty.trace
"$rate" --format csv empty.trace >out 2>err
is "$? $(cat out)" '1 trace,from_s,to_s,samples,per_s' 'no samples: only the header, status 1'
like err 'no samples' '  a line reports it'

# A thread is sampled at 5, 15, 25, … ms, but not from 1 s to 2.5 s; another one at 3.0025, 3.0075, … s. The process
# started at 1 s of the clock, and the last sample is at 3.995 s of the recording.
awk 'BEGIN {
    for (i = 0; i < 400; i++) if (i < 100 || i >= 250) printf "main %d %.0f 0\n", i, 1000000000 + 5000000 + i * 10000000
    for (i = 0; i < 100; i++) printf "helper %d %.0f 0\n", i, 4002500000 + i * 5000000
}' >samples
"$make_trace" two.trace start_monotonic_ns=1000000000 <samples
is "$(rows two.trace)" '0,1,100,100 1,2,0,0 2,3,50,50 3,3.995,200,201.00502512562815 ' 'two threads and a gap'
is "$(rows --interval 2s two.trace)" '0,2,100,50 2,3.995,250,125.31328320802004 ' 'longer intervals'
is "$(rows --interval 500 two.trace | cut -d ' ' -f 1-3)" '0,0.5,50,100 0.5,1,50,100 1,1.5,0,0' 'a plain number is in ms'
is "$(rows --interval 1min two.trace)$(grep -c -- "'1min'" err)" 1 'minutes are refused'
is "$(rows --interval 10s two.trace)" '0,3.995,350,87.60951188986233 ' 'an interval ends with the recording'
"$rate" two.trace >out
like out '^1 of 4 intervals has no samples' 'an empty interval is counted'
like out '^trace +from_s +to_s +samples +per_s' 'the columns'

# the recording: from its start or the first sample, to the last sample or the last look at a thread
"$make_trace" first.trace <samples
is "$(rows first.trace | cut -d ' ' -f 1,4)" '0,1,100,100 3,3.99,199,201.010101010101' \
    'an unknown start: intervals begin at the first sample'
{ cat samples; echo role main native 0 4000000000 6500000000; } | "$make_trace" tail.trace start_monotonic_ns=1000000000
is "$(rows tail.trace | cut -d ' ' -f 4-6)" '3,4,200,200 4,5,0,0 5,5.5,0,0' \
    'a sampler that stops: empty intervals up to the end'
printf 'main 1 1000000000 0\nmain 2 2000000000 0\nmain 3 3000000000 0\n' | "$make_trace" edges.trace
is "$(rows edges.trace)" '0,1,1,1 1,2,2,2 ' 'a sample at a bound is in the later interval, at the end in the last one'
printf 'main 1 0 0\nmain 2 0 0\n' | "$make_trace" timeless.trace
"$rate" timeless.trace >out 2>err
is $? 1 'samples without times: status 1'
like err 'timeless.trace: its samples have no times' '  a line reports it'
"$rate" --interval 1us two.trace >out 2>err
is $? 1 'too many intervals: status 1'
like err 'two.trace: 3995000 intervals are more than 1000000; choose a longer --interval' '  a line says what to do'
"$rate" --interval 1us edges.trace two.trace >out 2>err
is $? 1 '  also in one trace among several'

# every format, the figure, and the same however traces are divided, ordered and merged
for format in text tsv json markdown latex html; do
    "$rate" --format $format two.trace >out 2>err
    is "$? $(grep -c 201 out | awk '{ print ($1 > 0) }')" '0 1' "--format $format: status 0, with the rate"
done
"$rate" --plot rate.svg two.trace first.trace >out 2>err
is "$? $(grep -c 'Samples per second' rate.svg | awk '{ print ($1 > 0) }')" '0 1' '--plot: the figure names its axis'
"$rate" --format csv first.trace tail.trace two.trace >whole
for jobs in 1 4; do
    ASSAY_PART_RECORDS=7 "$rate" -j $jobs --format csv two.trace tail.trace first.trace >out 2>err
    is "$(cat out)" "$(cat whole)" "-j $jobs, small parts and another order give the same bytes"
done
"$rate" --save-state one.state first.trace
"$rate" --save-state two.state two.trace tail.trace
"$build/libexec/assay/assay-merge" -o all.state two.state one.state
for states in 'one.state two.state' all.state 'one.state two.trace tail.trace'; do
    # shellcheck disable=SC2086
    "$rate" --format csv $states | sort >out
    is "$(cat out)" "$(sort whole)" "saved states give the same rows: $states"
done
"$rate" --interval 2s --save-state long.state two.trace
is "$(rows long.state)" "$(rows --interval 2s two.trace)" 'a saved state keeps its intervals'
sed 's/\[100,/[/' long.state >bad.state
"$rate" bad.state >out 2>err
is "$? $(grep -c 'bad.state: the saved state is damaged' err)" '1 1' 'a damaged state: status 1 and one line'
done_testing
