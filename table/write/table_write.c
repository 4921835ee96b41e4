/* A table in the format that is wanted, with its warnings and notes where it is for readers; formats by name. */
#include "table/model/table_cells.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/markdown.h"
#include "base/text.h"

bool table_format_named(const char *name, enum table_format *format)
{
    static const struct {
        const char *name;
        enum table_format format;
    } known[] = {{"text", TABLE_TEXT_FORMAT}, {"txt", TABLE_TEXT_FORMAT}, {"csv", TABLE_CSV},
                 {"tsv", TABLE_TSV},          {"json", TABLE_JSON},       {"markdown", TABLE_MARKDOWN},
                 {"md", TABLE_MARKDOWN},      {"latex", TABLE_LATEX},     {"tex", TABLE_LATEX},
                 {"html", TABLE_HTML},        {"htm", TABLE_HTML},        {"macros", TABLE_MACROS}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0) {
            *format = known[i].format;
            return true;
        }
    return false;
}

void table_format_of_path(const char *path, enum table_format *format)
{
    const char *folder = strrchr(path, '/'), *dot = strrchr(folder ? folder : path, '.');
    if (dot)
        table_format_named(dot + 1, format);
}

static int table_write_notes(FILE *out, enum table_format format, const json_t *notes, const char *prefix)
{
    size_t i;
    const json_t *note;
    json_array_foreach((json_t *)(uintptr_t)notes, i, note)
    {
        char *text = strdup(json_string_value(note));
        if (!text)
            return ENOMEM;
        text_tame(text); /* a line end would end LaTeX's comment */
        if (i == 0)
            putc('\n', out);
        fputs(prefix, out);
        if (format == TABLE_MARKDOWN)
            markdown_write_text(out, text);
        else
            fputs(text, out);
        putc('\n', out);
        free(text);
    }
    return 0;
}

int table_write(FILE *out, enum table_format format, const struct table *table, const struct table_frame *frame)
{
    if (table->no_memory)
        return ENOMEM;
    int error = 0;
    errno = 0;
    switch (format) {
    case TABLE_CSV:
    case TABLE_TSV:
        table_write_separated(out, table, format == TABLE_CSV ? ',' : '\t');
        break;
    case TABLE_JSON:
        table_write_json(out, table, frame);
        break;
    case TABLE_TEXT_FORMAT:
        error = table_write_text(out, table);
        break;
    case TABLE_MARKDOWN:
        table_write_markdown(out, table);
        break;
    case TABLE_LATEX:
        error = table_write_latex(out, table, frame);
        break;
    case TABLE_MACROS:
        error = table_write_macros(out, frame->macros, frame->program ? frame->program : "");
        break;
    case TABLE_HTML:
        error = table_write_html(out, table, frame);
    }
    bool latex = format == TABLE_LATEX || format == TABLE_MACROS,
         for_readers = latex || format == TABLE_TEXT_FORMAT || format == TABLE_MARKDOWN;
    if (!error && for_readers)
        error = table_write_notes(out, format, frame->warnings, latex ? "% warning: " : "warning: ");
    if (!error && for_readers)
        error = table_write_notes(out, format, frame->notes, latex ? "% " : "");
    if (error)
        return error;
    if (fflush(out) != 0 || ferror(out))
        return errno ? errno : EIO;
    return 0;
}
