/* memory_block.c - the code that writes the ring, and what it has written there of the blocks that were executed. */
#include "collect/exact/tool/memory/memory.h"

#include <valgrind/pub_tool_libcassert.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_mallocfree.h>

#include "collect/exact/tool/code/ir.h"
#include "collect/exact/tool/code/registers.h"
#include "collect/exact/tool/code/translation.h"
#include "collect/exact/tool/memory/ring.h"
#include "collect/exact/tool/state/array.h"
#include "collect/exact/tool/state/config.h"
#include "collect/exact/tool/state/context.h"
#include "collect/exact/tool/state/raw_writer.h"
#include "collect/exact/tool/state/scope.h"

/* A block with its slots, of accesses and of headers of loops. */
struct memory_block {
    UInt count;         /* of slots */
    UInt address_count; /* of instructions, without repetitions */
    UInt instructions;  /* executed if the block ends at its end */
    struct raw_slot *slots;
    Addr *addresses;
};

static struct memory_block *blocks; /* [id], from 1 */
static UInt block_count, block_capacity;
UInt memory_block_most;

/* The block under translation. */
static struct {
    struct memory_block *block;
    IRExpr *read[RAW_VALUE_WORDS]; /* the value of the statement's hidden read */
    UInt words;                    /* written so far */
    IRExpr *at;                    /* the position of its first word */
    Int stored;                    /* memory_next was set to this many words after `at`; -1: not yet */
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
    UInt bytes = builder.block->slots[slot].bytes;
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
    for (UInt part = 0; part < builder.block->slots[slot].words; part++)
        ir_store(memory_block_word_address(builder.words++), words[part] ? words[part] : ir_word(0));
    ir_store(memory_block_word_address(first), address); /* last: it says that all of it is present */
}

/* ---------------------------------------------------------------------------- the block's ends -- */

static struct raw_slot memory_block_slot_of(UInt i)
{
    const struct context_slot *slot = &translation.accesses.slots[i];
    const struct accesses_instruction *instruction =
        &translation.accesses.instructions[translation.accesses.ones[i].instruction];
    UInt words = config_get()->values ? (slot->size + 7u) / 8 : 0;
    return (struct raw_slot){.address = slot->address,
                             .loop = scope_innermost(slot->address),
                             .instructions = (UShort)instruction->number,
                             .number = slot->number,
                             .bytes = slot->size,
                             .access = !slot->header           ? slot->store
                                       : instruction->repeated ? RAW_LATE_HEADER
                                                               : RAW_HEADER,
                             .words = (UChar)(words > RAW_VALUE_WORDS ? RAW_VALUE_WORDS : words)};
}

/* Defines the block, in the raw file with the next flush. */
static void memory_block_prepare(IRSB *in)
{
    const struct accesses *accesses = &translation.accesses;
    UInt words = 2 + accesses->count; /* its mark, and that of an exit */
    registers_drop_writes(in, NULL);
    blocks = array_reserve("assay.blocks", blocks, block_count + 1, &block_capacity, 4096, sizeof *blocks);
    tl_assert(block_count + 1 < RAW_BLOCKS_MAX);
    struct memory_block *block = builder.block = &blocks[++block_count];
    block->count = accesses->count;
    block->address_count = accesses->instructions[accesses->instruction_count - 1].number;
    block->instructions = translation_done_at_end();
    block->slots = VG_(perm_malloc)((block->count + 1) * sizeof *block->slots, sizeof(void *));
    block->addresses = VG_(perm_malloc)((block->address_count + 1) * sizeof *block->addresses, sizeof(void *));
    for (UInt i = 0; i < accesses->instruction_count; i++)
        block->addresses[accesses->instructions[i].number - 1] = accesses->instructions[i].address;
    for (UInt i = 0; i < block->count; i++) {
        block->slots[i] = memory_block_slot_of(i);
        words += block->slots[i].words;
    }
    memory_block_most = words > memory_block_most ? words : memory_block_most;
    raw_writer_block(&(struct raw_block){block_count, block->count, block->instructions, 0}, block->slots);
    if (!config_get()->fetches)
        return;
    /* Cachegrind, too, takes an instruction that could not be decoded for one byte. */
    static struct raw_instruction fetched[ACCESSES_INSTRUCTIONS_MAX];
    for (UInt i = 0; i < accesses->instruction_count; i++) {
        const struct accesses_instruction *instruction = &accesses->instructions[i];
        fetched[i] = (struct raw_instruction){.address = instruction->address,
                                              .bytes = instruction->length ? instruction->length : 1,
                                              .instructions = instruction->number};
    }
    raw_writer_code(&(struct raw_code){block_count, accesses->instruction_count}, fetched);
}

static void memory_block_start(void)
{
    IRExpr *next = ir_variable(Ity_I64, &memory_next);
    IRExpr *last = ir_variable(Ity_I64, &memory_last);
    ir_call("memory_turn", memory_turn, mkIRExprVec_0(), ir_binary(Ity_I1, Iop_CmpLT64U, last, next));
    builder.at = ir_variable(Ity_I64, &memory_next);
    ULong mark = (ULong)RAW_MARK_BLOCK << RAW_MARK_SHIFT | (ULong)block_count << RAW_MARK_BLOCK_SHIFT;
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
    Bool fetches = config_get()->fetches;
    UInt done = translation_done_at_exit(statement), fetched = fetches ? translation.begun : 0;
    if (translation.next == translation.accesses.count && done == builder.block->instructions &&
        (!fetches || fetched == translation.accesses.instruction_count)) {
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

/* ---------------------------------------------------------------------------- what was executed -- */

static ULong memory_word_kind(ULong word)
{
    return word >> RAW_MARK_SHIFT;
}

/*
 * The number of the block's instructions completed before the one at `address`, if its first slots are done. The core
 * unrolls loops in superblocks: it is the next one at that address, unless that of the last access has not made all of
 * its own.
 */
static UInt memory_block_done_before(const struct memory_block *block, UInt done, Addr address)
{
    UInt last = done ? block->slots[done - 1].instructions : 0; /* from 1 */
    while (done < block->count && block->slots[done].access >= RAW_LATE_HEADER)
        done++; /* a loop's header is not an access */
    Bool more = last && done < block->count && block->slots[done].instructions == last;
    UInt from = more ? last : last + 1;
    for (UInt i = from; i <= block->address_count; i++)
        if (block->addresses[i - 1] == address)
            return i - 1;
    return last ? last - 1 : 0; /* it has faulted after its last access */
}

void memory_interrupt(Addr address)
{
    if (memory_next >= ring_end || memory_word_kind(*memory_next) != RAW_MARK_BLOCK)
        return; /* between two blocks it is at a zero, or at the mark of an exit that was not taken */
    UInt id = (UInt)(*memory_next >> RAW_MARK_BLOCK_SHIFT) & (RAW_BLOCKS_MAX - 1);
    if (id < 1 || id > block_count)
        return;
    const struct memory_block *block = &blocks[id];
    ULong *at = memory_next + 1;
    UInt done = 0; /* slots up to the last access that has happened */
    for (UInt i = 0; i < block->count && *at != 0 && memory_word_kind(*at) != RAW_MARK_EXIT; i++)
        if (block->slots[i].access < RAW_LATE_HEADER) {
            at += 1 + block->slots[i].words;
            done = i + 1;
        }
    *at++ = (ULong)RAW_MARK_EXIT << RAW_MARK_SHIFT | memory_block_done_before(block, done, address);
    memory_next = at;
}

ULong memory_executed(const ULong *at, const ULong *end)
{
    ULong all = 0;
    while (at < end) {
        const struct memory_block *block = &blocks[(UInt)(*at++ >> RAW_MARK_BLOCK_SHIFT) & (RAW_BLOCKS_MAX - 1)];
        UInt done = block->instructions;
        for (UInt i = 0; i < block->count && memory_word_kind(*at) != RAW_MARK_EXIT; i++)
            if (block->slots[i].access < RAW_LATE_HEADER)
                at += 1 + block->slots[i].words;
        if (at < end && memory_word_kind(*at) == RAW_MARK_EXIT)
            done = (UInt)*at++;
        all += done;
    }
    return all;
}
