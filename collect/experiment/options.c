/*
 * options.c - the command line of assay experiment.
 */
#include <argp.h>
#include <string.h>

#include "base/error_text.h"
#include "base/suggest.h"
#include "collect/experiment/command.h"

const char *argp_program_version = "assay-experiment " ASSAY_VERSION;

enum { OPTION_MIX_MACHINES = 256, OPTION_ONE_ROUND, OPTION_OVERWRITE };

static const struct argp_option options_table[] = {
    {"dry-run", 'n', NULL, 0, "Check the file, print what is left to do, with its time and disk space, and do nothing",
     0},
    {"mix-machines", OPTION_MIX_MACHINES, NULL, 0,
     "Continue an experiment that began on another machine, or with another kernel, JVM or version of assay", 0},
    {"one-round", OPTION_ONE_ROUND, NULL, 0,
     "Make one round that is missing, and no results; first wait until no other assay experiment is at work there. For "
     "jobs of a batch system",
     0},
    {"overwrite", OPTION_OVERWRITE, NULL, 0,
     "Remove recordings whose command line, environment or files have changed, and make them again", 0},
    {"output", 'o', "ARCHIVE", 0, "With pack, write this file (default: the name of FILE with .zip as its suffix)", 0},
    {"quiet", 'q', NULL, 0, "Print only errors", 0},
    {0}};

static error_t options_parse_option(int key, char *argument, struct argp_state *state)
{
    struct experiment_options *options = state->input;
    switch (key) {
    case 'n':
        options->dry_run = true;
        return 0;
    case OPTION_MIX_MACHINES:
        options->mix_machines = true;
        return 0;
    case OPTION_ONE_ROUND:
        options->one_round = true;
        return 0;
    case OPTION_OVERWRITE:
        options->overwrite = true;
        return 0;
    case 'o':
        options->output = argument;
        return 0;
    case 'q':
        options->quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num == 0 && strcmp(argument, "report") == 0)
            options->action = EXPERIMENT_REPORT;
        else if (state->arg_num == 0 && strcmp(argument, "pack") == 0)
            options->action = EXPERIMENT_PACK;
        else if (!options->path)
            options->path = argument;
        else
            argp_error(state, "one file is wanted, and '%s' is another", argument);
        return 0;
    case ARGP_KEY_END:
        if (!options->path)
            argp_error(state, "which experiment? Name its file, as in assay experiment hot.yaml");
        if (options->output && options->action != EXPERIMENT_PACK)
            argp_error(state, "--output belongs to pack; the file says where results go");
        if (options->one_round && options->action != EXPERIMENT_RUN)
            argp_error(state, "--one-round makes runs, and report and pack make none");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

void command_parse(int argc, char **argv, struct experiment_options *options)
{
    static const struct argp parser = {
        .options = options_table,
        .parser = options_parse_option,
        .args_doc = "FILE\nreport FILE\npack FILE",
        .doc = "Runs a whole experiment from its description: programs, factors, recordings, and the tables and "
               "figures that come of them. What exists is not run again.\v"
               "report makes the results from the recordings that exist, and runs none of the programs. pack does so, "
               "too, and writes an archive from which others can make them.\n\n"
               "Examples:\n"
               "  assay experiment --dry-run hot.yaml\n"
               "  assay experiment hot.yaml\n"
               "  assay experiment report hot.yaml\n"
               "  assay experiment pack hot.yaml\n\n"
               "hot.yaml:\n"
               "  rounds: 10\n"
               "  programs:\n"
               "    fop: java {gc} -jar dacapo.jar fop\n"
               "    xalan: java {gc} -jar dacapo.jar xalan\n"
               "  factors:\n"
               "    gc: {g1: -XX:+UseG1GC, parallel: -XX:+UseParallelGC}\n"
               "  recordings:\n"
               "    cpu: record --period 2ms\n"
               "  results:\n"
               "    tables:\n"
               "      hot-{program}.tex: hot --top 5\n"
               "      times.csv: ci --by program,gc --value wall_s\n"
               "    figures:\n"
               "      hot-{program}.pdf: hot --top 5\n"
               "    values:\n"
               "      \"{program}.hot{rank}\": hot --top 3\n",
    };
    *options = (struct experiment_options){.action = EXPERIMENT_RUN};
    argp_err_exit_status = STATUS_USAGE;
    suggest_parse(&parser, argc, argv, 0, options);
}
