/* real.h - whether the value of an untyped move (movaps and the like) is floating point, by what is done with it. */
#ifndef ASSAY_EXACT_TOOL_CODE_REAL_H
#define ASSAY_EXACT_TOOL_CODE_REAL_H

#include <valgrind/pub_tool_basics.h>
#include <valgrind/libvex_ir.h>

/* Bytes of a lane of the operands of an operation; 0: it is none on floating-point numbers. */
UInt real_lane_of(IROp op);

/* The lane of a value by the operation in this superblock that makes it or takes it first; 0: there is none. */
UInt real_lane_of_temp(const IRSB *block, IRTemp temp);

#endif
