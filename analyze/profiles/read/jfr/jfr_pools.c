#include "analyze/profiles/read/jfr/jfr_pools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "collect/trace/trace.h"

enum { TEXT_BYTES = 1 << 14 };

static uint32_t keep_text(struct jfr_pools *pools, const struct jfr_text *text)
{
    char copy[TEXT_BYTES];
    jfr_text_copy(text, copy, sizeof copy);
    size_t length = strlen(copy) + 1, at = pools->text_size;
    char *capacity = grow(pools->texts, &pools->text_room, at + length, 1);
    if (!capacity || at + length > UINT32_MAX) {
        pools->full = true;
        return 0;
    }
    pools->texts = capacity;
    memcpy(capacity + at, copy, length);
    pools->text_size += length;
    return (uint32_t)at;
}

/* Makes capacity for the value of a key: its index, or 0 without memory. `array` is one of the arrays of the pools. */
#define PLACE(pools, map, array, key)                                                                                  \
    place_in((pools), &(pools)->map, (key), (void **)&(pools)->array, &(pools)->array##_room, sizeof *(pools)->array)
static uint32_t place_in(struct jfr_pools *pools, struct idmap *map, uint64_t key, void **array, size_t *capacity,
                         size_t bytes)
{
    uint32_t place = idmap_add(map, key);
    void *grown = grow(*array, capacity, place, bytes);
    if (!place || !grown) {
        pools->full = true;
        return 0;
    }
    *array = grown;
    return place;
}

static void add_symbol(struct jfr_pools *pools, const struct jfr_class *class, struct jfr_cursor *cursor, uint64_t key)
{
    struct jfr_wanted wanted[] = {{.name = "string"}};
    jfr_take(pools->chunk_types, cursor, class, &(struct jfr_request){.wanted = wanted, .count = 1});
    uint32_t place = PLACE(pools, symbols, symbol, key);
    if (place && !cursor->bad)
        pools->symbol[place] = keep_text(pools, &wanted[0].text);
}

static void add_string(struct jfr_pools *pools, const struct jfr_class *class, struct jfr_cursor *cursor, uint64_t key)
{
    struct jfr_text text;
    (void)class;
    jfr_text(cursor, &text);
    uint32_t place = PLACE(pools, strings, string, key);
    if (place && !cursor->bad)
        pools->string[place] = keep_text(pools, &text);
}

static void add_class(struct jfr_pools *pools, const struct jfr_class *class, struct jfr_cursor *cursor, uint64_t key)
{
    struct jfr_wanted wanted[] = {{.name = "name"}};
    jfr_take(pools->chunk_types, cursor, class, &(struct jfr_request){.wanted = wanted, .count = 1});
    uint32_t place = PLACE(pools, classes, class, key);
    if (place && !cursor->bad)
        pools->class[place] = wanted[0].number;
}

static void add_method(struct jfr_pools *pools, const struct jfr_class *class, struct jfr_cursor *cursor, uint64_t key)
{
    struct jfr_wanted wanted[] = {{.name = "type"}, {.name = "name"}, {.name = "descriptor"}};
    jfr_take(pools->chunk_types, cursor, class, &(struct jfr_request){.wanted = wanted, .count = 3});
    uint32_t place = PLACE(pools, methods, method, key), same = PLACE(pools, methods, has_method, key);
    if (!place || !same || cursor->bad)
        return;
    pools->method[place] = (struct jfr_method){wanted[0].number, wanted[1].number, wanted[2].number};
    pools->has_method[place] = true;
}

static const char *pooled_text(const struct jfr_pools *pools, const struct idmap *map, const uint64_t *offsets,
                               size_t capacity, uint64_t key)
{
    uint32_t place = idmap_find(map, key);
    return place && place < capacity && pools->text_size > 0 ? pools->texts + offsets[place] : "";
}

/* Threads that Java knows are its own, except for the compilers'; nothing is known about others. */
static unsigned role_of(const char *name, bool java)
{
    bool compiler = name[0] == 'C' && name[1] != '\0' && strncmp(name + 2, " CompilerThre", 13) == 0;
    return compiler ? ROLE_JIT : java ? ROLE_JAVA : ROLE_NATIVE;
}

static void add_thread(struct jfr_pools *pools, const struct jfr_class *class, struct jfr_cursor *cursor, uint64_t key)
{
    struct jfr_wanted wanted[] = {
        {.name = "osThreadId"}, {.name = "javaName"}, {.name = "osName"}, {.name = "javaThreadId"}};
    char name[256] = "";
    jfr_take(pools->chunk_types, cursor, class, &(struct jfr_request){.wanted = wanted, .count = 4});
    for (size_t i = 1; i < 3 && !*name && !cursor->bad; i++)
        if (wanted[i].text.pooled)
            snprintf(name, sizeof name, "%.200s",
                     pooled_text(pools, &pools->strings, pools->string, pools->string_room, wanted[i].text.pooled - 1));
        else if (wanted[i].found && wanted[i].text.bytes)
            jfr_text_copy(&wanted[i].text, name, sizeof name);
    struct jfr_text text = {.bytes = (const unsigned char *)name, .length = strlen(name)};
    uint32_t place = PLACE(pools, threads, thread, key);
    if (place && !cursor->bad)
        pools->thread[place] = (struct jfr_thread){wanted[0].number ? wanted[0].number : wanted[3].number,
                                                   keep_text(pools, &text), role_of(name, wanted[3].number > 0)};
}

static void add_frame_type(struct jfr_pools *pools, const struct jfr_class *class, struct jfr_cursor *cursor,
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
    jfr_take(pools->chunk_types, cursor, class, &(struct jfr_request){.wanted = wanted, .count = 1});
    if (!cursor->bad && wanted[0].found && wanted[0].text.bytes)
        jfr_text_copy(&wanted[0].text, name, sizeof name);
    uint32_t place = PLACE(pools, types, type, key);
    for (size_t i = 0; place && i < sizeof states / sizeof *states; i++)
        if (strcmp(states[i].name, name) == 0)
            pools->type[place] = states[i].state;
}

static void add_thread_state(struct jfr_pools *pools, const struct jfr_class *class, struct jfr_cursor *cursor,
                             uint64_t key)
{
    struct jfr_wanted wanted[] = {{.name = "name"}};
    jfr_take(pools->chunk_types, cursor, class, &(struct jfr_request){.wanted = wanted, .count = 1});
    uint32_t place = PLACE(pools, thread_states, thread_state, key);
    if (place && !cursor->bad && wanted[0].text.bytes)
        pools->thread_state[place] = keep_text(pools, &wanted[0].text);
}

static void add_frame(struct jfr_cursor *cursor, const struct jfr_class *class, void *user)
{
    struct jfr_pools *pools = user;
    struct jfr_wanted wanted[] = {
        {.name = "method"}, {.name = "lineNumber"}, {.name = "bytecodeIndex"}, {.name = "type"}};
    jfr_take(pools->chunk_types, cursor, class, &(struct jfr_request){.wanted = wanted, .count = 4});
    struct jfr_frame *capacity = grow(pools->frames, &pools->frame_room, pools->frame_count, sizeof *capacity);
    uint32_t method = idmap_add(&pools->methods, wanted[0].number);
    if (!capacity || !method) {
        pools->full = true;
        return;
    }
    pools->frames = capacity;
    int64_t line = (int32_t)wanted[1].number;
    capacity[pools->frame_count++] = (struct jfr_frame){method, line > 0 ? (uint32_t)line : 0,
                                                        (uint16_t)wanted[2].number, (uint8_t)wanted[3].number};
}

static void add_trace(struct jfr_pools *pools, const struct jfr_class *class, struct jfr_cursor *cursor, uint64_t key)
{
    struct jfr_wanted wanted[] = {{.name = "truncated"}};
    size_t first = pools->frame_count;
    jfr_take(pools->chunk_types, cursor, class, &(struct jfr_request){wanted, 1, add_frame, pools});
    uint32_t place = PLACE(pools, traces, trace, key);
    if (place && !cursor->bad)
        pools->trace[place] = (struct jfr_trace){first, pools->frame_count - first, false, wanted[0].number != 0};
}

static void pass_over(struct jfr_pools *pools, const struct jfr_class *class, struct jfr_cursor *cursor, uint64_t key)
{
    struct jfr_text text;
    (void)key;
    if (class->primitive == JFR_STRING)
        jfr_text(cursor, &text);
    else
        jfr_take(pools->chunk_types, cursor, class, NULL);
}

typedef void add_entry(struct jfr_pools *pools, const struct jfr_class *class, struct jfr_cursor *cursor, uint64_t key);

static add_entry *adder_of(const char *name)
{
    static const struct {
        const char *name;
        add_entry *add;
    } adders[] = {{"Symbol", add_symbol},        {"String", add_string},           {"Class", add_class},
                  {"Method", add_method},        {"Thread", add_thread},           {"StackTrace", add_trace},
                  {"FrameType", add_frame_type}, {"ThreadState", add_thread_state}};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; i < sizeof adders / sizeof *adders; i++)
        if (strcmp(adders[i].name, dot ? dot + 1 : name) == 0)
            return adders[i].add;
    return pass_over;
}

/* Start time, duration, delta, kind of checkpoint; then pools: class, count, and for each value its key and fields. */
bool jfr_pools_read(struct jfr_pools *pools, struct jfr_cursor *cursor)
{
    for (int i = 0; i < 3; i++)
        jfr_number(cursor);
    jfr_fixed(cursor, 1);
    uint64_t pool_count = jfr_number(cursor);
    for (uint64_t p = 0; p < pool_count && !cursor->bad && !pools->full; p++) {
        const struct jfr_class *class = jfr_class_of(pools->chunk_types, jfr_number(cursor));
        uint64_t count = jfr_number(cursor);
        if (!class || cursor->bad || count > (size_t)(cursor->end - cursor->at))
            return false;
        add_entry *add = adder_of(jfr_class_name(pools->chunk_types, class));
        for (uint64_t i = 0; i < count && !cursor->bad && !pools->full; i++) {
            uint64_t key = jfr_number(cursor);
            add(pools, class, cursor, key);
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
    return pooled_text(pools, &pools->symbols, pools->symbol, pools->symbol_room, key);
}

const char *jfr_pools_class(const struct jfr_pools *pools, uint64_t key)
{
    uint32_t place = idmap_find(&pools->classes, key);
    return place && place < pools->class_room ? jfr_pools_symbol(pools, pools->class[place]) : "";
}

const char *jfr_pools_thread_state(const struct jfr_pools *pools, uint64_t key)
{
    uint32_t place = idmap_find(&pools->thread_states, key);
    return place && place < pools->thread_state_room && pools->text_size > 0 ? pools->texts + pools->thread_state[place]
                                                                             : "";
}
