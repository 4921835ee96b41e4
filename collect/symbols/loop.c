#include "collect/symbols/module.h"

#include <assert.h>
#include <gelf.h>
#include <libelf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collect/x86/loops.h"
#include "collect/x86/x86.h"

enum { FUNCTION_BYTES_MAX = 1 << 22 };

/* A function and its loops. */
struct analysis {
    struct loops_function function;
    void *work;
    struct loops loops;
};

/* ---------------------------------------------------------------------------- its code -- */

/* The bytes of the file from this position to the end of its segment's contents; *left of them. NULL: none. */
static const uint8_t *loop_bytes_at(Dwfl_Module *module, GElf_Addr position, size_t *left)
{
    GElf_Addr bias;
    Elf *elf = dwfl_module_getelf(module, &bias);
    size_t count = 0, size = 0;
    const char *file = elf ? elf_rawfile(elf, &size) : NULL;
    if (!file || elf_getphdrnum(elf, &count) != 0)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD || segment.p_filesz > size ||
            segment.p_offset > size - segment.p_filesz || position - bias < segment.p_vaddr ||
            position - bias - segment.p_vaddr >= segment.p_filesz)
            continue;
        GElf_Addr offset = position - bias - segment.p_vaddr;
        *left = segment.p_filesz - offset;
        return (const uint8_t *)file + segment.p_offset + offset;
    }
    return NULL;
}

/* The jump tables of switches. */
static bool loop_read_file(void *context, uint64_t address, void *to, size_t bytes)
{
    size_t left;
    const uint8_t *from = loop_bytes_at(context, address, &left);
    if (!from || left < bytes)
        return false;
    memcpy(to, from, bytes);
    return true;
}

/* ---------------------------------------------------------------------------- its instructions -- */

static bool loop_is_inside(const struct loops *loops, int32_t loop, GElf_Addr position)
{
    assert(loop >= 0 && (uint32_t)loop < loops->loop_count);
    int32_t around = loops_innermost(loops, position);
    while (around > loop) /* outer loops have lower numbers */
        around = loops->loops[around].parent;
    return around == loop;
}

static size_t loop_list_instructions(const struct analysis *analysis, uint32_t loop,
                                     struct loop_instruction **instructions)
{
    const struct loops *loops = &analysis->loops;
    const struct loops_function *function = &analysis->function;
    size_t bytes = 0, count = 0;
    struct x86_instruction one;
    for (uint32_t i = 0; i < loops->range_count; i++)
        bytes += loops->ranges[i].loop == loop ? loops->ranges[i].end - loops->ranges[i].begin : 0;
    struct loop_instruction *list = calloc(bytes + 1, sizeof *list);
    for (uint32_t i = 0; i < loops->range_count && list; i++) {
        const struct loops_range *range = &loops->ranges[i];
        if (range->loop != loop)
            continue;
        for (uint64_t at = range->begin; at < range->end; at += one.length) {
            if (!x86_decode(function->code + (at - function->low), function->high - at, at, &one))
                break;
            /* A jump to the header, or one that may leave the loop. */
            bool control =
                (one.flow == X86_JUMP || one.flow == X86_BRANCH) &&
                (one.target == loops->loops[loop].header || !loop_is_inside(loops, (int32_t)loop, one.target) ||
                 (one.flow == X86_BRANCH && !loop_is_inside(loops, (int32_t)loop, at + one.length)));
            list[count++] = (struct loop_instruction){at, control};
        }
    }
    assert(count <= bytes);
    *instructions = list;
    return count;
}

size_t loop_find(Dwfl_Module *module, GElf_Addr header, struct loop_instruction **instructions)
{
    GElf_Off offset;
    GElf_Sym symbol;
    size_t left, count = 0;
    *instructions = NULL;
    if (!dwfl_module_addrinfo(module, header, &offset, &symbol, NULL, NULL, NULL) ||
        symbol.st_size > FUNCTION_BYTES_MAX || offset >= symbol.st_size)
        return 0;
    GElf_Addr low = header - offset;
    const uint8_t *code = loop_bytes_at(module, low, &left);
    if (!code || left < symbol.st_size)
        return 0;
    size_t work_bytes = loops_work_bytes(symbol.st_size, symbol.st_size / 2 + 16);
    struct analysis analysis = {.function = {.code = code,
                                             .low = low,
                                             .high = low + symbol.st_size,
                                             .entry = low,
                                             .read = loop_read_file,
                                             .context = module},
                                .work = malloc(work_bytes)};
    if (!analysis.work || loops_find(&analysis.function, analysis.work, work_bytes, &analysis.loops) != LOOPS_FOUND) {
        free(analysis.work);
        return 0;
    }
    uint32_t loop = 0;
    while (loop < analysis.loops.loop_count && analysis.loops.loops[loop].header != header)
        loop++;
    if (loop < analysis.loops.loop_count)
        count = loop_list_instructions(&analysis, loop, instructions);
    free(analysis.work);
    if (count == 0) {
        free(*instructions);
        *instructions = NULL;
    }
    return count;
}
