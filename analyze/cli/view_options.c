#include "analyze/cli/view_options.h"

#include <string.h>

#include "analyze/cli/number.h"
#include "table/model/p_text.h"

static void view_options_parse_columns(struct view_options *options, char *arg, struct argp_state *state)
{
    struct table_view *view = &options->view;
    view->columns = options->columns;
    view->column_count = 0;
    for (char *name; (name = strsep(&arg, ","));) {
        if (!*name || view->column_count == VIEW_COLUMNS_MAX)
            argp_error(state, "--columns: names of columns, separated by commas, at most %d", VIEW_COLUMNS_MAX);
        view->columns[view->column_count++] = name;
    }
}

/* The new name may contain anything, and the old one anything but "=". */
static void view_options_parse_rename(struct view_options *options, char *arg, struct argp_state *state)
{
    struct table_view *view = &options->view;
    char *to = strchr(arg, '=');
    if (!to || to == arg || !to[1])
        argp_error(state, "--rename %s: must be a column's name, = and its new name: mean=Time", arg);
    if (view->rename_count == VIEW_COLUMNS_MAX)
        argp_error(state, "--rename: at most %d columns can be renamed", VIEW_COLUMNS_MAX);
    *to++ = '\0';
    for (size_t i = 0; i < view->rename_count; i++)
        if (strcmp(options->renames[i].from, arg) == 0)
            argp_error(state, "--rename: column '%s' is renamed twice", arg);
    options->renames[view->rename_count++] = (struct table_rename){arg, to};
    view->renames = options->renames;
}

static void view_options_parse_sort(struct view_options *options, char *arg, struct argp_state *state)
{
    struct table_view *view = &options->view;
    view->orders = options->orders;
    view->order_count = 0;
    for (char *name; (name = strsep(&arg, ","));) {
        char *way = strrchr(name, ':'); /* a column's name may have a colon */
        bool descending = way && strcmp(way, ":desc") == 0;
        if (descending || (way && strcmp(way, ":asc") == 0))
            *way = '\0';
        if (!*name || view->order_count == VIEW_COLUMNS_MAX)
            argp_error(state, "--sort: a column's name, or several, separated by commas, each with :desc if largest "
                              "first: share:desc,method");
        options->orders[view->order_count++] = (struct table_order){name, descending};
    }
}

static void view_options_parse_latex(struct view_options *options, char *arg, struct argp_state *state)
{
    struct table_latex *latex = &options->latex;
    bool booktabs = false;
    options->names_latex = true;
    for (char *style; (style = strsep(&arg, ","));) {
        if (strcmp(style, "plain") == 0)
            latex->plain = true;
        else if (strcmp(style, "siunitx") == 0)
            latex->siunitx = true;
        else if (strcmp(style, "fit") == 0)
            latex->fits = true;
        else if (strcmp(style, "booktabs") == 0)
            booktabs = true;
        else
            argp_error(state, "--latex %s: must be booktabs, plain, siunitx or fit, or several, separated by commas",
                       style);
    }
    if (booktabs && latex->plain)
        argp_error(state, "--latex: a table is either booktabs or plain");
}

error_t view_options_parse(struct view_options *options, int key, char *arg, struct argp_state *state)
{
    uint64_t digits;
    switch (key) {
    case VIEW_COLUMNS:
        view_options_parse_columns(options, arg, state);
        return 0;
    case VIEW_RENAME:
        view_options_parse_rename(options, arg, state);
        return 0;
    case VIEW_SORT:
        view_options_parse_sort(options, arg, state);
        return 0;
    case VIEW_SHORT:
        options->view.shortens = true;
        return 0;
    case VIEW_DIGITS:
        if (number_parse_count(arg, 1, TABLE_VIEW_DIGITS_MAX, &digits) != 0)
            argp_error(state, "--digits %s: must be a whole number from 1 to %d", arg, TABLE_VIEW_DIGITS_MAX);
        options->view.digits = (int)digits;
        p_text_use_digits((int)digits);
        return 0;
    case VIEW_LATEX:
        view_options_parse_latex(options, arg, state);
        return 0;
    case VIEW_MACROS:
        options->macros = arg;
        return 0;
    case VIEW_MACRO_NAME:
        options->macro_name = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}
