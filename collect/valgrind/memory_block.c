#include "collect/valgrind/memory.h"

#include <valgrind/libvex_guest_amd64.h>
#include <valgrind/pub_tool_libcassert.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_machine.h>

#include "collect/valgrind/accesses.h"
#include "collect/valgrind/config.h"
#include "collect/valgrind/context.h"
#include "collect/valgrind/frames.h"
#include "collect/valgrind/instructions.h"

/* The block that is being made. */
struct maker {
    IRSB *out;
    const IRSB *in;
    struct accesses accesses;
    struct raw_slot slots[ACCESSES_MAX];
    UInt count;                          /* of slots */
    UInt next;                           /* the first of them that is not yet in `out` */
    UInt words;                          /* written so far */
    IRExpr *at;                          /* where its first word is */
    UInt instructions, all_instructions; /* so far, and in the end */
    Addr place;                          /* the instruction */
    Int stored;                          /* memory_next was set to so many words behind `at`; -1: not yet */
};

static struct maker maker; /* one at a time */

#define STATE(field) ((Int) __builtin_offsetof(VexGuestAMD64State, guest_##field))

/* ---------------------------------------------------------------------------- small expressions -- */

static IRExpr *keep(IRType type, IRExpr *expression)
{
    IRTemp temp = newIRTemp(maker.out->tyenv, type);
    addStmtToIRSB(maker.out, IRStmt_WrTmp(temp, expression));
    return IRExpr_RdTmp(temp);
}

static IRExpr *word(ULong value)
{
    return IRExpr_Const(IRConst_U64(value));
}

static IRExpr *pointer(const void *address)
{
    return word((ULong)(Addr)address);
}

static IRExpr *load(IRType type, IRExpr *address)
{
    return keep(type, IRExpr_Load(Iend_LE, type, address));
}

static IRExpr *binary(IRType type, IROp op, IRExpr *a, IRExpr *b)
{
    return keep(type, IRExpr_Binop(op, a, b));
}

static IRExpr *unary(IRType type, IROp op, IRExpr *a)
{
    return keep(type, IRExpr_Unop(op, a));
}

static void store(IRExpr *address, IRExpr *value)
{
    addStmtToIRSB(maker.out, IRStmt_Store(Iend_LE, address, value));
}

static IRExpr *register_now(Int offset)
{
    return keep(Ity_I64, IRExpr_Get(offset, Ity_I64));
}

static void call(const HChar *name, void *function, IRExpr **arguments, IRExpr *guard)
{
    IRDirty *dirty = unsafeIRDirty_0_N(0, name, VG_(fnptr_to_fnentry)(function), arguments);
    if (guard)
        dirty->guard = guard;
    addStmtToIRSB(maker.out, IRStmt_Dirty(dirty));
}

/* The address of word number `words` of the block. */
static IRExpr *place_of(UInt words)
{
    return words ? binary(Ity_I64, Iop_Add64, maker.at, word(words * sizeof(ULong))) : maker.at;
}

/* ---------------------------------------------------------------------------- values -- */

/* A scalar as 8 bytes, zero-extended. */
static IRExpr *widened(IRExpr *value)
{
    switch (typeOfIRExpr(maker.out->tyenv, value)) {
    case Ity_I8:
        return unary(Ity_I64, Iop_8Uto64, value);
    case Ity_I16:
        return unary(Ity_I64, Iop_16Uto64, value);
    case Ity_I32:
        return unary(Ity_I64, Iop_32Uto64, value);
    case Ity_F32:
        return unary(Ity_I64, Iop_32Uto64, unary(Ity_I32, Iop_ReinterpF32asI32, value));
    case Ity_F64:
        return unary(Ity_I64, Iop_ReinterpF64asI64, value);
    case Ity_I64:
        return value;
    default:
        return NULL;
    }
}

static IRExpr *masked(IRExpr *value, UInt bytes)
{
    return bytes < 8 ? binary(Ity_I64, Iop_And64, value, word((1ULL << bytes * 8) - 1)) : value;
}

static void split_vector(IRExpr *value, IRExpr *words[RAW_VALUE_WORDS])
{
    static const IROp LANES[] = {Iop_V256to64_0, Iop_V256to64_1, Iop_V256to64_2, Iop_V256to64_3};
    Bool wide = typeOfIRExpr(maker.out->tyenv, value) == Ity_V256;
    for (UInt i = 0; wide && i < RAW_VALUE_WORDS; i++)
        words[i] = unary(Ity_I64, LANES[i], value);
    if (!wide) {
        words[0] = unary(Ity_I64, Iop_V128to64, value);
        words[1] = unary(Ity_I64, Iop_V128HIto64, value);
    }
}

/* The value, or the two halves of it, as words. */
static void split(IRExpr *low, IRExpr *high, UInt bytes, IRExpr *words[RAW_VALUE_WORDS])
{
    IRType type = typeOfIRExpr(maker.out->tyenv, low);
    if (type == Ity_V128 || type == Ity_V256) {
        split_vector(low, words);
    } else if (!high) {
        words[0] = masked(widened(low), bytes);
    } else if (bytes == 16) {
        words[0] = low;
        words[1] = high;
    } else {
        IRExpr *upper = binary(Ity_I64, Iop_Shl64, widened(high), IRExpr_Const(IRConst_U8(32)));
        words[0] = binary(Ity_I64, Iop_Or64, upper, widened(low));
    }
}

static IRExpr *load_if(IRExpr *address, IRExpr *guard, UInt bytes)
{
    IRType type = bytes == 8 ? Ity_I64 : Ity_I32;
    IRTemp temp = newIRTemp(maker.out->tyenv, type);
    IRLoadGOp op = bytes == 8 ? ILGop_Ident64 : bytes == 4 ? ILGop_Ident32 : bytes == 2 ? ILGop_16Uto32 : ILGop_8Uto32;
    IRExpr *none = bytes == 8 ? word(0) : IRExpr_Const(IRConst_U32(0));
    IRExpr *always = IRExpr_Const(IRConst_U1(True));
    addStmtToIRSB(maker.out, IRStmt_LoadG(Iend_LE, op, temp, address, none, guard ? guard : always));
    return widened(IRExpr_RdTmp(temp));
}

/* What is in memory, of an access by a helper of the core's. */
static void split_memory(const struct accesses_one *one, UInt bytes, IRExpr *words[RAW_VALUE_WORDS])
{
    for (UInt i = 0; i < RAW_VALUE_WORDS && i * 8 < bytes; i++) {
        UInt left = bytes - i * 8, part = left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
        IRExpr *address = i ? binary(Ity_I64, Iop_Add64, one->address, word(i * 8)) : one->address;
        words[i] = load_if(address, one->guard, part);
    }
}

/* ---------------------------------------------------------------------------- accesses -- */

static IRExpr *equal(IRExpr *a, IRExpr *b)
{
    return binary(Ity_I1, Iop_CmpEQ64, widened(a), widened(b));
}

/* When the access happens; NULL: always. */
static IRExpr *condition(const struct accesses_one *one)
{
    if (one->kind != ACCESS_SWAP)
        return one->guard;
    IRExpr *low = equal(one->old, one->expected);
    return one->old_high ? binary(Ity_I1, Iop_And1, low, equal(one->old_high, one->expected_high)) : low;
}

static void record(UInt i, IRExpr *words[RAW_VALUE_WORDS])
{
    const struct accesses_one *one = &maker.accesses.ones[i];
    IRExpr *guard = condition(one), *address = one->address;
    if (guard)
        address = keep(Ity_I64, IRExpr_ITE(guard, address, word((ULong)RAW_MARK_ABSENT << RAW_MARK_SHIFT)));
    UInt first = maker.words++;
    for (UInt part = 0; part < maker.slots[i].words; part++)
        store(place_of(maker.words++), words[part] ? words[part] : word(0));
    store(place_of(first), address); /* last: it says that all of it is there */
}

static void split_access(UInt i, IRExpr *words[RAW_VALUE_WORDS])
{
    const struct accesses_one *one = &maker.accesses.ones[i];
    UInt bytes = maker.slots[i].bytes;
    if (one->kind == ACCESS_READ || one->kind == ACCESS_WRITE)
        split_memory(one, bytes, words);
    else if (one->kind == ACCESS_LOAD && one->old)
        split(one->old, one->old_high, bytes, words);
    else
        split(one->value, one->value_high, bytes, words);
}

/* The statement, and behind it what records its accesses: had it faulted, there would be none. */
static void put(IRStmt *statement, Int number)
{
    IRExpr *words[2][RAW_VALUE_WORDS] = {0};
    UInt first = maker.next, last = first;
    Bool values = config_get()->values;
    while (last < maker.count && maker.accesses.ones[last].statement == number)
        last++;
    for (UInt i = first; i < last && values; i++)
        if (maker.accesses.ones[i].kind == ACCESS_READ)
            split_access(i, words[i - first]);
    addStmtToIRSB(maker.out, statement);
    for (UInt i = first; i < last; i++) {
        if (values && maker.accesses.ones[i].kind != ACCESS_READ)
            split_access(i, words[i - first]);
        record(i, words[i - first]);
    }
    maker.next = last;
}

/* ---------------------------------------------------------------------------- instructions -- */

/* The slots with the instructions that each has before it. */
static void make_slots(void)
{
    struct instructions counter = {0};
    Bool values = config_get()->values;
    UInt i = 0;
    const struct accesses *accesses = &maker.accesses;
    maker.count = accesses->count - (maker.in->jumpkind == Ijk_Sys_syscall);
    for (Int number = 0; number < maker.in->stmts_used; number++) {
        if (maker.in->stmts[number]->tag == Ist_IMark)
            instructions_mark(&counter, maker.in->stmts[number]);
        for (; i < maker.count && accesses->ones[i].statement == number; i++) {
            UInt bytes = accesses->slots[i].size, words = (bytes + 7) / 8;
            maker.slots[i] = (struct raw_slot){.address = accesses->slots[i].address,
                                               .instructions = (UShort)counter.count,
                                               .number = accesses->slots[i].number,
                                               .bytes = (UShort)bytes,
                                               .access = accesses->slots[i].store,
                                               .words = (UChar)(!values                   ? 0
                                                                : words > RAW_VALUE_WORDS ? RAW_VALUE_WORDS
                                                                                          : words)};
        }
    }
    maker.all_instructions = instructions_done(&counter, maker.in->jumpkind, instructions_end_target(maker.in));
}

/* ---------------------------------------------------------------------------- the block's ends -- */

static void begin_block(Addr start)
{
    IRExpr *next = load(Ity_I64, pointer(&memory_next));
    IRExpr *last = load(Ity_I64, pointer(&memory_last));
    call("memory_turn", memory_turn, mkIRExprVec_0(), binary(Ity_I1, Iop_CmpLT64U, last, next));
    maker.at = load(Ity_I64, pointer(&memory_next));
    ULong id = memory_block_new(start, maker.slots, maker.count, maker.all_instructions);
    ULong mark = (ULong)RAW_MARK_BLOCK << RAW_MARK_SHIFT | id << RAW_MARK_BLOCK_SHIFT;
    IRExpr *node = unary(Ity_I64, Iop_32Uto64, load(Ity_I32, pointer(&context_node)));
    store(maker.at, binary(Ity_I64, Iop_Or64, node, word(mark)));
    maker.words = 1;
    maker.stored = -1;
}

static void set_next(UInt words)
{
    if (maker.stored == (Int)words)
        return;
    store(pointer(&memory_next), place_of(words));
    maker.stored = (Int)words;
}

/*
 * An exit before the last access, or the last instruction, says how far it came. Unless it is taken memory_next stays
 * at the block's mark, where memory_interrupt() looks for it.
 */
static void put_early_exit(UInt done, IRExpr *taken)
{
    store(place_of(maker.words), word((ULong)RAW_MARK_EXIT << RAW_MARK_SHIFT | done));
    store(pointer(&memory_next), keep(Ity_I64, IRExpr_ITE(taken, place_of(maker.words + 1), maker.at)));
    maker.stored = -1;
}

static void put_exit(const struct instructions *counter, IRStmt *statement)
{
    UInt done = instructions_done(counter, statement->Ist.Exit.jk, instructions_target(statement->Ist.Exit.dst));
    if (maker.next < maker.count || done != maker.all_instructions)
        put_early_exit(done, statement->Ist.Exit.guard);
    else
        set_next(maker.words);
    addStmtToIRSB(maker.out, statement);
}

static void leave(void)
{
    set_next(maker.words);
    IRExpr *sp = register_now(STATE(RSP));
    if (maker.in->jumpkind == Ijk_Call) {
        struct context_block *block = context_block_new(maker.accesses.slots, 0, maker.accesses.last);
        call("frames_call", frames_call, mkIRExprVec_2(pointer(block), sp), NULL);
    } else if (maker.in->jumpkind == Ijk_Ret) {
        call("frames_return", frames_return, mkIRExprVec_3(sp, word(0), register_now(STATE(RAX))), NULL);
    } else if (maker.in->next->tag != Iex_Const) {
        /* Out of an interpreter's loop, or by longjmp out of calls that then never return. */
        IRExpr *top = load(Ity_I64, pointer(&frames_top));
        call("frames_check", frames_check, mkIRExprVec_1(sp), binary(Ity_I1, Iop_CmpLT64U, top, sp));
    }
}

IRSB *memory_instrument(const IRSB *in)
{
    struct accesses_wanted wanted = {.loads = True, .stores = True, .loops = False};
    struct instructions counter = {0};
    Int i = 0;
    maker.in = in;
    maker.out = deepCopyIRSBExceptStmts(in);
    maker.next = 0;
    accesses_find(in, &wanted, &maker.accesses);
    make_slots();
    for (; i < in->stmts_used && in->stmts[i]->tag != Ist_IMark; i++)
        addStmtToIRSB(maker.out, in->stmts[i]);
    begin_block(i < in->stmts_used ? in->stmts[i]->Ist.IMark.addr : 0);
    for (; i < in->stmts_used; i++) {
        if (in->stmts[i]->tag == Ist_IMark)
            instructions_mark(&counter, in->stmts[i]);
        if (in->stmts[i]->tag == Ist_Exit)
            put_exit(&counter, in->stmts[i]);
        else
            put(in->stmts[i], i);
    }
    leave();
    return maker.out;
}
_Static_assert(MEMORY_BLOCK_WORDS >= ACCESSES_MAX * (1 + RAW_VALUE_WORDS) + 2, "a block has room");
