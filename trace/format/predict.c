#include "trace/format/predict.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

enum { TABLE_BITS = 16, TABLE_SIZE = 1 << TABLE_BITS };

struct stride {
    uint64_t last, stride, recent; /* recent: the last difference */
    bool seen;
};

struct predictor {
    union {
        uint64_t values[TABLE_SIZE];
        struct stride strides[TABLE_SIZE];
    };
};

void predictor_free(struct predictor *predictor)
{
    free(predictor);
}

static struct predictor *predictor_reset(struct predictor **predictor, enum trace_coding coding)
{
    if (!*predictor)
        *predictor = malloc(sizeof **predictor);
    if (*predictor)
        memset(*predictor, 0, coding == TRACE_STRIDE ? sizeof(*predictor)->strides : sizeof(*predictor)->values);
    return *predictor;
}

const char predict_no_memory[] = "needs more memory than there is";

/* The slot for what followed `before` and then `now`. */
static inline size_t predict_pair_slot(uint64_t before, uint64_t now)
{
    return (uint32_t)((uint32_t)now * UINT32_C(0x9e3779b1) + (uint32_t)before * UINT32_C(0x85ebca6b)) >>
           (32 - TABLE_BITS);
}

static inline size_t predict_slot(uint64_t key)
{
    return key % TABLE_SIZE;
}

bool predict_fits(enum trace_coding coding, const uint64_t *values, size_t count)
{
    for (size_t i = 0; coding == TRACE_CHAIN && i < count; i++)
        if (values[i] == UINT64_MAX)
            return false;
    return true;
}

/* ---------------------------------------------------------------------------- chain -- */

static const uint8_t *predict_decode_chain(struct predictor *tables, const uint8_t *at, const uint8_t *end,
                                           uint64_t *values, size_t count)
{
    uint64_t before = 0, now = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t *next = &tables->values[predict_pair_slot(before, now)], code;
        if (!(at = varint_get(at, end, &code)))
            return NULL;
        values[i] = *next = code ? code - 1 : *next;
        before = now;
        now = values[i];
    }
    return at;
}

/* ---------------------------------------------------------------------------- step -- */

static uint8_t *predict_encode_step(struct predictor *tables, const uint64_t *values, const uint64_t *keys,
                                    size_t count, uint8_t *at)
{
    uint64_t key = 0, value = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t *step = &tables->values[predict_pair_slot(key, keys[i])], now = values[i] - value;
        at = varint_put(at, zigzag_encode(now - *step));
        *step = now;
        key = keys[i];
        value = values[i];
    }
    return at;
}

static const uint8_t *predict_decode_step(struct predictor *tables, const uint8_t *at, const uint8_t *end,
                                          const uint64_t *keys, uint64_t *values, size_t count)
{
    uint64_t key = 0, value = 0, code;
    for (size_t i = 0; i < count; i++) {
        uint64_t *step = &tables->values[predict_pair_slot(key, keys[i])];
        if (!(at = varint_get(at, end, &code)))
            return NULL;
        *step += zigzag_decode(code);
        values[i] = value += *step;
        key = keys[i];
    }
    return at;
}

/* ---------------------------------------------------------------------------- stride -- */

/* The expected next value of the key; for a new key, the value of the previous row. */
static inline uint64_t predict_stride_expected(const struct stride *stride, uint64_t before)
{
    return stride->seen ? stride->last + stride->stride : before;
}

/* A difference that occurs twice in a row becomes the stride. */
static inline void predict_stride_learn(struct stride *stride, uint64_t value)
{
    uint64_t difference = stride->seen ? value - stride->last : 0;
    if (difference == stride->recent)
        stride->stride = difference;
    stride->recent = difference;
    stride->last = value;
    stride->seen = true;
}

static const uint8_t *predict_decode_stride(struct predictor *tables, const uint8_t *at, const uint8_t *end,
                                            const uint64_t *keys, uint64_t *values, size_t count)
{
    uint64_t before = 0, code;
    for (size_t i = 0; i < count; i++) {
        struct stride *stride = &tables->strides[predict_slot(keys[i])];
        if (!(at = varint_get(at, end, &code)))
            return NULL;
        before = values[i] = predict_stride_expected(stride, before) + zigzag_decode(code);
        predict_stride_learn(stride, before);
    }
    return at;
}

/* ---------------------------------------------------------------------------- same -- */

static const uint8_t *predict_decode_same(struct predictor *tables, const uint8_t *at, const uint8_t *end,
                                          const uint64_t *keys, uint64_t *values, size_t count)
{
    uint64_t code;
    for (size_t i = 0; i < count; i++) {
        uint64_t *last = &tables->values[predict_slot(keys[i])];
        if (!(at = varint_get(at, end, &code)))
            return NULL;
        values[i] = *last += zigzag_decode(code);
    }
    return at;
}

/* ---------------------------------------------------------------------------- all of them -- */

int predict_encode(struct predictor **predictor, enum trace_coding coding, const uint64_t *values, const uint64_t *keys,
                   size_t count, struct buffer *raw)
{
    assert(coding >= TRACE_CHAIN && (coding == TRACE_CHAIN || keys));
    struct predictor *tables = predictor_reset(predictor, coding);
    uint8_t *start = tables ? buffer_grow(raw, count * VARINT_MAX + 1) : NULL, *end;
    if (!start)
        return ENOMEM;
    if (coding == TRACE_CHAIN) {
        uint8_t *at = start;
        uint64_t before = 0, now = 0;
        for (size_t i = 0; i < count; i++) {
            uint64_t *next = &tables->values[predict_pair_slot(before, now)], value = values[i];
            at = varint_put(at, value == *next ? 0 : value + 1);
            *next = value;
            before = now;
            now = value;
        }
        end = at;
    } else if (coding == TRACE_STEP)
        end = predict_encode_step(tables, values, keys, count, start);
    else if (coding == TRACE_STRIDE) {
        uint8_t *at = start;
        uint64_t before = 0;
        for (size_t i = 0; i < count; i++) {
            struct stride *stride = &tables->strides[predict_slot(keys[i])];
            at = varint_put(at, zigzag_encode(values[i] - predict_stride_expected(stride, before)));
            predict_stride_learn(stride, before = values[i]);
        }
        end = at;
    } else {
        uint8_t *at = start;
        for (size_t i = 0; i < count; i++) {
            uint64_t *last = &tables->values[predict_slot(keys[i])];
            at = varint_put(at, zigzag_encode(values[i] - *last));
            *last = values[i];
        }
        end = at;
    }
    raw->size += (size_t)(end - start);
    return 0;
}

const char *predict_decode(struct predictor **predictor, enum trace_coding coding, const struct raw_column *raw,
                           const uint64_t *keys, uint64_t *values)
{
    assert(coding >= TRACE_CHAIN && (coding == TRACE_CHAIN || keys));
    struct predictor *tables = predictor_reset(predictor, coding);
    const uint8_t *at = raw->bytes, *end = at + raw->size;
    if (!tables)
        return predict_no_memory;
    if (coding == TRACE_CHAIN)
        at = predict_decode_chain(tables, at, end, values, raw->count);
    else if (coding == TRACE_STEP)
        at = predict_decode_step(tables, at, end, keys, values, raw->count);
    else if (coding == TRACE_STRIDE)
        at = predict_decode_stride(tables, at, end, keys, values, raw->count);
    else
        at = predict_decode_same(tables, at, end, keys, values, raw->count);
    if (!at)
        return "has fewer values than the chunk has records";
    return at == end ? NULL : "has more values than the chunk has records";
}
