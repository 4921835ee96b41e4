#include "collect/exact/tool/code/accesses.h"

#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_libcassert.h>

#include "collect/exact/tool/code/operand.h"
#include "collect/exact/tool/kinds/slow.h"
#include "collect/exact/tool/state/scope.h"
#include "collect/x86/x86.h"

/* ---------------------------------------------------------------------------- floating point -- */

/* Whether the value of an untyped move (movaps and the like) is floating point, by what is done with it. */
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

/* Bytes per lane of the operands of an operation; 0: it is not on floating-point numbers. */
static UInt accesses_op_lane(IROp op)
{
    for (UInt i = 0; i < sizeof FLOATS / sizeof *FLOATS; i++)
        if (FLOATS[i] == op)
            return 4;
    for (UInt i = 0; i < sizeof DOUBLES / sizeof *DOUBLES; i++)
        if (DOUBLES[i] == op)
            return 8;
    return 0;
}

static Bool accesses_is_temp(const IRExpr *expression, IRTemp temp)
{
    return expression && expression->tag == Iex_RdTmp && expression->Iex.RdTmp.tmp == temp;
}

/* The lane of a value by the operation in this superblock that produces or first consumes it; 0: there is none. */
static UInt accesses_temp_lane(const IRSB *block, IRTemp temp)
{
    for (Int i = 0; i < block->stmts_used; i++) {
        const IRStmt *statement = block->stmts[i];
        if (statement->tag != Ist_WrTmp)
            continue;
        const IRExpr *e = statement->Ist.WrTmp.data, *first, *second = NULL;
        IROp op;
        switch (e->tag) {
        case Iex_Unop:
            op = e->Iex.Unop.op;
            first = e->Iex.Unop.arg;
            break;
        case Iex_Binop:
            op = e->Iex.Binop.op;
            first = e->Iex.Binop.arg1;
            second = e->Iex.Binop.arg2;
            break;
        case Iex_Triop: /* the first argument is the rounding mode */
            op = e->Iex.Triop.details->op;
            first = e->Iex.Triop.details->arg2;
            second = e->Iex.Triop.details->arg3;
            break;
        default:
            continue;
        }
        Bool used = statement->Ist.WrTmp.tmp == temp || accesses_is_temp(first, temp) || accesses_is_temp(second, temp);
        UInt lane = used ? accesses_op_lane(op) : 0;
        if (lane)
            return lane;
    }
    return 0;
}

/* ---------------------------------------------------------------------------- accesses -- */

/* The instruction whose statements are being examined. */
struct finder {
    const IRSB *block;
    const struct accesses_wanted *wanted;
    struct accesses *accesses;
    Int statement;
    Addr address;
    UInt real;   /* enum x86_real */
    Bool loaded; /* it has already loaded from memory */
    UChar slots; /* of it so far */
    struct operand operand;
};

static void accesses_add(struct finder *finder, UInt size, struct accesses_one one)
{
    struct accesses *accesses = finder->accesses;
    Bool store = one.kind == ACCESS_STORE || one.kind == ACCESS_SWAP || one.kind == ACCESS_WRITE;
    if (!(store ? finder->wanted->stores : finder->wanted->loads) || accesses->count >= ACCESSES_MAX - 2 ||
        size > SLOW_BYTES_MAX)
        return;
    UInt lane = finder->real == X86_REAL_HALF ? 0 : finder->real;
    if (finder->real == X86_REAL_UNTYPED)
        lane =
            one.value && one.value->tag == Iex_RdTmp ? accesses_temp_lane(finder->block, one.value->Iex.RdTmp.tmp) : 0;
    one.statement = finder->statement;
    one.instruction = accesses->instruction_count - 1;
    accesses->slots[accesses->count] = (struct context_slot){.address = finder->address,
                                                             .size = (UShort)size,
                                                             .store = store,
                                                             .lane = (UChar)lane,
                                                             .number = finder->slots++};
    accesses->ones[accesses->count++] = one;
}

static void accesses_add_mark(struct finder *finder, enum accesses_kind kind)
{
    struct accesses *accesses = finder->accesses;
    accesses->slots[accesses->count] = (struct context_slot){.address = finder->address,
                                                             .store = kind == ACCESS_SYSTEM,
                                                             .header = kind == ACCESS_LOOP,
                                                             .number = finder->slots};
    if (kind != ACCESS_LOOP)
        finder->slots++;
    accesses->ones[accesses->count++] = (struct accesses_one){
        .kind = kind, .statement = finder->statement, .instruction = accesses->instruction_count - 1};
}

/* Valgrind supports no string instruction with a segment prefix or with lock. */
static Bool accesses_is_repeated(Addr address, UInt length)
{
    const UChar *code = (const UChar *)address, *end = code + length;
    Bool repeats = False;
    for (; code < end && (*code == 0xf2 || *code == 0xf3 || *code == 0x66 || *code == 0x67 || *code >> 4 == 4); code++)
        repeats |= *code == 0xf2 || *code == 0xf3;
    return repeats && code < end && ((*code >= 0xa4 && *code <= 0xa7) || (*code >= 0xaa && *code <= 0xaf));
}

static void accesses_start_instruction(struct finder *finder, const IRStmt *mark)
{
    struct accesses *accesses = finder->accesses;
    struct x86_instruction decoded = {0};
    Addr address = mark->Ist.IMark.addr + mark->Ist.IMark.delta;
    UInt length = mark->Ist.IMark.len, count = accesses->instruction_count;
    const struct accesses_instruction *before = count ? &accesses->instructions[count - 1] : NULL;
    Bool again = before && before->repeated && before->address == address;
    tl_assert(count < ACCESSES_INSTRUCTIONS_MAX);
    accesses->instructions[accesses->instruction_count++] =
        (struct accesses_instruction){.address = address,
                                      .length = length,
                                      .number = (before ? before->number : 0) + !again,
                                      .repeated = accesses_is_repeated(address, length)};
    finder->address = address;
    finder->loaded = False;
    finder->slots = 0;
    if (finder->wanted->loads || finder->wanted->stores) {
        x86_decode((const uint8_t *)address, length, address, &decoded);
        finder->real = decoded.real;
        operand_find(finder->block, finder->statement, &finder->operand);
    }
    if (finder->wanted->loops && accesses->count < ACCESSES_MAX - 2 && scope_is_header(address))
        accesses_add_mark(finder, ACCESS_LOOP);
}

static UInt accesses_expression_size(const IRSB *block, const IRExpr *expression)
{
    return (UInt)sizeofIRType(typeOfIRExpr(block->tyenv, expression));
}

static void accesses_find_load(struct finder *finder, const IRStmt *statement)
{
    const IRExpr *data = statement->Ist.WrTmp.data;
    if (data->tag != Iex_Load)
        return;
    finder->loaded = True;
    if (finder->operand.kind == OPERAND_LANES) {
        const struct operand *operand = &finder->operand;
        if (operand->statement == finder->statement) /* the last lane */
            accesses_add(
                finder, operand->bytes,
                (struct accesses_one){
                    .kind = ACCESS_LOAD, .address = operand->address, .old = operand->low, .old_high = operand->high});
        return;
    }
    accesses_add(finder, (UInt)sizeofIRType(data->Iex.Load.ty),
                 (struct accesses_one){.kind = ACCESS_LOAD,
                                       .address = data->Iex.Load.addr,
                                       .value = IRExpr_RdTmp(statement->Ist.WrTmp.tmp)});
}

static UInt accesses_guarded_size(const IRLoadG *load)
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
static void accesses_find_swap(struct finder *finder, const IRCAS *cas)
{
    Bool twice = cas->oldHi != IRTemp_INVALID;
    UInt size = accesses_expression_size(finder->block, cas->dataLo) * (twice ? 2 : 1);
    struct accesses_one one = {.kind = ACCESS_LOAD,
                               .address = cas->addr,
                               .old = IRExpr_RdTmp(cas->oldLo),
                               .value = cas->dataLo,
                               .expected = cas->expdLo,
                               .old_high = twice ? IRExpr_RdTmp(cas->oldHi) : NULL,
                               .value_high = cas->dataHi,
                               .expected_high = cas->expdHi};
    if (!finder->loaded)
        accesses_add(finder, size, one);
    one.kind = ACCESS_SWAP;
    accesses_add(finder, size, one);
}

static void accesses_find_helper(struct finder *finder, const IRDirty *dirty)
{
    struct accesses_one one = {.address = dirty->mAddr, .guard = dirty->guard};
    if (dirty->mFx == Ifx_Read || dirty->mFx == Ifx_Modify) {
        one.kind = ACCESS_READ;
        accesses_add(finder, (UInt)dirty->mSize, one);
    }
    if (dirty->mFx == Ifx_Write || dirty->mFx == Ifx_Modify) {
        one.kind = ACCESS_WRITE;
        accesses_add(finder, (UInt)dirty->mSize, one);
    }
}

static void accesses_find_in_statement(struct finder *finder, const IRStmt *statement)
{
    switch (statement->tag) {
    case Ist_IMark:
        accesses_start_instruction(finder, statement);
        break;
    case Ist_WrTmp:
        accesses_find_load(finder, statement);
        break;
    case Ist_LoadG:
        accesses_add(finder, accesses_guarded_size(statement->Ist.LoadG.details),
                     (struct accesses_one){.kind = ACCESS_LOAD,
                                           .address = statement->Ist.LoadG.details->addr,
                                           .guard = statement->Ist.LoadG.details->guard,
                                           .value = IRExpr_RdTmp(statement->Ist.LoadG.details->dst)});
        break;
    case Ist_Store:
        if (finder->operand.kind == OPERAND_FOLDED)
            accesses_add(finder, finder->operand.bytes,
                         (struct accesses_one){.kind = ACCESS_READ, .address = finder->operand.address});
        accesses_add(finder, accesses_expression_size(finder->block, statement->Ist.Store.data),
                     (struct accesses_one){.kind = ACCESS_STORE,
                                           .address = statement->Ist.Store.addr,
                                           .value = statement->Ist.Store.data});
        break;
    case Ist_StoreG:
        accesses_add(finder, accesses_expression_size(finder->block, statement->Ist.StoreG.details->data),
                     (struct accesses_one){.kind = ACCESS_STORE,
                                           .address = statement->Ist.StoreG.details->addr,
                                           .guard = statement->Ist.StoreG.details->guard,
                                           .value = statement->Ist.StoreG.details->data});
        break;
    case Ist_CAS:
        accesses_find_swap(finder, statement->Ist.CAS.details);
        break;
    case Ist_Dirty:
        accesses_find_helper(finder, statement->Ist.Dirty.details);
        break;
    default:
        break;
    }
}

void accesses_find(const IRSB *block, const struct accesses_wanted *wanted, struct accesses *accesses)
{
    struct finder finder = {.block = block, .wanted = wanted, .accesses = accesses};
    accesses->count = accesses->instruction_count = 0;
    while (finder.statement < block->stmts_used && block->stmts[finder.statement]->tag != Ist_IMark)
        finder.statement++;
    for (; finder.statement < block->stmts_used; finder.statement++)
        accesses_find_in_statement(&finder, block->stmts[finder.statement]);
    tl_assert(accesses->instruction_count > 0);
    if (wanted->system && block->jumpkind == Ijk_Sys_syscall)
        accesses_add_mark(&finder, ACCESS_SYSTEM);
}
