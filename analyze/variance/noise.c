/* How well the recorder knows its own cost. */
#include <math.h>

#include "analyze/variance/variance.h"

void variance_noise_add(struct variance_noise *noise, double deviation)
{
    double size = fabs(deviation);
    double class = size < 1 ? 0 : 1 + floor((double)NOISE_PER_OCTAVE * log2(size));
    noise->classes[class < (double)NOISE_CLASSES ? (size_t) class : NOISE_CLASSES - 1]++;
    noise->n++;
}

void variance_noise_join(struct variance_noise *noise, const struct variance_noise *other)
{
    noise->n += other->n;
    for (size_t i = 0; i < NOISE_CLASSES; i++)
        noise->classes[i] += other->classes[i];
}

double variance_noise_sd(const struct variance_noise *noise)
{
    static const double SHARE = 0.6827; /* of a normal distribution within one standard deviation */
    uint64_t wanted = (uint64_t)ceil(SHARE * (double)noise->n), sum = 0;
    size_t class = 0;
    if (noise->n == 0)
        return 0;
    while (class < NOISE_CLASSES && (sum += noise->classes[class]) < wanted)
        class ++;
    return class == 0 ? 0 : exp2(((double)class - 0.5) / (double)NOISE_PER_OCTAVE);
}
