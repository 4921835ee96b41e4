/*
 * assay plot - draws a table as a figure.
 *
 * Question: what does this table look like? Input: tables of the analyzers (CSV, TSV, JSON). Output: one PDF, SVG or
 * PNG, a figure for LaTeX, or a script for gnuplot. Only plots/FIGURE.gp determines what is drawn.
 */
#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plots/render/figure.h"
#include "plots/render/figure_options.h"
#include "plots/render/recipe.h"
#include "base/suggest.h"
#include "base/json_memory.h"

enum { ALIASES = 16 };

struct plot {
    const char *figure;
    char **tables;
    size_t table_count;
    bool asks; /* no figure was named, but a table: which figures fit it? */
    const char *output;
    bool list, quiet;
    struct csv_alias aliases[ALIASES];
    struct figure_options options;
};

enum { KEY_TOP = 0x100, KEY_LIST, KEY_TYPE, KEY_BY };

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0,
     "The figure: FILE.pdf, .svg, .png, .tex for LaTeX, or .gp for gnuplot; - is standard output", 0},
    {"type", KEY_TYPE, "TYPE", 0, "pdf, svg, png, tex or gp, whatever FILE is called (- and devices: svg)", 0},
    {"top", KEY_TOP, "N", 0, "Draw at most the first N bars or groups of bars", 0},
    {"by", KEY_BY, "COL,...", 0, "The columns that tell rows apart (default: those left of all numbers)", 0},
    {"column", 'c', "NAME=COL", 0, "Use the table's column COL as the figure's column NAME", 0},
    {"list", KEY_LIST, NULL, 0, "List the figures, with the columns that they need", 0},
    {"quiet", 'q', NULL, 0, "Do not warn that a figure shows only part of a table", 0},
};

static const char doc[] = "Draw a table of an analyzer (CSV, TSV or JSON) as a figure.\v"
                          "TABLE is a file, or - for standard input. Without FIGURE, the figures that fit it are "
                          "listed. Several tables become one figure with a series each, named NAME or "
                          "after its file.\n\n"
                          "Examples:\n"
                          "  assay intervals --acf --format csv run.trace | assay plot acf - -o acf.pdf\n"
                          "  assay plot hot random=a.csv safepoint=b.csv -o hot.svg";

/* "value=seconds" */
static void plot_add_alias(struct plot *plot, char *text, struct argp_state *state)
{
    char *equals = strchr(text, '=');
    size_t count = plot->options.alias_count;
    if (!equals || equals == text || !equals[1])
        argp_failure(state, STATUS_USAGE, 0, "--column takes NAME=COLUMN, not '%s'", text);
    if (count == ALIASES)
        argp_failure(state, STATUS_USAGE, 0, "no more than %d columns can have other names", ALIASES);
    *equals = '\0';
    plot->aliases[count] = (struct csv_alias){text, equals + 1};
    plot->options.aliases = plot->aliases;
    plot->options.alias_count++;
}

static void plot_check_usage(const struct plot *plot, struct argp_state *state)
{
    if (plot->list)
        return;
    if (plot->asks && plot->output)
        argp_failure(state, STATUS_USAGE, 0, "name a figure; assay plot %s lists those that fit", plot->figure);
    if (plot->asks)
        return;
    if (!plot->figure)
        argp_failure(state, STATUS_USAGE, 0, "name a figure and a table (assay plot --list shows the figures)");
    if (!plot->output && isatty(STDOUT_FILENO))
        argp_failure(state, STATUS_USAGE, 0, "say where to write the figure: -o FILE.pdf, .svg, .png, .tex or .gp");
}

/* Whether this is a file and not a figure's name. */
static bool plot_is_table(const char *name)
{
    struct recipe recipe;
    struct error_text message;
    if (strcmp(name, "-") == 0)
        return true;
    if (access(name, F_OK) != 0)
        return false;
    if (recipe_read(name, &recipe, &message) != 0)
        return true;
    recipe_free(&recipe);
    return false;
}

static error_t plot_parse_option(int key, char *arg, struct argp_state *state)
{
    struct plot *plot = state->input;
    char *end;
    switch (key) {
    case 'o':
        plot->output = arg;
        return 0;
    case KEY_BY:
        plot->options.by = arg;
        return 0;
    case 'q':
        plot->quiet = true;
        return 0;
    case KEY_TYPE:
        plot->options.format = figure_format_named(arg);
        if (plot->options.format == FIGURE_BY_SUFFIX)
            argp_failure(state, STATUS_USAGE, 0, "the type must be pdf, svg, png, tex or gp, not '%s'", arg);
        return 0;
    case KEY_TOP:
        errno = 0;
        plot->options.top = strtoul(arg, &end, 10);
        if (end == arg || *end || errno || plot->options.top == 0 || strchr(arg, '-'))
            argp_failure(state, STATUS_USAGE, 0, "--top must be a whole number of at least 1, not '%s'", arg);
        return 0;
    case 'c':
        plot_add_alias(plot, arg, state);
        return 0;
    case KEY_LIST:
        plot->list = true;
        return 0;
    case ARGP_KEY_ARGS:
        plot->figure = state->argv[state->next];
        plot->tables = state->argv + state->next + 1;
        plot->table_count = (size_t)(state->argc - state->next - 1);
        plot->asks = plot->table_count == 0 && plot_is_table(plot->figure);
        return 0;
    case ARGP_KEY_END:
        plot_check_usage(plot, state);
        return 0;
    default:
        return figure_options_parse(&plot->options, key, arg, state);
    }
}

/* The name of a table in the figure, and its path. */
struct source {
    char name[128];
    const char *path;
    bool named;
};

/* An existing file called "a=b.csv" is meant as a file. */
static struct source plot_parse_source(const char *argument)
{
    struct source source = {"", argument, false};
    const char *equals = strchr(argument, '=');
    if (equals && equals > argument && access(argument, F_OK) != 0) {
        source.path = equals + 1;
        source.named = true;
        snprintf(source.name, sizeof source.name, "%.*s", (int)(equals - argument), argument);
        return source;
    }
    const char *slash = strrchr(argument, '/');
    snprintf(source.name, sizeof source.name, "%s", slash ? slash + 1 : argument);
    char *dot = strrchr(source.name, '.');
    if (dot && dot > source.name)
        *dot = '\0';
    return source;
}

static int plot_open_table(const struct plot *plot, const char *path, struct csv **csv, struct error_text *message)
{
    bool standard = strcmp(path, "-") == 0;
    FILE *in = standard ? stdin : fopen(path, "re");
    if (!in) {
        error_set(message, STATUS_BAD, "%s", strerror(errno));
        error_prefix(message, path);
        return STATUS_BAD;
    }
    int status = csv_read(in, csv, message);
    if (!standard)
        fclose(in);
    if (!status) {
        status = csv_rename(*csv, plot->options.aliases, plot->options.alias_count, message);
        if (status)
            csv_free(*csv);
    }
    if (status)
        error_prefix(message, standard ? "standard input" : path);
    return status;
}

/* Whether there is no need to tell tables apart. */
static bool plot_is_alone(const struct plot *plot)
{
    return plot->table_count == 1 && !plot_parse_source(plot->tables[0]).named;
}

/* The tables, one after the other. */
static int plot_read_tables(const struct plot *plot, struct csv *stack, struct error_text *message)
{
    for (size_t i = 0; i < plot->table_count; i++) {
        struct source source = plot_parse_source(plot->tables[i]);
        struct csv *csv;
        int status = plot_open_table(plot, source.path, &csv, message);
        if (status)
            return status;
        status = figure_check_csv(plot->figure, csv, &plot->options, message);
        if (status)
            error_prefix(message, strcmp(source.path, "-") == 0 ? "standard input" : source.path);
        else if (!csv_stack(stack, plot_is_alone(plot) ? NULL : "table", source.name, csv))
            status = error_set(message, STATUS_BAD, "out of memory");
        csv_free(csv);
        if (status)
            return status;
    }
    return STATUS_GOOD;
}

static int plot_render(const struct plot *plot, struct error_text *message)
{
    const char *output = plot->output ? plot->output : "-";
    struct figure_options own = plot->options;
    char *by = NULL;
    int status = figure_check(plot->figure, output, &plot->options, message);
    if (status)
        return status;
    if (plot->table_count == 0)
        return error_set(message, STATUS_USAGE, "no table: assay plot %s TABLE -o FILE", plot->figure);
    struct csv *stack = csv_new();
    if (!stack)
        return error_set(message, STATUS_BAD, "out of memory");
    status = plot_read_tables(plot, stack, message);
    if (!status && own.by && !plot_is_alone(plot)) { /* --by can't choose the column that tells tables apart */
        if (asprintf(&by, "%s,table", own.by) >= 0) {
            own.by = by;
        } else {
            by = NULL;
            status = error_set(message, STATUS_BAD, "out of memory");
        }
    }
    if (!status)
        status = figure_draw_csv(plot->figure, stack, output, &own, message);
    free(by);
    csv_free(stack);
    return status;
}

static int plot_list_figure(const char *figure, struct error_text *message)
{
    struct recipe recipe;
    int status = recipe_read(figure, &recipe, message);
    if (status)
        return status;
    printf("%-14s %s\n%-14s needs", figure, recipe.sentence, "");
    for (size_t i = 0; i < recipe.needs.count; i++)
        printf(" %s", recipe.needs.word[i]);
    printf("%s", recipe.takes.count || recipe.texts.count ? "; takes" : "");
    for (size_t i = 0; i < recipe.takes.count; i++)
        printf(" %s", recipe.takes.word[i]);
    for (size_t i = 0; i < recipe.texts.count; i++)
        printf(" %s", recipe.texts.word[i]);
    putchar('\n');
    recipe_free(&recipe);
    return STATUS_GOOD;
}

static int plot_list_figures(struct error_text *message)
{
    char **names;
    int status = recipe_names(&names, message);
    if (status)
        return status;
    for (size_t i = 0; names[i] && !status; i++)
        status = plot_list_figure(names[i], message);
    recipe_free_names(names);
    if (!status && (fflush(stdout) != 0 || ferror(stdout)))
        status = error_set(message, STATUS_BAD, "standard output: %s", strerror(errno));
    return status;
}

/* The figures whose columns this table has. */
static int plot_list_fitting(const struct plot *plot, struct error_text *message)
{
    char **names;
    struct csv *csv;
    struct error_text why;
    size_t fitting = 0;
    int status = plot_open_table(plot, plot->figure, &csv, message);
    if (status)
        return status;
    status = recipe_names(&names, message);
    if (status) {
        csv_free(csv);
        return status;
    }
    for (size_t i = 0; names[i] && !status; i++)
        if (figure_check_csv(names[i], csv, &plot->options, &why) == 0) {
            fitting++;
            status = plot_list_figure(names[i], message);
        }
    recipe_free_names(names);
    csv_free(csv);
    if (!status && !fitting)
        return error_set(message, STATUS_BAD, "%s: no figure fits; assay plot --list shows the columns that each needs",
                         plot->figure);
    if (!status && strcmp(plot->figure, "-") != 0)
        printf("Draw one: assay plot FIGURE %s -o FILE.pdf\n", plot->figure);
    if (!status && (fflush(stdout) != 0 || ferror(stdout)))
        status = error_set(message, STATUS_BAD, "standard output: %s", strerror(errno));
    return status;
}

int main(int argc, char **argv)
{
    struct argp_option all[sizeof options / sizeof *options + FIGURE_OPTIONS_MAX + 1] = {0};
    size_t count = sizeof options / sizeof *options;
    memcpy(all, options, sizeof options);
    figure_options_append(all, &count, false);
    const struct argp argp = {all, plot_parse_option, "FIGURE [NAME=]TABLE...\nTABLE\n--list", doc, NULL, NULL, NULL};
    struct plot plot = {0};
    struct error_text message = {""};
    json_memory_watch();
    argp_program_version = "assay-plot " ASSAY_VERSION;
    argp_err_exit_status = STATUS_USAGE;
    argv[0] = (char[]){"assay-plot"};
    suggest_parse(&argp, argc, argv, 0, &plot);
    int status = plot.list   ? plot_list_figures(&message)
                 : plot.asks ? plot_list_fitting(&plot, &message)
                             : plot_render(&plot, &message);
    if (*message.text && (status || !plot.quiet))
        fprintf(stderr, "assay-plot: %s\n", message.text);
    return status;
}
