#include "collect/seccomp/seccomp.h"

struct machine {
    uint32_t a, x, memory[BPF_MEMWORDS];
};

/* A division by 0 ends the filter, which then returns 0. */
static int seccomp_calculate(struct machine *machine, uint16_t code, uint32_t operand)
{
    switch (BPF_OP(code)) {
    case BPF_ADD:
        machine->a += operand;
        return 1;
    case BPF_SUB:
        machine->a -= operand;
        return 1;
    case BPF_MUL:
        machine->a *= operand;
        return 1;
    case BPF_DIV:
        if (operand != 0)
            machine->a /= operand;
        return operand != 0;
    case BPF_OR:
        machine->a |= operand;
        return 1;
    case BPF_AND:
        machine->a &= operand;
        return 1;
    case BPF_XOR:
        machine->a ^= operand;
        return 1;
    case BPF_LSH:
        machine->a <<= operand & 31;
        return 1;
    case BPF_RSH:
        machine->a >>= operand & 31;
        return 1;
    case BPF_NEG:
        machine->a = 0 - machine->a;
        return 1;
    default:
        return 0;
    }
}

static int seccomp_jumps(const struct machine *machine, uint16_t code, uint32_t operand)
{
    switch (BPF_OP(code)) {
    case BPF_JEQ:
        return machine->a == operand;
    case BPF_JGT:
        return machine->a > operand;
    case BPF_JGE:
        return machine->a >= operand;
    default: /* BPF_JSET */
        return (machine->a & operand) != 0;
    }
}

/* The operand of BPF_LD and BPF_LDX. */
static uint32_t seccomp_load(const struct machine *machine, const struct sock_filter *at,
                             const struct seccomp_data *data)
{
    switch (BPF_MODE(at->code)) {
    case BPF_IMM:
        return at->k;
    case BPF_MEM:
        return machine->memory[at->k % BPF_MEMWORDS];
    case BPF_LEN:
        return sizeof *data;
    default: /* BPF_ABS */
        return at->k < sizeof *data ? ((const uint32_t *)(const void *)data)[at->k / sizeof(uint32_t)] : 0;
    }
}

uint32_t seccomp_run(const struct sock_filter *code, size_t length, const struct seccomp_data *data)
{
    struct machine machine = {0};
    for (size_t i = 0; i < length; i++) {
        const struct sock_filter *at = &code[i];
        uint32_t operand = BPF_SRC(at->code) == BPF_X ? machine.x : at->k;
        switch (BPF_CLASS(at->code)) {
        case BPF_LD:
            machine.a = seccomp_load(&machine, at, data);
            break;
        case BPF_LDX:
            machine.x = seccomp_load(&machine, at, data);
            break;
        case BPF_ST:
            machine.memory[at->k % BPF_MEMWORDS] = machine.a;
            break;
        case BPF_STX:
            machine.memory[at->k % BPF_MEMWORDS] = machine.x;
            break;
        case BPF_ALU:
            if (!seccomp_calculate(&machine, at->code, operand))
                return 0;
            break;
        case BPF_JMP:
            i += BPF_OP(at->code) == BPF_JA ? at->k : seccomp_jumps(&machine, at->code, operand) ? at->jt : at->jf;
            break;
        case BPF_RET:
            return BPF_RVAL(at->code) == BPF_A ? machine.a : at->k;
        default: /* BPF_MISC */
            if (BPF_MISCOP(at->code) == BPF_TAX)
                machine.x = machine.a;
            else
                machine.a = machine.x;
        }
    }
    return SECCOMP_RET_KILL_PROCESS;
}

int seccomp_goes_before(uint32_t value, uint32_t other)
{
    return (int32_t)(value & SECCOMP_RET_ACTION_FULL) < (int32_t)(other & SECCOMP_RET_ACTION_FULL);
}
