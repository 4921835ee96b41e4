#include "analyze/cli/common.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plots/render/figure.h"
#include "plots/render/figure_options.h"
#include "analyze/cli/number.h"
#include "base/json_memory.h"
#include "base/latex_values.h"
#include "base/suggest.h"

void common_parse(const char *program, const struct argp *argp, int argc, char **argv, void *input)
{
    static char version[64], name[64];
    snprintf(version, sizeof version, "assay-%s " ASSAY_VERSION, program);
    snprintf(name, sizeof name, "assay-%s", program);
    json_memory_watch();
    argp_program_version = version;
    argp_err_exit_status = 2;
    argv[0] = name;
    suggest_parse(argp, argc, argv, 0, input);
}

void common_append_figure_options(struct argp_option *all, size_t *count)
{
    static_assert(FIGURE_OPTIONS_MAX <= COMMON_FIGURE_OPTIONS_MAX, "an array of the drivers is too short");
    figure_options_append(all, count, true);
}

static error_t common_add_path(struct common *common, char *path, struct argp_state *state)
{
    char **paths = realloc(common->paths, (common->path_count + 1) * sizeof *paths);
    if (!paths)
        argp_failure(state, 1, ENOMEM, "reading the arguments");
    common->paths = paths;
    paths[common->path_count++] = path;
    return 0;
}

static void common_explain_columns(const struct common *common)
{
    columns_describe(stdout, common->tables, common->table_count);
    if (fflush(stdout) == 0)
        exit(0);
    result_print_error(common->result.program, "standard output: %s", strerror(errno));
    exit(1);
}

error_t common_option(struct common *common, int key, char *arg, struct argp_state *state)
{
    uint64_t jobs;
    error_t status;
    switch (key) {
    case COMMON_FORMAT:
        if (!table_format_named(arg, &common->result.format))
            argp_error(state, "--format %s: must be text, csv, tsv, json, markdown, latex, html or macros", arg);
        common->names_format = true;
        return 0;
    case 'o':
        common->result.output = arg;
        return 0;
    case COMMON_PLOT:
        common->result.plot = arg;
        return 0;
    case COMMON_CONFIDENCE:
        if (number_parse_confidence(arg, &common->confidence) != 0)
            argp_error(state, "--confidence %s: must be a number between 0 and 1, such as 0.95, or a percentage: 95%%",
                       arg);
        return 0;
    case VIEW_COLUMNS:
        if (strcmp(arg, "help") == 0 && common->table_count > 0)
            common_explain_columns(common);
        return view_options_parse(&common->view, key, arg, state);
    case VIEW_RENAME:
    case VIEW_SORT:
    case VIEW_SHORT:
    case VIEW_DIGITS:
    case VIEW_LATEX:
    case VIEW_MACROS:
    case VIEW_MACRO_NAME:
        return view_options_parse(&common->view, key, arg, state);
    case 'j':
        if (number_parse_count(arg, 1, COMMON_JOBS_MAX, &jobs) != 0)
            argp_error(state, "-j %s: must be a whole number from 1 to %d", arg, COMMON_JOBS_MAX);
        common->jobs = (long)jobs;
        return 0;
    case 'q':
        common->result.quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        return common_add_path(common, arg, state);
    default:
        status = common->parse ? common->parse(key, arg, common->own) : ARGP_ERR_UNKNOWN;
        if (status == ARGP_ERR_UNKNOWN && (status = figure_options_parse(&common->result.look, key, arg, state)) == 0)
            common->looks = true;
        if (status == EINVAL)
            argp_error(state, "'%s' is not a value that this option takes; see --help", arg ? arg : "");
        return status;
    }
}

/* One result must not overwrite another. Devices take several. */
static void common_refuse_same_file(const struct common *common, struct argp_state *state)
{
    const struct {
        const char *option, *path;
    } files[] = {{"-o", common->result.output}, {"--plot", common->result.plot}, {"--macros", common->view.macros}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (size_t j = 0; j < i; j++)
            if (files[i].path && files[j].path && strcmp(files[i].path, files[j].path) == 0 &&
                strcmp(files[i].path, "-") != 0 && strncmp(files[i].path, "/dev/", 5) != 0)
                argp_error(state, "%s and %s would both write %s: name two files", files[j].option, files[i].option,
                           files[i].path);
}

/* Now, not after an hour's work. */
void common_finalize(struct common *common, struct argp_state *state)
{
    struct error_text message;
    struct result *result = &common->result;
    if (common->view.names_latex && !common->names_format)
        result->format = TABLE_LATEX;
    if (result->output && !common->names_format)
        table_format_of_path(result->output, &result->format);
    if (result->plot && !result->figure)
        argp_error(state, "--plot: assay-%s draws no figure of this", result->program);
    else if (result->plot && figure_check(result->figure, result->plot, &result->look, &message) != 0)
        argp_error(state, "--plot: %s", message.text);
    else if (common->looks && !result_wants_figure(result))
        argp_error(state, "options say how a figure looks, but none is drawn; say with --plot FILE where to");
    common_refuse_same_file(common, state);
    result->tables = common->tables;
    result->table_count = common->table_count;
    result->view = &common->view;
    if (common->view.names_latex && result->format != TABLE_LATEX)
        argp_error(state, "--latex says how LaTeX looks, but the result is to have another format");
    if (common->view.macro_name && !common->view.macros && result->format != TABLE_MACROS)
        argp_error(state, "--macro-name names values in LaTeX; say with --macros FILE where to write them");
    if (common->view.macro_name && !latex_values_is_name(common->view.macro_name, "{}"))
        argp_error(state, "--macro-name %s: TeX can't read this as a name: no blanks or any of \\%%#~^&$",
                   common->view.macro_name);
}
