/*
 * assay-experiment - runs a whole experiment from its description, and makes its results.
 */
#include "collect/experiment/command.h"

int main(int argc, char **argv)
{
    struct experiment_options options;
    command_parse(argc, argv, &options);
    return command_execute(&options);
}
