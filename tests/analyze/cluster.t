#!/bin/sh
# Analyzers of traces as ranks of an MPI job: the same bytes and status as one process, whatever the traces; and
# messages where that is impossible. For tables see cluster_tables.t.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
. "$root/tests/analyze/mpi.sh"
needs tests/make_trace
needs tests/make_pairs
needs tests/make_events
make_trace=$build/tests/make_trace

# samples THREAD COUNT STACK
samples() {
    awk -v thread="$1" -v n="$2" -v stack="$3" 'BEGIN { for (i = 0; i < n; i++) print thread, i, i * 10 + i * i % 7, i * 10, stack }'
}
# Runs of several processes and of different lengths, in three series; a part is 4 million records, so a trace is one part.
for run in 1 2 3 4 5 6 7; do
    for process in a b; do
        { samples main "$run"0 'main;a'; samples helper 7$run 'main;b;a;b'; } |
            "$make_trace" "r$run-$process.trace" series=s run="$run" clock="$(test $run -lt 5 && echo random || echo fixed)"
    done
done
same '1 2 3 8' 'hot' hot --format json r*.trace
same 3 'hot by clock, as text' hot --by clock r*.trace
same 2 'intervals' intervals --format csv r*.trace
same 3 'agree' agree --by clock --format csv r*.trace
same 8 'fewer traces than ranks' hot --threads r1-a.trace
"$programs/assay-hot" --save-state first r[12]*.trace
same 3 'a saved state among traces' hot --format csv first r[3-7]*.trace


i=0
while [ $i -lt 6 ]; do
    "$build/tests/make_events" events$i.trace $((200 + 50 * i)) 12 2
    awk -v seed=$i 'BEGIN {
        srand(seed + 1)
        for (o = 1; o <= 5; o++) printf "object %d 8 m;o%d\n", o % 2, (o + seed) % 5
        for (t = 0; t < 3; t++) for (a = 0; a < 2; a++) printf "total pool/%d %d 0 9 100000\n", t, a
        for (n = 0; n < 200; n++) {
            w = int(3 * rand()); b = 1 + int(64 * rand())
            printf "pair pool/%d %d 0 m:1;f%d:%d m:1;f%d:%d %s 0 1 1 %d %d\n", 3 * rand(), w, 9 * rand(), 3 * rand(),
                9 * rand(), 3 * rand(), (rand() < 0.5) ? "-" : ("loop:" int(1 + 3 * rand())), b, b * rand()
        }
    }' | "$build/tests/make_pairs" pairs$i.trace series=m run=$((i / 2)) mode=waste engine=exact 'command=["prog"]' fp_tolerance=0.01
    printf 'trap main 2 0 m:1;f%d:1 m:1;f2:1 %d 8 2\ntrap main 2 0 m:1;f2:1 m:1;f2:1 1 8 1\n' $i $((i % 2)) |
        "$build/tests/make_pairs" traps$i.trace series=t run=$i mode=silent-load engine=soft 'command=["prog"]' fp_tolerance=0.01
    i=$((i + 1))
done
same 3 'waste' waste --format json pairs*.trace
same 2 'pairs of waste' waste --pairs 0 --format csv pairs*.trace
same 3 'phases' phases --weight 0 --grain 0 --format json events*.trace
same 2 'percentiles of phases' phases --percentiles --format csv events*.trace
same 3 'audit of waste' audit waste --format csv --exact pairs0.trace traps*.trace pairs1.trace

# traces that are damaged, unreadable or given twice
head -c 900 r5-b.trace >cut.trace
echo junk >junk.trace
ln r4-a.trace twin.trace
same 8 'damaged and unreadable traces' hot --format json ./[rcjt]*.trace nowhere.trace
same 3 'damaged traces, as text with warnings' hot --keep-going ./[rcjt]*.trace
same 3 'no readable trace' hot nowhere.trace junk.trace
ranks 3 "$programs/assay-hot" --format csv ./[rcjt]*.trace nowhere.trace >out 2>err
is "$(grep -c 'nowhere.trace' err) $(grep -c 'junk.trace' err) $(grep -c 'twin.trace: is the same file' err)" '1 1 1' \
    'each complaint is printed once, with its file'
ranks 3 "$programs/assay-hot" --frobnicate r1-a.trace >out 2>err
is "$? $(grep -c 'assay-hot:.*frobnicate' err) $(wc -c <out)" '2 1 0' 'an unknown option: one line, status 2'

"$programs/assay-hot" --help >one
ranks 2 "$programs/assay-hot" --help >many 2>err
is "$? $(cmp -s one many; echo $?)" '0 0' '--help is printed once, status 0'
ranks 2 "$programs/assay-hot" --format bogus r1-a.trace >out 2>err
is "$? $(grep -c 'assay-hot:.*bogus' err)" '2 1' 'a bad value: one line, status 2'

# Ranks whose command lines name other traces analyze those of rank 0
# shellcheck disable=SC2016 # the ranks' own variable
ranks 3 sh -c '"$0/assay-hot" --format csv r$((OMPI_COMM_WORLD_RANK + 1))-?.trace $(test $OMPI_COMM_WORLD_RANK = 0 && echo r[4-7]-a.trace)' "$programs" >many 2>err
"$programs/assay-hot" --format csv r1-?.trace r[4-7]-a.trace >one 2>err
cmp -s one many
is $? 0 "the traces are those on rank 0's command line"

# a saved state from a job
ranks 3 "$programs/assay-hot" --save-state of-ranks r*.trace
"$programs/assay-hot" --save-state of-one r*.trace
cmp -s of-ranks of-one
is $? 0 'a saved state has the same bytes as that of one process'

# a rank that dies, and a build without MPI
timeout -k 5 600 mpirun --oversubscribe -n 1 "$programs/assay-hot" r1-a.trace r2-a.trace : -n 1 sh -c 'kill -9 $$' >out 2>err
status=$?
ok "$([ $status -ne 0 ] && [ ! -s out ]; echo $?)" 'a rank that dies ends the job, and nothing is printed'
mkdir -p alone/libexec/assay
cp "$programs/assay-hot" alone/libexec/assay/
OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 alone/libexec/assay/assay-hot r1-a.trace >out 2>err
is "$? $(wc -c <out) $(wc -l <err)" '1 0 1' 'several processes without MPI: status 1, one line'
like err "one of several processes that mpirun or srun has started, but assay can't use MPI" \
    '  the line says what is missing'
PMI_RANK=0 PMI_SIZE=4 "$programs/assay-hot" r1-a.trace >out 2>err
is "$? $(wc -c <out)" '1 0' 'the launcher of another MPI: status 1, no result'
like err 'the MPI that assay was built with sees one' '  a line reports it'
PMIX_RANK=1 "$programs/assay-hot" --format csv r1-a.trace >many 2>err
"$programs/assay-hot" --format csv r1-a.trace >one 2>err
cmp -s one many
is $? 0 'a rank without a number of ranks makes no job'
ASSAY_MPI=0 ranks 2 "$programs/assay-hot" --format csv r1-a.trace >many 2>err
is "$(grep -c . many)" $((2 * $(grep -c . one))) 'ASSAY_MPI=0: each process works for itself'

done_testing
