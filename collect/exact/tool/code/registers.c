#include "collect/exact/tool/code/registers.h"

#include <valgrind/pub_tool_libcbase.h>

#include "collect/exact/tool/code/ir.h"

enum { STATE_BYTES = sizeof(VexGuestAMD64State) };

/* Bytes of the state that are written later, before anything reads them: the block is followed backwards. */
static Bool rewritten[STATE_BYTES];

static void read(Int from, Int bytes)
{
    VG_(memset)(rewritten + from, False, (SizeT)bytes);
}

static void read_all(void)
{
    read(0, STATE_BYTES);
}

static Bool is_rewritten(Int from, Int bytes)
{
    for (Int i = from; i < from + bytes; i++)
        if (!rewritten[i])
            return False;
    return True;
}

/* Whether the write is in vain. */
static Bool write(const IRSB *block, const IRStmt *put)
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

/*
 * Whether the instruction before this mark divides. The core moves a division to the first statement that needs its
 * result: the instruction's own writes must stay, so that it isn't moved behind those of others.
 */
static Bool follows_division(const IRSB *block, Int mark)
{
    for (Int i = mark - 1; i >= 0 && block->stmts[i]->tag != Ist_IMark; i--)
        if (is_division(block->stmts[i]))
            return True;
    return False;
}

static void read_by_value(const IRExpr *data)
{
    if (data->tag == Iex_Get)
        read(data->Iex.Get.offset, sizeofIRType(data->Iex.Get.ty));
    else if (data->tag == Iex_GetI)
        read(data->Iex.GetI.descr->base, data->Iex.GetI.descr->nElems * sizeofIRType(data->Iex.GetI.descr->elemTy));
    else if (data->tag == Iex_Load)
        read_all();
}

static void read_by(const IRSB *block, Int number)
{
    const IRStmt *statement = block->stmts[number];
    switch (statement->tag) {
    case Ist_WrTmp:
        if (is_division(statement))
            read_all();
        else
            read_by_value(statement->Ist.WrTmp.data);
        break;
    case Ist_IMark:
        if (follows_division(block, number))
            read_all();
        break;
    case Ist_NoOp:
    case Ist_AbiHint:
    case Ist_PutI:
        break;
    default:
        read_all();
    }
}

void registers_drop_writes(IRSB *block)
{
    read_all();
    for (Int i = block->stmts_used - 1; i >= 0; i--) {
        if (block->stmts[i]->tag != Ist_Put)
            read_by(block, i);
        else if (write(block, block->stmts[i]))
            block->stmts[i] = IRStmt_NoOp();
    }
}
