/*
 * loops_text - the loops of a function, for tests: loops_text BASE LOW HIGH [ADDRESS…] <IMAGE; all numbers are
 * hexadecimal, and the image, code and data, begins at address BASE. Output, a line for each:
 *   loop HEADER DEPTH            a loop, in the order of loops_find
 *   ADDRESS HEADER…              the headers of the loops around an address, outermost first
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/x86/loops.h"

struct image {
    uint64_t base;
    size_t bytes;
    uint8_t at[1 << 24];
};

static bool read_image(void *context, uint64_t address, void *to, size_t bytes)
{
    const struct image *image = context;
    if (address < image->base || address - image->base > image->bytes || bytes > image->bytes - (address - image->base))
        return false;
    memcpy(to, image->at + (address - image->base), bytes);
    return true;
}

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
    static struct image image;
    if (argc < 4)
        return 2;
    uint64_t low = strtoull(argv[2], NULL, 16), high = strtoull(argv[3], NULL, 16);
    image.base = strtoull(argv[1], NULL, 16);
    image.bytes = fread(image.at, 1, sizeof image.at, stdin);
    if (low < image.base || high < low || high - image.base > image.bytes)
        return 2;
    struct loops_function function = {image.at + (low - image.base), low, high, low, read_image, &image};
    return print_loops(&function, argc - 4, argv + 4);
}
