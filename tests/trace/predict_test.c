/* predict_test.c - columns that are predicted from earlier rows: the bytes are those of the specification, values are
 * read as they were written, and damage is detected. */
#include <stdlib.h>

#include "base/rng.h"
#include "trace/format/predict.h"
#include "tests/tap.h"

enum { ROWS = 20000 };

static const enum trace_coding CODINGS[] = {TRACE_CHAIN, TRACE_STEP, TRACE_STRIDE, TRACE_SAME};
static const char *const NAMES[] = {"chain", "step", "stride", "same"};
enum { COUNT = sizeof CODINGS / sizeof *CODINGS };

static struct predictor *encoder, *decoder;

static uint64_t draw(void)
{
    static struct rng state = {7};
    return rng_next(&state);
}

/* 0: loops over arrays; 1: keys beyond every table, values of every width; 2: constants */
static void fill(unsigned kind, uint64_t *keys, uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        keys[i] = kind == 0 ? 1 + i % 7 : kind == 1 ? draw() >> (draw() % 64) : 5;
        values[i] = kind == 0 ? 4096 * (i % 7) + 8 * (i / 7) : kind == 1 ? draw() >> (draw() % 64) : 9;
        if (kind == 1 && keys[i] == UINT64_MAX)
            keys[i] = 0;
    }
}

static const char *decode(enum trace_coding coding, const struct buffer *raw, size_t size, size_t count,
                          const uint64_t *keys, uint64_t *back)
{
    return predict_decode(&decoder, coding, &(struct raw_column){raw->data, size, count}, keys, back);
}

static void round_trip(unsigned kind)
{
    uint64_t *keys = calloc(ROWS, sizeof *keys), *values = calloc(ROWS, sizeof *values);
    uint64_t *back = calloc(ROWS, sizeof *back);
    fill(kind, keys, values, ROWS);
    for (size_t c = 0; c < COUNT; c++) {
        const uint64_t *column = CODINGS[c] == TRACE_CHAIN ? keys : values;
        struct buffer raw = {0};
        ok(predict_encode(&encoder, CODINGS[c], column, keys, ROWS, &raw) == 0, "%s: data %u are encoded", NAMES[c],
           kind);
        const char *problem = decode(CODINGS[c], &raw, raw.size, ROWS, keys, back);
        ok(!problem && memcmp(back, column, ROWS * sizeof *back) == 0, "  and decoded to the same values: %s",
           problem ? problem : "good");
        ok(kind == 1 || raw.size < ROWS + 200, "  in about a byte per row: %zu", raw.size);
        problem = decode(CODINGS[c], &raw, raw.size - 1, ROWS, keys, back);
        ok(problem && strstr(problem, "fewer"), "  a byte too few is damage");
        problem = decode(CODINGS[c], &raw, raw.size, ROWS - 1, keys, back);
        ok(problem && strstr(problem, "more"), "  and so is a row too many");
        buffer_free(&raw);
    }
    free(keys);
    free(values);
    free(back);
}

/* Bytes derived by hand from docs/trace-format.md. */
static void by_hand(void)
{
    static const uint64_t KEYS[] = {1, 2, 1, 2, 1}, STEPS[] = {10, 13, 23, 26, 36};
    static const uint64_t ADDRESSES[] = {100, 100, 108, 90, 116}, VALUES[] = {5, 1, 5, 0, 7};
    /* (0,0)→1 new, (0,1)→2 new, (1,2)→1 new, (2,1)→2 new, (1,2)→1 known */
    static const uint8_t CHAIN[] = {2, 3, 2, 3, 0};
    /* steps of (0,1) 10, (1,2) 3, (2,1) 10, (1,2) 3 as before, (2,1) 10 as before */
    static const uint8_t STEP[] = {20, 6, 20, 0, 0};
    /* 100 from 0; 100 from the row before; 1: +8; 2: −10; 1: 8 came once, so it is not a stride yet: +8 again */
    static const uint8_t STRIDE[] = {0xc8, 1, 0, 16, 19, 16};
    static const uint8_t SAME[] = {10, 2, 0, 1, 4};
    static const struct {
        const uint64_t *values;
        const uint8_t *raw;
        size_t size;
    } EXPECTED[COUNT] = {
        {KEYS, CHAIN, sizeof CHAIN}, {STEPS, STEP, sizeof STEP}, {ADDRESSES, STRIDE, sizeof STRIDE}, {VALUES, SAME, 5}};
    for (size_t c = 0; c < COUNT; c++) {
        struct buffer raw = {0};
        int error = predict_encode(&encoder, CODINGS[c], EXPECTED[c].values, KEYS, 5, &raw);
        ok(!error && raw.size == EXPECTED[c].size && memcmp(raw.data, EXPECTED[c].raw, raw.size) == 0,
           "%s gives the bytes that were derived by hand", NAMES[c]);
        buffer_free(&raw);
    }
}

static void limits(void)
{
    static const uint64_t GREATEST[] = {1, UINT64_MAX};
    ok(!predict_fits(TRACE_CHAIN, GREATEST, 2), "chain can't encode the greatest number");
    ok(predict_fits(TRACE_CHAIN, GREATEST, 1) && predict_fits(TRACE_STRIDE, GREATEST, 2), "  others can");
    struct buffer raw = {0};
    ok(predict_encode(&encoder, TRACE_CHAIN, NULL, NULL, 0, &raw) == 0 && raw.size == 0,
       "no rows are encoded as no bytes");
    ok(!decode(TRACE_CHAIN, &raw, 0, 0, NULL, NULL), "  and decoded");
    buffer_free(&raw);
}

int main(void)
{
    by_hand();
    for (unsigned kind = 0; kind < 3; kind++)
        round_trip(kind);
    limits();
    predictor_free(encoder);
    predictor_free(decoder);
    return done_testing();
}
