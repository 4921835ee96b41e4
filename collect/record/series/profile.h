/*
 * profile.h - the CPU profile that accompanies a series of mode waste: after its runs the command is run once more,
 * with the sampling clock in place of the tool that sees every access. Its traces go into the folder "profile" of the
 * series, as a series of their own.
 */
#ifndef ASSAY_RECORD_SERIES_PROFILE_H
#define ASSAY_RECORD_SERIES_PROFILE_H

#include "collect/record/series_file.h"
#include "collect/record/start/input.h"
#include "collect/record/start/launch.h"

/*
 * Takes the profile of `recording`, a complete series with these options, unless its folder has one. The run reads the
 * same standard input as the others, its output is discarded, and it gets twice the time of the longest other run and
 * ten seconds. A line reports what came of it. The profile is dropped if the run ends unlike all others, is
 * interrupted, or has no sample; the recording is complete without it.
 */
void profile_take(const struct record_options *options, struct launcher *launcher, struct input *input,
                  const struct series_file *recording);

#endif
