/* replace_test.c - replaces columns of a chunk: the bytes are those of a chunk encoded with the new values, and a
 * damaged column stays damaged without affecting others. */
#include "base/bytes.h"
#include "base/checksum.h"
#include "trace/format/chunk.h"
#include "tests/tap.h"

enum { ROWS = 5000, COLUMNS = EVENT_COUNTER_1 + 1 };

static uint64_t rows[COLUMNS][ROWS], others[ROWS];

static void fill(void)
{
    for (size_t i = 0; i < ROWS; i++) {
        rows[EVENT_TIME][i] = 1000000 + 37 * i + i % 11;
        rows[EVENT_WHAT][i] = i % 2;
        rows[EVENT_METHOD][i] = 1 + i % 7;
        rows[EVENT_COUNTER_0][i] = 1000 + 37 * i;
        rows[EVENT_COUNTER_1][i] = i / 100;
        others[i] = 1 + (i * i) % 300;
    }
}

static struct chunk_encoder encoder;

/* A chunk with `methods` in the column of methods. */
static struct buffer encode(const uint64_t *methods, uint32_t columns_written)
{
    struct chunk_columns columns = {.kind = TRACE_EVENT, .thread = 3, .count = ROWS, .column_count = columns_written};
    struct buffer chunk = {0};
    for (size_t c = 0; c < COLUMNS; c++)
        columns.integers[c] = c == EVENT_METHOD ? methods : rows[c];
    ok(chunk_encode(&encoder, &columns, &chunk) == 0, "%u columns are encoded", columns_written);
    return chunk;
}

/* The chunk with other methods, or with the same if methods is NULL. */
static struct buffer replace(const struct buffer *chunk, const uint64_t *methods)
{
    const uint64_t *integers[TRACE_COLUMNS_MAX] = {[EVENT_METHOD] = methods};
    struct chunk_header header;
    struct buffer made = {0};
    buffer_add(&made, "before", 6); /* it is appended */
    ok(chunk_header_decode(chunk->data, chunk->size, &header) &&
           chunk_replace(&encoder, chunk->data, &header, integers, &made) == 0,
       "the chunk is written again");
    ok(memcmp(made.data, "before", 6) == 0, "  after the buffer's contents");
    made.size -= 6;
    memmove(made.data, made.data + 6, made.size);
    return made;
}

static bool is_same(const struct buffer *a, const struct buffer *b)
{
    return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

static void compare(const char *what, struct buffer made, struct buffer wanted)
{
    ok(is_same(&made, &wanted), "%s", what);
    buffer_free(&made);
    buffer_free(&wanted);
}

static int decode(const struct buffer *chunk, uint64_t columns, struct trace_batch *batch)
{
    struct chunk_header header;
    struct error_text message;
    return chunk_header_decode(chunk->data, chunk->size, &header)
               ? chunk_decode(chunk->data, &header, columns, batch, &message)
               : -2;
}

/* One byte of the last column is changed. */
static void damage(void)
{
    struct buffer chunk = encode(rows[EVENT_METHOD], COLUMNS);
    chunk.data[chunk.size - 1] ^= 0xff;
    struct buffer made = replace(&chunk, others);
    struct trace_batch batch = {0};
    is_u64((uint64_t)decode(&made, TRACE_ALL_COLUMNS, &batch), STATUS_BAD, "a damaged column stays damaged");
    ok(decode(&made, UINT64_C(1) << EVENT_METHOD, &batch) == 0 &&
           memcmp(batch.integers[EVENT_METHOD], others, sizeof others) == 0,
       "  and the replaced one has the new values");
    trace_batch_free(&batch);
    buffer_free(&chunk);
    buffer_free(&made);
}

/* The chunk as a newer version may write it: unknown columns, which are copies of the last one. */
static struct buffer widen(const struct buffer *chunk, unsigned columns)
{
    struct chunk_header header;
    struct buffer wide = {0};
    chunk_header_decode(chunk->data, chunk->size, &header);
    const uint8_t *directory = chunk->data + CHUNK_HEADER_BYTES;
    size_t before = header.column_count * (size_t)DIRECTORY_ENTRY_BYTES, all = columns * (size_t)DIRECTORY_ENTRY_BYTES;
    const uint8_t *last = directory + before - DIRECTORY_ENTRY_BYTES;
    size_t stored = bytes_get(last + 8, 4), extra = columns - header.column_count;
    buffer_add(&wide, chunk->data, CHUNK_HEADER_BYTES + before);
    for (size_t i = 0; i < extra; i++)
        buffer_add(&wide, last, DIRECTORY_ENTRY_BYTES);
    buffer_add(&wide, directory + before, header.payload_bytes - before);
    for (size_t i = 0; i < extra; i++)
        buffer_add(&wide, chunk->data + chunk->size - stored, stored);
    wide.data[5] = (uint8_t)columns;
    bytes_put(wide.data + 32, wide.size - CHUNK_HEADER_BYTES, 4);
    bytes_put(wide.data + 36, checksum_crc32c(wide.data + CHUNK_HEADER_BYTES, all), 4);
    bytes_put(wide.data + 40, checksum_crc32c(wide.data, 40), 4);
    return wide;
}

int main(void)
{
    fill();
    ok(chunk_encoder_init(&encoder, 3) == 0, "an encoder is made");
    for (uint32_t columns = EVENT_METHOD + 1; columns <= COLUMNS; columns++) {
        struct buffer chunk = encode(rows[EVENT_METHOD], columns);
        compare("other methods give the bytes of a chunk encoded with them", replace(&chunk, others),
                encode(others, columns));
        compare("no other methods give the chunk itself", replace(&chunk, NULL), encode(rows[EVENT_METHOD], columns));
        buffer_free(&chunk);
    }
    damage();
    unsigned known = (unsigned)trace_schema_of(TRACE_EVENT)->column_count;
    struct chunk_columns full = {.kind = TRACE_EVENT, .thread = 3, .count = ROWS};
    for (size_t c = 0; c < known; c++)
        full.integers[c] = rows[c < COLUMNS ? c : EVENT_COUNTER_1];
    struct buffer chunk = {0}, wide;
    ok(chunk_encode(&encoder, &full, &chunk) == 0, "all known columns are encoded");
    wide = widen(&chunk, known + 2);
    compare("unknown columns are left out", replace(&wide, NULL), chunk);
    buffer_free(&wide);
    chunk_encoder_free(&encoder);
    return done_testing();
}
