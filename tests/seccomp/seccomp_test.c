/*
 * seccomp_test.c - random filters say the same of a system call here as in the kernel, which installs them in a child
 * whose call then fails with the error that the filter has computed.
 */
#include "tests/tap.h"

#include <errno.h>
#include <linux/audit.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/seccomp/seccomp.h"

enum { FILTERS = 400, LENGTH_MAX = 40, RESULT_MASK = 0xff, FAILED = 255, CALL = SYS_getppid };

static uint64_t state = 88172645463325252;

static uint32_t draw(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 33) % below;
}

/* A constant: often one that decides something. */
static uint32_t constant(void)
{
    static const uint32_t some[] = {0, 1, 2, 31, 32, 255, 256, 0x7fffffff, 0x80000000, 0xffffffff, CALL};
    return draw(2) ? some[draw(sizeof some / sizeof *some)] : draw(0x7fffffff);
}

/* An instruction that may stand where `left` more follow. Memory is read only after all of it has been written. */
static struct sock_filter instruction(uint32_t left)
{
    static const uint16_t operations[] = {BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV, BPF_AND,
                                          BPF_OR,  BPF_XOR, BPF_LSH, BPF_RSH};
    static const uint16_t tests[] = {BPF_JEQ, BPF_JGT, BPF_JGE, BPF_JSET};
    uint16_t source = draw(2) ? BPF_X : BPF_K;
    uint16_t operation = operations[draw(sizeof operations / sizeof *operations)];
    uint32_t k = constant();
    switch (draw(10)) {
    case 0:
    case 1: /* the number of the call is not used: a child makes it with a libc, but the instruction's address is */
        return (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 4 * (draw(2) ? draw(2) : 4 + draw(12)));
    case 2:
        return (struct sock_filter)BPF_STMT(draw(2) ? BPF_LD | BPF_IMM : BPF_LDX | BPF_IMM, k);
    case 3:
        return (struct sock_filter)BPF_STMT(draw(2) ? BPF_LD | BPF_MEM : BPF_LDX | BPF_MEM, draw(BPF_MEMWORDS));
    case 4:
        return (struct sock_filter)BPF_STMT(draw(2) ? BPF_ST : BPF_STX, draw(BPF_MEMWORDS));
    case 5:
        return (struct sock_filter)BPF_STMT(BPF_MISC | (draw(2) ? BPF_TAX : BPF_TXA), 0);
    case 6:
        return (struct sock_filter)BPF_JUMP(BPF_JMP | tests[draw(4)] | source, k, (uint8_t)draw(left),
                                            (uint8_t)draw(left));
    case 7:
        return draw(4) ? (struct sock_filter)BPF_STMT(BPF_ALU | BPF_NEG, 0)
                       : (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, draw(left));
    case 8:
        return (struct sock_filter)BPF_STMT(draw(2) ? BPF_LD | BPF_W | BPF_LEN : BPF_LDX | BPF_W | BPF_LEN, 0);
    default:
        if (source == BPF_K && (operation == BPF_LSH || operation == BPF_RSH))
            k %= 32;
        if (source == BPF_K && operation == BPF_DIV && k == 0)
            k = 3;
        return (struct sock_filter)BPF_STMT(BPF_ALU | operation | source, k);
    }
}

/* All other calls are allowed; this one fails with the lowest byte of A as its error. */
static size_t make_filter(struct sock_filter *code)
{
    size_t length = 0, body = 1 + draw(LENGTH_MAX);
    code[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0);
    code[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CALL, 1, 0);
    code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    for (uint32_t i = 0; i < BPF_MEMWORDS; i++)
        code[length++] = (struct sock_filter)BPF_STMT(BPF_ST, i);
    for (size_t i = 0; i < body; i++)
        code[length++] = instruction((uint32_t)(body - i));
    code[length++] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x7f);
    code[length++] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_OR | BPF_K, SECCOMP_RET_ERRNO);
    code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_A, 0);
    return length;
}

/* What the call gives in a child with the filter: its error, 0 if it succeeds, FAILED if the kernel refuses the filter,
 * or 256 and the signal that has killed the child. */
static int in_kernel(struct sock_filter *code, size_t length, const uint64_t *arguments)
{
    struct sock_fprog program = {(unsigned short)length, code};
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
            _exit(FAILED);
        _exit(syscall(CALL, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]) < 0
                  ? errno
                  : 0);
    }
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int here(const struct sock_filter *code, size_t length, const uint64_t *arguments)
{
    struct seccomp_data data = {CALL, AUDIT_ARCH_X86_64, 0, {0}};
    for (int i = 0; i < 6; i++)
        data.args[i] = arguments[i];
    uint32_t value = seccomp_run(code, length, &data);
    return (value & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO ? (int)(value & RESULT_MASK)
           : value == SECCOMP_RET_KILL_THREAD                     ? 256 + 31
                                                                  : -1;
}

static void check_random(void)
{
    struct sock_filter code[LENGTH_MAX + 64];
    int differ = 0, refused = 0, killed = 0, kinds = 0;
    bool seen[512] = {false};
    for (int i = 0; i < FILTERS; i++) {
        uint64_t arguments[6];
        for (int j = 0; j < 6; j++)
            arguments[j] = (uint64_t)constant() << 32 | constant();
        size_t length = make_filter(code);
        int kernel = in_kernel(code, length, arguments), own = here(code, length, arguments);
        refused += kernel == FAILED;
        killed += kernel > 256;
        differ += kernel != FAILED && kernel != own;
        kinds += !seen[kernel];
        seen[kernel] = true;
    }
    is_u64((uint64_t)differ, 0, "random filters say what the kernel's say");
    is_u64((uint64_t)refused, 0, "  none was refused");
    ok(kinds > 20, "  their results differ");
    ok(killed > 0, "  some divide by 0");
}

int main(void)
{
    struct sock_filter none[] = {BPF_STMT(BPF_LD | BPF_IMM, 1)};
    struct seccomp_data data = {0};
    check_random();
    ok(seccomp_run(none, 1, &data) == SECCOMP_RET_KILL_PROCESS, "a filter without a result kills the process");
    ok(seccomp_goes_before(SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_KILL_THREAD), "KILL_PROCESS goes before KILL_THREAD");
    ok(seccomp_goes_before(SECCOMP_RET_KILL_THREAD, SECCOMP_RET_TRAP), "  that before TRAP");
    ok(seccomp_goes_before(SECCOMP_RET_TRAP, SECCOMP_RET_ERRNO | 5), "  that before ERRNO");
    ok(!seccomp_goes_before(SECCOMP_RET_ERRNO | 1, SECCOMP_RET_ERRNO | 2), "  data do not matter");
    ok(seccomp_goes_before(SECCOMP_RET_LOG, SECCOMP_RET_ALLOW), "  LOG before ALLOW");
    return done_testing();
}
