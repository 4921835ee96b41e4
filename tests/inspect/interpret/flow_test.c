/*
 * Natural loops from bytecode. The code is written by hand, after The Java Virtual Machine Specification, §6.5; which
 * loops it has follows from their definition.
 */
#include "collect/inspect/interpret/bytecode.h"
#include "collect/inspect/interpret/flow.h"
#include "tests/tap.h"

/* Where the header of a loop is. */
static uint32_t header_at(const struct flow *flow, uint32_t loop)
{
    return flow->blocks[flow->loops[loop].header].begin;
}

/* findInMemory() of Figure 1 in Inagaki et al. (PLDI 2003), as javac 17 compiles it: a loop in a loop, which `continue`
 * leaves. */
static void test_figure1(void)
{
    static const uint8_t code[] = {
        0x03,             /*  0 iconst_0 */
        0x3e,             /*  1 istore_3 */
        0x1d,             /*  2 iload_3: the outer header */
        0x2b,             /*  3 aload_1 */
        0xb4, 0,    7,    /*  4 getfield ptr */
        0xa2, 0,    62,   /*  7 if_icmpge 69 */
        0x2b,             /* 10 aload_1 */
        0xb4, 0,    13,   /* 11 getfield v */
        0x1d,             /* 14 iload_3 */
        0x32,             /* 15 aaload */
        0x3a, 4,          /* 16 astore 4 */
        0x03,             /* 18 iconst_0 */
        0x36, 5,          /* 19 istore 5 */
        0x15, 5,          /* 21 iload 5: the inner header */
        0x2c,             /* 23 aload_2 */
        0xb4, 0,    17,   /* 24 getfield size */
        0xa2, 0,    33,   /* 27 if_icmpge 60 */
        0x2c,             /* 30 aload_2 */
        0xb4, 0,    22,   /* 31 getfield facts */
        0x15, 5,          /* 34 iload 5 */
        0x32,             /* 36 aaload */
        0x19, 4,          /* 37 aload 4 */
        0xb4, 0,    22,   /* 39 getfield facts */
        0x15, 5,          /* 42 iload 5 */
        0x32,             /* 44 aaload */
        0xb6, 0,    26,   /* 45 invokevirtual equals */
        0x9a, 0,    6,    /* 48 ifne 54 */
        0xa7, 0,    12,   /* 51 goto 63 */
        0x84, 5,    1,    /* 54 iinc 5 1 */
        0xa7, 0xff, 0xdc, /* 57 goto 21 */
        0x19, 4,          /* 60 aload 4 */
        0xb0,             /* 62 areturn */
        0x84, 3,    1,    /* 63 iinc 3 1 */
        0xa7, 0xff, 0xc0, /* 66 goto 2 */
        0x01,             /* 69 aconst_null */
        0xb0,             /* 70 areturn */
    };
    struct flow flow;
    if (!ok(flow_find(&flow, code, sizeof code) == FLOW_FOUND, "Figure 1: the code is followed"))
        return;
    is_u64(flow.loop_count, 2, "  it has two loops");
    is_u64(header_at(&flow, 0), 2, "  the outer one begins at 2");
    is_u64(header_at(&flow, 1), 21, "  the inner one at 21");
    ok(flow.loops[0].outer == FLOW_NONE && flow.loops[1].outer == 0, "  one is in the other");
    ok(flow.postorder[0] == 1 && flow.postorder[1] == 0, "  the inner one comes first");
    ok(!flow_is_in(&flow, 1, flow.block_at[51]) && flow_is_in(&flow, 0, flow.block_at[51]),
       "  `continue` is in the outer one only");
    ok(!flow_is_in(&flow, 0, flow.block_at[60]), "  `return` is in none");
    is_u64(flow.blocks[flow.loops[1].exit].begin, 60, "  the inner header leads out to 60");
    is_u64(flow_innermost(&flow, flow.block_at[54]), 1, "  the innermost loop of 54 is the inner one");
    uint64_t reaching[2] = {0};
    flow_reaching(&flow, flow.loops[1].header, reaching);
    ok(reaching[0] >> flow.block_at[63] & 1 && !(reaching[0] >> flow.block_at[60] & 1),
       "  the inner header is reached from 63, and not from 60");
    flow_free(&flow);
}

/* Two loops after each other, the second closed by a switch. */
static void test_switch(void)
{
    static const uint8_t code[] = {
        0x84, 0,    1,          /*  0 iinc 0 1: a block that jumps to itself */
        0x1a,                   /*  3 iload_0 */
        0x9b, 0xff, 0xfc,       /*  4 iflt 0 */
        0x84, 0,    2,          /*  7 iinc 0 2: the header of a loop that a switch closes */
        0x1a,                   /* 10 iload_0 */
        0xab,                   /* 11 lookupswitch */
        0,    0,    0,    17,   /* 12 default: 28 */
        0,    0,    0,    1,    /* 16 one pair */
        0,    0,    0,    5,    /* 20 5: */
        0xff, 0xff, 0xff, 0xfc, /* 24 7 */
        0xb1,                   /* 28 return */
    };
    struct flow flow;
    struct bytecode instruction;
    if (!ok(flow_find(&flow, code, sizeof code) == FLOW_FOUND, "a switch: the code is followed"))
        return;
    is_u64(flow.loop_count, 2, "  two loops after each other");
    ok(header_at(&flow, flow.postorder[0]) == 0 && header_at(&flow, flow.postorder[1]) == 7,
       "  in the order of the code");
    ok(bytecode_decode(code, sizeof code, 11, &instruction) && instruction.next == 28, "  the switch ends at 28");
    is_u64(bytecode_switch_target(code, &instruction, bytecode_switch_find(code, &instruction, 5)), 7,
           "  5 leads to 7");
    is_u64(bytecode_switch_target(code, &instruction, bytecode_switch_find(code, &instruction, 6)), 28,
           "  6 to the default");
    flow_free(&flow);
}

static enum flow_status status_of(const uint8_t *code, size_t bytes)
{
    struct flow flow;
    enum flow_status status = flow_find(&flow, code, bytes);
    flow_free(&flow);
    return status;
}

static void test_invalid(void)
{
    static const uint8_t cut[] = {0x1a, 0x9b, 0}, outside[] = {0xa7, 0, 100, 0xb1}, falls[] = {0x00},
                         subroutine[] = {0xa8, 0, 4, 0xb1, 0x4b, 0xa9, 0}, unknown[] = {0xca, 0xb1};
    ok(status_of(cut, sizeof cut) == FLOW_INVALID, "an instruction that is cut");
    ok(status_of(outside, sizeof outside) == FLOW_INVALID, "a jump out of the code");
    ok(status_of(falls, sizeof falls) == FLOW_INVALID, "code that is left at its end");
    ok(status_of(unknown, sizeof unknown) == FLOW_INVALID, "an instruction that does not exist");
    ok(status_of(subroutine, sizeof subroutine) == FLOW_SUBROUTINE, "a subroutine");
    ok(status_of(cut, 0) == FLOW_INVALID, "no code");
}

/* Every opcode, alone with enough zeros after it: none reads behind the code. */
static void test_decoding(void)
{
    unsigned valid = 0;
    for (unsigned op = 0; op <= 255; op++)
        for (size_t bytes = 1; bytes <= 20; bytes++) {
            uint8_t code[20] = {(uint8_t)op};
            struct bytecode instruction;
            if (bytecode_decode(code, bytes, 0, &instruction)) {
                valid++;
                if (instruction.next > bytes)
                    ok(false, "opcode %u ends behind its %zu bytes", op, bytes);
                break;
            }
        }
    is_u64(valid, 201, "201 opcodes can be decoded; `wide` only with one that it widens");
}

int main(void)
{
    test_figure1();
    test_switch();
    test_invalid();
    test_decoding();
    return done_testing();
}
