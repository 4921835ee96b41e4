#include "collect/experiment/page/page_latex.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

/* Signs that assay's programs write, and others that are common in names and notes. */
static const struct {
    uint32_t code;
    const char *latex;
} page_latex_signs[] = {{0xb0, "\\ensuremath{^\\circ}"},
                        {0xb1, "\\ensuremath{\\pm}"},
                        {0xb2, "\\ensuremath{^2}"},
                        {0xb3, "\\ensuremath{^3}"},
                        {0xb5, "\\ensuremath{\\mu}"},
                        {0xb7, "\\ensuremath{\\cdot}"},
                        {0xd7, "\\ensuremath{\\times}"},
                        {0xf7, "\\ensuremath{\\div}"},
                        {0x3b1, "\\ensuremath{\\alpha}"},
                        {0x3b7, "\\ensuremath{\\eta}"},
                        {0x3bc, "\\ensuremath{\\mu}"},
                        {0x3c1, "\\ensuremath{\\rho}"},
                        {0x3c3, "\\ensuremath{\\sigma}"},
                        {0x3c4, "\\ensuremath{\\tau}"},
                        {0x3c7, "\\ensuremath{\\chi}"},
                        {0x2013, "\\textendash{}"},
                        {0x2014, "\\textemdash{}"},
                        {0x2018, "`"},
                        {0x2019, "'"},
                        {0x201c, "``"},
                        {0x201d, "''"},
                        {0x2026, "\\dots{}"},
                        {0x2192, "\\ensuremath{\\to}"},
                        {0x2212, "\\ensuremath{-}"},
                        {0x2248, "\\ensuremath{\\approx}"},
                        {0x2260, "\\ensuremath{\\neq}"},
                        {0x2264, "\\ensuremath{\\leq}"},
                        {0x2265, "\\ensuremath{\\geq}"},
                        {0x221e, "\\ensuremath{\\infty}"}};

/* The character at *at, which then is after it. A byte that is not of a UTF-8 sequence is Latin-1. */
static uint32_t page_latex_next(const char **at)
{
    const unsigned char *bytes = (const unsigned char *)*at;
    size_t more = *bytes >= 0xf0 && *bytes < 0xf5 ? 3 : *bytes >= 0xe0 ? 2 : *bytes >= 0xc2 ? 1 : 0;
    uint32_t code = more == 3 ? *bytes & 0x07U : more == 2 ? *bytes & 0x0fU : *bytes & 0x1fU;
    if (*bytes >= 0xf5)
        more = 0;
    for (size_t i = 1; i <= more; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            more = 0;
            break;
        }
        code = code << 6 | (bytes[i] & 0x3fU);
    }
    *at += more + 1;
    return more ? code : *bytes;
}

/* Letters of Latin-1 that LaTeX has in each encoding of its fonts. */
static bool page_latex_is_known(uint32_t code)
{
    return code >= 0xc0 && code <= 0xff && code != 0xd0 && code != 0xde && code != 0xf0 && code != 0xfe;
}

static void page_latex_write(FILE *out, uint32_t code)
{
    for (size_t i = 0; i < sizeof page_latex_signs / sizeof *page_latex_signs; i++)
        if (page_latex_signs[i].code == code) {
            fputs(page_latex_signs[i].latex, out);
            return;
        }
    if (page_latex_is_known(code))
        fprintf(out, "%c%c", (int)(0xc0 | code >> 6), (int)(0x80 | (code & 0x3f)));
    else
        fprintf(out, "{[}U+%04X]", (unsigned)code);
}

void page_latex_source(FILE *out, const char *latex)
{
    while (*latex) {
        uint32_t code = page_latex_next(&latex);
        if (code >= 0x80)
            page_latex_write(out, code);
        else
            putc((code < 0x20 && code != '\n' && code != '\t') || code == 0x7f ? '?' : (int)code, out);
    }
}

/* Some pairs of these are ligatures: --, ,,, ?`. */
static bool page_latex_joins(char character)
{
    return character && strchr("-,'`!?<>", character);
}

static void page_latex_escape(FILE *out, const char *text, bool code)
{
    while (*text) {
        char character[2] = {*text, '\0'};
        bool is_repeated = *text == ' ' && text[1] == ' ';
        if ((unsigned char)*text >= 0x80) {
            page_latex_write(out, page_latex_next(&text));
            continue;
        }
        text++;
        if (code && *character == '\'')
            fputs("\\textquotesingle{}", out);
        else if (code && is_repeated)
            putc('~', out);
        else if (code && *character == '`')
            fputs("\\textasciigrave{}", out);
        else if (*character == '"')
            fputs("\\textquotedbl{}", out);
        else if (((unsigned char)*character < 0x20 && *character != '\n') || *character == 0x7f)
            putc('?', out);
        else
            text_write_latex(out, character);
        if (page_latex_joins(*character) && page_latex_joins(*text))
            fputs("{}", out);
        if (code && !isalnum((unsigned char)*character) && *character != ' ')
            fputs("\\allowbreak{}", out);
    }
}

void page_latex_text(FILE *out, const char *text)
{
    page_latex_escape(out, text, false);
}

void page_latex_code(FILE *out, const char *text)
{
    fputs("\\texttt{", out);
    page_latex_escape(out, text, true);
    fputs("}", out);
}
