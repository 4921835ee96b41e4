#include "collect/exact/tool/code/stack_pointer.h"

#include "collect/exact/tool/state/shadow_memory.h"

/* A stack pointer that jumps further than this switches to another stack. */
enum { SAME_STACK_BYTES = 1 << 26 };

void stack_begin(struct stack *stack, Int register_offset)
{
    stack->register_offset = register_offset;
    stack->now = 0;
    stack->raised = 0;
    stack->era = 1;
    for (UInt i = 0; i < STACK_TEMPS; i++)
        stack->eras[i] = 0;
}

static Bool stack_known_offset(const struct stack *stack, const IRExpr *expression, Long *offset)
{
    if (expression->tag != Iex_RdTmp || expression->Iex.RdTmp.tmp >= STACK_TEMPS ||
        stack->eras[expression->Iex.RdTmp.tmp] != stack->era)
        return False;
    *offset = stack->offsets[expression->Iex.RdTmp.tmp];
    return True;
}

void stack_look(struct stack *stack, const IRStmt *statement)
{
    if (statement->tag != Ist_WrTmp || statement->Ist.WrTmp.tmp >= STACK_TEMPS)
        return;
    const IRExpr *data = statement->Ist.WrTmp.data;
    Long offset;
    if (data->tag == Iex_Get && data->Iex.Get.offset == stack->register_offset) {
        offset = stack->now;
    } else if (data->tag == Iex_Binop) {
        IROp op = data->Iex.Binop.op;
        const IRExpr *second = data->Iex.Binop.arg2;
        if ((op != Iop_Add64 && op != Iop_Sub64) || !stack_known_offset(stack, data->Iex.Binop.arg1, &offset) ||
            second->tag != Iex_Const || second->Iex.Const.con->tag != Ico_U64)
            return;
        Long constant = (Long)second->Iex.Const.con->Ico.U64;
        offset = op == Iop_Add64 ? offset + constant : offset - constant;
    } else if (!stack_known_offset(stack, data, &offset)) {
        return;
    }
    stack->eras[statement->Ist.WrTmp.tmp] = stack->era;
    stack->offsets[statement->Ist.WrTmp.tmp] = offset;
}

Bool stack_flush(struct stack *stack, struct stack_range *popped)
{
    if (stack->raised == 0)
        return False;
    *popped = (struct stack_range){stack->raised + STACK_RED_ZONE, stack->raised};
    stack->raised = 0;
    return True;
}

ULong stack_take(struct stack *stack)
{
    ULong raised = stack->raised;
    stack->raised = 0;
    return raised;
}

enum stack_change stack_follow(struct stack *stack, const IRStmt *statement, struct stack_range *popped)
{
    Long offset;
    if (statement->tag != Ist_Put)
        return stack_flush(stack, popped) ? STACK_POPPED : STACK_SAME;
    if (!stack_known_offset(stack, statement->Ist.Put.data, &offset)) {
        stack->era++;
        stack->now = 0;
        popped->bytes = stack_take(stack);
        /* The stored temporary is the current position. */
        if (statement->Ist.Put.data->tag == Iex_RdTmp && statement->Ist.Put.data->Iex.RdTmp.tmp < STACK_TEMPS) {
            stack->eras[statement->Ist.Put.data->Iex.RdTmp.tmp] = stack->era;
            stack->offsets[statement->Ist.Put.data->Iex.RdTmp.tmp] = 0;
        }
        return STACK_UNKNOWN;
    }
    Long change = offset - stack->now;
    stack->now = offset;
    if (change >= 0) {
        stack->raised += (ULong)change;
        return STACK_SAME;
    }
    return stack_flush(stack, popped) ? STACK_POPPED : STACK_SAME;
}

void stack_popped(Addr low, ULong bytes)
{
    shadow_clear(low, bytes);
}

void stack_moved(Addr before, Addr after, ULong raised)
{
    Addr low = before - raised;
    if (after > low && after - low < SAME_STACK_BYTES)
        shadow_clear(low - STACK_RED_ZONE, after - low);
    else if (raised)
        shadow_clear(low - STACK_RED_ZONE, raised);
}
