#include "stats/distributions/deviance.h"

#include <float.h>
#include <math.h>

#define HALF_LOG_TWO_PI 0.918938533204672741780329736405617640L

long double deviance_stirling(long double a)
{
    int sign; /* lgammal() would store the sign in a global */
    if (a < 30)
        return lgammal_r(a + 1, &sign) - ((a + 0.5L) * logl(a) - a + HALF_LOG_TWO_PI);
    static const long double coefficient[] = {1 / 12.0L,   -1 / 360.0L,      1 / 1260.0L, -1 / 1680.0L,
                                              1 / 1188.0L, -691 / 360360.0L, 1 / 156.0L,  -3617 / 122400.0L};
    long double sum = 0, square = 1 / (a * a);
    for (int i = 7; i >= 0; i--)
        sum = sum * square + coefficient[i];
    return sum / a;
}

long double deviance_log(long double ratio, long double excess)
{
    if (fabsl(excess) > 0.1L)
        return excess - logl(ratio);
    /* log(1+t) = 2·artanh(s), s = t/(2+t); and t − 2s = t·s. */
    long double s = excess / (2 + excess), square = s * s, power = s * square, sum = 0;
    for (int i = 3; power != 0 && fabsl(power / i) > LDBL_EPSILON * fabsl(sum); i += 2, power *= square)
        sum += power / i;
    return excess * s - 2 * sum;
}

long double deviance_exp(long double x)
{
    if (fabsl(x) > 0.1L)
        return expm1l(x) - x;
    long double term = x * x / 2, sum = term;
    for (int i = 3; fabsl(term) > LDBL_EPSILON / 4 * fabsl(sum); i++) {
        term *= x / i;
        sum += term;
    }
    return sum;
}
