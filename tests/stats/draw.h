/* draw.h - random numbers for simulations, the same in every run. */
#ifndef ASSAY_TESTS_DRAW_H
#define ASSAY_TESTS_DRAW_H

#include "base/draw.h"

static struct draw draw_state = {88172645463325252u};

/* Uniform in [0, 1), 53 bits. */
static inline double draw_uniform(void)
{
    return (double)(draw_next(&draw_state) >> 11) * 0x1p-53;
}

#endif
