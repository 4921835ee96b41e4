#include "analyze/causality/injected.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/causality/traced_points.h"
#include "analyze/tabular/groups.h"

enum { METHOD, WORK, RUN, GUARD, COLUMNS };

static int add_group(const struct groups *groups, size_t g, struct text_set *invalid, struct complaint *complaint)
{
    char *const *texts = groups->texts[g];
    const struct series *amounts = groups_series(groups, g, 0);
    if (strcmp(texts[GUARD], "ok") == 0)
        return STATUS_GOOD;
    for (size_t i = 0; i < amounts->n; i++) {
        char *key = traced_points_key(texts[METHOD], texts[WORK], texts[RUN], series_double(amounts, i));
        uint32_t added = key ? text_set_add(invalid, key) : TEXT_SET_FULL;
        free(key);
        if (added == TEXT_SET_FULL)
            return complain(complaint, STATUS_BAD, "out of memory");
    }
    return STATUS_GOOD;
}

int injected_read(const char *path, struct text_set *invalid, struct complaint *complaint)
{
    static const char *const names[COLUMNS] = {"method", "work", "run", "guard"}, *const values[] = {"amount"};
    static const bool keeps_values = true;
    const struct rows_request request = {.values = values,
                                         .value_count = 1,
                                         .groups = names,
                                         .group_count = COLUMNS,
                                         .header = ROWS_HEADER_PRESENT,
                                         .jobs = 1};
    const struct rows_consumer consumer = GROUPS_CONSUMER(&keeps_values);
    struct rows_account account = {0};
    void *state;
    int status = rows_read(&request, &path, 1, &consumer, &state, &account, complaint);
    if (status)
        return STATUS_BAD;
    const struct groups *groups = state;
    for (size_t g = 0; !status && g < groups->count; g++)
        status = add_group(groups, g, invalid, complaint);
    groups_free(state);
    rows_account_free(&account);
    return status;
}
