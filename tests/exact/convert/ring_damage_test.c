/*
 * ring_damage_test.c - what a ring of mode memory becomes if it is damaged, had no room, is always full, or holds
 * random words. All expected values follow from what is written.
 */
#include "tests/exact/convert/ring_bytes.h"

#include <errno.h>

#include "tests/tap.h"

enum { RANDOM_RINGS = 3000 };

/* Converts one segment of these words; an undefined block or node ends the valid part. */
static enum convert_status convert_with(bool with_fetches, const uint64_t *words, size_t count,
                                        struct convert_report *report, struct read *read)
{
    struct raw_bytes raw = {0};
    struct conversion *conversion;
    struct error_text problem;
    begin_raw(&raw, with_fetches ? "{\"mode\":\"memory\",\"fetches\":true}" : "{\"mode\":\"memory\"}");
    if (with_fetches)
        define_code(&raw);
    else
        define_block(&raw, 1, 0);
    raw_time(&raw, 2000, 0);
    raw_end(&raw, RAW_EXITED, 0);
    unlink(raw_path);
    append(&raw, 0, raw.size);
    open_ring(RAW_RING_PAGE + SEGMENTS * WORDS * sizeof(uint64_t));
    write_words(0, words, count);
    ring->filled = 1;
    enum convert_status status = CONVERT_FAILED;
    bool moved;
    if (convert_begin(raw_path, trace_path_, NULL, &conversion) == 0) {
        convert_step(conversion, &moved);
        status = convert_end(conversion, report, &problem);
    }
    if (!read_trace(read))
        status = CONVERT_FAILED;
    close_ring();
    free(raw.data);
    return status;
}

static enum convert_status convert_words(const uint64_t *words, size_t count, struct convert_report *report,
                                         struct read *read)
{
    return convert_with(false, words, count, report, read);
}

static void damaged(void)
{
    struct convert_report report;
    struct read read;
    ok(convert_words((uint64_t[]){run_of(9, 1), 1}, 2, &report, &read) == CONVERT_DONE && report.cut && !read.finished,
       "an undefined block ends the trace: %s", report.missing.text);
    ok(convert_words((uint64_t[]){mark(RAW_MARK_EXIT, 1)}, 1, &report, &read) == CONVERT_DONE && report.ring_damaged &&
           !read.finished && !strcmp(report.missing.text, "the ring is damaged: its accesses end before that"),
       "an exit outside a block is damage: %s", report.missing.text);
    ok(convert_words((uint64_t[]){77}, 1, &report, &read) == CONVERT_DONE && report.ring_damaged && !read.finished &&
           read.count == 0,
       "an address outside a block is damage");
    static const uint64_t MARKS[] = {RAW_MARK_BLOCK, RAW_MARK_END};
    for (size_t i = 0; i < 2; i++)
        ok(convert_words((uint64_t[]){run_of(1, 1), 100, mark(MARKS[i], UINT64_C(1) << RAW_MARK_BLOCK_SHIFT | 1), 200},
                         4, &report, &read) == CONVERT_DONE &&
               report.ring_damaged && read.count == 1,
           "mark %u instead of an address is damage", (unsigned)MARKS[i]);
    struct conversion *conversion;
    open_ring(RAW_RING_PAGE + SEGMENTS * WORDS * sizeof(uint64_t));
    ring->segments = 0;
    struct raw_bytes raw = {0};
    begin_raw(&raw, "{}");
    raw_save(&raw, raw.size, raw_path);
    ok(convert_begin(raw_path, trace_path_, NULL, &conversion) == EILSEQ, "a ring without segments is refused");
    ring->segments = 1u << 30;
    ok(convert_begin(raw_path, trace_path_, NULL, &conversion) == EILSEQ, "a ring of too many segments is refused");
    ring->segments = SEGMENTS;
    ring->magic = 7;
    ok(convert_begin(raw_path, trace_path_, NULL, &conversion) == EILSEQ, "a file that is not a ring is refused");
    close_ring();
    free(raw.data);
}

/* A process that has ended, and whose ring had too little room. */
static void without_capacity(void)
{
    struct raw_bytes raw = {0};
    struct conversion *conversion;
    struct convert_report report;
    struct error_text problem;
    struct read read;
    begin_raw(&raw, "{\"mode\":\"memory\"}");
    define_block(&raw, 1, 0);
    raw_lost(&raw, RAW_LOST_RING, 1);
    raw_time(&raw, 2000, 0);
    raw_end(&raw, RAW_EXITED, 0);
    unlink(raw_path);
    append(&raw, 0, raw.size);
    open_ring(RAW_RING_PAGE + WORDS * sizeof(uint64_t));
    write_words(0, (uint64_t[]){run_of(1, 1), 100, 200, 200, mark(RAW_MARK_END, 0)}, 5);
    ring->filled = 1;
    ok(convert_begin(raw_path, trace_path_, NULL, &conversion) == 0 &&
           convert_end(conversion, &report, &problem) == CONVERT_DONE && report.ended && !report.ring_damaged,
       "a ring that had no room for all accesses is converted");
    ok(read_trace(&read) && !read.finished && read.count == 3, "  the trace has those it held, and is not finished");
    ok(!strcmp(report.missing.text, "its accesses are missing from the point where the ring had no room or no reader"),
       "  and the missing ones are reported");
    close_ring();
    free(raw.data);
}

/* A process that never lets the reader catch up: zeros are segments without accesses. */
static void busy(void)
{
    struct raw_bytes raw = {0};
    struct conversion *conversion;
    struct convert_report report;
    struct error_text problem;
    bool moved = false;
    begin_raw(&raw, "{\"mode\":\"memory\"}");
    unlink(raw_path);
    append(&raw, 0, raw.size);
    open_ring(RAW_RING_PAGE + SEGMENTS * WORDS * sizeof(uint64_t));
    ring->filled = UINT64_C(1) << 40;
    ok(convert_begin(raw_path, trace_path_, NULL, &conversion) == 0,
       "the conversion of a ring that is always full begins");
    ok(convert_step(conversion, &moved) == 0 && moved, "  a step ends");
    is_u64(ring->drained, SEGMENTS, "  after one pass over the ring");
    ok(ring->closed == 0, "  and the process may continue");
    ok(convert_end(conversion, &report, &problem) == CONVERT_DONE && ring->closed == 1, "  the conversion ends, too");
    is_u64(ring->drained, 2 * SEGMENTS, "  after one more pass");
    close_ring();
    free(raw.data);
}

/* Random words; a block that is defined occurs often. Every second ring has fetches. */
static void random_words(void)
{
    uint64_t state = 1, words[WORDS];
    bool good = true;
    size_t accesses = 0;
    struct convert_report report;
    struct read read;
    for (size_t i = 0; i < RANDOM_RINGS && good; i++) {
        for (size_t w = 0; w < WORDS; w++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            unsigned kind = (unsigned)(state >> 33) % 6;
            words[w] = kind == 0   ? run_of(1, 1)
                       : kind == 1 ? exit_after(state >> 60, state >> 55 & 7)
                       : kind == 2 ? mark(RAW_MARK_ABSENT, 0)
                       : kind == 3 ? mark(state >> 61, 0)
                                   : state >> 20;
        }
        good = convert_with(i % 2, words, WORDS, &report, &read) == CONVERT_DONE && read.count <= WORDS;
        accesses += read.count;
    }
    ok(accesses > RANDOM_RINGS / 10, "random words hold some accesses: %zu", accesses);
    ok(good, "  and each ring becomes a trace");
}

int main(void)
{
    name_files();
    damaged();
    without_capacity();
    busy();
    random_words();
    delete_files();
    return done_testing();
}
