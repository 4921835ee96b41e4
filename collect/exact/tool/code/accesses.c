#include "collect/exact/tool/code/accesses.h"

#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_libcassert.h>

#include "collect/exact/tool/code/operand.h"
#include "collect/exact/tool/code/real.h"
#include "collect/exact/tool/kinds/slow.h"
#include "collect/exact/tool/state/scope.h"
#include "collect/x86/x86.h"

/* The instruction whose statements are being examined. */
struct finder {
    const IRSB *block;
    const struct accesses_wanted *wanted;
    struct accesses *accesses;
    Int statement;
    Addr place;
    UInt real;   /* enum x86_real */
    Bool loaded; /* it has already loaded from memory */
    UChar slots; /* of it so far */
    struct operand operand;
};

static UInt lane_of(const struct finder *finder, const IRExpr *value)
{
    if (finder->real == X86_REAL_UNTYPED)
        return value && value->tag == Iex_RdTmp ? real_lane_of_temp(finder->block, value->Iex.RdTmp.tmp) : 0;
    return finder->real == X86_REAL_HALF ? 0 : finder->real;
}

static void add(struct finder *finder, UInt size, struct accesses_one one)
{
    struct accesses *accesses = finder->accesses;
    Bool store = one.kind == ACCESS_STORE || one.kind == ACCESS_SWAP || one.kind == ACCESS_WRITE;
    if (!(store ? finder->wanted->stores : finder->wanted->loads) || accesses->count >= ACCESSES_MAX - 2 ||
        size > SLOW_BYTES_MAX)
        return;
    one.statement = finder->statement;
    accesses->slots[accesses->count] = (struct context_slot){.address = finder->place,
                                                             .size = (UShort)size,
                                                             .store = store,
                                                             .lane = (UChar)lane_of(finder, one.value),
                                                             .number = finder->slots++};
    accesses->ones[accesses->count++] = one;
}

static void add_mark(struct finder *finder, enum accesses_kind kind)
{
    struct accesses *accesses = finder->accesses;
    accesses->slots[accesses->count] = (struct context_slot){.address = finder->place,
                                                             .store = kind == ACCESS_SYSTEM,
                                                             .header = kind == ACCESS_LOOP,
                                                             .number = finder->slots++};
    accesses->ones[accesses->count++] = (struct accesses_one){.kind = kind, .statement = finder->statement};
}

static void begin_instruction(struct finder *finder, const IRStmt *mark)
{
    struct x86_instruction decoded = {0};
    finder->place = mark->Ist.IMark.addr + mark->Ist.IMark.delta;
    x86_decode((const uint8_t *)finder->place, mark->Ist.IMark.len, finder->place, &decoded);
    finder->real = decoded.real;
    finder->loaded = False;
    finder->slots = 0;
    operand_find(finder->block, finder->statement, &finder->operand);
    finder->accesses->instructions++;
    finder->accesses->last = finder->place;
    if (finder->wanted->loops && finder->accesses->count < ACCESSES_MAX - 2 && scope_is_header(finder->place))
        add_mark(finder, ACCESS_LOOP);
}

static UInt size_of(const IRSB *block, const IRExpr *expression)
{
    return (UInt)sizeofIRType(typeOfIRExpr(block->tyenv, expression));
}

static void find_last_lane(struct finder *finder)
{
    const struct operand *operand = &finder->operand;
    if (operand->statement == finder->statement)
        add(finder, operand->bytes,
            (struct accesses_one){
                .kind = ACCESS_LOAD, .address = operand->address, .old = operand->low, .old_high = operand->high});
}

static void find_load(struct finder *finder, const IRStmt *statement)
{
    const IRExpr *data = statement->Ist.WrTmp.data;
    if (data->tag != Iex_Load)
        return;
    finder->loaded = True;
    if (finder->operand.kind == OPERAND_LANES) {
        find_last_lane(finder);
        return;
    }
    add(finder, (UInt)sizeofIRType(data->Iex.Load.ty),
        (struct accesses_one){
            .kind = ACCESS_LOAD, .address = data->Iex.Load.addr, .value = IRExpr_RdTmp(statement->Ist.WrTmp.tmp)});
}

static UInt size_of_guarded(const IRLoadG *load)
{
    switch (load->cvt) {
    case ILGop_IdentV128:
        return 16;
    case ILGop_Ident64:
        return 8;
    case ILGop_Ident32:
        return 4;
    case ILGop_16Uto32:
    case ILGop_16Sto32:
        return 2;
    default:
        return 1;
    }
}

/* An atomic instruction other than a compare-and-swap appears as a load and a swap that can't fail. */
static void find_swap(struct finder *finder, const IRCAS *cas)
{
    Bool twice = cas->oldHi != IRTemp_INVALID;
    UInt size = size_of(finder->block, cas->dataLo) * (twice ? 2 : 1);
    struct accesses_one one = {.kind = ACCESS_LOAD,
                               .address = cas->addr,
                               .old = IRExpr_RdTmp(cas->oldLo),
                               .value = cas->dataLo,
                               .expected = cas->expdLo,
                               .old_high = twice ? IRExpr_RdTmp(cas->oldHi) : NULL,
                               .value_high = cas->dataHi,
                               .expected_high = cas->expdHi};
    if (!finder->loaded)
        add(finder, size, one);
    one.kind = ACCESS_SWAP;
    add(finder, size, one);
}

static void find_helper(struct finder *finder, const IRDirty *dirty)
{
    struct accesses_one one = {.address = dirty->mAddr, .guard = dirty->guard};
    if (dirty->mFx == Ifx_Read || dirty->mFx == Ifx_Modify) {
        one.kind = ACCESS_READ;
        add(finder, (UInt)dirty->mSize, one);
    }
    if (dirty->mFx == Ifx_Write || dirty->mFx == Ifx_Modify) {
        one.kind = ACCESS_WRITE;
        add(finder, (UInt)dirty->mSize, one);
    }
}

static void find(struct finder *finder, const IRStmt *statement)
{
    switch (statement->tag) {
    case Ist_IMark:
        begin_instruction(finder, statement);
        break;
    case Ist_WrTmp:
        find_load(finder, statement);
        break;
    case Ist_LoadG:
        add(finder, size_of_guarded(statement->Ist.LoadG.details),
            (struct accesses_one){.kind = ACCESS_LOAD,
                                  .address = statement->Ist.LoadG.details->addr,
                                  .guard = statement->Ist.LoadG.details->guard,
                                  .value = IRExpr_RdTmp(statement->Ist.LoadG.details->dst)});
        break;
    case Ist_Store:
        if (finder->operand.kind == OPERAND_FOLDED)
            add(finder, finder->operand.bytes,
                (struct accesses_one){.kind = ACCESS_READ, .address = finder->operand.address});
        add(finder, size_of(finder->block, statement->Ist.Store.data),
            (struct accesses_one){
                .kind = ACCESS_STORE, .address = statement->Ist.Store.addr, .value = statement->Ist.Store.data});
        break;
    case Ist_StoreG:
        add(finder, size_of(finder->block, statement->Ist.StoreG.details->data),
            (struct accesses_one){.kind = ACCESS_STORE,
                                  .address = statement->Ist.StoreG.details->addr,
                                  .guard = statement->Ist.StoreG.details->guard,
                                  .value = statement->Ist.StoreG.details->data});
        break;
    case Ist_CAS:
        find_swap(finder, statement->Ist.CAS.details);
        break;
    case Ist_Dirty:
        find_helper(finder, statement->Ist.Dirty.details);
        break;
    default:
        break;
    }
}

void accesses_find(const IRSB *block, const struct accesses_wanted *wanted, struct accesses *accesses)
{
    struct finder finder = {.block = block, .wanted = wanted, .accesses = accesses};
    accesses->count = accesses->instructions = 0;
    accesses->last = 0;
    while (finder.statement < block->stmts_used && block->stmts[finder.statement]->tag != Ist_IMark)
        finder.statement++;
    for (; finder.statement < block->stmts_used; finder.statement++)
        find(&finder, block->stmts[finder.statement]);
    if (block->jumpkind == Ijk_Sys_syscall)
        add_mark(&finder, ACCESS_SYSTEM);
}
