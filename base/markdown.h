/*
 * markdown.h - texts of a user in GitHub-flavoured Markdown, so that they show as they are, in or out of a table.
 */
#ifndef ASSAY_BASE_MARKDOWN_H
#define ASSAY_BASE_MARKDOWN_H

#include <stdio.h>

/* A name as code: in backquotes, or, if it has characters that these or a table would change, in <code> with character
 * references. Tame, as by text_tame(). Nothing for "". */
void markdown_write_code(FILE *out, const char *name);

/* A text in one line, tame. Nothing in it is markup, and it neither mentions a user (@name) nor an issue (#12). */
void markdown_write_text(FILE *out, const char *text);

#endif
