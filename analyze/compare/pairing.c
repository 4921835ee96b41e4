#include "analyze/compare/pairing.h"

#include <stdlib.h>

#include "base/text_set.h"

int pairing_init(struct pairing *pairing, struct groups *groups, struct error_text *message)
{
    size_t count = groups->count, values = groups->columns.value_count, within = groups->columns.within_count;
    struct text_set keys = {0};
    pairing->groups = calloc(count + 1, sizeof *pairing->groups);
    pairing->keys = calloc(count + 1, sizeof *pairing->keys);
    pairing->present = calloc(count * values + 1, sizeof *pairing->present);
    pairing->count = count;
    pairing->value_count = values;
    bool good = pairing->groups && pairing->keys && pairing->present;
    for (size_t g = 0; g < count && good; g++) {
        const char *const *texts = (const char *const *)groups->texts[g] + groups->columns.group_count - within;
        pairing->keys[g] = text_set_add_tuple(&keys, texts, within);
        good = pairing->keys[g] != TEXT_SET_FULL;
        if (good && pairing->keys[g] >= pairing->key_count)
            pairing->key_count = pairing->keys[g] + 1;
        for (size_t v = 0; v < values; v++)
            pairing->present[g * values + v] = groups_series(groups, g, v)->n > 0;
    }
    text_set_free(&keys);
    if (!good)
        return error_set(message, STATUS_BAD, "out of memory");
    return groups_take_means(groups, pairing->groups, message);
}

void pairing_free(struct pairing *pairing)
{
    free(pairing->groups);
    free(pairing->keys);
    free(pairing->present);
    *pairing = (struct pairing){0};
}

static enum stats_status pairing_append(struct series *to, const struct series *from, size_t i)
{
    struct decimal decimal = {0, 0};
    enum stats_status status = STATS_OK;
    if (from->wide)
        status = decimal_of_double(series_double(from, i), &decimal);
    else
        decimal = (struct decimal){from->fixed[i], from->exponent};
    return status ? status : series_append(to, &decimal, 1);
}

enum stats_status pairing_match(const struct pairing *pairing, const struct groups *groups, const size_t group[2],
                                size_t value, struct series matched[2])
{
    size_t *partner = malloc((pairing->key_count + 1) * sizeof *partner), next[2] = {0, 0};
    enum stats_status status = partner ? STATS_OK : STATS_NO_MEMORY;
    for (size_t key = 0; key < pairing->key_count && !status; key++)
        partner[key] = SIZE_MAX;
    for (size_t i = 0; i < pairing->count && !status; i++)
        if (pairing->groups[i] == group[1] && pairing->present[i * pairing->value_count + value])
            partner[pairing->keys[i]] = next[1]++;
    for (size_t i = 0; i < pairing->count && !status; i++) {
        if (pairing->groups[i] != group[0] || !pairing->present[i * pairing->value_count + value])
            continue;
        size_t own = next[0]++, other = partner[pairing->keys[i]];
        if (other == SIZE_MAX)
            continue;
        status = pairing_append(&matched[0], groups_series(groups, group[0], value), own);
        if (!status)
            status = pairing_append(&matched[1], groups_series(groups, group[1], value), other);
    }
    free(partner);
    return status;
}
