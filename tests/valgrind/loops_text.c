/*
 * loops_text - the loops of a function, for tests: loops_text BASE LOW HIGH [ADDRESS…] <CODE, all hexadecimal; the code
 * stands at BASE. Output, a line each:
 *   loop HEADER DEPTH            in the order in which loops_find gives them
 *   ADDRESS HEADER…              of the loops around it, outermost first
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "collect/valgrind/decode/loops.h"

static void print_chain(const struct loops *loops, int32_t loop)
{
    if (loop < 0)
        return;
    print_chain(loops, loops->loops[loop].parent);
    printf(" %" PRIx64, loops->loops[loop].header);
}

static int print_loops(const struct loops_function *function, int count, char **addresses)
{
    size_t size = (size_t)(function->high - function->low), bytes = loops_work_bytes(size, size);
    void *work = malloc(bytes);
    struct loops loops;
    if (!work || loops_find(function, work, bytes, &loops) != LOOPS_FOUND)
        return 1;
    for (uint32_t i = 0; i < loops.loop_count; i++)
        printf("loop %" PRIx64 " %u\n", loops.loops[i].header, loops.loops[i].depth);
    for (int i = 0; i < count; i++) {
        uint64_t address = strtoull(addresses[i], NULL, 16);
        printf("%" PRIx64, address);
        print_chain(&loops, loops_innermost(&loops, address));
        putchar('\n');
    }
    free(work);
    return fflush(stdout) != 0;
}

int main(int argc, char **argv)
{
    static uint8_t code[1 << 24];
    if (argc < 4)
        return 2;
    uint64_t base = strtoull(argv[1], NULL, 16), low = strtoull(argv[2], NULL, 16), high = strtoull(argv[3], NULL, 16);
    size_t bytes = fread(code, 1, sizeof code, stdin);
    if (low < base || high < low || high - base > bytes)
        return 2;
    return print_loops(&(struct loops_function){code + (low - base), low, high, low}, argc - 4, argv + 4);
}
