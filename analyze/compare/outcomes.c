#include "analyze/compare/outcomes.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

bool outcomes_add(struct outcomes *outcomes, struct outcome outcome)
{
    struct outcome *grown = grow_unset(outcomes->items, &outcomes->capacity, outcomes->count, sizeof *outcomes->items);
    if (grown)
        outcomes->items = grown;
    if (!grown || !outcome.benchmark) {
        free(outcome.benchmark);
        return false;
    }
    outcomes->items[outcomes->count++] = outcome;
    outcomes->compared += outcome.row == OUTCOME_COMPARED;
    return true;
}

void outcomes_free(struct outcomes *outcomes)
{
    for (size_t i = 0; i < outcomes->count; i++)
        free(outcomes->items[i].benchmark);
    free(outcomes->items);
    *outcomes = (struct outcomes){0};
}

size_t outcomes_with(const struct outcomes *outcomes, const char *verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < outcomes->count; i++)
        count += outcomes->items[i].verdict && strcmp(outcomes->items[i].verdict, verdict) == 0;
    return count;
}

bool outcome_differs(const struct outcome *outcome)
{
    return outcome->result == COMPARISON_BELOW || outcome->result == COMPARISON_ABOVE;
}

bool outcome_is_worse(const struct outcome *outcome)
{
    return outcome->result == (direction_more_is_better(outcome->kind) ? COMPARISON_BELOW : COMPARISON_ABOVE);
}
