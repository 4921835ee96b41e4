#include "collect/exact/tool/tool.h"

#include <valgrind/pub_tool_libcassert.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_machine.h>

#include "collect/exact/tool/code/accesses.h"
#include "collect/exact/tool/code/ir.h"
#include "collect/exact/tool/code/registers.h"
#include "collect/exact/tool/code/rep.h"
#include "collect/exact/tool/code/stack_pointer.h"
#include "collect/exact/tool/kinds/access.h"
#include "collect/exact/tool/instances/instances.h"
#include "collect/exact/tool/kinds/burst.h"
#include "collect/exact/tool/memory/memory.h"
#include "collect/exact/tool/simulate/simulate.h"
#include "collect/exact/tool/state/config.h"
#include "collect/exact/tool/state/context.h"
#include "collect/exact/tool/state/frames.h"
#include "collect/exact/tool/state/heap.h"

/* The block under construction. */
struct builder {
    IRSB *out;
    const IRSB *in;
    struct accesses accesses;
    UInt next;                   /* the first one not yet in `out` */
    struct context_block *block; /* NULL: no slots and no call */
    IRExpr *handles;             /* their position */
    IRExpr *watching;            /* guard of all accesses in a burst; NULL: always */
};

static struct builder builder; /* one at a time */

/* ---------------------------------------------------------------------------- small expressions -- */

static IRExpr *instrument_load32(const void *address)
{
    return ir_load(Ity_I32, ir_pointer(address));
}

static IRExpr *instrument_both_guards(IRExpr *a, IRExpr *b)
{
    return !a ? b : !b ? a : ir_binary(Ity_I1, Iop_And1, a, b);
}

static Bool instrument_is_narrow(UInt size)
{
    return size == 1 || size == 2 || size == 4 || size == 8;
}

/* ---------------------------------------------------------------------------- accesses -- */

static IRExpr *instrument_handle(UInt slot)
{
    IRExpr *at = slot ? ir_binary(Ity_I64, Iop_Add64, builder.handles, ir_word(slot * sizeof(UInt))) : builder.handles;
    return ir_load(Ity_I32, at);
}

/* The `where` argument for the helpers of access.h; those for one size know the size. */
static IRExpr *instrument_where(UInt slot, Bool sized)
{
    const struct context_slot *of = &builder.accesses.slots[slot];
    ULong constant = (ULong)of->lane << ACCESS_LANE_SHIFT | (sized ? (ULong)of->size << ACCESS_SIZE_SHIFT : 0);
    IRExpr *handle = ir_unary(Ity_I64, Iop_32Uto64, instrument_handle(slot));
    return constant ? ir_binary(Ity_I64, Iop_Or64, handle, ir_word(constant)) : handle;
}

static void instrument_loop(UInt slot)
{
    IRExpr *time = ir_binary(Ity_I32, Iop_Add32, instrument_load32(&context_time), IRExpr_Const(IRConst_U32(1)));
    ir_store_if(ir_pointer(&context_time), time, builder.watching);
    IRExpr *stamp = ir_unary(Ity_I64, Iop_32Uto64, instrument_handle(slot));
    IRExpr *offset = ir_binary(Ity_I64, Iop_Shl64, stamp, IRExpr_Const(IRConst_U8(2)));
    ir_store_if(ir_binary(Ity_I64, Iop_Add64, offset, ir_pointer(context_stamps)), time, builder.watching);
}
_Static_assert(sizeof *context_stamps == 4, "shifted by 2 above");

static Bool instrument_compares_loads(void)
{
    return config_get()->silent_loads || config_get()->spatial;
}

static void instrument_wide_load(const struct accesses_one *one, UInt slot, IRExpr *guard)
{
    IRExpr **arguments = mkIRExprVec_2(one->address, instrument_where(slot, True));
    if (instrument_compares_loads())
        ir_call("wide_load", wide_load, arguments, guard);
    else
        ir_call("wide_read", wide_read, arguments, guard);
}

static void instrument_load(const struct accesses_one *one, UInt slot)
{
    UInt size = builder.accesses.slots[slot].size;
    IRExpr *guard = instrument_both_guards(one->guard, builder.watching);
    if (one->old && size == 16 && instrument_compares_loads()) {
        ir_call("wide_load_halves", wide_load_halves,
                mkIRExprVec_4(one->address, one->old, one->old_high, instrument_where(slot, True)), guard);
        return;
    }
    if (!instrument_is_narrow(size)) {
        instrument_wide_load(one, slot, guard);
        return;
    }
    struct access_helper helper = access_load_helper(size, builder.accesses.slots[slot].lane != 0);
    IRExpr *value = one->old ? ir_joined(one->old, one->old_high, size) : ir_widened(one->value, size);
    ir_call(helper.name, helper.function, mkIRExprVec_3(one->address, value, instrument_where(slot, False)), guard);
}

/* The old contents before a store; low is NULL if they are not available. */
struct before {
    IRExpr *low, *high; /* high: of 16 bytes */
};

/* For a narrow store: 0 if not needed. */
static IRExpr *instrument_old_value(const struct accesses_one *one, UInt size)
{
    static const IRType TYPES[] = {[1] = Ity_I8, [2] = Ity_I16, [4] = Ity_I32, [8] = Ity_I64};
    static const IRLoadGOp GUARDED[] = {
        [1] = ILGop_8Uto32, [2] = ILGop_16Uto32, [4] = ILGop_Ident32, [8] = ILGop_Ident64};
    if (!config_get()->silent_stores)
        return ir_word(0);
    if (!one->guard)
        return ir_widened(ir_load(TYPES[size], one->address), size);
    IRTemp temp = newIRTemp(builder.out->tyenv, size == 8 ? Ity_I64 : Ity_I32);
    IRExpr *none = size == 8 ? ir_word(0) : IRExpr_Const(IRConst_U32(0));
    addStmtToIRSB(builder.out, IRStmt_LoadG(Iend_LE, GUARDED[size], temp, one->address, none, one->guard));
    return ir_widened(IRExpr_RdTmp(temp), size);
}

/* Before the statement; the result is for instrument_store(). */
static struct before instrument_before_store(const struct accesses_one *one, UInt slot)
{
    UInt size = builder.accesses.slots[slot].size;
    if (instrument_is_narrow(size) && one->kind == ACCESS_STORE)
        return (struct before){.low = instrument_old_value(one, size)};
    if (size == 16 && one->kind == ACCESS_STORE && !one->guard) {
        if (!config_get()->silent_stores)
            return (struct before){ir_word(0), ir_word(0)};
        IRExpr *halves = ir_load(Ity_V128, one->address);
        return (struct before){ir_unary(Ity_I64, Iop_V128to64, halves), ir_unary(Ity_I64, Iop_V128HIto64, halves)};
    }
    ir_call("wide_keep", wide_keep, mkIRExprVec_2(one->address, instrument_where(slot, True)),
            instrument_both_guards(one->guard, builder.watching));
    return (struct before){NULL, NULL};
}

/* A narrow store. */
static void instrument_narrow_store(IRExpr *address, IRExpr *old, IRExpr *new, UInt slot, IRExpr *guard)
{
    const struct context_slot *of = &builder.accesses.slots[slot];
    Bool approximate = of->lane != 0 && config_get()->silent_stores;
    struct access_helper helper = access_store_helper(of->size, approximate);
    IRExpr **arguments =
        approximate ? mkIRExprVec_4(address, old, instrument_where(slot, False), new)
        : config_get()->silent_stores
            ? mkIRExprVec_3(address, ir_binary(Ity_I64, Iop_Xor64, old, new), instrument_where(slot, False))
            : mkIRExprVec_3(address, ir_word(1), instrument_where(slot, False));
    ir_call(helper.name, helper.function, arguments, guard);
}

static void instrument_store(const struct accesses_one *one, UInt slot, struct before old)
{
    IRExpr *guard = instrument_both_guards(one->guard, builder.watching);
    if (old.high)
        ir_call("wide_store_halves", wide_store_halves,
                mkIRExprVec_4(one->address, old.low, old.high, instrument_where(slot, True)), guard);
    else if (old.low)
        instrument_narrow_store(one->address, old.low, ir_widened(one->value, builder.accesses.slots[slot].size), slot,
                                guard);
    else
        ir_call("wide_store", wide_store, mkIRExprVec_2(one->address, instrument_where(slot, True)), guard);
}

static IRExpr *instrument_swap_condition(const struct accesses_one *one, UInt size)
{
    UInt half = one->old_high ? size / 2 : size;
    IRExpr *low = ir_binary(Ity_I1, Iop_CmpEQ64, ir_widened(one->old, half), ir_widened(one->expected, half));
    if (!one->old_high)
        return low;
    return instrument_both_guards(
        low, ir_binary(Ity_I1, Iop_CmpEQ64, ir_widened(one->old_high, half), ir_widened(one->expected_high, half)));
}

static void instrument_swap(const struct accesses_one *one, UInt slot)
{
    UInt size = builder.accesses.slots[slot].size;
    IRExpr *guard = instrument_both_guards(instrument_swap_condition(one, size), builder.watching);
    if (size == 16) {
        ir_call("wide_store_halves", wide_store_halves,
                mkIRExprVec_4(one->address, one->old, one->old_high, instrument_where(slot, True)), guard);
        return;
    }
    instrument_narrow_store(one->address, ir_joined(one->old, one->old_high, size),
                            ir_joined(one->value, one->value_high, size), slot, guard);
}

/* Emits the statement and what belongs before and after it. */
static void instrument_statement(IRStmt *statement, Int number)
{
    struct before old[2] = {{NULL, NULL}, {NULL, NULL}};
    UInt first = builder.next, last = first;
    while (last < builder.accesses.count && builder.accesses.ones[last].statement == number)
        last++;
    for (UInt i = first; i < last; i++) {
        const struct accesses_one *one = &builder.accesses.ones[i];
        if (one->kind == ACCESS_READ)
            instrument_wide_load(one, i, instrument_both_guards(one->guard, builder.watching));
        else if (one->kind == ACCESS_STORE || one->kind == ACCESS_WRITE)
            old[i - first] = instrument_before_store(one, i);
    }
    addStmtToIRSB(builder.out, statement);
    for (UInt i = first; i < last; i++) {
        const struct accesses_one *one = &builder.accesses.ones[i];
        if (one->kind == ACCESS_LOAD)
            instrument_load(one, i);
        else if (one->kind == ACCESS_STORE || one->kind == ACCESS_WRITE)
            instrument_store(one, i, old[i - first]);
        else if (one->kind == ACCESS_SWAP)
            instrument_swap(one, i);
        else if (one->kind == ACCESS_LOOP)
            instrument_loop(i);
    }
    builder.next = last;
}

/* ---------------------------------------------------------------------------- the block's ends -- */

static void instrument_burst(void)
{
    if (!config_get()->burst_on)
        return;
    IRExpr *left = ir_load(Ity_I64, ir_pointer(&burst_left));
    left = ir_binary(Ity_I64, Iop_Sub64, left, ir_word(builder.accesses.instructions));
    ir_store(ir_pointer(&burst_left), left);
    ir_call("burst_switch", burst_switch, mkIRExprVec_0(), ir_binary(Ity_I1, Iop_CmpLT64S, left, ir_word(0)));
    builder.watching = ir_binary(Ity_I1, Iop_CmpNE32, instrument_load32(&burst_watching), IRExpr_Const(IRConst_U32(0)));
}

/* `where` of the first access of that kind by the block's first instruction; 0: not needed. */
static IRExpr *instrument_first_where(Addr address, enum accesses_kind kind)
{
    for (UInt i = 0; i < builder.accesses.count && builder.accesses.slots[i].address == address; i++)
        if (builder.accesses.ones[i].kind == kind)
            return instrument_where(i, False);
    return ir_word(0);
}

static void instrument_block_start(const IRStmt *mark)
{
    Addr entry = mark->Ist.IMark.addr;
    enum heap_call heap = heap_call_at(entry);
    if (heap != HEAP_NONE)
        ir_call("heap_enter", heap_enter,
                mkIRExprVec_5(ir_word(heap), ir_register(IR_STATE(RSP)), ir_register(IR_STATE(RDI)),
                              ir_register(IR_STATE(RSI)), ir_register(IR_STATE(RDX))),
                NULL);
    instrument_burst();
    if (builder.accesses.count == 0)
        return;
    IRExpr *elsewhere =
        ir_binary(Ity_I1, Iop_CmpNE32, instrument_load32(&context_node), instrument_load32(&builder.block->node));
    ir_call("context_enter", context_enter, mkIRExprVec_1(ir_pointer(builder.block)),
            instrument_both_guards(elsewhere, builder.watching));
    builder.handles = ir_load(Ity_I64, ir_pointer(&builder.block->handles));
    struct rep_form form = rep_form_of(mark);
    Addr address = entry + mark->Ist.IMark.delta;
    if (form.size)
        addStmtToIRSB(builder.out, rep_call(&form, instrument_first_where(address, ACCESS_LOAD),
                                            instrument_first_where(address, ACCESS_STORE)));
}

static void instrument_clear_popped(const struct stack_range *range)
{
    IRExpr *low = ir_binary(Ity_I64, Iop_Sub64, ir_register(IR_STATE(RSP)), ir_word(range->below));
    ir_call("stack_popped", stack_popped, mkIRExprVec_2(low, ir_word(range->bytes)), builder.watching);
}

static void instrument_block_end(struct stack *stack)
{
    IRExpr *sp = ir_register(IR_STATE(RSP)), *handle;
    struct stack_range popped;
    switch (builder.in->jumpkind) {
    case Ijk_Call:
        if (stack_flush(stack, &popped))
            instrument_clear_popped(&popped);
        ir_call("frames_call", frames_call, mkIRExprVec_2(ir_pointer(builder.block), sp), NULL);
        return;
    case Ijk_Ret:
        ir_call("frames_return", frames_return,
                mkIRExprVec_3(sp, ir_word(stack_take(stack)), ir_register(IR_STATE(RAX))), NULL);
        return;
    case Ijk_Sys_syscall:
        handle = instrument_handle(builder.accesses.count - 1);
        if (builder.watching) /* in a gap between bursts a block's handles are not those of its context */
            handle = ir_keep(Ity_I32, IRExpr_ITE(builder.watching, handle, IRExpr_Const(IRConst_U32(0))));
        ir_store(ir_pointer(&system_context), handle);
        break;
    default:
        if (builder.in->next->tag == Iex_Const)
            break;
        /* Out of an interpreter's loop, or by longjmp out of calls, which then never return. */
        ir_check_frames(sp);
    }
    if (stack_flush(stack, &popped))
        instrument_clear_popped(&popped);
}

/* Tracks a statement's effect on the stack pointer: `before` the statement its position is known. */
static void instrument_stack_change(struct stack *stack, IRStmt *statement)
{
    struct stack_range popped;
    switch (stack_follow(stack, statement, &popped)) {
    case STACK_SAME:
        addStmtToIRSB(builder.out, statement);
        break;
    case STACK_POPPED:
        instrument_clear_popped(&popped);
        addStmtToIRSB(builder.out, statement);
        break;
    case STACK_UNKNOWN: {
        IRExpr *before = ir_register(IR_STATE(RSP));
        addStmtToIRSB(builder.out, statement);
        ir_call("stack_moved", stack_moved, mkIRExprVec_3(before, ir_register(IR_STATE(RSP)), ir_word(popped.bytes)),
                builder.watching);
        break;
    }
    }
}

static void instrument_make_block(void)
{
    const struct config *config = config_get();
    struct accesses_wanted wanted = {
        .loads = config->silent_loads || config->dead_stores || config->spatial,
        .stores = config->dead_stores || config->silent_stores,
        .loops = True,
    };
    accesses_find(builder.in, &wanted, &builder.accesses);
    builder.next = 0;
    builder.watching = NULL;
    builder.block = NULL;
    if (builder.accesses.count > 0 || builder.in->jumpkind == Ijk_Call)
        builder.block = context_block_new(builder.accesses.slots, builder.accesses.count, builder.accesses.last);
}

IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout, const VexGuestExtents *extents,
                 const VexArchInfo *host, IRType guest_word, IRType host_word)
{
    struct stack stack;
    Int i = 0;
    (void)closure, (void)layout, (void)extents, (void)host, (void)guest_word, (void)host_word;
    if (config_get()->unmeasured)
        return in;
    if (config_get()->methods)
        return simulate_instrument(in, NULL);
    if (config_get()->calls)
        return instances_instrument(in);
    if (config_get()->memory) {
        registers_drop_writes(in, NULL);
        return memory_instrument(in);
    }
    builder.in = in;
    builder.out = deepCopyIRSBExceptStmts(in);
    ir_begin(builder.out);
    instrument_make_block();
    registers_drop_writes(in, config_get()->burst_on ? NULL : &builder.accesses);
    stack_begin(&stack, IR_STATE(RSP));
    for (; i < in->stmts_used && in->stmts[i]->tag != Ist_IMark; i++)
        addStmtToIRSB(builder.out, in->stmts[i]);
    if (i < in->stmts_used)
        instrument_block_start(in->stmts[i]);
    for (; i < in->stmts_used; i++) {
        IRStmt *statement = in->stmts[i];
        stack_look(&stack, statement);
        if (statement->tag == Ist_Exit || (statement->tag == Ist_Put && statement->Ist.Put.offset == IR_STATE(RSP)))
            instrument_stack_change(&stack, statement);
        else
            instrument_statement(statement, i);
    }
    instrument_block_end(&stack);
    return builder.out;
}
