#!/bin/sh
# assay hot: shares and intervals with known answers, runs of several processes, and the same bytes for any -j, any
# order of arguments and any split into partial states.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
needs tests/make_trace
programs=$build/libexec/assay
make_trace=$build/tests/make_trace
hot() {
    "$programs/assay-hot" "$@" 2>err
}
# samples THREAD COUNT STACK
samples() {
    awk -v thread="$1" -v n="$2" -v stack="$3" 'BEGIN { for (i = 0; i < n; i++) print thread, i, i * 10, i * 10, stack }'
}
# trace NAME RUN CLOCK A B: A samples of main;a and B of main;b;a
trace() {
    { samples main "$4" 'main;a'; samples helper "$5" 'main;b;a;b'; } |
        "$make_trace" "$1.trace" series=s run="$2" clock="$3"
}

# Shares of b by run: 10/100, 20/100, 30/100. Mean 0.2, sd 0.1, t(0.975, 2) = 4.3026527297494637 (tables of Student's t:
# 4.303): half width q = t * 0.1 / sqrt(3) = 0.24841377118... 0.2 - q is not a share, so Wilson's interval with t in place of z and
# n = 0.2 * 0.8 / (0.01 / 3) = 48 (stats/estimates/proportion.h). Shares of a: 0.9, 0.8, 0.7, so 1 less those bounds.
trace r1 1 random 90 10
trace r2 2 random 80 20
trace r3 3 random 70 30
hot --format csv -o all.csv r1.trace r2.trace r3.trace
is $? 0 'good traces: status 0'
is "$(head -n 1 all.csv)" 'rank,method,share,lo,hi,half_width,samples,runs' 'the columns'
is "$(cut -d, -f1-3,7,8 all.csv | tail -n +2)" "$(printf '1,a,0.8,240,3\n2,b,0.2,60,3')" 'self shares, samples, runs'
is "$(awk -F, '$2 == "b" { printf "%.9f %.9f %.9f", $4, $5, $6 }' all.csv)" '0.056551375 0.510449396 0.226949010' \
    'an interval stays within 0 and 1'
trace w1 1 random 50 50
trace w2 2 random 60 40
trace w3 3 random 40 60
is "$(hot --format csv w?.trace | awk -F, '$2 == "b" { printf "%.9f %.9f %.9f", $4, $5, $6 }')" '0.251586229 0.748413771 0.248413771' \
    '  away from them it is the mean ± t s / sqrt n'
: | "$make_trace" void.trace series=s run=9 clock=random
hot -q void.trace >out
is "$? $(cat err)" '1 assay-hot: 1 of 1 run has no samples and is left out' 'no sample at all: status 1 and one line, even with -q'
hot r1.trace void.trace >out
is $? 0 'a trace with samples beside one without: status 0'
like err '1 of 2 runs has no samples and is left out' '  a warning reports the one without'
is "$(hot --method z --format csv r?.trace | awk -F, '$2 == "b" { printf "%.9f", $6 }')" 0.113158573 \
    '--method z: the half width is 1.959964 s / sqrt n'
is "$(hot --inclusive --format csv r?.trace | cut -d, -f2,3,7 | tail -n +2)" "$(printf 'a,1,300\nmain,1,300\nb,0.2,60')" \
    '--inclusive: a recursive method counts once per sample'
is "$(hot --threads --format csv r?.trace | cut -d, -f2,3,4,8 | tail -n +2)" "$(printf 'main,a,0.8,240\nhelper,b,0.2,60')" \
    '--threads: rows by thread'
is "$(hot --top 1 --format csv r?.trace | tail -n +2 | cut -d, -f2)" a '--top 1: the first row alone'
is "$(hot --top 1 r?.trace | grep -c '1 more rows with 20.00 %')" 1 'what --top leaves out is reported'
is "$(hot --format csv r1.trace | tail -n 1)" '2,b,0.1,,,,10,1' 'one run has neither an interval nor NaN'
is "$(hot r1.trace | grep -c 'one run gives no interval')" 1 '  a note reports it'

# two processes of one run are one run
cp r1.trace r1-child.trace
is "$(hot --format csv r1.trace r1-child.trace | tail -n 1)" '2,b,0.1,,,,20,1' 'processes of a run add up'
samples main 10 'main;a' | "$make_trace" slash1.trace series=x/y run=1 clock=z
samples main 10 'main;a' | "$make_trace" slash2.trace series=x run=1 clock=y/z
is "$(hot --format csv slash1.trace slash2.trace | tail -n 1 | cut -d, -f7,8)" 20,2 \
    'runs of two series are two, wherever the slashes of their names are'
hot --format csv r1.trace r1.trace >twice.csv
is "$(tail -n 1 twice.csv) $(grep -c 'the same file' err)" '2,b,0.1,,,,10,1 1' \
    'a trace named twice counts once, with a warning'

# clocks
trace s1 1 safepoint 0 100
hot --format csv r1.trace s1.trace >mixed.csv
is "$(grep -c -e '--by clock' err)" 1 'runs with different clocks: a warning'
is "$(hot --by clock --format csv r?.trace s1.trace | cut -d, -f1-4,9 | tail -n +2)" \
    "$(printf 'random,1,a,0.8,3\nrandom,2,b,0.2,3\nsafepoint,1,b,1,1')" '--by clock: a table for each clock'
{ samples main 30 'main;a'; samples main 10 'main;b'; samples main 60 '[JIT]'; samples main 20 'main;[libc]'; } |
    "$make_trace" all.trace series=s run=9 clock=all
{ samples main 20 'main;[libc]'; samples main 20 'main;c'; } | "$make_trace" some.trace series=s run=8 clock=some
is "$(hot --by clock --format csv all.trace some.trace | cut -d, -f1-4 | tail -n +2 | tr '\n' ' ')" \
    'all,1,a,0.5 all,2,[libc],0.3333333333333333 all,3,b,0.16666666666666666 some,1,[libc],0.5 some,2,c,0.5 ' \
    '--by clock: shares are of the code that all clocks see'
is "$(grep -c 'all: 50.00 % of the samples are in code that not all of them see (\[JIT\]) and are left out' err)" 1 \
    '  a message reports what is left out'
is "$(hot --format csv all.trace | sed -n 2p | cut -d, -f2,3)" '[JIT],0.5' '  a clock alone keeps all of its code'
for name in d c b a; do samples main 10 "[$name]"; done | "$make_trace" ties.trace series=s run=7 clock=ties
hot --by clock --format csv ties.trace some.trace >/dev/null
is "$(grep -c 'not all of them see (\[a\], \[b\], \[c\], and others)' err)" 1 \
    '  the message names code of equal weight in the order of names'

# the same bytes, however the work is divided
i=0
while [ $i -lt 12 ]; do
    { samples main $((100 + i * 7)) 'main;x;a'; samples "pool/$i" $((50 + i)) "main;w$((i % 5))"; samples main 30 main; } |
        CHUNK=16 "$make_trace" "m$i.trace" series=m run=$((i / 2)) clock=random
    i=$((i + 1))
done
for options in '' '--threads --inclusive' '--lines --by clock'; do
    # shellcheck disable=SC2086
    hot $options --format json -j 1 m?.trace m1?.trace >one
    for jobs in 2 3 8; do
        # shellcheck disable=SC2086
        hot $options --format json -j $jobs m1?.trace m9.trace m[0-8].trace >many
        [ -s one ] && cmp -s one many
        is $? 0 "-j $jobs and another order give the same bytes: hot $options"
    done
    # shellcheck disable=SC2086
    hot $options --format csv m?.trace m1?.trace >one
    hot --save-state a.state m[0-4].trace
    hot --save-state b.state m[5-9].trace
    "$programs/assay-merge" -o ab.state b.state a.state
    # shellcheck disable=SC2086
    hot $options --format csv m1?.trace ab.state >many
    [ -s one ] && cmp -s one many
    is $? 0 "merged partial states give the same bytes: hot $options"
done

# formats
is "$(hot --format json r?.trace | tr -d ' \n' | sed 's/.*"results":\[{\([^}]*\)}.*/\1/; s/"lo".*"samples"/…/')" \
    '"rank":1,"method":"a","share":0.8,…:240,"runs":3' 'JSON: flat objects with the column names'
is "$(hot --format markdown r?.trace | head -n 2)" "$(printf '| rank | method | share | lo | hi | half\\_width | samples | runs |\n|---:|---|---:|---:|---:|---:|---:|---:|')" \
    'Markdown: a table'
is "$(hot --format latex r?.trace | grep -c -e toprule -e bottomrule -e '& 80.00\\%')" 3 'LaTeX: a table'
is "$(hot --format macros r?.trace | grep -c '^.assayvalue{hot.a.[a-z_]*}{')" 9 'LaTeX: each value, and the interval, by name'
is "$(hot --format tsv r?.trace | awk -F '\t' 'NR == 2 { print NF, $2 }')" '8 a' 'TSV: eight columns'
is "$("$programs/assay-export" --to folded r1.trace s1.trace)" "$(printf 'main;a 90\nmain;b;a;b 110')" \
    'folded stacks of two traces'
is "$("$programs/assay-export" --to folded --threads r1.trace)" "$(printf 'helper;main;b;a;b 10\nmain;main;a 90')" \
    'folded stacks by thread'
is "$("$programs/assay-dump" r1.trace | awk -F, 'NR == 1 || NR == 101 { print $2, $NF }' | tr '\n' ' ')" 'time_ns method 890 a ' \
    'dump: samples as CSV, with their methods'
done_testing
