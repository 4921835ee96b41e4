/* beside_test.c - columns that may be coded relative to the time column: values are read as they were written, and the
 * shorter of two codings is used. */
#include "base/checksum.h"
#include "trace/format/chunk.h"
#include "tests/tap.h"

enum { ROWS = 5000, COLUMNS = EVENT_COUNTER_3 + 1 };

static uint64_t rows[COLUMNS][ROWS];

static uint64_t draw(void)
{
    static uint64_t state = 11;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return state >> 33;
}

/* Counters: CPU time that stops now and then; values of any width; a constant; the time itself. */
static void fill(void)
{
    uint64_t time = 1000000, waited = 999000;
    for (size_t i = 0; i < ROWS; i++) {
        time += 20 + draw() % 1000;
        waited += i % 50 == 49 ? draw() % 300 : 0;
        rows[EVENT_TIME][i] = time;
        rows[EVENT_WHAT][i] = i % 2;
        rows[EVENT_METHOD][i] = 1 + i % 3;
        rows[EVENT_COUNTER_0][i] = time - waited;
        rows[EVENT_COUNTER_1][i] = draw() << (draw() % 60);
        rows[EVENT_COUNTER_2][i] = 7;
        rows[EVENT_COUNTER_3][i] = time;
    }
}

static unsigned coding_of(const struct buffer *chunk, size_t column)
{
    return chunk->data[CHUNK_HEADER_BYTES + column * DIRECTORY_ENTRY_BYTES];
}

static void read_back(const struct buffer *chunk, uint64_t wanted)
{
    struct chunk_header header;
    struct trace_batch batch = {0};
    struct error_text message = {""};
    ok(chunk_header_decode(chunk->data, chunk->size, &header) &&
           chunk_decode(chunk->data, &header, wanted, &batch, &message) == 0,
       "columns %#llx are decoded: %s", (unsigned long long)wanted, message.text);
    for (size_t c = 0; c < COLUMNS; c++) {
        bool has = wanted >> c & 1;
        ok(has == (batch.integers[c] != NULL) && (!has || memcmp(batch.integers[c], rows[c], sizeof rows[c]) == 0),
           "  column %zu %s", c, has ? "has the values that were written" : "is not read");
    }
    trace_batch_free(&batch);
}

/* The time coded relative to itself, in a chunk with valid checksums. */
static void refuse(struct buffer *chunk)
{
    struct chunk_header header;
    struct trace_batch batch = {0};
    struct error_text message = {""};
    uint8_t *directory = chunk->data + CHUNK_HEADER_BYTES;
    ok(chunk_header_decode(chunk->data, chunk->size, &header), "the header is valid");
    directory[EVENT_TIME * DIRECTORY_ENTRY_BYTES] = 7;
    header.directory_crc = checksum_crc32c(directory, COLUMNS * DIRECTORY_ENTRY_BYTES);
    ok(chunk_decode(chunk->data, &header, TRACE_ALL_COLUMNS, &batch, &message) != 0,
       "a time column coded relative to itself is refused");
    is_text(message.text, "column time_ns refers to a column that does not exist", "  the message tells why");
    trace_batch_free(&batch);
}

int main(void)
{
    struct chunk_encoder encoder;
    struct chunk_columns columns = {.kind = TRACE_EVENT, .thread = 1, .count = ROWS, .column_count = COLUMNS};
    struct buffer chunk = {0};
    fill();
    for (size_t c = 0; c < COLUMNS; c++)
        columns.integers[c] = rows[c];
    ok(chunk_encoder_init(&encoder, 1) == 0 && chunk_encode(&encoder, &columns, &chunk) == 0, "a chunk is encoded");
    is_u64(coding_of(&chunk, EVENT_COUNTER_0), 7, "CPU time is coded relative to the time");
    is_u64(coding_of(&chunk, EVENT_COUNTER_1), 1, "  unrelated values are not");
    is_u64(coding_of(&chunk, EVENT_COUNTER_2), 1, "  nor is a constant");
    is_u64(coding_of(&chunk, EVENT_COUNTER_3), 7, "  a copy of the time is");
    read_back(&chunk, TRACE_ALL_COLUMNS);
    read_back(&chunk, UINT64_C(1) << EVENT_COUNTER_0);
    read_back(&chunk, UINT64_C(1) << EVENT_COUNTER_1 | UINT64_C(1) << EVENT_METHOD);
    refuse(&chunk);
    chunk_encoder_free(&encoder);
    buffer_free(&chunk);
    return done_testing();
}
