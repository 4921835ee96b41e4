#include "plots/render/tex.h"
#include "base/text_stream.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A word joiner: nobody sees it. */
#define TEX_GUARD "\u2060"

/* What LaTeX has other names for. Longer ones first where one begins another. */
static const struct {
    const char *text, *tex;
} replacements[] = {{"\\", "\\textbackslash{}"},
                    {"{", "\\{"},
                    {"}", "\\}"},
                    {"$", "\\$"},
                    {"&", "\\&"},
                    {"#", "\\#"},
                    {"%", "\\%"},
                    {"_", "\\_"},
                    {"^", "\\^{}"},
                    {"~", "\\~{}"},
                    {"<", "\\textless{}"},
                    {">", "\\textgreater{}"},
                    {"|", "\\textbar{}"},
                    {"\"", "''"},
                    {"…", "\\ldots{}"},
                    {"–", "--"},
                    {"×", "$\\times$"},
                    {"±", "$\\pm$"},
                    {"←", "$\\leftarrow$"},
                    {"→", "$\\rightarrow$"},
                    {"−", "$-$"},
                    {"≤", "$\\leq$"},
                    {"‰", "\\textperthousand{}"},
                    {TEX_GUARD, ""}};

/* "⁻⁶": its length and the character; 0 for anything else. */
static size_t tex_superscript(const char *text, char *character)
{
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹", "⁻"};
    for (size_t i = 0; i < sizeof digits / sizeof *digits; i++)
        if (strncmp(text, digits[i], strlen(digits[i])) == 0) {
            *character = "0123456789-"[i];
            return strlen(digits[i]);
        }
    return 0;
}

static void tex_write_text(FILE *out, const char *text, size_t length)
{
    const char *end = text + length;
    char character;
    bool raised = false;
    if (*text == '-' && length > 1 && isdigit((unsigned char)text[1])) { /* a number, not a hyphen */
        fputs("$-$", out);
        text++;
    }
    while (text < end) {
        size_t width = tex_superscript(text, &character);
        if ((width > 0) != raised)
            fputs(raised ? "}$" : "$^{", out);
        raised = width > 0;
        if (raised) {
            fputc(character, out);
            text += width;
            continue;
        }
        size_t i = 0;
        while (i < sizeof replacements / sizeof *replacements &&
               strncmp(text, replacements[i].text, strlen(replacements[i].text)) != 0)
            i++;
        if (i < sizeof replacements / sizeof *replacements) {
            fputs(replacements[i].tex, out);
            text += strlen(replacements[i].text);
        } else {
            fputc(*text++, out);
        }
    }
    fputs(raised ? "}$" : "", out);
}

bool tex_reads_path(const char *path)
{
    for (; *path; path++)
        if ((unsigned char)*path < ' ' || *path == 0x7f || strchr("\\{}#\"", *path))
            return false;
    return true;
}

/* A path that tex_reads_path() allows, in an argument that LaTeX expands. */
static void tex_write_path(FILE *out, const char *path)
{
    for (; *path; path++)
        if (*path == '%')
            fputs("\\csname @percentchar\\endcsname ", out);
        else
            fprintf(out, strchr("~_&$^", *path) ? "\\string%c" : "%c", *path);
}

/* One line of the picture. Its texts are "\put(1,2){\makebox(0,0){\strut{}TEXT}}%", perhaps in a \rotatebox{}{}. */
static void tex_write_line(FILE *out, const char *line, size_t length, const char *graphics)
{
    static const char strut[] = "\\strut{}", include[] = "\\includegraphics[width={";
    const char *at = memmem(line, length, strut, sizeof strut - 1);
    /* Before the text: a name may have the same words in it. */
    size_t closing = at && memmem(line, (size_t)(at - line), "\\rotatebox{", 11) ? 4 : 3; /* "}}%" */
    if (at && length >= closing) {
        const char *text = at + sizeof strut - 1, *end = line + length - closing;
        fwrite(line, 1, (size_t)(text - line), out);
        if (end > text)
            tex_write_text(out, text, (size_t)(end - text));
        fwrite(end, 1, closing, out);
        return;
    }
    at = memmem(line, length, include, sizeof include - 1);
    const char *options = at ? strchr(at, ']') : NULL;
    if (!options) {
        fwrite(line, 1, length, out);
        return;
    }
    const char *slash = strrchr(graphics, '/'), *name = slash ? slash + 1 : graphics;
    fwrite(line, 1, (size_t)(at - line), out);
    fputs("\\IfFileExists{", out);
    tex_write_path(out, graphics);
    fprintf(out, "}{%.*s]{", (int)(options - at), at);
    tex_write_path(out, graphics);
    fprintf(out, "}}{%.*s]{", (int)(options - at), at);
    tex_write_path(out, name);
    fputs("}}}%", out);
}

/* A line that sets the colour of the texts after it. */
static bool tex_is_colour(const char *line, size_t length)
{
    return *line == ' ' && !memmem(line, length, "\\put(", 5) && line[length - 1] == '%' &&
           (memmem(line, length, "\\csname LTb\\endcsname%", 21) || memmem(line, length, "\\colorrgb{0.", 12) ||
            memmem(line, length, "\\colorrgb{1.", 12));
}

/* cairolatex drops the sizes of fonts, so colours say them, as plots/style.gp has them: 7 for black, 5 for
 * colour_tiny, and 6 for all others. */
static int tex_size(const char *line, size_t length)
{
    if (memmem(line, length, "\\colorrgb{0.02,0.02,0.02}", 25))
        return 5;
    return memmem(line, length, "\\csname", 7) || memmem(line, length, "{0.00,0.00,0.00}", 16) ? 7 : 6;
}

char *tex_guard(const char *script, size_t *size)
{
    char *text = NULL;
    const size_t length = *size;
    FILE *out = text_stream_open(&text, size);
    if (!out)
        return NULL;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && script[i - 1] == '\'' && script[i] == '[')
            fputs(TEX_GUARD, out);
        fputc(script[i], out);
    }
    return text_stream_close(out, &text) ? text : NULL;
}

char *tex_finish(const char *picture, double font_pt, const char *graphics, size_t *size)
{
    char *text = NULL;
    FILE *out = text_stream_open(&text, size);
    if (!out)
        return NULL;
    fputs("% A figure of assay: \\input it where graphicx and color (or xcolor) are loaded.\n", out);
    for (const char *line = picture; *line;) {
        size_t length = strcspn(line, "\n");
        tex_write_line(out, line, length, graphics);
        fputc('\n', out);
        if (memmem(line, length, "\\begin{picture}", 15) && !memmem(line, length, "\\put(", 5))
            fprintf(out, "    \\fontsize{%.4g}{%.4g}\\selectfont\n", font_pt, 1.2 * font_pt);
        if (tex_is_colour(line, length)) {
            double points = font_pt * tex_size(line, length) / 7;
            fprintf(out, "      \\fontsize{%.4g}{%.4g}\\selectfont%%\n", points, 1.2 * points);
        }
        line += length + (line[length] == '\n');
    }
    text_stream_close(out, &text);
    return text;
}
