#include "analyze/driver/tables/levels_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/driver/tables/groups_table.h"

void levels_name(const struct groups *groups, bool several, char name[LEVELS_NAME_MAX])
{
    const char *word = groups->process;
    size_t length = strlen(word);
    bool is_word = length > 0 && length < 40;
    for (size_t i = 0; i < length && is_word; i++)
        is_word = (word[i] >= 'a' && word[i] <= 'z') || (word[i] >= 'A' && word[i] <= 'Z');
    if (!is_word)
        snprintf(name, LEVELS_NAME_MAX, "%s (column '%.60s')", several ? "processes" : "process", word);
    else
        snprintf(name, LEVELS_NAME_MAX, "%s%s", word, !several ? "" : word[length - 1] == 's' ? "es" : "s");
}

/* "3", "3 to 5" */
static void levels_print_range(char text[48], uint64_t fewest, uint64_t most)
{
    if (fewest == most)
        snprintf(text, 48, "%" PRIu64, most);
    else
        snprintf(text, 48, "%" PRIu64 " to %" PRIu64, fewest, most);
}

static void levels_warn_of_single(const struct groups *groups, size_t group, size_t value, struct report *report)
{
    char *label = groups_table_label(groups, group, value), one[LEVELS_NAME_MAX], several[LEVELS_NAME_MAX], detail[60];
    levels_name(groups, false, one);
    levels_name(groups, true, several);
    snprintf(detail, sizeof detail, " (%" PRIu64 " iterations)", groups_levels(groups, group, value)->values);
    report_warn_of(report, label ? label : "", detail,
                   "all values are of one %s, so nothing can be said about differences between %s; --within none takes "
                   "its iterations as independent, for this %s alone",
                   one, several, one);
    free(label);
}

void levels_report(const struct groups *groups, struct report *report)
{
    uint64_t fewest = UINT64_MAX, most = 0, least_processes = UINT64_MAX, most_processes = 0;
    char processes[48], iterations[48], one[LEVELS_NAME_MAX], several[LEVELS_NAME_MAX];
    for (size_t g = 0; g < groups->count; g++)
        for (size_t v = 0; v < groups->columns.value_count; v++) {
            const struct groups_levels *levels = groups_levels(groups, g, v);
            if (levels->processes == 0)
                continue;
            fewest = levels->fewest < fewest ? levels->fewest : fewest;
            most = levels->most > most ? levels->most : most;
            least_processes = levels->processes < least_processes ? levels->processes : least_processes;
            most_processes = levels->processes > most_processes ? levels->processes : most_processes;
            if (levels->processes == 1 && levels->values > 1)
                levels_warn_of_single(groups, g, v, report);
        }
    if (most < 2)
        return;
    levels_name(groups, false, one);
    levels_name(groups, true, several);
    levels_print_range(processes, least_processes, most_processes);
    levels_print_range(iterations, fewest, most);
    report_note(report, "values are means of %s %s of %s iterations each: iterations of one %s are not independent%s",
                processes, most_processes == 1 ? one : several, iterations, one,
                fewest < most ? "; each counts the same, whatever its iterations" : "");
}
