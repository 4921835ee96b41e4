#include "collect/exact/tool/code/registers.h"

#include <valgrind/pub_tool_libcbase.h>

#include "collect/exact/tool/code/ir.h"

enum { STATE_BYTES = sizeof(VexGuestAMD64State) };

/* The block is scanned backwards: the bytes of the state that a later statement writes before any reads them. */
static Bool rewritten[STATE_BYTES];

static void registers_need(Int from, Int bytes)
{
    VG_(memset)(rewritten + from, False, (SizeT)bytes);
}

static void registers_need_all(void)
{
    registers_need(0, STATE_BYTES);
}

/* Division by zero faults, and so does one whose quotient is too large. */
static Bool registers_is_division(const IRStmt *statement)
{
    const IRExpr *data = statement->tag == Ist_WrTmp ? statement->Ist.WrTmp.data : NULL;
    if (!data || data->tag != Iex_Binop)
        return False;
    switch (data->Iex.Binop.op) {
    case Iop_DivModU64to32:
    case Iop_DivModS64to32:
    case Iop_DivModU128to64:
    case Iop_DivModS128to64:
        return True;
    default:
        return False;
    }
}

/* Whether its value is passed to a helper, which holds the load where it is. */
static Bool registers_load_is_passed(const struct accesses *passed, Int statement)
{
    for (UInt i = 0; passed && i < passed->count; i++)
        if (passed->ones[i].statement == statement)
            return passed->ones[i].kind == ACCESS_LOAD && passed->ones[i].value &&
                   passed->slots[i].size <= sizeof(ULong);
    return False;
}

static Bool registers_is_load(const IRStmt *statement)
{
    return statement->tag == Ist_WrTmp && statement->Ist.WrTmp.data->tag == Iex_Load;
}

/*
 * Whether the instruction before this mark divides, or loads without passing the value on. The core moves such an
 * expression to the first statement that needs its result, and removes it if none does: the instruction's own writes
 * must stay, so that it stays before the writes of later instructions.
 */
static Bool registers_follow_movable(const IRSB *block, Int mark, const struct accesses *passed)
{
    for (Int i = mark - 1; i >= 0 && block->stmts[i]->tag != Ist_IMark; i--)
        if (registers_is_division(block->stmts[i]) ||
            (registers_is_load(block->stmts[i]) && !registers_load_is_passed(passed, i)))
            return True;
    return False;
}

static void registers_need_for_statement(const IRSB *block, Int number, const struct accesses *passed)
{
    const IRStmt *statement = block->stmts[number];
    const IRExpr *data;
    switch (statement->tag) {
    case Ist_WrTmp:
        data = statement->Ist.WrTmp.data;
        if (registers_is_division(statement) || registers_is_load(statement))
            registers_need_all();
        else if (data->tag == Iex_Get)
            registers_need(data->Iex.Get.offset, sizeofIRType(data->Iex.Get.ty));
        else if (data->tag == Iex_GetI)
            registers_need(data->Iex.GetI.descr->base,
                           data->Iex.GetI.descr->nElems * sizeofIRType(data->Iex.GetI.descr->elemTy));
        break;
    case Ist_IMark:
        if (registers_follow_movable(block, number, passed))
            registers_need_all();
        break;
    case Ist_NoOp:
    case Ist_AbiHint:
    case Ist_PutI:
        break;
    default:
        registers_need_all();
    }
}

void registers_drop_writes(IRSB *block, const struct accesses *passed)
{
    registers_need_all();
    for (Int i = block->stmts_used - 1; i >= 0; i--) {
        const IRStmt *put = block->stmts[i];
        if (put->tag != Ist_Put) {
            registers_need_for_statement(block, i, passed);
            continue;
        }
        Int from = put->Ist.Put.offset, bytes = sizeofIRType(typeOfIRExpr(block->tyenv, put->Ist.Put.data)), done = 0;
        if (from == IR_STATE(RSP))
            continue;
        while (done < bytes && rewritten[from + done])
            done++;
        VG_(memset)(rewritten + from, True, (SizeT)bytes);
        if (done == bytes)
            block->stmts[i] = IRStmt_NoOp();
    }
}
