#include "collect/valgrind/instrument.h"

#include <valgrind/libvex_guest_amd64.h>
#include <valgrind/pub_tool_libcassert.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_machine.h>
#include <valgrind/pub_tool_mallocfree.h>

#include "collect/valgrind/access.h"
#include "collect/valgrind/accesses.h"
#include "collect/valgrind/burst.h"
#include "collect/valgrind/config.h"
#include "collect/valgrind/context.h"
#include "collect/valgrind/frames.h"
#include "collect/valgrind/heap.h"
#include "collect/valgrind/stack.h"
#include "collect/valgrind/stream.h"
#include "collect/valgrind/system.h"

enum { OPS_MAX = 2 * ACCESSES_MAX };

/* The block that is being made. */
struct maker {
    IRSB *out;
    const IRSB *in;
    struct accesses accesses;
    UInt next;                   /* the first of them that is not yet in `out` */
    struct context_block *block; /* NULL: no slots and no call */
    IRExpr *record;              /* where its record is; NULL: it has none */
    IRConst *record_bytes;
    struct stream_op ops[OPS_MAX]; /* of the record */
    UInt op_count, words;
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

static IRExpr *load32(const void *address)
{
    return keep(Ity_I32, IRExpr_Load(Iend_LE, Ity_I32, pointer(address)));
}

static IRExpr *binary(IRType type, IROp op, IRExpr *a, IRExpr *b)
{
    return keep(type, IRExpr_Binop(op, a, b));
}

static IRExpr *unary(IRType type, IROp op, IRExpr *a)
{
    return keep(type, IRExpr_Unop(op, a));
}

static IRExpr *get(Int offset)
{
    return keep(Ity_I64, IRExpr_Get(offset, Ity_I64));
}

static IRExpr *both(IRExpr *a, IRExpr *b)
{
    return !a ? b : !b ? a : binary(Ity_I1, Iop_And1, a, b);
}

static void store(IRExpr *address, IRExpr *value)
{
    addStmtToIRSB(maker.out, IRStmt_Store(Iend_LE, address, value));
}

static void call(const HChar *name, void *function, IRExpr **arguments, IRExpr *guard)
{
    IRDirty *dirty = unsafeIRDirty_0_N(0, name, VG_(fnptr_to_fnentry)(function), arguments);
    if (guard)
        dirty->guard = guard;
    addStmtToIRSB(maker.out, IRStmt_Dirty(dirty));
}

/* ---------------------------------------------------------------------------- the record -- */

static void put_word(UInt at, IRExpr *value)
{
    store(at ? binary(Ity_I64, Iop_Add64, maker.record, word(at * sizeof(ULong))) : maker.record, value);
}

/* The operation's place in the record. */
static UInt new_op(enum stream_kind kind, UInt slot, UInt words)
{
    const struct context_slot *of = &maker.accesses.slots[slot];
    UInt at = maker.words;
    tl_assert(maker.op_count < OPS_MAX && at + words <= STREAM_RECORD_WORDS);
    maker.ops[maker.op_count++] =
        (struct stream_op){.at = (UShort)at, .slot = (UShort)slot, .size = of->size, .kind = kind, .lane = of->lane};
    maker.words += words;
    return at;
}

static UInt words_of(UInt size)
{
    return (size + 7) / 8;
}

/* An address, or 0 where the access doesn't happen. */
static IRExpr *guarded(IRExpr *address, IRExpr *guard)
{
    return guard ? binary(Ity_I64, Iop_And64, address, unary(Ity_I64, Iop_1Sto64, guard)) : address;
}

static void mark(enum stream_kind kind, UInt slot)
{
    put_word(new_op(kind, slot, 1), word(1));
}

/* ---------------------------------------------------------------------------- accesses -- */

/* The bits of a value as an integer or a vector. */
static IRExpr *bits_of(IRExpr *value)
{
    switch (typeOfIRExpr(maker.out->tyenv, value)) {
    case Ity_F32:
        return unary(Ity_I32, Iop_ReinterpF32asI32, value);
    case Ity_F64:
        return unary(Ity_I64, Iop_ReinterpF64asI64, value);
    default:
        return value;
    }
}

/* A value that may come in two halves; as long as it is up to 8 bytes it is one word. */
static void put_value(UInt at, IRExpr *low, IRExpr *high, UInt size)
{
    put_word(at, low);
    if (!high)
        return;
    if (size > 8)
        put_word(at + 1, high);
    else
        store(binary(Ity_I64, Iop_Add64, maker.record, word(at * sizeof(ULong) + size / 2)), high);
}

static void loaded(const struct accesses_one *one, UInt slot)
{
    const struct config *config = config_get();
    UInt size = maker.accesses.slots[slot].size;
    Bool valued = config->silent_loads || config->spatial;
    UInt at = new_op(valued ? STREAM_LOAD : STREAM_READ, slot, 1 + (valued ? words_of(size) : 0));
    if (valued)
        put_value(at + 1, one->old ? one->old : one->value, one->old ? one->old_high : NULL, size);
    put_word(at, guarded(one->address, one->guard));
}

static IRType integer_of(UInt size)
{
    switch (size) {
    case 1:
        return Ity_I8;
    case 2:
        return Ity_I16;
    case 4:
        return Ity_I32;
    case 8:
        return Ity_I64;
    case 16:
        return Ity_V128;
    default:
        tl_assert(size == 32);
        return Ity_V256;
    }
}

/* What is there before a store that has a guard. */
static IRExpr *old_guarded(const struct accesses_one *one, UInt size)
{
    tl_assert(size == 4 || size == 8 || size == 16);
    IRType type = integer_of(size);
    IRTemp temp = newIRTemp(maker.out->tyenv, type);
    IRConst *none = size == 8 ? IRConst_U64(0) : size == 4 ? IRConst_U32(0) : IRConst_V128(0);
    IRLoadGOp op = size == 8 ? ILGop_Ident64 : size == 4 ? ILGop_Ident32 : ILGop_IdentV128;
    addStmtToIRSB(maker.out, IRStmt_LoadG(Iend_LE, op, temp, one->address, IRExpr_Const(none), one->guard));
    return IRExpr_RdTmp(temp);
}

/* Before the statement; the result is for stored(). NULL: nobody asks. */
static IRExpr *store_begins(const struct accesses_one *one, UInt slot)
{
    UInt size = maker.accesses.slots[slot].size;
    if (!config_get()->silent_stores)
        return NULL;
    if (one->guard)
        return old_guarded(one, size);
    IRType type = integer_of(size);
    return keep(type, IRExpr_Load(Iend_LE, type, one->address));
}

static IRExpr *difference(IRExpr *a, IRExpr *b)
{
    static const IROp OPS[] = {[1] = Iop_Xor8, [2] = Iop_Xor16, [4] = Iop_Xor32, [8] = Iop_Xor64,
                               [16] = Iop_XorV128, [32] = Iop_XorV256};
    IRType type = typeOfIRExpr(maker.out->tyenv, a);
    return binary(type, OPS[sizeofIRType(type)], a, b);
}

/* A store of a value in up to two halves, over an old one. */
static void changed(const struct accesses_one *one, UInt slot, IRExpr *old, IRExpr *old_high, IRExpr *guard)
{
    UInt size = maker.accesses.slots[slot].size, words = words_of(size);
    Bool real = maker.accesses.slots[slot].lane != 0;
    IRExpr *value = bits_of(one->value), *high = one->value_high;
    UInt at = new_op(real ? STREAM_REAL : STREAM_CHANGE, slot, 1 + words * (real ? 2 : 1));
    if (real) {
        put_value(at + 1, old, old_high, size);
        put_value(at + 1 + words, value, high, size);
    } else {
        put_value(at + 1, difference(old, value), high ? difference(old_high, high) : NULL, size);
    }
    put_word(at, guarded(one->address, guard));
}

static void stored(const struct accesses_one *one, UInt slot, IRExpr *old)
{
    if (old)
        changed(one, slot, old, NULL, one->guard);
    else
        put_word(new_op(STREAM_STORE, slot, 1), guarded(one->address, one->guard));
}

/* Of a compare-and-swap: whether it swaps. */
static IRExpr *equal(IRExpr *a, IRExpr *b)
{
    switch (typeOfIRExpr(maker.out->tyenv, a)) {
    case Ity_I8:
        return binary(Ity_I1, Iop_CmpEQ8, a, b);
    case Ity_I16:
        return binary(Ity_I1, Iop_CmpEQ16, a, b);
    case Ity_I32:
        return binary(Ity_I1, Iop_CmpEQ32, a, b);
    default:
        return binary(Ity_I1, Iop_CmpEQ64, a, b);
    }
}

static void swapped(const struct accesses_one *one, UInt slot)
{
    IRExpr *guard = equal(one->old, one->expected);
    if (one->old_high)
        guard = both(guard, equal(one->old_high, one->expected_high));
    if (config_get()->silent_stores)
        changed(one, slot, one->old, one->old_high, guard);
    else
        put_word(new_op(STREAM_STORE, slot, 1), guarded(one->address, guard));
}

/* What a helper of the core's reads or writes is looked at by calls. */
static void call_wide(const HChar *name, void *function, const struct accesses_one *one, UInt slot)
{
    call(name, function, mkIRExprVec_3(one->address, pointer(maker.block), word(slot)), one->guard);
}

/* Puts the statement and what belongs before and after it. */
static void put(IRStmt *statement, Int number)
{
    IRExpr *old = NULL;
    UInt first = maker.next, last = first;
    while (last < maker.accesses.count && maker.accesses.ones[last].statement == number)
        last++;
    for (UInt i = first; i < last; i++) {
        const struct accesses_one *one = &maker.accesses.ones[i];
        if (one->kind == ACCESS_READ)
            call_wide("access_load_now", access_load_now, one, i);
        else if (one->kind == ACCESS_WRITE)
            call_wide("access_keep", access_keep, one, i);
        else if (one->kind == ACCESS_STORE)
            old = store_begins(one, i);
    }
    addStmtToIRSB(maker.out, statement);
    for (UInt i = first; i < last; i++) {
        const struct accesses_one *one = &maker.accesses.ones[i];
        if (one->kind == ACCESS_LOAD)
            loaded(one, i);
        else if (one->kind == ACCESS_STORE)
            stored(one, i, old);
        else if (one->kind == ACCESS_WRITE)
            call_wide("access_store_now", access_store_now, one, i);
        else if (one->kind == ACCESS_SWAP)
            swapped(one, i);
        else if (one->kind == ACCESS_LOOP)
            mark(STREAM_LOOP, i);
    }
    maker.next = last;
}

/* ---------------------------------------------------------------------------- the block's ends -- */

/* Whether accesses are watched; NULL: always. */
static IRExpr *enter_burst(void)
{
    if (!config_get()->burst_on)
        return NULL;
    IRExpr *left = keep(Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, pointer(&burst_left)));
    left = binary(Ity_I64, Iop_Sub64, left, word(maker.accesses.instructions));
    store(pointer(&burst_left), left);
    call("burst_switch", burst_switch, mkIRExprVec_0(), binary(Ity_I1, Iop_CmpLT64S, left, word(0)));
    return binary(Ity_I1, Iop_CmpNE32, load32(&burst_watching), IRExpr_Const(IRConst_U32(0)));
}

/* Where the record goes, which is unknown yet how long it will be. */
static void begin_record(IRExpr *watching)
{
    IRExpr *full = binary(Ity_I1, Iop_CmpLT64U, pointer(&stream_buffer[STREAM_LIMIT / sizeof(ULong)]),
                          keep(Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, pointer(&stream_next))));
    call("stream_make_room", stream_make_room, mkIRExprVec_0(), full);
    maker.record = keep(Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, pointer(&stream_next)));
    maker.record_bytes = IRConst_U64(0);
    IRExpr *end = binary(Ity_I64, Iop_Add64, maker.record, IRExpr_Const(maker.record_bytes));
    if (watching) {
        end = keep(Ity_I64, IRExpr_ITE(watching, end, maker.record));
        maker.record = keep(Ity_I64, IRExpr_ITE(watching, maker.record, pointer(stream_scratch)));
    }
    store(pointer(&stream_next), end);
    put_word(0, pointer(maker.block));
    put_word(1, load32(&context_node));
}

static void end_record(void)
{
    if (!maker.record)
        return;
    struct stream_op *ops = VG_(perm_malloc)(maker.op_count * sizeof *ops, sizeof(void *));
    VG_(memcpy)(ops, maker.ops, maker.op_count * sizeof *ops);
    maker.block->ops = ops;
    maker.block->op_count = maker.op_count;
    maker.block->words = maker.words;
    maker.record_bytes->Ico.U64 = maker.words * sizeof(ULong);
}

static void enter(Addr entry)
{
    enum heap_call heap = heap_call_at(entry);
    if (heap != HEAP_NONE)
        call("heap_enter", heap_enter,
             mkIRExprVec_5(word(heap), get(STATE(RSP)), get(STATE(RDI)), get(STATE(RSI)), get(STATE(RDX))), NULL);
    IRExpr *watching = enter_burst();
    if (maker.accesses.count > 0)
        begin_record(watching);
}

static void clear_popped(const struct stack_range *range)
{
    IRExpr *low = binary(Ity_I64, Iop_Sub64, get(STATE(RSP)), word(range->below));
    if (!maker.record) {
        call("stream_popped", stream_popped, mkIRExprVec_2(low, word(range->bytes)), NULL);
        return;
    }
    UInt at = new_op(STREAM_POPPED, 0, 2);
    put_word(at + 1, word(range->bytes));
    put_word(at, low);
}

/* The stack pointer was set to something else. */
static void put_moved(IRStmt *statement, ULong raised)
{
    IRExpr *before = get(STATE(RSP));
    addStmtToIRSB(maker.out, statement);
    if (!maker.record) {
        call("stream_moved", stream_moved, mkIRExprVec_3(before, get(STATE(RSP)), word(raised)), NULL);
        return;
    }
    UInt at = new_op(STREAM_MOVED, 0, 3);
    put_word(at + 1, get(STATE(RSP)));
    put_word(at + 2, word(raised));
    put_word(at, before);
}

static void leave(struct stack *stack)
{
    IRExpr *sp = get(STATE(RSP));
    struct stack_range popped;
    switch (maker.in->jumpkind) {
    case Ijk_Call:
        if (stack_flush(stack, &popped))
            clear_popped(&popped);
        call("frames_call", frames_call, mkIRExprVec_2(pointer(maker.block), sp), NULL);
        return;
    case Ijk_Ret:
        call("frames_return", frames_return, mkIRExprVec_3(sp, word(stack_take(stack)), get(STATE(RAX))), NULL);
        return;
    case Ijk_Sys_syscall:
        mark(STREAM_SYSTEM, maker.accesses.count - 1);
        break;
    default:
        if (maker.in->next->tag == Iex_Const)
            break;
        /* Out of an interpreter's loop, or by longjmp out of calls that then never return. */
        IRExpr *top = keep(Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, pointer(&frames_top)));
        call("frames_check", frames_check, mkIRExprVec_1(sp), binary(Ity_I1, Iop_CmpLT64U, top, sp));
    }
    if (stack_flush(stack, &popped))
        clear_popped(&popped);
}

/* What a statement does to the stack pointer: `before` it is known where it points. */
static void follow_stack(struct stack *stack, IRStmt *statement)
{
    struct stack_range popped;
    switch (stack_follow(stack, statement, &popped)) {
    case STACK_SAME:
        addStmtToIRSB(maker.out, statement);
        break;
    case STACK_POPPED:
        clear_popped(&popped);
        addStmtToIRSB(maker.out, statement);
        break;
    case STACK_UNKNOWN:
        put_moved(statement, popped.bytes);
        break;
    }
}

static Bool touches_stack(const IRStmt *statement)
{
    return statement->tag == Ist_Exit || (statement->tag == Ist_Put && statement->Ist.Put.offset == STATE(RSP));
}

static void make_block(void)
{
    const struct config *config = config_get();
    struct accesses_wanted wanted = {
        .loads = config->silent_loads || config->dead_stores || config->spatial,
        .stores = config->dead_stores || config->silent_stores,
        .loops = True,
    };
    accesses_find(maker.in, &wanted, &maker.accesses);
    maker.next = maker.op_count = 0;
    maker.words = STREAM_HEAD_WORDS;
    maker.record = NULL;
    maker.block = NULL;
    if (maker.accesses.count > 0 || maker.in->jumpkind == Ijk_Call)
        maker.block = context_block_new(maker.accesses.slots, maker.accesses.count, maker.accesses.last);
}

IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout, const VexGuestExtents *extents,
                 const VexArchInfo *host, IRType guest_word, IRType host_word)
{
    struct stack stack;
    Int i = 0;
    (void)closure, (void)layout, (void)extents, (void)host, (void)guest_word, (void)host_word;
    maker.in = in;
    maker.out = deepCopyIRSBExceptStmts(in);
    make_block();
    stack_begin(&stack, STATE(RSP));
    for (; i < in->stmts_used && in->stmts[i]->tag != Ist_IMark; i++)
        addStmtToIRSB(maker.out, in->stmts[i]);
    if (i < in->stmts_used)
        enter(in->stmts[i]->Ist.IMark.addr);
    for (; i < in->stmts_used; i++) {
        stack_look(&stack, in->stmts[i]);
        if (touches_stack(in->stmts[i]))
            follow_stack(&stack, in->stmts[i]);
        else
            put(in->stmts[i], i);
    }
    leave(&stack);
    end_record();
    return maker.out;
}
