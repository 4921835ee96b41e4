#!/bin/sh
# Calls that fail: a slice of what tests/faults/every tries. A program whose call fails does the same as always, or ends
# with status 1 or 2 and a line on standard error: no crash, no hang, nothing half-written under its final name, no
# result that lacks something in silence. docs/measurements/faults.md has what all calls showed.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
needs tests/make_trace tests/make_events tests/make_pairs tests/make_accesses tests/faults/fail.so

# A program that does it all wrong is found out.
mkdir -p careless/libexec/assay
ln -s "$build/tests" "$build/lib" careless
ln -s "$build/libexec/assay"/* careless/libexec/assay
rm careless/libexec/assay/assay-export # or the compiler would write through the link
${CC:-cc} -O1 -o careless/libexec/assay/assay-export "$root/tests/faults/careless.c" || echo 'Bail out! no compiler'
ASSAY_BUILD=$scratch/careless "$root/tests/faults/every" --only 'to folded' --calls alloc > found
is $? 1 'a program that takes want of memory badly fails'
sed -n 's/.* fails with 12: //p' found > ways
is "$(cat ways)" "other output with status 0
crash: SIGSEGV
status 1 without a line
half a file: out.folded
left behind: out.folded.x7Kq2a" \
    'each of the five ways is noticed, and want of memory that ends with a line is not'

# Every 41st call beyond the first ten of each kind, in all command lines.
"$root/tests/faults/every" --first 10 --step 41 > all
status=$?
is $status 0 'no call that fails makes an analyzer crash, hang, end without a line or leave something out in silence'
[ $status = 0 ] || sed 's/^/# /' all
between 1000 "$(sed -n 's/ failing calls.*//p' all)" 100000 "$(tail -n 1 all)"

# The recorder and the agents in the measured program: a few calls of each kind, with and without resuming a series.
for which in 'time --runs' 'alone' 'agent: record -o out/ -m methods -- ./work'; do
    "$root/tests/faults/every" --recorder --first 1 --step 1500 --only "$which" > recorded
    is $? 0 "a call that fails changes neither the measured program nor, in silence, what is recorded ($which)" ||
        sed 's/^/# /' recorded
    between 5 "$(sed -n 's/ failing calls.*//p' recorded)" 1000 "$(tail -n 1 recorded)"
done
done_testing
