/* waste_block.c - the modes of waste: calls to access.h around each access, with its handle in the calling context. */
#include "collect/exact/tool/tool.h"

#include "collect/exact/tool/code/ir.h"
#include "collect/exact/tool/code/registers.h"
#include "collect/exact/tool/code/rep.h"
#include "collect/exact/tool/code/stack_pointer.h"
#include "collect/exact/tool/code/translation.h"
#include "collect/exact/tool/kinds/access.h"
#include "collect/exact/tool/kinds/burst.h"
#include "collect/exact/tool/state/config.h"
#include "collect/exact/tool/state/context.h"
#include "collect/exact/tool/state/heap.h"

/* The block under translation. */
static struct {
    struct context_block *block; /* NULL: no slots and no call */
    IRExpr *handles;             /* their position */
    IRExpr *watching;            /* guard of all accesses in a burst; NULL: always */
    IRExpr *old, *old_high; /* contents before the statement's store; old: NULL: not available; high: of 16 bytes */
    struct stack stack;
    IRExpr *moved_from; /* the stack pointer before a statement that moves it to an unknown address; else NULL */
    ULong raised;       /* before that */
} builder;

/* ---------------------------------------------------------------------------- arguments -- */

static IRExpr *waste_block_handle(UInt slot)
{
    IRExpr *at = slot ? ir_binary(Ity_I64, Iop_Add64, builder.handles, ir_word(slot * sizeof(UInt))) : builder.handles;
    return ir_load(Ity_I32, at);
}

/* The `where` argument for the helpers of access.h; those for one size know the size. */
static IRExpr *waste_block_where(UInt slot, Bool sized)
{
    const struct context_slot *of = &translation.accesses.slots[slot];
    ULong constant = (ULong)of->lane << ACCESS_LANE_SHIFT | (sized ? (ULong)of->size << ACCESS_SIZE_SHIFT : 0);
    IRExpr *handle = ir_unary(Ity_I64, Iop_32Uto64, waste_block_handle(slot));
    return constant ? ir_binary(Ity_I64, Iop_Or64, handle, ir_word(constant)) : handle;
}

static IRExpr *waste_block_guard(const struct accesses_one *one)
{
    return ir_both(translation_condition(one), builder.watching);
}

static Bool waste_block_is_narrow(UInt size)
{
    return size == 1 || size == 2 || size == 4 || size == 8;
}

/* ---------------------------------------------------------------------------- accesses -- */

static void waste_block_emit_load(const struct accesses_one *one, UInt slot)
{
    UInt size = translation.accesses.slots[slot].size;
    Bool compares = config_get()->silent_loads || config_get()->spatial;
    IRExpr *guard = waste_block_guard(one);
    if (one->old && size == 16 && compares) {
        ir_call("wide_load_halves", wide_load_halves,
                mkIRExprVec_4(one->address, one->old, one->old_high, waste_block_where(slot, True)), guard);
    } else if (one->kind == ACCESS_READ || !waste_block_is_narrow(size)) {
        IRExpr **arguments = mkIRExprVec_2(one->address, waste_block_where(slot, True));
        ir_call(compares ? "wide_load" : "wide_read", compares ? wide_load : wide_read, arguments, guard);
    } else {
        struct access_helper helper = access_load_helper(size, translation.accesses.slots[slot].lane != 0);
        IRExpr *value = one->old ? ir_joined(one->old, one->old_high, size) : ir_widened(one->value, size);
        ir_call(helper.name, helper.function, mkIRExprVec_3(one->address, value, waste_block_where(slot, False)),
                guard);
    }
}

static void waste_block_emit_store(const struct accesses_one *one, UInt slot)
{
    const struct context_slot *of = &translation.accesses.slots[slot];
    Bool swap = one->kind == ACCESS_SWAP, compares = config_get()->silent_stores;
    IRExpr *guard = waste_block_guard(one), *address = one->address, **arguments;
    IRExpr *old = swap ? one->old : builder.old, *old_high = swap ? one->old_high : builder.old_high;
    if (!old) {
        ir_call("wide_store", wide_store, mkIRExprVec_2(address, waste_block_where(slot, True)), guard);
        return;
    }
    if (of->size == 16) {
        ir_call("wide_store_halves", wide_store_halves,
                mkIRExprVec_4(address, old, old_high, waste_block_where(slot, True)), guard);
        return;
    }
    IRExpr *new = ir_joined(one->value, one->value_high, of->size);
    if (swap)
        old = ir_joined(old, old_high, of->size);
    struct access_helper helper = access_store_helper(of->size, of->lane != 0 && compares);
    if (of->lane != 0 && compares)
        arguments = mkIRExprVec_4(address, old, waste_block_where(slot, False), new);
    else if (compares)
        arguments = mkIRExprVec_3(address, ir_binary(Ity_I64, Iop_Xor64, old, new), waste_block_where(slot, False));
    else
        arguments = mkIRExprVec_3(address, ir_word(1), waste_block_where(slot, False));
    ir_call(helper.name, helper.function, arguments, guard);
}

/* Keeps the old contents for waste_block_emit_store(). */
static void waste_block_before_access(UInt slot)
{
    static const IRType TYPES[] = {[1] = Ity_I8, [2] = Ity_I16, [4] = Ity_I32, [8] = Ity_I64};
    const struct accesses_one *one = &translation.accesses.ones[slot];
    UInt size = translation.accesses.slots[slot].size;
    Bool narrow = waste_block_is_narrow(size), plain = narrow || (size == 16 && !one->guard);
    if (one->kind == ACCESS_READ)
        waste_block_emit_load(one, slot);
    if (one->kind != ACCESS_STORE && one->kind != ACCESS_WRITE)
        return;
    builder.old = builder.old_high = NULL;
    if (one->kind == ACCESS_WRITE || !plain) {
        IRExpr *guard = waste_block_guard(one);
        ir_call("wide_keep", wide_keep, mkIRExprVec_2(one->address, waste_block_where(slot, True)), guard);
    } else if (!config_get()->silent_stores) { /* not needed */
        builder.old = ir_word(0);
        builder.old_high = narrow ? NULL : ir_word(0);
    } else if (!narrow) {
        IRExpr *both = ir_load(Ity_V128, one->address);
        builder.old = ir_unary(Ity_I64, Iop_V128to64, both);
        builder.old_high = ir_unary(Ity_I64, Iop_V128HIto64, both);
    } else if (one->guard) {
        builder.old = ir_widened_if(one->address, size, one->guard);
    } else {
        builder.old = ir_widened(ir_load(TYPES[size], one->address), size);
    }
}

static void waste_block_after_access(UInt slot)
{
    const struct accesses_one *one = &translation.accesses.ones[slot];
    if (one->kind == ACCESS_LOAD) {
        waste_block_emit_load(one, slot);
    } else if (one->kind == ACCESS_STORE || one->kind == ACCESS_WRITE || one->kind == ACCESS_SWAP) {
        waste_block_emit_store(one, slot);
    } else if (one->kind == ACCESS_LOOP) { /* the handle is the number of a stamp, which is set to the new time */
        IRExpr *time = ir_binary(Ity_I32, Iop_Add32, ir_variable(Ity_I32, &context_time), IRExpr_Const(IRConst_U32(1)));
        ir_store_if(ir_pointer(&context_time), time, builder.watching);
        IRExpr *stamp = ir_unary(Ity_I64, Iop_32Uto64, waste_block_handle(slot));
        IRExpr *offset = ir_binary(Ity_I64, Iop_Shl64, stamp, IRExpr_Const(IRConst_U8(2)));
        ir_store_if(ir_binary(Ity_I64, Iop_Add64, offset, ir_pointer(context_stamps)), time, builder.watching);
        _Static_assert(sizeof *context_stamps == 4, "shifted by 2 above");
    }
}

/* ---------------------------------------------------------------------------- the stack -- */

static void waste_block_clear_popped(const struct stack_range *range)
{
    IRExpr *low = ir_binary(Ity_I64, Iop_Sub64, ir_register(IR_STATE(RSP)), ir_word(range->below));
    ir_call("stack_popped", stack_popped, mkIRExprVec_2(low, ir_word(range->bytes)), builder.watching);
}

static void waste_block_flush_popped(void)
{
    struct stack_range popped;
    if (stack_flush(&builder.stack, &popped))
        waste_block_clear_popped(&popped);
}

/* Tracks the statement's effect on the stack pointer, whose position is known before it. */
static void waste_block_before(const IRStmt *statement)
{
    struct stack_range popped;
    stack_look(&builder.stack, statement);
    if (statement->tag != Ist_Exit && (statement->tag != Ist_Put || statement->Ist.Put.offset != IR_STATE(RSP)))
        return;
    enum stack_change change = stack_follow(&builder.stack, statement, &popped);
    if (change == STACK_POPPED) {
        waste_block_clear_popped(&popped);
    } else if (change == STACK_UNKNOWN) {
        builder.moved_from = ir_register(IR_STATE(RSP));
        builder.raised = popped.bytes;
    }
}

static void waste_block_after(const IRStmt *statement)
{
    (void)statement;
    if (!builder.moved_from)
        return;
    ir_call("stack_moved", stack_moved,
            mkIRExprVec_3(builder.moved_from, ir_register(IR_STATE(RSP)), ir_word(builder.raised)), builder.watching);
    builder.moved_from = NULL;
}

/* ---------------------------------------------------------------------------- the block's ends -- */

static void waste_block_prepare(IRSB *in)
{
    const struct accesses *accesses = &translation.accesses;
    builder.block = NULL;
    if (accesses->count > 0 || in->jumpkind == Ijk_Call)
        builder.block = context_block_new(accesses->slots, accesses->count, translation_last());
    builder.watching = builder.moved_from = NULL;
    stack_begin(&builder.stack, IR_STATE(RSP));
    registers_drop_writes(in, config_get()->burst_on ? NULL : accesses);
}

/* `where` of the first access of that kind by the block's first instruction; 0: not needed. */
static IRExpr *waste_block_first_where(enum accesses_kind kind)
{
    const struct accesses *accesses = &translation.accesses;
    for (UInt i = 0; i < accesses->count && accesses->slots[i].address == accesses->instructions[0].address; i++)
        if (accesses->ones[i].kind == kind)
            return waste_block_where(i, False);
    return ir_word(0);
}

static void waste_block_start(void)
{
    enum heap_call heap = heap_call_at(translation.accesses.instructions[0].address);
    if (heap != HEAP_NONE)
        ir_call("heap_enter", heap_enter,
                mkIRExprVec_5(ir_word(heap), ir_register(IR_STATE(RSP)), ir_register(IR_STATE(RDI)),
                              ir_register(IR_STATE(RSI)), ir_register(IR_STATE(RDX))),
                NULL);
    if (config_get()->burst_on) {
        IRExpr *left = ir_binary(Ity_I64, Iop_Sub64, ir_variable(Ity_I64, &burst_left),
                                 ir_word(translation.accesses.instruction_count));
        ir_store(ir_pointer(&burst_left), left);
        ir_call("burst_switch", burst_switch, mkIRExprVec_0(), ir_binary(Ity_I1, Iop_CmpLT64S, left, ir_word(0)));
        builder.watching =
            ir_binary(Ity_I1, Iop_CmpNE32, ir_variable(Ity_I32, &burst_watching), IRExpr_Const(IRConst_U32(0)));
    }
    if (translation.accesses.count == 0)
        return;
    IRExpr *elsewhere =
        ir_binary(Ity_I1, Iop_CmpNE32, ir_variable(Ity_I32, &context_node), ir_variable(Ity_I32, &builder.block->node));
    ir_call("context_enter", context_enter, mkIRExprVec_1(ir_pointer(builder.block)),
            ir_both(elsewhere, builder.watching));
    builder.handles = ir_variable(Ity_I64, &builder.block->handles);
    struct rep_form form = rep_form_of(&translation.accesses.instructions[0]);
    if (form.size)
        addStmtToIRSB(translation.out,
                      rep_call(&form, waste_block_first_where(ACCESS_LOAD), waste_block_first_where(ACCESS_STORE)));
}

static void waste_block_finish(void)
{
    IRJumpKind kind = translation.in->jumpkind;
    IRExpr *sp = ir_register(IR_STATE(RSP));
    if (kind == Ijk_Call)
        waste_block_flush_popped();
    if (kind == Ijk_Sys_syscall) {
        IRExpr *handle = waste_block_handle(translation.accesses.count - 1);
        if (builder.watching) /* in a gap between bursts a block's handles are not those of its context */
            handle = ir_keep(Ity_I32, IRExpr_ITE(builder.watching, handle, IRExpr_Const(IRConst_U32(0))));
        ir_store(ir_pointer(&system_context), handle);
    }
    translation_emit_frames(sp, builder.block, kind == Ijk_Ret ? stack_take(&builder.stack) : 0);
    waste_block_flush_popped();
}

IRSB *waste_block_translate(IRSB *in)
{
    const struct config *config = config_get();
    const struct translation_mode mode = {
        .wanted = {.loads = config->silent_loads || config->dead_stores || config->spatial,
                   .stores = config->dead_stores || config->silent_stores,
                   .loops = True,
                   .system = True},
        .prepare = waste_block_prepare,
        .start = waste_block_start,
        .before = waste_block_before,
        .before_access = waste_block_before_access,
        .after_access = waste_block_after_access,
        .after = waste_block_after,
        .finish = waste_block_finish,
    };
    return translation_translate(in, &mode);
}
