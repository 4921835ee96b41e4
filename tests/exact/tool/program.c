#include "tests/exact/tool/program.h"

#include <string.h>

#include "base/rng.h"

#define SITE(name, operation, size, lanes, text) {#name, operation, size, lanes},
const struct program_site program_sites[] = {
#include "tests/exact/tool/sites.h"
};
#undef SITE
const size_t program_site_count = sizeof program_sites / sizeof program_sites[0];

enum { STEPS_MIN = 16, STEPS_MAX = 96, ELEMENTS_MAX = 12, BYTES_MAX = 8 * ELEMENTS_MAX };
enum { WIDE = 112, NARROW = 40, PART_BYTES = 512 };

struct program {
    struct rng random;
    const struct program_watcher *watcher;
    uint8_t *memory;
    bool *known;
    bool narrow;                /* accesses meet the same bytes in many sizes */
    size_t grain;               /* nearly all begin and end at multiples of this */
    size_t block_bytes[BLOCKS]; /* 0: not allocated */
};

/* A part of memory that an access may touch. */
struct region {
    size_t at, bytes;
};

static size_t below(struct program *p, size_t limit)
{
    return (size_t)(rng_next(&p->random) % limit);
}

uint8_t program_file_byte(size_t i)
{
    return (uint8_t)(i % 3 == 0 ? 0 : i);
}

static void fill_pattern(uint8_t *bytes, uint64_t pattern)
{
    for (size_t i = 0; i < VECTOR_BYTES; i += sizeof pattern)
        memcpy(bytes + i, &pattern, sizeof pattern);
}

/*
 * A value to store at `at`: mostly one of a few patterns, so that values recur, among them floats and doubles that are
 * 0.5 % and 2 % apart (96, 96.5, 98); or the value that is there; or that with one bit changed.
 */
static void draw_value(struct program *p, size_t at, uint8_t *bytes)
{
    static const uint64_t patterns[] = {0,
                                        UINT64_C(0x0101010101010101),
                                        UINT64_C(0x42c0000042c00000),
                                        UINT64_C(0x42c1000042c10000),
                                        UINT64_C(0x42c4000042c40000),
                                        UINT64_C(0x4058000000000000),
                                        UINT64_C(0x4058200000000000),
                                        UINT64_C(0x4058800000000000)};
    unsigned choice = (unsigned)below(p, 8);
    if (choice < 4) {
        fill_pattern(bytes, patterns[below(p, sizeof patterns / sizeof patterns[0])]);
        return;
    }
    memcpy(bytes, p->memory + at, VECTOR_BYTES);
    if (choice == 4)
        bytes[below(p, 8)] ^= (uint8_t)(1U << below(p, 8));
}

/* Most accesses lie where the arena's halves (pages) meet, or around the beginning or end of 512 aligned bytes. */
static struct region draw_region(struct program *p, size_t bytes)
{
    size_t choice = below(p, 10), block = below(p, BLOCKS), room = p->narrow && bytes <= NARROW ? NARROW : WIDE;
    if (choice < 2 && p->block_bytes[block] >= bytes)
        return (struct region){BLOCKS_AT + block * BLOCK_BYTES, p->block_bytes[block]};
    if (choice < 4)
        return (struct region){100, room};
    if (choice < 6)
        return (struct region){ARENA_HALF + PART_BYTES - room / 2, room};
    return (struct region){ARENA_HALF - room / 2, room};
}

static size_t draw_place(struct program *p, size_t bytes, size_t alignment)
{
    struct region region = draw_region(p, bytes);
    size_t at = region.at + below(p, region.bytes - bytes + 1);
    size_t low = (region.at + alignment - 1) / alignment * alignment;
    at = at / alignment * alignment;
    return at < low ? low : at;
}

static bool all_known(const struct program *p, size_t at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (!p->known[at + i])
            return false;
    return true;
}

static bool is_string(enum program_operation operation)
{
    return operation == OP_MOVE || operation == OP_FILL || operation == OP_SYSTEM_READ || operation == OP_SYSTEM_WRITE;
}

static bool is_atomic(enum program_operation operation)
{
    return operation == OP_ATOMIC_ADD || operation == OP_EXCHANGE || operation == OP_COMPARE_SWAP;
}

static unsigned find_site(enum program_operation operation, size_t size)
{
    unsigned site = 0;
    while (program_sites[site].operation != operation || program_sites[site].size != size)
        site++;
    return site;
}

/* A load of bytes without a known value becomes a store of as many. */
static void make_known(const struct program *p, struct program_step *step)
{
    size_t size = program_sites[step->site].size, bytes = size * step->count;
    bool loads = step->operation != OP_STORE && step->operation != OP_FILL && step->operation != OP_SYSTEM_WRITE;
    size_t read_at = step->operation == OP_MOVE ? step->from : step->at;
    if (!loads || all_known(p, read_at, bytes))
        return;
    step->operation = is_string(step->operation) ? OP_FILL : OP_STORE;
    step->site = step->operation == OP_FILL ? find_site(OP_FILL, 1) : find_site(OP_STORE, size);
    step->count = step->operation == OP_FILL ? bytes : 1;
    memcpy(&step->a, step->vector, sizeof step->a);
}

static bool is_system(enum program_operation operation)
{
    return operation == OP_SYSTEM_READ || operation == OP_SYSTEM_WRITE;
}

static unsigned draw_site(struct program *p)
{
    unsigned site;
    do
        site = (unsigned)below(p, program_site_count);
    while (program_sites[site].size < p->grain && !is_system(program_sites[site].operation));
    return site;
}

static struct program_step draw_access(struct program *p)
{
    struct program_step step = {.site = draw_site(p), .count = 1};
    const struct program_site *site = &program_sites[step.site];
    step.operation = site->operation;
    step.caller = (unsigned)below(p, CALLERS);
    if (is_string(site->operation))
        step.count = below(p, (site->size == 1 ? BYTES_MAX : ELEMENTS_MAX) + 1);
    if (is_system(site->operation))
        step.count -= step.count % p->grain;
    size_t bytes = site->size * step.count;
    step.at = draw_place(p, bytes, is_atomic(site->operation) ? site->size : p->grain);
    step.from = site->operation == OP_MOVE ? draw_place(p, bytes, p->grain) : below(p, FILE_BYTES - BYTES_MAX);
    draw_value(p, step.at, step.vector);
    memcpy(&step.a, step.vector, sizeof step.a);
    memcpy(&step.b, step.vector + sizeof step.a, sizeof step.b);
    if (site->operation == OP_COMPARE_SWAP && below(p, 2) == 0)
        memcpy(&step.a, p->memory + step.at, sizeof step.a);
    make_known(p, &step);
    return step;
}

static struct program_step draw_block(struct program *p)
{
    unsigned block = (unsigned)below(p, BLOCKS);
    struct program_step step = {.operation = OP_FREE, .site = block, .at = BLOCKS_AT + block * BLOCK_BYTES};
    if (p->block_bytes[block] == 0) {
        step.operation = OP_ALLOCATE;
        step.count = 1 + below(p, BLOCK_BYTES);
        step.a = below(p, 2);
    }
    return step;
}

static struct program_step draw_step(struct program *p)
{
    size_t choice = below(p, 32);
    if (choice == 0)
        return (struct program_step){.operation = OP_MAP, .at = below(p, 2) * ARENA_HALF};
    return choice < 3 ? draw_block(p) : draw_access(p);
}

/* ------------------------------------------------------------------------------------------ what steps do -- */

static unsigned context_of(const struct program_step *step)
{
    return step->site * CALLERS + step->caller;
}

static void load(struct program *p, const struct program_step *step, size_t at)
{
    const struct program_site *site = &program_sites[step->site];
    if (p->watcher->load)
        p->watcher->load(p->watcher->user, at, site->size, p->memory + at, context_of(step), site->lanes);
}

static void store(struct program *p, const struct program_step *step, size_t at, const void *value)
{
    const struct program_site *site = &program_sites[step->site];
    memmove(p->memory + at, value, site->size);
    memset(p->known + at, true, site->size);
    if (p->watcher->store)
        p->watcher->store(p->watcher->user, at, site->size, p->memory + at, context_of(step), site->lanes);
}

static void add(struct program *p, const struct program_step *step)
{
    uint64_t sum = 0;
    size_t size = program_sites[step->site].size;
    memcpy(&sum, p->memory + step->at, size);
    sum += step->a;
    load(p, step, step->at);
    store(p, step, step->at, &sum);
}

static void compare_swap(struct program *p, const struct program_step *step)
{
    load(p, step, step->at);
    if (memcmp(p->memory + step->at, &step->a, program_sites[step->site].size) == 0)
        store(p, step, step->at, &step->b);
}

static void run_string(struct program *p, const struct program_step *step)
{
    size_t size = program_sites[step->site].size;
    for (size_t i = 0; i < step->count; i++) {
        if (step->operation == OP_MOVE)
            load(p, step, step->from + i * size);
        store(p, step, step->at + i * size,
              step->operation == OP_MOVE ? (const void *)(p->memory + step->from + i * size) : &step->a);
    }
}

static void run_system(struct program *p, const struct program_step *step)
{
    if (step->operation == OP_SYSTEM_READ) {
        if (p->watcher->system_read)
            p->watcher->system_read(p->watcher->user, step->at, step->count);
        return;
    }
    for (size_t i = 0; i < step->count; i++)
        p->memory[step->at + i] = program_file_byte(step->from + i);
    memset(p->known + step->at, true, step->count);
    if (p->watcher->system_write)
        p->watcher->system_write(p->watcher->user, step->at, step->count, p->memory + step->at, context_of(step));
}

static void start_afresh(struct program *p, size_t at, size_t bytes, bool known)
{
    memset(p->memory + at, 0, bytes);
    memset(p->known + at, known, bytes);
    if (p->watcher->forget)
        p->watcher->forget(p->watcher->user, at, bytes);
}

static void run_step(struct program *p, const struct program_step *step)
{
    switch (step->operation) {
    case OP_LOAD:
        load(p, step, step->at);
        break;
    case OP_STORE:
        store(p, step, step->at, step->vector);
        break;
    case OP_ADD:
    case OP_ATOMIC_ADD:
        add(p, step);
        break;
    case OP_EXCHANGE:
        load(p, step, step->at);
        store(p, step, step->at, &step->a);
        break;
    case OP_COMPARE_SWAP:
        compare_swap(p, step);
        break;
    case OP_MOVE:
    case OP_FILL:
        run_string(p, step);
        break;
    case OP_SYSTEM_READ:
    case OP_SYSTEM_WRITE:
        run_system(p, step);
        break;
    case OP_MAP:
        start_afresh(p, step->at, ARENA_HALF, true);
        break;
    case OP_ALLOCATE:
        p->block_bytes[step->site] = step->count;
        start_afresh(p, step->at, step->count, step->a != 0);
        break;
    case OP_FREE:
        start_afresh(p, step->at, p->block_bytes[step->site], false);
        p->block_bytes[step->site] = 0;
        break;
    }
}

void program_run(uint64_t seed, uint64_t number, const struct program_watcher *watcher, uint8_t *memory, bool *known)
{
    struct program p = {
        .random = {seed * UINT64_C(0x100000001b3) + number}, .watcher = watcher, .memory = memory, .known = known};
    p.random.state = rng_next(&p.random);
    p.narrow = below(&p, 2) == 0;
    p.grain = (size_t)1 << below(&p, 3);
    memset(memory, 0, MODEL_BYTES);
    memset(known, false, MODEL_BYTES);
    start_afresh(&p, 0, ARENA_BYTES, true);
    for (size_t steps = STEPS_MIN + below(&p, STEPS_MAX - STEPS_MIN + 1); steps > 0; steps--) {
        struct program_step step = draw_step(&p);
        if (watcher->step)
            watcher->step(watcher->user, &step);
        run_step(&p, &step);
    }
}
