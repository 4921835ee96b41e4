/* tool.h - what tool.c registers with Valgrind's core. */
#ifndef ASSAY_EXACT_TOOL_TOOL_H
#define ASSAY_EXACT_TOOL_TOOL_H

#include <valgrind/pub_tool_basics.h>
#include <valgrind/libvex_ir.h>
#include <valgrind/pub_tool_tooliface.h>

/* --- waste_block.c --- */

/* The superblock with code for the modes of waste. */
IRSB *waste_block_translate(IRSB *in);

/* --- system.c: the effects of the program's system calls, signals, threads and forks on the tool --- */

/* Handle of the system call instruction that the running thread has executed last. */
extern UInt system_context;

/* The program has exited, with this status. */
extern Bool system_exited;
extern UInt system_status;

void system_init(void);

#endif
