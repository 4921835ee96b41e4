/*
 * loops_test.c - functions in assembly whose loops a reader can see, and random flow graphs compared with the
 * definition of a natural loop, computed the slow way.
 */
#include "collect/x86/loops.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

/* ---------------------------------------------------------------------- known functions -- */

/* A FUNCTION's code is NAME_low … NAME_high; its labels are places to ask about. */
#define LABELS extern const uint8_t __attribute__((visibility("hidden")))
#define FUNCTION(name, text) __asm__(".text\n" #name "_low:\n" text #name "_high:\n")
#define LOOPS(name) loops_of(name##_low, name##_high, name##_low)

static _Alignas(8) uint8_t work[1 << 16];

static struct loops loops_of(const uint8_t *low, const uint8_t *high, const uint8_t *entry)
{
    struct loops loops = {0};
    struct loops_function function = {low, (uintptr_t)low, (uintptr_t)high, (uintptr_t)entry, NULL, NULL};
    enum loops_status status = loops_find(&function, work, sizeof work, &loops);
    if (status != LOOPS_FOUND)
        ok(false, "status %d", status);
    return loops;
}

/* The loops around `at` have these headers, outermost first, up to a NULL. */
static void is_in(const struct loops *loops, const uint8_t *at, const uint8_t *const *headers, const char *what)
{
    int32_t loop = loops_innermost(loops, (uintptr_t)at);
    size_t depth = 0;
    while (headers[depth])
        depth++;
    bool good = depth == (loop < 0 ? 0 : loops->loops[loop].depth);
    for (; good && loop >= 0; loop = loops->loops[loop].parent)
        good = loops->loops[loop].header == (uintptr_t)headers[--depth];
    ok(good, "%s", what);
}
#define IN(at, ...) is_in(&loops, at, (const uint8_t *[]){__VA_ARGS__ __VA_OPT__(, ) NULL}, "  " #at ": " #__VA_ARGS__)

LABELS nest_low[], nest_1[], nest_2[], nest_3[], nest_after[], nest_between[], nest_high[];
FUNCTION(nest, "xor %eax, %eax\n"
               "nest_1: xor %ecx, %ecx\n"
               "nest_2: xor %edx, %edx\n"
               "nest_3: add $1, %edx; cmp $9, %edx; jne nest_3\n"
               "nest_between: add $1, %ecx; cmp $9, %ecx; jne nest_2\n"
               "add $1, %eax; jne nest_1\n"
               "nest_after: ret\n");

static void test_nest(void)
{
    struct loops loops = LOOPS(nest);
    is_u64(loops.loop_count, 3, "there are three nested loops");
    IN(nest_low);
    IN(nest_1, nest_1);
    IN(nest_2, nest_1, nest_2);
    IN(nest_3, nest_1, nest_2, nest_3);
    IN(nest_3 + 3, nest_1, nest_2, nest_3);
    IN(nest_between, nest_1, nest_2);
    IN(nest_after);
    IN(nest_high);
    is_u64((uint64_t)loops_innermost(&loops, (uintptr_t)nest_low - 1), UINT64_MAX,
           "  there is no loop before the function");
    is_u64(loops.loops[0].header, (uintptr_t)nest_1, "  the outermost comes first");
    loops = loops_of(nest_low, nest_between, nest_low);
    is_u64(loops.loop_count, 1, "a function that is cut has the loops that are complete");
    IN(nest_3, nest_3);
    loops = loops_of(nest_low, nest_high, nest_2);
    IN(nest_3, nest_2, nest_3);
}

LABELS bottom_low[], bottom_body[], bottom_next[], bottom_test[], bottom_out[], bottom_high[];
FUNCTION(bottom, "jmp bottom_test\n"
                 "nopl 0(%rax,%rax,1)\n"
                 "bottom_body: call bottom_low; test %eax, %eax; je bottom_out\n"
                 "cmp $3, %eax; je bottom_test\n"
                 "bottom_next: cmp $4, %eax; jne bottom_body\n"
                 "call *%rax\n"
                 "bottom_test: cmp $9, %ebx; jne bottom_body\n"
                 "bottom_out: ret\n");

static void test_bottom(void)
{
    struct loops loops = LOOPS(bottom);
    is_u64(loops.loop_count, 2,
           "a while with its test at the bottom, break, continue, a repeat, and a call before the test");
    IN(bottom_low);
    IN(bottom_test, bottom_test);
    IN(bottom_body, bottom_test, bottom_body);
    IN(bottom_next, bottom_test, bottom_body);
    IN(bottom_out);
}

LABELS string_low[], string_self[], string_high[];
FUNCTION(string, "rep movsb; repne scasb; repe cmpsb\n"
                 "string_self: jmp string_self\n");

static void test_string(void)
{
    struct loops loops = LOOPS(string);
    is_u64(loops.loop_count, 1, "a rep instruction is not a loop, but a jump to itself is");
    IN(string_low);
    IN(string_self, string_self);
}

LABELS merged_low[], merged_1[], merged_a[], merged_b[], merged_2[], merged_high[];
FUNCTION(merged, "merged_1: test %eax, %eax; je merged_b\n"
                 "merged_a: dec %ecx; jne merged_1\n"
                 "jmp merged_2\n"
                 "merged_b: dec %edx; jne merged_1\n"
                 "merged_2: dec %esi; jne merged_2\n"
                 "ret\n");

static void test_merged(void)
{
    struct loops loops = LOOPS(merged);
    is_u64(loops.loop_count, 2, "two back edges to one header make one loop; another follows");
    IN(merged_low, merged_1);
    IN(merged_a, merged_1);
    IN(merged_b, merged_1);
    IN(merged_2, merged_2);
}

LABELS twoway_low[], twoway_a[], twoway_b[], twoway_outer[], twoway_high[];
FUNCTION(twoway, "twoway_outer: test %eax, %eax; je twoway_b\n"
                 "twoway_a: inc %ecx\n"
                 "twoway_b: dec %ecx; jne twoway_a\n"
                 "dec %edx; jne twoway_outer\n"
                 "ret\n");

static void test_irreducible(void)
{
    struct loops loops = LOOPS(twoway);
    is_u64(loops.loop_count, 1, "a cycle with two entries is not a natural loop; the one around it is");
    IN(twoway_a, twoway_outer);
    IN(twoway_b, twoway_outer);
}

LABELS cases_low[], cases_1[], cases_x[], cases_y[], cases_inner[], cases_out[], cases_high[];
FUNCTION(cases, "push %rbx\n"
                "cases_1: movzbl (%rdi), %eax; inc %rdi; cmp $5, %al; ja cases_out\n"
                "jmp *(%rsi,%rax,8)\n"
                "cases_x: inc %ebx; jmp cases_1\n"
                "nopw 0(%rax,%rax,1)\n"
                "cases_y: mov $9, %ecx\n"
                "cases_inner: dec %ecx; jne cases_inner\n"
                "jmp cases_1\n"
                "int3; int3\n"
                "cases_out: pop %rbx; ret\n");

static void test_cases(void)
{
    struct loops loops = LOOPS(cases);
    is_u64(loops.loop_count, 2, "the cases of an indirect jump inside a loop are in the loop");
    IN(cases_1, cases_1);
    IN(cases_x, cases_1);
    IN(cases_y, cases_1);
    IN(cases_inner, cases_1, cases_inner);
    IN(cases_out);
}

LABELS table_low[], table_1[], table_x[], table_y[], table_out[], table_high[];
FUNCTION(table, "table_1: movzbl (%rdi), %eax; inc %rdi; cmpb $2, 8(%rsi); ja table_out\n"
                "lea table_entries(%rip), %rbp; movslq 0(%rbp,%rax,4), %rax; add %rbp, %rax; notrack jmp *%rax\n"
                "table_x: inc %ebx; jmp table_1\n"
                "table_out: jmp *%rcx\n"
                "table_y: dec %ebx; jmp table_1\n"
                ".pushsection .rodata; .balign 4\n"
                "table_entries: .long table_y - table_entries, table_x - table_entries, table_y - table_entries\n"
                ".popsection\n");

static bool read_memory(void *context, uint64_t address, void *to, size_t bytes)
{
    (void)context;
    memcpy(to, (const void *)(uintptr_t)address, bytes);
    return true;
}

static bool read_nothing(void *context, uint64_t address, void *to, size_t bytes)
{
    (void)context, (void)address, (void)to, (void)bytes;
    return false;
}

static bool read_far(void *context, uint64_t address, void *to, size_t bytes)
{
    (void)context, (void)address;
    memset(to, 0x7f, bytes);
    return true;
}

/* Without the table, the case after the loop is taken for a target of the jump that leaves the loop. */
static void test_table(void)
{
    bool (*const readers[])(void *, uint64_t, void *, size_t) = {read_memory, read_nothing, read_far, NULL};
    uint64_t low = (uintptr_t)table_low, high = (uintptr_t)table_high;
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        struct loops_function function = {table_low, low, high, low, readers[i], NULL};
        struct loops loops = {0};
        ok(loops_find(&function, work, sizeof work, &loops) == LOOPS_FOUND,
           "the loop of a switch with a table is found, reader %zu", i);
        IN(table_1, table_1);
        IN(table_x, table_1);
        IN(table_y, table_1);
        bool within = loops_innermost(&loops, (uintptr_t)table_out) >= 0;
        ok(within == (i > 0), "  the way out is %s the loop", i > 0 ? "taken for a part of" : "not in");
    }
}

LABELS abort_low[], abort_1[], abort_middle[], abort_call[], abort_cold[], abort_high[];
FUNCTION(abort, "test %edi, %edi; je abort_call\n"
                "abort_1: inc %eax; test %eax, %eax; js abort_cold\n"
                "abort_middle: dec %ecx; jne abort_1\n"
                "ret\n"
                "abort_call: call abort_low\n"
                "abort_cold: xor %eax, %eax; jmp abort_middle\n");

/* If the call returned, the loop would have two entries. */
static void test_no_return(void)
{
    struct loops loops = LOOPS(abort);
    is_u64(loops.loop_count, 1, "a call that can't return, before a cold part of a loop, does not hide the loop");
    IN(abort_middle, abort_1);
    IN(abort_cold, abort_1);
    IN(abort_call);
}

LABELS handler_low[], handler_1[], handler_middle[], handler_catch[], handler_high[];
FUNCTION(handler, "xor %eax, %eax\n"
                  "handler_1: call handler_low\n"
                  "handler_middle: dec %ecx; jne handler_1\n"
                  "ret\n"
                  "handler_catch: call handler_low; jmp handler_middle\n");

static void test_handler(void)
{
    struct loops loops = LOOPS(handler);
    is_u64(loops.loop_count, 1, "a handler that jumps into a loop, and to which nothing jumps, does not hide the loop");
    IN(handler_1, handler_1);
    IN(handler_catch);
}

LABELS locked_low[], locked_1[], locked_prefix[], locked_junk[], locked_skip[], locked_after[], locked_high[];
FUNCTION(locked, "xor %eax, %eax\n"
                 "locked_1: cmpl $0, %fs:24; je locked_skip\n"
                 "locked_prefix: .byte 0xf0\n"
                 "locked_skip: incl (%rdi)\n"
                 "locked_after: dec %ecx; jne locked_1\n"
                 "jmp locked_high + 100\n"
                 "locked_junk: .byte 0x06, 0x06, 0x0f, 0x0a\n");

static void test_locked(void)
{
    struct loops loops = LOOPS(locked);
    is_u64(loops.loop_count, 1,
           "a jump over a prefix, one out of the function, and bytes that are not code do not hide a loop");
    IN(locked_1, locked_1);
    IN(locked_prefix, locked_1);
    IN(locked_skip, locked_1);
    IN(locked_after, locked_1);
    IN(locked_junk);
}

/* ----------------------------------------------------------------------- random graphs -- */

enum { BLOCKS_MAX = 12, BLOCK_BYTES = 16, ROUNDS = 20000, BASE = 0x1000 };

/* Successors of blocks; −1 means none. */
struct flow {
    int count, to[BLOCKS_MAX][2];
};

static uint64_t state = 7;

static unsigned draw(unsigned below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((state >> 33) % below);
}

static void put_jump(uint8_t *code, int from, unsigned at, int to)
{
    int displacement = (to - from) * BLOCK_BYTES - (int)at - 4;
    memcpy(code + from * BLOCK_BYTES + at, &displacement, 4);
}

/* Every block has 16 bytes: nops, then jcc, jmp, ret, or none of these, but perhaps a call. */
static struct flow draw_flow(uint8_t *code, bool calls)
{
    struct flow flow = {.count = 2 + (int)draw(BLOCKS_MAX - 1)};
    memset(code, 0x90, BLOCKS_MAX * BLOCK_BYTES);
    for (int i = 0; i < flow.count; i++) {
        uint8_t *block = code + i * BLOCK_BYTES;
        unsigned kind = i == flow.count - 1 ? 5 + draw(2) : draw(7);
        int to = (int)draw((unsigned)flow.count);
        flow.to[i][0] = kind == 4 || kind == 6 ? -1 : to;
        flow.to[i][1] = kind < 5 ? i + 1 : -1;
        block[0] = 0x50; /* no padding */
        if (kind < 4) {
            block[10] = 0x0f;
            block[11] = 0x84;
            put_jump(code, i, 12, to);
        } else if (kind == 5) {
            block[11] = 0xe9;
            put_jump(code, i, 12, to);
        } else if (kind == 6) {
            block[15] = 0xc3;
        } else if (calls && draw(2)) {
            block[11] = 0xe8;
            put_jump(code, i, 12, 0);
        }
    }
    return flow;
}

/* The blocks that are reached from `from` without entering `without`. */
static unsigned reached(const struct flow *flow, int from, int without)
{
    unsigned set = from == without ? 0 : 1u << from, before = 0;
    while (set != before) {
        before = set;
        for (int i = 0; i < flow->count; i++)
            for (int edge = 0; edge < 2; edge++) {
                int to = flow->to[i][edge];
                if ((set >> i & 1) && to >= 0 && to != without)
                    set |= 1u << to;
            }
    }
    return set;
}

static bool dominates(const struct flow *flow, int header, int block)
{
    return !(reached(flow, 0, header) >> block & 1);
}

/* By definition: the header, and the blocks that reach one of its back edges without passing it; 0 if it heads no loop.
 */
static unsigned natural_loop(const struct flow *flow, int header, unsigned live)
{
    unsigned body = 0;
    for (int i = 0; i < flow->count; i++) {
        bool back = flow->to[i][0] == header || flow->to[i][1] == header;
        if (!(live >> i & 1) || !back || !dominates(flow, header, i))
            continue;
        body |= 1u << header;
        for (int from = 0; from < flow->count; from++)
            if ((live >> from & 1) && (reached(flow, from, header) >> i & 1))
                body |= 1u << from;
    }
    return body;
}

/* Without its back edges, a reducible graph has no cycle. */
static bool is_reducible(const struct flow *flow, unsigned live)
{
    struct flow rest = *flow;
    for (int i = 0; i < rest.count; i++)
        for (int edge = 0; edge < 2; edge++)
            if (rest.to[i][edge] >= 0 && (live >> i & 1) && dominates(flow, rest.to[i][edge], i))
                rest.to[i][edge] = -1;
    for (int i = 0; i < rest.count; i++)
        for (int edge = 0; edge < 2; edge++)
            if ((live >> i & 1) && rest.to[i][edge] >= 0 && (reached(&rest, rest.to[i][edge], -1) >> i & 1))
                return false;
    return true;
}

/* The headers around a block, as a set, according to the code under test. */
static unsigned headers_around(const struct loops *loops, int block, uint64_t offset)
{
    unsigned set = 0;
    int32_t loop = loops_innermost(loops, BASE + (uint64_t)block * BLOCK_BYTES + offset);
    for (; loop >= 0; loop = loops->loops[loop].parent)
        set |= 1u << (loops->loops[loop].header - BASE) / BLOCK_BYTES;
    return set;
}

static bool agrees(const struct flow *flow, const struct loops *loops, unsigned *found)
{
    unsigned live = reached(flow, 0, -1), around[BLOCKS_MAX] = {0};
    for (int header = 0; header < flow->count; header++) {
        unsigned body = live >> header & 1 ? natural_loop(flow, header, live) : 0;
        *found += body != 0;
        for (int i = 0; i < flow->count; i++)
            around[i] |= (body >> i & 1) << header;
    }
    for (int i = 0; i < flow->count; i++)
        if ((live >> i & 1) &&
            (headers_around(loops, i, 0) != around[i] || headers_around(loops, i, BLOCK_BYTES - 1) != around[i]))
            return false;
    return true;
}

static void test_definition(bool calls)
{
    unsigned compared = 0, wrong = 0, found = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint8_t code[BLOCKS_MAX * BLOCK_BYTES];
        struct flow flow = draw_flow(code, calls);
        struct loops loops;
        struct loops_function function = {code, BASE, BASE + (uint64_t)flow.count * BLOCK_BYTES, BASE, NULL, NULL};
        if (calls && !is_reducible(&flow, reached(&flow, 0, -1)))
            continue;
        compared++;
        wrong += loops_find(&function, work, sizeof work, &loops) != LOOPS_FOUND || !agrees(&flow, &loops, &found);
    }
    ok(compared > ROUNDS / 2 && found > ROUNDS / 3, "%u random flow graphs have natural loops: %u%s", compared, found,
       calls ? " (reducible graphs with calls)" : "");
    is_u64(wrong, 0, "  every block is in exactly the loops of the definition");
}

/* ------------------------------------------------------------------------- limits -- */

static bool is_sane(const struct loops *loops)
{
    for (uint32_t i = 0; i < loops->loop_count; i++) {
        const struct loops_loop *loop = &loops->loops[i];
        if (loop->parent >= (int32_t)i || loop->parent < -1)
            return false;
        if (loop->depth != (loop->parent < 0 ? 1 : loops->loops[loop->parent].depth + 1))
            return false;
    }
    for (uint32_t i = 0; i < loops->range_count; i++)
        if (loops->ranges[i].loop >= loops->loop_count ||
            (i > 0 && loops->ranges[i].begin <= loops->ranges[i - 1].begin))
            return false;
    return true;
}

/* Random bytes, a quarter of them short jumps: nothing to compare with, but the search must end with a consistent
 * result. */
static void test_random_bytes(void)
{
    unsigned insane = 0, found = 0;
    for (unsigned round = 0; round < 2000; round++) {
        uint8_t code[400];
        struct loops loops;
        for (size_t i = 0; i < sizeof code; i++)
            code[i] = (uint8_t)(draw(4) ? draw(256) : 0x70 + draw(16));
        struct loops_function function = {code, BASE, BASE + sizeof code, BASE + draw(sizeof code), NULL, NULL};
        insane += loops_find(&function, work, sizeof work, &loops) != LOOPS_FOUND || !is_sane(&loops);
        found += loops.loop_count;
    }
    ok(insane == 0 && found > 2000, "random bytes give consistent loops: %u loops, %u inconsistent results", found,
       insane);
}

static void test_limits(void)
{
    struct loops out = {1, 2, NULL, NULL}, before = out;
    struct loops_function function = {nest_low, (uintptr_t)nest_low, (uintptr_t)nest_high, (uintptr_t)nest_low, NULL,
                                      NULL};
    size_t size = (size_t)(nest_high - nest_low);
    ok(loops_find(&function, work, loops_work_bytes(size, 7), &out) == LOOPS_FOUND,
       "a function of 7 blocks needs room for 7");
    out = before;
    ok(loops_find(&function, work, loops_work_bytes(size, 6), &out) == LOOPS_TOO_BIG, "  room for 6 is too little");
    ok(loops_find(&function, work, size - 1, &out) == LOOPS_TOO_BIG, "less memory than code is too little");
    ok(loops_find(&function, work, 0, &out) == LOOPS_TOO_BIG, "no memory is too little");
    ok(loops_find(&function, work + 4, sizeof work - 4, &out) == LOOPS_INVALID, "misaligned memory is refused");
    function.entry = function.high;
    ok(loops_find(&function, work, sizeof work, &out) == LOOPS_INVALID, "an entry after the function is refused");
    function.entry = function.low - 1;
    ok(loops_find(&function, work, sizeof work, &out) == LOOPS_INVALID, "  and one before it");
    function = (struct loops_function){nest_low, 16, 16, 16, NULL, NULL};
    ok(loops_find(&function, work, sizeof work, &out) == LOOPS_INVALID, "an empty function is refused");
    function = (struct loops_function){nest_low, 0, UINT64_C(1) << 31, 0, NULL, NULL};
    ok(loops_find(&function, work, sizeof work, &out) == LOOPS_INVALID, "a function of 2 GB is refused");
    ok(memcmp(&out, &before, sizeof out) == 0, "  and no refusal writes a result");
    ok(loops_innermost(&(struct loops){0}, 16) == -1, "without loops no address is in one");
}

int main(void)
{
    test_limits();
    test_nest();
    test_bottom();
    test_string();
    test_merged();
    test_irreducible();
    test_cases();
    test_table();
    test_no_return();
    test_handler();
    test_locked();
    test_definition(false);
    test_definition(true);
    test_random_bytes();
    return done_testing();
}
