/* The output of benchmark tools as rows: the columns that a format implies, and files that can't be mixed. */
#include "tests/table/read/rows_harness.h"

static const struct rows_request meant = {.whole_groups_default = true, .jobs = 2};

static const char hyperfine[] =
    "{\n\"results\": [\n{\"command\": \"sort\", \"times\": [0.25, 0.5, 9],\n \"exit_codes\": [0, 0, 1]},\n"
    "{\"command\": \"scan\", \"times\": [2],\n \"exit_codes\": [0]}]}\n";
static const char with_parameter[] = "{\"results\": [{\"command\": \"sort\", \"times\": [0.25], \"exit_codes\": [0], "
                                     "\"parameters\": {\"size\": \"7\"}}]}\n";
static const char go[] = "goos: linux\npkg: example.com/sort\nBenchmarkA-8 \t 100 \t 12.5 ns/op\nBenchmarkB-8 \t 100 "
                         "\t 7 ns/op\nPASS\n";

static void gives(const struct rows_request *request, const char *text, const char *rows, const char *format,
                  const char *columns, const char *unit)
{
    struct outcome outcome = read_bytes(request, text, strlen(text), 16);
    char title[100];
    snprintf(title, sizeof title, "%s gives its rows, or the reason why not", format);
    is_text(outcome.status ? outcome.message : outcome.text, rows, title);
    if (!outcome.status) {
        is_text(outcome.account.format, format, "  its format");
        is_text(outcome.columns, columns, "  its columns");
        const char *told = outcome.account.columns.units[0].text;
        is_text(told ? told : "none", unit, "  its unit");
    }
    outcome_free(&outcome);
}

static void test_meanings(void)
{
    static const char *const run[] = {"run"};
    const struct rows_request runs = {.values = run, .value_count = 1, .jobs = 1};
    struct rows_request all = meant;
    gives(&meant, hyperfine, "sort: 25e-2\nsort: 5e-1\nscan: 2e0\n", "hyperfine JSON", "name: time", "s");
    gives(&meant, go, "BenchmarkA-8: 125e-1\nBenchmarkB-8: 7e0\n", "Go benchmark text", "name: ns/op", "ns/op");
    all.whole_groups_default = false;
    gives(&all, hyperfine, "25e-2\n5e-1\n2e0\n", "hyperfine JSON", "time", "s");
    gives(&runs, hyperfine, "1e0\n2e0\n1e0\n", "hyperfine JSON", "run", "none");
}

static void test_left_out(void)
{
    struct outcome outcome = read_bytes(&meant, hyperfine, strlen(hyperfine), 16);
    is_u64(outcome.account.rows, 3, "measured values are rows");
    is_u64(outcome.account.skipped, 1, "a failed run is left out");
    is_text(outcome.account.first_skipped, "table: 1 run failed (exit code 1)", "  the account says why");
    outcome_free(&outcome);
}

static void test_damaged(void)
{
    struct outcome outcome = read_bytes(&meant, hyperfine, strlen(hyperfine) - 20, 16);
    ok(outcome.status == STATUS_BAD && strncmp(outcome.message, "table: ", 7) == 0, "a cut document is refused: %s",
       outcome.message);
    outcome_free(&outcome);
    static const char *const time[] = {"tim"};
    const struct rows_request request = {.values = time, .value_count = 1, .jobs = 1};
    gives(&request, go, "table: no column 'tim'; there are: name, goos, pkg, base, run, iterations, ns/op",
          "a table without the column", "", "");
}

/* A document that is longer than the part by which its format is recognized. */
static void test_long(void)
{
    enum { RUNS = 50000 };
    static char text[RUNS * 8 + 100], rows[RUNS * 16];
    size_t length = (size_t)sprintf(text, "{\"results\": [{\"command\": \"a\",\n\"times\": ["), expected = 0;
    for (int i = 0; i < RUNS; i++) {
        length += (size_t)sprintf(text + length, "%s%d.5", i ? "," : "", i + 1);
        expected += (size_t)sprintf(rows + expected, "a: %d5e-1\n", i + 1);
    }
    sprintf(text + length, "]}]}");
    struct outcome outcome = read_bytes(&meant, text, strlen(text), ROWS_PART_BYTES);
    ok(!outcome.status && strcmp(outcome.text, rows) == 0, "a document of 50000 runs is read %s", outcome.message);
    outcome_free(&outcome);
}

static void test_mixing(void)
{
    static const char *const paths[] = {"b", "a"};
    static const char *const messages[] = {
        "b: no column 'time'; there are: name, goos, pkg, base, run, iterations, ns/op",
        "b: its benchmarks differ in 'size', but those of a don't; name the group columns with --by",
        "b: no column 'name'; there are: time, run",
    };
    const char *const others[] = {go, with_parameter, "time,run\n1,2\n"};
    write_file("a", hyperfine, strlen(hyperfine));
    for (size_t i = 0; i < 3; i++) {
        write_file("b", others[i], strlen(others[i]));
        struct outcome outcome = read_files(&meant, paths, 2, ROWS_PART_BYTES);
        is_text(outcome.message, messages[i], "files that can't be mixed are refused");
        outcome_free(&outcome);
    }
    static const char raw[] = "group,function,value,throughput_num,throughput_type,sample_measured_value,unit,"
                              "iteration_count\nsort,,,,,100,ns,10\n";
    write_file("b", raw, strlen(raw));
    struct outcome outcome = read_files(&meant, paths, 2, ROWS_PART_BYTES);
    is_text(outcome.text, "sort: 25e-2\nsort: 5e-1\nscan: 2e0\nsort: 10e-9\n",
            "units of one kind are converted to that of the first file");
    outcome_free(&outcome);
    write_file("b", "name,time\nown,1\n", 16);
    outcome = read_files(&meant, paths, 2, ROWS_PART_BYTES);
    is_text(outcome.text, "sort: 25e-2\nsort: 5e-1\nscan: 2e0\nown: 1e0\n", "a plain table may follow");
    outcome_free(&outcome);
}

/* ------------------------------------------------------------------------------------------ units -- */

#define GOOGLE(entries) "{\"context\": {}, \"benchmarks\": [" entries "]}"
#define TIMED(name, time, unit)                                                                                        \
    "{\"name\": \"" name "\", \"iterations\": 9, \"real_time\": " time ", \"cpu_time\": 8, \"time_unit\": \"" unit "\"}"
#define RAW "group,function,value,throughput_num,throughput_type,sample_measured_value,unit,iteration_count\n"

static const char ns[] = GOOGLE(TIMED("n", "1", "ns")), us[] = GOOGLE(TIMED("u", "2", "us"));
static const char both[] = GOOGLE(TIMED("n", "1", "ns") "," TIMED("u", "2", "us"));
static const char plain[] = "name,unit,real_time,iterations\np,ns,3,7\n";
static const char raw_both[] = RAW "n,,,,,10,ns,10\nu,,,,,20,us,10\n", raw_s[] = RAW "s,,,,,30,s,10\n";
static const char unit_parameter[] =
    "{\"results\": [{\"command\": \"x\", \"times\": [4], \"parameters\": {\"unit\": \"a\"}}, "
    "{\"command\": \"x\", \"times\": [5], \"parameters\": {\"unit\": \"b\"}}]}";

static const char *const by_name[] = {"name"}, *const by_unit[] = {"name", "unit"};
static const char *const real_time[] = {"real_time", "iterations"}, *const iterations[] = {"iterations", "real_time"};

/* Files with these texts, read in this order, by "name" or by "name" and "unit": their rows, or why they are refused;
 * and how the unit of each value is identified: by a text, or by group 1 ("[1]"). */
static const struct mixture {
    const char *texts[3];
    const char *const *values;
    size_t value_count, group_count;
    const char *expected, *units;
} mixtures[] = {
    {{both}, real_time, 1, 1, "n: 1e0\nu: 2e3\n", "ns "},
    {{both}, real_time, 2, 1, "n: 1e0 9e0\nu: 2e3 9e0\n", "ns - "},
    {{both}, real_time + 1, 1, 1, "n: 9e0\nu: 9e0\n", "- "},
    {{both}, real_time, 2, 2, "n,ns: 1e0 9e0\nu,ns: 2e3 9e0\n", "[1] - "},
    {{both}, iterations, 2, 2, "n,ns: 9e0 1e0\nu,ns: 9e0 2e3\n", "- [1] "},
    {{ns}, real_time, 2, 2, "n,ns: 1e0 9e0\n", "[1] - "},
    {{ns}, real_time, 2, 1, "n: 1e0 9e0\n", "ns - "},
    {{ns, both}, real_time, 1, 2, "n,ns: 1e0\nn,ns: 1e0\nu,ns: 2e3\n", "[1] "},
    {{both, ns}, real_time, 1, 2, "n,ns: 1e0\nu,ns: 2e3\nn,ns: 1e0\n", "[1] "},
    {{ns, us}, real_time, 1, 2, "n,ns: 1e0\nu,ns: 2e3\n", "[1] "},
    {{ns, both}, real_time, 1, 1, "n: 1e0\nn: 1e0\nu: 2e3\n", "ns "},
    {{ns, us}, real_time, 1, 1, "n: 1e0\nu: 2e3\n", "ns "},
    {{ns, us}, iterations, 2, 1, "n: 9e0 1e0\nu: 9e0 2e3\n", "- ns "},
    {{us, ns}, real_time, 2, 1, "u: 2e0 9e0\nn: 1e-3 9e0\n", "us - "},
    {{ns, us}, iterations, 1, 1, "n: 9e0\nu: 9e0\n", "- "},
    {{plain, ns}, real_time, 1, 1, "p: 3e0\nn: 1e0\n", "ns "},
    {{ns, plain}, real_time, 1, 1, "n: 1e0\np: 3e0\n", "ns "},
    {{plain, ns, us}, real_time, 1, 1, "p: 3e0\nn: 1e0\nu: 2e3\n", "ns "},
    {{plain, both}, real_time, 1, 2, "p,ns: 3e0\nn,ns: 1e0\nu,ns: 2e3\n", "[1] "},
    {{plain}, real_time, 1, 2, "p,ns: 3e0\n", "[1] "},
};

/* The same for hyperfine with a parameter "unit", which is not a unit. */
static const char *const times[] = {"time"};
static const struct mixture parameters[] = {
    {{unit_parameter}, times, 1, 1, "x: 4e0\nx: 5e0\n", "s "},
    {{unit_parameter}, times, 1, 2, "x,a: 4e0\nx,b: 5e0\n", "s "},
    {{unit_parameter, raw_s}, times, 1, 2, "x,a: 4e0\nx,b: 5e0\ns,s: 3e0\n", "s "},
    {{unit_parameter, raw_both},
     times,
     1,
     2,
     "b: values of 'time' are in what its column 'unit' says, those of a in s",
     ""},
    {{raw_both, unit_parameter}, times, 1, 2, "b: values of 'time' are in s, those of a in what a column says", ""},
};

static void describe_units(const struct rows_columns *columns, char text[128])
{
    *text = '\0';
    for (size_t v = 0; v < columns->value_count; v++) {
        const struct rows_unit *unit = &columns->units[v];
        size_t length = strlen(text);
        if (unit->group != ROWS_NO_UNIT)
            snprintf(text + length, 128 - length, "[%zu]%s ", unit->group, unit->text ? unit->text : "");
        else
            snprintf(text + length, 128 - length, "%s ", unit->text ? unit->text : "-");
    }
}

static void test_mixture(const struct mixture *mixture)
{
    static const char *const paths[] = {"a", "b", "c"};
    const struct rows_request request = {.values = mixture->values,
                                         .value_count = mixture->value_count,
                                         .groups = mixture->group_count > 1 ? by_unit : by_name,
                                         .group_count = mixture->group_count,
                                         .jobs = 2};
    size_t count = 0;
    char units[128] = "";
    for (; count < 3 && mixture->texts[count]; count++)
        write_file(paths[count], mixture->texts[count], strlen(mixture->texts[count]));
    record_reduced = true;
    struct outcome outcome = read_files(&request, paths, count, ROWS_PART_BYTES);
    record_reduced = false;
    is_text(outcome.status ? outcome.message : outcome.text, mixture->expected,
            "the units of files are reconciled or refused");
    if (!outcome.status)
        describe_units(&outcome.account.columns, units);
    is_text(units, mixture->units, "  they are reported");
    outcome_free(&outcome);
}

static void test_units(void)
{
    static const char configured[] = "unit: x\nBenchmarkA \t 9 \t 1 ns/op\nunit: y\nBenchmarkA \t 9 \t 2 ns/op\nPASS\n";
    const struct rows_request request = {.groups = by_name, .group_count = 1, .whole_groups_default = true, .jobs = 1};
    for (size_t i = 0; i < sizeof mixtures / sizeof *mixtures; i++)
        test_mixture(&mixtures[i]);
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
        test_mixture(&parameters[i]);
    gives(&request, configured, "BenchmarkA: 1e0\nBenchmarkA: 2e0\n", "Go benchmark text", "name: ns/op", "ns/op");
    gives(&meant, unit_parameter, "x,a: 4e0\nx,b: 5e0\n", "hyperfine JSON", "name,unit: time", "s");
}

int main(void)
{
    static const char *const files[] = {"table", "a", "b", "c"};
    enter_directory();
    test_meanings();
    test_left_out();
    test_damaged();
    test_long();
    test_mixing();
    test_units();
    is_u64((uint64_t)records_alive, 0, "every state was freed");
    leave_directory(files, 4);
    return done_testing();
}
