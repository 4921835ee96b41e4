#include "analyze/agree/sources.h"

#include <stdlib.h>

enum { PROFILER, METHOD, RUN };

/* Published shares are rounded: their sum may exceed 1 by this much. */
static const double SUM_MOST = 1.01;

int from_table(const struct groups *groups, bool has_run, struct profiles *profiles, struct error_text *message)
{
    profiles->shares = true;
    for (size_t g = 0; g < groups->count; g++) {
        char *const *texts = groups->texts[g];
        const struct series *shares = groups_series(groups, g, 0);
        uint32_t run = profiles_run(profiles, texts[PROFILER], has_run ? texts[RUN] : "");
        uint32_t method = relations_text(&profiles->relations, texts[METHOD]);
        double share = series_double(shares, 0);
        if (shares->n > 1)
            return error_set(message, STATUS_BAD, "%s has %zu rows; a method has one share in each run of a profiler",
                             groups_name(groups, g), shares->n);
        if (!(share >= 0 && share <= 1))
            return error_set(message, STATUS_BAD, "%s: %g is not a share from 0 to 1 (divide percent by 100)",
                             groups_name(groups, g), share);
        if (run == FIELD_NONE || method == FIELD_NONE ||
            profiles_add(profiles, run, SAMPLE_ROLE_UNKNOWN, method, share) != 0)
            return error_set(message, STATUS_BAD, "out of memory");
    }
    double *sums = calloc(profiles_run_count(profiles) + 1, sizeof *sums);
    if (!sums)
        return error_set(message, STATUS_BAD, "out of memory");
    for (size_t i = 0; i < profiles_entry_count(profiles); i++)
        sums[profiles_entry_at(profiles, i)->run] += profiles_entry_at(profiles, i)->weight;
    int status = STATUS_GOOD;
    for (size_t r = 0; !status && r < profiles_run_count(profiles); r++) {
        const struct profiles_run *run = profiles_run_at(profiles, r);
        if (sums[r] > SUM_MOST)
            status = error_set(message, STATUS_BAD,
                               "profiler %s, run %s: its shares add up to %.4g; they must be self shares of a run",
                               profiles_text(profiles, run->profiler), profiles_text(profiles, run->name), sums[r]);
    }
    free(sums);
    return status;
}
