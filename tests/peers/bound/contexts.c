/*
 * contexts.c - with empty.c: nothing is called or stored at an access. What is left is the cost of calling contexts:
 * calls, returns, allocations, changes of the stack pointer, and the contexts of each superblock's accesses.
 */
#include <valgrind/pub_tool_libcbase.h>

#include "collect/exact/tool/code/ir.h"

void __real_ir_call(const HChar *name, void *function, IRExpr **arguments, IRExpr *guard);
void __wrap_ir_call(const HChar *name, void *function, IRExpr **arguments, IRExpr *guard);

/* Replaces ir.h's ir_call(): the linker redirects its calls to this. */
void __wrap_ir_call(const HChar *name, void *function, IRExpr **arguments, IRExpr *guard)
{
    if (VG_(strcmp)(name, "nothing") != 0 && VG_(strncmp)(name, "wide_", 5) != 0)
        __real_ir_call(name, function, arguments, guard);
}
