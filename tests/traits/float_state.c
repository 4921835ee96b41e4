/* Sums in SSE, AVX-wide and x87 registers with a rounding mode and exception flags of their own: a tick's handler must
 * leave all of them as they were.
 * flags: -lm
 * needs: grep -qw avx /proc/cpuinfo
 * modes: cpu methods watch calls */
#include <fenv.h>
#include <stdio.h>

#include "burn.h"

typedef double four __attribute__((vector_size(32)));

__attribute__((noinline)) static double sum_doubles(long n)
{
    double a = 0, b = 1, c = 2, d = 3;
    for (long i = 1; i < n; i++) {
        a += 1.0 / (double)i;
        b += a / 3;
        c += b / 7;
        d += c * 1e-9;
    }
    return a + b + c + d;
}

__attribute__((noinline, target("avx"))) static double sum_vectors(long n)
{
    four sum = {0, 1, 2, 3}, step = {0.1, 0.2, 0.3, 0.4};
    for (long i = 0; i < n; i++) {
        sum += step * sum / 1e7;
        step += 1e-9;
    }
    return sum[0] + sum[1] + sum[2] + sum[3];
}

__attribute__((noinline)) static long double sum_x87(long n)
{
    long double sum = 0;
    for (long i = 1; i < n; i++)
        sum += 1.0L / (long double)i;
    return sum;
}

int main(void)
{
    int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (int i = 0; i < 4; i++) {
        fesetround(modes[i]);
        feclearexcept(FE_ALL_EXCEPT);
        burn(0.02);
        int clear = fetestexcept(FE_DIVBYZERO | FE_OVERFLOW) == 0, kept = fegetround() == modes[i];
        double doubles = sum_doubles(3000000), vectors = sum_vectors(3000000);
        long double x87 = sum_x87(3000000);
        kept += fegetround() == modes[i];
        fesetround(FE_TONEAREST);
        printf("%a %a %La %d %d\n", doubles, vectors, x87, clear, kept);
    }
    return 0;
}
