/*
 * ring_test.c - a ring of mode memory, written here word by word while it is read, becomes a trace. All expected values
 * follow from what is written.
 */
#include "tests/exact/convert/ring_bytes.h"

#include <errno.h>
#include <sys/stat.h>

#include "tests/tap.h"

/* ---------------------------------------------------------------------------- whole runs -- */

static bool is_row(const struct row *row, uint64_t instructions, uint64_t address, unsigned access, uint64_t position)
{
    return row->columns[ACCESS_INSTRUCTIONS] == instructions && row->columns[ACCESS_ADDRESS] == address &&
           row->site.access == access && row->position == position && row->site.thread == 1 &&
           row->site.bytes == (position == 0x1100 ? 8 : 4);
}

static struct conversion *begin_whole(struct raw_bytes *raw)
{
    struct conversion *conversion;
    bool moved = false;
    begin_raw(raw, "{\"mode\":\"memory\",\"values\":false}");
    ok(convert_begin(raw_path, trace_path_, NULL, &conversion) == EAGAIN,
       "without a raw file there is nothing to convert yet");
    raw_save(raw, 8, raw_path);
    open_ring(RAW_RING_PAGE + WORDS * sizeof(uint64_t));
    ok(convert_begin(raw_path, trace_path_, NULL, &conversion) == EAGAIN, "  nor with half a header");
    raw_save(raw, raw->size, raw_path);
    ok(convert_begin(raw_path, trace_path_, NULL, &conversion) == 0, "a conversion begins");
    ok(convert_step(conversion, &moved) == 0 && !moved, "  a step finds nothing to do");
    return conversion;
}

/* The first segment, its definitions, and half of what comes after them; then the rest, and the next segment. */
static void take_segments(struct raw_bytes *raw, struct conversion *conversion)
{
    bool moved = false;
    size_t first = raw->size;
    define_block(raw, 1, 0);
    raw_time(raw, 2000, 0);
    size_t second = raw->size;
    define_block(raw, 2, 0);
    raw_time(raw, 3000, 0);
    append(raw, first, second + 20);
    write_words(0,
                (uint64_t[]){run_of(1, 1), 100, 200, 200, run_of(1, 1), 108, mark(RAW_MARK_EXIT, 1), run_of(1, 1),
                             mark(RAW_MARK_ABSENT, 0), 204, mark(RAW_MARK_ABSENT, 0), mark(RAW_MARK_END, 0), 5},
                13);
    ring->filled = 1;
    ok(convert_step(conversion, &moved) == 0 && moved, "a segment is taken");
    ok(ring->drained == 1 && segment(0)[0] == 0 && segment(0)[12] == 0, "  and given back, filled with zeros");

    append(raw, second + 20, raw->size);
    ok(ftruncate(open(ring_path, O_RDWR), (off_t)(RAW_RING_PAGE + SEGMENTS * WORDS * sizeof(uint64_t))) == 0,
       "the ring grows");
    write_words(1, (uint64_t[]){run_of(2, 1), 0, 300, 300, mark(RAW_MARK_END, 0)}, 5);
    ring->filled = 2;
    ok(convert_step(conversion, &moved) == 0 && ring->drained == 2, "the next segment is taken");
}

static void end_whole(struct raw_bytes *raw, struct conversion *conversion)
{
    struct convert_report report;
    struct error_text problem;
    size_t third = raw->size;
    raw_end(raw, RAW_EXITED, 7);
    append(raw, third, raw->size);
    write_words(2, (uint64_t[]){run_of(1, 1), 116, 208, 208, run_of(2, 1), 400}, 6);
    ok(convert_end(conversion, &report, &problem) == CONVERT_DONE, "the conversion ends after the process: %s",
       problem.text);
    ok(report.ended && report.end.status == 7 && !report.damaged && !report.ring_damaged && !report.cut,
       "  as the process reported");
    is_u64(report.accesses, 12, "  the accesses are counted");
    is_u64(report.instructions, 3 + 1 + 3 + 3 + 3 + 1, "  the instructions are counted");
    struct stat status;
    ok(stat(raw_path, &status) == 0 && status.st_size == 0, "  the raw file is empty");
    ok(access(ring_path, F_OK) != 0, "  the ring is deleted");
}

static void whole(void)
{
    struct raw_bytes raw = {0};
    struct read read;
    struct conversion *conversion = begin_whole(&raw);
    take_segments(&raw, conversion);
    end_whole(&raw, conversion);
    ok(read_trace(&read) && read.finished && read.count == 12, "the trace has 12 accesses");
    static const struct {
        uint64_t instructions, address;
        unsigned access;
        uint64_t position;
    } ROWS[] = {{1, 100, ACCESS_LOAD, 0x1100},  {2, 200, ACCESS_LOAD, 0x1104},   {2, 200, ACCESS_STORE, 0x1104},
                {4, 108, ACCESS_LOAD, 0x1100},  {6, 204, ACCESS_LOAD, 0x1104},   {8, 0, ACCESS_LOAD, 0x1100},
                {9, 300, ACCESS_LOAD, 0x1104},  {9, 300, ACCESS_STORE, 0x1104},  {11, 116, ACCESS_LOAD, 0x1100},
                {12, 208, ACCESS_LOAD, 0x1104}, {12, 208, ACCESS_STORE, 0x1104}, {14, 400, ACCESS_LOAD, 0x1100}};
    for (size_t i = 0; i < 12; i++)
        ok(is_row(&read.rows[i], ROWS[i].instructions, ROWS[i].address, ROWS[i].access, ROWS[i].position),
           "  access %zu is right", i);
    ok(read.rows[0].columns[ACCESS_SITE] == read.rows[5].columns[ACCESS_SITE], "both blocks have the same site");
    close_ring();
    free(raw.data);
}

static void with_values(void)
{
    struct raw_bytes raw = {0};
    struct conversion *conversion;
    struct convert_report report;
    struct error_text problem;
    struct read read;
    begin_raw(&raw, "{\"mode\":\"memory\",\"values\":true}");
    define_block(&raw, 1, 1);
    raw_time(&raw, 2000, 0);
    unlink(raw_path);
    append(&raw, 0, raw.size);
    open_ring(RAW_RING_PAGE + WORDS * sizeof(uint64_t));
    write_words(0, (uint64_t[]){run_of(1, 1), 100, UINT64_MAX, 200, 0, 200, mark(RAW_MARK_END, 9)}, 7);
    ok(convert_begin(raw_path, trace_path_, NULL, &conversion) == 0, "a conversion with values begins");
    ok(convert_end(conversion, &report, &problem) == CONVERT_DONE && !report.ended,
       "  and ends, although the process was killed");
    ok(read_trace(&read) && !read.finished && read.count == 3, "  the trace has three accesses and is not finished");
    ok(read.rows[0].columns[ACCESS_VALUE] == UINT64_MAX && read.rows[1].columns[ACCESS_VALUE] == 0 &&
           read.rows[2].columns[ACCESS_VALUE] == mark(RAW_MARK_END, 9) && read.rows[2].columns[ACCESS_VALUE_1] == 0,
       "  every value is possible, even those of marks");
    close_ring();
    free(raw.data);
}

/* ---------------------------------------------------------------------------- fetches -- */

/* The rows of a kind with four columns, one after the other; returns their number. */
static size_t read_rows(unsigned kind, uint64_t rows[ROWS_MAX][4])
{
    struct trace *trace;
    struct error_text problem;
    struct trace_batch batch = {0};
    size_t count = 0;
    if (trace_open(trace_path_, &trace, &problem) != 0)
        return SIZE_MAX;
    for (size_t i = 0; i < trace_chunk_count(trace); i++) {
        if (trace_chunk_at(trace, i)->kind != kind || trace_read(trace, i, TRACE_ALL_COLUMNS, &batch, &problem) != 0)
            continue;
        for (size_t row = 0; row < batch.count && count < ROWS_MAX; row++, count++)
            for (size_t c = 0; c < 4; c++)
                rows[count][c] = batch.integers[c][row];
    }
    trace_batch_free(&batch);
    trace_close(trace);
    return count;
}

static void convert_fetches(const char *what, const uint64_t *words, size_t count, const uint64_t expected[][4],
                            size_t expected_count)
{
    struct raw_bytes raw = {0};
    struct conversion *conversion;
    struct convert_report report;
    struct error_text problem;
    uint64_t rows[ROWS_MAX][4];
    begin_raw(&raw, "{\"mode\":\"memory\",\"values\":false,\"fetches\":true}");
    define_code(&raw);
    raw_time(&raw, 2000, 0);
    unlink(raw_path);
    append(&raw, 0, raw.size);
    open_ring(RAW_RING_PAGE + SEGMENTS * WORDS * sizeof(uint64_t));
    write_words(0, words, count);
    ok(convert_begin(raw_path, trace_path_, NULL, &conversion) == 0 &&
           convert_end(conversion, &report, &problem) == CONVERT_DONE,
       "%s", what);
    size_t got = read_rows(TRACE_FETCH, rows);
    is_u64(got, expected_count, "  a row for each execution and gap");
    for (size_t i = 0; i < got && i < expected_count; i++)
        if (!ok(memcmp(rows[i], expected[i], sizeof rows[i]) == 0, "  row %zu is right", i))
            printf("# code %u, instructions %u, accesses %u, count %u\n", (unsigned)rows[i][0], (unsigned)rows[i][1],
                   (unsigned)rows[i][2], (unsigned)rows[i][3]);
    close_ring();
    free(raw.data);
}

static void fetches(void)
{
    uint64_t code[ROWS_MAX][4];
    const uint64_t words[] = {run_of(1, 1),
                              100,
                              200,
                              200, /* to its end */
                              run_of(1, 1),
                              100,
                              exit_after(1, 1), /* left after the first */
                              run_of(2, 1),
                              300,
                              304,
                              exit_after(1, 3), /* left at a count of 0 */
                              mark(RAW_MARK_GAP, 50),
                              run_of(2, 1),
                              308,
                              exit_after(0, 1), /* goes back to itself */
                              run_of(1, 1),
                              100,
                              200,
                              exit_after(1, 0), /* a signal */
                              run_of(2, 1),
                              312,
                              316,
                              320};
    const uint64_t rows[][4] = {{1, 0, 0, 3},  {1, 3, 3, 1},  {2, 4, 4, 3}, {0, 5, 6, 50},
                                {2, 55, 6, 1}, {1, 55, 7, 1}, {2, 56, 9, 4}};
    convert_fetches("executions with fetches", words, sizeof words / sizeof *words, rows, sizeof rows / sizeof *rows);
    const uint64_t expected[][4] = {{1, 0x401100, 4, 1}, {1, 0x401104, 3, 2}, {1, 0x401107, 2, 3}, {2, 0x401200, 2, 1},
                                    {2, 0x401200, 2, 1}, {2, 0x401200, 2, 1}, {2, 0x401202, 5, 2}};
    is_u64(read_rows(TRACE_CODE, code), 7, "  the code of both blocks is defined once");
    ok(memcmp(code, expected, sizeof expected) == 0, "  in the order of their use");
    const uint64_t killed[] = {run_of(1, 1), 100, 200, 0};
    convert_fetches("a process that was killed in an execution", killed, 4, (const uint64_t[][4]){{1, 0, 0, 2}}, 1);
    const uint64_t wrong[] = {run_of(1, 1), 100, exit_after(1, 4)};
    convert_fetches("more fetches than the block has instructions", wrong, 3, (const uint64_t[][4]){{1, 0, 0, 3}}, 1);
}

/* ---------------------------------------------------------------------------- loops -- */

/*
 * A loop at 0x401200 with another one at 0x401208 in it, from which the function of node 2 is called. Block 1: the
 * header of the outer one, a load, the header of the inner one. Block 2: a load in the function. Block 3: the header of
 * the inner one, which loads, and another load.
 */
static void define_loops(struct raw_bytes *raw)
{
    enum { OUTER = 0x401200, INNER = 0x401208 };
    const struct raw_loop loops[] = {{INNER, OUTER}, {OUTER, 0}};
    const struct raw_node called = {.id = 2, .parent = 1, .call = 0x401210, .loop = INNER, .thread = 1};
    const struct raw_slot first[] = {{OUTER, OUTER, 1, 0, 0, RAW_HEADER, 0},
                                     {0x401204, OUTER, 2, 0, 8, ACCESS_LOAD, 0},
                                     {INNER, INNER, 3, 0, 0, RAW_HEADER, 0}},
                          second[] = {{0x401300, 0, 1, 0, 4, ACCESS_LOAD, 0}},
                          third[] = {{INNER, INNER, 1, 0, 0, RAW_HEADER, 0},
                                     {INNER, INNER, 1, 0, 4, ACCESS_LOAD, 0},
                                     {0x40120c, INNER, 2, 0, 4, ACCESS_LOAD, 0}};
    raw_record(raw, RAW_NODE, &called, sizeof called, NULL, 0);
    raw_record(raw, RAW_LOOP, loops, sizeof loops, NULL, 0);
    raw_record(raw, RAW_BLOCK, &(struct raw_block){1, 3, 4, 0}, sizeof(struct raw_block), first, sizeof first);
    raw_record(raw, RAW_BLOCK, &(struct raw_block){2, 1, 1, 0}, sizeof(struct raw_block), second, sizeof second);
    raw_record(raw, RAW_BLOCK, &(struct raw_block){3, 3, 3, 0}, sizeof(struct raw_block), third, sizeof third);
}

/* Converts words with the blocks of define_loops(); the process was killed if it has not `ended`. */
static bool convert_loops(const uint64_t *words, size_t count, bool ended, struct convert_report *report,
                          struct read *read)
{
    struct raw_bytes raw = {0};
    struct conversion *conversion;
    struct error_text problem;
    begin_raw(&raw, "{\"mode\":\"memory\"}");
    define_loops(&raw);
    raw_time(&raw, 2000, 0);
    if (ended)
        raw_end(&raw, RAW_EXITED, 0);
    unlink(raw_path);
    append(&raw, 0, raw.size);
    open_ring(RAW_RING_PAGE + SEGMENTS * WORDS * sizeof(uint64_t));
    write_words(0, words, count);
    bool good = convert_begin(raw_path, trace_path_, NULL, &conversion) == 0 &&
                convert_end(conversion, report, &problem) == CONVERT_DONE && read_trace(read);
    close_ring();
    free(raw.data);
    return good;
}

static bool are_iterations(const struct read *read, const struct iteration *expected, size_t count)
{
    bool good = read->iteration_count == count;
    for (size_t i = 0; i < read->iteration_count; i++) {
        const struct iteration *one = &read->iterations[i];
        printf("# after %u: header %x in %x, %u times\n", (unsigned)one->accesses, (unsigned)one->position,
               (unsigned)one->outer, (unsigned)one->count);
        good = good && memcmp(one, &expected[i], sizeof *one) == 0;
    }
    return good;
}

static void iterations(void)
{
    struct convert_report report;
    struct read read;
    ok(convert_loops((uint64_t[]){run_of(1, 1),
                                  100,
                                  run_of(2, 2),
                                  200,
                                  run_of(3, 1),
                                  300,
                                  304,
                                  run_of(3, 1),
                                  mark(RAW_MARK_EXIT, 0),
                                  run_of(3, 1),
                                  mark(RAW_MARK_EXIT, 1),
                                  run_of(3, 1),
                                  mark(RAW_MARK_EXIT, 1),
                                  run_of(1, 1),
                                  108,
                                  mark(RAW_MARK_EXIT, 2),
                                  run_of(3, 1),
                                  mark(RAW_MARK_ABSENT, 0),
                                  308,
                                  run_of(1, 1),
                                  mark(RAW_MARK_EXIT, 0)},
                     21, true, &report, &read) &&
           read.count == 6,
       "executions of blocks with headers of loops have their accesses");
    ok(are_iterations(&read,
                      (struct iteration[]){{0, 1, 0x1200, 0},
                                           {1, 1, 0x1208, 0x1200},
                                           {2, 1, 0x1208, 0x1200},
                                           {4, 2, 0x1208, 0x1200},
                                           {4, 1, 0x1200, 0},
                                           {5, 1, 0x1208, 0x1200}},
                      6),
       "  and iterations of the headers that were executed, each after the accesses before it");
    static const uint64_t HEADERS[] = {0x1200, 0x1208, 0x1208, 0x1208, 0x1200, 0x1208};
    for (size_t i = 0; i < 6; i++)
        ok(read.rows[i].header == HEADERS[i], "  access %zu has the loop around it, or around the call", i);
    ok(convert_loops((uint64_t[]){run_of(1, 1), 100, run_of(3, 1)}, 3, false, &report, &read) && read.count == 1 &&
           read.iteration_count == 2,
       "a process that is killed between a header and its first access has not begun that iteration");
}

int main(void)
{
    name_files();
    whole();
    with_values();
    fetches();
    iterations();
    delete_files();
    return done_testing();
}
