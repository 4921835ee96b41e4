/* The columns of assay waste --baseline. */
#include "analyze/waste/tables/waste_columns.h"

#define BASELINE(title, type, member, meaning, ...)                                                                    \
    COLUMN(waste_baseline_row, title, type, member, meaning, __VA_ARGS__)

const struct column waste_baseline_columns[WASTE_BASELINE_COLUMNS] = {
    BASELINE("level", TABLE_TEXT, level, "total, function, line, pair, scope or object: what the row is about.",
             .readers = COLUMN_MACHINE),
    BASELINE("status", TABLE_TEXT, status,
             "gone, less, same, unclear, more, new or moved. It is same if the interval of the change contains 0, or "
             "without an interval if there is no change; and unclear if this interval reaches beyond 5 % of the larger "
             "version. Otherwise it is gone or new if one version has none of it, in any run. moved is what is the "
             "same but has another line number now. Formats for readers count the rows that are the same."),
    BASELINE("kind", TABLE_TEXT, kind, "The kind of waste of pairs, loops and objects, and of the total of a kind.",
             .readers = COLUMN_MACHINE),
    BASELINE("kind", TABLE_TEXT, kind, NULL, .readers = COLUMN_HUMAN, .when = BASELINE_WITH_KINDS),
    BASELINE("quantity", TABLE_TEXT, quantity,
             "What old and new are, means over runs: bytes (all bytes loaded or stored in a run), accesses (of these, "
             "the loads or stores in pairs), fraction (wasted bytes over all bytes loaded or stored, 0 to 1), "
             "pair_fraction (over those that had been accessed before; of sampled runs), wasted_bytes (in a run; a "
             "store that is both dead and silent counts once for functions and lines), or seconds (of CPU time, "
             "samples times their period).",
             .readers = COLUMN_MACHINE),
    BASELINE("name", TABLE_TEXT, name,
             "loads, stores, CPU time or a kind; a function, a line, a loop, an object, or the first context of a "
             "pair, as in the new version; what is gone has its old name.",
             .readers = COLUMN_MACHINE),
    BASELINE("name", TABLE_TEXT, name_shown, NULL, .readers = COLUMN_HUMAN),
    BASELINE("second_context", TABLE_TEXT, second, "Only with --pairs: the second context of the pair.",
             .readers = COLUMN_MACHINE, .when = BASELINE_WITH_PAIRS),
    BASELINE("second_context", TABLE_TEXT, second_shown, NULL, .readers = COLUMN_HUMAN, .when = BASELINE_WITH_PAIRS),
    BASELINE("old", TABLE_REAL, old, "The mean over the runs of the old version.", .readers = COLUMN_MACHINE),
    BASELINE("new", TABLE_REAL, new, "The mean over the runs of the new version.", .readers = COLUMN_MACHINE),
    BASELINE("change", TABLE_REAL, change, "new - old. Rows are sorted by its size.", .readers = COLUMN_MACHINE),
    BASELINE("lo", TABLE_REAL, low,
             "The lower end of the change's confidence interval, by Welch's t test (with --method z by the normal "
             "quantile), if both versions have two runs or more. If nothing varies from run to run, both ends are the "
             "change. For the fraction of single runs that have intervals of their own, which are sampled runs and "
             "those in bursts, it follows from these by squaring and adding.",
             .readers = COLUMN_MACHINE),
    BASELINE("hi", TABLE_REAL, high, "The upper end of this interval.", .readers = COLUMN_MACHINE),
    BASELINE("old", TABLE_TEXT, old_shown, NULL, .readers = COLUMN_HUMAN),
    BASELINE("new", TABLE_TEXT, new_shown, NULL, .readers = COLUMN_HUMAN),
    BASELINE("change", TABLE_TEXT, change_shown, NULL, .readers = COLUMN_HUMAN),
    BASELINE("lo-hi", TABLE_TEXT, interval_shown, NULL, .readers = COLUMN_HUMAN),
    BASELINE("removed", TABLE_SHARE, removed,
             "1 - new / old: the share that is gone, below 0 if there is more now. It is blank for fractions."),
    BASELINE("removed_lo", TABLE_SHARE, removed_low,
             "The lower end of its confidence interval, from Fieller's interval of the ratio new / old.",
             .readers = COLUMN_MACHINE),
    BASELINE("removed_hi", TABLE_SHARE, removed_high, "The upper end of this interval.", .readers = COLUMN_MACHINE),
    BASELINE("runs_old", TABLE_COUNT, runs_old, "The number of runs behind old.", .readers = COLUMN_MACHINE),
    BASELINE("runs_new", TABLE_COUNT, runs_new, "The number of runs behind new.", .readers = COLUMN_MACHINE),
    BASELINE("time_old", TABLE_REAL, time_old,
             "Only for functions and lines, and if both versions have CPU profiles: the CPU time there in a run of the "
             "old version in seconds, which is the number of its samples times their period; mean over the profile's "
             "runs.",
             .readers = COLUMN_MACHINE),
    BASELINE("time_new", TABLE_REAL, time_new, "The same of the new version.", .readers = COLUMN_MACHINE),
    BASELINE("time_ratio", TABLE_REAL, time_ratio.value, "time_new / time_old, for CPU time in all, too.",
             .readers = COLUMN_MACHINE),
    BASELINE("time_ratio", TABLE_ESTIMATE, time_ratio, NULL, .readers = COLUMN_HUMAN, .when = BASELINE_WITH_TIMES),
    BASELINE("time_lo", TABLE_REAL, time_ratio.low, "The lower end of its confidence interval, Fieller's.",
             .readers = COLUMN_MACHINE),
    BASELINE("time_hi", TABLE_REAL, time_ratio.high, "The upper end of this interval.", .readers = COLUMN_MACHINE),
    BASELINE("scope", TABLE_TEXT, scope, "The loop of a pair, blank if there is none.", .readers = COLUMN_MACHINE),
    BASELINE("object", TABLE_TEXT, object, "The data object of a pair, likewise.", .readers = COLUMN_MACHINE),
    BASELINE("old_name", TABLE_TEXT, old_name, "The name in the old version, if it was another one.",
             .readers = COLUMN_MACHINE),
    BASELINE("old_second_context", TABLE_TEXT, old_second, "Only with --pairs: likewise.", .readers = COLUMN_MACHINE,
             .when = BASELINE_WITH_PAIRS),
};
