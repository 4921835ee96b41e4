/*
 * The motion search of SPEC CPU2006's 464.h264ref, mv-search.c, line 394 (dissertation, Listing 3.8): the address of
 * each line of a block is found by a function of another file, through a pointer. It is called with the same arguments
 * four times in a row, so they are stored, and saved registers loaded, again and again. After: it is inlined.
 */
#include "case.h"

#include <stdlib.h>

enum { WIDTH = 176, HEIGHT = 144, BLOCK = 4, BLOCKS = 4, POSITIONS = 256 };

static uint16_t picture[HEIGHT][WIDTH], current[BLOCKS * BLOCK][BLOCKS * BLOCK];

struct h264ref_position {
    int x, y;
};

static struct h264ref_position positions[POSITIONS];

static inline __attribute__((always_inline)) const uint16_t *h264ref_line(uint16_t (*pixels)[WIDTH], int y, int x,
                                                                          int height, int width)
{
    (void)height;
    (void)width;
    return &pixels[y][x];
}

/* The line of a block that lies within the picture. */
CASE_EXTERNAL static const uint16_t *h264ref_line_within(uint16_t (*pixels)[WIDTH], int y, int x, int height, int width)
{
    return h264ref_line(pixels, y, x, height, width);
} /* @blamed */

static inline int h264ref_clamp(int value, int most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

/* The line of a block that may lie outside, where the pixels at the border continue. */
CASE_EXTERNAL static const uint16_t *h264ref_line_outside(uint16_t (*pixels)[WIDTH], int y, int x, int height,
                                                          int width)
{
    return &pixels[h264ref_clamp(y, height - 1)][h264ref_clamp(x, width - BLOCKS * BLOCK)];
}

static inline int h264ref_difference(const uint16_t *line, const uint16_t *wanted)
{
    int sum = 0;
    for (int x = 0; x < BLOCK; x++)
        sum += abs(line[x] - wanted[x]);
    return sum;
}

static inline int h264ref_is_within(const struct h264ref_position *position)
{
    return position->y >= 0 && position->y <= HEIGHT - BLOCKS * BLOCK && position->x >= 0 &&
           position->x <= WIDTH - BLOCKS * BLOCK;
}

CASE_NAMED static int h264ref_search_by_call(const struct h264ref_position *position)
{
    const uint16_t *(*line)(uint16_t(*)[WIDTH], int, int, int, int) =
        h264ref_is_within(position) ? h264ref_line_within : h264ref_line_outside;
    int sum = 0, y = position->y;
    for (int block = 0; block < BLOCKS; block++)
        for (int k = 0; k < BLOCK; k++)
            sum += h264ref_difference(line(picture, y++, position->x, HEIGHT, WIDTH), /* @blamed */
                                      current[block * BLOCK + k]);
    return sum;
}

CASE_NAMED static int h264ref_search_inlined(const struct h264ref_position *position)
{
    int sum = 0, y = position->y, within = h264ref_is_within(position);
    for (int block = 0; block < BLOCKS; block++)
        for (int k = 0; k < BLOCK; k++, y++)
            sum += h264ref_difference(within ? h264ref_line(picture, y, position->x, HEIGHT, WIDTH)
                                             : h264ref_line_outside(picture, y, position->x, HEIGHT, WIDTH),
                                      current[block * BLOCK + k]);
    return sum;
}

static double h264ref_run(size_t steps, int (*search)(const struct h264ref_position *))
{
    uint64_t seed = 14;
    double sum = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            picture[y][x] = (uint16_t)(case_random(&seed) % 256);
    for (int y = 0; y < BLOCKS * BLOCK; y++)
        for (int x = 0; x < BLOCKS * BLOCK; x++)
            current[y][x] = (uint16_t)(case_random(&seed) % 256);
    for (int i = 0; i < POSITIONS; i++) /* most of the blocks are within the picture */
        positions[i] = (struct h264ref_position){(int)(case_random(&seed) % WIDTH) - BLOCK,
                                                 (int)(case_random(&seed) % HEIGHT) - BLOCK};
    for (size_t step = 0; step < steps; step++)
        for (int i = 0; i < POSITIONS; i++)
            sum += search(&positions[i]);
    return sum;
}

static double h264ref_before(size_t steps)
{
    return h264ref_run(steps, h264ref_search_by_call);
}

static double h264ref_after(size_t steps)
{
    return h264ref_run(steps, h264ref_search_inlined);
}

const struct waste_case waste_case = {h264ref_before, h264ref_after};
