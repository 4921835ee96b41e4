#include "collect/exact/tool/code/translation.h"

#include "collect/exact/tool/code/ir.h"
#include "collect/exact/tool/state/context.h"
#include "collect/exact/tool/state/frames.h"

struct translation translation;

/* ---------------------------------------------------------------------------- instructions -- */

const struct accesses_instruction *translation_instruction(void)
{
    return translation.begun ? &translation.accesses.instructions[translation.begun - 1] : NULL;
}

Addr translation_last(void)
{
    return translation.accesses.instructions[translation.accesses.instruction_count - 1].address;
}

Addr translation_target(const IRConst *constant)
{
    return constant->tag == Ico_U64 ? (Addr)constant->Ico.U64 : 0;
}

/* Faults can lead back to the unfinished instruction itself; an int3 is finished. */
static UInt translation_done(const struct accesses_instruction *last, IRJumpKind kind, Addr target)
{
    Bool fault = kind == Ijk_NoDecode || kind == Ijk_SigILL || kind == Ijk_SigSEGV || kind == Ijk_SigBUS ||
                 kind == Ijk_SigFPE || kind == Ijk_SigFPE_IntDiv || kind == Ijk_SigFPE_IntOvf;
    return last->number - (target == last->address && (last->repeated || fault));
}

UInt translation_done_at_exit(const IRStmt *statement)
{
    return translation_done(translation_instruction(), statement->Ist.Exit.jk,
                            translation_target(statement->Ist.Exit.dst));
}

UInt translation_done_at_end(void)
{
    const IRSB *in = translation.in;
    Addr target = in->next->tag == Iex_Const ? translation_target(in->next->Iex.Const.con) : 0;
    return translation_done(&translation.accesses.instructions[translation.accesses.instruction_count - 1],
                            in->jumpkind, target);
}

/* ---------------------------------------------------------------------------- code of several modes -- */

static IRExpr *translation_equal(IRExpr *a, IRExpr *b)
{
    return ir_binary(Ity_I1, Iop_CmpEQ64, ir_widened(a, 8), ir_widened(b, 8));
}

IRExpr *translation_condition(const struct accesses_one *one)
{
    if (one->kind != ACCESS_SWAP)
        return one->guard;
    IRExpr *low = translation_equal(one->old, one->expected);
    return one->old_high ? ir_both(low, translation_equal(one->old_high, one->expected_high)) : low;
}

void translation_emit_frames(IRExpr *sp, struct context_block *block, ULong raised)
{
    const IRSB *in = translation.in;
    if (in->jumpkind == Ijk_Call) {
        block = block ? block : context_block_new(NULL, 0, translation_last());
        ir_call("frames_call", frames_call, mkIRExprVec_2(ir_pointer(block), sp), NULL);
    } else if (in->jumpkind == Ijk_Ret) {
        ir_call("frames_return", frames_return, mkIRExprVec_3(sp, ir_word(raised), ir_register(IR_STATE(RAX))), NULL);
    } else if (in->next->tag != Iex_Const) {
        /* Out of an interpreter's loop, or by longjmp out of calls, which then never return. */
        IRExpr *top = ir_variable(Ity_I64, &frames_top);
        ir_call("frames_check", frames_check, mkIRExprVec_1(sp), ir_binary(Ity_I1, Iop_CmpLT64U, top, sp));
    }
}

/* ---------------------------------------------------------------------------- the walk -- */

IRSB *translation_translate(IRSB *in, const struct translation_mode *mode)
{
    Int number = 0;
    translation.in = in;
    translation.out = deepCopyIRSBExceptStmts(in);
    translation.next = translation.begun = 0;
    ir_begin(translation.out);
    accesses_find(in, &mode->wanted, &translation.accesses);
    if (mode->prepare)
        mode->prepare(in);
    for (; in->stmts[number]->tag != Ist_IMark; number++)
        addStmtToIRSB(translation.out, in->stmts[number]);
    if (mode->start)
        mode->start();
    for (; number < in->stmts_used; number++) {
        IRStmt *statement = in->stmts[number];
        UInt first = translation.next, last = first;
        while (last < translation.accesses.count && translation.accesses.ones[last].statement == number)
            last++;
        if (mode->before)
            mode->before(statement);
        for (UInt slot = first; mode->before_access && slot < last; slot++)
            mode->before_access(slot);
        addStmtToIRSB(translation.out, statement);
        translation.begun += statement->tag == Ist_IMark;
        for (UInt slot = first; mode->after_access && slot < last; slot++)
            mode->after_access(slot);
        translation.next = last;
        if (mode->after)
            mode->after(statement);
    }
    if (mode->finish)
        mode->finish();
    return translation.out;
}
