#include "collect/exact/tool/code/registers.h"

#include <valgrind/pub_tool_libcbase.h>

#include "collect/exact/tool/code/ir.h"

enum { STATE_BYTES = sizeof(VexGuestAMD64State), WORD = sizeof(ULong) };

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

static void read_by_access(Bool all)
{
    if (all) {
        read_all();
        return;
    }
    read(IR_STATE(RIP), WORD);
    read(IR_STATE(RBP), WORD);
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
    if (from < IR_STATE(RSP) + WORD && from + bytes > IR_STATE(RSP))
        return False;
    if (is_rewritten(from, bytes))
        return True;
    VG_(memset)(rewritten + from, True, (SizeT)bytes);
    return False;
}

static void read_by_value(const IRExpr *data, Bool all)
{
    if (data->tag == Iex_Get)
        read(data->Iex.Get.offset, sizeofIRType(data->Iex.Get.ty));
    else if (data->tag == Iex_GetI)
        read(data->Iex.GetI.descr->base, data->Iex.GetI.descr->nElems * sizeofIRType(data->Iex.GetI.descr->elemTy));
    else if (data->tag == Iex_Load)
        read_by_access(all);
}

static void read_by(const IRStmt *statement, Bool all)
{
    switch (statement->tag) {
    case Ist_WrTmp:
        read_by_value(statement->Ist.WrTmp.data, all);
        break;
    case Ist_Store:
    case Ist_StoreG:
    case Ist_LoadG:
    case Ist_CAS:
    case Ist_LLSC:
        read_by_access(all);
        break;
    case Ist_Exit:
    case Ist_Dirty:
        read_all();
        break;
    default:
        break;
    }
}

void registers_drop_writes(IRSB *block, Bool all)
{
    read_all();
    for (Int i = block->stmts_used - 1; i >= 0; i--) {
        if (block->stmts[i]->tag != Ist_Put)
            read_by(block->stmts[i], all);
        else if (write(block, block->stmts[i]))
            block->stmts[i] = IRStmt_NoOp();
    }
}
