/*
 * record.c - assay-record: runs a command with the sampling agents inside all its processes, once or as a series of
 * runs, and writes a checked trace of each.
 */
#include "collect/record/compare/compare.h"
#include "collect/record/options/options.h"
#include "collect/record/start/budget.h"
#include "base/json_memory.h"

static int record_or_check(void *user)
{
    struct record_options *options = user;
    return options->check ? compare_main(options) : record_main(options);
}

int main(int argc, char **argv)
{
    struct record_options options;
    json_memory_watch();
    options_parse(argc, argv, &options);
    return budget_run(record_or_check, &options);
}
