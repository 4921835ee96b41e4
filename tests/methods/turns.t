#!/bin/sh
# More counters than a run can have take turns over the runs of a series: which runs have which, that those which others are
# related to are in all of them, and that assay phases combines the runs.
. "$(dirname "$0")/lib.sh"
cc -O1 -finstrument-functions -o planted "$root/tests/victims/phases_planted.c" || exit 1
series() {
    rm -rf out
    timeout -k 5 300 "$build/libexec/assay/assay-record" -m methods --max-cost 100% -o out "$@" >said 2>err
}
# of_runs: the counters of each trace, in the order of the runs
of_runs() {
    for trace in out/*.trace; do
        "$build/libexec/assay/assay-info" --format json "$trace" | tr -d ' \n' | grep -o '"counters":\["[^]]*\]' | tail -n 1 | tr -d '"[]' | cut -d : -f 2
    done
}

series --counters page-faults,wall-time,cpu-time,context-switches,allocated --runs 5 -- ./planted
is $? 0 'five counters over five runs: status 0'
# Beside cpu-time a run has space for three of the other four. They are divided evenly: two and two.
is "$(grep -o 'runs [0-9], .*' err)" 'runs 1, 3 and so on count page-faults, wall-time, cpu-time
runs 2, 4 and so on count cpu-time, context-switches, allocated' '  messages list which runs have which'
# A native program has no Java heap.
is "$(of_runs | paste -s -d ' ' -)" \
    'page-faults,wall-ns,thread-cpu-ns thread-cpu-ns,context-switches page-faults,wall-ns,thread-cpu-ns thread-cpu-ns,context-switches page-faults,wall-ns,thread-cpu-ns' \
    '  each trace has its own, and all have CPU time'
"$build/libexec/assay/assay-phases" --weight 0 --grain 0 --format csv -o phases.csv out/*.trace 2>notes
# 20 calls in each run
is "$(awk -F, '$1 == "sort_data" { print $5, $6 }' phases.csv | paste -s -d , -)" \
    'time_ns 100,page-faults 60,wall-ns 60,thread-cpu-ns 100,context-switches 40,page-faults/s 60,context-switches/s 40' \
    'assay phases: each metric is over the calls of the runs that have it'
"$build/libexec/assay/assay-phases" --weight 0 --grain 0 out/*.trace >phases.txt 2>&1
like phases.txt '^not all of the 5 runs have all counters: page-faults in 3, wall-ns in 3, context-switches in 2$' \
    '  and a note says in how many'
"$build/libexec/assay/assay-phases" --anova --weight 0 --grain 0 --format csv -o anova.csv out/*.trace 2>/dev/null
is "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["metric"] ~ /ns$/ { print $at["metric"], $at["dof_within"] }' anova.csv | paste -s -d , -)" \
    'time_ns 301,wall-ns 179,thread-cpu-ns 301' '  degrees of freedom follow: 61 calls in each run, less four methods'

series --counters page-faults,wall-time,cpu-time,context-switches --runs 2 -- ./planted
is "$(grep -c 'and so on' err) $(of_runs | sort -u)" '0 page-faults,wall-ns,thread-cpu-ns,context-switches' \
    'four counters take no turns'
series --counters page-faults,wall-time,cpu-time,context-switches,allocated -- ./planted
is $? 2 'more turns than runs: status 2'
like err 'a run has at most 4, so these take 2 runs in turn: add --runs 2 or more' '  and what to do'
series -m calls --counters cycles,instructions,cpu-time,page-faults,context-switches --runs 2 -- ./planted
is $? 2 'mode calls has at most four counters: status 2'
like err '--counters: at most 4 can be given' '  a message says so'
done_testing
