/*
 * The search of MASNUM 2.2, propagat.inc, lines 130 and 140 (dissertation, Listing 3.9): for each point the grid is
 * searched from its beginning, although neighbours lie in neighbouring cells. After: the search begins at the last cell
 * and goes both ways.
 */
#include "case.h"

enum { GRID = 512, POINTS = 4096 };

static float grid[GRID], points[POINTS];

CASE_NAMED static int masnum_find_from_start(float point)
{
    for (int i = 0; i < GRID - 1; i++)
        if (point >= grid[i] && point <= grid[i + 1]) /* @blamed */
            return i;
    return 0;
}

CASE_NAMED static int masnum_find_nearby(float point, int last)
{
    for (int distance = 0; distance < GRID; distance++) {
        int below = last - distance, above = last + distance;
        if (below >= 0 && point >= grid[below] && point <= grid[below + 1])
            return below;
        if (above < GRID - 1 && point >= grid[above] && point <= grid[above + 1])
            return above;
    }
    return 0;
}

/* The points move slowly over the grid, and none lies on the border of two cells. */
static void masnum_prepare(void)
{
    uint64_t seed = 5;
    float point = GRID / 2;
    for (int i = 0; i < GRID; i++)
        grid[i] = (float)i;
    for (int i = 0; i < POINTS; i++) {
        point += (float)(case_random(&seed) % 201) / 100 - 1;
        point = point < 1 ? 1.25F : point > GRID - 2 ? GRID - 2.25F : point;
        points[i] = point + 0.00390625F;
    }
}

static double masnum_before(size_t steps)
{
    double sum = 0;
    masnum_prepare();
    for (size_t step = 0; step < steps; step++)
        for (int i = 0; i < POINTS; i++)
            sum += masnum_find_from_start(points[i]);
    return sum;
}

static double masnum_after(size_t steps)
{
    double sum = 0;
    int last = 0;
    masnum_prepare();
    for (size_t step = 0; step < steps; step++)
        for (int i = 0; i < POINTS; i++)
            sum += last = masnum_find_nearby(points[i], last);
    return sum;
}

const struct waste_case waste_case = {masnum_before, masnum_after};
