/*
 * Processes that share a table: rank 0 gets what one process gets, no other rank gets or reports anything, and none
 * hangs, whatever fails and wherever. For random tables see rows_random_test.c.
 */
#include <sys/stat.h>

#include "tests/table/read/rows_processes.h"

static const char *const one_value[] = {"time"}, *const one_group[] = {"name"}, *const files[] = {"a", "b", "c", "d"};
static const struct rows_request grouped = {
    .values = one_value, .value_count = 1, .groups = one_group, .group_count = 1, .jobs = 1};

/* A table of n rows, with a row `bad` in place of row number `where` (n: nowhere). */
static void write_rows(const char *path, unsigned n, unsigned where, const char *bad)
{
    static char text[1 << 16];
    size_t length = (size_t)snprintf(text, sizeof text, "name,time\n");
    for (unsigned i = 0; i < n; i++)
        length +=
            (size_t)(i == where ? snprintf(text + length, sizeof text - length, "%s\n", bad)
                                : snprintf(text + length, sizeof text - length, "\"g\n%u\",%u.%u\n", i % 5, i, i % 10));
    write_file(path, text, length);
}

static bool is_same(const struct outcome *one, const struct outcome *ranks)
{
    bool same = one->status == ranks->status && strcmp(one->text, ranks->text) == 0 &&
                strcmp(one->message, ranks->message) == 0 && ranks->bad_ranks == 0 &&
                one->account.rows == ranks->account.rows && one->account.skipped == ranks->account.skipped &&
                strcmp(one->account.first_skipped, ranks->account.first_skipped) == 0 &&
                strcmp(one->columns, ranks->columns) == 0;
    if (!same)
        printf("# one: %d \"%s\"; ranks: %d \"%s\", %d bad\n", one->status, one->message, ranks->status, ranks->message,
               ranks->bad_ranks);
    return same;
}

/* All numbers of ranks, threads and sizes of parts, with the files a, b … */
static void agree(const char *what, size_t count, bool skip_bad)
{
    static const size_t sizes[] = {1, 30, 200, ROWS_PART_BYTES};
    struct rows_request request = grouped;
    bool same = true;
    request.skip_bad = skip_bad;
    for (size_t i = 0; i < 4; i++) {
        request.jobs = 1;
        struct outcome one = read_files(&request, files, count, sizes[i]);
        for (int size = 1; size <= RANKS_MOST; size += size < 3 ? 1 : 5)
            for (request.jobs = 1; request.jobs <= 5; request.jobs += 4) {
                struct outcome ranks = read_in_ranks(&request, files, count, sizes[i], size);
                same &= is_same(&one, &ranks);
                outcome_free(&ranks);
            }
        outcome_free(&one);
    }
    ok(same, "%s: ranks give the same as one process", what);
}

static void test_agreement(void)
{
    write_rows("a", 300, 300, NULL);
    agree("one file", 1, false);
    write_rows("b", 1, 1, NULL);
    write_rows("c", 100, 100, NULL);
    write_rows("d", 7, 7, NULL);
    agree("several files", 4, false);
    for (unsigned where = 0; where < 300; where += where ? 149 : 1) {
        write_rows("a", 300, where, "x,1,5");
        agree("a bad row", 4, false);
        agree("a bad row that is left out", 4, true);
    }
    write_rows("a", 300, 150, "x,\"1");
    agree("a quote that is not closed", 2, true);
    write_rows("a", 300, 300, NULL);
    write_rows("c", 2, 0, "a,z");
    agree("a bad row in the third file", 4, false);
    write_file("c", "name,time\n", 10);
    agree("a file without rows", 4, false);
    write_file("c", "name,length\nx,1\n", 16);
    agree("a file without the column", 4, false);
    write_rows("a", 3, 0, "x,");
    agree("a blank cell", 1, false);
    write_file("a", "name,time\nx,z\n", 14);
    agree("no row is left", 1, true);
    unlink("b");
    agree("a missing file", 2, false);
}

static void test_consumer(void)
{
    write_rows("a", 300, 300, NULL);
    for (record_fault = RECORD_NO_INIT; record_fault <= RECORD_NO_MERGE; record_fault++)
        agree("a consumer that fails", 1, false);
    record_fault = RECORD_GOOD;
}

/* ------------------------------------------------------------------------------------- ranks with other files -- */

static void go_elsewhere(int rank)
{
    if (rank == 2 && chdir("elsewhere") != 0)
        _exit(8);
}

static void is_told(const char *message, const char *what)
{
    bool good = true;
    in_rank = go_elsewhere;
    for (size_t part = 20; part <= 20000; part *= 1000) {
        struct rows_request request = grouped;
        request.jobs = 1 + (part > 20);
        struct outcome outcome = read_in_ranks(&request, files, 1, part, 3);
        good &= outcome.status == STATUS_BAD && strcmp(outcome.message, message) == 0 && outcome.bad_ranks == 0;
        if (!good)
            printf("# %d \"%s\", %d bad\n", outcome.status, outcome.message, outcome.bad_ranks);
        outcome_free(&outcome);
    }
    in_rank = NULL;
    ok(good, "%s", what);
}

static void test_other_files(void)
{
    struct rows_request request = grouped;
    if (mkdir("elsewhere", 0700) != 0)
        printf("# no directory\n");
    write_rows("a", 300, 300, NULL);
    is_told("rank 2: a: No such file or directory", "a rank that lacks the file is reported");
    write_file("elsewhere/a", "name,length\nx,1\n", 16);
    is_told("rank 2: a: no column 'time'; there are: name, length", "a rank whose file lacks the column is reported");
    in_rank = go_elsewhere;
    for (int longer = 0; longer < 2; longer++) {
        write_rows("elsewhere/a", longer ? 600 : 150, 600, NULL);
        struct outcome outcome = read_in_ranks(&request, files, 1, 100, 3);
        is_text(outcome.message,
                longer ? "rank 2: sees more in the files than rank 0"
                       : "rank 2: a: is not the file that rank 0 sees, or has changed",
                longer ? "a rank with a longer file is reported" : "a rank with a shorter file is reported");
        is_u64((uint64_t)outcome.bad_ranks, 0, "  no rank hangs");
        outcome_free(&outcome);
    }
    in_rank = NULL;
    unlink("elsewhere/a");
    rmdir("elsewhere");
}

int main(void)
{
    enter_directory();
    test_agreement();
    test_consumer();
    test_other_files();
    is_u64((uint64_t)records_alive, 0, "every state was freed");
    leave_directory(files, 4);
    return done_testing();
}
