#include "base/latex_values.h"

#include <ctype.h>
#include <string.h>

void latex_values_begin(FILE *out, const char *program)
{
    fprintf(out, "%% \\assay{NAME} prints a value. Made by %s.\n", program);
    /* \detokenize: packages make characters such as _ and : active. A name with commands in it is expanded instead. */
    fputs("\\providecommand*\\assay[1]{%\n"
          "  \\ifcsname assay@\\detokenize{#1}\\endcsname\\csname assay@\\detokenize{#1}\\endcsname\\else\n"
          "  \\ifcsname assay@#1\\endcsname\\csname assay@#1\\endcsname\\else\n"
          "    \\textbf{??}\\protect\\PackageWarning{assay}{No value is called `\\detokenize{#1}'}\\fi\\fi}%\n"
          "\\providecommand*\\assayvalue[2]{\\expandafter\\def\\csname assay@\\endcsname{#2}%\n"
          "  \\ifcsname assay@\\detokenize{#1}\\endcsname\n"
          "    \\expandafter\\ifx\\csname assay@\\detokenize{#1}\\expandafter\\endcsname\\csname "
          "assay@\\endcsname\\else\n"
          "      \\PackageError{assay}{Two values are called `\\detokenize{#1}'}{Give a file another name.}\\fi\n"
          "  \\else\\expandafter\\gdef\\csname assay@\\detokenize{#1}\\endcsname{#2}\\fi}%\n",
          out);
}

void latex_values_add(FILE *out, const char *name, const char *latex)
{
    fprintf(out, "\\assayvalue{%s}{%s}%%\n", name, latex);
}

static bool latex_values_is_clean(char character)
{
    return isascii(character) && (isalnum((unsigned char)character) || strchr("._+-", character));
}

void latex_values_clean_name(char *text)
{
    char *end = text;
    for (const char *from = text; *from; from++)
        if (latex_values_is_clean(*from))
            *end++ = *from;
        else if (end == text || end[-1] != '-')
            *end++ = '-';
    while (end > text && end[-1] == '-')
        end--;
    *end = '\0';
}

bool latex_values_is_name(const char *text, const char *allowed)
{
    for (; *text; text++)
        if (*text <= ' ' || *text > '~' || (strchr("\\{}%#~^&$", *text) && !strchr(allowed, *text)))
            return false;
    return true;
}
