/* What benchmark tools write, as rows: the columns that the format means, and what can't be mixed. */
#include "tests/analyze/rows_harness.h"

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
    is_text(outcome.status ? outcome.message : outcome.text, rows, format);
    if (!outcome.status) {
        is_text(outcome.account.format, format, "its format");
        is_text(outcome.columns, columns, "its columns");
        is_text(outcome.account.columns.unit ? outcome.account.columns.unit : "none", unit, "its unit");
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
    is_u64(outcome.account.skipped, 1, "a failed run is none");
    is_text(outcome.account.first_skipped, "table: 1 run failed (exit code 1)", "and the account says why");
    outcome_free(&outcome);
}

static void test_damaged(void)
{
    struct outcome outcome = read_bytes(&meant, hyperfine, strlen(hyperfine) - 20, 16);
    ok(outcome.status == STATUS_BAD && strncmp(outcome.message, "table: ", 7) == 0, "a cut document: %s",
       outcome.message);
    outcome_free(&outcome);
    static const char *const time[] = {"tim"};
    const struct rows_request request = {.values = time, .value_count = 1, .jobs = 1};
    gives(&request, go, "table: no column 'tim'; there are: name, goos, pkg, run, iterations, ns/op",
          "a missing column", "", "");
}

/* A document that is longer than what its format is told by. */
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
    ok(!outcome.status && strcmp(outcome.text, rows) == 0, "50000 runs in one document %s", outcome.message);
    outcome_free(&outcome);
}

static void test_mixing(void)
{
    static const char *const paths[] = {"b", "a"};
    static const char *const messages[] = {
        "b: no column 'time'; there are: name, goos, pkg, run, iterations, ns/op",
        "b: its benchmarks differ by 'size', those of a don't; name the columns of groups with --by",
        "b: no column 'name'; there are: time, run",
    };
    const char *const others[] = {go, with_parameter, "time,run\n1,2\n"};
    write_file("a", hyperfine, strlen(hyperfine));
    for (size_t i = 0; i < 3; i++) {
        write_file("b", others[i], strlen(others[i]));
        struct outcome outcome = read_files(&meant, paths, 2, ROWS_PART_BYTES);
        is_text(outcome.message, messages[i], "files that don't go together");
        outcome_free(&outcome);
    }
    static const char raw[] = "group,function,value,throughput_num,throughput_type,sample_measured_value,unit,"
                              "iteration_count\nsort,,,,,100,ns,10\n";
    write_file("b", raw, strlen(raw));
    struct outcome outcome = read_files(&meant, paths, 2, ROWS_PART_BYTES);
    is_text(outcome.message, "b: values are in ns, those of a in s", "nor different units");
    outcome_free(&outcome);
    write_file("b", "name,time\nown,1\n", 16);
    outcome = read_files(&meant, paths, 2, ROWS_PART_BYTES);
    is_text(outcome.text, "sort: 25e-2\nsort: 5e-1\nscan: 2e0\nown: 1e0\n", "a table of one's own may follow");
    outcome_free(&outcome);
}

int main(void)
{
    static const char *const files[] = {"table", "a", "b"};
    enter_directory();
    test_meanings();
    test_left_out();
    test_damaged();
    test_long();
    test_mixing();
    is_u64((uint64_t)records_alive, 0, "every state was freed");
    leave_directory(files, 3);
    return done_testing();
}
