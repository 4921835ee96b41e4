/*
 * The errors of Stack RNN, StackRNN.h, lines 350 to 367 (dissertation, Listing 3.15): four loops load the same array,
 * which is mostly zero. After: one loop, which leaves zeros out.
 */
#include "case.h"

enum { SIZE = 200, STACKS = 10, EMPTY = -1 };

struct stackrnn_stack {
    double errors[SIZE], predicted[SIZE], values[SIZE], pop_error, push_error;
};

static struct stackrnn_stack stacks[STACKS];

CASE_NAMED static void stackrnn_spread(struct stackrnn_stack *stack, double pop, double push)
{
    for (int i = 0; i < SIZE - 1; i++)
        stack->predicted[i + 1] += stack->errors[i] * pop; /* @blamed */
    for (int i = 0; i < SIZE - 1; i++)
        stack->pop_error += stack->errors[i] * stack->values[i + 1]; /* @blamed */
    stack->pop_error += stack->errors[SIZE - 1] * EMPTY;
    for (int i = 1; i < SIZE; i++)
        stack->predicted[i - 1] += stack->errors[i] * push; /* @blamed */
    for (int i = 1; i < SIZE; i++)
        stack->push_error += stack->errors[i] * stack->values[i - 1]; /* @blamed */
}

CASE_NAMED static void stackrnn_spread_in_one_loop(struct stackrnn_stack *stack, double pop, double push)
{
    for (int i = 0; i < SIZE; i++) {
        double error = stack->errors[i];
        if (error == 0)
            continue;
        if (i < SIZE - 1) {
            stack->predicted[i + 1] += error * pop;
            stack->pop_error += error * stack->values[i + 1];
        } else {
            stack->pop_error += error * EMPTY;
        }
        if (i > 0) {
            stack->predicted[i - 1] += error * push;
            stack->push_error += error * stack->values[i - 1];
        }
    }
}

static double stackrnn_run(size_t steps, void (*spread)(struct stackrnn_stack *, double, double))
{
    uint64_t seed = 10;
    double sum = 0;
    for (int s = 0; s < STACKS; s++)
        for (int i = 0; i < SIZE; i++) {
            stacks[s].values[i] = case_random(&seed) % 8;
            stacks[s].errors[i] = case_random(&seed) % 8 ? 0 : case_random(&seed) % 16;
        }
    for (size_t step = 0; step < steps; step++)
        for (int s = 0; s < STACKS; s++)
            spread(&stacks[s], 0.25, 0.5);
    for (int s = 0; s < STACKS; s++) {
        sum += stacks[s].pop_error + stacks[s].push_error;
        for (int i = 0; i < SIZE; i++)
            sum += stacks[s].predicted[i];
    }
    return sum;
}

static double stackrnn_before(size_t steps)
{
    return stackrnn_run(steps, stackrnn_spread);
}

static double stackrnn_after(size_t steps)
{
    return stackrnn_run(steps, stackrnn_spread_in_one_loop);
}

const struct waste_case waste_case = {stackrnn_before, stackrnn_after};
