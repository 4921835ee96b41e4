/* real.h - whether the value of an untyped move (movaps and the like) is floating point, by its use. */
#ifndef ASSAY_EXACT_TOOL_CODE_REAL_H
#define ASSAY_EXACT_TOOL_CODE_REAL_H

#include <valgrind/pub_tool_basics.h>
#include <valgrind/libvex_ir.h>

/* Bytes per lane of the operands of an operation; 0: it is not on floating-point numbers. */
UInt real_lane_of(IROp op);

/* The lane of a value by the operation in this superblock that produces or first consumes it; 0: there is none. */
UInt real_lane_of_temp(const IRSB *block, IRTemp temp);

#endif
