#include "plots/render/script.h"
#include "base/text_stream.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCRIPT_DEPTH = 8 }; /* of files that load others */

static void script_write_text(FILE *out, const char *name, const char *text)
{
    fprintf(out, "%s = ", name);
    shape_write_string(out, text ? text : "");
    fputc('\n', out);
}

/* "load figure_plots.'/style.gp'": the length of "style", and its beginning. 0 for any other line. */
static int script_find_load(const char *line, const char **name)
{
    static const char begin[] = "load figure_plots.'/", end[] = ".gp'";
    line += strspn(line, " ");
    if (strncmp(line, begin, sizeof begin - 1) != 0)
        return 0;
    *name = line + sizeof begin - 1;
    const char *close = strstr(*name, end);
    return close ? (int)(close - *name) : 0;
}

/* Copies a file of plots/, with the files that it loads in place of the lines that load them. */
static int script_copy_file(FILE *out, const char *directory, const char *name, int length, int depth,
                            struct error_text *message)
{
    char path[PATH_MAX + 256], *line = NULL;
    size_t capacity = 0;
    int status = STATUS_GOOD;
    snprintf(path, sizeof path, "%s/%.*s.gp", directory, length < 200 ? length : 200, name);
    FILE *in = depth < SCRIPT_DEPTH ? fopen(path, "re") : NULL;
    if (!in)
        return error_set(message, STATUS_BAD, "%s: %s", path, depth < SCRIPT_DEPTH ? strerror(errno) : "loads itself");
    fprintf(out, "\n# --- %.*s.gp ---\n", length, name);
    while (!status && getline(&line, &capacity, in) > 0) {
        const char *loaded;
        int loaded_length = script_find_load(line, &loaded);
        if (loaded_length)
            status = script_copy_file(out, directory, loaded, loaded_length, depth + 1, message);
        else
            fputs(line, out);
    }
    if (!status && !feof(in)) /* an error, or no memory for a line */
        status = error_set(message, STATUS_BAD, "%s: %s", path, strerror(errno));
    free(line);
    fclose(in);
    fputc('\n', out);
    return status;
}

static void script_write_number(FILE *out, const char *name, char axis, double value)
{
    fprintf(out, "%s_%c = ", name, axis);
    shape_write_number(out, value);
    fputc('\n', out);
}

/* The scale and the ends of an axis. */
static void script_write_axis(FILE *out, const struct figure_options *options, enum figure_axis axis, bool holds_values)
{
    char name = axis == FIGURE_X ? 'x' : 'y';
    const struct figure_range *own = &options->ranges[axis], *values = &options->ranges[FIGURE_VALUE_AXIS];
    bool set = own->low != 0 || own->high != 0;
    const struct figure_range none = {NAN, NAN}, *range = set ? own
                                                          : holds_values && (values->low != 0 || values->high != 0)
                                                              ? values
                                                              : &none;
    fprintf(out, "figure_log_%c = %d\n", name, options->logs[axis]);
    script_write_number(out, "figure_from", name, range->low);
    script_write_number(out, "figure_to", name, range->high);
}

int script_write(const char *figure, const struct shape *shape, const struct figure_options *options,
                 const char *format, const char *output, char **script, size_t *size, struct error_text *message)
{
    char directory[PATH_MAX];
    *script = NULL;
    int status = recipe_directory(directory, message);
    if (status)
        return status;
    FILE *out = text_stream_open(script, size);
    if (!out)
        return error_set(message, STATUS_BAD, "out of memory");
    const struct recipe *recipe = shape->recipe;
    double scale = options->font_pt > 0 ? options->font_pt / SCRIPT_FONT_PT : 1;
    fprintf(out,
            "# The figure '%s' of assay, with its data: gnuplot draws it.\n"
            "# The format is pdf, svg, png or tex. Width and height are in cm, and NaN for the figure's own; they are\n"
            "# those of text of 7 points, and figure_scale is what the page is scaled by.\n",
            figure);
    script_write_text(out, "figure_format", format);
    script_write_text(out, "figure_output", output);
    fprintf(out, "figure_width = %.17g\nfigure_height = %.17g\nfigure_scale = %.17g\n",
            (options->width_cm > 0 ? options->width_cm : FIGURE_COLUMN_CM) / scale, options->height_cm / scale, scale);
    script_write_text(out, "figure_font", options->font ? options->font : "Arial");
    script_write_text(out, "figure_title", options->title);
    script_write_text(out, "figure_x_label", options->x_label);
    script_write_text(out, "figure_y_label", options->y_label);
    script_write_text(out, "figure_legend", options->legend ? options->legend : "above");
    script_write_text(out, "figure_colours", options->colors);
    fprintf(out, "figure_notes = %d\n", !options->no_notes);
    script_write_axis(out, options, FIGURE_X, recipe->axes.count > 0 && *recipe->axes.word[0] == 'x');
    script_write_axis(out, options, FIGURE_Y, recipe->axes.count > 0 && *recipe->axes.word[0] == 'y');
    status = shape_write(shape, out, message);
    for (size_t i = 0; i < options->alias_count; i++)
        if (recipe_is_number(recipe, options->aliases[i].name)) {
            fputs("name_", out);
            script_write_text(out, options->aliases[i].name, options->aliases[i].column);
        }
    if (!status)
        status = script_copy_file(out, directory, figure, (int)strlen(figure), 0, message);
    fputs("unset output\n", out);
    if (!text_stream_close(out, script) && !status)
        status = error_set(message, STATUS_BAD, "out of memory");
    return status;
}
