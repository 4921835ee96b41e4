/*
 * Strides that are not always the same: an index goes on by 1, but sometimes by 2, so that of n iterations n - 1
 * strides are 8 or 16 bytes.
 *
 * If one of five strides is 16 bytes, 320 of 400 are 8, which is 80 %. If one of four is, 300 of 400 are 8, which is
 * not more than 75 %. If two of five are, it is a weak single stride of 60 %.
 * EXPECT line=@four_of_five loop=@four_of_five_loop kind=inter stride=8 majority=0.8..0.8 executions=401
 * EXPECT line=@three_of_four loop=@three_of_four_loop kind=none majority=0.75..0.75 executions=401
 * EXPECT line=@three_of_five loop=@three_of_five_loop kind=none majority=0.6..0.6 executions=401
 *
 * The least number of strides that decides: 301 of 401 are more than 75 %.
 * EXPECT line=@one_more loop=@one_more_loop kind=inter stride=8 majority=0.7506..0.7507 executions=402
 *
 * Phases: 400 strides of 8 bytes, then 400 of 64. Neither has the majority, although both are steady.
 * EXPECT line=@phases loop=@phases_loop kind=none majority=0.5..0.5 executions=801
 *
 * A long phase and a short one: 720 strides of 8 bytes, then 80 of 64: 90 %.
 * EXPECT line=@long_phase loop=@long_phase_loop kind=inter stride=8 majority=0.9..0.9 executions=801
 */
#include "strides.h"

static long numbers[8192];

VICTIM static long victim_four_of_five(const long *at)
{
    long sum = 0, element = 0;
    for (int i = 0; i < 401; i++) { /* @four_of_five_loop */
        sum += at[element];         /* @four_of_five */
        element += i % 5 < 4 ? 1 : 2;
    }
    return sum;
}

VICTIM static long victim_three_of_four(const long *at)
{
    long sum = 0, element = 0;
    for (int i = 0; i < 401; i++) { /* @three_of_four_loop */
        sum += at[element];         /* @three_of_four */
        element += i % 4 < 3 ? 1 : 2;
    }
    return sum;
}

VICTIM static long victim_three_of_five(const long *at)
{
    long sum = 0, element = 0;
    for (int i = 0; i < 401; i++) { /* @three_of_five_loop */
        sum += at[element];         /* @three_of_five */
        element += i % 5 < 3 ? 1 : 2;
    }
    return sum;
}

VICTIM static long victim_one_more(const long *at)
{
    long sum = 0, element = 0;
    for (int i = 0; i < 402; i++) { /* @one_more_loop */
        sum += at[element];         /* @one_more */
        element += i % 4 < 3 ? 1 : 2;
    }
    return sum;
}

VICTIM static long victim_phases(const long *at)
{
    long sum = 0, element = 0;
    for (int i = 0; i < 801; i++) { /* @phases_loop */
        sum += at[element];         /* @phases */
        element += i < 400 ? 1 : 8;
    }
    return sum;
}

VICTIM static long victim_long_phase(const long *at)
{
    long sum = 0, element = 0;
    for (int i = 0; i < 801; i++) { /* @long_phase_loop */
        sum += at[element];         /* @long_phase */
        element += i < 720 ? 1 : 8;
    }
    return sum;
}

int main(int argc, char **argv)
{
    (void)argv;
    for (int i = 0; i < 8192; i++)
        numbers[i] = i;
    SHOW(numbers, argc);
    printf("%ld\n", victim_four_of_five(numbers) + victim_three_of_four(numbers) + victim_three_of_five(numbers) +
                        victim_one_more(numbers) + victim_phases(numbers) + victim_long_phase(numbers));
    return 0;
}
