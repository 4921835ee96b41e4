/* ir.h - small expressions for the block under construction: atoms, whose statements are appended to it. */
#ifndef ASSAY_EXACT_TOOL_CODE_IR_H
#define ASSAY_EXACT_TOOL_CODE_IR_H

#include <valgrind/libvex_guest_amd64.h>
#include <valgrind/libvex_ir.h>
#include <valgrind/pub_tool_basics.h>

/* The offset of a register in the guest's state. */
#define IR_STATE(field) ((Int) __builtin_offsetof(VexGuestAMD64State, guest_##field))

/* Directs everything below to this block from now on. */
void ir_begin(IRSB *out);

IRExpr *ir_keep(IRType type, IRExpr *expression);
IRExpr *ir_word(ULong value);
IRExpr *ir_pointer(const void *address);
IRExpr *ir_load(IRType type, IRExpr *address);
IRExpr *ir_variable(IRType type, const void *address); /* the value of a variable of the tool */
IRExpr *ir_register(Int offset);
IRExpr *ir_unary(IRType type, IROp op, IRExpr *a);
IRExpr *ir_binary(IRType type, IROp op, IRExpr *a, IRExpr *b);
IRExpr *ir_both(IRExpr *a, IRExpr *b); /* two conditions; NULL: always */
void ir_store(IRExpr *address, IRExpr *value);
void ir_store_if(IRExpr *address, IRExpr *value, IRExpr *guard); /* guard: NULL: always */

/* guard: NULL: always */
void ir_call(const HChar *name, void *function, IRExpr **arguments, IRExpr *guard);

/* A scalar of `size` bytes, up to 8, zero-extended. Its temporary may be wider. */
IRExpr *ir_widened(IRExpr *value, UInt size);

/* The same for a scalar that may come in two halves; high is NULL if it doesn't. */
IRExpr *ir_joined(IRExpr *low, IRExpr *high, UInt size);

/* The scalar of `size` bytes there, zero-extended; 0, without a load, where the guard is false. */
IRExpr *ir_widened_if(IRExpr *address, UInt size, IRExpr *guard);

#endif
