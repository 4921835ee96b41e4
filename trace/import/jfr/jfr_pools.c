#include "trace/import/jfr/jfr_pools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "trace/trace.h"

enum { TEXT_BYTES = 1 << 14 };

static uint32_t jfr_pools_add_text(struct jfr_pools *pools, const struct jfr_text *text)
{
    char copy[TEXT_BYTES];
    jfr_copy_text(text, copy, sizeof copy);
    size_t length = strlen(copy) + 1, at = pools->text_size;
    char *grown = grow(pools->texts, &pools->text_capacity, at + length, 1);
    if (!grown || at + length > UINT32_MAX) {
        pools->full = true;
        return 0;
    }
    pools->texts = grown;
    memcpy(grown + at, copy, length);
    pools->text_size += length;
    return (uint32_t)at;
}

/* Makes capacity for the value of a key: its index, or 0 without memory. `array` is one of the arrays of the pools. */
#define RESERVE(pools, map, array, key)                                                                                \
    jfr_pools_reserve((pools), &(pools)->map, (key), (void **)&(pools)->array, &(pools)->array##_capacity,             \
                      sizeof *(pools)->array)
static uint32_t jfr_pools_reserve(struct jfr_pools *pools, struct idmap *map, uint64_t key, void **array,
                                  size_t *capacity, size_t bytes)
{
    uint32_t index = idmap_add(map, key);
    void *grown = grow(*array, capacity, index, bytes);
    if (!index || !grown) {
        pools->full = true;
        return 0;
    }
    *array = grown;
    return index;
}

static void jfr_pools_add_symbol(struct jfr_pools *pools, const struct jfr_class *class, struct jfr_cursor *cursor,
                                 uint64_t key)
{
    struct jfr_wanted wanted[] = {{.name = "string"}};
    jfr_read_object(pools->chunk_types, cursor, class, &(struct jfr_request){.wanted = wanted, .count = 1});
    uint32_t index = RESERVE(pools, symbols, symbol, key);
    if (index && !cursor->bad)
        pools->symbol[index] = jfr_pools_add_text(pools, &wanted[0].text);
}

static void jfr_pools_add_string(struct jfr_pools *pools, const struct jfr_class *class, struct jfr_cursor *cursor,
                                 uint64_t key)
{
    struct jfr_text text;
    (void)class;
    jfr_read_text(cursor, &text);
    uint32_t index = RESERVE(pools, strings, string, key);
    if (index && !cursor->bad)
        pools->string[index] = jfr_pools_add_text(pools, &text);
}

static void jfr_pools_add_class(struct jfr_pools *pools, const struct jfr_class *class, struct jfr_cursor *cursor,
                                uint64_t key)
{
    struct jfr_wanted wanted[] = {{.name = "name"}};
    jfr_read_object(pools->chunk_types, cursor, class, &(struct jfr_request){.wanted = wanted, .count = 1});
    uint32_t index = RESERVE(pools, classes, class, key);
    if (index && !cursor->bad)
        pools->class[index] = wanted[0].number;
}

static void jfr_pools_add_method(struct jfr_pools *pools, const struct jfr_class *class, struct jfr_cursor *cursor,
                                 uint64_t key)
{
    struct jfr_wanted wanted[] = {{.name = "type"}, {.name = "name"}, {.name = "descriptor"}};
    jfr_read_object(pools->chunk_types, cursor, class, &(struct jfr_request){.wanted = wanted, .count = 3});
    uint32_t index = RESERVE(pools, methods, method, key), same = RESERVE(pools, methods, has_method, key);
    if (!index || !same || cursor->bad)
        return;
    pools->method[index] = (struct jfr_method){wanted[0].number, wanted[1].number, wanted[2].number};
    pools->has_method[index] = true;
}

static const char *jfr_pools_text(const struct jfr_pools *pools, const struct idmap *map, const uint64_t *offsets,
                                  size_t capacity, uint64_t key)
{
    uint32_t index = idmap_find(map, key);
    return index && index < capacity && pools->text_size > 0 ? pools->texts + offsets[index] : "";
}

static void jfr_pools_add_thread(struct jfr_pools *pools, const struct jfr_class *class, struct jfr_cursor *cursor,
                                 uint64_t key)
{
    struct jfr_wanted wanted[] = {
        {.name = "osThreadId"}, {.name = "javaName"}, {.name = "osName"}, {.name = "javaThreadId"}};
    char name[256] = "";
    jfr_read_object(pools->chunk_types, cursor, class, &(struct jfr_request){.wanted = wanted, .count = 4});
    for (size_t i = 1; i < 3 && !*name && !cursor->bad; i++)
        if (wanted[i].text.pooled)
            snprintf(name, sizeof name, "%.200s",
                     jfr_pools_text(pools, &pools->strings, pools->string, pools->string_capacity,
                                    wanted[i].text.pooled - 1));
        else if (wanted[i].found && wanted[i].text.bytes)
            jfr_copy_text(&wanted[i].text, name, sizeof name);
    /* Threads that Java knows are its own, except for the compilers'; nothing is known about others. */
    bool compiler = name[0] == 'C' && name[1] != '\0' && strncmp(name + 2, " CompilerThre", 13) == 0;
    unsigned role = compiler ? ROLE_JIT : wanted[3].number > 0 ? ROLE_JAVA : ROLE_NATIVE;
    struct jfr_text text = {.bytes = (const unsigned char *)name, .length = strlen(name)};
    uint32_t index = RESERVE(pools, threads, thread, key);
    if (index && !cursor->bad)
        pools->thread[index] = (struct jfr_thread){wanted[0].number ? wanted[0].number : wanted[3].number,
                                                   jfr_pools_add_text(pools, &text), role};
}

static void jfr_pools_add_frame_type(struct jfr_pools *pools, const struct jfr_class *class, struct jfr_cursor *cursor,
                                     uint64_t key)
{
    static const struct {
        const char *name;
        unsigned state;
    } states[] = {{"Interpreted", STATE_INTERPRETED},
                  {"JIT compiled", STATE_COMPILED},
                  {"Inlined", STATE_COMPILED},
                  {"C1 compiled", STATE_COMPILED},
                  {"Native", STATE_NATIVE},
                  {"C++", STATE_NATIVE},
                  {"Kernel", STATE_NATIVE}};
    struct jfr_wanted wanted[] = {{.name = "description"}};
    char name[64] = "";
    jfr_read_object(pools->chunk_types, cursor, class, &(struct jfr_request){.wanted = wanted, .count = 1});
    if (!cursor->bad && wanted[0].found && wanted[0].text.bytes)
        jfr_copy_text(&wanted[0].text, name, sizeof name);
    uint32_t index = RESERVE(pools, types, type, key);
    for (size_t i = 0; index && i < sizeof states / sizeof *states; i++)
        if (strcmp(states[i].name, name) == 0)
            pools->type[index] = states[i].state;
}

static void jfr_pools_add_thread_state(struct jfr_pools *pools, const struct jfr_class *class,
                                       struct jfr_cursor *cursor, uint64_t key)
{
    struct jfr_wanted wanted[] = {{.name = "name"}};
    jfr_read_object(pools->chunk_types, cursor, class, &(struct jfr_request){.wanted = wanted, .count = 1});
    uint32_t index = RESERVE(pools, thread_states, thread_state, key);
    if (index && !cursor->bad && wanted[0].text.bytes)
        pools->thread_state[index] = jfr_pools_add_text(pools, &wanted[0].text);
}

static void jfr_pools_add_frame(struct jfr_cursor *cursor, const struct jfr_class *class, void *user)
{
    struct jfr_pools *pools = user;
    struct jfr_wanted wanted[] = {
        {.name = "method"}, {.name = "lineNumber"}, {.name = "bytecodeIndex"}, {.name = "type"}};
    jfr_read_object(pools->chunk_types, cursor, class, &(struct jfr_request){.wanted = wanted, .count = 4});
    struct jfr_frame *grown = grow(pools->frames, &pools->frame_capacity, pools->frame_count, sizeof *grown);
    uint32_t method = idmap_add(&pools->methods, wanted[0].number);
    if (!grown || !method) {
        pools->full = true;
        return;
    }
    pools->frames = grown;
    int64_t line = (int32_t)wanted[1].number;
    grown[pools->frame_count++] = (struct jfr_frame){method, line > 0 ? (uint32_t)line : 0, (uint16_t)wanted[2].number,
                                                     (uint8_t)wanted[3].number};
}

static void jfr_pools_add_trace(struct jfr_pools *pools, const struct jfr_class *class, struct jfr_cursor *cursor,
                                uint64_t key)
{
    struct jfr_wanted wanted[] = {{.name = "truncated"}};
    size_t first = pools->frame_count;
    jfr_read_object(pools->chunk_types, cursor, class, &(struct jfr_request){wanted, 1, jfr_pools_add_frame, pools});
    uint32_t index = RESERVE(pools, traces, trace, key);
    if (index && !cursor->bad)
        pools->trace[index] = (struct jfr_trace){first, pools->frame_count - first, false, wanted[0].number != 0};
}

static void jfr_pools_skip_value(struct jfr_pools *pools, const struct jfr_class *class, struct jfr_cursor *cursor,
                                 uint64_t key)
{
    struct jfr_text text;
    (void)key;
    if (class->primitive == JFR_STRING)
        jfr_read_text(cursor, &text);
    else
        jfr_read_object(pools->chunk_types, cursor, class, NULL);
}

typedef void jfr_pools_adder(struct jfr_pools *pools, const struct jfr_class *class, struct jfr_cursor *cursor,
                             uint64_t key);

/* Start time, duration, delta, kind of checkpoint; then pools: class, count, and for each value its key and fields. */
bool jfr_pools_read(struct jfr_pools *pools, struct jfr_cursor *cursor)
{
    static const struct {
        const char *name;
        jfr_pools_adder *adder;
    } adders[] = {{"Symbol", jfr_pools_add_symbol},        {"String", jfr_pools_add_string},
                  {"Class", jfr_pools_add_class},          {"Method", jfr_pools_add_method},
                  {"Thread", jfr_pools_add_thread},        {"StackTrace", jfr_pools_add_trace},
                  {"FrameType", jfr_pools_add_frame_type}, {"ThreadState", jfr_pools_add_thread_state}};
    for (int i = 0; i < 3; i++)
        jfr_read_number(cursor);
    jfr_read_fixed(cursor, 1);
    uint64_t pool_count = jfr_read_number(cursor);
    for (uint64_t p = 0; p < pool_count && !cursor->bad && !pools->full; p++) {
        const struct jfr_class *class = jfr_find_class(pools->chunk_types, jfr_read_number(cursor));
        uint64_t count = jfr_read_number(cursor);
        if (!class || cursor->bad || count > (size_t)(cursor->end - cursor->at))
            return false;
        const char *name = jfr_class_name(pools->chunk_types, class), *dot = strrchr(name, '.');
        jfr_pools_adder *adder = jfr_pools_skip_value;
        for (size_t i = 0; i < sizeof adders / sizeof *adders; i++)
            if (strcmp(adders[i].name, dot ? dot + 1 : name) == 0)
                adder = adders[i].adder;
        for (uint64_t i = 0; i < count && !cursor->bad && !pools->full; i++) {
            uint64_t key = jfr_read_number(cursor);
            adder(pools, class, cursor, key);
        }
    }
    return !cursor->bad;
}

void jfr_pools_free(struct jfr_pools *pools)
{
    struct idmap *const maps[] = {&pools->symbols, &pools->strings, &pools->classes, &pools->methods,
                                  &pools->threads, &pools->traces,  &pools->types,   &pools->thread_states};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        idmap_free(maps[i]);
    free(pools->symbol);
    free(pools->string);
    free(pools->class);
    free(pools->method);
    free(pools->has_method);
    free(pools->thread);
    free(pools->trace);
    free(pools->type);
    free(pools->thread_state);
    free(pools->frames);
    free(pools->texts);
    *pools = (struct jfr_pools){0};
}

const char *jfr_pools_symbol(const struct jfr_pools *pools, uint64_t key)
{
    return jfr_pools_text(pools, &pools->symbols, pools->symbol, pools->symbol_capacity, key);
}

const char *jfr_pools_class(const struct jfr_pools *pools, uint64_t key)
{
    uint32_t index = idmap_find(&pools->classes, key);
    return index && index < pools->class_capacity ? jfr_pools_symbol(pools, pools->class[index]) : "";
}

const char *jfr_pools_thread_state(const struct jfr_pools *pools, uint64_t key)
{
    uint32_t index = idmap_find(&pools->thread_states, key);
    return index && index < pools->thread_state_capacity && pools->text_size > 0
               ? pools->texts + pools->thread_state[index]
               : "";
}
