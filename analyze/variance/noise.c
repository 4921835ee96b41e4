/* How well the recorder knows its own cost. */
#include <math.h>

#include "analyze/variance/variance.h"

/* Class 0: below 1. */
int variance_noise_add(struct field_counts *noise, double deviation)
{
    double size = fabs(deviation);
    double number = size < 1 ? 0 : 1 + floor((double)NOISE_PER_OCTAVE * log2(size));
    size_t class = number < (double)NOISE_CLASSES ? (size_t)number : NOISE_CLASSES - 1;
    int error = field_counts_extend(noise, class + 1);
    if (!error)
        noise->values[class]++;
    return error;
}

uint64_t variance_noise_count(const struct field_counts *noise)
{
    uint64_t count = 0;
    for (size_t class = 0; class < noise->length; class ++)
        count += noise->values[class];
    return count;
}

double variance_noise_sd(const struct field_counts *noise)
{
    static const double SHARE = 0.6827; /* of a normal distribution within one standard deviation */
    uint64_t wanted = (uint64_t)ceil(SHARE * (double)variance_noise_count(noise)), sum = 0;
    size_t class = 0;
    while (class < noise->length && (sum += noise->values[class]) < wanted)
        class ++;
    return class == 0 ? 0 : exp2(((double)class - 0.5) / (double)NOISE_PER_OCTAVE);
}
