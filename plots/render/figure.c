#include "plots/render/figure.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plots/render/gnuplot.h"
#include "plots/render/recipe.h"
#include "plots/render/script.h"
#include "plots/render/shape.h"
#include "plots/render/tex.h"
#include "base/replace.h"

static const char *const format_names[] = {
    [FIGURE_PDF] = "pdf", [FIGURE_SVG] = "svg", [FIGURE_PNG] = "png", [FIGURE_TEX] = "tex", [FIGURE_SCRIPT] = "gp"};

enum figure_format figure_format_named(const char *name)
{
    for (int format = FIGURE_PDF; format < FIGURE_FORMATS; format++)
        if (strcasecmp(name, format_names[format]) == 0)
            return (enum figure_format)format;
    return FIGURE_BY_SUFFIX;
}

/* A device, a pipe, a terminal: a rename must not replace these. */
static bool figure_path_is_stream(const char *path)
{
    struct stat status;
    return strcmp(path, "-") == 0 || (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode));
}

static int figure_choose_format(const char *path, enum figure_format *format, struct error_text *message)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    if (*format == FIGURE_BY_SUFFIX && dot)
        *format = figure_format_named(dot + 1);
    if (*format == FIGURE_BY_SUFFIX && figure_path_is_stream(path))
        *format = FIGURE_SVG;
    if (*format == FIGURE_TEX && figure_path_is_stream(path))
        return error_set(message, STATUS_USAGE, "a figure for LaTeX is two files: name one, FILE.tex");
    if (*format == FIGURE_TEX && !tex_reads_path(path))
        return error_set(message, STATUS_USAGE,
                         "%s: LaTeX can't read a name with any of \\{}#\" or a control character", path);
    if (*format != FIGURE_BY_SUFFIX)
        return STATUS_GOOD;
    return error_set(message, STATUS_USAGE, "%s: the suffix must be .pdf, .svg, .png, .tex or .gp", path);
}

/* Replaces a file, or writes to what a rename must not replace. */
static int figure_save(const char *path, const char *drawing, size_t size, struct error_text *message)
{
    bool to_output = strcmp(path, "-") == 0;
    struct replacement file = {.out = stdout};
    int error = to_output ? 0 : replace_open(&file, path);
    if (!error && (fwrite(drawing, 1, size, file.out) != size || fflush(file.out) != 0))
        error = errno;
    if (!to_output && file.out)
        error = replace_close(&file, error);
    if (!error)
        return STATUS_GOOD;
    return error_set(message, STATUS_BAD, "%s: %s", to_output ? "standard output" : path, strerror(error));
}

/* What gnuplot drew: bytes and a NUL, to be freed. */
struct drawing {
    char *bytes;
    size_t size;
    char *graphics; /* of FIGURE_TEX: the PDF that the first file includes */
    size_t graphics_size;
};

static void figure_free_drawing(struct drawing *drawing)
{
    free(drawing->bytes);
    free(drawing->graphics);
}

/* The creation date is the only thing in a PDF of cairo's that differs from run to run: blanks it. */
static void figure_blank_date(char *bytes, size_t size)
{
    static const char key[] = "/CreationDate (";
    char *at = memmem(bytes, size, key, sizeof key - 1);
    char *close = at ? memchr(at, ')', size - (size_t)(at - bytes)) : NULL;
    if (close)
        memset(at, ' ', (size_t)(close + 1 - at));
}

/* The file that a figure for LaTeX includes: "out/fig.tex" needs "out/fig-tex.pdf". NULL without memory. */
static char *figure_graphics_path(const char *path)
{
    char *graphics = NULL;
    size_t length = strlen(path);
    if (length > 4 && strcasecmp(path + length - 4, ".tex") == 0)
        length -= 4;
    return asprintf(&graphics, "%.*s-tex.pdf", (int)length, path) < 0 ? NULL : graphics;
}

/* gnuplot's name of the output: next to a script, its PDF. NULL without memory. */
static char *figure_script_output(const char *path)
{
    char *output = NULL;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    if (length > 3 && strcasecmp(name + length - 3, ".gp") == 0)
        length -= 3;
    if (figure_path_is_stream(path))
        return strdup("figure.pdf");
    return asprintf(&output, "%.*s.pdf", (int)length, name) < 0 ? NULL : output;
}

static int figure_draw_tex(const char *figure, const struct shape *shape, const struct figure_options *options,
                           const char *path, struct drawing *drawing, struct error_text *message)
{
    char *script = NULL, *guarded = NULL, *picture = NULL, *output = NULL, *graphics = figure_graphics_path(path);
    size_t size;
    struct gnuplot_files files;
    int status = graphics ? gnuplot_open_files(&files, message) : error_set(message, STATUS_BAD, "out of memory");
    if (!status) {
        if (asprintf(&output, "%s/figure.tex", files.directory) < 0) {
            output = NULL;
            status = error_set(message, STATUS_BAD, "out of memory");
        } else {
            status = script_write(figure, shape, options, "tex", output, &script, &size, message);
        }
        if (!status && !(guarded = tex_guard(script, &size)))
            status = error_set(message, STATUS_BAD, "out of memory");
        if (!status)
            status = gnuplot_run_files(guarded, size, &files, &picture, &drawing->graphics, &drawing->graphics_size,
                                       message);
        gnuplot_close_files(&files);
    }
    if (!status) {
        figure_blank_date(drawing->graphics, drawing->graphics_size);
        drawing->bytes =
            tex_finish(picture, options->font_pt > 0 ? options->font_pt : SCRIPT_FONT_PT, graphics, &drawing->size);
        if (!drawing->bytes)
            status = error_set(message, STATUS_BAD, "out of memory");
    }
    free(script);
    free(guarded);
    free(picture);
    free(output);
    free(graphics);
    return status;
}

/* Runs the script, or returns it as the drawing. */
static int figure_draw_shape(const char *figure, const struct shape *shape, const struct figure_options *options,
                             const char *path, struct drawing *drawing, struct error_text *message)
{
    static const struct {
        const char *begin, *end, *terminal;
    } formats[] = {[FIGURE_PDF] = {"%PDF-", "%%EOF", "pdfcairo"},
                   [FIGURE_SVG] = {"<?xml", "</svg>", "svg"},
                   [FIGURE_PNG] = {"\x89PNG", "IEND", "pngcairo"}};
    if (options->format == FIGURE_TEX)
        return figure_draw_tex(figure, shape, options, path, drawing, message);
    if (options->format == FIGURE_SCRIPT) {
        char *output = figure_script_output(path);
        int status = output
                         ? script_write(figure, shape, options, "pdf", output, &drawing->bytes, &drawing->size, message)
                         : error_set(message, STATUS_BAD, "out of memory");
        free(output);
        return status;
    }
    const char *begin = formats[options->format].begin, *end = formats[options->format].end;
    char *script;
    size_t script_size;
    int status = script_write(figure, shape, options, format_names[options->format], GNUPLOT_OUTPUT, &script,
                              &script_size, message);
    if (!status)
        status = gnuplot_run(script, script_size, &drawing->bytes, &drawing->size, message);
    free(script);
    char *bytes = drawing->bytes;
    size_t size = drawing->size;
    if (!status && options->format == FIGURE_PDF)
        figure_blank_date(bytes, size);

    /* gnuplot may exit with success without drawing: a file must begin and end as its format does. */
    bool complete = !status && size > 16 && memcmp(bytes, begin, strlen(begin)) == 0 &&
                    memmem(bytes + size - 16, 16, end, strlen(end));
    if (!status && !complete)
        status = error_set(message, STATUS_BAD, "gnuplot drew nothing; does it have the %s terminal?",
                           formats[options->format].terminal);
    return status;
}

/* Saves the drawing: the graphics first, so that no new text is with old graphics. */
static int figure_save_drawing(const char *path, const struct drawing *drawing, struct error_text *message)
{
    if (drawing->graphics) {
        char *graphics = figure_graphics_path(path);
        int status = graphics ? figure_save(graphics, drawing->graphics, drawing->graphics_size, message)
                              : error_set(message, STATUS_BAD, "out of memory");
        free(graphics);
        if (status)
            return status;
    }
    return figure_save(path, drawing->bytes, drawing->size, message);
}

/* Whether a figure has the axes that options are about. */
static int figure_check_options(const char *figure, const struct recipe *recipe, const struct figure_options *options,
                                struct error_text *message)
{
    static const char *const names[] = {[FIGURE_X] = "x", [FIGURE_Y] = "y"};
    for (enum figure_axis axis = FIGURE_VALUE_AXIS; axis < FIGURE_AXES; axis++) {
        bool ranged = options->ranges[axis].low != 0 || options->ranges[axis].high != 0;
        bool has = axis == FIGURE_VALUE_AXIS ? recipe->axes.count > 0 : recipe_has(&recipe->axes, names[axis]);
        if ((ranged || options->logs[axis]) && !has)
            return error_set(message, STATUS_USAGE, "figure '%s' has no %s%saxis for %s", figure,
                             axis == FIGURE_VALUE_AXIS ? "" : names[axis], axis == FIGURE_VALUE_AXIS ? "" : " ",
                             ranged ? "--range" : "--log");
    }
    for (enum figure_axis axis = FIGURE_X; axis < FIGURE_AXES; axis++) {
        const struct figure_range *own = &options->ranges[axis], *values = &options->ranges[FIGURE_VALUE_AXIS];
        bool ranged = own->low != 0 || own->high != 0,
             holds_values = recipe->axes.count > 0 && strcmp(recipe->axes.word[0], names[axis]) == 0;
        const struct figure_range *range = ranged || !holds_values ? own : values;
        if (options->logs[axis] && (range->low != 0 || range->high != 0) && (range->low <= 0 || range->high <= 0))
            return error_set(message, STATUS_USAGE, "--range must be above 0 for an axis with --log");
    }
    if (options->top && !recipe->key)
        return error_set(message, STATUS_USAGE, "figure '%s' has no order by which to take the top rows", figure);
    return STATUS_GOOD;
}

static int figure_read_recipe(const char *figure, const struct figure_options *options, struct recipe *recipe,
                              struct error_text *message)
{
    int status = recipe_read(figure, recipe, message);
    if (!status && options && options->by && (status = recipe_set_by(recipe, options->by, message)) != 0)
        recipe_free(recipe);
    return status;
}

/* Consumes the recipe. `path` is where the drawing goes, which may say its format. */
static int figure_render_source(const char *figure, struct recipe *recipe, const struct shape_source *source,
                                const char *path, const struct figure_options *options, struct drawing *drawing,
                                struct error_text *message)
{
    struct figure_options own = options ? *options : (struct figure_options){0};
    struct shape shape;
    int status = figure_choose_format(path, &own.format, message);
    if (!status)
        status = figure_check_options(figure, recipe, &own, message);
    recipe->label = (size_t)fmax(8, round((double)recipe->label * (own.width_cm > 0 ? own.width_cm / 8.5 : 1) *
                                          (own.font_pt > 0 ? SCRIPT_FONT_PT / own.font_pt : 1)));
    const struct figure_range *range =
        &own.ranges[own.ranges[FIGURE_X].low != 0 || own.ranges[FIGURE_X].high != 0 ? FIGURE_X : FIGURE_VALUE_AXIS];
    bool ranged = range->low != 0 || range->high != 0;
    const struct shape_choices choices = {.top = own.top,
                                          .low = ranged ? range->low : NAN,
                                          .high = ranged ? range->high : NAN,
                                          .positive = own.logs[FIGURE_X],
                                          .order = own.order,
                                          .other = own.sets_other ? own.other : 0.01,
                                          .labels = own.labels,
                                          .label_count = own.label_count,
                                          .full_labels = own.full_labels};
    if (!status && (status = shape_init(&shape, recipe, source, &choices, message)) == 0) {
        status = figure_draw_shape(figure, &shape, &own, path, drawing, message);
        if (!status) { /* "the figure shows 12 of 20 methods and 8 of 9 series" */
            bool keys = shape.key_count < shape.key_total && shape.folded == 0,
                 groups = shape.group_count < shape.group_total;
            char key_text[160] = "", group_text[80] = "";
            if (keys)
                snprintf(key_text, sizeof key_text, "%s%zu of %zu %.80ss", shape.keys_are_last ? "the last " : "",
                         shape.key_count, shape.key_total, recipe_any_key(recipe) ? "name" : recipe->key);
            if (groups)
                snprintf(group_text, sizeof group_text, "%zu of %zu series", shape.group_count, shape.group_total);
            *message->text = '\0';
            if (keys || groups)
                error_set(message, STATUS_GOOD, "the figure shows %s%s%s", key_text, keys && groups ? " and " : "",
                          group_text);
        }
        shape_free(&shape);
    }
    recipe_free(recipe);
    return status;
}

int figure_draw_csv(const char *figure, const struct csv *csv, const char *path, const struct figure_options *options,
                    struct error_text *message)
{
    struct recipe recipe;
    int status = figure_read_recipe(figure, options, &recipe, message);
    if (status)
        return status;
    struct drawing drawing = {0};
    status = figure_render_source(figure, &recipe, &(struct shape_source){csv, NULL}, path, options, &drawing, message);
    if (!status)
        status = figure_save_drawing(path, &drawing, message);
    figure_free_drawing(&drawing);
    return status;
}

static int figure_render_table(const char *figure, const struct table *table, const char *path,
                               const struct figure_options *options, struct drawing *drawing,
                               struct error_text *message)
{
    struct recipe recipe;
    int status = figure_read_recipe(figure, options, &recipe, message);
    if (status)
        return status;

    /* The texts of the table, which name what is drawn, in its rows and columns; numbers that the figure draws stay in
     * the table. */
    struct csv *texts = csv_new();
    bool good = texts && !table_failed(table);
    for (size_t c = 0; good && c < table_column_count(table); c++)
        good = csv_add_column(texts, table_column_name(table, c)) != CSV_NONE;
    for (size_t row = 0; good && row < table_row_count(table); row++) {
        size_t to = csv_add_row(texts);
        good = to != CSV_NONE;
        for (size_t c = 0; good && c < texts->column_count; c++) {
            char digits[32];
            double ignored;
            const char *name = texts->names[c];
            bool number = recipe_is_number(&recipe, name) && !recipe_has(&recipe.by, name) &&
                          table_number(table, row, c, &ignored);
            const char *text = number ? NULL : table_plain(table, row, c, digits);
            good = !text || !*text || csv_set(texts, to, c, text);
        }
    }
    if (good) {
        status = figure_render_source(figure, &recipe, &(struct shape_source){texts, table}, path, options, drawing,
                                      message);
    } else {
        status = error_set(message, STATUS_BAD, "out of memory");
        recipe_free(&recipe);
    }
    csv_free(texts);
    return status;
}

int figure_draw(const char *figure, const struct table *table, const char *path, const struct figure_options *options,
                struct error_text *message)
{
    struct drawing drawing = {0};
    int status = figure_render_table(figure, table, path, options, &drawing, message);
    if (!status)
        status = figure_save_drawing(path, &drawing, message);
    figure_free_drawing(&drawing);
    return status;
}

int figure_draw_svg(const char *figure, const struct table *table, const struct figure_options *options, char **svg,
                    struct error_text *message)
{
    struct figure_options own = options ? *options : (struct figure_options){0};
    struct drawing drawing = {0};
    own.format = FIGURE_SVG;
    int status = figure_render_table(figure, table, "-", &own, &drawing, message);
    if (status)
        free(drawing.bytes);
    else
        *svg = drawing.bytes;
    return status;
}

int figure_check_csv(const char *figure, const struct csv *csv, const struct figure_options *options,
                     struct error_text *message)
{
    struct recipe recipe;
    int status = figure_read_recipe(figure, options, &recipe, message);
    if (status)
        return status;
    status = shape_check(&recipe, &(struct shape_source){csv, NULL}, message);
    recipe_free(&recipe);
    return status;
}

int figure_check(const char *figure, const char *path, const struct figure_options *options, struct error_text *message)
{
    struct recipe recipe;
    enum figure_format format = options ? options->format : FIGURE_BY_SUFFIX;
    int status = recipe_read(figure, &recipe, message);
    if (status)
        return status;
    status = figure_choose_format(path, &format, message);
    if (!status && options)
        status = figure_check_options(figure, &recipe, options, message);
    recipe_free(&recipe);
    return status;
}
