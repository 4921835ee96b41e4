/* Pays: the length of a text is computed for each of its characters. After: once. */
#include "case.h"

#include <string.h>

enum { LENGTH = 1999, OTHER = 4096 };

static char text[LENGTH + 1];
static double other[OTHER];

CASE_NAMED static void pay_strlen_flip(void)
{
    for (size_t i = 0; i < strlen(text); i++) /* @blamed */
        text[i] ^= 1;
}

CASE_NAMED static void pay_strlen_flip_known(void)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++)
        text[i] ^= 1;
}

static double pay_strlen_run(size_t steps, void (*flip)(void))
{
    uint64_t seed = 1;
    double sum = 0;
    memset(text, 'a', LENGTH);
    for (size_t step = 0; step < steps; step++) {
        text[step % LENGTH] = (char)('b' + step % 20);
        flip();
        for (int i = 0; i < OTHER; i++)
            other[i] = other[i] * .99 + (double)(case_random(&seed) & 15);
        sum += text[5] + other[step % OTHER];
    }
    return sum;
}

static double pay_strlen_before(size_t steps)
{
    return pay_strlen_run(steps, pay_strlen_flip);
}

static double pay_strlen_after(size_t steps)
{
    return pay_strlen_run(steps, pay_strlen_flip_known);
}

const struct waste_case waste_case = {pay_strlen_before, pay_strlen_after};
