#include "collect/exact/tool/memory/memory.h"

#include "collect/exact/tool/code/ir.h"
#include "collect/exact/tool/code/registers.h"
#include "collect/exact/tool/code/translation.h"
#include "collect/exact/tool/state/config.h"
#include "collect/exact/tool/state/context.h"
#include "collect/exact/tool/state/scope.h"

/* The block under translation. */
static struct {
    struct raw_slot slots[ACCESSES_MAX];
    IRExpr *read[RAW_VALUE_WORDS]; /* the value of the statement's hidden read */
    UInt words;                    /* written so far */
    IRExpr *at;                    /* the position of its first word */
    UInt all_instructions;         /* executed if the block ends at its end */
    UInt address_count;
    Addr addresses[ACCESSES_INSTRUCTIONS_MAX]; /* of the instructions, without repetitions */
    UInt fetched_count;                        /* those that are fetched, with fetches; else 0 */
    struct raw_instruction fetched[ACCESSES_INSTRUCTIONS_MAX];
    Int stored; /* memory_next was set to this many words after `at`; -1: not yet */
} builder;
_Static_assert(MEMORY_BLOCK_WORDS >= ACCESSES_MAX * (1 + RAW_VALUE_WORDS) + 2, "a block has room");

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
    IRType type = typeOfIRExpr(translation.out->tyenv, low);
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

/* For an access whose value is not in a temporary it is the contents of memory. */
static void memory_block_split_access(UInt slot, IRExpr *words[RAW_VALUE_WORDS])
{
    const struct accesses_one *one = &translation.accesses.ones[slot];
    UInt bytes = builder.slots[slot].bytes;
    if (one->kind == ACCESS_LOAD && one->old) {
        memory_block_split_value(one->old, one->old_high, bytes, words);
    } else if (one->value) {
        memory_block_split_value(one->value, one->value_high, bytes, words);
    } else {
        IRExpr *guard = one->guard ? one->guard : IRExpr_Const(IRConst_U1(True));
        for (UInt i = 0; i < RAW_VALUE_WORDS && i * 8 < bytes; i++) {
            UInt left = bytes - i * 8, part = left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
            IRExpr *address = i ? ir_binary(Ity_I64, Iop_Add64, one->address, ir_word(i * 8)) : one->address;
            words[i] = ir_widened_if(address, part, guard);
        }
    }
}

/* ---------------------------------------------------------------------------- accesses -- */

static void memory_block_before_access(UInt slot)
{
    if (translation.accesses.ones[slot].kind == ACCESS_READ && config_get()->values)
        memory_block_split_access(slot, builder.read);
}

/* After the statement: if that faults, its accesses are not recorded. */
static void memory_block_after_access(UInt slot)
{
    const struct accesses_one *one = &translation.accesses.ones[slot];
    IRExpr *own[RAW_VALUE_WORDS] = {0}, **words = one->kind == ACCESS_READ ? builder.read : own;
    if (one->kind == ACCESS_LOOP)
        return;
    if (one->kind != ACCESS_READ && config_get()->values)
        memory_block_split_access(slot, own);
    IRExpr *guard = translation_condition(one), *address = one->address;
    if (guard)
        address = ir_keep(Ity_I64, IRExpr_ITE(guard, address, ir_word((ULong)RAW_MARK_ABSENT << RAW_MARK_SHIFT)));
    UInt first = builder.words++;
    for (UInt part = 0; part < builder.slots[slot].words; part++)
        ir_store(memory_block_word_address(builder.words++), words[part] ? words[part] : ir_word(0));
    ir_store(memory_block_word_address(first), address); /* last: it says that all of it is present */
}

/* ---------------------------------------------------------------------------- the block's ends -- */

/* Cachegrind, too, takes an instruction that could not be decoded for one byte. */
static void memory_block_list_instructions(void)
{
    const struct accesses *accesses = &translation.accesses;
    builder.fetched_count = config_get()->fetches ? accesses->instruction_count : 0;
    for (UInt i = 0; i < accesses->instruction_count; i++) {
        const struct accesses_instruction *instruction = &accesses->instructions[i];
        builder.addresses[instruction->number - 1] = instruction->address;
        builder.fetched[i] = (struct raw_instruction){.address = instruction->address,
                                                      .bytes = instruction->length ? instruction->length : 1,
                                                      .instructions = instruction->number};
    }
    builder.address_count = accesses->instructions[accesses->instruction_count - 1].number;
    builder.all_instructions = translation_done_at_end();
}

static void memory_block_prepare(IRSB *in)
{
    const struct accesses *accesses = &translation.accesses;
    registers_drop_writes(in, NULL);
    memory_block_list_instructions();
    for (UInt i = 0; i < accesses->count; i++) {
        const struct context_slot *slot = &accesses->slots[i];
        const struct accesses_instruction *instruction = &accesses->instructions[accesses->ones[i].instruction];
        UInt words = config_get()->values ? (slot->size + 7u) / 8 : 0;
        builder.slots[i] = (struct raw_slot){.address = slot->address,
                                             .loop = scope_innermost(slot->address),
                                             .instructions = (UShort)instruction->number,
                                             .number = slot->number,
                                             .bytes = slot->size,
                                             .access = !slot->header           ? slot->store
                                                       : instruction->repeated ? RAW_LATE_HEADER
                                                                               : RAW_HEADER,
                                             .words = (UChar)(words > RAW_VALUE_WORDS ? RAW_VALUE_WORDS : words)};
    }
}

static void memory_block_start(void)
{
    IRExpr *next = ir_variable(Ity_I64, &memory_next);
    IRExpr *last = ir_variable(Ity_I64, &memory_last);
    ir_call("memory_turn", memory_turn, mkIRExprVec_0(), ir_binary(Ity_I1, Iop_CmpLT64U, last, next));
    builder.at = ir_variable(Ity_I64, &memory_next);
    ULong id = memory_block_new(&(struct memory_block){builder.slots, builder.addresses, translation.accesses.count,
                                                       builder.address_count, builder.all_instructions, builder.fetched,
                                                       builder.fetched_count});
    ULong mark = (ULong)RAW_MARK_BLOCK << RAW_MARK_SHIFT | id << RAW_MARK_BLOCK_SHIFT;
    IRExpr *node = ir_unary(Ity_I64, Iop_32Uto64, ir_variable(Ity_I32, &context_node));
    ir_store(builder.at, ir_binary(Ity_I64, Iop_Or64, node, ir_word(mark)));
    builder.words = 1;
    builder.stored = -1;
}

static void memory_block_set_next(void)
{
    if (builder.stored == (Int)builder.words)
        return;
    ir_store(ir_pointer(&memory_next), memory_block_word_address(builder.words));
    builder.stored = (Int)builder.words;
}

/*
 * An exit before the last access, or the last instruction, records how far execution came. Unless it is taken,
 * memory_next stays at the block's mark, where memory_interrupt() looks for it.
 */
static void memory_block_before(const IRStmt *statement)
{
    if (statement->tag != Ist_Exit)
        return;
    UInt done = translation_done_at_exit(statement), fetched = config_get()->fetches ? translation.begun : 0;
    if (translation.next == translation.accesses.count && done == builder.all_instructions &&
        fetched == builder.fetched_count) {
        memory_block_set_next();
        return;
    }
    ULong mark = (ULong)RAW_MARK_EXIT << RAW_MARK_SHIFT | (ULong)fetched << RAW_MARK_FETCHED_SHIFT | done;
    ir_store(memory_block_word_address(builder.words), ir_word(mark));
    IRExpr *next = IRExpr_ITE(statement->Ist.Exit.guard, memory_block_word_address(builder.words + 1), builder.at);
    ir_store(ir_pointer(&memory_next), ir_keep(Ity_I64, next));
    builder.stored = -1;
}

static void memory_block_finish(void)
{
    memory_block_set_next();
    translation_emit_frames(ir_register(IR_STATE(RSP)), NULL, 0);
}

IRSB *memory_block_translate(IRSB *in)
{
    static const struct translation_mode mode = {
        .wanted = {.loads = True, .stores = True, .loops = True},
        .prepare = memory_block_prepare,
        .start = memory_block_start,
        .before = memory_block_before,
        .before_access = memory_block_before_access,
        .after_access = memory_block_after_access,
        .finish = memory_block_finish,
    };
    return translation_translate(in, &mode);
}
