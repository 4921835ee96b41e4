/*
 * edge.c - the part of a compiled method's frame that is on the stack in its first and last instructions.
 *
 * HotSpot takes a frame for complete from one place in the code on, and up to the end. Before that place it refuses to
 * walk, although since JDK 20 the frame is complete long before (a check whether the method may still be entered
 * follows, which waits for memory); after the frame is removed it mistakes what lies above for the caller. Both
 * compilers build and remove a frame with a handful of instructions, in few forms. From the entry to the program
 * counter they are followed one by one; the last ones are recognized by their bytes, which occur nowhere else in a
 * method.
 */
#include "collect/agents/jvm/agent.h"

#include <string.h>

#if defined(__x86_64__)
enum { ANY = 0x100, BYTES_MAX = 16 }; /* a byte of any value */

struct edge_bytes {
    unsigned char before, count; /* bytes of these that are in front of the place */
    uint16_t bytes[BYTES_MAX];
};

static bool edge_pattern_matches(const unsigned char *code, const struct edge_bytes *pattern)
{
    for (unsigned i = 0; i < pattern->count; i++) {
        if (pattern->bytes[i] != ANY && pattern->bytes[i] != code[(int)i - pattern->before])
            return false;
    }
    return true;
}

/* The existing part of a frame. */
struct edge_frame {
    size_t bytes;    /* on the stack below the return address */
    size_t fp_below; /* the offset of the caller's frame pointer below it; 0: in its register */
};

/* ------------------------------------------------------------------------------------------- the entry -- */

enum edge_step {
    STEP_NOTHING,
    STEP_PUSH,      /* push rbp */
    STEP_GROW,      /* sub rsp, … */
    STEP_SAVE,      /* mov [rsp + …], rbp */
    STEP_SAVE_HERE, /* mov [rsp], rbp */
};

/* An instruction of an entry; its operand is its last operand_bytes bytes. */
static const struct {
    enum edge_step step;
    unsigned char operand_bytes;
    struct edge_bytes code;
} edge_entry[] = {
    {STEP_NOTHING, 4, {0, 7, {0x89, 0x84, 0x24, ANY, ANY, ANY, ANY}}}, /* mov [rsp + …], eax: is there stack left? */
    {STEP_PUSH, 0, {0, 1, {0x55}}},
    {STEP_NOTHING, 0, {0, 3, {0x48, 0x8b, 0xec}}}, /* mov rbp, rsp */
    {STEP_GROW, 1, {0, 4, {0x48, 0x83, 0xec, ANY}}},
    {STEP_GROW, 4, {0, 7, {0x48, 0x81, 0xec, ANY, ANY, ANY, ANY}}},
    {STEP_SAVE_HERE, 0, {0, 4, {0x48, 0x89, 0x2c, 0x24}}},
    {STEP_SAVE, 1, {0, 5, {0x48, 0x89, 0x6c, 0x24, ANY}}},
    {STEP_SAVE, 4, {0, 8, {0x48, 0x89, 0xac, 0x24, ANY, ANY, ANY, ANY}}},
    {STEP_NOTHING, 0, {0, 2, {0x66, 0x90}}}, /* the rest: no-ops */
    {STEP_NOTHING, 0, {0, 5, {0x0f, 0x1f, 0x44, 0x00, 0x00}}},
    {STEP_NOTHING, 0, {0, 1, {0x90}}},
};

/* Follows one instruction. Returns its bytes; 0 for any other instruction. */
static size_t edge_follow_instruction(const unsigned char *code, struct edge_frame *frame)
{
    for (size_t i = 0; i < sizeof edge_entry / sizeof *edge_entry; i++) {
        size_t length = edge_entry[i].code.count, operand = 0;
        if (!edge_pattern_matches(code, &edge_entry[i].code))
            continue;
        for (unsigned byte = 1; byte <= edge_entry[i].operand_bytes; byte++)
            operand = operand << 8 | code[length - byte];
        enum edge_step step = edge_entry[i].step;
        if (step == STEP_PUSH)
            frame->fp_below = frame->bytes += 8;
        else if (step == STEP_GROW)
            frame->bytes += operand;
        else if (step == STEP_SAVE || step == STEP_SAVE_HERE)
            frame->fp_below = frame->bytes - operand;
        return length;
    }
    return 0;
}

/* The frame before the instruction at pc. False if that is not an instruction of the entry. */
static bool edge_find_entry_frame(uintptr_t pc, struct edge_frame *frame)
{
    enum { CHECK_BYTES_MAX = 24 }; /* of the instructions after the complete frame that still belong to the entry */
    uintptr_t at;
    size_t whole, length = 1;
    if (!blob_entry(pc, &at, &whole))
        return false;
    *frame = (struct edge_frame){0};
    while (at < pc && length && !(frame->fp_below && frame->bytes + sizeof pc == whole)) {
        length = edge_follow_instruction((const unsigned char *)at, frame); /* NOLINT: an address of code */
        at += length;
    }
    /* Before the entry, where the receiver's class is checked, there is no frame. */
    return at >= pc ? frame->bytes + sizeof pc <= whole : length && pc - at <= CHECK_BYTES_MAX;
}

/* -------------------------------------------------------------------------------------------- the exit -- */

/*
 * A frame is removed by `add rsp`, `pop rbp`; then comes a safepoint poll (cmp rsp, [r15 + …]; ja …) and `ret`, or a
 * jump to the stub that looks for an exception's handler. A native method's wrapper leaves by `leave`, a check for an
 * exception (cmp [r15 + …], 0; jne …) and `ret`.
 */
static const struct {
    struct edge_frame frame;
    struct edge_bytes code;
} edge_exit[] = {
    {{0, 0}, {0, 1, {0xc3}}},
    {{8, 8}, {0, 2, {0x5d, 0xc3}}},
    {{8, 8}, {0, 4, {0x5d, 0x49, 0x3b, 0x67}}},
    {{8, 8}, {0, 4, {0x5d, 0x49, 0x3b, 0xa7}}},
    {{8, 8}, {4, 6, {0x48, 0x83, 0xc4, ANY, 0x5d, 0xe9}}},
    {{8, 8}, {7, 9, {0x48, 0x81, 0xc4, ANY, ANY, ANY, ANY, 0x5d, 0xe9}}},
    {{0, 0}, {0, 6, {0x49, 0x3b, 0x67, ANY, 0x0f, 0x87}}},
    {{0, 0}, {0, 9, {0x49, 0x3b, 0xa7, ANY, ANY, ANY, ANY, 0x0f, 0x87}}},
    {{0, 0}, {4, 11, {0x49, 0x3b, 0x67, ANY, 0x0f, 0x87, ANY, ANY, ANY, ANY, 0xc3}}},
    {{0, 0}, {7, 14, {0x49, 0x3b, 0xa7, ANY, ANY, ANY, ANY, 0x0f, 0x87, ANY, ANY, ANY, ANY, 0xc3}}},
    {{0, 0}, {5, 6, {0x48, 0x83, 0xc4, ANY, 0x5d, 0xe9}}},
    {{0, 0}, {8, 9, {0x48, 0x81, 0xc4, ANY, ANY, ANY, ANY, 0x5d, 0xe9}}},
    {{0, 0}, {1, 8, {0xc9, 0x49, 0x83, 0x7f, ANY, 0x00, 0x0f, 0x85}}},
    {{0, 0}, {6, 8, {0xc9, 0x49, 0x83, 0x7f, ANY, 0x00, 0x0f, 0x85}}},
};

static const struct edge_frame *edge_find_exit_frame(uintptr_t pc)
{
    for (size_t i = 0; i < sizeof edge_exit / sizeof *edge_exit; i++) {
        if (edge_pattern_matches((const unsigned char *)pc, &edge_exit[i].code)) /* NOLINT: an address of code */
            return &edge_exit[i].frame;
    }
    return NULL;
}

bool edge_is_leaving(uintptr_t pc)
{
    uintptr_t entry;
    size_t whole;
    return edge_find_exit_frame(pc) && blob_entry(pc, &entry, &whole);
}

bool edge_find_caller(const struct recover_registers *now, struct recover_registers *caller)
{
    struct edge_frame frame;
    uintptr_t words[2] = {0}, sp = now->sp;
    if (sp % sizeof sp)
        return false;
    if (edge_is_leaving(now->pc))
        frame = *edge_find_exit_frame(now->pc);
    else if (!edge_find_entry_frame(now->pc, &frame))
        return false;
    uintptr_t top = sp + frame.bytes;                      /* the position of the return address */
    memcpy(&words[0], (const void *)top, sizeof words[0]); /* NOLINT: an address on this thread's stack */
    memcpy(&words[1], (const void *)(top - frame.fp_below), sizeof words[1]); /* NOLINT: likewise */
    *caller = (struct recover_registers){words[0], top + sizeof top, frame.fp_below ? words[1] : now->fp};
    return true;
}
#else
bool edge_is_leaving(uintptr_t pc)
{
    (void)pc;
    return false;
}

bool edge_find_caller(const struct recover_registers *now, struct recover_registers *caller)
{
    (void)now, (void)caller;
    return false;
}
#endif
