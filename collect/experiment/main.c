/*
 * assay-experiment - runs a whole experiment from its description, and makes its results.
 */
#include "collect/experiment/command.h"
#include "base/json_memory.h"

int main(int argc, char **argv)
{
    struct experiment_options options;
    json_memory_watch();
    command_parse(argc, argv, &options);
    return command_execute(&options);
}
