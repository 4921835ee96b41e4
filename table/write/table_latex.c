/* A table as LaTeX's tabular. A macro for each value is in a file of its own (table_macros.c). */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "table/model/table_round.h"
#include "table/model/table_cells.h"
#include "base/text.h"

/* Texts of more characters are broken into lines if the table has the width of the page's column. */
enum { LATEX_LONG_TEXT = 14 };

/* How a column is set. */
struct latex_column {
    bool aligned;                        /* at the decimal point, by siunitx */
    bool has_rest;                       /* a column for what follows the value: ± 0.03 */
    bool percent;                        /* which all cells are in, so that the head says so */
    bool negative, exponent, minus;      /* the minus is the exponent's */
    int whole, fraction, exponent_width; /* digits */
    size_t longest;                      /* characters of a text or head */
    bool broken;                         /* into lines */
};

struct latex_page {
    const struct table *table;
    struct table_latex style;
    struct latex_column *columns;
    size_t broken_count, broken_sum; /* broken columns, and their longest texts together */
};

/* A number as it is printed, as "-1.25e-07 ± 0.03" or "(4.71 ± 0.04)e-09", in its parts. */
struct latex_number {
    char value[64];             /* for siunitx: -1.25e-7; "" if it is not a number */
    char rest[TABLE_ROUND_MAX]; /* LaTeX: $\pm\,0.03$ */
    bool percent;
    int whole, fraction, exponent_width;
    bool negative, exponent, minus;
};

/* ------------------------------------------------------------------------------------------ numbers -- */

/* "e-09" → "e-9" */
static void latex_append_exponent(struct latex_number *number, const char *e)
{
    size_t length = strlen(number->value);
    long exponent = strtol(e + 1, NULL, 10);
    snprintf(number->value + length, sizeof number->value - length, "e%ld", exponent);
    number->exponent = true;
    number->minus = exponent < 0;
    number->exponent_width = snprintf(NULL, 0, "%ld", labs(exponent));
}

/* The interval after a value: " ± 0.03" or " [1.1, 3.7]", times the power of ten of both. */
static void latex_set_rest(struct latex_number *number, const char *rest, const char *end, const char *e)
{
    static const char plus_minus[] = "± ";
    char power[40] = "";
    if (e)
        snprintf(power, sizeof power, " \\times 10^{%ld}", strtol(e + 1, NULL, 10));
    rest += strspn(rest, " ");
    bool even = strncmp(rest, plus_minus, strlen(plus_minus)) == 0;
    rest += even ? strlen(plus_minus) : 0;
    const char *infinite = strstr(rest, "inf"), *before = infinite ? infinite : end;
    snprintf(number->rest, sizeof number->rest, "$%s%.*s%s%.*s%s$", even ? "\\pm\\," : "", (int)(before - rest), rest,
             infinite ? "\\infty" : "", infinite ? (int)(end - infinite) - 3 : 0, infinite ? infinite + 3 : "", power);
}

static void latex_parse_number(const char *text, struct latex_number *number)
{
    *number = (struct latex_number){.value = ""};
    bool grouped = *text == '(';
    const char *at = text + grouped, *from = at;
    number->negative = *at == '-';
    at += number->negative;
    number->whole = (int)strspn(at, "0123456789");
    at += number->whole;
    if (number->whole == 0 || number->whole > 30)
        return;
    if (*at == '.') {
        number->fraction = (int)strspn(at + 1, "0123456789");
        at += 1 + number->fraction;
    }
    const char *end = text + strlen(text), *e = NULL;
    if (grouped) {
        e = strrchr(text, 'e');
        end = strrchr(text, ')');
        if (!e || !end || e < end) /* "1.3 [1.1, inf)" begins with no parenthesis */
            return;
    } else if (*at == 'e') {
        e = at;
        at += 1 + strspn(at + 1, "+-0123456789");
    }
    if (*at == '%' && at + 1 == end) {
        number->percent = true;
        at++;
    }
    if (at != end && *at != ' ')
        return;
    int length = (int)((e && !grouped ? e : number->percent ? at - 1 : at) - from);
    if (length >= (int)sizeof number->value - 16)
        return;
    snprintf(number->value, sizeof number->value, "%.*s", length, from);
    if (e)
        latex_append_exponent(number, e);
    if (at != end)
        latex_set_rest(number, at, end, grouped ? e : NULL);
}

static void latex_widen(struct latex_column *column, const struct latex_number *number)
{
    column->aligned = true;
    column->has_rest |= *number->rest != '\0';
    column->negative |= number->negative;
    column->exponent |= number->exponent;
    column->minus |= number->minus;
    column->whole = number->whole > column->whole ? number->whole : column->whole;
    column->fraction = number->fraction > column->fraction ? number->fraction : column->fraction;
    if (number->exponent_width > column->exponent_width)
        column->exponent_width = number->exponent_width;
}

/* ------------------------------------------------------------------------------------------ columns -- */

static size_t latex_count_characters(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

static void latex_measure_column(struct latex_page *page, size_t c)
{
    const struct table *table = page->table;
    struct latex_column *column = &page->columns[c];
    enum table_type type = table->columns[c].type;
    char text[TABLE_CELL_MAX];
    table_header_text(table, c, text);
    column->longest = latex_count_characters(text);
    column->percent = type == TABLE_SHARE;
    for (size_t row = 0; row < table_row_count(table); row++) {
        struct latex_number number;
        table_cell_text(table, row, c, false, text);
        if (latex_count_characters(text) > column->longest)
            column->longest = latex_count_characters(text);
        if (table_type_is_text(type) || type == TABLE_BYTES || !table->cells[row * table->column_count + c].present)
            continue;
        latex_parse_number(text, &number);
        column->percent &= number.percent;
        if (page->style.siunitx && *number.value)
            latex_widen(column, &number);
    }
}

/* The columns of texts that are broken into lines: the long ones. */
static void latex_choose_broken(struct latex_page *page)
{
    for (size_t c = 0; page->style.fits && c < page->table->column_count; c++) {
        struct latex_column *column = &page->columns[c];
        column->broken = table_type_is_text(page->table->columns[c].type) && column->longest > LATEX_LONG_TEXT;
        page->broken_count += column->broken;
        page->broken_sum += column->broken ? column->longest : 0;
    }
}

static void latex_write_specification(FILE *out, const struct latex_page *page, size_t c)
{
    const struct latex_column *column = &page->columns[c];
    if (column->broken && page->broken_count > 1)
        fprintf(out, ">{\\hsize=%.3f\\hsize\\raggedright\\arraybackslash}X",
                (double)page->broken_count * (double)column->longest / (double)page->broken_sum);
    else if (column->broken)
        fputs(">{\\raggedright\\arraybackslash}X", out);
    else if (!column->aligned)
        putc(table_type_is_text(page->table->columns[c].type) ? 'l' : 'r', out);
    if (!column->aligned)
        return;
    fprintf(out, "S[table-format=%s%d.%d", column->negative ? "-" : "", column->whole, column->fraction);
    if (column->exponent)
        fprintf(out, "e%s%d", column->minus ? "-" : "", column->exponent_width);
    fputs(column->has_rest ? "]@{\\,}l" : "]", out);
}

/* ------------------------------------------------------------------------------------------ cells -- */

static void latex_write_text(FILE *out, const struct latex_column *column, const char *text)
{
    if (column->broken)
        text_write_latex_broken(out, text);
    else
        text_write_latex(out, text);
}

static void latex_write_header(FILE *out, const struct latex_page *page, size_t c)
{
    const struct latex_column *column = &page->columns[c];
    char text[TABLE_CELL_MAX];
    table_header_text(page->table, c, text);
    fputs(column->has_rest ? "\\multicolumn{2}{c}{" : column->aligned ? "{" : "", out);
    latex_write_text(out, column, text);
    if (column->aligned && column->percent && !strchr(text, '%'))
        fputs(" (\\%)", out);
    fputs(column->has_rest || column->aligned ? "}" : "", out);
}

/* A cell of a column that siunitx aligns: its number, or in braces what is not one. */
static void latex_write_aligned(FILE *out, const struct latex_page *page, size_t row, size_t c)
{
    const struct latex_column *column = &page->columns[c];
    char text[TABLE_CELL_MAX];
    struct latex_number number;
    table_cell_text(page->table, row, c, false, text);
    latex_parse_number(text, &number);
    if (*number.value) {
        fputs(number.value, out);
        fputs(number.percent && !column->percent ? "\\%" : "", out);
    } else {
        table_cell_text(page->table, row, c, true, text);
        fprintf(out, "{%s}", text);
    }
    if (column->has_rest)
        fprintf(out, " & %s", number.rest);
}

static void latex_write_cell(FILE *out, const struct latex_page *page, size_t row, size_t column)
{
    const struct table *table = page->table;
    char text[TABLE_CELL_MAX], number[TABLE_ROUND_MAX];
    if (page->columns[column].aligned) {
        latex_write_aligned(out, page, row, column);
        return;
    }
    table_cell_text(table, row, column, true, text);
    bool small_p = table_text_is_small_p(table, column, text);
    char *blank = table->columns[column].type == TABLE_BYTES ? strchr(text, ' ') : NULL;
    if (blank) {
        fprintf(out, "%.*s~%s", (int)(blank - text), text, blank + 1);
    } else if (!table_type_is_text(table->columns[column].type)) {
        fputs(text, out);
    } else if (small_p) {
        table_round_typeset(text, number);
        fputs(number, out);
    } else {
        latex_write_text(out, &page->columns[column], text);
    }
}

/* ------------------------------------------------------------------------------------------ tabular -- */

static const char *latex_environment(const struct latex_page *page)
{
    return page->broken_count ? "tabularx" : page->style.fits ? "tabular*" : "tabular";
}

static void latex_write_begin(FILE *out, const struct latex_page *page)
{
    const char *packages[] = {page->style.plain ? NULL : "booktabs", page->style.siunitx ? "siunitx" : NULL,
                              page->broken_count ? "tabularx" : NULL};
    const char *separator = "% needs \\usepackage{";
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
        if (packages[i]) {
            fprintf(out, "%s%s", separator, packages[i]);
            separator = ",";
        }
    fputs(*separator == ',' ? "}\n" : "", out);
    fprintf(out, "\\begin{%s}%s{@{%s}", latex_environment(page), page->style.fits ? "{\\linewidth}" : "",
            page->style.fits && !page->broken_count ? "\\extracolsep{\\fill}" : "");
    for (size_t c = 0; c < page->table->column_count; c++)
        latex_write_specification(out, page, c);
    fputs("@{}}\n", out);
}

static void latex_write_page(FILE *out, const struct latex_page *page)
{
    const struct table *table = page->table;
    bool plain = page->style.plain;
    latex_write_begin(out, page);
    fputs(plain ? "\\hline\n" : "\\toprule\n", out);
    for (size_t c = 0; c < table->column_count; c++) {
        fputs(c ? " & " : "", out);
        latex_write_header(out, page, c);
    }
    fputs(plain ? " \\\\\n\\hline\n" : " \\\\\n\\midrule\n", out);
    for (size_t row = 0; row < table_row_count(table); row++) {
        for (size_t c = 0; c < table->column_count; c++) {
            fputs(c ? " & " : "", out);
            latex_write_cell(out, page, row, c);
        }
        fputs(" \\\\\n", out);
    }
    fprintf(out, "%s\n\\end{%s}\n", plain ? "\\hline" : "\\bottomrule", latex_environment(page));
}

int table_write_latex(FILE *out, const struct table *table, const struct table_frame *frame)
{
    struct latex_page page = {.table = table, .style = frame->latex};
    page.columns = calloc(table->column_count + 1, sizeof *page.columns);
    if (!page.columns)
        return ENOMEM;
    for (size_t c = 0; c < table->column_count; c++)
        latex_measure_column(&page, c);
    latex_choose_broken(&page);
    latex_write_page(out, &page);
    free(page.columns);
    return 0;
}
