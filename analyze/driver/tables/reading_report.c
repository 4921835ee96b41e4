#include "analyze/driver/tables/reading_report.h"

#include <inttypes.h>
#include <string.h>

void reading_report(const struct rows_account *account, const struct rows_request *request, struct report *report)
{
    const struct rows_columns *columns = &account->columns;
    const char *cells = account->blank == 1 ? "cell is" : "cells are";
    bool asked_for = request->skip_bad;
    if (account->blank > 0 && request->wide_count > 0)
        report_note(report, "%" PRIu64 " %s blank: columns of --wide may have fewer values than others", account->blank,
                    cells);
    else if (account->blank > 0 && asked_for)
        report_warn(report, "%" PRIu64 " blank %s left out; the rest of the row counts", account->blank, cells);
    else if (account->blank > 0)
        report_note(report, "%" PRIu64 " %s blank: not every benchmark has every metric", account->blank, cells);
    if (account->rounded > 0)
        report_warn(report, "%" PRIu64 " value%s of more than %d significant digits %s rounded to these",
                    account->rounded, account->rounded == 1 ? "" : "s", DECIMAL_DIGITS,
                    account->rounded == 1 ? "was" : "were");
    if (account->doubts > 1)
        report_warn(report, "%s (and so in %" PRIu64 " more file%s)", account->doubt, account->doubts - 1,
                    account->doubts == 2 ? "" : "s");
    else if (account->doubts == 1)
        report_warn(report, "%s", account->doubt);
    if (account->mixed_count > 1)
        report_warn(report, "%s (and so in %zu more group%s)", account->mixed.text, account->mixed_count - 1,
                    account->mixed_count == 2 ? "" : "s");
    else if (account->mixed_count == 1)
        report_warn(report, "%s", account->mixed.text);
    if (columns->value_by_name)
        report_note(report, "values are those of '%s'; --value chooses other columns", columns->values[0]);
}

const char *reading_report_lost(const struct groups *groups, const struct rows_account *account, struct report *report)
{
    const char *first = NULL;
    for (size_t i = 0; i < account->bad_group_count; i++) {
        const char *name = account->bad_groups[i];
        bool lost = true;
        for (size_t g = 0; g < groups->count && lost; g++) {
            lost = strcmp(groups_name(groups, g), name) != 0;
            for (size_t c = 0; c < groups->columns.group_count && lost; c++)
                lost = strcmp(groups->texts[g][c], name) != 0;
        }
        if (!lost)
            continue;
        report_warn_of(report, name, "", "no value is left: it is not in this result");
        if (i == 0 && account->first_is_bad)
            first = name;
    }
    return first;
}
