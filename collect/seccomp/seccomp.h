/*
 * seccomp.h - what a seccomp filter, a classic BPF program, says about a system call.
 *
 * No state, no memory, no libc: this is compiled into the exact tool, which filters the measured program's system calls
 * itself, since its own are made in the same process. Source: the kernel's
 * Documentation/userspace-api/seccomp_filter.rst and Documentation/networking/filter.rst; seccomp(2).
 */
#ifndef ASSAY_SECCOMP_SECCOMP_H
#define ASSAY_SECCOMP_SECCOMP_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The value that the filter code[length] returns for a system call: an action (SECCOMP_RET_…) and its data. The kernel
 * has accepted the filter: every jump leads forward to an instruction of it. What no accepted filter contains gives
 * SECCOMP_RET_KILL_PROCESS. Cost: a nanosecond or two for each instruction that is executed.
 */
uint32_t seccomp_run(const struct sock_filter *code, size_t length, const struct seccomp_data *data);

/* Whether the action of `value` goes before that of `other` when several filters have returned them. */
int seccomp_goes_before(uint32_t value, uint32_t other);

#endif
