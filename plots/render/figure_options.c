#include "plots/render/figure_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEY_WIDTH = 0x4000,
    KEY_HEIGHT,
    KEY_FONT,
    KEY_FONT_SIZE,
    KEY_TITLE,
    KEY_X_LABEL,
    KEY_Y_LABEL,
    KEY_LOG,
    KEY_RANGE,
    KEY_ORDER,
    KEY_OTHER,
    KEY_LABELS,
    KEY_COLORS,
    KEY_LEGEND,
    KEY_NO_NOTES
};
enum { GROUP = 50 };

static const struct argp_option look_options[] = {
    {NULL, 0, NULL, 0, "How the figure looks:", GROUP},
    {"width", KEY_WIDTH, "SIZE", 0, "Width: column (default), two-column, or in cm, with a unit also in, mm or pt",
     GROUP},
    {"height", KEY_HEIGHT, "SIZE", 0, "Height (default: as the figure needs)", GROUP},
    {"font", KEY_FONT, "NAME", 0, "Font of all text (default: Arial, or what replaces it)", GROUP},
    {"font-size", KEY_FONT_SIZE, "PT", 0, "Size of the text in points (default 7); the layout follows", GROUP},
    {"title", KEY_TITLE, "TEXT", 0, "A title above the figure (default: none)", GROUP},
    {"x-label", KEY_X_LABEL, "TEXT", 0, "The label of the x axis (default: the name of its column)", GROUP},
    {"y-label", KEY_Y_LABEL, "TEXT", 0, "The label of the y axis", GROUP},
    {"log", KEY_LOG, "x|y|xy", 0, "Logarithmic axes", GROUP},
    {"range", KEY_RANGE, "[AXIS=]LOW:HIGH", 0, "The ends of an axis, x or y (default: the axis of the values)", GROUP},
    {"order", KEY_ORDER, "ORDER", 0, "Order of the rows: value, name, table, or NAME,NAME,... of rows or series",
     GROUP},
    {"other", KEY_OTHER, "PERCENT", 0, "Fold shares below PERCENT into one row (default 1; 0: none)", GROUP},
    {"labels", KEY_LABELS, "NAME=TEXT,...", 0, "Texts for the names of rows and series; full: names as they are",
     GROUP},
    {"colors", KEY_COLORS, "COLOR,...", 0, "Colours of series: names, #RRGGBB, or the palette okabe-ito or grey",
     GROUP},
    {"legend", KEY_LEGEND, "PLACE", 0, "above (default), below or none", GROUP},
    {"no-notes", KEY_NO_NOTES, NULL, 0, "Leave out the small print below the figure", GROUP}};

void figure_options_append(struct argp_option *all, size_t *count, bool hidden)
{
    size_t own_count = *count;
    for (size_t i = 0; i < sizeof look_options / sizeof *look_options; i++) {
        bool given = hidden && !look_options[i].name;
        for (size_t k = 0; k < own_count && look_options[i].name; k++)
            given |= all[k].name && strcmp(all[k].name, look_options[i].name) == 0;
        if (given)
            continue;
        all[*count] = look_options[i];
        all[(*count)++].flags = hidden ? OPTION_HIDDEN : 0;
    }
}

/* A width of columns is a little less than that of the narrowest usual one, ACM's of 241.1 pt, so that no box of a
 * paper is overfull. */
static double figure_parse_size(const char *text, const char *what, struct argp_state *state)
{
    static const struct {
        const char *name;
        double cm;
    } units[] = {{"", 1}, {"cm", 1}, {"mm", 0.1}, {"in", 2.54}, {"pt", 2.54 / 72.27}};
    char *end;
    if (strcmp(text, "column") == 0)
        return FIGURE_COLUMN_CM;
    if (strcmp(text, "two-column") == 0)
        return FIGURE_TWO_COLUMN_CM;
    double size = strtod(text, &end), unit = NAN;
    for (size_t i = 0; i < sizeof units / sizeof *units && end > text; i++)
        if (strcmp(end, units[i].name) == 0)
            unit = units[i].cm;
    if (!(size * unit >= 3 && size * unit <= 100))
        argp_failure(state, STATUS_USAGE, 0, "the %s must be 3 to 100 cm, not '%s'", what, text);
    return size * unit;
}

/* "x=1:10", "1:10", "0:" */
static void figure_parse_range(struct figure_options *options, const char *text, struct argp_state *state)
{
    struct figure_range range = {NAN, NAN};
    enum figure_axis axis = FIGURE_VALUE_AXIS;
    const char *at = text;
    char *end;
    if ((*at == 'x' || *at == 'y') && at[1] == '=') {
        axis = *at == 'x' ? FIGURE_X : FIGURE_Y;
        at += 2;
    }
    if (*at != ':') {
        range.low = strtod(at, &end);
        at = end;
    }
    bool good = *at == ':';
    if (good && at[1]) {
        range.high = strtod(at + 1, &end);
        good = end > at + 1 && *end == '\0' && isfinite(range.high);
    }
    good = good && !isinf(range.low) && !(range.low >= range.high) && (isfinite(range.low) || isfinite(range.high));
    if (!good)
        argp_failure(state, STATUS_USAGE, 0, "--range takes LOW:HIGH, x=LOW:HIGH or y=LOW:HIGH, not '%s'", text);
    options->ranges[axis] = range;
}

/* The names of CSS, for a few. */
static const char *figure_color_named(const char *name, size_t length)
{
    static const char *const colors[][2] = {
        {"black", "#000000"},  {"grey", "#808080"},   {"gray", "#808080"},    {"silver", "#C0C0C0"},
        {"red", "#E41A1C"},    {"blue", "#377EB8"},   {"green", "#4DAF4A"},   {"purple", "#984EA3"},
        {"orange", "#FF7F00"}, {"yellow", "#F0E442"}, {"brown", "#A65628"},   {"pink", "#F781BF"},
        {"navy", "#000080"},   {"teal", "#008080"},   {"magenta", "#CC79A7"}, {"cyan", "#56B4E9"}};
    for (size_t i = 0; i < sizeof colors / sizeof *colors; i++)
        if (strlen(colors[i][0]) == length && strncmp(colors[i][0], name, length) == 0)
            return colors[i][1];
    return length == 7 && *name == '#' && strspn(name + 1, "0123456789abcdefABCDEF") >= 6 ? name : NULL;
}

/* Writes the colours as #RRGGBB, with blanks between. */
static void figure_parse_colors(struct figure_options *options, const char *text, struct argp_state *state)
{
    size_t count = 0;
    char *out = options->colors;
    *out = '\0';
    if (strcmp(text, "okabe-ito") == 0)
        return;
    if (strcmp(text, "grey") == 0 || strcmp(text, "gray") == 0)
        text = "#222222,#999999,#5E5E5E,#CCCCCC,#404040,#B3B3B3,#7A7A7A,#E0E0E0";
    for (const char *at = text;; at += 1) {
        size_t length = strcspn(at, ",");
        const char *color = figure_color_named(at, length);
        if (!color || ++count > FIGURE_COLORS)
            argp_failure(state, STATUS_USAGE, 0,
                         "--colors takes 1 to %d of: #RRGGBB, black, grey, silver, red, blue, green, purple, orange, "
                         "yellow, brown, pink, navy, teal, magenta, cyan; or okabe-ito; or grey; not '%s'",
                         FIGURE_COLORS, text);
        out += sprintf(out, "%s%.7s", count > 1 ? " " : "", color);
        at += length;
        if (!*at)
            return;
    }
}

static double figure_parse_number(const char *option, const char *text, double least, double most,
                                  struct argp_state *state)
{
    char *end;
    double number = strtod(text, &end);
    if (*end == '%')
        end++;
    if (end == text || *end || !(number >= least && number <= most))
        argp_failure(state, STATUS_USAGE, 0, "--%s must be a number from %g to %g, not '%s'", option, least, most,
                     text);
    return number;
}

static void figure_parse_labels(struct figure_options *options, const char *text, struct argp_state *state)
{
    if (strcmp(text, "full") == 0) {
        options->full_labels = true;
        return;
    }
    if (!strchr(text, '='))
        argp_failure(state, STATUS_USAGE, 0, "--labels takes NAME=TEXT,... or full, not '%s'", text);
    if (options->label_count == FIGURE_LABELS)
        argp_failure(state, STATUS_USAGE, 0, "--labels can be given %d times", FIGURE_LABELS);
    options->labels[options->label_count++] = text;
}

/* Options with one of a few words as their value. */
static const char *figure_parse_word(const char *option, const char *text, const char *const words[3],
                                     struct argp_state *state)
{
    for (size_t i = 0; i < 3; i++)
        if (strcmp(words[i], text) == 0)
            return words[i];
    argp_failure(state, STATUS_USAGE, 0, "--%s must be %s, %s or %s, not '%s'", option, words[0], words[1], words[2],
                 text);
    return words[0];
}

/* Options with a plain text as their value. */
static bool figure_parse_text(struct figure_options *options, int key, const char *text)
{
    const struct {
        int key;
        const char **value;
    } texts[] = {{KEY_TITLE, &options->title},
                 {KEY_X_LABEL, &options->x_label},
                 {KEY_Y_LABEL, &options->y_label},
                 {KEY_ORDER, &options->order}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].key == key) {
            *texts[i].value = text;
            return true;
        }
    return false;
}

error_t figure_options_parse(struct figure_options *options, int key, char *arg, struct argp_state *state)
{
    static const char *const axes[] = {"x", "y", "xy"}, *const legends[] = {"above", "below", "none"};
    if (figure_parse_text(options, key, arg))
        return 0;
    switch (key) {
    case KEY_WIDTH:
        options->width_cm = figure_parse_size(arg, "width", state);
        return 0;
    case KEY_HEIGHT:
        options->height_cm = figure_parse_size(arg, "height", state);
        return 0;
    case KEY_FONT:
        if (!*arg || strpbrk(arg, ",'\"\\\n"))
            argp_failure(state, STATUS_USAGE, 0, "--font takes the name of a font, not '%s'", arg);
        options->font = arg;
        return 0;
    case KEY_FONT_SIZE:
        options->font_pt = figure_parse_number("font-size", arg, 4, 30, state);
        return 0;
    case KEY_LOG:
        figure_parse_word("log", arg, axes, state);
        options->logs[FIGURE_X] |= strchr(arg, 'x') != NULL;
        options->logs[FIGURE_Y] |= strchr(arg, 'y') != NULL;
        return 0;
    case KEY_RANGE:
        figure_parse_range(options, arg, state);
        return 0;
    case KEY_OTHER:
        options->other = figure_parse_number("other", arg, 0, 100, state) / 100;
        options->sets_other = true;
        return 0;
    case KEY_LABELS:
        figure_parse_labels(options, arg, state);
        return 0;
    case KEY_COLORS:
        figure_parse_colors(options, arg, state);
        return 0;
    case KEY_LEGEND:
        options->legend = figure_parse_word("legend", arg, legends, state);
        return 0;
    case KEY_NO_NOTES:
        options->no_notes = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}
