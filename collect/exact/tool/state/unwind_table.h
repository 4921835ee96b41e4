/*
 * unwind_table.h - where functions begin and end by the unwind table of their file (.eh_frame), which stripped files
 * have too. Source: System V ABI AMD64 supplement §4.2.4 and Linux Standard Base 5.0, core, chapter 10.6.
 */
#ifndef ASSAY_EXACT_TOOL_STATE_UNWIND_TABLE_H
#define ASSAY_EXACT_TOOL_STATE_UNWIND_TABLE_H

#include <valgrind/pub_tool_basics.h>

/*
 * The function, or the part of one that the compiler has placed apart, that contains the instruction: [*low, *high).
 * False: its code is not mapped from a file, the file has no table with an index (.eh_frame_hdr), the table does not
 * say, or the instruction is in a procedure linkage table. O(log functions of the file).
 */
Bool unwind_table_function(Addr address, Addr *low, Addr *high);

#endif
