#!/bin/sh
# Mode spatial-load on programs that map, unmap, move, resize and protect pages at random, against their own model of which
# page belongs to which object: every pair of loads, for each place that maps (mappings.c).
. "$(dirname "$0")/../tap.sh"
[ "$(uname -m)" = x86_64 ] || skip_all 'the program is for x86-64'
command -v valgrind >/dev/null || skip_all 'valgrind is not installed'
scratch
"${CC:-gcc}" -std=c17 -D_GNU_SOURCE -O1 -g -o mappings "$root/tests/exact/mappings.c" || exit 1
for seed in ${SEEDS:-1 2 3 4 5 6}; do
    "$build/libexec/assay/assay-record" -q --engine exact --mode spatial-load -o "out$seed" -- ./mappings "$seed" 6000 >expected 2>log
    found=$("$build/libexec/assay/assay-waste" -q --pairs 0 --objects 0 --format csv "out$seed"/*.trace | python3 -c '
import collections, csv, re, sys
events, wasted = collections.Counter(), collections.Counter()
for row in csv.DictReader(sys.stdin):
    place = re.search(r"(first_place|second_place|stack_place)", row["object"])
    if place and row["storage"] == "mapped" and row["pair"] == "all":
        events[place[1]] += int(row["events"])
        wasted[place[1]] += int(row["wasted_events"])
for place in sorted(events):
    print(place, events[place], wasted[place])')
    is "$found" "$(cat expected)" "seed $seed: the events and wasted events of each place that maps"
    [ -s log ] && sed 's/^/# /' log
done
done_testing
