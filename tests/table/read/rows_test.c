/* Valid tables in every format, and the rows that rows_read() returns. */
#include <pthread.h>

#include <zlib.h>
#include <zstd.h>

#include "tests/table/read/rows_harness.h"

static const char *const one_value[] = {"time"}, *const two_values[] = {"time", "size"};
static const char *const one_group[] = {"name"}, *const two_groups[] = {"name", "kind"};

static const struct rows_request plain = {.jobs = 1};
static const struct rows_request grouped = {
    .values = one_value, .value_count = 1, .groups = one_group, .group_count = 1, .jobs = 1};
static const struct rows_request full = {
    .values = two_values, .value_count = 2, .groups = two_groups, .group_count = 2, .jobs = 1};

/* The text gives these rows for any size of parts and number of threads. */
static void check(const struct rows_request *request, const char *text, const char *rows, const char *format,
                  const char *what)
{
    static const size_t sizes[] = {ROWS_PART_BYTES, 1, 2, 7, 16, 64};
    bool same = true;
    for (size_t i = 0; i < 6; i++)
        for (unsigned jobs = 1; jobs <= 4; jobs += 3) {
            struct rows_request asked = *request;
            asked.jobs = jobs;
            struct outcome outcome = read_bytes(&asked, text, strlen(text), sizes[i]);
            if (i == 0 && jobs == 1) {
                is_text(outcome.status ? outcome.message : outcome.text, rows, what);
                if (!outcome.status)
                    is_text(outcome.account.format, format, "  its format is reported");
            }
            same &= !outcome.status && strcmp(outcome.text, rows) == 0;
            outcome_free(&outcome);
        }
    ok(same, "  parts of any size and one or four threads give the same rows");
}

static void test_delimited(void)
{
    const char *rows = "a,x: 15e-1 10e0\nb,y: 2e0 20e0\n";
    check(&full, "name,kind,time,size\na,x,1.5,10\nb,y,2,20\n", rows, "CSV", "CSV is read");
    check(&full, "size,skip,time,kind,name\n10,?,1.5,x,a\n20,,2,y,b", rows, "CSV", "columns may come in any order");
    check(&full, "\xef\xbb\xbfname,kind,time,size\r\na,x,1.5,10\r\nb,y,2,20\r\n", rows, "CSV",
          "CR LF and a byte-order mark are accepted");
    check(&full, "# made by hand\n\n#\nname,kind,time,size\n\na,x,1.5,10\n  \nb,y,2,20\n\n", rows, "CSV",
          "comments before the header and blank lines are skipped");
    check(&full, " name ,kind, time,size\na,x, 1.5,\t10 \nb,y,2,20\n", rows, "CSV",
          "blanks around names and numbers are ignored");
    check(&full, "name;kind;time;size\na;x;1.5;10\nb;y;2;20\n", rows, "CSV with semicolons",
          "semicolons separate cells");
    check(&full, "name\tkind\ttime\tsize\na\tx\t1.5\t10\nb\ty\t2\t20\n", rows, "TSV", "TSV is read");
    check(&full, "name  kind time size\n# between\n a x \t 1.5 10 # behind\n\nb y 2 20\n", rows,
          "columns between blanks", "blanks separate columns");
    check(&full, "\"name\",kind,\"time\",size\n\"a\",x,\"1.5\",10\nb,\"y\",2,\"20\"\r\n", rows, "CSV",
          "quotes around cells are removed");
    check(&full, "name kind time size\n\"a\" \"x\" 1.5 10\nb y \"2\" 20\n", rows, "columns between blanks",
          "quotes around cells between blanks are removed");
}

static void test_quotes(void)
{
    check(&grouped, "name,time\n\"a,b\",1\n\"say \"\"hi\"\"\",2\n\"\",3\n,4\n5\" disk,6\n\"\"\"\",7\n",
          "a,b: 1e0\nsay \"hi\": 2e0\n: 3e0\n: 4e0\n5\" disk: 6e0\n\": 7e0\n", "CSV",
          "quotes may contain delimiters and quotes");
    check(&grouped, "name,time\n\"two\nlines\",1\n\"\n\n\",2\n\"three\r\nor\n\"\"more\"\"\n\",3\n",
          "two\nlines: 1e0\n\n\n: 2e0\nthree\r\nor\n\"more\"\n: 3e0\n", "CSV", "quotes may contain newlines");
    check(&grouped, "name\ttime\n\"a\t1\n\"b\"\t2\n", "\"a: 1e0\n\"b\": 2e0\n", "TSV", "TSV has no quotes");
    check(&grouped, "name time\n\"a b\" 1\n\"#c\" 2\nd#e 3\n", "a b: 1e0\n#c: 2e0\nd#e: 3e0\n",
          "columns between blanks", "quotes may contain blanks and #");
    check(&grouped, "\"the\nname\",time,name\nx,1,a\n", "a: 1e0\n", "CSV", "a header may span two lines");
}

static void test_json(void)
{
    const char *rows = "a,x: 15e-1 10e0\nb,y: 2e0 20e0\n";
    check(&full,
          "{\"name\":\"a\",\"kind\":\"x\",\"time\":1.5,\"size\":10}\n\n{\"size\":20,\"time\":2,\"kind\":\"y\",\"name\":"
          "\"b\"}\r\n",
          rows, "JSON lines", "JSON lines are read");
    check(&full,
          "{\"assay\": \"0.1.0\", \"warnings\": [], \"results\": [\n{\"name\":\"a\",\"kind\":\"x\",\"time\":1.5,"
          "\"size\":10},\n{\"name\":\"b\",\"kind\":\"y\",\"time\":\"2\",\"size\":20}]}",
          rows, "JSON", "assay's own JSON is read");
    check(&full,
          "[{\"name\":\"a\",\"kind\":\"x\",\"time\":1.5,\"size\":10},\n {\"name\":\"b\",\"kind\":\"y\",\"time\":2,"
          "\"size\":20}]\n",
          rows, "JSON", "an array of objects is read");
    check(&grouped, "{\"name\": true, \"time\": 1e3}", "true: 1e3\n", "JSON", "a single object is a row");
    check(&grouped,
          "{\"name\":1,\"time\":0.1}\n{\"name\":0.25,\"time\":123456789012345678}\n{\"name\":null,\"time\":-7}\n"
          "{\"time\":1}\n",
          "1: 1e-1\n0.25: 123456789012345678e0\n: -7e0\n: 1e0\n", "JSON lines",
          "numbers and texts of all kinds are read");
}

/* JSON lines that need the full parser. */
static void test_odd_lines(void)
{
    check(&grouped,
          " { \"time\" : -1.50 , \"name\" : \"a\\nb\" } \n{\"time\":2,\"name\":\"\\u00e4\"}\r\n"
          "{\"more\":[1,{}],\"name\":-0,\"time\":\" 3 \"}\n{\"name\":\"\",\"x\":{},\"time\":4E0}\n"
          "{\"name\":1.0,\"time\":5}\n",
          "a\nb: -15e-1\n\xc3\xa4: 2e0\n0: 3e0\n: 4e0\n1: 5e0\n", "JSON lines",
          "escapes, nested values and other keys are read");
    check(&grouped, "{\"name\":false,\"time\":0.10}\n{\"time\":1e-2,\"name\":null,\"a\":true}\n",
          "false: 10e-2\n: 1e-2\n", "JSON lines", "literals and reals are read");
}

static void test_columns(void)
{
    static const char *const second[] = {"2"}, *const places[] = {"3", "1"};
    const struct rows_request by_place = {
        .values = places, .value_count = 2, .groups = second, .group_count = 1, .jobs = 1};
    check(&plain, "1\n2\n3.50\n-4e2\n", "1e0\n2e0\n350e-2\n-4e2\n", "columns between blanks",
          "numbers alone are values");
    check(&plain, "time\n1\n2\n", "1e0\n2e0\n", "columns between blanks", "numbers under a name are values");
    check(&plain, "name,time\na,1\nb,2\n", "1e0\n2e0\n", "CSV", "the only numeric column is the value");
    check(&by_place, "x,y,z\n1,a,2\n3,b,4\n", "a: 2e0 1e0\nb: 4e0 3e0\n", "CSV", "columns are found by position");
    check(&by_place, "3,2,1\n3,2,1\n", "2: 1e0 3e0\n2: 1e0 3e0\n", "CSV", "a line of numbers is not a header");
    check(&by_place, "x,x,x\n3,2,1\n", "2: 1e0 3e0\n", "CSV", "a column whose name is not unique is found by position");
    struct outcome outcome = read_bytes(&plain, "10 20\n", 6, ROWS_PART_BYTES);
    is_text(outcome.message, "table: which column? There are 2 with numbers: 1, 2; name one with --value",
            "columns without names are numbered");
    outcome_free(&outcome);
    outcome = read_bytes(&plain, "7\n", 2, ROWS_PART_BYTES);
    is_text(outcome.columns, "value", "a single column without a name is called value");
    is_u64(outcome.account.rows, 1, "rows are counted");
    outcome_free(&outcome);
    static const char *const run[] = {"run"};
    const struct rows_request by_run = {.groups = run, .group_count = 1, .jobs = 1};
    check(&by_run, "run,time\n1,10\n2,20\n", "1: 10e0\n2: 20e0\n", "CSV", "a group column is not the value by default");
}

/* ------------------------------------------------------------------------------------------ files -- */

static void is_rows(struct outcome outcome, const char *rows, const char *what)
{
    is_text(outcome.status ? outcome.message : outcome.text, rows, what);
    outcome_free(&outcome);
}

static size_t pack_gz(char *packed, size_t capacity, const char *text)
{
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
    static char packed[4096];
    size_t first = pack_gz(packed, sizeof packed, "name,time\na,1\nb"), all;
    all = first + pack_gz(packed + first, sizeof packed - first, ",2\n");
    memset(packed + all, 0, 100);
    is_rows(read_bytes(&grouped, packed, all, 4), "a: 1e0\nb: 2e0\n", "gz with two members is read");
    is_rows(read_bytes(&grouped, packed, all + 100, 4), "a: 1e0\nb: 2e0\n", "  followed by zeros");
    const char *text = "name,time\na,1\n", *more = "b,2\n";
    first = ZSTD_compress(packed, sizeof packed, text, strlen(text), 3);
    all = first + ZSTD_compress(packed + first, sizeof packed - first, more, strlen(more), 3);
    is_rows(read_bytes(&grouped, packed, all, 4), "a: 1e0\nb: 2e0\n", "zst with two frames is read");
}

static void test_large_packed(void)
{
    enum { ROWS = 200000 };
    static char text[ROWS * 8], packed[sizeof text];
    size_t length = 0;
    for (int i = 0; i < ROWS; i++)
        length += (size_t)sprintf(text + length, "%d\n", i);
    struct outcome whole = read_bytes(&plain, text, length, ROWS_PART_BYTES);
    is_u64(whole.account.rows, ROWS, "a text of several parts is read");
    for (int kind = 0; kind < 2; kind++) {
        size_t size =
            kind ? ZSTD_compress(packed, sizeof packed, text, length, 1) : pack_gz(packed, sizeof packed, text);
        struct rows_request asked = plain;
        asked.jobs = 4;
        struct outcome outcome = read_bytes(&asked, packed, size, 100000);
        ok(!outcome.status && strcmp(outcome.text, whole.text) == 0, "  packed as %s it gives the same rows",
           kind ? "zst" : "gz");
        outcome_free(&outcome);
    }
    outcome_free(&whole);
}

static void test_several(void)
{
    static const char *const paths[] = {"b", "table", "a"}, *const again[] = {"a", "b", "table"};
    write_file("a", "time,name\n1,x\n", 14);
    write_file("b", "name\ttime\ny\t2\n", 14);
    write_file("table", "{\"name\":\"z\",\"time\":3}\n", 22);
    is_rows(read_files(&grouped, paths, 3, 8), "x: 1e0\ny: 2e0\nz: 3e0\n",
            "files are read in the order of their paths");
    struct rows_request request = grouped;
    request.one_series_a_file = true;
    request.jobs = 3;
    struct outcome outcome = read_files(&request, again, 3, 8);
    is_text(outcome.columns, "file,name: time", "the file is a group column");
    is_rows(outcome, "a,x: 1e0\nb,y: 2e0\ntable,z: 3e0\n", "  its rows");
    outcome = read_files(&request, paths, 1, 8);
    is_text(outcome.columns, "name: time", "a single file is not a group column");
    is_text(outcome.account.format, "TSV", "  its format is reported");
    outcome_free(&outcome);
}

static void *write_slowly(void *argument)
{
    const char *text = "time\n1\n2\n3\n";
    int fd = *(int *)argument;
    for (; *text; text++)
        if (write(fd, text, 1) != 1)
            break;
    close(fd);
    return NULL;
}

static void test_stdin(void)
{
    static const char *const paths[] = {"a", "-"};
    for (int round = 0; round < 2; round++) {
        int ends[2], saved = dup(STDIN_FILENO);
        pthread_t writer;
        ok(pipe(ends) == 0 && dup2(ends[0], STDIN_FILENO) == 0, "a pipe becomes standard input");
        pthread_create(&writer, NULL, write_slowly, &ends[1]);
        if (round == 0)
            is_rows(read_files(&plain, NULL, 0, 4), "1e0\n2e0\n3e0\n", "standard input is read as bytes arrive");
        else
            is_rows(read_files(&plain, paths, 2, 4), "1e0\n2e0\n3e0\n1e0\n", "standard input is read before files");
        pthread_join(writer, NULL);
        dup2(saved, STDIN_FILENO);
        close(saved);
        close(ends[0]);
    }
}

/* More groups of several columns than a hash table has capacity for at first. */
static void test_many_groups(void)
{
    enum { ROWS = 20000 };
    static char text[ROWS * 80], rows[ROWS * 80];
    size_t length = (size_t)sprintf(text, "name,kind,time,size\n"), expected = 0;
    for (int i = 0; i < ROWS; i++) {
        int name = i * 7919 % 3001, kind = i % 17;
        length += (size_t)sprintf(text + length, "a method with a long name %d,%d,%d,0\n", name, kind, i);
        expected += (size_t)sprintf(rows + expected, "a method with a long name %d,%d: %de0 0e0\n", name, kind, i);
    }
    struct rows_request request = full;
    request.jobs = 2;
    struct outcome outcome = read_bytes(&request, text, length, ROWS_PART_BYTES);
    ok(!outcome.status && strcmp(outcome.text, rows) == 0, "many groups are read from one part");
    outcome_free(&outcome);
    outcome = read_bytes(&request, text, length, 50000);
    ok(!outcome.status && strcmp(outcome.text, rows) == 0, "many groups are read from many parts");
    outcome_free(&outcome);
}

int main(void)
{
    static const char *const files[] = {"table", "a", "b"};
    enter_directory();
    test_delimited();
    test_quotes();
    test_json();
    test_odd_lines();
    test_columns();
    test_packed();
    test_large_packed();
    test_several();
    test_stdin();
    test_many_groups();
    is_u64((uint64_t)records_alive, 0, "every state was freed");
    leave_directory(files, 3);
    return done_testing();
}
