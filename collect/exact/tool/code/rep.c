#include "collect/exact/tool/code/rep.h"

#include <valgrind/libvex_guest_amd64.h>
#include <valgrind/pub_tool_aspacemgr.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_machine.h>
#include <valgrind/pub_tool_tooliface.h>

#include "collect/exact/tool/code/ir.h"
#include "collect/exact/tool/kinds/access.h"
#include "collect/exact/tool/kinds/burst.h"
#include "collect/exact/tool/state/config.h"
#include "collect/x86/x86_access.h"

/*
 * Elements of one call: signals and other threads wait for its end. Fewer are not worthwhile. This many take as long as
 * a block that Valgrind executes; a thread executes a number of these before others run and signals are checked.
 */
enum { ELEMENTS_MAX = 1 << 16, ELEMENTS_MIN = 8, ELEMENTS_A_BLOCK = 8 };

/* Bytes that are all loaded before they are stored: no difference if they do not overlap. */
enum { BYTES_TOGETHER = 64 };

typedef void (*helper)(Addr a, ULong value, ULong where);

/* The function to call for each element; NULL: none. */
struct rep {
    helper load, store;
    ULong load_where, store_where;
    Bool copies; /* else all elements are `value` */
    Bool values; /* store needs old ^ new */
    ULong value;
};

/* ---------------------------------------------------------------------------- execution -- */

/* Whether all of it can be read (written) without a fault: not a file mapping, since the file may have become shorter.
 */
static Bool rep_range_is_safe(Addr first, Long step, ULong elements, UInt size, Bool write)
{
    Addr low = step > 0 ? first : first + (ULong)step * (elements - 1), last = low + elements * size - 1;
    const NSegment *segment = VG_(am_find_nsegment)(low);
    return segment && segment->kind == SkAnonC && low <= last && last <= segment->end &&
           (write ? segment->hasW && segment->hasR : segment->hasR);
}

static ULong rep_load_value(Addr a, UInt size)
{
    ULong value = 0;
    __builtin_memcpy(&value, (const void *)a, size);
    return value;
}

ALWAYS_INLINE void rep_run_elements(const struct rep *rep, Addr from, Addr to, Long step, ULong elements, UInt size)
{
    ULong value = rep->value & ~0ULL >> (64 - 8 * size);
    for (ULong i = 0; i < elements; i++, from += (ULong)step, to += (ULong)step) {
        if (rep->copies)
            value = rep_load_value(from, size);
        if (rep->copies && rep->load)
            rep->load(from, value, rep->load_where);
        ULong old = rep->values ? rep_load_value(to, size) : 0;
        __builtin_memcpy((void *)to, &value, size);
        if (rep->store)
            rep->store(to, rep->values ? old ^ value : 1, rep->store_where);
    }
}

static void rep_load_bytes(const struct rep *rep, Addr from, ULong bytes)
{
    for (ULong i = 0; i < bytes;) {
        if (!((from + i) & 7) && bytes - i >= 8 &&
            access_load_eight(from + i, rep_load_value(from + i, 8), rep->load_where)) {
            i += 8;
        } else {
            rep->load(from + i, rep_load_value(from + i, 1), rep->load_where);
            i++;
        }
    }
}

static void rep_store_bytes(const struct rep *rep, Addr from, Addr to, ULong bytes)
{
    const ULong eight = (rep->value & 0xff) * 0x0101010101010101ULL;
    for (ULong i = 0; i < bytes;) {
        if (!((to + i) & 7) && bytes - i >= 8) {
            ULong word = rep->copies ? rep_load_value(from + i, 8) : eight;
            if (access_store_eight(to + i, rep_load_value(to + i, 8) ^ word, rep->store_where)) {
                __builtin_memcpy((void *)(to + i), &word, 8);
                i += 8;
                continue;
            }
        }
        UChar byte = rep->copies ? *(const UChar *)(from + i) : (UChar)rep->value;
        ULong change = rep->values ? rep_load_value(to + i, 1) ^ byte : 1;
        *(UChar *)(to + i) = byte;
        rep->store(to + i, change, rep->store_where);
        i++;
    }
}

/* Forward, in single bytes, where the target does not overlap what is copied shortly after. */
static void rep_run_bytes(const struct rep *rep, Addr from, Addr to, ULong elements)
{
    for (ULong i = 0, bytes; i < elements; i += bytes) {
        bytes = elements - i < BYTES_TOGETHER ? elements - i : BYTES_TOGETHER;
        if (rep->copies && rep->load)
            rep_load_bytes(rep, from + i, bytes);
        if (rep->store)
            rep_store_bytes(rep, from + i, to + i, bytes);
        else if (rep->copies)
            VG_(memcpy)((void *)(to + i), (const void *)(from + i), bytes);
        else
            VG_(memset)((void *)(to + i), (Int)(rep->value & 0xff), bytes);
    }
}

/* From translated code. */
static void rep_run_rest(VexGuestAMD64State *guest, ULong size, ULong copies, ULong load, ULong store)
{
    struct rep rep = {.load_where = load, .store_where = store, .copies = copies != 0, .value = guest->guest_RAX};
    Addr from = guest->guest_RSI, to = guest->guest_RDI;
    Long step = (Long)guest->guest_DFLAG * (Long)size;
    ULong elements = guest->guest_RCX < ELEMENTS_MAX ? guest->guest_RCX : ELEMENTS_MAX;
    if (!rep_range_is_safe(to, step, elements, (UInt)size, True) ||
        (copies && !rep_range_is_safe(from, step, elements, (UInt)size, False)))
        return;
    if (burst_watching && load)
        rep.load = (helper)access_load_helper((UInt)size, False).function;
    if (burst_watching && store)
        rep.store = (helper)access_store_helper((UInt)size, False).function;
    rep.values = rep.store && config_get()->silent_stores;
    if (step == 1 && (!rep.copies || (to - from >= BYTES_TOGETHER && from - to >= BYTES_TOGETHER)))
        rep_run_bytes(&rep, from, to, elements);
    else if (size == 1)
        rep_run_elements(&rep, from, to, step, elements, 1);
    else if (size == 2)
        rep_run_elements(&rep, from, to, step, elements, 2);
    else if (size == 4)
        rep_run_elements(&rep, from, to, step, elements, 4);
    else
        rep_run_elements(&rep, from, to, step, elements, 8);
    guest->guest_RCX -= elements;
    guest->guest_RDI += elements * (ULong)step;
    guest->guest_RSI += copies ? elements * (ULong)step : 0;
    UInt blocks = (UInt)elements / ELEMENTS_A_BLOCK, left = guest->host_EvC_COUNTER; /* of the thread's time slice */
    guest->host_EvC_COUNTER = left > blocks ? left - blocks : 0;
}

/* ---------------------------------------------------------------------------- the call -- */

struct rep_form rep_form_of(const struct accesses_instruction *instruction)
{
    struct x86_access accesses[X86_ACCESSES_MAX];
    struct rep_form none = {0};
    Addr address = instruction->address;
    unsigned count = x86_accesses((const uint8_t *)address, instruction->length, address, accesses);
    if (count == 0 || count > X86_ACCESSES_MAX)
        return none;
    for (unsigned i = 0; i < count; i++)
        if (!accesses[i].repeated || accesses[i].address32 || accesses[i].segment != X86_FLAT)
            return none;
    const struct x86_access *to = &accesses[count - 1];
    return to->store && !to->load && to->base == X86_RDI ? (struct rep_form){to->bytes, count == 2} : none;
}

static void rep_add_effect(IRDirty *dirty, IREffect effect, Int offset)
{
    dirty->fxState[dirty->nFxState].fx = effect;
    dirty->fxState[dirty->nFxState].offset = (UShort)offset;
    dirty->fxState[dirty->nFxState].size = 8;
    dirty->fxState[dirty->nFxState].nRepeats = 0;
    dirty->fxState[dirty->nFxState].repeatLen = 0;
    dirty->nFxState++;
}

IRStmt *rep_call(const struct rep_form *form, IRExpr *load, IRExpr *store)
{
    IRExpr **arguments = mkIRExprVec_5(IRExpr_GSPTR(), ir_word(form->size), ir_word(form->copies), load, store);
    IRDirty *dirty = unsafeIRDirty_0_N(0, "rep_rest", VG_(fnptr_to_fnentry)(rep_run_rest), arguments);
    dirty->guard = ir_binary(Ity_I1, Iop_CmpLE64U, ir_word(ELEMENTS_MIN), ir_register(IR_STATE(RCX)));
    rep_add_effect(dirty, Ifx_Modify, IR_STATE(RCX));
    rep_add_effect(dirty, Ifx_Modify, IR_STATE(RSI));
    rep_add_effect(dirty, Ifx_Modify, IR_STATE(RDI));
    rep_add_effect(dirty, Ifx_Read, IR_STATE(RAX));
    rep_add_effect(dirty, Ifx_Read, IR_STATE(DFLAG));
    return IRStmt_Dirty(dirty);
}
