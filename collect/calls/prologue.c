#include "collect/calls/calls.h"

#include <string.h>

#include "base/copy_readable.h"
#include "collect/x86/x86_access.h"

enum { PAGE = 4096, INSTRUCTIONS = 24, CODE_BYTES = 64, SWEPT = 1000, SWEPT_BYTES = 1024, REX_B = 0x41, REX_W = 0x48 };

/* Copies code up to the end of its page, after which memory may be unmapped; returns how much. 0: it can be executed,
 * but not read. */
static size_t prologue_copy_code(uint8_t *bytes, size_t most, uint64_t code)
{
    uint64_t rest = PAGE - code % PAGE;
    size_t count = rest < most ? rest : most;
    return copy_readable(bytes, code, count) ? count : 0;
}

static int64_t prologue_read_signed(const uint8_t *code, size_t bytes)
{
    int32_t value = 0;
    if (bytes == 1)
        return (int8_t)code[0];
    memcpy(&value, code, sizeof value);
    return value;
}

enum { GROUP_ADD = 0xc4, GROUP_AND = 0xe4, GROUP_SUB = 0xec }; /* ModRM: the operation, on rsp */

/* add, and, sub $imm,%rsp */
static bool prologue_follow_arithmetic(const uint8_t *code, uint64_t *stack_pointer)
{
    if (code[0] != REX_W || (code[1] != 0x83 && code[1] != 0x81))
        return false;
    int64_t by = prologue_read_signed(code + 3, code[1] == 0x83 ? 1 : 4);
    if (code[2] == GROUP_ADD)
        *stack_pointer += (uint64_t)by;
    else if (code[2] == GROUP_SUB)
        *stack_pointer -= (uint64_t)by;
    else if (code[2] == GROUP_AND)
        *stack_pointer &= (uint64_t)by;
    else
        return false;
    return true;
}

/* push and pop of a register, push of a number. */
static bool prologue_follow_push(const uint8_t *code, uint64_t *stack_pointer)
{
    enum { PUSH = 0x50, POP = 0x58, PUSH_BYTE = 0x6a, PUSH_NUMBER = 0x68 };
    uint8_t first = code[0] == REX_B ? code[1] : code[0], kind = first & 0xf8;
    if (kind == PUSH || first == PUSH_BYTE || first == PUSH_NUMBER)
        *stack_pointer -= sizeof(uint64_t);
    else if (kind == POP)
        *stack_pointer += sizeof(uint64_t);
    else
        return false;
    return true;
}

/* Other instructions that compilers change the stack pointer with: it is known only afterwards. */
static bool prologue_changes_otherwise(const uint8_t *code)
{
    enum { LEAVE = 0xc9, ENTER = 0xc8, MOVE = 0x89, MOVE_FROM = 0x8b, LEA = 0x8d, SUB = 0x29, PUSH_MEMORY = 0xff };
    enum { REX_B_BIT = 1, REX_R_BIT = 4 }; /* of a prefix: the register is r12 instead */
    uint8_t prefix = (code[0] & 0xf0) == 0x40 ? code[0] : 0;
    const uint8_t *operation = prefix ? code + 1 : code;
    if (operation[0] == LEAVE || operation[0] == ENTER)
        return true;
    if (operation[0] == MOVE || operation[0] == SUB)
        return !(prefix & REX_B_BIT) && (operation[1] & 0xc7) == 0xc4; /* to rsp */
    if (operation[0] == MOVE_FROM || operation[0] == LEA)
        return !(prefix & REX_R_BIT) && (operation[1] & 0x38) == 0x20;
    return operation[0] == PUSH_MEMORY && (operation[1] & 0x38) == 0x30;
}

uint64_t prologue_stack(uint64_t code, uint64_t stack_pointer)
{
    struct x86_instruction instruction;
    uint8_t copy[CODE_BYTES];
    size_t at = 0, end = 0;
    for (unsigned i = 0; i < INSTRUCTIONS; i++) {
        if (end - at < X86_LENGTH_MAX) {
            end = prologue_copy_code(copy, sizeof copy, code);
            at = 0;
        }
        const uint8_t *bytes = copy + at;
        if (x86_decode(bytes, end - at, code, &instruction) == 0 || instruction.flow != X86_ON)
            break;
        if (!prologue_follow_arithmetic(bytes, &stack_pointer) && !prologue_follow_push(bytes, &stack_pointer) &&
            prologue_changes_otherwise(bytes))
            break;
        code += instruction.length;
        at += instruction.length;
    }
    return stack_pointer;
}

bool prologue_slot(uint64_t function, uint64_t code, uint64_t stack_pointer, uint64_t *slot)
{
    struct x86_instruction instruction;
    uint8_t bytes[CODE_BYTES];
    uint64_t stack = 0; /* relative to the return address */
    size_t at = 0, end = code - function < CODE_BYTES ? prologue_copy_code(bytes, sizeof bytes, function) : 0;
    while (function + at < code) {
        if (x86_decode(bytes + at, end - at, function + at, &instruction) == 0 || instruction.flow != X86_ON)
            return false;
        if (!prologue_follow_arithmetic(bytes + at, &stack) && !prologue_follow_push(bytes + at, &stack) &&
            prologue_changes_otherwise(bytes + at))
            return false;
        at += instruction.length;
    }
    *slot = stack_pointer - stack;
    return function + at == code;
}

/* The places of the return address, relative to the stack pointer and to %rbp, as far as they are known. */
struct return_location {
    int64_t stack, frame;
    bool by_stack, by_frame;
};

/* Whether an instruction reads or writes the return address, other than by returning. */
static bool prologue_accesses_return(const uint8_t *code, size_t bytes, uint64_t address,
                                     const struct return_location *location)
{
    struct x86_access accesses[X86_ACCESSES_MAX];
    unsigned count = x86_accesses(code, bytes, address, accesses);
    for (unsigned i = 0; i < count && count != X86_ACCESS_UNKNOWN; i++) {
        const struct x86_access *access = &accesses[i];
        bool by_stack = access->base == X86_RSP && location->by_stack;
        bool by_frame = access->base == X86_RBP && location->by_frame;
        int64_t at = by_stack ? location->stack : location->frame;
        int64_t low = access->displacement, end = low + access->bytes;
        if (access->index == X86_NO_REGISTER && (by_stack || by_frame) && low <= at && at < end)
            return true;
    }
    return false;
}

/* A function's code from its beginning on, instruction by instruction in the order of addresses. */
struct sweep {
    struct return_location location;
    int64_t deepest;  /* of the stack so far: that of the function's body, between its prologue and an epilogue */
    uint64_t forward; /* the last address that a jump within the function leads to */
};

/* One instruction. False: the function ends, or (*touched) its return address is used. */
static bool sweep_instruction(struct sweep *sweep, const uint8_t *code, uint64_t at,
                              const struct x86_instruction *instruction, bool *touched)
{
    enum { NEAR = 4096 };
    uint64_t next = at + instruction->length, target = instruction->target;
    bool jumps = instruction->flow == X86_JUMP || instruction->flow == X86_BRANCH;
    if (instruction->flow == X86_ON)
        *touched = prologue_accesses_return(code, instruction->length, at, &sweep->location);
    if (*touched)
        return false;
    if (instruction->flow == X86_ON) {
        /* After an instruction that may change the stack pointer. */
        static const uint8_t set_frame[] = {REX_W, 0x89, 0xe5}; /* mov %rsp,%rbp */
        uint64_t stack = 0;
        if (memcmp(code, set_frame, sizeof set_frame) == 0) {
            sweep->location.frame = sweep->location.stack;
            sweep->location.by_frame = sweep->location.by_stack;
        } else {
            bool aligns = code[0] == REX_W && (code[1] == 0x83 || code[1] == 0x81) && code[2] == GROUP_AND;
            sweep->location.by_stack &=
                !aligns && (prologue_follow_arithmetic(code, &stack) || prologue_follow_push(code, &stack) ||
                            !prologue_changes_otherwise(code));
            sweep->location.stack -= (int64_t)stack;
        }
    }
    if (sweep->location.stack > sweep->deepest)
        sweep->deepest = sweep->location.stack;
    if (jumps && target > sweep->forward && target > at && target - at < NEAR)
        sweep->forward = target;
    bool ends = instruction->flow == X86_JUMP || instruction->flow == X86_JUMP_INDIRECT ||
                instruction->flow == X86_RETURN || instruction->flow == X86_STOP;
    if (!ends)
        return true;
    /* From there the next instruction in memory is not reached. */
    sweep->location.stack = sweep->deepest;
    return next <= sweep->forward;
}

static bool sweep_function(uint64_t code, unsigned tails)
{
    struct sweep sweep = {.location.by_stack = true};
    struct x86_instruction instruction;
    uint64_t begin = code;
    uint8_t copy[SWEPT_BYTES];
    size_t at = 0, end = 0;
    bool touched = false;
    for (unsigned i = 0; i < SWEPT; i++) {
        if (end - at < X86_LENGTH_MAX) {
            end = prologue_copy_code(copy, sizeof copy, code);
            at = 0;
        }
        if (x86_decode(copy + at, end - at, code, &instruction) == 0)
            break;
        /* A jump that leaves the function is a tail call, whose return address is the same. */
        if (tails > 0 && instruction.flow == X86_JUMP && sweep.location.by_stack && sweep.location.stack == 0 &&
            (instruction.target < begin || instruction.target - begin >= SWEPT_BYTES) &&
            sweep_function(instruction.target, tails - 1))
            return true;
        if (!sweep_instruction(&sweep, copy + at, code, &instruction, &touched))
            break;
        code += instruction.length;
        at += instruction.length;
    }
    return touched;
}

bool prologue_leaves_return(uint64_t code)
{
    enum { KNOWN = 4096, USES = 1, TAILS = 2 };
    static _Atomic uint64_t known[KNOWN]; /* the code's address, twice, and whether it uses its return address */
    uint64_t function = prologue_function(code);
    if (function == 0)
        return false;
    code = function;
    _Atomic uint64_t *entry = &known[(code ^ code >> 12) % KNOWN];
    uint64_t found = *entry; /* another thread may put another function there */
    if (found >> 1 != code)
        *entry = found = code << 1 | (sweep_function(code, TAILS) ? USES : 0);
    return (found & USES) == 0;
}

bool prologue_is_called(uint64_t code, uint64_t back)
{
    enum { BEFORE = 7, DIRECT = 5 }; /* bytes of a call, at most; of a direct one */
    struct x86_instruction instruction;
    uint8_t bytes[BEFORE];
    if (back < PAGE || back == code || !copy_readable(bytes, back - BEFORE, BEFORE))
        return false;
    for (unsigned length = 2; length <= BEFORE; length++) {
        if (x86_decode(bytes + BEFORE - length, length, back - length, &instruction) != length)
            continue;
        if (instruction.flow == X86_CALL_INDIRECT)
            return true;
        if (instruction.flow == X86_CALL && length == DIRECT && instruction.target == code)
            return true;
    }
    return false;
}

uint64_t prologue_function(uint64_t code)
{
    static const uint8_t branch_target[] = {0xf3, 0x0f, 0x1e, 0xfa}, jump[] = {0xff, 0x25}; /* endbr64; jmp *m(%rip) */
    enum { PREFIX = 0xf2, JUMP_BYTES = 6, STUB_BYTES = 16 };
    static const uint64_t NEAR = UINT64_C(1) << 16; /* of stubs that share a file */
    uint8_t bytes[STUB_BYTES];
    uint64_t target;
    size_t at = 0;
    if (!copy_readable(bytes, code, sizeof bytes))
        return code;
    if (memcmp(bytes, branch_target, sizeof branch_target) == 0)
        at += sizeof branch_target;
    at += bytes[at] == PREFIX;
    if (memcmp(bytes + at, jump, sizeof jump) != 0)
        return code;
    uint64_t location = code + at + JUMP_BYTES + (uint64_t)prologue_read_signed(bytes + at + sizeof jump, 4);
    if (!copy_readable(&target, location, sizeof target))
        return code;
    return target - code < STUB_BYTES || code - target < NEAR ? 0 : target;
}
