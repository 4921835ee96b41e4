/*
 * assay-experiment - runs a whole experiment from its description, and makes its results.
 */
#include "collect/experiment/experiment.h"

int main(int argc, char **argv)
{
    struct experiment_options options;
    experiment_parse(argc, argv, &options);
    return experiment_main(&options);
}
