#include "collect/exact/tool/memory/memory.h"

#include <valgrind/pub_tool_libcassert.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_machine.h>

#include "collect/exact/tool/code/accesses.h"
#include "collect/exact/tool/code/ir.h"
#include "collect/exact/tool/simulate/instructions.h"
#include "collect/exact/tool/state/config.h"
#include "collect/exact/tool/state/context.h"
#include "collect/exact/tool/state/frames.h"
#include "collect/exact/tool/state/scope.h"

/* The block under construction. */
struct builder {
    IRSB *out;
    const IRSB *in;
    struct accesses accesses;
    struct raw_slot slots[ACCESSES_MAX];
    UInt count;            /* of slots */
    UInt next;             /* the first one not yet in `out` */
    UInt words;            /* written so far */
    IRExpr *at;            /* the position of its first word */
    UInt all_instructions; /* executed if the block ends at its end */
    UInt address_count;
    Addr addresses[MEMORY_BLOCK_WORDS]; /* of the instructions */
    UInt fetched_count;                 /* those that are fetched, with fetches; else 0 */
    struct raw_instruction fetched[MEMORY_BLOCK_WORDS];
    Int stored; /* memory_next was set to this many words after `at`; -1: not yet */
};

static struct builder builder; /* one at a time */

/* The address of word number `words` of the block. */
static IRExpr *memory_block_word_address(UInt words)
{
    return words ? ir_binary(Ity_I64, Iop_Add64, builder.at, ir_word(words * sizeof(ULong))) : builder.at;
}

/* ---------------------------------------------------------------------------- values -- */

/* The value, or the two halves of it, as words. */
static void memory_block_split_value(IRExpr *low, IRExpr *high, UInt bytes, IRExpr *words[RAW_VALUE_WORDS])
{
    static const IROp LANES[] = {Iop_V256to64_0, Iop_V256to64_1, Iop_V256to64_2, Iop_V256to64_3};
    IRType type = typeOfIRExpr(builder.out->tyenv, low);
    if (type == Ity_V256) {
        for (UInt i = 0; i < RAW_VALUE_WORDS; i++)
            words[i] = ir_unary(Ity_I64, LANES[i], low);
    } else if (type == Ity_V128) {
        words[0] = ir_unary(Ity_I64, Iop_V128to64, low);
        words[1] = ir_unary(Ity_I64, Iop_V128HIto64, low);
    } else if (bytes <= 8) {
        words[0] = ir_joined(low, high, bytes);
    } else if (high) {
        words[0] = low;
        words[1] = high;
    }
}

static IRExpr *memory_block_load_if(IRExpr *address, IRExpr *guard, UInt bytes)
{
    IRType type = bytes == 8 ? Ity_I64 : Ity_I32;
    IRTemp temp = newIRTemp(builder.out->tyenv, type);
    IRLoadGOp op = bytes == 8 ? ILGop_Ident64 : bytes == 4 ? ILGop_Ident32 : bytes == 2 ? ILGop_16Uto32 : ILGop_8Uto32;
    IRExpr *none = bytes == 8 ? ir_word(0) : IRExpr_Const(IRConst_U32(0));
    IRExpr *always = IRExpr_Const(IRConst_U1(True));
    addStmtToIRSB(builder.out, IRStmt_LoadG(Iend_LE, op, temp, address, none, guard ? guard : always));
    return ir_widened(IRExpr_RdTmp(temp), bytes);
}

/* The contents of memory, for an access whose value is not in a temporary. */
static void memory_block_split_memory(const struct accesses_one *one, UInt bytes, IRExpr *words[RAW_VALUE_WORDS])
{
    for (UInt i = 0; i < RAW_VALUE_WORDS && i * 8 < bytes; i++) {
        UInt left = bytes - i * 8, part = left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
        IRExpr *address = i ? ir_binary(Ity_I64, Iop_Add64, one->address, ir_word(i * 8)) : one->address;
        words[i] = memory_block_load_if(address, one->guard, part);
    }
}

/* ---------------------------------------------------------------------------- accesses -- */

static IRExpr *memory_block_equal(IRExpr *a, IRExpr *b)
{
    return ir_binary(Ity_I1, Iop_CmpEQ64, ir_widened(a, 8), ir_widened(b, 8));
}

/* The condition of the access; NULL: always. */
static IRExpr *memory_block_condition(const struct accesses_one *one)
{
    if (one->kind != ACCESS_SWAP)
        return one->guard;
    IRExpr *low = memory_block_equal(one->old, one->expected);
    return one->old_high ? ir_binary(Ity_I1, Iop_And1, low, memory_block_equal(one->old_high, one->expected_high))
                         : low;
}

static void memory_block_record(UInt i, IRExpr *words[RAW_VALUE_WORDS])
{
    const struct accesses_one *one = &builder.accesses.ones[i];
    IRExpr *guard = memory_block_condition(one), *address = one->address;
    if (guard)
        address = ir_keep(Ity_I64, IRExpr_ITE(guard, address, ir_word((ULong)RAW_MARK_ABSENT << RAW_MARK_SHIFT)));
    UInt first = builder.words++;
    for (UInt part = 0; part < builder.slots[i].words; part++)
        ir_store(memory_block_word_address(builder.words++), words[part] ? words[part] : ir_word(0));
    ir_store(memory_block_word_address(first), address); /* last: it says that all of it is present */
}

static void memory_block_split_access(UInt i, IRExpr *words[RAW_VALUE_WORDS])
{
    const struct accesses_one *one = &builder.accesses.ones[i];
    UInt bytes = builder.slots[i].bytes;
    if (!one->value && !one->old)
        memory_block_split_memory(one, bytes, words);
    else if (one->kind == ACCESS_LOAD && one->old)
        memory_block_split_value(one->old, one->old_high, bytes, words);
    else
        memory_block_split_value(one->value, one->value_high, bytes, words);
}

/* Emits the statement, and after it the code that records its accesses: if it faults, there are none. */
static void memory_block_emit_statement(IRStmt *statement, Int number)
{
    IRExpr *words[2][RAW_VALUE_WORDS] = {0};
    UInt first = builder.next, last = first;
    Bool values = config_get()->values;
    while (last < builder.count && builder.accesses.ones[last].statement == number)
        last++;
    for (UInt i = first; i < last && values; i++)
        if (builder.accesses.ones[i].kind == ACCESS_READ)
            memory_block_split_access(i, words[i - first]);
    addStmtToIRSB(builder.out, statement);
    for (UInt i = first; i < last; i++) {
        if (builder.accesses.ones[i].kind == ACCESS_LOOP)
            continue;
        if (values && builder.accesses.ones[i].kind != ACCESS_READ)
            memory_block_split_access(i, words[i - first]);
        memory_block_record(i, words[i - first]);
    }
    builder.next = last;
}

/* ---------------------------------------------------------------------------- instructions -- */

/* Cachegrind, too, takes an instruction that could not be decoded for one byte. */
static void memory_block_add_fetched(const IRStmt *mark, UInt instructions)
{
    if (!config_get()->fetches)
        return;
    tl_assert(builder.fetched_count < MEMORY_BLOCK_WORDS);
    builder.fetched[builder.fetched_count++] =
        (struct raw_instruction){.address = mark->Ist.IMark.addr,
                                 .bytes = mark->Ist.IMark.len ? mark->Ist.IMark.len : 1,
                                 .instructions = instructions};
}

/* The slots, of accesses and of headers of loops, each with the number of instructions before it. */
static void memory_block_make_slots(void)
{
    struct instructions counter = {0};
    Bool values = config_get()->values;
    UInt i = 0;
    const struct accesses *accesses = &builder.accesses;
    builder.count = accesses->count - (builder.in->jumpkind == Ijk_Sys_syscall);
    builder.fetched_count = 0;
    for (Int number = 0; number < builder.in->stmts_used; number++) {
        if (builder.in->stmts[number]->tag == Ist_IMark) {
            instructions_mark(&counter, builder.in->stmts[number]);
            tl_assert(counter.count <= MEMORY_BLOCK_WORDS);
            builder.addresses[counter.count - 1] = counter.address;
            memory_block_add_fetched(builder.in->stmts[number], counter.count);
        }
        for (; i < builder.count && accesses->ones[i].statement == number; i++) {
            const struct context_slot *slot = &accesses->slots[i];
            UInt words = values ? (slot->size + 7u) / 8 : 0;
            builder.slots[i] = (struct raw_slot){.address = slot->address,
                                                 .loop = scope_innermost(slot->address),
                                                 .instructions = (UShort)counter.count,
                                                 .number = slot->number,
                                                 .bytes = slot->size,
                                                 .access = !slot->header      ? slot->store
                                                           : counter.repeated ? RAW_LATE_HEADER
                                                                              : RAW_HEADER,
                                                 .words = (UChar)(words > RAW_VALUE_WORDS ? RAW_VALUE_WORDS : words)};
        }
    }
    builder.address_count = counter.count;
    builder.all_instructions = instructions_done(&counter, builder.in->jumpkind, instructions_end_target(builder.in));
}

/* ---------------------------------------------------------------------------- the block's ends -- */

static void memory_block_emit_start(void)
{
    IRExpr *next = ir_load(Ity_I64, ir_pointer(&memory_next));
    IRExpr *last = ir_load(Ity_I64, ir_pointer(&memory_last));
    ir_call("memory_turn", memory_turn, mkIRExprVec_0(), ir_binary(Ity_I1, Iop_CmpLT64U, last, next));
    builder.at = ir_load(Ity_I64, ir_pointer(&memory_next));
    ULong id =
        memory_block_new(&(struct memory_block){builder.slots, builder.addresses, builder.count, builder.address_count,
                                                builder.all_instructions, builder.fetched, builder.fetched_count});
    ULong mark = (ULong)RAW_MARK_BLOCK << RAW_MARK_SHIFT | id << RAW_MARK_BLOCK_SHIFT;
    IRExpr *node = ir_unary(Ity_I64, Iop_32Uto64, ir_load(Ity_I32, ir_pointer(&context_node)));
    ir_store(builder.at, ir_binary(Ity_I64, Iop_Or64, node, ir_word(mark)));
    builder.words = 1;
    builder.stored = -1;
}

static void memory_block_set_next(UInt words)
{
    if (builder.stored == (Int)words)
        return;
    ir_store(ir_pointer(&memory_next), memory_block_word_address(words));
    builder.stored = (Int)words;
}

/*
 * An exit before the last access, or the last instruction, records how far execution came. Unless it is taken,
 * memory_next stays at the block's mark, where memory_interrupt() looks for it.
 */
static void memory_block_emit_exit(const struct instructions *counter, UInt fetched, IRStmt *statement)
{
    UInt done = instructions_done(counter, statement->Ist.Exit.jk, instructions_target(statement->Ist.Exit.dst));
    if (builder.next < builder.count || done != builder.all_instructions || fetched != builder.fetched_count) {
        ULong mark = (ULong)RAW_MARK_EXIT << RAW_MARK_SHIFT | (ULong)fetched << RAW_MARK_FETCHED_SHIFT | done;
        ir_store(memory_block_word_address(builder.words), ir_word(mark));
        IRExpr *next = IRExpr_ITE(statement->Ist.Exit.guard, memory_block_word_address(builder.words + 1), builder.at);
        ir_store(ir_pointer(&memory_next), ir_keep(Ity_I64, next));
        builder.stored = -1;
    } else {
        memory_block_set_next(builder.words);
    }
    addStmtToIRSB(builder.out, statement);
}

static void memory_block_emit_end(void)
{
    memory_block_set_next(builder.words);
    IRExpr *sp = ir_register(IR_STATE(RSP));
    if (builder.in->jumpkind == Ijk_Call) {
        struct context_block *block = context_block_new(builder.accesses.slots, 0, builder.accesses.last);
        ir_call("frames_call", frames_call, mkIRExprVec_2(ir_pointer(block), sp), NULL);
    } else if (builder.in->jumpkind == Ijk_Ret) {
        ir_call("frames_return", frames_return, mkIRExprVec_3(sp, ir_word(0), ir_register(IR_STATE(RAX))), NULL);
    } else if (builder.in->next->tag != Iex_Const) {
        /* Out of an interpreter's loop, or by longjmp out of calls, which then never return. */
        ir_check_frames(sp);
    }
}

IRSB *memory_instrument(const IRSB *in)
{
    struct accesses_wanted wanted = {.loads = True, .stores = True, .loops = True};
    struct instructions counter = {0};
    UInt fetched = 0; /* so far; 0: that is not recorded */
    Int i = 0;
    builder.in = in;
    builder.out = deepCopyIRSBExceptStmts(in);
    ir_begin(builder.out);
    builder.next = 0;
    accesses_find(in, &wanted, &builder.accesses);
    memory_block_make_slots();
    for (; i < in->stmts_used && in->stmts[i]->tag != Ist_IMark; i++)
        addStmtToIRSB(builder.out, in->stmts[i]);
    memory_block_emit_start();
    for (; i < in->stmts_used; i++) {
        if (in->stmts[i]->tag == Ist_IMark) {
            instructions_mark(&counter, in->stmts[i]);
            fetched += config_get()->fetches;
        }
        if (in->stmts[i]->tag == Ist_Exit)
            memory_block_emit_exit(&counter, fetched, in->stmts[i]);
        else
            memory_block_emit_statement(in->stmts[i], i);
    }
    memory_block_emit_end();
    return builder.out;
}
_Static_assert(MEMORY_BLOCK_WORDS >= ACCESSES_MAX * (1 + RAW_VALUE_WORDS) + 2, "a block has room");
