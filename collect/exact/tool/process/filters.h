/*
 * filters.h - the program's seccomp filters. Installed for real they would meet Valgrind's own system calls, which are
 * made in the program's process. So the kernel only checks them, in a process that ends at once; the tool then keeps
 * them, asks them about each of the program's system calls, and does what the kernel would do. Threads and children
 * inherit them, also over an exec (execute.h).
 *
 * It can be noticed: "Seccomp:" in /proc/self/status is 0. Calls that a C library makes without the kernel (through the
 * vDSO: clock_gettime …) are not filtered; under Valgrind it makes them as system calls.
 */
#ifndef ASSAY_EXACT_TOOL_PROCESS_FILTERS_H
#define ASSAY_EXACT_TOOL_PROCESS_FILTERS_H

#include <linux/filter.h>
#include <valgrind/pub_tool_basics.h>

#include "collect/exact/tool/process/calls.h"

/* One filter of a thread, and those that it had before; never freed. */
struct filter {
    const struct filter *older;
    UInt length;
    struct sock_filter code[];
};

/* `before_kill` is called before the process is killed by a signal that the core does not see. */
void filters_init(void (*before_kill)(void));

/* Does what the thread's filters want with this call, and answers calls about filters: True if the core must not make
 * it. */
Bool filters_handle(ThreadId tid, UInt trc, const struct call *call);

/* The thread's filters, the newest first; NULL: none. */
const struct filter *filters_of(ThreadId tid);

/* A filter of the program that executed this one, as filters_text() has written it; the oldest first. False if the text
 * is damaged. */
Bool filters_inherit(const HChar *text);

/* The filter as text, for VG_(free)(). */
HChar *filters_text(const struct filter *filter);

/* Installs the filter and the older ones in the kernel, for a program that runs without Valgrind. False if the kernel
 * refuses one. */
Bool filters_install(const struct filter *filter);

#endif
