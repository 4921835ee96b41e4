#include "collect/exact/tool/code/ir.h"

#include <valgrind/pub_tool_libcassert.h>
#include <valgrind/pub_tool_machine.h>
#include <valgrind/pub_tool_tooliface.h>

#include "collect/exact/tool/state/frames.h"

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

static IRExpr *ir_extended(IRExpr *value, IRType type)
{
    switch (type) {
    case Ity_I1:
        return ir_unary(Ity_I64, Iop_1Uto64, value);
    case Ity_I8:
        return ir_unary(Ity_I64, Iop_8Uto64, value);
    case Ity_I16:
        return ir_unary(Ity_I64, Iop_16Uto64, value);
    case Ity_I32:
        return ir_unary(Ity_I64, Iop_32Uto64, value);
    case Ity_F32:
        return ir_unary(Ity_I64, Iop_32Uto64, ir_unary(Ity_I32, Iop_ReinterpF32asI32, value));
    case Ity_F64:
        return ir_unary(Ity_I64, Iop_ReinterpF64asI64, value);
    default:
        tl_assert(type == Ity_I64);
        return value;
    }
}

IRExpr *ir_widened(IRExpr *value, UInt size)
{
    IRType type = typeOfIRExpr(block->tyenv, value);
    IRExpr *word = ir_extended(value, type);
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

void ir_check_frames(IRExpr *sp)
{
    IRExpr *top = ir_load(Ity_I64, ir_pointer(&frames_top));
    ir_call("frames_check", frames_check, mkIRExprVec_1(sp), ir_binary(Ity_I1, Iop_CmpLT64U, top, sp));
}
