/*
 * budget.h - the recorder's own resource limits. Those that it was started with (setrlimit(2); ulimit in a shell) are
 * meant for the command. The recorder writes larger files, opens more of them, and needs more stack to read debug
 * information, so it raises its own as far as the kernel permits, and the command gets the original ones back.
 *
 * The limit on a user's processes (RLIMIT_NPROC) stays: it counts all of them, and the recorder is two.
 */
#ifndef ASSAY_RECORD_START_BUDGET_H
#define ASSAY_RECORD_START_BUDGET_H

#include <stdbool.h>
#include <sys/resource.h>

/* Raises the limits, ignores SIGXFSZ so that a write beyond a limit fails instead, and calls work(argument), on a
 * thread with a stack of its own where that of this one can't grow. Returns its result. Once per process, first. */
int budget_run(int (*work)(void *argument), void *argument);

/* In a child, before it executes the command: restores limits and the disposition of SIGXFSZ. The limits of memory
 * (RLIMIT_AS, RLIMIT_DATA) only if `memory`: Valgrind needs more, and applies them to the program itself. Without
 * budget_run(), does nothing. Async-signal-safe. */
void budget_give_back(bool memory);

/* The command's limits of a resource (RLIMIT_STACK, …), as in setrlimit(2). */
struct rlimit budget_of_command(enum __rlimit_resource resource);

/* Whether the limit on the user's processes and threads leaves so few that the recorder's own two may be missed: then
 * their number and the limit. Reads /proc once. */
bool budget_few_processes(unsigned long *left, unsigned long *limit);

#endif
