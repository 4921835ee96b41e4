#include "collect/watch/watch.h"

#include <string.h>
#include <ucontext.h>

enum { PAGE = 4096, CACHE = 4096, SWEEP_MAX = 1 << 16 };

struct machine {
    uint64_t registers[16];
    uint64_t pc;
};

static struct machine touch_read_machine(const void *ucontext)
{
    static const uint8_t order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                      REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    const greg_t *from = ((const ucontext_t *)ucontext)->uc_mcontext.gregs;
    struct machine machine = {.pc = (uint64_t)from[REG_RIP]};
    for (size_t i = 0; i < sizeof order; i++)
        machine.registers[i] = (uint64_t)from[order[i]];
    return machine;
}

static const uint8_t *touch_code_bytes(uint64_t address)
{
    return (const uint8_t *)address; /* NOLINT: code of the program */
}

/* The end of the instruction is known only after decoding, and memory after the page may be unmapped. */
static unsigned touch_decode(uint64_t code, struct x86_instruction *out)
{
    uint64_t rest = PAGE - code % PAGE;
    unsigned length = x86_decode(touch_code_bytes(code), rest < X86_LENGTH_MAX ? rest : X86_LENGTH_MAX, code, out);
    if (length == 0 && rest < X86_LENGTH_MAX)
        length = x86_decode(touch_code_bytes(code), X86_LENGTH_MAX, code, out);
    return length;
}

/* The accesses of the instruction at `code`, with the registers before it. */
static unsigned touch_list_accesses(uint64_t code, unsigned length, const struct machine *before,
                                    struct touch out[X86_ACCESSES_MAX])
{
    struct x86_access accesses[X86_ACCESSES_MAX];
    unsigned count = x86_accesses(touch_code_bytes(code), length, code, accesses);
    for (unsigned i = 0; i < count && count != X86_ACCESS_UNKNOWN; i++) {
        const struct x86_access *access = &accesses[i];
        if (access->segment == X86_GS)
            return X86_ACCESS_UNKNOWN;
        out[i] = (struct touch){
            .code = code,
            .address = x86_address(access, before->registers, (uint64_t)(uintptr_t)__builtin_thread_pointer(), 0),
            .bytes = access->bytes,
            .real = access->real,
            .load = access->load,
            .store = access->store,
            .left = access->repeated ? before->registers[X86_RCX] : 0};
        memcpy(out[i].text, touch_code_bytes(code), length);
        if (access->repeated && before->registers[X86_RCX] == 0)
            return 0;
    }
    return count;
}

unsigned touch_next(const void *ucontext, struct touch out[X86_ACCESSES_MAX], unsigned *length)
{
    struct machine machine = touch_read_machine(ucontext);
    struct x86_instruction instruction;
    *length = touch_decode(machine.pc, &instruction);
    return *length == 0 ? X86_ACCESS_UNKNOWN : touch_list_accesses(machine.pc, *length, &machine, out);
}

/* ------------------------------------------------------------------------------------------ before -- */

/* Restores registers that the instruction itself changes, but not those that it loads: an address with one of them is
 * wrong, and the caller sees that it does not fit. */
static struct machine touch_undo_registers(const struct machine *after, uint64_t code, unsigned length)
{
    struct machine before = *after;
    struct x86_access accesses[X86_ACCESSES_MAX];
    unsigned count = x86_accesses(touch_code_bytes(code), length, code, accesses);
    for (unsigned i = 0; count != X86_ACCESS_UNKNOWN && i < count; i++) {
        const struct x86_access *access = &accesses[i];
        if (access->shift != 0)
            before.registers[access->base] -= (uint64_t)(int64_t)access->shift;
        if (access->repeated && i == 0)
            before.registers[X86_RCX]++;
    }
    if (touch_code_bytes(code)[0] == 0xc9) /* leave */
        before.registers[X86_RBP] = after->registers[X86_RSP] - 8;
    return before;
}

static bool touch_is_repeated(uint64_t code, unsigned length)
{
    struct x86_access accesses[X86_ACCESSES_MAX];
    unsigned count = x86_accesses(touch_code_bytes(code), length, code, accesses);
    return count > 0 && count != X86_ACCESS_UNKNOWN && accesses[0].repeated;
}

/* The instruction at `code`, if one of its accesses fits. */
static bool touch_fits(uint64_t code, unsigned length, const struct machine *after, uint64_t low, unsigned window,
                       struct touch *out)
{
    /* A repeated string instruction may trap only after several elements, of up to 128 bytes together. */
    enum { GROUP = 128 };
    struct touch found[X86_ACCESSES_MAX];
    struct machine before = touch_undo_registers(after, code, length);
    unsigned count = touch_list_accesses(code, length, &before, found);
    bool any = false, repeated = touch_is_repeated(code, length);
    for (unsigned i = 0; count != X86_ACCESS_UNKNOWN && i < count; i++) {
        uint64_t from = repeated ? found[i].address - GROUP : found[i].address;
        if (from >= low + window || low >= found[i].address + found[i].bytes)
            continue;
        *out = found[i];
        if (repeated && low + out->bytes <= out->address) /* the element that holds the window */
            out->address -= (out->address - low + out->bytes - 1) / out->bytes * out->bytes;
        any = true;
    }
    return any;
}

/* It accesses memory at an address that is no longer known: it has loaded its own address register. */
static bool touch_could_fit(uint64_t code, unsigned length, uint64_t low, unsigned window, struct touch *out)
{
    struct machine none = {.pc = code};
    struct touch found[X86_ACCESSES_MAX];
    unsigned count = touch_list_accesses(code, length, &none, found);
    if (count != 1 || !found[0].load || found[0].bytes > 8)
        return false;
    *out = found[0];
    out->address = low / out->bytes * out->bytes;
    return out->address + out->bytes > low && window > 0;
}

/* Cached lengths of the instructions that end at an address: the address and 4 bits. */
static _Atomic uint64_t cache[CACHE];

static void touch_cache_length(uint64_t pc, unsigned length)
{
    atomic_store_explicit(&cache[pc % CACHE], pc << 4 | length, memory_order_relaxed);
}

static bool touch_is_length(uint64_t pc, unsigned length)
{
    struct x86_instruction instruction;
    return length > 0 && touch_decode(pc - length, &instruction) == length;
}

/* The length of the instruction before pc, from the start of its function; 0: none ends there. */
static unsigned touch_length_before(uint64_t pc)
{
    uint64_t entry = atomic_load_explicit(&cache[pc % CACHE], memory_order_relaxed);
    unsigned length = entry >> 4 == (pc & UINT64_MAX >> 4) ? (unsigned)(entry & 15) : 0;
    if (touch_is_length(pc, length)) /* code compiled at run time may have been replaced by other code */
        return length;
    struct x86_instruction instruction;
    uint64_t at = watch_host.function ? watch_host.function(pc) : 0;
    if (at == 0 || at >= pc || pc - at > SWEEP_MAX)
        return 0;
    do {
        length = touch_decode(at, &instruction);
        at += length;
    } while (length > 0 && at < pc);
    if (length == 0 || at != pc)
        return 0;
    touch_cache_length(pc, length);
    return length;
}

/* A call has put its return address at the top of the stack, and may have loaded its target; it precedes that address.
 */
static bool touch_was_call(const struct machine *after, uint64_t low, unsigned window, struct touch *out)
{
    uint64_t stack = after->registers[X86_RSP], back;
    memcpy(&back, touch_code_bytes(stack), sizeof back);
    unsigned length = back > X86_LENGTH_MAX ? touch_length_before(back) : 0;
    struct x86_instruction instruction;
    if (length == 0 || touch_decode(back - length, &instruction) != length)
        return false;
    if (instruction.flow == X86_CALL && instruction.target != after->pc) {
        /* The jump of a stub has loaded its target from a place that fits: the dynamic linker's table. */
        static const uint8_t mark[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
        uint64_t stub = instruction.target;
        length = touch_decode(stub, &instruction);
        if (length == sizeof mark && memcmp(touch_code_bytes(stub), mark, sizeof mark) == 0)
            length = touch_decode(stub += sizeof mark, &instruction);
        return length > 0 && instruction.flow == X86_JUMP_INDIRECT && touch_fits(stub, length, after, low, window, out);
    }
    return (instruction.flow == X86_CALL_INDIRECT || instruction.flow == X86_CALL) &&
           touch_fits(back - length, length, after, low, window, out);
}

/* A jump has loaded the current address; its origin is unknown. */
static bool touch_was_jump(uint64_t pc, uint64_t low, unsigned window, struct touch *out)
{
    if (window != sizeof pc || memcmp(touch_code_bytes(low), &pc, sizeof pc) != 0)
        return false;
    *out = (struct touch){.address = low, .bytes = sizeof pc, .load = true};
    return true;
}

/* A return has read its address from directly below the top of the stack; it is unknown which one of its function's.
 */
static bool touch_was_return(const struct machine *after, uint64_t low, unsigned window, struct touch *out)
{
    uint64_t slot = after->registers[X86_RSP] - sizeof(uint64_t), back;
    if (low + window <= slot || low >= slot + sizeof back)
        return false;
    memcpy(&back, touch_code_bytes(slot), sizeof back);
    if (back != after->pc)
        return false;
    *out = (struct touch){.address = slot, .bytes = sizeof back, .load = true};
    return true;
}

/* Masked moves and gathers: the elements that an instruction accesses depend on its mask, which is ignored. It has
 * touched the window, and stored there if the bytes have changed. */
static bool touch_was_masked(uint64_t code, unsigned length, const struct watchpoint *point, struct touch *out)
{
    enum { VEX3 = 0xc4, VEX2 = 0xc5, EVEX = 0x62 };
    struct x86_access accesses[X86_ACCESSES_MAX];
    uint8_t first = touch_code_bytes(code)[0];
    if ((first != VEX3 && first != VEX2 && first != EVEX) ||
        x86_accesses(touch_code_bytes(code), length, code, accesses) != X86_ACCESS_UNKNOWN)
        return false;
    *out = (struct touch){.code = code, .address = point->low, .bytes = point->window, .real = X86_REAL_NONE};
    out->store = point->writes_only || memcmp(point->now, touch_code_bytes(point->low), point->window) != 0;
    out->load = !out->store;
    memcpy(out->text, touch_code_bytes(code), length);
    return true;
}

bool touch_before(const void *ucontext, const struct watchpoint *point, struct touch *out)
{
    struct machine after = touch_read_machine(ucontext);
    struct x86_instruction instruction;
    uint64_t low = point->low;
    unsigned here = touch_decode(after.pc, &instruction), window = point->window, length;
    /* The program counter stays at a string instruction until its last element. */
    if (here > 0 && touch_is_repeated(after.pc, here) && touch_fits(after.pc, here, &after, low, window, out))
        return true;
    length = touch_length_before(after.pc);
    if (length > 0 && touch_fits(after.pc - length, length, &after, low, window, out))
        return true;
    if (touch_was_call(&after, low, window, out) || touch_was_return(&after, low, window, out) ||
        touch_was_jump(after.pc, low, window, out))
        return true;
    if (length > 0)
        return touch_was_masked(after.pc - length, length, point, out) ||
               touch_could_fit(after.pc - length, length, low, window, out);
    /* Any instruction that ends at pc and fits. Two that fit are rare, and mostly differ by a prefix. */
    bool any = false;
    for (length = 1; length <= X86_LENGTH_MAX; length++)
        if (touch_is_length(after.pc, length) && touch_fits(after.pc - length, length, &after, low, window, out)) {
            touch_cache_length(after.pc, length);
            any = true;
        }
    return any;
}

void touch_rewind(void *ucontext, const struct touch *touch)
{
    greg_t *registers = ((ucontext_t *)ucontext)->uc_mcontext.gregs;
    struct machine after = touch_read_machine(ucontext), before;
    struct x86_instruction instruction;
    unsigned length = touch->code ? touch_decode(touch->code, &instruction) : 0;
    if (length == 0)
        return;
    before = touch_undo_registers(&after, touch->code, length);
    registers[REG_RIP] = (greg_t)touch->code;
    registers[REG_RSP] = (greg_t)before.registers[X86_RSP];
    registers[REG_RBP] = (greg_t)before.registers[X86_RBP];
}
