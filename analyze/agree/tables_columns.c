/* The columns of the tables of assay agree. */
#include "analyze/agree/tables_parts.h"

#define PROFILERS(row)                                                                                                 \
    COLUMN(row, "a", TABLE_TEXT, a, "A profiler. Profilers are in the order of their names."),                         \
        COLUMN(row, "b", TABLE_TEXT, b, "A later one.")

static const struct column pair_columns[] = {
    PROFILERS(pair_row),
    COLUMN(pair_row, "hottest_a", TABLE_TEXT, hottest_a, "The hottest method of a."),
    COLUMN(pair_row, "hottest_b", TABLE_TEXT, hottest_b, "The hottest method of b."),
    COLUMN(pair_row, "same", TABLE_TEXT, same, "Whether both have the same hottest method: yes or no."),
    COLUMN(pair_row, "class", TABLE_TEXT, class,
           "agree; caller/callee if one of the two hottest methods calls the other, directly or indirectly; disagree; "
           "or unknown where no profile has call stacks."),
    COLUMN(pair_row, "tau", TABLE_REAL, tau,
           "Kendall's rank correlation (tau-b) of the shares of all methods that are among the hottest (--top) of "
           "either profiler: 1 for the same order, -1 for the opposite one."),
    COLUMN(pair_row, "overlap", TABLE_SHARE, overlap,
           "The number of methods among the hottest of both, over the length of the longer list: 0 to 1."),
    COLUMN(pair_row, "distance", TABLE_SHARE, distance.value,
           "The total variation distance: half the sum of the absolute differences of all shares, which is the share "
           "of the time that the two attribute to different methods. It is 0 for equal profiles and 1 for profiles "
           "with nothing in common."),
    COLUMN(pair_row, "lo", TABLE_SHARE, distance.lo,
           "The lower end of the bootstrap interval of the distance. Runs are resampled with replacement 2000 times, "
           "and the quantiles are widened as Student's t requires for few runs. Noise makes a distance too large, and "
           "this end allows for all that noise can add, so the interval covers the distance more often than stated (97 "
           "to 99 % in simulations, at 95 %). It is blank if one of the two profilers has only one run."),
    COLUMN(pair_row, "hi", TABLE_SHARE, distance.hi, "The upper end of this interval."),
    COLUMN(pair_row, "verdict", TABLE_TEXT, verdict,
           "differ if that interval is above 0; else no difference shown, which does not mean that the profiles are "
           "equal: "
           "the distance may be as large as hi. It is blank without an interval.")};

static const struct column union_columns[] = {
    COLUMN(union_row, "n", TABLE_COUNT, n, "1, 2, 3, ... up to --top."),
    COLUMN(union_row, "union", TABLE_COUNT, methods,
           "Union_n: the number of methods that are among the n hottest of at least one profiler."),
    COLUMN(union_row, "lo", TABLE_REAL, lo, "The lower end of its bootstrap interval; blank for one run."),
    COLUMN(union_row, "hi", TABLE_REAL, hi, "The upper end.")};

static const struct column hotness_columns[] = {
    COLUMN(hotness_row, "profiler", TABLE_TEXT, profiler, "The profiler."),
    COLUMN(hotness_row, "method", TABLE_TEXT, method, "The method."),
    COLUMN(hotness_row, "hotness", TABLE_SHARE, hotness,
           "Its share of the time of a run by this profiler, 0 to 1; mean over runs."),
    COLUMN(hotness_row, "lo", TABLE_SHARE, lo,
           "The lower end of the interval of this mean: Student's t, or Wilson's where Student's would extend beyond 0 "
           "to 1. It is blank for one run."),
    COLUMN(hotness_row, "hi", TABLE_SHARE, hi, "The upper end.")};

static const struct column method_columns[] = {
    PROFILERS(method_row),
    COLUMN(method_row, "method", TABLE_TEXT, method, "The method; those that differ most come first."),
    COLUMN(method_row, "hotness_a", TABLE_SHARE, hotness_a, "Its share in the profile of a, 0 to 1."),
    COLUMN(method_row, "hotness_b", TABLE_SHARE, hotness_b, "Its share in the profile of b."),
    COLUMN(method_row, "difference", TABLE_SHARE, difference.value, "hotness_b - hotness_a."),
    COLUMN(method_row, "lo", TABLE_SHARE, difference.lo,
           "The lower end of the interval of the difference, by Welch's t; blank if one of the two profilers has only "
           "one run."),
    COLUMN(method_row, "hi", TABLE_SHARE, difference.hi, "The upper end."),
    COLUMN(method_row, "distance", TABLE_SHARE, distance,
           "The method's part of the total variation: half of the absolute difference."),
    COLUMN(
        method_row, "verdict", TABLE_TEXT, verdict,
        "differ if the interval of the difference excludes 0, else no difference shown; blank without an interval.")};

static const struct column observer_columns[] = {
    COLUMN(observer_row, "a", TABLE_TEXT, a, "NAME, the profiler of the undisturbed runs."),
    COLUMN(observer_row, "b", TABLE_TEXT, b, "The other profiler."),
    COLUMN(observer_row, "same", TABLE_TEXT, same, "Whether the hottest method is the same: yes or no."),
    COLUMN(observer_row, "distance", TABLE_SHARE, observed.distance.value,
           "The total variation distance of the profiles, as above."),
    COLUMN(observer_row, "lo", TABLE_SHARE, observed.distance.lo, "The lower end of its interval, as above."),
    COLUMN(observer_row, "hi", TABLE_SHARE, observed.distance.hi, "The upper end."),
    COLUMN(observer_row, "noise", TABLE_SHARE, observed.noise, "How much noise may add to the distance."),
    COLUMN(observer_row, "wall_a", TABLE_REAL, observed.wall_s[0],
           "The mean elapsed time of a run of a, in seconds. assay record stores times in its traces; imported traces "
           "have none, and the cells of times are blank."),
    COLUMN(observer_row, "wall_b", TABLE_REAL, observed.wall_s[1], "The mean elapsed time of a run of b."),
    COLUMN(observer_row, "wall", TABLE_SHARE, observed.wall.value,
           "The overhead in elapsed time: the mean time of b divided by the mean time of a, minus 1."),
    COLUMN(observer_row, "wall_lo", TABLE_SHARE, observed.wall.lo,
           "The lower end of Fieller's interval of this overhead: all ratios that Welch's t test does not reject."),
    COLUMN(observer_row, "wall_hi", TABLE_SHARE, observed.wall.hi, "The upper end."),
    COLUMN(observer_row, "cpu", TABLE_SHARE, observed.cpu.value,
           "The overhead in CPU time: user and system time of the whole command."),
    COLUMN(observer_row, "cpu_lo", TABLE_SHARE, observed.cpu.lo, "The lower end of its interval, by Fieller."),
    COLUMN(observer_row, "cpu_hi", TABLE_SHARE, observed.cpu.hi, "The upper end."),
    COLUMN(observer_row, "verdict", TABLE_TEXT, verdict,
           "Says of the profiles: differ if the interval of their distance is above 0, else no difference shown; blank "
           "without an interval."),
    COLUMN(observer_row, "wall_verdict", TABLE_TEXT, wall_verdict, "The same for the overhead in elapsed time."),
    COLUMN(observer_row, "cpu_verdict", TABLE_TEXT, cpu_verdict, "The same for the overhead in CPU time.")};

const struct columns agree_tables[TABLES_QUESTIONS] = {
    [TABLES_PAIRS] = COLUMNS("One row for each pair of profilers", pair_columns),
    [TABLES_UNION] = COLUMNS("With --union, one row for each n", union_columns),
    [TABLES_HOTNESS] = COLUMNS("With --hotness, one row for each profiler and method", hotness_columns),
    [TABLES_METHODS] = COLUMNS("With --methods, one row for each pair of profilers and method", method_columns),
    [TABLES_OBSERVER] = COLUMNS("With --observer NAME, one row for each other profiler", observer_columns)};
