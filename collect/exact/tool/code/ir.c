#include "collect/exact/tool/code/ir.h"

#include <valgrind/pub_tool_libcassert.h>
#include <valgrind/pub_tool_machine.h>
#include <valgrind/pub_tool_tooliface.h>

static IRSB *block;

void ir_begin(IRSB *out)
{
    block = out;
}

IRExpr *ir_keep(IRType type, IRExpr *expression)
{
    IRTemp temp = newIRTemp(block->tyenv, type);
    addStmtToIRSB(block, IRStmt_WrTmp(temp, expression));
    return IRExpr_RdTmp(temp);
}

IRExpr *ir_word(ULong value)
{
    return IRExpr_Const(IRConst_U64(value));
}

IRExpr *ir_pointer(const void *address)
{
    return ir_word((ULong)(Addr)address);
}

IRExpr *ir_load(IRType type, IRExpr *address)
{
    return ir_keep(type, IRExpr_Load(Iend_LE, type, address));
}

IRExpr *ir_variable(IRType type, const void *address)
{
    return ir_load(type, ir_pointer(address));
}

IRExpr *ir_register(Int offset)
{
    return ir_keep(Ity_I64, IRExpr_Get(offset, Ity_I64));
}

IRExpr *ir_unary(IRType type, IROp op, IRExpr *a)
{
    return ir_keep(type, IRExpr_Unop(op, a));
}

IRExpr *ir_binary(IRType type, IROp op, IRExpr *a, IRExpr *b)
{
    return ir_keep(type, IRExpr_Binop(op, a, b));
}

IRExpr *ir_both(IRExpr *a, IRExpr *b)
{
    return !a ? b : !b ? a : ir_binary(Ity_I1, Iop_And1, a, b);
}

void ir_store_if(IRExpr *address, IRExpr *value, IRExpr *guard)
{
    if (guard)
        addStmtToIRSB(block, IRStmt_StoreG(Iend_LE, address, value, guard));
    else
        ir_store(address, value);
}

void ir_store(IRExpr *address, IRExpr *value)
{
    addStmtToIRSB(block, IRStmt_Store(Iend_LE, address, value));
}

void ir_call(const HChar *name, void *function, IRExpr **arguments, IRExpr *guard)
{
    IRDirty *dirty = unsafeIRDirty_0_N(0, name, VG_(fnptr_to_fnentry)(function), arguments);
    if (guard)
        dirty->guard = guard;
    addStmtToIRSB(block, IRStmt_Dirty(dirty));
}

IRExpr *ir_widened(IRExpr *value, UInt size)
{
    IRType type = typeOfIRExpr(block->tyenv, value);
    IRExpr *word = value;
    switch (type) {
    case Ity_I1:
        word = ir_unary(Ity_I64, Iop_1Uto64, value);
        break;
    case Ity_I8:
        word = ir_unary(Ity_I64, Iop_8Uto64, value);
        break;
    case Ity_I16:
        word = ir_unary(Ity_I64, Iop_16Uto64, value);
        break;
    case Ity_I32:
        word = ir_unary(Ity_I64, Iop_32Uto64, value);
        break;
    case Ity_F32:
        word = ir_unary(Ity_I64, Iop_32Uto64, ir_unary(Ity_I32, Iop_ReinterpF32asI32, value));
        break;
    case Ity_F64:
        word = ir_unary(Ity_I64, Iop_ReinterpF64asI64, value);
        break;
    default:
        tl_assert(type == Ity_I64);
    }
    return sizeofIRType(type) > (Int)size ? ir_binary(Ity_I64, Iop_And64, word, ir_word((1ULL << size * 8) - 1)) : word;
}

IRExpr *ir_joined(IRExpr *low, IRExpr *high, UInt size)
{
    if (!high)
        return ir_widened(low, size);
    IRExpr *bits = IRExpr_Const(IRConst_U8((UChar)(size * 4)));
    IRExpr *upper = ir_binary(Ity_I64, Iop_Shl64, ir_widened(high, size / 2), bits);
    return ir_binary(Ity_I64, Iop_Or64, upper, ir_widened(low, size / 2));
}

IRExpr *ir_widened_if(IRExpr *address, UInt size, IRExpr *guard)
{
    IRTemp temp = newIRTemp(block->tyenv, size == 8 ? Ity_I64 : Ity_I32);
    IRLoadGOp op = size == 8 ? ILGop_Ident64 : size == 4 ? ILGop_Ident32 : size == 2 ? ILGop_16Uto32 : ILGop_8Uto32;
    IRExpr *none = size == 8 ? ir_word(0) : IRExpr_Const(IRConst_U32(0));
    addStmtToIRSB(block, IRStmt_LoadG(Iend_LE, op, temp, address, none, guard));
    return ir_widened(IRExpr_RdTmp(temp), size);
}
