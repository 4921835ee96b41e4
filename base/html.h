/*
 * html.h - texts in HTML, and pages whose frame is a file that the build puts into the program.
 */
#ifndef ASSAY_BASE_HTML_H
#define ASSAY_BASE_HTML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes a text for an element or an attribute in double quotes: bytes as by text_json(), control characters as '?',
 * marks that turn the direction of text written out as \u202e. False without memory; errors of writing are left in
 * `out`. */
bool html_write_text(FILE *out, const char *text);

/* Writes a page, whose marks @NAME@ are replaced by what `write_mark` writes for the name of this length: 0, or an
 * errno value, which ends the page. Returns it. */
typedef int html_write_mark(FILE *out, const char *name, size_t length, const void *contents);
int html_write_page(FILE *out, const char *page, html_write_mark *write_mark, const void *contents);

#endif
