/* Which characters of a name are plain, and what becomes of the others: in place, in CSV, in Markdown, on a stream. */
#include "base/text.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/csv_text.h"
#include "base/error_text.h"
#include "base/markdown.h"
#include "base/tame_stream.h"

#include "tests/tap.h"

static void tame_is(const char *text, const char *expected)
{
    char *copy = strdup(text);
    text_tame(copy);
    is_text(copy, expected, expected);
    free(copy);
}

/* RFC 3629: no surrogates, no overlong forms, nothing above U+10FFFF. Unicode Annex 9: marks that turn directions. */
static void test_tame(void)
{
    tame_is("", "");
    tame_is("naïve → 𝛼", "naïve → 𝛼");
    tame_is("a\033]0;title\a", "a?]0;title?");
    tame_is("a\nb\tc\rd\x7f", "a?b?c?d?");
    tame_is("\xc2\x9b"
            "31m",
            "?31m");
    tame_is("\x9b"
            "31m",
            "?31m");
    tame_is("a\u2028b\u2029c", "a?b?c");
    tame_is("rlo\u202egpj.exe", "rlo?gpj.exe");
    tame_is("\u061c\u200e\u200f\u202a\u202e\u2066\u2069", "???????");
    tame_is("\u200b\u2010\u202f\u2065\u206a", "\u200b\u2010\u202f\u2065\u206a");
    tame_is("\xed\xa0\x80", "???");
    tame_is("\xc0\x80\xe0\x80\x80\xf0\x80\x80\x80", "?????????");
    tame_is("\xf4\x90\x80\x80\xf5\xff", "??????");
    tame_is("\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf");
    tame_is("cut \xe2\x80", "cut ??");
}

static void test_message(void)
{
    struct error_text message;
    error_set(&message, STATUS_BAD, "%s", "a\nb\033[2J\xc2\x9b\u202e\xff.");
    is_text(message.text, "a b [2J???.", "a message stays on one line, and is tame");
}

static void csv_is(const char *text, char separator, const char *expected)
{
    char *got = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&got, &length);
    csv_text_write(out, text, strlen(text), separator);
    fclose(out);
    is_text(got, expected, expected);
    const char *cell = got + (*got == '"');
    ok(csv_text_is_guarded(cell, strlen(cell)) == (strstr(expected, "'") == cell - got + expected),
       "  and a reader knows whether the apostrophe is one that was put there");
    free(got);
}

static void test_csv(void)
{
    csv_is("a b", ',', "a b");
    csv_is("a,\"b\"\n", ',', "\"a,\"\"b\"\"\n\"");
    csv_is("a,\"b\"\n", '\t', "a,\"b\" ");
    csv_is("#1", ',', "\"#1\"");
    csv_is("-O2", ',', "-O2");
    csv_is("+UseSerialGC", ',', "+UseSerialGC");
    csv_is("=cmd|' /C calc'!A0", ',', "'=cmd|' /C calc'!A0");
    csv_is("=HYPERLINK(\"http://x\")", ',', "\"'=HYPERLINK(\"\"http://x\"\")\"");
    csv_is("@SUM(1+1)", '\t', "'@SUM(1+1)");
    csv_is("+1+cmd|x", ',', "'+1+cmd|x");
    csv_is("\t-2+cmd|x", ',', "'\t-2+cmd|x");
    csv_is("'=f()", ',', "''=f()");
    csv_is("f(a=b)", ',', "f(a=b)");
}

static void markdown_is(const char *text, const char *expected)
{
    char *got = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&got, &length);
    markdown_write_text(out, text);
    fclose(out);
    is_text(got, expected, expected);
    free(got);
}

static void test_markdown(void)
{
    markdown_is("a b", "a b");
    markdown_is("![x](http://e/x.png)", "![x\\](http://e/x.png)");
    markdown_is("<script>&lt;`id`|", "\\<script>\\&lt;\\`id\\`\\|");
    markdown_is("1.27 [1.08, 3.64]", "1.27 [1.08, 3.64]");
    markdown_is("[x]: http://e ~~a~~ ~ b", "[x\\]: http://e \\~\\~a\\~\\~ ~ b");
    markdown_is("> a > b", "\\> a > b");
    markdown_is("[^1] -2", "\\[^1] -2");
    markdown_is("- a - b", "\\- a - b");
    markdown_is("a\nb\033\u202e\xff", "a?b???");
}

/* What a program writes through a tame stream, which is read back from a pipe. */
static void test_stream(void)
{
    int ends[2];
    char got[256];
    if (!ok(pipe(ends) == 0, "a pipe to write into"))
        return;
    FILE *stream = tame_stream_open(ends[1]);
    fprintf(stream, "a\tb: %s\n", "\033[31m\u202e\xff é");
    ssize_t length = read(ends[0], got, sizeof got - 1);
    got[length > 0 ? length : 0] = '\0';
    is_text(got, "a\tb: ?[31m?? é\n", "a stream keeps tabs and line ends, and is written at the end of a line");
    fclose(stream);
    ok(write(ends[1], "x", 1) == 1, "  and leaves the descriptor open");
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    test_tame();
    test_message();
    test_csv();
    test_markdown();
    test_stream();
    return done_testing();
}
