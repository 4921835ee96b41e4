#include "collect/watch/equal.h"

#include <math.h>
#include <string.h>

#include "collect/x86/x86.h"

bool equal_is_approximate(unsigned real, size_t bytes)
{
    return (real == X86_REAL_FLOAT || real == X86_REAL_DOUBLE || real == X86_REAL_EXTENDED) && bytes % real == 0;
}

static long double equal_read_real(const char *at, unsigned real)
{
    float single = 0;
    double twice = 0;
    long double extended = 0;
    if (real == X86_REAL_FLOAT)
        memcpy(&single, at, sizeof single);
    else if (real == X86_REAL_DOUBLE)
        memcpy(&twice, at, sizeof twice);
    else
        memcpy(&extended, at, X86_REAL_EXTENDED);
    return real == X86_REAL_FLOAT ? (long double)single : real == X86_REAL_DOUBLE ? (long double)twice : extended;
}

bool equal_values(const void *old, const void *new, size_t bytes, unsigned real, double tolerance)
{
    if (memcmp(old, new, bytes) == 0)
        return true;
    if (!equal_is_approximate(real, bytes))
        return false;
    for (size_t at = 0; at < bytes; at += real) {
        const char *before = (const char *)old + at, *after = (const char *)new + at;
        long double old_value = equal_read_real(before, real), new_value = equal_read_real(after, real);
        if (memcmp(before, after, real) != 0 &&
            !(fabsl(new_value - old_value) <= (long double)tolerance * fabsl(old_value)))
            return false;
    }
    return true;
}
