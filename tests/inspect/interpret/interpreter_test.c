/*
 * Partial interpretation of bytecode on a heap of one array, int[], at address 1000, whose element i is i. What is
 * recorded follows from the rules in interpreter.h and docs/inspect.md.
 */
#include "collect/inspect/interpret/interpreter.h"

#include <stdlib.h>

#include "tests/tap.h"

/* ------------------------------------------------------------------------------------------ a heap -- */

enum { ARRAY = 1, ADDRESS = 1000, LENGTH_AT = 12, ELEMENTS_AT = 16 };

static uint32_t array_length = 1000;

static bool find_field(void *user, uint32_t constant, bool is_static, struct heap_field *field)
{
    (void)user, (void)constant, (void)is_static, (void)field;
    return false;
}

static bool load_field(void *user, uint32_t object, const struct heap_field *field, char type, uint64_t *bits)
{
    (void)user, (void)object, (void)field, (void)type, (void)bits;
    return false;
}

static bool length_of(void *user, uint32_t array, char type, uint32_t *length)
{
    (void)user;
    *length = array_length;
    return array == ARRAY && type == 'I';
}

static bool any_length(void *user, uint32_t array, uint32_t *length)
{
    return length_of(user, array, 'I', length);
}

static bool load_element(void *user, uint32_t array, char type, uint32_t index, uint64_t *bits)
{
    (void)user, (void)array, (void)type;
    *bits = index;
    return true;
}

static enum heap_truth is_instance(void *user, uint32_t object, uint32_t constant)
{
    (void)user, (void)object, (void)constant;
    return HEAP_UNKNOWN;
}

static uint64_t address_of(void *user, uint32_t object)
{
    (void)user;
    return object == ARRAY ? ADDRESS : 0;
}

static const struct heap_layout layout = {.length = LENGTH_AT, .elements = {['I'] = ELEMENTS_AT}, .reference_bytes = 4};
static const struct heap heap = {NULL,       &layout,      find_field,  load_field, length_of,
                                 any_length, load_element, is_instance, address_of};

/* ------------------------------------------------------------------------------------------ a method -- */

/* Constant 6 is the method C.f()Z. */
static const uint8_t POOL[] = {1, 0, 1, 'f', 1,   0, 3, '(', ')', 'Z', 12, 0, 1, 0,
                               2, 1, 0, 1,   'C', 7, 0, 4,   10,  0,   5,  0, 3};
enum { POOL_COUNT = 7, LOCALS = 4 };

/* Interpretes a method whose variable 0 is the array, or null, and counts. */
struct outcome {
    struct interpreter_record record;
    size_t loads;         /* accesses to the array */
    size_t gaps;          /* between entries of the target loop */
    size_t passes[4];     /* of each loop's header */
    uint64_t last, value; /* address and value of the last load */
};

static void run(const uint8_t *code, size_t bytes, uint32_t array, uint32_t target, struct outcome *outcome)
{
    struct flow flow;
    struct constants constants;
    struct value locals[LOCALS] = {value_of(VALUE_REFERENCE, array), value_unknown(VALUE_NONE),
                                   value_unknown(VALUE_NONE), value_unknown(VALUE_NONE)};
    *outcome = (struct outcome){0};
    if (flow_find(&flow, code, bytes) != FLOW_FOUND || !constants_parse(&constants, POOL_COUNT, POOL, sizeof POOL)) {
        ok(false, "the test's code is valid");
        exit(done_testing());
    }
    const struct interpreter_method method = {code, (uint32_t)bytes, LOCALS, &flow, &constants};
    interpreter_run(&method, &heap, locals, target, 20, &outcome->record);
    for (size_t i = 0; i < outcome->record.event_count; i++) {
        const struct interpreter_event *event = &outcome->record.events[i];
        if (event->loop == INTERPRETER_GAP) {
            outcome->gaps++;
            continue;
        }
        if (event->loop) {
            outcome->passes[event->loop - 1]++;
            continue;
        }
        outcome->loads++;
        outcome->last = event->address;
        outcome->value = event->value;
    }
    flow_free(&flow);
    constants_free(&constants);
}

static void free_outcome(struct outcome *outcome)
{
    interpreter_record_free(&outcome->record);
}

static void ends(const struct outcome *outcome, enum interpreter_end end, const char *what)
{
    is_text(interpreter_end_name(outcome->record.end), interpreter_end_name(end), what);
}

/* ------------------------------------------------------------------------------------------ one loop -- */

/* for (i = 0; i < a.length; i++) s += a[i]; */
static const uint8_t SUM[] = {
    0x03, 0x3c,       /*  0 i = 0 */
    0x03, 0x3d,       /*  2 s = 0 */
    0x1b, 0x2a, 0xbe, /*  4 iload_1, aload_0, arraylength */
    0xa2, 0,    15,   /*  7 if_icmpge 22 */
    0x1c, 0x2a, 0x1b, /* 10 iload_2, aload_0, iload_1 */
    0x2e, 0x60, 0x3d, /* 13 iaload, iadd, istore_2 */
    0x84, 1,    1,    /* 16 iinc 1 1 */
    0xa7, 0xff, 0xf1, /* 19 goto 4 */
    0xb1,             /* 22 return */
};

static void test_sum(void)
{
    struct outcome outcome;
    run(SUM, sizeof SUM, ARRAY, 0, &outcome);
    ends(&outcome, INTERPRETER_COMPLETE, "a sum: 20 iterations");
    is_u64(outcome.passes[0], 20, "  20 passes of the header");
    is_u64(outcome.loads, 60, "  each loads the length twice, and an element");
    is_u64(outcome.last, ADDRESS + ELEMENTS_AT + 19 * 4, "  the last one is a[19]");
    is_u64(outcome.value, 19, "  with its value");
    is_u64(outcome.record.dependences.count, 0, "  the array was not loaded");
    free_outcome(&outcome);
    array_length = 5;
    run(SUM, sizeof SUM, ARRAY, 0, &outcome);
    ends(&outcome, INTERPRETER_LEFT, "an array of 5: the loop is left");
    is_u64(outcome.passes[0], 6, "  in the 6th pass of its header");
    free_outcome(&outcome);
    array_length = 1000;
    run(SUM, sizeof SUM, 0, 0, &outcome);
    ends(&outcome, INTERPRETER_NULL, "null: an exception");
    is_u64(outcome.loads, 0, "  nothing was loaded");
    free_outcome(&outcome);
}

/* a[3] = 77; while (f()) a[3]: an unknown condition, and a value that only the interpretation has stored. */
static void test_unknown(void)
{
    static const uint8_t code[] = {
        0x2a, 0x06, 0x10, 77,   0x4f, /*  0 aload_0, iconst_3, bipush 77, iastore */
        0xb8, 0,    6,                /*  5 invokestatic f */
        0x99, 0,    10,               /*  8 ifeq 18 */
        0x2a, 0x06, 0x2e, 0x57,       /* 11 aload_0, iconst_3, iaload, pop */
        0xa7, 0xff, 0xf6,             /* 15 goto 5 */
        0xb1,                         /* 18 return */
    };
    struct outcome outcome;
    run(code, sizeof code, ARRAY, 0, &outcome);
    ends(&outcome, INTERPRETER_COMPLETE, "an unknown condition: the loop goes on");
    is_u64(outcome.loads, 40, "  with loads of the length and the element");
    is_u64(outcome.value, 77, "  which has the value that was stored");
    free_outcome(&outcome);
}

/* for (i = 0;; i++) a[a[i] + 1]: the index depends on a load; the bounds end it. */
static void test_dependence(void)
{
    static const uint8_t code[] = {
        0x03, 0x3c,             /*  0 i = 0 */
        0x2a, 0x2a, 0x1b, 0x2e, /*  2 aload_0, aload_0, iload_1, iaload */
        0x04, 0x60, 0x2e, 0x57, /*  6 iconst_1, iadd, iaload, pop */
        0x84, 1,    1,          /* 10 iinc 1 1 */
        0xa7, 0xff, 0xf5,       /* 13 goto 2 */
    };
    struct outcome outcome;
    array_length = 10;
    run(code, sizeof code, ARRAY, 0, &outcome);
    ends(&outcome, INTERPRETER_BOUNDS, "an index out of bounds: an exception");
    is_u64(outcome.passes[0], 10, "  in the tenth iteration");
    is_u64(outcome.record.dependences.count, 1, "  one load depends on another");
    const struct interpreter_dependence *dependence = keyed_at(&outcome.record.dependences, 0);
    ok(interpreter_load_index(dependence->from) == 5 && interpreter_load_index(dependence->to) == 8 &&
           dependence->how == INTERPRETER_INDEX,
       "  by its index");
    free_outcome(&outcome);
    array_length = 1000;
}

/* ------------------------------------------------------------------------------------------ several loops -- */

/* for (i = 0; i < 50; i++) for (j = 0; j < N; j++) a[j]; */
static void test_nest(uint8_t trips, size_t inner_passes, size_t gaps, const char *what)
{
    uint8_t code[] = {
        0x03, 0x3c,              /*  0 i = 0 */
        0x1b, 0x10, 50,          /*  2 iload_1, bipush 50 */
        0xa2, 0,    28,          /*  5 if_icmpge 33 */
        0x03, 0x3d,              /*  8 j = 0 */
        0x1c, 0x10, trips,       /* 10 iload_2, bipush N */
        0xa2, 0,    14,          /* 13 if_icmpge 27 */
        0x2a, 0x1c, 0x2e,  0x57, /* 16 aload_0, iload_2, iaload, pop */
        0x84, 2,    1,           /* 20 iinc 2 1 */
        0xa7, 0xff, 0xf3,        /* 23 goto 10 */
        0,                       /* 26 nop, never reached */
        0x84, 1,    1,           /* 27 iinc 1 1 */
        0xa7, 0xff, 0xe4,        /* 30 goto 2 */
        0xb1,                    /* 33 return */
    };
    struct outcome outcome;
    run(code, sizeof code, ARRAY, 0, &outcome);
    ends(&outcome, INTERPRETER_COMPLETE, what);
    is_u64(outcome.passes[0], 20, "  20 passes of the outer header");
    is_u64(outcome.passes[1], inner_passes, "  and of the inner one as many as belong to the record");
    free_outcome(&outcome);
    run(code, sizeof code, ARRAY, 1, &outcome);
    is_u64(outcome.passes[0], 0, "  with the inner loop as the target the outer one is not recorded");
    is_u64(outcome.record.iterations, 20, "  but 20 iterations of the inner one");
    is_u64(outcome.gaps, gaps, "  in as many entries as that takes");
    ends(&outcome, INTERPRETER_COMPLETE, "  and no more");
    free_outcome(&outcome);
}

/* for (i = 0; i < 9; i++) ; for (; i < 9; i++) a[i]: the first loop is executed once. */
static void test_before(void)
{
    static const uint8_t code[] = {
        0x03, 0x3c,             /*  0 i = 0 */
        0x1b, 0x10, 9,          /*  2 iload_1, bipush 9 */
        0xa2, 0,    9,          /*  5 if_icmpge 14 */
        0x84, 1,    1,          /*  8 iinc 1 1 */
        0xa7, 0xff, 0xf7,       /* 11 goto 2 */
        0x1b, 0x10, 9,          /* 14 iload_1, bipush 9 */
        0xa2, 0,    13,         /* 17 if_icmpge 30 */
        0x2a, 0x1b, 0x2e, 0x57, /* 20 aload_0, iload_1, iaload, pop */
        0x84, 1,    1,          /* 24 iinc 1 1 */
        0xa7, 0xff, 0xf3,       /* 27 goto 14 */
        0xb1,                   /* 30 return */
    };
    struct outcome outcome;
    run(code, sizeof code, ARRAY, 1, &outcome);
    ends(&outcome, INTERPRETER_LEFT, "a loop before the target");
    is_u64(outcome.loads, 16, "  is executed once: i begins with 1");
    free_outcome(&outcome);
}

/* A loop that the first condition leads past. */
static void test_not_reached(void)
{
    static const uint8_t code[] = {
        0x03, 0x99, 0,    9, /* 0 iconst_0, ifeq 10 */
        0x84, 1,    1,       /* 4 iinc 1 1 */
        0xa7, 0xff, 0xfd,    /* 7 goto 4 */
        0xb1,                /* 10 return */
    };
    struct outcome outcome;
    run(code, sizeof code, ARRAY, 0, &outcome);
    ends(&outcome, INTERPRETER_NOT_REACHED, "a loop that is not reached");
    free_outcome(&outcome);
}

/* Code that a verifier would refuse, and a loop with unending work: no end is missed. */
static void test_faults(void)
{
    static const uint8_t underflow[] = {0x57, 0xa7, 0xff, 0xff},
                         division[] = {0x04, 0x03, 0x6c, 0x57, 0xa7, 0xff, 0xfc},
                         mismatch[] = {0x09, 0x3c, 0xa7, 0xff, 0xfe}, pushes[] = {0x03, 0xa7, 0xff, 0xff};
    struct outcome outcome;
    run(underflow, sizeof underflow, 0, 0, &outcome);
    ends(&outcome, INTERPRETER_INVALID, "a pop of an empty stack");
    free_outcome(&outcome);
    run(division, sizeof division, 0, 0, &outcome);
    ends(&outcome, INTERPRETER_DIVISION, "a division by zero");
    free_outcome(&outcome);
    run(mismatch, sizeof mismatch, 0, 0, &outcome);
    ends(&outcome, INTERPRETER_INVALID, "a long where an int should be");
    free_outcome(&outcome);
    run(pushes, sizeof pushes, 0, 0, &outcome);
    ends(&outcome, INTERPRETER_COMPLETE, "a stack that grows with each iteration");
    free_outcome(&outcome);
}

int main(void)
{
    test_sum();
    test_unknown();
    test_dependence();
    test_nest(3, 80, 4, "an inner loop of 3 iterations: really executed");
    test_nest(100, 20, 0, "an inner loop of 100: its first 20, then it is large");
    test_before();
    test_not_reached();
    test_faults();
    return done_testing();
}
