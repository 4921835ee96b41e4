#!/bin/sh
# Analyzers as ranks of an MPI job: the same bytes and status as one process, whatever the traces are like; and what is
# told where that can't be.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
[ -e "$build/lib/assay/libassay-mpi.so" ] || skip_all 'built without MPI'
command -v mpirun >/dev/null || skip_all 'there is no mpirun'
scratch
needs tests/make_trace
programs=$build/libexec/assay
make_trace=$build/tests/make_trace
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_btl_vader_single_copy_mechanism

# ranks N COMMAND...
ranks() {
    n=$1
    shift
    timeout -k 5 120 mpirun --oversubscribe -n "$n" "$@" </dev/null
}
ranks 2 true 2>err || skip_all "mpirun can't start two processes here: $(grep -m 1 '[a-z]' err)"

# same RANKS TITLE PROGRAM OPTION...: by one process and by each of these numbers of ranks
same() {
    numbers=$1 title=$2 program=$3
    shift 3
    "$programs/assay-$program" "$@" >one 2>err
    status=$?
    for n in $numbers; do
        ranks $n "$programs/assay-$program" "$@" >many 2>err
        is "$?" $status "$title, $n ranks: status"
        cmp -s one many
        is $? 0 '  the same bytes'
    done
}

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
same 3 'hot by clock, for people' hot --by clock r*.trace
same 2 'intervals' intervals --format csv r*.trace
same 3 'agree' agree --by clock --format csv r*.trace
same 8 'one trace, fewer than ranks' hot --threads r1-a.trace
"$programs/assay-hot" --save-state first r[12]*.trace
same 3 'a saved state among traces' hot --format csv first r[3-7]*.trace

# what is damaged, can't be read, or is there twice
head -c 900 r5-b.trace >cut.trace
echo junk >junk.trace
ln r4-a.trace twin.trace
same 8 'damaged and unreadable' hot --format json ./*.trace nowhere.trace
same 3 'for people, with warnings' hot --keep-going ./*.trace
same 3 'nothing that can be read' hot nowhere.trace junk.trace
ranks 3 "$programs/assay-hot" --format csv ./*.trace nowhere.trace >out 2>err
is "$(grep -c 'nowhere.trace' err) $(grep -c 'junk.trace' err) $(grep -c 'twin.trace: is the same file' err)" '1 1 1' \
    'each complaint comes once, with its file'
ranks 3 "$programs/assay-hot" --frobnicate r1-a.trace >out 2>err
is "$? $(grep -c 'assay-hot:.*frobnicate' err) $(wc -c <out)" '2 1 0' 'bad usage: told once, status 2'

# a partial state of a job
ranks 3 "$programs/assay-hot" --save-state of-ranks r*.trace
"$programs/assay-hot" --save-state of-one r*.trace
cmp -s of-ranks of-one
is $? 0 'a saved state has the same bytes, too'

# a rank that dies, and a build without MPI
timeout -k 5 120 mpirun --oversubscribe -n 1 "$programs/assay-hot" r1-a.trace r2-a.trace : -n 1 sh -c 'kill -9 $$' >out 2>err
status=$?
ok "$([ $status -ne 0 ] && [ ! -s out ]; echo $?)" 'a rank that dies ends the job, and nothing is printed'
mkdir -p alone/libexec/assay
cp "$programs/assay-hot" alone/libexec/assay/
OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 alone/libexec/assay/assay-hot r1-a.trace >out 2>err
is "$? $(wc -c <out) $(wc -l <err)" '1 0 1' 'several processes without MPI: status 1, one line'
like err "one of several processes that mpirun or srun has started, but assay can't use MPI" '  which says what to do'

# what reads tables does so in rank 0 alone
printf 'x,v\na,1\na,2\nb,3\nb,5\n' >table.csv
same 3 'tables' ci --value v --by x --format csv table.csv
done_testing
