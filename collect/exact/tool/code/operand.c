#include "collect/exact/tool/code/operand.h"

#include "collect/x86/x86_access.h"

/* The accesses of an instruction's statements. */
struct seen {
    UInt loads, stores;
    Bool others;       /* guarded, atomic, or by a helper */
    Bool contiguous;   /* the loads: consecutive and of one size */
    UInt size;         /* of the loads */
    Int first, second; /* statements of loads; 0: none */
    Int last, store;
    Addr offset; /* of the next load, if it is contiguous, from `root` */
    const IRExpr *root;
};

/* An address as the sum of a temporary that is not itself such a sum (NULL: none) and a constant. */
static const IRExpr *operand_root(const IRSB *block, const IRExpr *address, Int end, Addr *offset)
{
    *offset = 0;
    for (Int i = end; address->tag == Iex_RdTmp && i >= 0; i--) {
        const IRStmt *statement = block->stmts[i];
        if (statement->tag != Ist_WrTmp || statement->Ist.WrTmp.tmp != address->Iex.RdTmp.tmp)
            continue;
        const IRExpr *sum = statement->Ist.WrTmp.data;
        if (sum->tag == Iex_RdTmp || sum->tag == Iex_Const) {
            address = sum;
            continue;
        }
        if (sum->tag != Iex_Binop || sum->Iex.Binop.op != Iop_Add64 || sum->Iex.Binop.arg2->tag != Iex_Const)
            break;
        *offset += sum->Iex.Binop.arg2->Iex.Const.con->Ico.U64;
        address = sum->Iex.Binop.arg1;
    }
    if (address->tag != Iex_Const)
        return address;
    *offset += address->Iex.Const.con->Ico.U64;
    return NULL;
}

static void operand_scan_statement(const IRSB *block, Int number, struct seen *seen)
{
    const IRStmt *statement = block->stmts[number];
    if (statement->tag == Ist_Store) {
        seen->stores++;
        seen->store = number;
    } else if (statement->tag == Ist_WrTmp && statement->Ist.WrTmp.data->tag == Iex_Load) {
        const IRExpr *load = statement->Ist.WrTmp.data;
        UInt size = (UInt)sizeofIRType(load->Iex.Load.ty);
        Addr offset;
        const IRExpr *root = operand_root(block, load->Iex.Load.addr, number - 1, &offset);
        if (seen->loads++ == 0) {
            seen->first = number;
            seen->contiguous = True;
            seen->size = size;
            seen->root = root;
        } else {
            Bool same_root = root && seen->root ? root->Iex.RdTmp.tmp == seen->root->Iex.RdTmp.tmp : root == seen->root;
            seen->contiguous &= size == seen->size && same_root && offset == seen->offset;
            seen->second = seen->second ? seen->second : number;
        }
        seen->last = number;
        seen->offset = offset + size;
    } else if (statement->tag == Ist_LoadG || statement->tag == Ist_StoreG || statement->tag == Ist_CAS ||
               statement->tag == Ist_LLSC || statement->tag == Ist_Dirty) {
        seen->others = True;
    }
}

void operand_find(const IRSB *block, Int mark, struct operand *operand)
{
    const IRStmt *begin = block->stmts[mark];
    Addr address = begin->Ist.IMark.addr + begin->Ist.IMark.delta;
    struct x86_access accesses[X86_ACCESSES_MAX];
    struct seen seen = {0};
    operand->kind = OPERAND_PLAIN;
    for (Int i = mark + 1; i < block->stmts_used && block->stmts[i]->tag != Ist_IMark; i++)
        operand_scan_statement(block, i, &seen);
    if (seen.others || (seen.loads < 2 && seen.stores != 1) ||
        x86_accesses((const uint8_t *)address, begin->Ist.IMark.len, address, accesses) != 1 || accesses[0].repeated ||
        !accesses[0].load)
        return;

    /* Fewer than 8 bytes never come in lanes. */
    UInt bytes = accesses[0].bytes;
    Bool halves = bytes == 8 && seen.loads == 2;
    if (accesses[0].store) {
        const IRStmt *store = block->stmts[seen.store];
        if (!seen.loads && seen.stores == 1 &&
            (UInt)sizeofIRType(typeOfIRExpr(block->tyenv, store->Ist.Store.data)) == bytes)
            *operand = (struct operand){OPERAND_FOLDED, seen.store, bytes, store->Ist.Store.addr, NULL, NULL};
    } else if (seen.loads >= 2 && !seen.stores && seen.contiguous && seen.loads * seen.size == bytes &&
               (bytes > 8 || halves)) {
        *operand = (struct operand){
            .kind = OPERAND_LANES,
            .statement = seen.last,
            .bytes = bytes,
            .address = block->stmts[seen.first]->Ist.WrTmp.data->Iex.Load.addr,
            .low = halves ? IRExpr_RdTmp(block->stmts[seen.first]->Ist.WrTmp.tmp) : NULL,
            .high = halves ? IRExpr_RdTmp(block->stmts[seen.second]->Ist.WrTmp.tmp) : NULL,
        };
    }
}
