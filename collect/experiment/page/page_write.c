/*
 * page_write.c - texts, links and tables of the page.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/html.h"
#include "base/shell_word.h"
#include "collect/experiment/page/page_parts.h"

void page_escape(FILE *out, const char *text)
{
    if (!html_write_text(out, text))
        obstack_alloc_failed_handler();
}

/* RFC 3986: all bytes but unreserved ones and '/' are percent-encoded. */
static void page_write_path(FILE *out, const char *path)
{
    static const char unreserved[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    for (; *path; path++)
        if (strchr(unreserved, *path))
            putc(*path, out);
        else
            fprintf(out, "%%%02X", (unsigned)(unsigned char)*path);
}

void page_write_link(FILE *out, const struct page *page, const char *path, const char *text)
{
    const char *directory = page->experiment->spec.directory;
    size_t length = strlen(directory);
    bool beside = *directory && strncmp(path, directory, length) == 0 && path[length] == '/';
    fprintf(out, "<a href=\"%s", beside || !*page->up ? "./" : page->up);
    page_write_path(out, beside ? path + length + 1 : path);
    fputs("\">", out);
    page_escape(out, text);
    fputs("</a>", out);
}

void page_open_table(FILE *out, const char *id, const char *label, size_t rows, const char *const (*columns)[2],
                     size_t count)
{
    fprintf(out,
            "<div class=\"strip\"><span>%zu row%s</span></div>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
            "aria-label=\"%s\"><table class=\"%s\">\n<thead><tr>",
            rows, rows == 1 ? "" : "s", label, id);
    for (size_t c = 0; c < count; c++) {
        bool numeric = *columns[c][0] == '#';
        fprintf(out, "<th scope=\"col\"%s title=\"", numeric ? " class=\"n\"" : "");
        page_escape(out, columns[c][1]);
        fputs("\"><span>", out);
        page_escape(out, columns[c][0] + numeric);
        fputs("</span></th>", out);
    }
    fputs("</tr></thead>\n<tbody>\n", out);
}

void page_close_table(FILE *out)
{
    fputs("</tbody></table></div>\n", out);
}

void page_write_number(FILE *out, double value)
{
    if (isnan(value))
        fputs("<td class=\"n\">-</td>", out);
    else
        fprintf(out, "<td class=\"n\" title=\"%.15g\">%.4g</td>", value, value);
}

const char *page_command(struct obstack *memory, const struct words *words)
{
    size_t size = 2;
    for (size_t i = 0; i < words->count; i++)
        size += 4 * strlen(words->list[i]) + 3;
    char *text = memory_allocate(memory, size, 1);
    for (size_t i = 0; i < words->count; i++)
        shell_word_append(text, size, words->list[i]);
    return text;
}
