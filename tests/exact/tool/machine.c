/*
 * machine run|expect SEED COUNT [FIRST] - COUNT random programs of memory accesses, starting with program FIRST.
 *   run      executes them on memory that nothing else touches, fresh for each; fails if a program leaves wrong bytes
 *   expect   asks the reference model; prints each pair of accesses with the names of their functions, innermost first:
 *            KIND VALUES FIRST SECOND EVENTS WASTED-EVENTS BYTES WASTED-BYTES, separated by tabs
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/exact/tool/program.h"

/* ------------------------------------------------------------------------------------------ instructions -- */

#define SITE(name, operation, size, lanes, text)                                                                       \
    __attribute__((naked, noipa)) static void site_##name(void)                                                        \
    {                                                                                                                  \
        __asm__(text "\n\tret");                                                                                       \
    }
#include "tests/exact/tool/sites.h"
#undef SITE

#define SITE(name, operation, size, lanes, text) site_##name,
static void (*const site_functions[])(void) = {
#include "tests/exact/tool/sites.h"
};
#undef SITE

struct call {
    void (*site)(void);
    void *place;
    const void *from;
    uint64_t count, a, b;
    long file;
    const uint8_t *vector;
};

/* The operands of an instruction in their registers, and the call, below what a leaf function may use of the stack. */
#define CALL_SITE(c)                                                                                                   \
    do {                                                                                                               \
        void *place = (c)->place;                                                                                      \
        const void *from = (c)->from;                                                                                  \
        uint64_t count = (c)->count, a = (c)->a, b = (c)->b;                                                           \
        register long file __asm__("r8") = (c)->file;                                                                  \
        __asm__ volatile("vmovdqu (%[vector]), %%ymm0\n\t"                                                             \
                         "vpxor %%xmm1, %%xmm1, %%xmm1\n\t"                                                            \
                         "sub $128, %%rsp\n\t"                                                                         \
                         "call *%[site]\n\t"                                                                           \
                         "add $128, %%rsp\n\t"                                                                         \
                         "vzeroupper"                                                                                  \
                         : "+D"(place), "+S"(from), "+c"(count), "+a"(a), "+d"(b), "+r"(file)                          \
                         : [site] "r"((c)->site), [vector] "r"((c)->vector)                                            \
                         : "r9", "r10", "r11", "xmm0", "xmm1", "memory", "cc");                                        \
    } while (0)

__attribute__((noipa)) static void caller_a(const struct call *c)
{
    CALL_SITE(c);
}

__attribute__((noipa)) static void caller_b(const struct call *c)
{
    CALL_SITE(c);
}

__attribute__((noipa)) static void caller_c(const struct call *c)
{
    caller_a(c);
    __asm__ volatile(""); /* no tail call */
}

static void (*const callers[CALLERS])(const struct call *) = {caller_a, caller_b, caller_c};
static const char *const caller_names[CALLERS] = {"caller_a", "caller_b", "caller_a<caller_c"};

/* --------------------------------------------------------------------------------------------------- run -- */

/* Programs run at many places, because a tool may keep data about the first accesses to each place for ever. */
enum { PAGE = 4096, PLACES = 512, PROGRAMS_A_PLACE = 4 };

struct machine {
    uint64_t number; /* of the program */
    uint8_t *middle; /* of the arena, where a page ends */
    uint8_t *blocks[BLOCKS];
    long file, sink; /* what pread reads, what pwrite writes to */
};

static void fail(const char *what)
{
    fprintf(stderr, "machine: %s: %s\n", what, strerror(errno));
    exit(1);
}

static uint8_t *place_of(const struct machine *m, size_t at)
{
    if (at < ARENA_BYTES)
        return m->middle - ARENA_HALF + at;
    return m->blocks[(at - BLOCKS_AT) / BLOCK_BYTES] + (at - BLOCKS_AT) % BLOCK_BYTES;
}

/* Uses munmap(2) in every other program. */
static void map_page(const struct machine *m, uint8_t *page)
{
    if (m->number % 2 == 0)
        munmap(page, PAGE);
    if (mmap(page, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != page)
        fail("mmap");
}

static void allocate(struct machine *m, const struct program_step *step)
{
    m->blocks[step->site] = step->a != 0 ? calloc(1, step->count) : malloc(step->count);
    if (!m->blocks[step->site])
        fail("malloc");
}

__attribute__((noipa)) static void execute(const struct machine *m, const struct program_step *step)
{
    bool file_offset = step->operation == OP_SYSTEM_READ || step->operation == OP_SYSTEM_WRITE;
    struct call call = {.site = site_functions[step->site],
                        .place = place_of(m, step->at),
                        .count = step->count,
                        .a = step->a,
                        .b = step->b,
                        .file = step->operation == OP_SYSTEM_READ ? m->sink : m->file,
                        .vector = step->vector};
    call.from = file_offset ? (const void *)step->from : place_of(m, step->operation == OP_MOVE ? step->from : 0);
    callers[step->caller](&call);
    __asm__ volatile("");
}

static void run_step(void *user, const struct program_step *step)
{
    struct machine *m = user;
    switch (step->operation) {
    case OP_MAP:
        map_page(m, step->at == 0 ? m->middle - PAGE : m->middle);
        break;
    case OP_ALLOCATE:
        allocate(m, step);
        break;
    case OP_FREE:
        free(m->blocks[step->site]);
        m->blocks[step->site] = NULL;
        break;
    default:
        execute(m, step);
    }
}

/* PLACES places of two free pages. The middle of the first is a round address if possible, so that any part into which
 * a tool divides memory ends there, too. */
static uint8_t *find_middle(uint64_t wanted)
{
    void *hint = (void *)(wanted == 0 ? 0 : wanted - PAGE);
    int how = MAP_PRIVATE | MAP_ANONYMOUS | (wanted == 0 ? 0 : MAP_FIXED_NOREPLACE);
    uint8_t *pages = mmap(hint, (size_t)PLACES * 2 * PAGE, PROT_READ | PROT_WRITE, how, -1, 0);
    if (pages == MAP_FAILED || (wanted != 0 && pages != hint))
        return wanted == 0 ? NULL : find_middle(0);
    return pages + PAGE;
}

static long make_file(void)
{
    uint8_t bytes[FILE_BYTES];
    for (size_t i = 0; i < FILE_BYTES; i++)
        bytes[i] = program_file_byte(i);
    int file = memfd_create("machine", 0);
    if (file < 0 || write(file, bytes, sizeof bytes) != FILE_BYTES)
        fail("memfd_create");
    return file;
}

static void run_program(struct machine *m, uint64_t seed)
{
    static uint8_t memory[MODEL_BYTES];
    static bool known[MODEL_BYTES];
    map_page(m, m->middle - PAGE);
    map_page(m, m->middle);
    const struct program_watcher watcher = {.user = m, .step = run_step};
    program_run(seed, m->number, &watcher, memory, known);
    for (size_t at = 0; at < MODEL_BYTES; at++)
        if (known[at] && *place_of(m, at) != memory[at]) {
            fprintf(stderr, "machine: program %" PRIu64 " of seed %" PRIu64 " left %u at %zu, should be %u\n",
                    m->number, seed, *place_of(m, at), at, memory[at]);
            exit(1);
        }
    for (size_t i = 0; i < BLOCKS; i++) {
        free(m->blocks[i]);
        m->blocks[i] = NULL;
    }
}

static void run(uint64_t seed, uint64_t first, uint64_t count)
{
    static const uint64_t round_addresses[] = {0, UINT64_C(1) << 32, UINT64_C(1) << 34, UINT64_C(3) << 33,
                                               UINT64_C(1) << 40};
    enum { MIDDLES = sizeof round_addresses / sizeof round_addresses[0] };
    uint8_t *middles[MIDDLES];
    struct machine m = {.file = make_file(), .sink = open("/dev/null", O_WRONLY)};
    if (m.sink < 0)
        fail("/dev/null");
    for (size_t i = 0; i < MIDDLES; i++)
        if (!(middles[i] = find_middle(round_addresses[i])))
            fail("mmap");
    for (m.number = first; m.number < first + count; m.number++) {
        uint64_t place = m.number / MIDDLES / PROGRAMS_A_PLACE % PLACES;
        m.middle = middles[m.number % MIDDLES] + place * 2 * PAGE;
        run_program(&m, seed);
    }
}

/* ------------------------------------------------------------------------------------------------ expect -- */

static void expect_load(void *user, size_t at, size_t size, const uint8_t *value, unsigned context,
                        enum model_lanes lanes)
{
    model_load(user, at, size, value, context, lanes);
}

static void expect_store(void *user, size_t at, size_t size, const uint8_t *value, unsigned context,
                         enum model_lanes lanes)
{
    model_store(user, at, size, value, context, lanes);
}

static void expect_system_read(void *user, size_t at, size_t size)
{
    model_system_read(user, at, size);
}

static void expect_system_write(void *user, size_t at, size_t size, const uint8_t *value, unsigned context)
{
    model_system_write(user, at, size, value, context);
}

static void expect_forget(void *user, size_t at, size_t size)
{
    model_forget(user, at, size);
}

static void put_context(unsigned context)
{
    printf("site_%s<%s\t", program_sites[context / CALLERS].name, caller_names[context % CALLERS]);
}

static void put_pairs(const struct model *model, enum model_kind kind, bool approximate)
{
    static const char *const kinds[] = {"dead-store", "silent-store", "silent-load"};
    unsigned contexts = (unsigned)program_site_count * CALLERS;
    for (unsigned first = 0; first < contexts; first++)
        for (unsigned second = 0; second < contexts; second++) {
            struct model_counts pair = model_pair(model, kind, approximate, first, second);
            if (pair.bytes == 0)
                continue;
            printf("%s\t%s\t", kinds[kind], approximate ? "approximate" : "precise");
            put_context(first);
            put_context(second);
            printf("%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", pair.events, pair.wasted_events, pair.bytes,
                   pair.wasted_bytes);
        }
}

static void expect(uint64_t seed, uint64_t first, uint64_t count)
{
    static uint8_t memory[MODEL_BYTES];
    static bool known[MODEL_BYTES];
    struct model *model = model_create();
    if (!model)
        fail("model");
    const struct program_watcher watcher = {.user = model,
                                            .load = expect_load,
                                            .store = expect_store,
                                            .system_read = expect_system_read,
                                            .system_write = expect_system_write,
                                            .forget = expect_forget};
    for (uint64_t number = first; number < first + count; number++)
        program_run(seed, number, &watcher, memory, known);
    for (unsigned kind = 0; kind < MODEL_KINDS; kind++) {
        put_pairs(model, kind, false);
        put_pairs(model, kind, true);
    }
    model_free(model);
}

int main(int argc, char **argv)
{
    bool runs = argc > 1 && strcmp(argv[1], "run") == 0, expects = argc > 1 && strcmp(argv[1], "expect") == 0;
    if (argc < 4 || argc > 5 || (!runs && !expects)) {
        fprintf(stderr, "usage: machine run|expect SEED COUNT [FIRST]\n");
        return 2;
    }
    uint64_t seed = strtoull(argv[2], NULL, 10), count = strtoull(argv[3], NULL, 10);
    uint64_t first = argc > 4 ? strtoull(argv[4], NULL, 10) : 0;
    if (runs)
        run(seed, first, count);
    else
        expect(seed, first, count);
    return 0;
}
