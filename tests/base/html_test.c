/* Texts in HTML, and pages with marks. */
#include <errno.h>
#include <stdlib.h>

#include "base/html.h"

#include "tests/tap.h"

static void text_is(const char *text, const char *expected)
{
    char *got = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&got, &length);
    html_write_text(out, text);
    fclose(out);
    is_text(got, expected, expected);
    free(got);
}

static void test_texts(void)
{
    text_is("a<b> & \"c\"", "a&lt;b&gt; &amp; &quot;c&quot;");
    text_is("a\033b\x7f", "a?b?");
    text_is("\u200e\u200f\u202a\u202e\u2066\u2069\u061c", "\\u200e\\u200f\\u202a\\u202e\\u2066\\u2069\\u061c");
    text_is("\u200d\u2010\u202f\u2065\u206a\u061b", "\u200d\u2010\u202f\u2065\u206a\u061b");
    text_is("a\u2028b\u2029c", "a?b?c");
    text_is("\xe2", "\u00e2");
}

static int write_known_mark(FILE *out, const char *name, size_t length, const void *contents)
{
    if (length != 4 || memcmp(name, "NAME", 4) != 0)
        return EINVAL;
    fputs(contents, out);
    return 0;
}

static void page_is(const char *page, int error, const char *expected)
{
    char *got = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&got, &length);
    ok(html_write_page(out, page, write_known_mark, "@x@") == error, "a page: %s", page);
    fclose(out);
    is_text(got, expected, "  and what is written of it");
    free(got);
}

static void test_pages(void)
{
    page_is("", 0, "");
    page_is("a @NAME@@NAME@ b", 0, "a @x@@x@ b"); /* what is written for a mark is not searched for marks */
    page_is("a@b", 0, "a@b");
    page_is("a @NAME@ b @OTHER@ c", EINVAL, "a @x@ b ");
}

int main(void)
{
    test_texts();
    test_pages();
    return done_testing();
}
