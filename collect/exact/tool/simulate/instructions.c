#include "collect/exact/tool/simulate/instructions.h"

/*
 * The block of a rep string instruction goes back to it while it repeats. Valgrind supports none with a segment prefix
 * or with lock.
 */
static Bool instructions_is_repeated(Addr address, UInt length)
{
    const UChar *code = (const UChar *)address, *end = code + length;
    Bool repeats = False;
    for (; code < end && (*code == 0xf2 || *code == 0xf3 || *code == 0x66 || *code == 0x67 || *code >> 4 == 4); code++)
        repeats |= *code == 0xf2 || *code == 0xf3;
    return repeats && code < end && ((*code >= 0xa4 && *code <= 0xa7) || (*code >= 0xaa && *code <= 0xaf));
}

void instructions_mark(struct instructions *instructions, const IRStmt *mark)
{
    Addr address = mark->Ist.IMark.addr + mark->Ist.IMark.delta;
    if (address != instructions->address || !instructions->repeated)
        instructions->count++;
    instructions->address = address;
    instructions->repeated = instructions_is_repeated(address, mark->Ist.IMark.len);
}

/* Kinds that can lead back to the unfinished instruction itself; an int3 is finished. */
static Bool instructions_is_fault(IRJumpKind kind)
{
    return kind == Ijk_NoDecode || kind == Ijk_SigILL || kind == Ijk_SigSEGV || kind == Ijk_SigBUS ||
           kind == Ijk_SigFPE || kind == Ijk_SigFPE_IntDiv || kind == Ijk_SigFPE_IntOvf;
}

UInt instructions_done(const struct instructions *instructions, IRJumpKind kind, Addr target)
{
    return instructions->count -
           (target == instructions->address && (instructions->repeated || instructions_is_fault(kind)));
}

Addr instructions_target(const IRConst *constant)
{
    return constant->tag == Ico_U64 ? (Addr)constant->Ico.U64 : 0;
}

Addr instructions_end_target(const IRSB *block)
{
    return block->next->tag == Iex_Const ? instructions_target(block->next->Iex.Const.con) : 0;
}
