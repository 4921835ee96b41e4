#include "collect/valgrind/rep.h"

#include <valgrind/libvex_guest_amd64.h>
#include <valgrind/pub_tool_aspacemgr.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_machine.h>
#include <valgrind/pub_tool_tooliface.h>

#include "collect/valgrind/access.h"
#include "collect/valgrind/burst.h"
#include "collect/valgrind/config.h"
#include "collect/valgrind/decode/x86_access.h"
#include "collect/valgrind/ir.h"

/* Elements of one call: signals wait for its end. With fewer left it is not worth while. */
enum { ELEMENTS_MAX = 1 << 16, ELEMENTS_MIN = 8 };

/* Bytes that are all loaded before they are stored: no difference if they are not the same. */
enum { BYTES_TOGETHER = 64 };

typedef void (*helper)(Addr a, ULong value, ULong where);

/* What is to be called at each element; NULL: nothing. */
struct rep {
    helper load, store;
    ULong load_where, store_where;
    Bool values; /* store wants old ^ new */
};

/* ---------------------------------------------------------------------------- execution -- */

/* Whether all of it is memory that can be read (written) without a fault: no file's, which may have become shorter. */
static Bool is_safe(Addr first, Long step, ULong elements, UInt size, Bool write)
{
    Addr low = step > 0 ? first : first + (ULong)step * (elements - 1), last = low + elements * size - 1;
    const NSegment *segment = VG_(am_find_nsegment)(low);
    return segment && segment->kind == SkAnonC && low <= last && last <= segment->end &&
           (write ? segment->hasW && segment->hasR : segment->hasR);
}

static ULong get(Addr a, UInt size)
{
    ULong value = 0;
    __builtin_memcpy(&value, (const void *)a, size);
    return value;
}

static inline __attribute__((always_inline)) void run_elements(const struct rep *rep, Addr from, Addr to, ULong value,
                                                               Long step, ULong elements, UInt size)
{
    for (ULong i = 0; i < elements; i++, to += (ULong)step) {
        if (from) {
            value = get(from, size);
            if (rep->load)
                rep->load(from, value, rep->load_where);
            from += (ULong)step;
        }
        ULong old = rep->values ? get(to, size) : 0;
        __builtin_memcpy((void *)to, &value, size);
        if (rep->store)
            rep->store(to, rep->values ? old ^ value : 1, rep->store_where);
    }
}

static void load_bytes(const struct rep *rep, Addr from, ULong bytes)
{
    for (ULong i = 0; i < bytes;) {
        if (!((from + i) & 7) && bytes - i >= 8 && access_load_eight(from + i, get(from + i, 8), rep->load_where)) {
            i += 8;
        } else {
            rep->load(from + i, get(from + i, 1), rep->load_where);
            i++;
        }
    }
}

/* `new`: NULL: they are all `value`. */
static void store_bytes(const struct rep *rep, Addr to, const UChar *new, ULong value, ULong bytes)
{
    ULong eight = value * 0x0101010101010101ULL, change;
    for (ULong i = 0; i < bytes;) {
        if (!((to + i) & 7) && bytes - i >= 8) {
            ULong word = new ? get((Addr) new + i, 8) : eight;
            change = get(to + i, 8) ^ word;
            if (access_store_eight(to + i, change, rep->store_where)) {
                __builtin_memcpy((void *)(to + i), &word, 8);
                i += 8;
                continue;
            }
        }
        UChar byte = new ? new[i] : (UChar)value;
        change = rep->values ? get(to + i, 1) ^ byte : 1;
        *(UChar *)(to + i) = byte;
        rep->store(to + i, change, rep->store_where);
        i++;
    }
}

/* Forward, single bytes, which are not copied to what is copied a little later. */
static void run_bytes(const struct rep *rep, Addr from, Addr to, ULong value, ULong elements)
{
    for (ULong i = 0, bytes; i < elements; i += bytes) {
        bytes = elements - i < BYTES_TOGETHER ? elements - i : BYTES_TOGETHER;
        if (from && rep->load)
            load_bytes(rep, from + i, bytes);
        if (rep->store)
            store_bytes(rep, to + i, from ? (const UChar *)from + i : NULL, value, bytes);
        else if (from)
            VG_(memcpy)((void *)(to + i), (const void *)(from + i), bytes);
        else
            VG_(memset)((void *)(to + i), (Int)value, bytes);
    }
}

static void run(const struct rep *rep, Addr from, Addr to, ULong value, Long step, ULong elements, UInt size)
{
    switch (size) {
    case 1:
        if (step == 1 && (!from || to - from >= BYTES_TOGETHER) && (!from || from - to >= BYTES_TOGETHER))
            run_bytes(rep, from, to, value & 0xff, elements);
        else
            run_elements(rep, from, to, value & 0xff, step, elements, 1);
        break;
    case 2:
        run_elements(rep, from, to, value & 0xffff, step, elements, 2);
        break;
    case 4:
        run_elements(rep, from, to, value & 0xffffffff, step, elements, 4);
        break;
    default:
        run_elements(rep, from, to, value, step, elements, 8);
    }
}

/* From translated code. `from`: it copies. */
static void run_rest(VexGuestAMD64State *guest, ULong size, ULong from, ULong load, ULong store)
{
    Long step = (Long)guest->guest_DFLAG * (Long)size;
    ULong elements = guest->guest_RCX < ELEMENTS_MAX ? guest->guest_RCX : ELEMENTS_MAX;
    if (!is_safe(guest->guest_RDI, step, elements, (UInt)size, True) ||
        (from && !is_safe(guest->guest_RSI, step, elements, (UInt)size, False)))
        return;
    struct rep rep = {.load_where = load, .store_where = store};
    if (burst_watching && load)
        rep.load = (helper)access_load_helper((UInt)size, False).function;
    if (burst_watching && store)
        rep.store = (helper)access_store_helper((UInt)size, False).function;
    rep.values = rep.store && config_get()->silent_stores;
    run(&rep, from ? guest->guest_RSI : 0, guest->guest_RDI, guest->guest_RAX, step, elements, (UInt)size);
    guest->guest_RCX -= elements;
    guest->guest_RDI += elements * (ULong)step;
    if (from)
        guest->guest_RSI += elements * (ULong)step;
}

/* ---------------------------------------------------------------------------- the call -- */

/* The size of its elements; 0: it is another instruction, or its operands are not where these have them. */
static UInt size_of(const IRStmt *mark, Bool *copies)
{
    struct x86_access accesses[X86_ACCESSES_MAX];
    Addr place = mark->Ist.IMark.addr + mark->Ist.IMark.delta;
    unsigned count = x86_accesses((const uint8_t *)place, mark->Ist.IMark.len, place, accesses);
    if (count == 0 || count > X86_ACCESSES_MAX)
        return 0;
    const struct x86_access *to = &accesses[count - 1];
    for (unsigned i = 0; i < count; i++)
        if (!accesses[i].repeated || accesses[i].address32 || accesses[i].segment != X86_FLAT)
            return 0;
    *copies = count == 2;
    return to->store && !to->load && to->base == X86_RDI ? to->bytes : 0;
}

static void affects(IRDirty *dirty, IREffect effect, Int offset)
{
    dirty->fxState[dirty->nFxState].fx = effect;
    dirty->fxState[dirty->nFxState].offset = (UShort)offset;
    dirty->fxState[dirty->nFxState].size = 8;
    dirty->fxState[dirty->nFxState].nRepeats = 0;
    dirty->fxState[dirty->nFxState].repeatLen = 0;
    dirty->nFxState++;
}

IRStmt *rep_call(const IRStmt *mark, IRExpr *load, IRExpr *store)
{
    Bool copies;
    UInt size = size_of(mark, &copies);
    if (!size)
        return NULL;
    IRExpr **arguments = mkIRExprVec_5(IRExpr_GSPTR(), ir_word(size), ir_word(copies), load, store);
    IRDirty *dirty = unsafeIRDirty_0_N(0, "rep_rest", VG_(fnptr_to_fnentry)(run_rest), arguments);
    dirty->guard = ir_binary(Ity_I1, Iop_CmpLE64U, ir_word(ELEMENTS_MIN), ir_register(IR_STATE(RCX)));
    affects(dirty, Ifx_Modify, IR_STATE(RCX));
    affects(dirty, Ifx_Modify, IR_STATE(RSI));
    affects(dirty, Ifx_Modify, IR_STATE(RDI));
    affects(dirty, Ifx_Read, IR_STATE(RAX));
    affects(dirty, Ifx_Read, IR_STATE(DFLAG));
    return IRStmt_Dirty(dirty);
}
