#include "collect/exact/tool/code/registers.h"

#include <valgrind/pub_tool_libcbase.h>

#include "collect/exact/tool/code/ir.h"

enum { STATE_BYTES = sizeof(VexGuestAMD64State) };

/* The block is scanned backwards: the bytes of the state that a later statement writes before any reads them. */
static Bool rewritten[STATE_BYTES];

static void need(Int from, Int bytes)
{
    VG_(memset)(rewritten + from, False, (SizeT)bytes);
}

static void need_all(void)
{
    need(0, STATE_BYTES);
}

static Bool is_rewritten(Int from, Int bytes)
{
    for (Int i = from; i < from + bytes; i++)
        if (!rewritten[i])
            return False;
    return True;
}

/* Whether the write is in vain; if not, it makes earlier ones so. */
static Bool is_vain(const IRSB *block, const IRStmt *put)
{
    Int from = put->Ist.Put.offset, bytes = sizeofIRType(typeOfIRExpr(block->tyenv, put->Ist.Put.data));
    if (from == IR_STATE(RSP))
        return False;
    if (is_rewritten(from, bytes))
        return True;
    VG_(memset)(rewritten + from, True, (SizeT)bytes);
    return False;
}

/* Division by zero faults, and so does one whose quotient is too large. */
static Bool is_division(const IRStmt *statement)
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
static Bool is_passed(const struct accesses *passed, Int statement)
{
    for (UInt i = 0; passed && i < passed->count; i++)
        if (passed->ones[i].statement == statement)
            return passed->ones[i].kind == ACCESS_LOAD && passed->ones[i].value &&
                   passed->slots[i].size <= sizeof(ULong);
    return False;
}

static Bool is_load(const IRStmt *statement)
{
    return statement->tag == Ist_WrTmp && statement->Ist.WrTmp.data->tag == Iex_Load;
}

/*
 * Whether the instruction before this mark divides, or loads without passing the value on. The core moves such an
 * expression to the first statement that needs its result, and removes it if none does: the instruction's own writes
 * must stay, so that it stays before the writes of later instructions.
 */
static Bool follows_movable(const IRSB *block, Int mark, const struct accesses *passed)
{
    for (Int i = mark - 1; i >= 0 && block->stmts[i]->tag != Ist_IMark; i--)
        if (is_division(block->stmts[i]) || (is_load(block->stmts[i]) && !is_passed(passed, i)))
            return True;
    return False;
}

static void need_for_value(const IRExpr *data)
{
    if (data->tag == Iex_Get)
        need(data->Iex.Get.offset, sizeofIRType(data->Iex.Get.ty));
    else if (data->tag == Iex_GetI)
        need(data->Iex.GetI.descr->base, data->Iex.GetI.descr->nElems * sizeofIRType(data->Iex.GetI.descr->elemTy));
}

static void need_for(const IRSB *block, Int number, const struct accesses *passed)
{
    const IRStmt *statement = block->stmts[number];
    switch (statement->tag) {
    case Ist_WrTmp:
        if (is_division(statement) || is_load(statement))
            need_all();
        else
            need_for_value(statement->Ist.WrTmp.data);
        break;
    case Ist_IMark:
        if (follows_movable(block, number, passed))
            need_all();
        break;
    case Ist_NoOp:
    case Ist_AbiHint:
    case Ist_PutI:
        break;
    default:
        need_all();
    }
}

void registers_drop_writes(IRSB *block, const struct accesses *passed)
{
    need_all();
    for (Int i = block->stmts_used - 1; i >= 0; i--) {
        if (block->stmts[i]->tag != Ist_Put)
            need_for(block, i, passed);
        else if (is_vain(block, block->stmts[i]))
            block->stmts[i] = IRStmt_NoOp();
    }
}
