/* A test run of a BPF program, which fails with EINTR when a signal comes, and takes longer than a tick's interval.
 * needs: [ "$(id -u)" = 0 ] && [ -e /proc/sys/kernel/unprivileged_bpf_disabled ]
 * modes: cpu methods watch calls */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    struct bpf_insn code[] = {{.code = 0xb7, .imm = 7}, {.code = 0x95}}; /* return 7 */
    char packet[64] = {0};
    union bpf_attr load = {0};
    load.prog_type = BPF_PROG_TYPE_SCHED_CLS;
    load.insns = (unsigned long)code;
    load.insn_cnt = 2;
    load.license = (unsigned long)"GPL";
    int program = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &load, sizeof load);
    for (int i = 0; i < 8; i++) {
        union bpf_attr run = {0};
        run.test.prog_fd = (unsigned)program;
        run.test.data_in = (unsigned long)packet;
        run.test.data_size_in = sizeof packet;
        run.test.repeat = 1000000;
        long result = syscall(SYS_bpf, BPF_PROG_TEST_RUN, &run, sizeof run);
        printf("%ld %u %s\n", result, run.test.retval, result ? strerror(errno) : "");
    }
    return 0;
}
