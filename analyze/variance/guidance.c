#include "analyze/variance/guidance.h"

#include <math.h>

enum side { LOW, HIGH, EITHER };

/* A value without an interval is on its own side; one that does not exist is on no side. */
static enum side guidance_side(const struct variance_range *range, double threshold)
{
    if (isnan(range->value))
        return EITHER;
    double low = isnan(range->low) ? range->value : range->low, high = isnan(range->high) ? range->value : range->high;
    return low > threshold ? HIGH : high <= threshold ? LOW : EITHER;
}

/* Between threads there is nothing where there is one thread. */
static enum side guidance_variance_side(const struct variance_estimate *estimate,
                                        const struct variance_thresholds *thresholds)
{
    enum side within = guidance_side(&estimate->within, thresholds->within);
    enum side between = isnan(estimate->between.value) ? LOW : guidance_side(&estimate->between, thresholds->between);
    if (within == HIGH || between == HIGH)
        return HIGH;
    return within == LOW && between == LOW ? LOW : EITHER;
}

enum variance_guidance guidance_of(const struct variance_estimate *estimate,
                                   const struct variance_thresholds *thresholds)
{
    enum side time = guidance_side(&estimate->share, thresholds->share),
              variance = guidance_variance_side(estimate, thresholds);
    if (time == EITHER || variance == EITHER)
        return GUIDANCE_UNCLEAR;
    if (time == HIGH)
        return variance == HIGH ? GUIDANCE_REDUCE : GUIDANCE_UNRELATED;
    return variance == HIGH ? GUIDANCE_LITTLE : GUIDANCE_NOTHING;
}

static const struct {
    const char *name, *sentence;
} texts[GUIDANCE_COUNT] = {
    [GUIDANCE_REDUCE] = {"reduce variance", "actions should be taken to reduce variance for performance"},
    [GUIDANCE_UNRELATED] = {"not variance", "performance is unrelated to variance"},
    [GUIDANCE_LITTLE] = {"little benefit", "reducing variance yields little benefit to the entire program"},
    [GUIDANCE_NOTHING] = {"no action", "no action on variance optimization"},
    [GUIDANCE_UNCLEAR] = {"unclear", "an interval holds its threshold: more instances or runs are needed"}};

const char *guidance_name(enum variance_guidance guidance)
{
    return texts[guidance].name;
}

const char *guidance_sentence(enum variance_guidance guidance)
{
    return texts[guidance].sentence;
}
