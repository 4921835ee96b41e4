#include "collect/exact/tool/code/real.h"

static const IROp FLOATS[] = {Iop_Add32Fx4,    Iop_Sub32Fx4,      Iop_Mul32Fx4,      Iop_Div32Fx4,   Iop_Max32Fx4,
                              Iop_Min32Fx4,    Iop_CmpEQ32Fx4,    Iop_CmpLT32Fx4,    Iop_CmpLE32Fx4, Iop_CmpUN32Fx4,
                              Iop_Sqrt32Fx4,   Iop_RecipEst32Fx4, Iop_RSqrtEst32Fx4, Iop_Add32F0x4,  Iop_Sub32F0x4,
                              Iop_Mul32F0x4,   Iop_Div32F0x4,     Iop_Max32F0x4,     Iop_Min32F0x4,  Iop_CmpEQ32F0x4,
                              Iop_CmpLT32F0x4, Iop_CmpLE32F0x4,   Iop_Sqrt32F0x4,    Iop_Add32Fx8,   Iop_Sub32Fx8,
                              Iop_Mul32Fx8,    Iop_Div32Fx8,      Iop_Max32Fx8,      Iop_Min32Fx8,   Iop_Sqrt32Fx8};
static const IROp DOUBLES[] = {
    Iop_Add64Fx2,   Iop_Sub64Fx2,   Iop_Mul64Fx2,   Iop_Div64Fx2,    Iop_Max64Fx2,    Iop_Min64Fx2,    Iop_CmpEQ64Fx2,
    Iop_CmpLT64Fx2, Iop_CmpLE64Fx2, Iop_CmpUN64Fx2, Iop_Sqrt64Fx2,   Iop_Add64F0x2,   Iop_Sub64F0x2,   Iop_Mul64F0x2,
    Iop_Div64F0x2,  Iop_Max64F0x2,  Iop_Min64F0x2,  Iop_CmpEQ64F0x2, Iop_CmpLT64F0x2, Iop_CmpLE64F0x2, Iop_Sqrt64F0x2,
    Iop_Add64Fx4,   Iop_Sub64Fx4,   Iop_Mul64Fx4,   Iop_Div64Fx4,    Iop_Max64Fx4,    Iop_Min64Fx4,    Iop_Sqrt64Fx4};

static Bool is_among(const IROp *ops, UInt count, IROp op)
{
    for (UInt i = 0; i < count; i++)
        if (ops[i] == op)
            return True;
    return False;
}

UInt real_lane_of(IROp op)
{
    if (is_among(FLOATS, sizeof FLOATS / sizeof *FLOATS, op))
        return 4;
    return is_among(DOUBLES, sizeof DOUBLES / sizeof *DOUBLES, op) ? 8 : 0;
}

static Bool is_temp(const IRExpr *expression, IRTemp temp)
{
    return expression && expression->tag == Iex_RdTmp && expression->Iex.RdTmp.tmp == temp;
}

static UInt lane_of_expression(const IRExpr *e, IRTemp taken, Bool any)
{
    switch (e->tag) {
    case Iex_Unop:
        return any || is_temp(e->Iex.Unop.arg, taken) ? real_lane_of(e->Iex.Unop.op) : 0;
    case Iex_Binop:
        return any || is_temp(e->Iex.Binop.arg1, taken) || is_temp(e->Iex.Binop.arg2, taken)
                   ? real_lane_of(e->Iex.Binop.op)
                   : 0;
    case Iex_Triop:
        return any || is_temp(e->Iex.Triop.details->arg2, taken) || is_temp(e->Iex.Triop.details->arg3, taken)
                   ? real_lane_of(e->Iex.Triop.details->op)
                   : 0;
    default:
        return 0;
    }
}

UInt real_lane_of_temp(const IRSB *block, IRTemp temp)
{
    for (Int i = 0; i < block->stmts_used; i++) {
        const IRStmt *statement = block->stmts[i];
        if (statement->tag != Ist_WrTmp)
            continue;
        const IRExpr *data = statement->Ist.WrTmp.data;
        UInt lane = lane_of_expression(data, temp, statement->Ist.WrTmp.tmp == temp);
        if (lane)
            return lane;
    }
    return 0;
}
