#!/bin/sh
# Programs on tables as ranks of an MPI job: the same bytes, complaints and status as one process, whatever the tables.
# Parts are small, so that each rank has many. For the protocol alone see rows/rows_ranks_test.c.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
. "$root/tests/analyze/mpi.sh"
ASSAY_PART_BYTES=150
export ASSAY_PART_BYTES

# alike RANKS TITLE PROGRAM OPTION...: like same; assay's lines on standard error are the same, too
alike() {
    numbers=$1 title=$2 program=$3
    shift 3
    "$programs/assay-$program" "$@" </dev/null >one 2>err
    status=$?
    grep '^assay-' err >one.err
    for n in $numbers; do
        ranks $n "$programs/assay-$program" "$@" >many 2>err
        is "$?" $status "$title, $n ranks: status"
        grep '^assay-' err >many.err
        cmp -s one many && cmp -s one.err many.err
        is $? 0 '  the same bytes and complaints'
    done
}

# Runs of three benchmarks: texts with quotes, commas and newlines, and numbers that need more than 62 bits together
awk 'BEGIN {
    srand(7)
    print "bench,clock,run,time,size,share,huge"
    for (i = 0; i < 600; i++)
        printf "\"b%d, \"\"x\"\"\n%s\",%s,%d,%.6f,%d,%.4f,%s\n", i % 3, i % 5 ? "" : " ", i % 2 ? "fast" : "slow",
            i / 6, 10 + i % 3 + rand(), i % 17, rand(), i % 97 ? i ".25" : i % 2 ? "1e300" : "7.123456789012345e-30"
}' >table.csv
all='1 2 3 8'
alike "$all" ci ci --value time,size --by bench,clock --format json table.csv
alike "$all" compare compare --value time --by clock --format json table.csv
alike "$all" anova anova --value time --by bench,clock --format json table.csv
alike "$all" acf acf --value time --by bench --format csv table.csv
alike "$all" history history --by run --value time --group bench,clock --format json table.csv
alike "$all" warmup warmup --within clock --value time --by bench --format json table.csv
alike "$all" fit fit --y time --x size --by bench --format json table.csv
alike "$all" causality causality --method bench --run clock --real time --share share --format json table.csv
awk 'BEGIN {
    print "profiler,method,run,share"
    for (i = 0; i < 240; i++) printf "p%d,\"m%d,\nx\",%d,%.3f\n", i % 3, int(i / 3) % 8, int(i / 24), ((i * 7) % 11 + 1) / 100
}' >shares.csv
alike "$all" agree agree --profiler profiler --method method --run run --share share --format json shares.csv

# values that are kept, values beyond 62 bits, and both
alike '2 8' 'the median' ci --method median --value time --by bench --format json table.csv
alike '2 8' 'values in 113 bits' ci --value huge --by clock --format json table.csv
alike '2 8' 'moments of values in 113 bits' anova --value huge --by clock --format json table.csv
alike 3 'the first values left out' anova --skip-first 7 --value time --by bench --format json table.csv
# The ranks' standard output is a terminal of mpirun's, which already shows the warnings.
same 3 'a text table' compare --value time --by clock table.csv

# many files, formats, units
i=0
while [ $i -lt 12 ]; do
    awk -v i=$i 'BEGIN { print "name,time"; for (r = 0; r < 3 + i * i; r++) print "n" (r + i) % 4 "," r * 1.5 "ms" }' >many-$i.csv
    i=$((i + 1))
done
gzip -k many-11.csv
awk 'BEGIN { for (r = 0; r < 200; r++) printf "{\"name\": \"n%d\\n\", \"time\": %d.5}\n", r % 3, r % 7 }' >lines.json
alike '3 8' 'several files, with units' ci --value time --by name --format json many-*.csv
alike 3 'a group for each file' compare --value time --by-file --format json many-9.csv many-10.csv
alike '2 8' 'a gzipped file' acf --value time --by name --format json many-11.csv.gz
alike '2 8' 'JSON lines' ci --value time --by name --format json lines.json
"$programs/assay-ci" --value time --by name --format json -o result.json many-11.csv 2>err
alike 3 "assay's own JSON" ci --value mean --format json result.json
cat >go.txt <<'END'
goos: linux
BenchmarkA-8   1000   120 ns/op   16 B/op   1 allocs/op
BenchmarkA-8   1000   125 ns/op   16 B/op   1 allocs/op
BenchmarkB-8   1000   220 ns/op   32 B/op   2 allocs/op
BenchmarkB-8   1000   210 ns/op   32 B/op   2 allocs/op
END
alike 3 'output of a benchmark tool' ci --format json go.txt many-0.csv
alike 3 'output of a benchmark tool alone' ci --format json go.txt
ASSAY_PART_BYTES=1000000 alike 8 'a table of one part' ci --value time --by name --format json many-3.csv

# bad input: one line, from rank 0
sed 's/^\(.*\),slow,50,.*/\1,slow,50,"1,5",1,1,1/' table.csv >bad.csv
alike "$all" 'a bad row' ci --value time --by bench --format json bad.csv
alike 3 'bad rows left out' ci --skip-bad --value time --by bench --format json bad.csv
alike 3 'a bad row in one of several files' anova --value time --by name table.csv bad.csv
{ cat table.csv; printf '"open,slow,1,1\n'; } >open.csv
alike 3 'a quote that is not closed' ci --value time open.csv
head -c 3000 many-11.csv.gz | head -c 200 >cut.csv.gz
alike 3 'a damaged file' ci --value time cut.csv.gz
alike 3 'an unknown column' ci --value tme table.csv
alike 3 'a missing file' ci --value time table.csv nowhere.csv
alike 3 'the same file twice' ci --value time table.csv ./table.csv
alike 3 'a file without rows' ci --value time table.csv /dev/null
alike 3 'a bad option' ci --value time,time table.csv
# shellcheck disable=SC2016 # the ranks' own variable
late='test $OMPI_COMM_WORLD_RANK != 0 || sleep 2; exec "$0" "$@"'
ranks 2 sh -c "$late" "$programs/assay-ci" --value time,time table.csv >out 2>err
is "$? $(grep -c '^assay-ci: ' err)" '2 1' 'a bad option: one line, even if rank 0 is late'
ranks 3 "$programs/assay-ci" --value time bad.csv >out 2>err
is "$? $(grep -c '^assay-ci: bad.csv: .*leave such rows out with --skip-bad' err) $(wc -c <out)" '1 1 0' \
    'a complaint is printed once, with status 1'

# files of results
"$programs/assay-anova" --value time --by bench -o one.csv table.csv 2>err
ranks 3 "$programs/assay-anova" --value time --by bench -o many.csv table.csv 2>err
is "$? $(cmp one.csv many.csv; echo $?)" '0 0' '-o writes the same file as one process'

# what only rank 0 has
"$programs/assay-ci" --value time --by bench --format json <table.csv >one 2>err
timeout -k 5 600 mpirun --oversubscribe -n 3 "$programs/assay-ci" --value time --by bench --format json <table.csv >many 2>err
is "$? $(cmp one many; echo $?) $(wc -c <err)" '0 0 0' 'standard input, which only rank 0 has'
mkfifo pipe
cat table.csv >pipe &
ranks 3 "$programs/assay-ci" --value time --by bench --format csv pipe >many 2>err
status=$?
"$programs/assay-ci" --value time --by bench --format csv table.csv >one 2>err
is "$status $(cmp one many; echo $?)" '0 0' 'a pipe, which only rank 0 can read'

# a rank that does not see the file of rank 0, or sees another one
mkdir elsewhere
# shellcheck disable=SC2016 # the ranks' own variable
aside='test $OMPI_COMM_WORLD_RANK != 2 || cd elsewhere; exec "$0" --value time table.csv'
ranks 3 sh -c "$aside" "$programs/assay-ci" >out 2>err
is "$? $(grep -c '^assay-ci: rank 2: table.csv: No such file' err) $(wc -c <out)" '1 1 0' \
    'a rank without the file: status 1 and one line'
head -n 100 table.csv >elsewhere/table.csv
ranks 3 sh -c "$aside" "$programs/assay-ci" >out 2>err
is "$? $(grep -c '^assay-ci: rank 2: table.csv: is not the file that rank 0 sees' err) $(wc -c <out)" '1 1 0' \
    'a rank with another file: status 1 and one line'
sed 's/7/8/g' table.csv >elsewhere/table.csv
ranks 3 sh -c "$aside" "$programs/assay-ci" >out 2>err
is "$? $(grep -c '^assay-ci: rank 2: table.csv: is not the file that rank 0 sees' err) $(wc -c <out)" '1 1 0' \
    'a rank with another file of the same length: status 1 and one line'
# shellcheck disable=SC2016
ranks 3 sh -c '"$0" --value time --by name $(test $OMPI_COMM_WORLD_RANK = 0 && echo many-[4-6].csv || echo many-1.csv)' \
    "$programs/assay-ci" >many 2>err
"$programs/assay-ci" --value time --by name many-[4-6].csv >one 2>err
cmp -s one many
is $? 0 "the tables are those on rank 0's command line"

# a rank that dies; processes that work for themselves
timeout -k 5 600 mpirun --oversubscribe -n 1 "$programs/assay-ci" --value time table.csv : -n 1 sh -c 'kill -9 $$' >out 2>err
status=$?
ok "$([ $status -ne 0 ] && [ ! -s out ]; echo $?)" 'a rank that dies ends the job, and nothing is printed'
ASSAY_MPI=0 ranks 2 "$programs/assay-ci" --value time --format csv table.csv >many 2>err
"$programs/assay-ci" --value time --format csv table.csv >one 2>err
is "$(grep -c . many)" $((2 * $(grep -c . one))) 'ASSAY_MPI=0: each process works for itself'
done_testing
