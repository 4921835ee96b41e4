/* The inputs of a baseline: read as the others are, but into a state of their own. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/driver/driver.h"
#include "analyze/driver/state.h"

int analyzer_baseline_add(struct analyzer_baseline *baseline, char *path)
{
    char **paths = realloc(baseline->paths, (baseline->count + 1) * sizeof *paths);
    if (!paths)
        return ENOMEM;
    baseline->paths = paths;
    paths[baseline->count++] = path;
    return 0;
}

int baseline_read(const struct settings *settings, struct baseline *baseline)
{
    const struct analyzer_baseline *given = settings->analyzer->baseline;
    struct error_text message;
    *baseline = (struct baseline){.given = given && given->count > 0};
    if (!baseline->given)
        return 0;
    struct common *common = &baseline->settings.common;
    baseline->settings = *settings;
    baseline->settings.owned_paths = NULL;
    baseline->settings.owned_count = 0;
    common->path_count = given->count;
    common->paths = malloc(given->count * sizeof *common->paths);
    if (common->paths)
        memcpy(common->paths, given->paths, given->count * sizeof *common->paths);
    bool full = !common->paths || inputs_expand_directories(&baseline->settings) != 0;
    if (!full)
        inputs_sort(&baseline->settings);
    if (full || inputs_open(&baseline->inputs, &baseline->settings) != 0) {
        driver_print_error(settings, "out of memory");
        return 1;
    }
    if (baseline->inputs.count == 0) /* a message said why */
        return 1;
    if (run_parts(&baseline->settings, &baseline->inputs, &baseline->state, &message) != 0) {
        driver_print_error(settings, "%s", message.text);
        return 1;
    }
    return 0;
}

void baseline_free(struct baseline *baseline)
{
    if (!baseline->given)
        return;
    if (baseline->state)
        state_free(baseline->settings.analyzer, baseline->state);
    inputs_close(&baseline->inputs);
    for (size_t i = 0; i < baseline->settings.owned_count; i++)
        free(baseline->settings.owned_paths[i]);
    free(baseline->settings.owned_paths);
    free(baseline->settings.common.paths);
}

/* Adds the counts of one object to those of another with the same keys. */
static void baseline_add_counts(json_t *sum, const json_t *counts)
{
    const char *key;
    json_t *value;
    json_object_foreach(sum, key, value)
    {
        const json_t *other = json_object_get(counts, key);
        if (json_is_object(value))
            baseline_add_counts(value, other);
        else
            json_integer_set(value, json_integer_value(value) + json_integer_value(other));
    }
}

void baseline_account(const struct baseline *baseline, struct report *report, json_t *paths, json_t *loss)
{
    if (!baseline->given)
        return;
    json_t *old = inputs_paths(&baseline->inputs), *lost = loss_sum(&baseline->inputs, report);
    baseline_add_counts(loss, lost);
    json_array_extend(paths, old);
    report->summary = json_pack("{s:O}", "baseline", old);
    json_decref(old);
    json_decref(lost);
}

bool baseline_is_incomplete(const struct baseline *baseline)
{
    bool bad = baseline->given && (loss_damaged(&baseline->inputs) || loss_doubtful(&baseline->inputs));
    return baseline->given && (baseline->inputs.unreadable > 0 || (bad && !baseline->settings.keep_going));
}
