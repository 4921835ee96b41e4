#!/bin/sh
# Traces divided into many parts: every analyzer reports the same as for the traces in one part, whatever the number of
# threads. Parts end with a chunk, so chunks are small here.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
needs tests/make_trace
needs tests/make_pairs
needs tests/make_events
programs=$build/libexec/assay
CHUNK=64
export CHUNK

# samples THREAD COUNT STACK
samples() {
    awk -v thread="$1" -v n="$2" -v stack="$3" 'BEGIN { for (i = 0; i < n; i++) print thread, i, i * 1000 + i * i % 977, i * 1000, stack }'
}
for run in 1 2 3; do
    { samples main "$run"000 'main;a'; samples helper "7$run" 'main;b;a;b'; } |
        "$build/tests/make_trace" "r$run.trace" series=s run="$run" clock="$(test $run = 3 && echo fixed || echo random)" period_ns=1000 spread_ns=500
    awk -v run=$run 'BEGIN { for (i = 0; i < 1000; i++) {
            printf "pair t/%d 0 1 main:1;a:3 main:1;b:%d - 0 %d %d %d %d\n", i % 3, i % 7, 2 + run, i % 2, 16, 8 * (i % 2)
            printf "total t/%d 0 1 10 80\n", i % 3 } }' | "$build/tests/make_pairs" "w$run.trace" series=w run="$run"
    "$build/tests/make_events" "m$run.trace" "${run}000" 12 2
done

# same TITLE PROGRAM OPTION...: in parts of 64, 100 and 1,000 records, by 1 and 3 threads
same() {
    title=$1 program=$programs/assay-$2
    shift 2
    "$program" "$@" >whole 2>err
    status=$?
    is "$status" 0 "$title: status 0"
    for parts in 64 100 1000; do
        for jobs in 1 3; do
            ASSAY_PART_RECORDS=$parts "$program" -j $jobs "$@" >cut 2>err
            is "$?" 0 "$title, parts of $parts records, -j $jobs"
            cmp whole cut >difference 2>&1
            is $? 0 '  the same bytes' || { diff whole cut | head -5; } | sed 's/^/# /'
        done
    done
}
same 'hot by thread' hot --threads --format json r1.trace r2.trace
same 'waste, pairs' waste --pairs 0 --format csv w1.trace w2.trace
same 'phases' phases --weight 1% --grain 0 --format csv m1.trace m2.trace m3.trace
same 'phases, percentiles' phases --percentiles --format csv m1.trace m2.trace
same 'phases, ANOVA' phases --anova --weight 1% --grain 0 --format csv m1.trace m2.trace
same 'phases, plane' phases --plane --format csv m1.trace

# Every analyzer, on traces of all kinds; the order of its arguments makes no difference either, nor do saved states.
for program in "$programs"/assay-*; do
    "$program" --help | grep -q '^ *--save-state=' || continue
    verb=${program##*/assay-} options=
    case $verb in
    agree) options='--by clock' ;;
    audit | cache | causality | strides) continue ;; # their traces are made in audit.t, cache.t, causality.t and strides.t
    esac
    # shellcheck disable=SC2086
    same "$verb" "$verb" $options --format csv r1.trace r2.trace r3.trace w1.trace w2.trace m1.trace m2.trace
    between 2 "$(wc -l <whole)" 100000 "$verb: the result has rows"
    # shellcheck disable=SC2086
    "$program" $options --format csv m2.trace r3.trace w2.trace r2.trace m1.trace w1.trace r1.trace >other 2>err
    cmp whole other >difference 2>&1
    is $? 0 "$verb: the same for another order of the traces" || { diff whole other | head -5; } | sed 's/^/# /'
    # shellcheck disable=SC2086
    { "$program" $options --save-state first m1.trace m2.trace r1.trace && "$program" $options --save-state second r2.trace r3.trace w1.trace w2.trace; } 2>err
    # shellcheck disable=SC2086
    "$program" $options --format csv first second >other 2>err
    cmp whole other >difference 2>&1
    is $? 0 "$verb: the same from saved states" || { diff whole other | head -5; } | sed 's/^/# /'
    "$programs/assay-merge" -o all second first 2>err
    # shellcheck disable=SC2086
    "$program" $options --format csv all >other 2>err
    cmp whole other >difference 2>&1
    is $? 0 "$verb: the same from merged states" || { diff whole other | head -5; } | sed 's/^/# /'
done
done_testing
