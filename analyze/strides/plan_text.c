#include "analyze/strides/plan_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/strides/pattern.h"

static char plan_text_sign(int64_t number)
{
    return number < 0 ? '-' : '+';
}

void plan_text(const struct plan *plan, uint32_t row, char text[PLAN_TEXT_MAX])
{
    if (plan->element_of[row] == LOADS_NONE) {
        snprintf(text, PLAN_TEXT_MAX, "don't");
        return;
    }
    const struct plan_element *element = &plan->elements[plan->element_of[row]];
    const char *how = element->kind == PLAN_LOAD ? "a = spec_load" : element->guarded ? "guarded_load" : "prefetch";
    int64_t direct = element->offset - element->within;
    if (element->kind == PLAN_STRIDE || element->kind == PLAN_LOAD)
        snprintf(text, PLAN_TEXT_MAX, "%s(A %c %lld*%" PRIu64 ")", how, plan_text_sign(element->stride),
                 llabs(element->stride), element->distance);
    else if (element->kind == PLAN_INDEX)
        snprintf(text, PLAN_TEXT_MAX, "%s(B + %" PRId64 "*a)", how, element->offset);
    else if (element->within)
        snprintf(text, PLAN_TEXT_MAX, "%s(a + %" PRId64 " %c %lld)", how, direct, plan_text_sign(element->within),
                 llabs(element->within));
    else
        snprintf(text, PLAN_TEXT_MAX, "%s(a + %" PRId64 ")", how, direct);
}

/* ---------------------------------------------------------------------------------------------------- reasons -- */

static void plan_text_no_stride(const struct strides_options *options, const struct loads_row *row,
                                char text[PLAN_TEXT_MAX])
{
    int64_t stride;
    const struct histogram_entry *top = histogram_top(&row->strides);
    if (!options->moves && pattern_moves(options, row, &stride))
        snprintf(text, PLAN_TEXT_MAX,
                 "stays where it is in some iterations, and moves by %" PRId64 " in others (--moves)", stride);
    else
        snprintf(text, PLAN_TEXT_MAX, "no stride recurs: the most frequent one, %" PRId64 ", is %.3g %%",
                 top ? top->number : 0, 100 * histogram_share(&row->strides));
}

void plan_reason_text(const struct strides *strides, const struct plan *plan, uint32_t row, char text[PLAN_TEXT_MAX])
{
    const struct loads_row *load = loads_row_at(&strides->loads, row);
    const char *other = plan->others[row] == LOADS_NONE
                            ? ""
                            : loads_text(&strides->loads, loads_row_at(&strides->loads, plan->others[row])->location);
    switch (plan->reasons[row]) {
    case PLAN_PLANNED:
    case PLAN_LEADS:
        snprintf(text, PLAN_TEXT_MAX, "simulated: %" PRIu64 " of %" PRIu64 " prefetches useful, %" PRIu64 " late",
                 load->prefetches.useful, load->prefetches.issued, load->prefetches.late);
        break;
    case PLAN_FEW:
        snprintf(text, PLAN_TEXT_MAX, "too few iterations to tell");
        break;
    case PLAN_INVARIANT:
        snprintf(text, PLAN_TEXT_MAX, "loads the same address in each iteration");
        break;
    case PLAN_NO_STRIDE:
        plan_text_no_stride(&strides->options, load, text);
        break;
    case PLAN_NO_LEADER:
        snprintf(text, PLAN_TEXT_MAX, "depends on %s, whose address is not known ahead", other);
        break;
    case PLAN_HALF_LINE:
        snprintf(text, PLAN_TEXT_MAX, "the stride is at most half a line");
        break;
    case PLAN_SAME_LINE:
        snprintf(text, PLAN_TEXT_MAX, "on the line that is prefetched for %s", other);
        break;
    case PLAN_IN_CACHE:
        snprintf(text, PLAN_TEXT_MAX, "misses in %" PRIu64 " of %" PRIu64 " accesses: too few to matter", load->misses,
                 load->accesses);
        break;
    case PLAN_INNER:
        snprintf(text, PLAN_TEXT_MAX, "is prefetched in a loop within this one");
        break;
    case PLAN_USELESS:
        snprintf(text, PLAN_TEXT_MAX, "%" PRIu64 " of %" PRIu64 " simulated prefetches were useful: too few to pay",
                 load->prefetches.useful, load->prefetches.issued);
        break;
    case PLAN_NOT_INTER:
        snprintf(text, PLAN_TEXT_MAX, "needs the value of %s ahead, which algorithm inter does not load", other);
        break;
    }
}
