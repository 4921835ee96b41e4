#include "plots/render/figure.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plots/render/gnuplot.h"
#include "plots/render/recipe.h"
#include "plots/render/shape.h"
#include "base/replace.h"

static const char *const format_names[] = {[FIGURE_PDF] = "pdf", [FIGURE_SVG] = "svg", [FIGURE_PNG] = "png"};

enum figure_format figure_format_named(const char *name)
{
    for (int format = FIGURE_PDF; format <= FIGURE_PNG; format++)
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
    if (*format != FIGURE_BY_SUFFIX)
        return STATUS_GOOD;
    return error_set(message, STATUS_USAGE, "%s: the suffix must be .pdf, .svg or .png", path);
}

static void figure_write_text(FILE *out, const char *name, const char *text)
{
    fprintf(out, "%s = ", name);
    shape_write_string(out, text ? text : "");
    fputc('\n', out);
}

/* *script is to free(), whatever the status. */
static int figure_write_script(const char *figure, const struct shape *shape, const struct figure_options *options,
                               char **script, size_t *size, struct error_text *message)
{
    char directory[PATH_MAX];
    *script = NULL;
    int status = recipe_directory(directory, message);
    if (status)
        return status;
    FILE *out = open_memstream(script, size);
    if (!out)
        return error_set(message, STATUS_BAD, "out of memory");
    /* The figure's inputs, then the figure itself. */
    fprintf(out, "figure_format = '%s'\nfigure_output = '%s'\nfigure_width = %.17g\nfigure_height = %.17g\n",
            format_names[options->format], GNUPLOT_OUTPUT, options->width_cm, options->height_cm);
    figure_write_text(out, "figure_title", options->title);
    figure_write_text(out, "figure_x_label", options->x_label);
    figure_write_text(out, "figure_y_label", options->y_label);
    figure_write_text(out, "figure_plots", directory);
    status = shape_write(shape, out, message);
    for (size_t i = 0; i < options->alias_count; i++)
        if (recipe_is_number(shape->recipe, options->aliases[i].name)) {
            fputs("name_", out);
            figure_write_text(out, options->aliases[i].name, options->aliases[i].column);
        }
    fprintf(out, "load figure_plots.'/%s.gp'\nunset output\n", figure);

    if (fclose(out) != 0 && !status)
        status = error_set(message, STATUS_BAD, "out of memory");
    return status;
}

/* Writes and closes. 0 or errno. */
static int figure_write_and_close(int fd, const char *drawing, size_t size)
{
    FILE *out = fdopen(fd, "w");
    if (!out)
        return errno;
    int failure = fwrite(drawing, 1, size, out) == size ? 0 : errno;
    if (fclose(out) != 0 && !failure)
        failure = errno;
    return failure;
}

/* Replaces a file, or writes to what a rename must not replace. Follows a symbolic link, like any program that writes a
 * file. */
static int figure_save(const char *path, const char *drawing, size_t size, struct error_text *message)
{
    int failure;
    if (figure_path_is_stream(path)) {
        int fd = strcmp(path, "-") == 0 ? dup(STDOUT_FILENO) : open(path, O_WRONLY | O_CLOEXEC);
        failure = fd < 0 ? errno : figure_write_and_close(fd, drawing, size);
    } else {
        char *link = realpath(path, NULL), *temporary = NULL;
        const char *target = link ? link : path;
        int fd = -1;
        failure = ENOMEM;
        if (asprintf(&temporary, "%s.XXXXXX", target) < 0)
            temporary = NULL;
        else
            failure = (fd = mkostemp(temporary, O_CLOEXEC)) < 0 ? errno : 0;
        if (!failure) {
            /* Only its owner can read a file from mkstemp(); a figure should be as readable as the user's others. */
            struct stat status;
            mode_t mode = 0666;
            if (stat(target, &status) == 0) {
                mode = status.st_mode & 07777;
            } else {
                mode_t mask = umask(0);
                umask(mask);
                mode &= ~mask;
            }
            failure = fchmod(fd, mode) < 0 ? errno : 0;
            int written = figure_write_and_close(fd, drawing, size);
            failure = replace_end(temporary, target, failure ? failure : written);
        }
        free(temporary);
        free(link);
    }
    if (!failure)
        return STATUS_GOOD;
    const char *name = strcmp(path, "-") == 0 ? "standard output" : path;
    return error_set(message, STATUS_BAD, "%s: %s", name, strerror(failure));
}

/* What gnuplot drew: bytes and a NUL, to be freed. */
struct drawing {
    char *bytes;
    size_t size;
};

/* Runs the script. */
static int figure_draw_shape(const char *figure, const struct shape *shape, const struct figure_options *options,
                             struct drawing *drawing, struct error_text *message)
{
    static const struct {
        const char *begin, *end, *terminal;
    } formats[] = {[FIGURE_PDF] = {"%PDF-", "%%EOF", "pdfcairo"},
                   [FIGURE_SVG] = {"<?xml", "</svg>", "svg"},
                   [FIGURE_PNG] = {"\x89PNG", "IEND", "pngcairo"}};
    const char *begin = formats[options->format].begin, *end = formats[options->format].end;
    char *script;
    size_t script_size;
    int status = figure_write_script(figure, shape, options, &script, &script_size, message);
    if (!status)
        status = gnuplot_run(script, script_size, &drawing->bytes, &drawing->size, message);
    free(script);
    char *bytes = drawing->bytes;
    size_t size = drawing->size;
    if (!status && options->format == FIGURE_PDF) {
        /* The creation date is the only thing in a PDF of cairo's that differs from run to run: blanks it. */
        static const char key[] = "/CreationDate (";
        char *at = memmem(bytes, size, key, sizeof key - 1);
        char *close = at ? memchr(at, ')', size - (size_t)(at - bytes)) : NULL;
        if (close)
            memset(at, ' ', (size_t)(close + 1 - at));
    }

    /* gnuplot may exit with success without drawing: a file must begin and end as its format does. */
    bool complete = !status && size > 16 && memcmp(bytes, begin, strlen(begin)) == 0 &&
                    memmem(bytes + size - 16, 16, end, strlen(end));
    if (!status && !complete)
        status = error_set(message, STATUS_BAD, "gnuplot drew nothing; does it have the %s terminal?",
                           formats[options->format].terminal);
    return status;
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
    if (!status && own.top && !recipe->key)
        status = error_set(message, STATUS_USAGE, "figure '%s' has no order by which to take the top rows", figure);
    if (own.width_cm > 0)
        recipe->label = (size_t)fmax(8, round((double)recipe->label * own.width_cm / 8.5));
    if (!status && (status = shape_init(&shape, recipe, source, own.top, message)) == 0) {
        status = figure_draw_shape(figure, &shape, &own, drawing, message);
        if (!status) { /* "the figure shows 12 of 20 methods and 8 of 9 series" */
            bool keys = shape.key_count < shape.key_total, groups = shape.group_count < shape.group_total;
            char key_text[160] = "", group_text[80] = "";
            if (keys)
                snprintf(key_text, sizeof key_text, "%zu of %zu %.80ss", shape.key_count, shape.key_total,
                         recipe_any_key(recipe) ? "name" : recipe->key);
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
    struct drawing drawing = {NULL, 0};
    status = figure_render_source(figure, &recipe, &(struct shape_source){csv, NULL}, path, options, &drawing, message);
    if (!status)
        status = figure_save(path, drawing.bytes, drawing.size, message);
    free(drawing.bytes);
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
    struct drawing drawing = {NULL, 0};
    int status = figure_render_table(figure, table, path, options, &drawing, message);
    if (!status)
        status = figure_save(path, drawing.bytes, drawing.size, message);
    free(drawing.bytes);
    return status;
}

int figure_draw_svg(const char *figure, const struct table *table, const struct figure_options *options, char **svg,
                    struct error_text *message)
{
    struct figure_options own = options ? *options : (struct figure_options){0};
    struct drawing drawing = {NULL, 0};
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

int figure_check(const char *figure, const char *path, struct error_text *message)
{
    struct recipe recipe;
    enum figure_format format = FIGURE_BY_SUFFIX;
    int status = recipe_read(figure, &recipe, message);
    if (status)
        return status;
    recipe_free(&recipe);
    return figure_choose_format(path, &format, message);
}
