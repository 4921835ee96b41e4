/* raw_bytes.h - writes raw files (collect/exact/tool/state/raw.h) record by record, as the exact tool does. */
#ifndef ASSAY_TESTS_RAW_BYTES_H
#define ASSAY_TESTS_RAW_BYTES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/exact/tool/state/raw.h"

struct raw_bytes {
    uint8_t *data;
    size_t size, capacity;
};

static inline void raw_add(struct raw_bytes *raw, const void *bytes, size_t size)
{
    while (raw->capacity - raw->size < size) {
        raw->capacity = 2 * raw->capacity + 4096;
        raw->data = realloc(raw->data, raw->capacity);
        if (!raw->data)
            abort();
    }
    if (size > 0)
        memcpy(raw->data + raw->size, bytes, size);
    raw->size += size;
}

/* A payload of two parts, padded to 8 bytes. */
static inline void raw_record(struct raw_bytes *raw, uint32_t type, const void *payload, size_t size, const void *more,
                              size_t more_size)
{
    static const uint8_t zeros[8];
    size_t padding = (8 - (size + more_size) % 8) % 8;
    struct raw_head head = {type, (uint32_t)(size + more_size + padding)};
    raw_add(raw, &head, sizeof head);
    raw_add(raw, payload, size);
    raw_add(raw, more, more_size);
    raw_add(raw, zeros, padding);
}

static inline void raw_hello(struct raw_bytes *raw, uint32_t pid, uint64_t start_ns, const char *json)
{
    struct raw_hello hello = {RAW_MAGIC, start_ns, pid, (uint32_t)strlen(json)};
    raw_record(raw, RAW_HELLO, &hello, sizeof hello, json, strlen(json));
}

static inline void raw_module(struct raw_bytes *raw, uint32_t id, const char *path, uint64_t bias, uint64_t low,
                              uint64_t high)
{
    struct raw_module module = {id, (uint32_t)strlen(path), bias, low, high};
    raw_record(raw, RAW_MODULE, &module, sizeof module, path, strlen(path) + 1);
}

static inline void raw_thread(struct raw_bytes *raw, uint32_t id, uint32_t tid)
{
    raw_record(raw, RAW_THREAD, &(struct raw_thread){id, tid}, sizeof(struct raw_thread), NULL, 0);
}

static inline void raw_node(struct raw_bytes *raw, uint32_t id, uint32_t parent, uint64_t call, uint32_t kind)
{
    const struct raw_node node = {.id = id, .parent = parent, .call = call, .thread = 1, .kind = kind};
    raw_record(raw, RAW_NODE, &node, sizeof node, NULL, 0);
}

static inline void raw_sites(struct raw_bytes *raw, uint32_t first, uint32_t node, const uint64_t *addresses,
                             uint32_t count)
{
    raw_record(raw, RAW_SITES, &(struct raw_sites){first, count, node, 0}, sizeof(struct raw_sites), addresses,
               count * sizeof *addresses);
}

static inline void raw_object(struct raw_bytes *raw, const struct raw_object *object)
{
    raw_record(raw, RAW_OBJECT, object, sizeof *object, NULL, 0);
}

static inline void raw_pair(struct raw_bytes *raw, const struct raw_pair *pair)
{
    raw_record(raw, RAW_PAIR, pair, sizeof *pair, NULL, 0);
}

static inline void raw_total(struct raw_bytes *raw, const struct raw_total *total)
{
    raw_record(raw, RAW_TOTAL, total, sizeof *total, NULL, 0);
}

static inline void raw_lost(struct raw_bytes *raw, uint32_t cause, uint64_t count)
{
    raw_record(raw, RAW_LOST, &(struct raw_lost){cause, 0, count}, sizeof(struct raw_lost), "", 1);
}

static inline void raw_time(struct raw_bytes *raw, uint64_t ns, uint64_t instructions)
{
    raw_record(raw, RAW_TIME, &(struct raw_time){ns, instructions}, sizeof(struct raw_time), NULL, 0);
}

static inline void raw_end(struct raw_bytes *raw, uint32_t kind, uint32_t status)
{
    raw_record(raw, RAW_END, &(struct raw_end){kind, status}, sizeof(struct raw_end), NULL, 0);
}

static inline void raw_save(const struct raw_bytes *raw, size_t size, const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(raw->data, 1, size, file) != size || fclose(file) != 0)
        abort();
}

#endif
