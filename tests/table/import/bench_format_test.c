/*
 * The output of benchmark tools. The documents in bench/ were written by hand from each tool's description of its
 * format, with values that are easily checked by eye.
 */
#include "table/import/bench_format.h"

#include <stdlib.h>

#include <jansson.h>

#include "tests/tap.h"

static char *slurp(const char *name, size_t *length)
{
    char path[256], *text = NULL;
    size_t capacity = 0;
    snprintf(path, sizeof path, "tests/table/import/%s", name);
    FILE *file = fopen(path, "r");
    ssize_t got = file ? getdelim(&text, &capacity, '\0', file) : -1;
    if (file)
        fclose(file);
    *length = got > 0 ? (size_t)got : 0;
    return text;
}

/* The table with a bar between cells; a blank cell is nothing. */
static char *dump(const struct csv *csv)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    for (size_t i = 0; i < csv->column_count; i++)
        fprintf(out, "%s%s", i ? "|" : "", csv->names[i]);
    for (size_t row = 0; row < csv->row_count; row++)
        for (size_t i = 0; i < csv->column_count; i++) {
            const char *cell = csv_cell(csv, row, i);
            fprintf(out, "%s%s", i ? "|" : "\n", cell ? cell : "");
        }
    fclose(out);
    return text;
}

static const struct document {
    const char *file, *format, *value, *unit, *groups;
    size_t left_out;
    const char *reason;
    const char *table;
} documents[] = {
    {"series.json", "assay record series.json", "wall_time", "s", "name label ", 3,
     "3 runs left out, the first failed (exit status 1)",
     "name|label|gc|parameter_run|directory|clock|mode|run|wall_time|cpu_time|max_rss|page_faults|user_time|system_"
     "time|"
     "major_faults|conditions\n"
     "sort -n 'my file'|gc=serial, run=7|serial|7||random|cpu|1|1.5|1.500000001|2.048|101|1.25|0.250000001|1|ba699493\n"
     "sort -n 'my file'|gc=serial, run=7|serial|7||random|cpu|5|2|0.00000001|1||0|0.00000001||ba699493"},
    {"hyperfine.json", "hyperfine JSON", "time", "s", "name file parameter_run ", 1, "1 run failed (exit code 1)",
     "name|file|parameter_run|run|time|memory_usage_byte\n"
     "sort -n small|small|7|1|0.25|1048576\n"
     "sort -n small|small|7|2|0.5|1048577\n"
     "sort -n small|small|7|3|0.75|1048578\n"
     "sort -n large|large|7|1|2.1|\n"
     "sort -n large|large|7|2|1.9|"},
    {"hyperfine-2.json", "hyperfine JSON", "time", "s", "name length ", 2,
     "2 runs left out, the first ended by a signal",
     "name|length|run|time|time_cpu|time_user|time_system|memory_peak_resident|instructions\n"
     "nap|0.1|1|0.125|0.002|0.0015|0.0005|2048|123456\n"
     "nap|0.1|3|0.25||0.5|0||"},
    {"jmh.json", "JMH JSON", "score", NULL, "name size parameter_mode mode threads unit ", 2,
     "2 runs gave no finite number",
     "name|size|parameter_mode|mode|threads|fork|iteration|run|score|unit|gc.alloc.rate.norm\n"
     "org.example.Fill.run|100|fast|thrpt|1|1|1|1|10.5|ops/ms|16\n"
     "org.example.Fill.run|100|fast|thrpt|1|1|2|2|11.5|ops/ms|24\n"
     "org.example.Fill.run|100|fast|thrpt|1|2|1|3|12.5|ops/ms|32\n"
     "org.example.Fill.run|100|fast|thrpt|1|2|2|4|13.5|ops/ms|\n"
     "org.example.Fill.run|||avgt|4|1|1|1|0.0001|ms/op|\n"
     "org.example.Fill.run|||avgt|4|1|4|4|3|ms/op|"},
    {"jmh-sample.json", "JMH JSON", "score", "us/op", "name ", 0, "",
     "name|mode|threads|fork|iteration|run|score|unit\n"
     "org.example.Wait.take|sample|1|1|1|1|1.5|us/op\n"
     "org.example.Wait.take|sample|1|1|1|2|1.5|us/op\n"
     "org.example.Wait.take|sample|1|1|1|3|3|us/op\n"
     "org.example.Wait.take|sample|1|1|2|4|2.25|us/op\n"
     "org.example.Wait.take|sample|1|2|1|5|3|us/op"},
    {"pyperf.json", "pyperf JSON", "time", "s", "name ", 0, "",
     "name|process|loops|run|time|unit\n"
     "sort|2|8|1|0.125|s\n"
     "sort|2|8|2|0.25|s\n"
     "sort|3|16|3|0.5|s\n"
     "sort|3|16|4|0.0625|s\n"
     "scan|1|1|1|1e-07|s\n"
     "scan|1|1|2|3|s"},
    {"pyperf-5.json", "pyperf JSON", "value", NULL, "name unit ", 0, "",
     "name|process|loops|run|value|unit\n"
     "peak|1||1|4096|byte\n"
     "peak|1||2|8192|byte\n"
     "telco|1|4|1|0.25|s"},
    {"google.json", "Google Benchmark JSON", "real_time", NULL, "name ", 2,
     "2 runs left out, the first failed (no such file)",
     "name|run|iterations|threads|real_time|cpu_time|unit|bytes_per_second|metric_run|label\n"
     "BM_Copy/8|2|1000|1|125|120|ns|64000000|3|warm\n"
     "BM_Copy/8|1|900|1|135|130|ns|||\n"
     "BM_Sleep|1|10|2|2.5|0.1|ms|||"},
    {"google-old.json", "Google Benchmark JSON", "real_time", "ns", "name ", 0, "",
     "name|run|iterations|threads|real_time|cpu_time|unit|bytes_per_second\n"
     "BM_SetInsert/1024/1|1|94877||29275|29836|ns|134066\n"
     "BM_SetInsert/1024/1|2|94800||29000|29500|ns|134100\n"
     "BM_arithmetic_mean|1|7||5|6|ns|"},
    {"criterion-sample.json", "criterion sample.json", "time", "ns", "", 0, "",
     "run|iterations|time|total|unit\n"
     "1|2|1.5|3|ns\n"
     "2|4|1.75|7|ns\n"
     "3|8|2.5|20|ns"},
    {"criterion-raw.csv", "criterion raw.csv", "time", "ns", "name ", 0, "",
     "name|run|iterations|time|total|unit\n"
     "Fibonacci/Iterative/20|1|4|7.5|30|ns\n"
     "Fibonacci/Iterative/20|2|8|6.25|50|ns\n"
     "Fibonacci/Recursive, slow|1|10|100|1000|ns"},
    {"cargo-criterion.json", "cargo-criterion JSON lines", "time", NULL, "name unit ", 0, "",
     "name|run|iterations|time|total|unit\n"
     "norm/8|1|30|4|120|ns\n"
     "norm/8|2|60|4.5|270|ns\n"
     "cycles|1|4|250|1000|cycles"},
    {"go.txt", "Go benchmark text", "ns/op", "ns/op", "name pkg ", 2,
     "2 runs left out, the first printed something between its name and its result",
     "name|goos|goarch|pkg|cpu|base|size|run|iterations|ns/op|B/op|allocs/op|MB/s|hits/op\n"
     "BenchmarkSort/size=10-8|linux|amd64|example.com/sort|Example CPU @ "
     "2.00GHz|BenchmarkSort|10|1|1000000|1234|12|3||\n"
     "BenchmarkSort/size=10-8|linux|amd64|example.com/sort|Example CPU @ "
     "2.00GHz|BenchmarkSort|10|2|1000000|1230.5|12|3||\n"
     "BenchmarkDecode-8|linux|amd64|example.com/sort|Example CPU @ "
     "2.00GHz|BenchmarkDecode||1|50|40737510|||4.74|2.000\n"
     "BenchmarkSort/size=10-8|linux|amd64|example.com/text|Example CPU @ 2.00GHz|BenchmarkSort|10|1|2000000|600||||"},
};
enum { DOCUMENTS = sizeof documents / sizeof *documents };

/* Other text, and XML; formats.t tests the tables read from them. */
static const struct document texts[] = {{.file = "catch2.txt", .format = "Catch2 text", .left_out = 1},
                                        {.file = "catch2-sections.xml", .format = "Catch2 XML"},
                                        {.file = "benchexec.xml", .format = "BenchExec XML"},
                                        {.file = "benchexec.csv", .format = "BenchExec table"},
                                        {.file = "perf-stat.csv", .format = "perf stat -x"},
                                        {.file = "nanobench.md", .format = "nanobench Markdown"},
                                        {.file = "rebench.data", .format = "ReBench data"},
                                        {.file = "rebench-runs.data", .format = "ReBench data"},
                                        {.file = "jmh.csv", .format = "JMH CSV"},
                                        {.file = "jmh.txt", .format = "JMH text", .left_out = 1},
                                        {.file = "google.csv", .format = "Google Benchmark CSV", .left_out = 1},
                                        {.file = "google.txt", .format = "Google Benchmark text", .left_out = 1},
                                        {.file = "hyperfine.md", .format = "hyperfine Markdown"},
                                        {.file = "dacapo.txt", .format = "DaCapo text", .left_out = 1},
                                        {.file = "benchstat.csv", .format = "benchstat CSV"},
                                        {.file = "perf-stat.jsonl", .format = "perf stat JSON lines", .left_out = 1},
                                        {.file = "go-test.jsonl", .format = "go test JSON lines"},
                                        {.file = "asv.json", .format = "asv JSON", .left_out = 1},
                                        {.file = "renaissance.json", .format = "Renaissance JSON"},
                                        {.file = "krun.json", .format = "Krun JSON", .left_out = 1},
                                        {.file = "critcmp.json", .format = "critcmp JSON"},
                                        {.file = "lnt.json", .format = "LNT JSON"},
                                        {.file = "lnt-old.json", .format = "LNT JSON"},
                                        {.file = "phoronix.csv", .format = "Phoronix Test Suite CSV", .left_out = 1},
                                        {.file = "phoronix-raw.csv", .format = "Phoronix Test Suite CSV"},
                                        {.file = "sar.txt", .format = "sysstat text"},
                                        {.file = "sadf.json", .format = "sadf JSON"},
                                        {.file = "lit.json", .format = "lit JSON", .left_out = 1}};
enum { TEXTS_STRICT = 3 }; /* formats that show every run twice, so that a lost one is noticed */
enum { TEXTS = sizeof texts / sizeof *texts };

static void join(const char *const *groups, char *text, size_t size)
{
    *text = '\0';
    for (; *groups; groups++)
        snprintf(text + strlen(text), size - strlen(text), "%s ", *groups);
}

static void check_document(const struct document *known)
{
    struct bench_document read = {.left_out = 99, .reason = {"unset"}};
    struct error_text message = {"unset"};
    size_t length;
    char groups[200], *text = slurp(known->file, &length);
    const char *format = bench_format_of(text, length);
    char title[100];
    snprintf(title, sizeof title, "the format of %s is recognized", known->file);
    is_text(format, known->format, title);
    if (!ok(!bench_read(text, length, false, &read, &message), "%s is read", known->file)) {
        printf("# %s\n", message.text);
        free(text);
        return;
    }
    char *table = dump(read.csv);
    is_text(table, known->table, "  its table");
    is_text(read.meaning.format, known->format, "  its format");
    is_text(read.meaning.value, known->value, "  its value column");
    ok(csv_column(read.csv, read.meaning.value) != CSV_NONE, "  the table has that column");
    ok(!known->unit == !read.meaning.unit && (!known->unit || strcmp(known->unit, read.meaning.unit) == 0),
       "  its unit");
    join(read.meaning.groups, groups, sizeof groups);
    is_text(groups, known->groups, "  its group columns");
    is_u64(read.left_out, known->left_out, "  runs left out");
    is_text(read.reason.text, known->reason, "  why they are left out");
    is_text(message.text, "unset", "  no complaint");
    free(table);
    free(text);
    csv_free(read.csv);
    json_decref(read.lost);
    json_decref(read.conditions);
}

/* Documents that are refused, and the messages about them. */
static const struct refusal {
    const char *what, *text, *format, *message;
} refusals[] = {
    {"nothing", "", NULL, "is not the output of a known benchmark tool"},
    {"a table", "name,time\nx,1\n", NULL, "is not the output of a known benchmark tool"},
    {"assay's own JSON", "{\"assay\":\"0.1\",\"results\":[{\"command\":\"x\",\"mean\":1,\"user\":1,\"system\":1}]}",
     NULL, "is not the output of a known benchmark tool"},
    {"JSON lines with a tool's words for columns", "{\"iters\":1,\"times\":2}\n{\"iters\":3,\"times\":4}\n", NULL,
     "is not the output of a known benchmark tool"},
    {"JSON lines with other tools' words for columns",
     "{\"context\":\"x\",\"benchmarks\":3,\"reason\":\"y\",\"measured_values\":1}\n", NULL,
     "is not the output of a known benchmark tool"},
    {"a matrix", "[[1,2],[3,4],[5,6]]", NULL, "is not the output of a known benchmark tool"},
    {"words in a string", "[\"results[].command\",\"{\\\"iters\\\":[1],\\\"times\\\":[1]}\"]", NULL,
     "is not the output of a known benchmark tool"},
    {"flat JSON", "[{\"benchmark\":\"x\",\"time\":1}]", NULL, "is not the output of a known benchmark tool"},
    {"truncated hyperfine", "{\"results\":[{\"command\":\"x\",\n\"times\":[1,", "hyperfine JSON",
     "line 2, column 11: bad JSON: ']' expected near end of file"},
    {"hyperfine without times", "{\"results\":[{\"command\":\"x\",\"mean\":1,\"user\":1,\"system\":1}]}",
     "hyperfine JSON", "benchmark 'x': no array 'times': it has only the mean of its runs"},
    {"hyperfine without command", "{\"results\":[{\"command\":\"x\",\"times\":[1]},{\"times\":[1]}]}", "hyperfine JSON",
     "result 2: no 'command'"},
    {"hyperfine, other codes", "{\"results\":[{\"command\":\"x\",\"times\":[1,2],\"exit_codes\":[0]}]}",
     "hyperfine JSON", "benchmark 'x': there are 2 times but 1 exit codes"},
    {"hyperfine, bad code", "{\"results\":[{\"command\":\"x\",\"times\":[1],\"exit_codes\":[\"0\"]}]}",
     "hyperfine JSON", "benchmark 'x': an exit code is not a whole number"},
    {"hyperfine, bad time", "{\"results\":[{\"command\":\"x\",\"times\":[1,{}]}]}", "hyperfine JSON",
     "benchmark 'x': value 2 of 'times' is not a number"},
    {"hyperfine, all failed", "{\"results\":[{\"command\":\"x\",\"times\":[1,2],\"exit_codes\":[3,3]}]}",
     "hyperfine JSON", "no measured values: 2 runs failed (exit code 3)"},
    {"hyperfine, no times", "{\"results\":[{\"command\":\"x\",\"times\":[]}]}", "hyperfine JSON",
     "no measured values: 1 run had no measured value"},
    {"hyperfine 2 without wall-clock time", "{\"results\":[{\"command\":\"x\",\"measurements\":[{\"exit_code\":0}]}]}",
     "hyperfine JSON", "benchmark 'x': run 1 has no 'time_wall_clock'"},
    {"JMH without raw data",
     "[{\"benchmark\":\"x\",\"primaryMetric\":{\"score\":1,\"scoreUnit\":\"s/op\",\"rawData\":[]}}]", "JMH JSON",
     "benchmark 'x': its raw data are empty: it has only the mean (was jmh.json.rawData false?)"},
    {"JMH, no raw data at all", "[{\"benchmark\":\"x\",\"primaryMetric\":{\"score\":1,\"scoreUnit\":\"s/op\"}}]",
     "JMH JSON", "benchmark 'x': neither 'rawData' nor 'rawDataHistogram'"},
    {"JMH without unit", "[{\"benchmark\":\"x\",\"primaryMetric\":{\"rawData\":[[1]]}}]", "JMH JSON",
     "benchmark 'x': no 'scoreUnit' in a 'primaryMetric'"},
    {"JMH, flat raw data", "[{\"benchmark\":\"x\",\"primaryMetric\":{\"scoreUnit\":\"s/op\",\"rawData\":[1,2]}}]",
     "JMH JSON", "benchmark 'x': fork 1 of its raw data is not a list"},
    {"JMH, a list in place of a histogram",
     "[{\"benchmark\":\"x\",\"primaryMetric\":{\"scoreUnit\":\"s/op\",\"rawDataHistogram\":[[[1,2]]]}}]", "JMH JSON",
     "benchmark 'x': 'rawDataHistogram' holds something other than pairs of a value and a count"},
    {"JMH, huge histogram",
     "[{\"benchmark\":\"x\",\"primaryMetric\":{\"scoreUnit\":\"s/op\",\"rawDataHistogram\":[[[[1.5,1000001]]]]}}]",
     "JMH JSON",
     "benchmark 'x': 'rawDataHistogram' holds more than the 1000000 samples that are read; use a mode with one score "
     "per "
     "iteration (avgt, thrpt)"},
    {"pyperf of another version", "{\"version\":\"9\",\"benchmarks\":[{\"runs\":[]}]}", "pyperf JSON",
     "its 'version' is not one of pyperf's formats 5, 6 and 1.0"},
    {"pyperf without name", "{\"version\":\"1.0\",\"benchmarks\":[{\"runs\":[{\"values\":[1]}]}]}", "pyperf JSON",
     "benchmark 1: no 'name' in its metadata"},
    {"pyperf, calibration only",
     "{\"version\":\"1.0\",\"metadata\":{\"name\":\"x\"},\"benchmarks\":[{\"runs\":[{\"warmups\":[[1,2]]}]}]}",
     "pyperf JSON", "no measured values: 1 run had no measured value"},
    {"Google Benchmark, aggregates only",
     "{\"context\":{},\"benchmarks\":[{\"name\":\"x_mean\",\"run_type\":\"aggregate\",\"real_time\":1}]}",
     "Google Benchmark JSON",
     "no measured values: only aggregates of repetitions (was --benchmark_report_aggregates_only set?)"},
    {"Google Benchmark, empty", "{\"context\":{},\"benchmarks\":[]}", "Google Benchmark JSON", "no measured values"},
    {"Google Benchmark without time", "{\"context\":{},\"benchmarks\":[{\"name\":\"x\"}]}", "Google Benchmark JSON",
     "benchmark 'x': no 'real_time'"},
    {"Google Benchmark, skipped",
     "{\"context\":{},\"benchmarks\":[{\"name\":\"x\",\"skipped\":true,\"skip_message\":\"no GPU\"}]}",
     "Google Benchmark JSON", "no measured values: 1 run skipped (no GPU)"},
    {"criterion, unequal lists", "{\"iters\":[1,2],\"times\":[1]}", "criterion sample.json",
     "no lists of iterations and of times with the same length"},
    {"criterion, no iterations", "[[1,0],[1,2]]", "criterion sample.json", "sample 2 has no iterations"},
    {"criterion estimates", "{\"mean\":{\"point_estimate\":1}}", "criterion estimates.json",
     "no measured values: this is criterion estimates.json; the values are in sample.json and raw.csv in the folder "
     "new/"},
    {"criterion fences", "[1.5,2,3,4]", "criterion tukey.json",
     "no measured values: this is criterion tukey.json; the values are in sample.json and raw.csv in the folder new/"},
    {"criterion benchmark", "{\"group_id\":\"x\",\"function_id\":null,\"value_str\":null}", "criterion benchmark.json",
     "no measured values: this is criterion benchmark.json; the values are in sample.json and raw.csv in the folder "
     "new/"},
    {"a list of numbers", "[1.5,2,3,4,5]", NULL, "is not the output of a known benchmark tool"},
    {"raw.csv, bad cell", "group,function,value,sample_time_nanos,iteration_count\na,b,,x,1\n", "criterion raw.csv",
     "row 1: a cell is not a number"},
    {"raw.csv, ragged", "group,function,value,sample_time_nanos,iteration_count\na,b,,1\n", "criterion raw.csv",
     "line 2 has 4 cells, but the header has 5"},
    {"cargo-criterion, broken line",
     "{\"reason\":\"benchmark-complete\",\"id\":\"x\",\"iteration_count\":[1],\"measured_values\":[1]}\n{\"reason\":",
     "cargo-criterion JSON lines", "line 2, column 10: bad JSON: unexpected token near end of file"},
    {"Go, cut after the count", "BenchmarkX-8 10 5 ns/op\nBenchmarkX-8 10\n", "Go benchmark text",
     "line 2: 'BenchmarkX-8' has no measured value"},
    {"Go, cut in the middle", "BenchmarkX-8 10 5 ns/op\nBenchmarkX-8 10 5", "Go benchmark text",
     "line 2: '5' has no unit"},
    {"Go, bad value", "BenchmarkX-8 10 5 ns/op\nBenchmarkX-8 10 5x ns/op\n", "Go benchmark text",
     "line 2: '5x' is not a number"},
    {"hyperfine's console output", "Benchmark 1: sleep 1\n  Time (mean):  1.0 s\n", NULL,
     "is not the output of a known benchmark tool"},
};

static void check_refusal(const struct refusal *known)
{
    struct bench_document read = {.meaning.value = "unset", .left_out = 99, .reason = {"unset"}};
    struct error_text message = {""};
    size_t length = strlen(known->text);
    const char *format = bench_format_of(known->text, length);
    ok(known->format ? format && strcmp(format, known->format) == 0 : !format, "%s: %s", known->what,
       known->format ? known->format : "no known format");
    int status = bench_read(known->text, length, false, &read, &message);
    ok(status == (known->format ? STATUS_BAD : STATUS_USAGE), "  is refused");
    is_text(message.text, known->message, "  the complaint says why");
    ok(!read.csv && read.left_out == 99 && strcmp(read.meaning.value, "unset") == 0 &&
           strcmp(read.reason.text, "unset") == 0,
       "  the result is untouched");
    csv_free(read.csv);
    json_decref(read.lost);
    json_decref(read.conditions);
}

/* Two run sets whose texts are alike but for the place of a comma: each has its first run. */
static void check_commas(void)
{
    static const char text[] = "tool\tA\tA\tA,1\tA,1\nrun set\t1,x\t1,x\tx\tx\n"
                               "benchexec/\tstatus\tcputime (s)\tstatus\tcputime (s)\na.i\ttrue\t2\ttrue\t3\n";
    struct bench_document read = {0};
    struct error_text message = {""};
    if (!ok(!bench_read(text, sizeof text - 1, false, &read, &message), "run sets with commas are read"))
        printf("# %s\n", message.text);
    const struct csv *csv = read.csv;
    is_text(csv ? csv_cell(csv, 1, csv_column(csv, "tool")) : NULL, "A,1", "  the second one's tool");
    is_text(csv ? csv_cell(csv, 1, csv_column(csv, "run")) : NULL, "1", "  it is the first run of its set");
    csv_free(read.csv);
    json_decref(read.lost);
    json_decref(read.conditions);
}

/* What may precede a document. */
static void check_beginnings(void)
{
    static const char marked[] = "\xef\xbb\xbf \n{\"iters\":[2],\"times\":[3]}";
    static const char logged[] = "[1/2] compiling\nBenchmarkX 10 2.5 ns/op\n";
    is_text(bench_format_of(marked, sizeof marked - 1), "criterion sample.json",
            "a byte-order mark and blanks may precede a document");
    is_text(bench_format_of(logged, sizeof logged - 1), "Go benchmark text",
            "a log with brackets may precede a document");
    struct bench_document read = {0};
    struct error_text message = {""};
    ok(!bench_read(marked, sizeof marked - 1, false, &read, &message), "  the document after a mark is read");
    is_text(read.csv ? csv_cell(read.csv, 0, csv_column(read.csv, "time")) : NULL, "1.5", "  its value");
    csv_free(read.csv);
    json_decref(read.lost);
    json_decref(read.conditions);
}

/* Reads and discards; *runs: the rows and the runs left out. */
static int count_runs(const char *text, size_t length, size_t *runs)
{
    struct bench_document read = {0};
    struct error_text message = {""};
    int status = bench_read(text, length, false, &read, &message);
    *runs = read.left_out + (read.csv ? read.csv->row_count : 0);
    csv_free(read.csv);
    json_decref(read.lost);
    json_decref(read.conditions);
    return status ? *message.text ? status : -1 : 0;
}

static int try_text(const char *text, size_t length)
{
    size_t runs;
    return count_runs(text, length, &runs);
}

/* Cut anywhere, in memory that ends there: cut JSON is an error with an explanation; other text is read up to there. */
static void check_truncations(const struct document *known)
{
    size_t length, explained = 0, whole = 0;
    char *text = slurp(known->file, &length);
    bool json = strstr(known->format, " JSON") && !strstr(known->format, "lines");
    while (length && strchr(" \n", text[length - 1]))
        length--;
    for (size_t cut = 0; cut < length; cut++) {
        char *copy = malloc(cut + 1);
        memcpy(copy, text, cut);
        char *exact = realloc(copy, cut ? cut : 1);
        int status = try_text(exact, cut);
        explained += status > 0;
        whole += status == 0;
        free(exact);
    }
    ok(length > 0 && explained + whole == length, "%s, cut anywhere, is read or refused with a reason", known->file);
    ok(!json || whole == 0, "  cut JSON is never read");
    free(text);
}

/* With every byte replaced by each of these, nothing crashes and every failure is explained. */
static void check_mutations(const struct document *known)
{
    static const char bytes[] = "\"{],0N\\\0\xff";
    size_t length, unexplained = 0;
    char *text = slurp(known->file, &length);
    for (size_t at = 0; at < length; at++)
        for (size_t i = 0; i < sizeof bytes - 1; i++) {
            char old = text[at];
            text[at] = bytes[i];
            unexplained += try_text(text, length) < 0;
            text[at] = old;
        }
    ok(length > 0 && unexplained == 0, "%s, with any byte replaced, is read or refused with a reason", known->file);
    free(text);
}

/* A changed byte loses a run only with an error or a count; the left_out runs, which failed, are excepted. */
static void check_losses(const struct document *known)
{
    size_t length, whole, runs, lost = 0;
    char *text = slurp(known->file, &length);
    count_runs(text, length, &whole);
    for (size_t at = 0; at < length; at++)
        for (char *byte = (char[]){"x<0 \n"}; *byte; byte++) {
            char old = text[at];
            text[at] = *byte;
            if (count_runs(text, length, &runs) == 0 && runs + known->left_out < whole) {
                if (lost < 3)
                    printf("# byte %zu: %zu of %zu runs\n", at, runs, whole);
                lost++;
            }
            text[at] = old;
        }
    ok(whole > 0 && lost == 0, "%s, with any byte replaced, loses no run silently", known->file);
    free(text);
}

/* Walks to value number *left and replaces it by `other`. */
static bool replace_value(json_t *value, size_t *left, json_t *other)
{
    size_t i;
    const char *key;
    json_t *child;
    if (json_is_object(value))
        json_object_foreach(value, key, child)
        {
            if (!(*left)--)
                return !json_object_set(value, key, other);
            if (replace_value(child, left, other))
                return true;
        }
    json_array_foreach(value, i, child)
    {
        if (!(*left)--)
            return !json_array_set(value, i, other);
        if (replace_value(child, left, other))
            return true;
    }
    return false;
}

/* With each value replaced by one of another type, missing keys and wrong types are explained. */
static void check_types(const struct document *known)
{
    static const char *const others[] = {"null", "{}", "[]", "[null]", "\"x\"", "\"\"", "-1", "1e300", "true", "[[]]"};
    size_t length, unexplained = 0, tried = 0;
    char *text = slurp(known->file, &length);
    json_t *root = json_loadb(text, length, 0, NULL);
    for (size_t i = 0; root && i < sizeof others / sizeof *others; i++) {
        json_t *other = json_loads(others[i], JSON_DECODE_ANY, NULL);
        for (size_t at = 0;; at++) {
            json_t *copy = json_deep_copy(root);
            size_t left = at;
            bool replaced = replace_value(copy, &left, other);
            char *changed = json_dumps(copy, 0);
            unexplained += try_text(changed, strlen(changed)) < 0;
            free(changed);
            json_decref(copy);
            if (!replaced)
                break;
            tried++;
        }
        json_decref(other);
    }
    if (root)
        ok(tried > 50 && !unexplained,
           "%s, with values of other types (%zu), is read or refused with a reason (%zu without)", known->file, tried,
           unexplained);
    json_decref(root);
    free(text);
}

/* Nesting deeper than any parser's stack, very many numbers, a name of a megabyte, very many columns. */
static void check_sizes(void)
{
    enum { SIZE = 1 << 20 };
    char *text = malloc(SIZE + 200);
    memset(text, '[', SIZE);
    memcpy(text, "{\"iters\":[1],\"times\":", 21);
    is_u64((uint64_t)try_text(text, SIZE), STATUS_BAD, "a million open brackets are refused");
    size_t length = (size_t)sprintf(text, "{\"iters\":[1");
    for (int i = 1; i < 100000; i++)
        length += (size_t)sprintf(text + length, ",1");
    length += (size_t)sprintf(text + length, "],\"times\":[1");
    for (int i = 1; i < 100000; i++)
        length += (size_t)sprintf(text + length, ",2");
    length += (size_t)sprintf(text + length, "]}");
    is_u64((uint64_t)try_text(text, length), 0, "a hundred thousand numbers are read");
    length = (size_t)sprintf(text, "{\"results\":[{\"times\":[\"x\"],\"command\":\"");
    memset(text + length, 'y', SIZE - length);
    length = SIZE + (size_t)sprintf(text + SIZE, "\"}]}");
    is_u64((uint64_t)try_text(text, length), STATUS_BAD, "a name of a million letters is refused");
    length = (size_t)sprintf(text, "{\"context\":{},\"benchmarks\":[{\"name\":\"x\",\"real_time\":1");
    for (int i = 0; i < 1000; i++)
        length += (size_t)sprintf(text + length, ",\"c%d\":1", i);
    length += (size_t)sprintf(text + length, "}]}");
    is_u64((uint64_t)try_text(text, length), STATUS_BAD, "a thousand counters are refused");
    free(text);
}

int main(void)
{
    for (size_t i = 0; i < DOCUMENTS; i++)
        check_document(&documents[i]);
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        check_refusal(&refusals[i]);
    for (size_t i = 0; i < DOCUMENTS; i++) {
        check_truncations(&documents[i]);
        check_mutations(&documents[i]);
        check_types(&documents[i]);
    }
    for (size_t i = 0; i < TEXTS; i++) {
        check_truncations(&texts[i]);
        check_mutations(&texts[i]);
        if (i < TEXTS_STRICT)
            check_losses(&texts[i]);
    }
    check_beginnings();
    check_commas();
    check_sizes();
    return done_testing();
}
