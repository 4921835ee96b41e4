#!/bin/sh
# Formats of benchmark tools besides those of bench_format_test.c, in files modelled on the tools' output; the expected
# numbers are in those files.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
harness=$root/tests/table/import
scratch
ci() { "$build/libexec/assay/assay-ci" "$@"; }

# is_read FILE FIELDS EXPECTED WHAT: these fields of the lines that ci prints for FILE, with | after each line
is_read() {
    ci --within none --format tsv "$harness/$1" >out 2>err
    is "$(tail -n +2 out | cut -f "$2" | tr '\t\n' ';|')" "$3" "$4"
}
# warns MESSAGE WHAT
warns() {
    grep -qF -- "$1" err
    ok $? "$2" || sed 's/^/# /' err
}

is_read hyperfine.csv 1-4 'sort, quickly;1;1;0.0625|sleep 0.25;2;1;0.25|' "hyperfine: CSV"
warns 'holds one mean per benchmark, not its runs, which hyperfine --export-json writes' \
    '  a warning says that it holds means'
is_read pytest.json 1-4 'tests/t.py::test_a[1];1;2;1.5|tests/t.py::test_a[2];2;1;2.5|' \
    'pytest-benchmark: rounds, or a mean without them'
warns 'one mean per benchmark, not its rounds' '  a warning names the benchmark without rounds'
is_read pytest.csv 1-4 'tests/t.py::test_a[1];1;1;1.5|tests/t.py::test_b;;1;2.5|' 'pytest-benchmark: CSV'
is_read nanobench.json 1-4 'copy;benchmark;2;2.5e-09|' 'nanobench: epochs'
is "$(wc -l <err)" 0 '  without a warning'
is_read nanobench.csv 1-4 'division_float;benchmark;1;4.472e-05|division_double;benchmark;1;5.02304347826087e-05|' \
    'nanobench: CSV'
is_read nanobench.md 1-4 'division_float;benchmark;1;44720|division_double;benchmark;1;50230.43|cblas;sswap;1;4.4|' \
    'nanobench: Markdown with commas, signs of instability and columns before the name'
ci "$harness/nanobench.md" >out 2>err
like out '^unit: ns/op$' '  with its unit'
is_read catch2.xml 1-3 'Build <Point>/fast;1;162750|Build <Point>/slow;1;1856890|' \
    'Catch2: XML; the name is test case/benchmark'
# means by hand from the lines below each name: 30.9447 us is 30944.7 ns
is_read catch2.txt 1-3 'Fibonacci/fib 10;1;242.894|Fibonacci/fib 20;1;30944.7|Fibonacci/a name that is far longer than the column that Catch2 gives to a name, 15;1;2716.04|Sections/small/fib;1;20.3047|Sections/large, with 100 1 2.5 s in it/fib;1;80285.1|Failing/fine after;1;639.406|' \
    'Catch2: console output with long names, sections and units'
warns '1 of 7 rows were left out; the first: ' '  a failed benchmark is left out'
warns '1 run failed (no luck)' '  a warning gives the reason of its failure'
ci --format tsv --value 'std dev' "$harness/catch2.txt" 2>/dev/null >out
is "$(sed -n 3p out | cut -f 3)" 2848.81 '  its standard deviation is a column'
cat >no-analysis <<'END'
benchmark name                            samples    iterations          mean
-------------------------------------------------------------------------------
fib 10                                          20           109    254.093 ns 
fib 20                                          20             1         1.5 m 
END
ci --format tsv no-analysis 2>/dev/null >out
is "$(tail -n +2 out | cut -f 1-3 | tr '\t\n' ';|')" 'fib 10;1;254.093|fib 20;1;90000000000|' \
    'Catch2: console output without analysis, in minutes'
first=$(grep -n '^fib 10 ' "$harness/catch2.txt" | cut -d: -f 1)
for cut in 0 1; do
    head -n "$((first + cut))" "$harness/catch2.txt" | ci >out 2>err
    is $? 1 "Catch2: output cut $cut lines after a name: status 1"
    warns 'breaks off in the figures of ' '  a line reports the cut'
done
head -n "$((first + 2))" "$harness/catch2.txt" | ci >out 2>err
is $? 0 'Catch2: output cut between two benchmarks: status 0'
warns "breaks off before Catch2's totals" '  a warning reports the cut'
sed "${first}s/109/1x9/" "$harness/catch2.txt" | ci >out 2>err
is $? 1 'Catch2: invalid figures: status 1'
warns "line $((first + 1)) has times, but the line before does not say of what" '  a line reports their place'
is_read catch2-sections.xml 1-3 "$(sed -n 's/.*<mean value="\([^"]*\)".*/\1/p' "$harness/catch2-sections.xml" | awk '
    BEGIN { n = split("Fibonacci/fib 10;Fibonacci/fib 20;Fibonacci/a name that is far longer than the column that Catch2 gives to a name, 15;Sections/x -> y/fib;Sections/large, with 100 1 2.5 s in it/fib;Failing/fine after", name, ";") }
    { printf "%s;1;%s|", name[NR], $1 }')" 'Catch2: XML with sections and a name with >'
head -n 34 "$harness/catch2-sections.xml" | ci >out 2>err
is $? 1 'Catch2: XML cut between two benchmarks: status 1'
warns 'breaks off: its outermost element is not closed' '  a line reports the cut'
is_read benchexec.xml 1-3 'tasks/a.yml unreach-call;1;18.077505912|tasks/c.yml unreach-call;1;2.5|' \
    "BenchExec: CPU time from XML"
warns '1 run ended with TIMEOUT' '  a warning counts the run that timed out'
ci --format tsv --value 'memory (B)' "$harness/benchexec.xml" 2>/dev/null >out
is "$(sed -n 2p out | cut -f 3)" 624906240 'BenchExec: memory, with its unit in the name'
for size in 900 1500; do
    head -c "$size" "$harness/benchexec.xml" | ci >out 2>err
    is $? 1 "BenchExec: XML cut after $size bytes: status 1"
    warns 'breaks off: no </' '  a line reports the cut'
done
is_read benchexec.csv 1-5 \
    'a.i unreach;CPA 1.4;pA;1;2.1|a.i unreach;CPA 1.4;vA;1;1.5|a.i unreach;CPA 1.5;vA;1;1.4|b.i unreach;CPA 1.4;vA;1;1.6|b.i unreach;CPA 1.5;vA;1;1.7|' \
    "BenchExec: a table has a row for each task and run set"
warns '1 of 6 rows were left out; the first: ' '  a run that timed out is left out'
warns '1 run ended with TIMEOUT' '  a warning counts it'
is_read perf-stat.csv 1-4 'cache-misses:u;events;2;4291|task-clock;ms;2;1.04|' 'perf stat -x'
warns '1 run of cycles was <not supported>' '  a warning names the counter that was not supported'
printf '     1.0001,42,,faults,492859,100.00,,\n     2.0002,44,,faults,492859,100.00,,\n' | ci --format tsv >out
is "$(cut -f 1-3 out | tail -1)" "faults	2	43" 'perf stat -x -I: one value per interval'
printf 'CPU0;42;;faults;492859;100.00;;\nCPU1;44;;faults;492859;100.00;;\n' | ci -q --format tsv >out
is "$(cut -f 1-4 out | tail -n +2 | tr '\t\n' ' |')" "faults CPU0 1 42|faults CPU1 1 44|" \
    'perf stat -x -A: one group per CPU, with semicolons'
printf '42,,faults,0.52%%,492859,100.00,,\n' | ci --format tsv >out 2>err
warns 'means over the runs of perf stat -r' 'perf stat -x -r: a warning says that its values are means'

# Criterion's slope is Σxy/Σx²: (2·3 + 4·7 + 8·20) / (4 + 16 + 64)
"$build/libexec/assay/assay-fit" --no-intercept --x iterations --y total --format csv "$harness/criterion-sample.json" >out
is "$(tail -1 out | cut -d, -f 1,2 | cut -c 1-24)" "iterations,$(awk 'BEGIN { printf "%.12g", 194 / 84 }')" \
    "Criterion: assay fit computes the slope from a sample file"
is_read rebench.data 1-6 'Fib;VmA;MaxRSS;kb;6;50032|Fib;VmA;total;ms;6;103.375|Sort;VmA;MaxRSS;kb;6;50032|Sort;VmA;total;ms;6;253.375|Fib;VmB;MaxRSS;kb;6;50032|Fib;VmB;total;ms;6;93.0375|Sort;VmB;MaxRSS;kb;6;50032|Sort;VmB;total;ms;6;228.0375|' \
    'ReBench: a group per criterion; comments and the header are no data'
is_read rebench-runs.data 1-4 'Fib;0;2;10.55|Fib;1;2;20.55|' 'ReBench: runs that only metadata name'
is_read jmh.csv 1-6 'org.ex.Fill.run;100;avgt;ns/op;1;10.5|org.ex.Fill.run;1000;avgt;ns/op;1;120.5|org.ex.Tp.run;1000;thrpt;ops/us;1;3.5|' \
    'JMH: CSV'
warns 'holds one mean per benchmark' '  a warning says that it holds means'
is_read jmh.txt 1-5 'org.ex.Fill.run;plain;100;4;11|org.ex.Fill.run;plain;1000;1;125|' \
    'JMH: what it prints, without warm-ups, in one unit'
warns '1 run had no score' '  a failed iteration is left out'
is_read google.csv 1-3 'BM_A/8;3;10233.333333333334|BM_B;3;455|' 'Google Benchmark: CSV, without aggregates, in one unit'
warns 'BM_Err: no value is left' '  a warning names what failed'
is_read google.txt 1-3 'BM_copy/8;2;11|BM_sort;1;2250|' 'Google Benchmark: what it prints'
warns "1 run failed ('no input')" '  a warning gives the reason of a failure'
ci --value bytes_per_second --format tsv "$harness/google.txt" >out 2>/dev/null
is "$(sed -n 2p out | cut -f 3)" 1375000000 '  counters with their suffixes'
is_read hyperfine.md 1-3 'sort a | uniq;1;12.5|sleep 0.25;1;250.6|' 'hyperfine: Markdown'
is_read dacapo.txt 1-4 'lusearch;yes;1;2500|lusearch;no;1;1250|avrora;no;1;4000|' 'DaCapo: timed iterations and warm-ups'
warns '1 run failed' '  a failed benchmark is left out'
is_read benchstat.csv 1-5 'Encode-8;old.txt;s/op;1;1.25e-06|Encode-8;new.txt;s/op;1;1e-06|Decode-8;old.txt;s/op;1;5e-07|Encode-8;old.txt;B/op;1;64|Encode-8;new.txt;B/op;1;32|' \
    'benchstat: CSV'
is_read perf-stat.jsonl 1-4 'task-clock;ms;1;1.25|cache-misses:u;events;1;4291|' 'perf stat -j'
warns 'of cycles was <not supported>' '  a warning names the counter that was not supported'
is_read go-test.jsonl 1-5 'BenchmarkSort-8;example.com/a;ns/op;1;12.5|BenchmarkSort-8;example.com/a;B/op;1;8|BenchmarkSort-8;example.com/b;ns/op;1;30.5|' \
    'go test -json: lines of packages that take turns'
is_read asv.json 1-6 "bench.Suite.time_sort;'a';1;s;1;0.125|bench.Suite.time_sort;'a';2;s;1;0.5|bench.Suite.time_sort;'b';2;s;1;2.5|bench.Suite.time_sampled;;;s;3;0.5|bench.peakmem_list;;;B;1;1048576|" \
    'asv: parameters, samples and units'
is_read renaissance.json 1-3 'chi-square;2;2000|scrabble;1;500|' 'Renaissance: JSON'
ci --by benchmark --format tsv "$harness/renaissance.csv" >out 2>err
is "$(sed -n 2p out | cut -f 1-3 | tr '\t' ';')" 'chi-square;2;2000' 'Renaissance: CSV; duration_ns is plainly the value'
ci --by benchmark "$harness/renaissance.csv" >out 2>err
like out "values are those of 'duration_ns'; --value chooses other columns" '  and a note says so'
is_read krun.json 1-3 'fannkuch:HotSpot:default-java;5;0.25|nbody:C:default-c;2;1.5|' 'Krun: all iterations'
warns '1 run crashed, or has not run yet' '  a process execution without any is left out'
is_read critcmp.json 1-3 'group/fast;1;100.5|group/slow;1;200.25|' 'critcmp: an exported baseline'
is_read lnt.json 1-3 'nts.SingleSource/a;2;0.5|nts.b;1;2|' 'LNT: a report'
is_read lnt-old.json 1-3 'nts.a.exec;2;0.5|nts.a.compile;1;1.5|' 'LNT: an older report'
is_read lit.json 1-3 'test-suite :: a.test;1;0.25|' 'lit'
warns 'b.test: no value is left' '  a test that failed is named'
is_read phoronix-raw.csv 1-5 '7-Zip 1.9 - Test: Compression;higher;one;3;4000|7-Zip 1.9 - Test: Compression;higher;two;3;5000|Build 1.0 - Time;lower;one;3;21|Build 1.0 - Time;lower;two;3;11|' \
    'Phoronix: all runs'
is_read phoronix.csv 1-6 '7-Zip Compression - Test: Compression Rating;higher;one;MIPS;1;4000|7-Zip Compression - Test: Compression Rating;higher;two;MIPS;1;5000|Timed Compilation - Time To Compile;lower;one;Seconds;1;20.5|Timed Compilation - Time To Compile;lower;two;Seconds;1;16.4|Other (Thing) - Speed: 4;higher;one;Points;1;10|' \
    'Phoronix: means, with units'
warns '1 run had no result' '  a system without a result is left out'
"$build/libexec/assay/assay-compare" --baseline one --format tsv "$harness/phoronix-raw.csv" >out 2>err
is "$(tail -n +2 out | awk -F '\t' '{ print $1, $NF ~ /./ ? $0 : "" }' | grep -o 'better\|faster\|slower\|worse' | xargs)" 'better faster' \
    '  compared test by test: more is better of one, less of the other'
"$build/libexec/assay/assay-compare" --format tsv "$harness/phoronix-raw.csv" >out 2>err
is "$(($(wc -l <out) - 1))" 1 '  those of one direction are not compared with those of the other'
like err 'no comparison with 7-Zip 1.9 - Test: Compression, higher, one, of which more, not less, is better' '  a warning names them'
printf 'name,better,v\na,higher,1\na,higher,2\nb,higher,11\nb,higher,12\n' >better.csv
"$build/libexec/assay/assay-compare" --by name,better --baseline 'a, higher' --value v better.csv >out 2>err
like out 'better' 'a column "better" of a plain table says the direction'
ci --format tsv "$harness/sar.txt" >out 2>err
is "$(grep -c . out)" 39 'sar: what it prints, a group per column and device'
sed '4a 06:03:33  COM a shift begins\n06:03:33     LINUX RESTART\t(2 CPU)' "$harness/sar.txt" >remarks.txt
ci --format tsv remarks.txt >remarked 2>err
is "$(cmp out remarked 2>&1) $(grep -c 'left out' err)" ' 0' '  remarks and restarts between the lines of a table end none'
is "$(grep '^%user' out | cut -f 1-4 | tr '\t' ';')" '%user;CPU all;3;33.843333333333334' '  averages are no values'
ci --format tsv "$harness/sadf.json" >out 2>err
is "$(grep '^cpu-load.user' out | cut -f 1-4 | tr '\t' ';')" 'cpu-load.user;cpu all;3;33.843333333333334' 'sadf: JSON'
ci --value %user --format tsv "$harness/sadf.csv" >out 2>err
is "$(sed -n 2p out | cut -f 1,2 | tr '\t' ';')" '3;33.843333333333334' 'sadf -d: a plain table'
printf 'Linux 6.1.0 (host) \t11/28/2026 \t_x86_64_\t(2 CPU)\n\n11:59:58 PM       LINUX RESTART\t(2 CPU)\n\n%s\n%s\n%s\n' \
    '11:59:59 PM     CPU     %usr   %idle' '12:00:00 AM     all    10.00   90.00' '12:00:00 AM       0    20.00   80.00' |
    ci --format tsv >out 2>err
is "$(grep '^%usr' out | cut -f 1-4 | tr '\t\n' ';|')" '%usr;CPU all;1;10|%usr;CPU 0;1;20|' 'mpstat: with hours from 1 to 12, and a restart'
printf 'Linux 6.1.0 (host) \t11/28/26 \t_x86_64_\t(2 CPU)\n\n%s\n%s\n\n%s\n%s\n' \
    '07:03:37      UID       PID    %usr %system   CPU  Command' '07:03:38        0        15    1.00    1.00     0  make' \
    '07:03:38      UID       PID    %usr %system   CPU  Command' '07:03:39        0        15    3.00    1.00     1  make' |
    ci --format tsv >out 2>err
is "$(grep '^%usr' out | cut -f 1-3 | tr '\t\n' ';|')" '%usr;2;2|' 'pidstat: a process is one, whatever processor it is on'

# criterion's directory: two benchmarks, of one also the run before
benchmark() { # DIRECTORY NAME ITERATIONS TIMES
    mkdir -p "target/criterion/$1"
    echo "{\"group_id\": \"g\", \"full_id\": \"$2\", \"title\": \"$2\"}" >"target/criterion/$1/benchmark.json"
    echo "{\"sampling_mode\": \"Linear\", \"iters\": [$3], \"times\": [$4]}" >"target/criterion/$1/sample.json"
}
benchmark sort/fast/new sort/fast '1.0, 2.0' '10.0, 24.0'
benchmark sort/fast/base sort/fast '1.0' '99.0'
benchmark sort/slow/new sort/slow '4.0' '100.0'
mkdir -p target/criterion/report
ci --format tsv target/criterion >out 2>err
is "$(tail -n +2 out | cut -f 1-3 | tr '\t\n' ';|')" 'sort/fast;2;11|sort/slow;1;25|' \
    "criterion: a directory, of whose benchmarks the last runs are read"
mkdir empty
ci empty >out 2>err
is "$? $(cat err)" "1 assay-ci: empty: is a directory without series.json and criterion's benchmarks (new/sample.json)" \
    '  another directory: one line'

done_testing
