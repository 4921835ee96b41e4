/*
 * observer.h - the observer effect: the effect of a second profiler on the profile and the time of a program.
 *
 * For the same profiler's runs, without (side 0 of a view) and with another profiler running (side 1):
 *   distance  total variation between both profiles, with its interval and the most that noise can add (measure.h)
 *   wall, cpu mean of the times with over that of the times without, minus 1: elapsed, and user and system time of the
 *             whole command, with their intervals (stats/estimates/ratio.h, Fieller's)
 * Source: Mytkowicz et al., PLDI 2010, §3.4 and §6.4.
 */
#ifndef ASSAY_AGREE_OBSERVER_H
#define ASSAY_AGREE_OBSERVER_H

#include "analyze/agree/measure.h"

struct observed {
    struct measured distance;
    double noise;
    double wall_s[2];          /* means over runs that have times; NaN: none has */
    struct measured wall, cpu; /* NaN without times; lo and hi are NaN unless each side has two runs */
};

/* 0 or ENOMEM. O(resamples · runs · methods). */
int observer_measure(const struct view *view, const struct measure_options *options, struct observed *out);

#endif
