#include "base/markdown.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"

/* Calls `write_ascii` for each ASCII character, '?' for what is not plain, and writes all others. */
static void markdown_write_each(FILE *out, const char *text, void (*write_ascii)(FILE *out, char c))
{
    size_t bytes, left = strlen(text);
    unsigned code;
    for (; left > 0; text += bytes, left -= bytes)
        if (text_next(text, left, &bytes, &code) != TEXT_PLAIN)
            write_ascii(out, '?');
        else if (bytes == 1)
            write_ascii(out, *text);
        else
            fwrite(text, 1, bytes, out);
}

static void markdown_write_plain(FILE *out, char c)
{
    putc(c, out);
}

static void markdown_write_reference(FILE *out, char c)
{
    if (ispunct((unsigned char)c))
        fprintf(out, "&#%d;", c);
    else
        putc(c, out);
}

void markdown_write_code(FILE *out, const char *name)
{
    bool plain = !strpbrk(name, "`|\\") && *name != ' ';
    if (!*name)
        return;
    fputs(plain ? "`" : "<code>", out);
    markdown_write_each(out, name, plain ? markdown_write_plain : markdown_write_reference);
    fputs(plain ? "`" : "</code>", out);
}

static void markdown_write_escaped(FILE *out, char c)
{
    if (strchr("\\`*_{}[]<>|~&!$", c))
        putc('\\', out);
    putc(c, out);
    if (c == '@' || c == '#')
        fputs("&#8203;", out); /* a space without width */
}

void markdown_write_text(FILE *out, const char *text)
{
    markdown_write_each(out, text, markdown_write_escaped);
}
