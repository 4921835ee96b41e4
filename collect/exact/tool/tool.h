/* tool.h - what tool.c registers with Valgrind's core. */
#ifndef ASSAY_EXACT_TOOL_TOOL_H
#define ASSAY_EXACT_TOOL_TOOL_H

#include <valgrind/pub_tool_basics.h>
#include <valgrind/libvex_ir.h>
#include <valgrind/pub_tool_tooliface.h>

/* --- instrument.c --- */

/* Adds the tool's calls to a superblock, as the core's interface for tools says. */
IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout, const VexGuestExtents *extents,
                 const VexArchInfo *host, IRType guest_word, IRType host_word);

/* --- system.c: the effects of the program's system calls, signals, threads and forks on the tool --- */

/* Handle of the system call instruction that the running thread has executed last. */
extern UInt system_context;

/* The program has exited, with this status. */
extern Bool system_exited;
extern UInt system_status;

void system_init(void);

#endif
