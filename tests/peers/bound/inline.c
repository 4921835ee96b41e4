/*
 * inline.c - with empty.c: instead of calling a helper with an address, a value and a context, the translation stores
 * address and value after those of the previous access, where nothing reads them. This is the least that the exact tool
 * would do if it called nothing at an access; its counts mean nothing, and only its time matters. Accesses wider than
 * eight bytes and stores of floating-point values remain calls.
 */
#include <valgrind/pub_tool_libcassert.h>
#include <valgrind/pub_tool_libcbase.h>

#include "collect/exact/tool/code/ir.h"

enum { ARGUMENTS = 3, ENTRIES = 1024, ENTRIES_IN_BLOCK = 4096 };

void __real_ir_call(const HChar *name, void *function, IRExpr **arguments, IRExpr *guard);
void __wrap_ir_call(const HChar *name, void *function, IRExpr **arguments, IRExpr *guard);

static struct entry {
    ULong address, value;
} entries[ENTRIES + ENTRIES_IN_BLOCK];
static struct entry *end = entries;
static UInt in_block; /* accesses of the block that is being made */

static void drop(void)
{
    end = entries;
}

static UInt length(IRExpr **arguments)
{
    UInt n = 0;
    while (arguments[n])
        n++;
    return n;
}

/* Replaces ir.h's ir_call(): the linker redirects its calls to this. */
void __wrap_ir_call(const HChar *name, void *function, IRExpr **arguments, IRExpr *guard)
{
    IRExpr *at = ir_load(Ity_I64, ir_pointer(&end));
    if (VG_(strcmp)(name, "context_enter") == 0) { /* once per block, before its accesses */
        in_block = 0;
        __real_ir_call("drop", (void *)drop, mkIRExprVec_0(),
                       ir_binary(Ity_I1, Iop_CmpLT64U, ir_pointer(entries + ENTRIES), at));
    }
    if (VG_(strcmp)(name, "nothing") != 0 || length(arguments) != ARGUMENTS) {
        __real_ir_call(name, function, arguments, guard);
        return;
    }
    tl_assert(++in_block <= ENTRIES_IN_BLOCK);
    ir_store(at, arguments[0]);
    ir_store(ir_binary(Ity_I64, Iop_Add64, at, ir_word(sizeof(ULong))), arguments[1]);
    IRExpr *next = ir_binary(Ity_I64, Iop_Add64, at, ir_word(sizeof(struct entry)));
    ir_store(ir_pointer(&end), guard ? ir_keep(Ity_I64, IRExpr_ITE(guard, next, at)) : next);
}
