#include "base/markdown.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"

/* Calls `write_ascii` for each ASCII character, '?' for what is not plain, and writes all others. `before` and `after`
 * are the bytes beside the character, '\0' where there is none. */
static void markdown_write_each(FILE *out, const char *text,
                                void (*write_ascii)(FILE *out, char before, char c, char after))
{
    size_t bytes, left = strlen(text);
    unsigned code;
    char before = '\0';
    for (; left > 0; text += bytes, left -= bytes) {
        if (text_next(text, left, &bytes, &code) != TEXT_PLAIN)
            write_ascii(out, before, '?', text[bytes]);
        else if (bytes == 1)
            write_ascii(out, before, *text, text[1]);
        else
            fwrite(text, 1, bytes, out);
        before = text[bytes - 1];
    }
}

static void markdown_write_plain(FILE *out, char before, char c, char after)
{
    (void)before;
    (void)after;
    putc(c, out);
}

static void markdown_write_reference(FILE *out, char before, char c, char after)
{
    (void)before;
    (void)after;
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

/* Whether a character is markup there: the text stays readable, and intervals keep their brackets. */
static bool markdown_is_markup(char before, char c, char after)
{
    switch (c) {
    case '[':
        return after == '^'; /* a footnote */
    case ']':
        return after == '(' || after == '[' || after == ':'; /* a link, an image, or what one refers to */
    case '~':
        return !(before == ' ' || before == '\0') || !(after == ' ' || after == '\0');
    case '>':
        return before == '\0';
    case '-':
    case '+':
        return before == '\0' && after == ' ';
    default:
        return strchr("\\`*_<|&$", c) != NULL;
    }
}

static void markdown_write_escaped(FILE *out, char before, char c, char after)
{
    if (markdown_is_markup(before, c, after))
        putc('\\', out);
    putc(c, out);
    if (c == '@' || c == '#')
        fputs("&#8203;", out); /* a space without width */
}

void markdown_write_text(FILE *out, const char *text)
{
    markdown_write_each(out, text, markdown_write_escaped);
}
