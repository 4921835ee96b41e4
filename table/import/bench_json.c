#include "table/import/bench_rows.h"

#include <stdlib.h>
#include <string.h>

/* The length of the NaN, Infinity or -Infinity that begins here; 0 if none does. Printers of floating-point numbers
 * (Google Benchmark's, Python's json) write them though JSON has none. */
static size_t json_bare_word_length(const char *at, size_t capacity)
{
    static const char *const words[] = {"NaN", "nan", "-nan", "Infinity", "-Infinity", "inf", "-inf"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        if (length <= capacity && memcmp(at, words[i], length) == 0)
            return length;
    }
    return 0;
}

json_t *bench_parse(struct bench *bench, const char *text, size_t length, size_t line)
{
    json_error_t error;
    char *copy = malloc(length + 1);
    if (!copy) {
        bench_fail(bench, "out of memory");
        return NULL;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    /* Replaces bare words by empty strings, padded with blanks, so that line and column of errors stay correct. */
    bool quoted = false;
    for (size_t i = 0; i < length; i++) {
        if (copy[i] == '"')
            quoted = !quoted;
        else if (quoted)
            i += copy[i] == '\\';
        else if (strchr("N-Iin", copy[i]) && copy[i]) {
            size_t word = json_bare_word_length(copy + i, length - i);
            if (word) {
                memset(copy + i, ' ', word);
                memset(copy + i, '"', 2);
                i += word - 1;
            }
        }
    }
    json_t *root = json_loadb(copy, length, 0, &error);
    free(copy);
    if (!root)
        bench_fail(bench, "line %zu, column %d: bad JSON: %s", line - 1 + (size_t)(error.line > 0 ? error.line : 1),
                   error.column, error.text);
    return root;
}
