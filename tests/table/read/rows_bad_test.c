/* Invalid tables: rows_read() reports the same for any number of threads. */
#include <sys/stat.h>

#include <zlib.h>
#include <zstd.h>

#include "tests/table/read/rows_harness.h"

static const char *const one_value[] = {"time"}, *const one_group[] = {"name"};
static const struct rows_request plain = {.jobs = 1};
static const struct rows_request timed = {.values = one_value, .value_count = 1, .jobs = 1};
static const struct rows_request grouped = {
    .values = one_value, .value_count = 1, .groups = one_group, .group_count = 1, .jobs = 1};

static void is_refused(const struct rows_request *request, const char *text, size_t length, int status,
                       const char *message)
{
    static const size_t sizes[] = {1, 5, 32, ROWS_PART_BYTES};
    for (size_t i = 0; i < 4; i++)
        for (unsigned jobs = 1; jobs <= 4; jobs += 3) {
            struct rows_request asked = *request;
            asked.jobs = jobs;
            struct outcome outcome = read_bytes(&asked, text, length, sizes[i]);
            bool good = outcome.status == status && strcmp(outcome.message, message) == 0 && !*outcome.text;
            outcome_free(&outcome);
            if (!good || (i == 3 && jobs == 4)) {
                ok(good, "%s", message);
                if (!good)
                    printf("# parts of %zu, %u threads: %d, \"%s\"\n", sizes[i], jobs, outcome.status, outcome.message);
                return;
            }
        }
}

static void refuses(const struct rows_request *request, const char *text, const char *message)
{
    is_refused(request, text, strlen(text), STATUS_BAD, message);
}

/* With --skip-bad: the rows that remain, how many were skipped, and the first of those. */
static void skips(const struct rows_request *request, const char *text, const char *rows, uint64_t skipped,
                  const char *first)
{
    struct rows_request asked = *request;
    asked.skip_bad = true;
    for (unsigned jobs = 1; jobs <= 3; jobs += 2) {
        asked.jobs = jobs;
        struct outcome outcome = read_bytes(&asked, text, strlen(text), jobs == 1 ? ROWS_PART_BYTES : 6);
        is_text(outcome.status ? outcome.message : outcome.text, rows, "bad rows are left out");
        is_u64(outcome.account.skipped, skipped, "  they are counted");
        is_text(outcome.account.first_skipped, first, "  the first is reported");
        outcome_free(&outcome);
    }
}

#define LEAVE "leave such rows out with --skip-bad"

static void test_numbers(void)
{
    refuses(&timed, "time\n1\n1,5\n2\n", "table: line 3, column 'time': '1,5' is not a number; write 1.5, or " LEAVE);
    refuses(&timed, "time,run\n\"-1,25e3\",1\n",
            "table: line 2, column 'time': '-1,25e3' is not a number; write -1.25e3, or " LEAVE);
    refuses(&timed, "time\n1,500\n",
            "table: line 2, column 'time': '1,500' is not a number; write 1500, or 1.500 if that is meant, or " LEAVE);
    refuses(&timed, "# x\n\ntime\n\n1\n12ms\n",
            "table: line 6, column 'time': '12ms' has a unit, but the first rows have none; " LEAVE);
    refuses(&timed, "time,run\n1,1\nNaN,2\n", "table: line 3, column 'time': 'NaN' is not a finite number; " LEAVE);
    refuses(&timed, "time,run\n1,1\n-inf,2\n", "table: line 3, column 'time': '-inf' is not a finite number; " LEAVE);
    refuses(&timed, "time,run\n1,1\n ,2\n", "table: line 3, column 'time': the cell is blank; " LEAVE);
    refuses(&timed, "time,run\n1e999,1\n",
            "table: line 2, column 'time': '1e999' is beyond the range of double precision; " LEAVE);
    refuses(&timed, "time,run\n\"x\ny\",1\n", "table: line 2, column 'time': 'x y' is not a number; " LEAVE);
    refuses(&timed, "note,time\n\"one\ntwo\n\",1\nb,x\n", "table: line 5, column 'time': 'x' is not a number; " LEAVE);
    refuses(&timed, "time\naaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffff\xc3\xa4z\n",
            "table: line 2, column 'time': 'aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffff…' is not a "
            "number; " LEAVE);
    is_refused(&timed, "time,run\n1\0002,1\n", 15, STATUS_BAD, "table: is binary data, not a table: byte 11 is NUL");
}

/* Rounded values are counted only in rows that are kept. */
static void test_rounded(void)
{
    static const char *const two[] = {"time", "run"};
    static const char text[] = "time,run\n1.0000000000000000001,1\n12345678901234567890z,1\n1.0000000000000000001,z\n"
                               "2,0.12345678901234567891\n1.0000000000000000001\n";
    const struct rows_request request = {.values = two, .value_count = 2, .skip_bad = true, .jobs = 2};
    for (int whole = 0; whole < 2; whole++) {
        struct outcome outcome = read_bytes(&request, text, strlen(text), whole ? ROWS_PART_BYTES : 16);
        is_u64(outcome.account.rows, 2, "rows that are kept are counted");
        is_u64(outcome.account.rounded, 2, "  so are their rounded values");
        outcome_free(&outcome);
    }
}

static void test_rows(void)
{
    refuses(&timed, "time,run\n1,1\n2\n", "table: line 3 has 1 cell, but the header has 2; " LEAVE);
    refuses(&timed, "time,run\n1,1\n\n2,3,4\n", "table: line 4 has 3 cells, but the header has 2; " LEAVE);
    refuses(&plain, "1\n2 3\n", "table: line 2 has 2 cells, but the first row has 1; " LEAVE);
    refuses(&timed, "time,run\n1,\"a\"b\n", "table: line 2 is not a row: there is text after a closing quote; " LEAVE);
    refuses(&timed, "time,run\n1,a\n2,\"b\n3,c\n", "table: line 3 has a quote that is not closed");
    refuses(&timed, "time run\n1 \"a\n", "table: line 2 is not a row: a quote is not closed; " LEAVE);
    refuses(&timed, "time,run\n1,a\n2,\"b", "table: line 3 has a quote that is not closed");
    refuses(&timed, "\"time,run\n1,a\n", "table: line 1: a quote is not closed");
}

static void test_columns(void)
{
    refuses(&timed, "tme,clock,run\n1,2,3\n",
            "table: no column 'time' (did you mean 'tme'?); there are: tme, clock, run");
    refuses(&timed, "a,b\n1,2\n", "table: no column 'time'; there are: a, b");
    refuses(&timed, "Time\n1\n", "table: no column 'time' (did you mean 'Time'?); there are: Time");
    refuses(&timed, "time,x,time\n1,2,3\n",
            "table: several columns are named 'time'; ask for 'time (1)', 'time (2)' …");
    refuses(&plain, "a,b\nx,y\n",
            "table: no column with numbers in its first rows; there are: a, b; name one with --value to see what is "
            "wrong with it");
    is_refused(&plain, "a,b\n1,2\n", 8, STATUS_USAGE,
               "table: which column? There are 2 with numbers: a, b; name one with --value");
    static const char *const third[] = {"3"};
    const struct rows_request by_place = {.values = third, .value_count = 1, .jobs = 1};
    refuses(&by_place, "a,b\n1,2\n", "table: no column '3'; there are: a, b");
    refuses(&plain, "time\n1\nx\n2\n3\n", "table: line 3, column 'time': 'x' is not a number; " LEAVE);
}

static void test_no_table(void)
{
    refuses(&timed, "", "table: is empty");
    refuses(&timed, " \n\r\n", "table: holds nothing but blanks");
    refuses(&timed, "# a\n# b\n", "table: holds nothing but comments");
    refuses(&timed, "time,run\n", "table: has a header but no rows");
    refuses(&timed, "time,run", "table: has a header but no rows");
    refuses(&timed, "time\r1\r2\r", "table: its lines end with CR alone; convert them: tr '\\r' '\\n'");
    is_refused(&timed, "\xff\xfet\0i\0m\0e\0\n\0", 12, STATUS_BAD,
               "table: is UTF-16 text; convert it: iconv -f UTF-16 -t UTF-8");
    is_refused(&timed, "t\0i\0m\0e\0\n\0", 10, STATUS_BAD,
               "table: is UTF-16 text; convert it: iconv -f UTF-16 -t UTF-8");
    is_refused(&timed, "\177ELF\2\1\1\0\0\0", 10, STATUS_BAD, "table: is binary data, not a table: byte 8 is NUL");
    is_refused(&timed, "\1\2\3\n", 4, STATUS_BAD, "table: is binary data, not a table: byte 1 is a control character");
    is_refused(&timed, "PK\3\4abcdefgh", 12, STATUS_BAD,
               "table: is a zip archive (a spreadsheet?); export the table as CSV");
}

static void test_json(void)
{
    refuses(&timed, "{\"time\":1}\n{\"time\":}\n",
            "table: line 2 is not a JSON object: unexpected token near '}'; " LEAVE);
    refuses(&timed, "{\"time\":1}\n{\"time\":01}\n",
            "table: line 2 is not a JSON object: invalid token near '0'; " LEAVE);
    refuses(&timed, "{\"time\":1}\n{\"time\":1.}\n",
            "table: line 2 is not a JSON object: invalid token near '1.'; " LEAVE);
    refuses(&timed, "{\"time\":1}\n{\"time\":1} {}\n",
            "table: line 2 is not a JSON object: end of file expected near '{'; " LEAVE);
    refuses(&timed, "{\"time\":1}\n{\"time\":1,\"time\":2}\n",
            "table: line 2 is not a JSON object: duplicate object key near '\"time\"'; " LEAVE);
    refuses(&timed, "{\"time\":1}\n{\"time\":NaN}\n",
            "table: line 2 is not a JSON object: invalid token near 'NaN'; " LEAVE);
    refuses(&timed, "{\"time\":1}\n{\"tim\":1}\n", "table: line 2, column 'time': the cell is blank; " LEAVE);
    refuses(&timed, "{\"time\":1}\n{\"time\":[1]}\n", "table: line 2, column 'time': there is no plain value; " LEAVE);
    refuses(&timed, "{\"time\":1}\n{\"time\":true}\n", "table: line 2, column 'time': 'true' is not a number; " LEAVE);
    refuses(&timed, "[{\"time\":1}, 2]", "table: result 2 is not a JSON object; " LEAVE);
    refuses(&timed, "[{\"time\":1},\n{\"time\":\"x\"}]", "table: result 2, column 'time': 'x' is not a number; " LEAVE);
    refuses(&timed, "[]", "table: has no rows");
    refuses(&timed, "[1, 2]", "table: is JSON, but holds no objects with keys");
    refuses(&timed, "{\"results\": 3, \"a\": {}}",
            "table: is JSON, but not an array of objects, nor an object with such an array 'results', nor output of "
            "hyperfine, "
            "JMH, pyperf, pytest-benchmark, Google Benchmark, nanobench or criterion");
    refuses(&timed, "{\"results\": [{\"time\": 1}, {",
            "table: line 1: bad JSON: string or '}' expected near end of file");
}

static void test_skipping(void)
{
    skips(&grouped, "name,time\na,1\nb,x\nc,2,3\nd,4\ne,\nf,6\n", "a: 1e0\nd: 4e0\nf: 6e0\n", 3,
          "table: line 3, column 'time': 'x' is not a number");
    skips(&grouped, "name,time\na,1\nb\nc,2\n", "a: 1e0\nc: 2e0\n", 1,
          "table: line 3 has 1 cell, but the header has 2");
    skips(&grouped, "{\"name\":\"a\",\"time\":1}\n{\"name\":{},\"time\":2}\nnonsense\n{\"time\":3}\n",
          "a: 1e0\n: 3e0\n", 2, "table: line 2, column 'name': there is no plain value");
    struct rows_request asked = timed;
    asked.skip_bad = true;
    refuses(&asked, "time,run\nx,1\ny,2\n",
            "no row is left: 2 were left out, the first: table: line 2, column 'time': 'x' is not a number");
    refuses(&asked, "time,run\n1,a\n2,\"b\n3,c\n", "table: line 3 has a quote that is not closed");
}

/* ------------------------------------------------------------------------------------------ files -- */

static void files_are_refused(const char *const *paths, size_t count, int status, const char *message)
{
    struct outcome outcome = read_files(&timed, paths, count, ROWS_PART_BYTES);
    is_u64((uint64_t)outcome.status, (uint64_t)status, message);
    is_text(outcome.message, message, "  with this message");
    outcome_free(&outcome);
}

static void test_files(void)
{
    files_are_refused((const char *const[]){"missing"}, 1, STATUS_BAD, "missing: No such file or directory");
    files_are_refused(
        (const char *const[]){"/proc/self/fdinfo"}, 1, STATUS_BAD,
        "/proc/self/fdinfo: is a directory without series.json and criterion's benchmarks (new/sample.json)");
    files_are_refused((const char *const[]){"/proc/self/mem"}, 1, STATUS_BAD, "/proc/self/mem: Input/output error");
    write_file("a", "time\n1\n", 7);
    write_file("b", "tyme\n2\n", 7);
    write_file("table", "time\n", 5);
    files_are_refused((const char *const[]){"a", "./a"}, 2, STATUS_USAGE, "a: is the same file as ./a; name it once");
    files_are_refused((const char *const[]){"-", "-"}, 2, STATUS_USAGE,
                      "standard input: is the same file as standard input; name it once");
    files_are_refused((const char *const[]){"b", "a"}, 2, STATUS_BAD,
                      "b: no column 'time' (did you mean 'tyme'?); there are: tyme");
    files_are_refused((const char *const[]){"table", "a"}, 2, STATUS_BAD, "table: has a header but no rows");
    chmod("b", 0);
    if (access("b", R_OK) != 0)
        files_are_refused((const char *const[]){"b"}, 1, STATUS_BAD, "b: Permission denied");
}

static size_t pack(char *packed, size_t capacity, const char *text, bool zst)
{
    if (zst)
        return ZSTD_compress(packed, capacity, text, strlen(text), 3);
    z_stream gz = {.next_in = (unsigned char *)(uintptr_t)text,
                   .avail_in = (unsigned)strlen(text),
                   .next_out = (unsigned char *)packed,
                   .avail_out = (unsigned)capacity};
    deflateInit2(&gz, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    deflate(&gz, Z_FINISH);
    deflateEnd(&gz);
    return gz.total_out;
}

static void test_packed(void)
{
    static char packed[1000];
    const char *text = "time\n1\n2\n3\n4\n";
    size_t length = pack(packed, sizeof packed, text, false);
    is_refused(&timed, packed, length - 1, STATUS_BAD, "table: the gz data is cut: it ends too early");
    is_refused(&timed, packed, 12, STATUS_BAD, "table: the gz data is cut: it ends too early");
    packed[length - 8] ^= 1;
    is_refused(&timed, packed, length, STATUS_BAD, "table: the gz data is damaged: incorrect data check");
    packed[length - 8] ^= 1;
    strcpy(packed + length, "garbage");
    is_refused(&timed, packed, length + 7, STATUS_BAD, "table: the gz data is damaged: incorrect header check");
    is_refused(&timed, packed, pack(packed, sizeof packed, "", false), STATUS_BAD, "table: is empty");
    length = pack(packed, sizeof packed, text, true);
    is_refused(&timed, packed, length - 1, STATUS_BAD, "table: the zst data is cut: it ends too early");
    strcpy(packed + length, "garbage");
    is_refused(&timed, packed, length + 7, STATUS_BAD, "table: the zst data is damaged: Unknown frame descriptor");
}

/* A bad cell is reported before the damage that follows it. */
static void test_damage_later(void)
{
    enum { ROWS = 100000 };
    static char text[ROWS * 8], packed[sizeof text];
    size_t length = (size_t)sprintf(text, "time\n");
    for (int i = 0; i < ROWS; i++)
        length += (size_t)sprintf(text + length, "%d\n", i);
    size_t size = pack(packed, sizeof packed, text, false);
    is_refused(&timed, packed, size - 100, STATUS_BAD, "table: the gz data is cut: it ends too early");
    memcpy(strstr(text, "\n40000\n") + 1, "4000x", 5);
    size = pack(packed, sizeof packed, text, false);
    struct rows_request asked = timed;
    for (asked.jobs = 1; asked.jobs <= 4; asked.jobs++) {
        struct outcome outcome = read_bytes(&asked, packed, size - 100, 5000);
        is_text(outcome.message, "table: line 40002, column 'time': '4000x' is not a number; " LEAVE,
                "the first of two faults is reported");
        outcome_free(&outcome);
    }
}

static void test_long_line(void)
{
    enum { LONG = 10 << 20 };
    char *text = malloc(LONG + 100);
    size_t length = (size_t)sprintf(text, "time,note\n1,");
    memset(text + length, 'x', LONG);
    length += LONG;
    length += (size_t)sprintf(text + length, "\n2,short\nz,\n");
    struct rows_request asked = timed;
    asked.jobs = 2;
    struct outcome outcome = read_bytes(&asked, text, length, ROWS_PART_BYTES);
    is_text(outcome.message, "table: line 4, column 'time': 'z' is not a number; " LEAVE, "a line of 10 MB is read");
    outcome_free(&outcome);
    memset(text + 1000, '\0', 1);
    outcome = read_bytes(&asked, text, length, ROWS_PART_BYTES);
    is_text(outcome.message, "table: is binary data, not a table: byte 1001 is NUL",
            "a NUL in a line of 10 MB is reported");
    outcome_free(&outcome);
    memset(text, 'y', LONG);
    outcome = read_bytes(&asked, text, LONG, ROWS_PART_BYTES);
    ok(strncmp(outcome.message, "table: no column 'time'; there are: ", 30) == 0, "a header of 10 MB is read");
    outcome_free(&outcome);
    free(text);
}

/* The search for a closing quote is bounded. */
static void test_open_quote(void)
{
    enum { LONG = (64 << 20) + 1000 };
    char *text = malloc(LONG);
    memset(text, 'x', LONG);
    memcpy(text, "time,note\n1,a\n2,\"", 17);
    struct outcome outcome = read_bytes(&timed, text, LONG, ROWS_PART_BYTES);
    is_text(outcome.message, "table: line 3 begins a row of more than 64 MB, or a quote that is not closed",
            "a quote that a large file does not close is reported");
    outcome_free(&outcome);
    free(text);
}

/* A NUL far from the beginning. */
static void test_late_nul(void)
{
    enum { ROWS = 20000 };
    static char text[ROWS * 16];
    size_t length = (size_t)sprintf(text, "name,time\n");
    for (int i = 0; i < ROWS; i++)
        length += (size_t)sprintf(text + length, "n%d,%d\n", i, i);
    *strstr(text, "15000,") = '\0';
    struct outcome outcome = read_bytes(&grouped, text, length, 100000);
    is_text(outcome.message, "table: line 15002, column 'name': the cell holds a NUL byte; " LEAVE,
            "a NUL in a name is reported");
    outcome_free(&outcome);
}

static void test_consumers(void)
{
    struct rows_request asked = timed;
    asked.jobs = 3;
    const char *text = "time\n1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    static const char *const messages[] = {"", "out of memory", "feeding fails", "merging fails"};
    for (record_fault = RECORD_NO_INIT; record_fault <= RECORD_NO_MERGE; record_fault++) {
        struct outcome outcome = read_bytes(&asked, text, strlen(text), 4);
        is_text(outcome.message, messages[record_fault], "a consumer's failure is passed on");
        ok(outcome.status == STATUS_BAD && !*outcome.text, "  without a result");
        outcome_free(&outcome);
    }
    record_fault = RECORD_GOOD;
}

int main(void)
{
    static const char *const files[] = {"table", "a", "b"};
    enter_directory();
    test_numbers();
    test_rounded();
    test_rows();
    test_columns();
    test_no_table();
    test_json();
    test_skipping();
    test_files();
    test_packed();
    test_damage_later();
    test_long_line();
    test_open_quote();
    test_late_nul();
    test_consumers();
    is_u64((uint64_t)records_alive, 0, "every state was freed");
    leave_directory(files, 3);
    return done_testing();
}
