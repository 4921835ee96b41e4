/*
 * doEncodeLong() of Apache Avro 1.8.2, Specific.hh, lines 110 and 117 (dissertation, Fig. 3.4, §3.7.1): it is called
 * for every number and isn't inlined, so its epilog loads the same values of saved registers each time. After: it is
 * inlined in the loop. What it calls is called in both forms.
 */
#include "case.h"

#include <string.h>

enum { NUMBERS = 4096, LONGEST = 10 };

struct avro_stream {
    uint8_t *next, *end;
};

static uint8_t chunk[NUMBERS * LONGEST];
static int64_t numbers[NUMBERS];

/* Writes seven bits into each byte, with the sign in the lowest bit of all. Returns the number of bytes. */
CASE_EXTERNAL static size_t avro_encode(int64_t number, uint8_t bytes[LONGEST])
{
    uint64_t code = (uint64_t)number << 1 ^ (uint64_t)(number >> 63);
    size_t size = 0;
    while (code >= 0x80) {
        bytes[size++] = (uint8_t)(code | 0x80);
        code >>= 7;
    }
    bytes[size++] = (uint8_t)code;
    return size;
}

/* Twice the same, so that each form has lines of its own: called, and inlined. */
CASE_EXTERNAL static void avro_write(struct avro_stream *stream, int64_t number)
{
    uint8_t bytes[LONGEST];
    size_t size = avro_encode(number, bytes);
    if ((size_t)(stream->end - stream->next) < size)
        stream->next = chunk;
    memcpy(stream->next, bytes, size);
    stream->next += size;
} /* @blamed */

static inline __attribute__((always_inline)) void avro_write_inlined(struct avro_stream *stream, int64_t number)
{
    uint8_t bytes[LONGEST];
    size_t size = avro_encode(number, bytes);
    if ((size_t)(stream->end - stream->next) < size)
        stream->next = chunk;
    memcpy(stream->next, bytes, size);
    stream->next += size;
}

CASE_NAMED static void avro_write_all_by_call(struct avro_stream *stream)
{
    for (int i = 0; i < NUMBERS; i++)
        avro_write(stream, numbers[i]); /* @blamed */
}

CASE_NAMED static void avro_write_all_inlined(struct avro_stream *stream)
{
    for (int i = 0; i < NUMBERS; i++)
        avro_write_inlined(stream, numbers[i]);
}

static double avro_run(size_t steps, void (*write_all)(struct avro_stream *))
{
    uint64_t seed = 12;
    struct avro_stream stream = {chunk, chunk + sizeof chunk};
    double sum = 0;
    for (int i = 0; i < NUMBERS; i++)
        numbers[i] = case_random(&seed) % (i % 8 ? 64 : 100000);
    for (size_t step = 0; step < steps; step++) {
        stream.next = chunk;
        write_all(&stream);
    }
    for (const uint8_t *byte = chunk; byte < stream.next; byte++)
        sum += *byte;
    return sum;
}

static double avro_before(size_t steps)
{
    return avro_run(steps, avro_write_all_by_call);
}

static double avro_after(size_t steps)
{
    return avro_run(steps, avro_write_all_inlined);
}

const struct waste_case waste_case = {avro_before, avro_after};
