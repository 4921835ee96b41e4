/* Valid tables in every format: the rows that rows_read() returns. */
#include <pthread.h>

#include <zlib.h>
#include <zstd.h>

#include "tests/analyze/rows/rows_harness.h"

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
                    is_text(outcome.account.format, format, "and its format");
            }
            same &= !outcome.status && strcmp(outcome.text, rows) == 0;
            outcome_free(&outcome);
        }
    ok(same, "in parts of any size, by one thread or four");
}

static void test_delimited(void)
{
    const char *rows = "a,x: 15e-1 10e0\nb,y: 2e0 20e0\n";
    check(&full, "name,kind,time,size\na,x,1.5,10\nb,y,2,20\n", rows, "CSV", "CSV");
    check(&full, "size,skip,time,kind,name\n10,?,1.5,x,a\n20,,2,y,b", rows, "CSV", "columns in another order");
    check(&full, "\xef\xbb\xbfname,kind,time,size\r\na,x,1.5,10\r\nb,y,2,20\r\n", rows, "CSV", "CR LF and a BOM");
    check(&full, "# made by hand\n\n#\nname,kind,time,size\n\na,x,1.5,10\n  \nb,y,2,20\n\n", rows, "CSV",
          "comments before the header, blank lines");
    check(&full, " name ,kind, time,size\na,x, 1.5,\t10 \nb,y,2,20\n", rows, "CSV", "blanks around names and numbers");
    check(&full, "name;kind;time;size\na;x;1.5;10\nb;y;2;20\n", rows, "CSV with semicolons", "semicolons");
    check(&full, "name\tkind\ttime\tsize\na\tx\t1.5\t10\nb\ty\t2\t20\n", rows, "TSV", "TSV");
    check(&full, "name  kind time size\n# between\n a x \t 1.5 10 # behind\n\nb y 2 20\n", rows,
          "columns between blanks", "columns between blanks");
    check(&full, "\"name\",kind,\"time\",size\n\"a\",x,\"1.5\",10\nb,\"y\",2,\"20\"\r\n", rows, "CSV", "quotes");
    check(&full, "name kind time size\n\"a\" \"x\" 1.5 10\nb y \"2\" 20\n", rows, "columns between blanks",
          "quotes between blanks");
}

static void test_quotes(void)
{
    check(&grouped, "name,time\n\"a,b\",1\n\"say \"\"hi\"\"\",2\n\"\",3\n,4\n5\" disk,6\n\"\"\"\",7\n",
          "a,b: 1e0\nsay \"hi\": 2e0\n: 3e0\n: 4e0\n5\" disk: 6e0\n\": 7e0\n", "CSV", "what quotes may hold");
    check(&grouped, "name,time\n\"two\nlines\",1\n\"\n\n\",2\n\"three\r\nor\n\"\"more\"\"\n\",3\n",
          "two\nlines: 1e0\n\n\n: 2e0\nthree\r\nor\n\"more\"\n: 3e0\n", "CSV", "newlines between quotes");
    check(&grouped, "name\ttime\n\"a\t1\n\"b\"\t2\n", "\"a: 1e0\n\"b\": 2e0\n", "TSV", "TSV has no quotes");
    check(&grouped, "name time\n\"a b\" 1\n\"#c\" 2\nd#e 3\n", "a b: 1e0\n#c: 2e0\nd#e: 3e0\n",
          "columns between blanks", "quoted blanks and #");
    check(&grouped, "\"the\nname\",time,name\nx,1,a\n", "a: 1e0\n", "CSV", "a header of two lines");
}

static void test_json(void)
{
    const char *rows = "a,x: 15e-1 10e0\nb,y: 2e0 20e0\n";
    check(&full,
          "{\"name\":\"a\",\"kind\":\"x\",\"time\":1.5,\"size\":10}\n\n{\"size\":20,\"time\":2,\"kind\":\"y\",\"name\":"
          "\"b\"}\r\n",
          rows, "JSON lines", "JSON lines");
    check(&full,
          "{\"assay\": \"0.1.0\", \"warnings\": [], \"results\": [\n{\"name\":\"a\",\"kind\":\"x\",\"time\":1.5,"
          "\"size\":10},\n{\"name\":\"b\",\"kind\":\"y\",\"time\":\"2\",\"size\":20}]}",
          rows, "JSON", "our own JSON");
    check(&full,
          "[{\"name\":\"a\",\"kind\":\"x\",\"time\":1.5,\"size\":10},\n {\"name\":\"b\",\"kind\":\"y\",\"time\":2,"
          "\"size\":20}]\n",
          rows, "JSON", "an array of objects");
    check(&grouped, "{\"name\": true, \"time\": 1e3}", "true: 1e3\n", "JSON", "one object");
    check(&grouped,
          "{\"name\":1,\"time\":0.1}\n{\"name\":0.25,\"time\":123456789012345678}\n{\"name\":null,\"time\":-7}\n"
          "{\"time\":1}\n",
          "1: 1e-1\n0.25: 123456789012345678e0\n: -7e0\n: 1e0\n", "JSON lines", "integers and texts of all kinds");
}

/* Lines that are not simple are read, too. */
static void test_odd_lines(void)
{
    check(&grouped,
          " { \"time\" : -1.50 , \"name\" : \"a\\nb\" } \n{\"time\":2,\"name\":\"\\u00e4\"}\r\n"
          "{\"more\":[1,{}],\"name\":-0,\"time\":\" 3 \"}\n{\"name\":\"\",\"x\":{},\"time\":4E0}\n"
          "{\"name\":1.0,\"time\":5}\n",
          "a\nb: -15e-1\n\xc3\xa4: 2e0\n0: 3e0\n: 4e0\n1: 5e0\n", "JSON lines", "escapes, nested values, other keys");
    check(&grouped, "{\"name\":false,\"time\":0.10}\n{\"time\":1e-2,\"name\":null,\"a\":true}\n",
          "false: 10e-2\n: 1e-2\n", "JSON lines", "literals and reals");
}

static void test_columns(void)
{
    static const char *const second[] = {"2"}, *const places[] = {"3", "1"};
    const struct rows_request by_place = {
        .values = places, .value_count = 2, .groups = second, .group_count = 1, .jobs = 1};
    check(&plain, "1\n2\n3.50\n-4e2\n", "1e0\n2e0\n350e-2\n-4e2\n", "columns between blanks", "numbers alone");
    check(&plain, "time\n1\n2\n", "1e0\n2e0\n", "columns between blanks", "under a name");
    check(&plain, "name,time\na,1\nb,2\n", "1e0\n2e0\n", "CSV", "the only numeric column");
    check(&by_place, "x,y,z\n1,a,2\n3,b,4\n", "a: 2e0 1e0\nb: 4e0 3e0\n", "CSV", "columns by their places");
    check(&by_place, "3,2,1\n3,2,1\n", "2: 1e0 3e0\n2: 1e0 3e0\n", "CSV", "a line of numbers is not a header");
    check(&by_place, "x,x,x\n3,2,1\n", "2: 1e0 3e0\n", "CSV", "by its place a column of a doubled name is found");
    struct outcome outcome = read_bytes(&plain, "10 20\n", 6, ROWS_PART_BYTES);
    is_text(outcome.message, "table: which column? There are 2 with numbers: 1, 2; name one with --value",
            "columns without names are numbered");
    outcome_free(&outcome);
    outcome = read_bytes(&plain, "7\n", 2, ROWS_PART_BYTES);
    is_text(outcome.columns, "value", "a single one is called value");
    is_u64(outcome.account.rows, 1, "rows are counted");
    outcome_free(&outcome);
    static const char *const run[] = {"run"};
    const struct rows_request by_run = {.groups = run, .group_count = 1, .jobs = 1};
    check(&by_run, "run,time\n1,10\n2,20\n", "1: 10e0\n2: 20e0\n", "CSV", "a group is not the value by default");
}

/* ------------------------------------------------------------------------------------------ files -- */

static void is_rows(struct outcome outcome, const char *rows, const char *what)
{
    is_text(outcome.status ? outcome.message : outcome.text, rows, what);
    outcome_free(&outcome);
}

static size_t pack_gz(char *packed, size_t room, const char *text)
{
    z_stream gz = {.next_in = (unsigned char *)(uintptr_t)text,
                   .avail_in = (unsigned)strlen(text),
                   .next_out = (unsigned char *)packed,
                   .avail_out = (unsigned)room};
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
    is_rows(read_bytes(&grouped, packed, all, 4), "a: 1e0\nb: 2e0\n", "gz of two members");
    is_rows(read_bytes(&grouped, packed, all + 100, 4), "a: 1e0\nb: 2e0\n", "followed by zeros");
    const char *text = "name,time\na,1\n", *more = "b,2\n";
    first = ZSTD_compress(packed, sizeof packed, text, strlen(text), 3);
    all = first + ZSTD_compress(packed + first, sizeof packed - first, more, strlen(more), 3);
    is_rows(read_bytes(&grouped, packed, all, 4), "a: 1e0\nb: 2e0\n", "zst of two frames");
}

static void test_large_packed(void)
{
    enum { ROWS = 200000 };
    static char text[ROWS * 8], packed[sizeof text];
    size_t length = 0;
    for (int i = 0; i < ROWS; i++)
        length += (size_t)sprintf(text + length, "%d\n", i);
    struct outcome whole = read_bytes(&plain, text, length, ROWS_PART_BYTES);
    is_u64(whole.account.rows, ROWS, "a text of several parts");
    for (int kind = 0; kind < 2; kind++) {
        size_t size =
            kind ? ZSTD_compress(packed, sizeof packed, text, length, 1) : pack_gz(packed, sizeof packed, text);
        struct rows_request asked = plain;
        asked.jobs = 4;
        struct outcome outcome = read_bytes(&asked, packed, size, 100000);
        ok(!outcome.status && strcmp(outcome.text, whole.text) == 0, "%s of it", kind ? "zst" : "gz");
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
    is_rows(read_files(&grouped, paths, 3, 8), "x: 1e0\ny: 2e0\nz: 3e0\n", "files are read by path");
    struct rows_request request = grouped;
    request.one_series_a_file = true;
    request.jobs = 3;
    struct outcome outcome = read_files(&request, again, 3, 8);
    is_text(outcome.columns, "file,name: time", "the file as a group column");
    is_rows(outcome, "a,x: 1e0\nb,y: 2e0\ntable,z: 3e0\n", "and its rows");
    outcome = read_files(&request, paths, 1, 8);
    is_text(outcome.columns, "name: time", "but not of a single file");
    is_text(outcome.account.format, "TSV", "whose format is reported");
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
        ok(pipe(ends) == 0 && dup2(ends[0], STDIN_FILENO) == 0, "a pipe");
        pthread_create(&writer, NULL, write_slowly, &ends[1]);
        if (round == 0)
            is_rows(read_files(&plain, NULL, 0, 4), "1e0\n2e0\n3e0\n", "standard input, byte by byte");
        else
            is_rows(read_files(&plain, paths, 2, 4), "1e0\n2e0\n3e0\n1e0\n", "standard input comes before files");
        pthread_join(writer, NULL);
        dup2(saved, STDIN_FILENO);
        close(saved);
        close(ends[0]);
    }
}

/* Groups of several columns, more than any first table holds. */
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
    ok(!outcome.status && strcmp(outcome.text, rows) == 0, "20000 groups in one part");
    outcome_free(&outcome);
    outcome = read_bytes(&request, text, length, 50000);
    ok(!outcome.status && strcmp(outcome.text, rows) == 0, "or in many parts");
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
