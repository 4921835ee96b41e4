#include "collect/valgrind/processor.h"

#include <valgrind/pub_tool_basics.h>
#include <valgrind/pub_tool_libcbase.h>

#include "collect/valgrind/ir.h"

/* Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2A, CPUID. */
enum { FEATURES_LEAF = 7, FEATURES_ERMS = 1 << 9 };

static Bool is_cpuid(const IRStmt *statement)
{
    static const HChar NAME[] = "amd64g_dirtyhelper_CPUID_";
    return statement->tag == Ist_Dirty &&
           VG_(strncmp)(statement->Ist.Dirty.details->cee->name, NAME, sizeof NAME - 1) == 0;
}

void processor_put(IRSB *out, IRStmt *statement)
{
    if (!is_cpuid(statement)) {
        addStmtToIRSB(out, statement);
        return;
    }
    IRExpr *leaf = ir_unary(Ity_I32, Iop_64to32, ir_register(IR_STATE(RAX)));
    addStmtToIRSB(out, statement);
    IRExpr *asked = ir_binary(Ity_I1, Iop_CmpEQ32, leaf, IRExpr_Const(IRConst_U32(FEATURES_LEAF)));
    IRExpr *mask = ir_keep(Ity_I64, IRExpr_ITE(asked, ir_word(~(ULong)FEATURES_ERMS), ir_word(~0ULL)));
    addStmtToIRSB(out, IRStmt_Put(IR_STATE(RBX), ir_binary(Ity_I64, Iop_And64, ir_register(IR_STATE(RBX)), mask)));
}
