#include "analyze/compare/markdown.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static char markdown_tame(char c)
{
    return (unsigned char)c < ' ' || c == 0x7f ? '?' : c;
}

void markdown_write_code(FILE *out, const char *name)
{
    bool plain = !strpbrk(name, "`|\\") && *name != ' ';
    if (!*name)
        return;
    fputs(plain ? "`" : "<code>", out);
    for (const char *at = name; *at; at++) {
        char c = markdown_tame(*at);
        if (plain || !ispunct((unsigned char)c))
            putc(c, out);
        else
            fprintf(out, "&#%d;", c);
    }
    fputs(plain ? "`" : "</code>", out);
}

void markdown_write_text(FILE *out, const char *text)
{
    for (const char *at = text; *at; at++) {
        char c = markdown_tame(*at);
        if (strchr("\\`*_{}[]<>|~&!$", c))
            putc('\\', out);
        putc(c, out);
        if (c == '@' || c == '#')
            fputs("&#8203;", out); /* a space without width */
    }
}
