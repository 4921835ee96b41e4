#include "table/csv/split.h"

#include "base/csv_text.h"

#include <assert.h>
#include <stdlib.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* ------------------------------------------------------------------------------------------ the search -- */

#ifdef __SSE2__
static inline uint64_t scan_block_mask(const struct rows_scan *scan, const char *block)
{
    const __m128i first = _mm_set1_epi8(scan->first), second = _mm_set1_epi8(scan->second);
    const __m128i quote = _mm_set1_epi8(scan->quote), newline = _mm_set1_epi8('\n');
    uint64_t mask = 0;
    for (unsigned i = 0; i < ROWS_STEP; i += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(block + i));
        __m128i one = _mm_or_si128(_mm_cmpeq_epi8(bytes, first), _mm_cmpeq_epi8(bytes, second));
        __m128i other = _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, newline));
        mask |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_or_si128(one, other)) << i;
    }
    return mask;
}
#else
static inline uint64_t scan_block_mask(const struct rows_scan *scan, const char *block)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < ROWS_STEP; i++) {
        char c = block[i];
        mask |= (uint64_t)(c == scan->first || c == scan->second || c == scan->quote || c == '\n') << i;
    }
    return mask;
}
#endif

static inline void scan_seek(struct rows_scan *scan, char *at)
{
    scan->block = at;
    scan->mask = scan_block_mask(scan, at);
}

/* A newline is always found, since the text ends with one. */
static inline char *scan_next(struct rows_scan *scan)
{
    while (!scan->mask)
        scan_seek(scan, scan->block + ROWS_STEP);
    char *found = scan->block + __builtin_ctzll(scan->mask);
    scan->mask &= scan->mask - 1;
    return found;
}

/* ------------------------------------------------------------------------------------------ cells -- */

char *rows_split_copy(const char *text, size_t *length)
{
    char *copy = malloc(*length + 1 + ROWS_SLACK);
    if (!copy)
        return NULL;
    memcpy(copy, text, *length);
    if (*length > 0 && text[*length - 1] != '\n')
        copy[(*length)++] = '\n';
    return copy;
}

void rows_split_init(struct rows_split *split, char delimiter, char *text, size_t length, struct rows_cell *cells,
                     size_t capacity)
{
    *split = (struct rows_split){
        .at = text, .end = text + length, .delimiter = delimiter, .cells = cells, .capacity = capacity};
    split->scan.first = delimiter;
    split->scan.second = delimiter == ' ' ? '\t' : delimiter;
    split->scan.quote = delimiter == '\t' ? delimiter : '"';
    assert(length == 0 || text[length - 1] == '\n');
    if (length > 0)
        scan_seek(&split->scan, text);
}

struct rows_cell rows_trim(struct rows_cell cell)
{
    while (cell.length > 0 && (*cell.text == ' ' || *cell.text == '\t')) {
        cell.text++;
        cell.length--;
    }
    while (cell.length > 0 && (cell.text[cell.length - 1] == ' ' || cell.text[cell.length - 1] == '\t'))
        cell.length--;
    return cell;
}

static uint64_t split_count_newlines(const char *text, const char *end)
{
    uint64_t count = 0;
    for (; (text = memchr(text, '\n', (size_t)(end - text))); text++)
        count++;
    return count;
}

/* Compacts the text between quotes, from after the opening one. Returns the position after the closing quote, NULL if
 * there is none before `end`. */
static char *split_unquote(char *from, const char *end, struct rows_cell *cell)
{
    char *to = from;
    cell->text = from;
    for (;;) {
        char *quote = memchr(from, '"', (size_t)(end - from));
        if (!quote)
            return NULL;
        memmove(to, from, (size_t)(quote - from));
        to += quote - from;
        from = quote + 1;
        if (*from != '"') {
            cell->length = (size_t)(to - cell->text);
            return from;
        }
        *to++ = '"';
        from++;
    }
}

/* The cell that begins with the quote at `open`. Returns the delimiter or newline after it. */
static char *split_quoted_cell(struct rows_split *split, char *open, struct rows_cell *cell)
{
    bool blanks = split->delimiter == ' ';
    char *limit = blanks ? memchr(open, '\n', (size_t)(split->end - open)) : split->end - 1;
    char *after = split_unquote(open + 1, limit, cell);
    if (!after) {
        split->trouble = "a quote is not closed";
        split->open = !blanks;
        *cell = (struct rows_cell){open, 0};
        split->lines += split_count_newlines(open, limit);
        scan_seek(&split->scan, limit);
        return scan_next(&split->scan);
    }
    if (!blanks)
        split->lines += split_count_newlines(open, after);
    scan_seek(&split->scan, after);
    char *stop = scan_next(&split->scan);
    if (stop != after && !(stop == after + 1 && *after == '\r' && *stop == '\n'))
        split->trouble = "there is text after a closing quote";
    while (*stop == '"')
        stop = scan_next(&split->scan);
    return stop;
}

static inline void split_add_cell(struct rows_split *split, struct rows_cell cell)
{
    if (cell.length > 1 && *cell.text == '\'' && split->delimiter != ' ' &&
        csv_text_is_guarded(cell.text, cell.length)) {
        cell.text++;
        cell.length--;
    }
    if (split->count < split->capacity)
        split->cells[split->count] = cell;
    split->count++;
}

/* The end of a cell that begins at `start` without a quote: quotes within it are text. */
static inline char *split_cell_end(struct rows_split *split, const char *start, char *stop, struct rows_cell *cell)
{
    while (*stop == '"')
        stop = scan_next(&split->scan);
    *cell = (struct rows_cell){start, (size_t)(stop - start)};
    if (*stop == '\n' && stop > start && stop[-1] == '\r')
        cell->length--;
    return stop;
}

static char *split_csv_row(struct rows_split *split)
{
    char *start = split->at, *stop;
    struct rows_cell cell;
    for (;; start = stop + 1) {
        stop = scan_next(&split->scan);
        if (*stop == '"' && stop == start)
            stop = split_quoted_cell(split, stop, &cell);
        else
            stop = split_cell_end(split, start, stop, &cell);
        split_add_cell(split, cell);
        if (*stop == '\n')
            break;
    }
    if (split->count == 1 && *split->at != '"' && rows_trim(cell).length == 0)
        split->count = 0;
    return stop;
}

static char *split_blanks_row(struct rows_split *split)
{
    char *start = split->at, *stop;
    struct rows_cell cell;
    for (;; start = stop + 1) {
        stop = scan_next(&split->scan);
        bool quoted = *stop == '"' && stop == start;
        if (*start == '#') {
            scan_seek(&split->scan, memchr(start, '\n', (size_t)(split->end - start)));
            return scan_next(&split->scan);
        }
        stop = quoted ? split_quoted_cell(split, stop, &cell) : split_cell_end(split, start, stop, &cell);
        if (quoted || cell.length > 0)
            split_add_cell(split, cell);
        if (*stop == '\n')
            return stop;
    }
}

bool rows_split_next(struct rows_split *split)
{
    do {
        if (split->at == split->end)
            return false;
        split->count = 0;
        split->line = split->lines;
        split->trouble = NULL;
        char *stop = split->delimiter == ' ' ? split_blanks_row(split) : split_csv_row(split);
        split->at = stop + 1;
        split->lines++;
    } while (split->count == 0);
    return true;
}

/* ------------------------------------------------------------------------------------------ whole rows -- */

static size_t split_line_end(const char *text, size_t from, size_t to, size_t otherwise)
{
    const char *newline = memrchr(text + from, '\n', to - from);
    return newline ? (size_t)(newline - text) + 1 : otherwise;
}

/* The position after the quote that closes the cell from `at`; `length` if none does. */
static size_t split_quote_end(const char *text, size_t length, size_t at)
{
    while (at < length) {
        const char *quote = memchr(text + at, '"', length - at);
        if (!quote)
            return length;
        at = (size_t)(quote - text) + 1;
        if (at == length || text[at] != '"')
            return at;
        at++;
    }
    return length;
}

size_t rows_split_whole(const char *text, size_t length, char delimiter)
{
    size_t whole = 0, outside = 0; /* start of the text outside quotes */
    size_t at = 0;
    const char *quote;
    if (delimiter == '\t' || delimiter == ' ')
        return split_line_end(text, 0, length, 0);
    while ((quote = memchr(text + at, '"', length - at))) {
        at = (size_t)(quote - text);
        if (at > 0 && text[at - 1] != delimiter && text[at - 1] != '\n') {
            at++;
            continue;
        }
        whole = split_line_end(text, outside, at, whole);
        at = outside = split_quote_end(text, length, at + 1);
    }
    return split_line_end(text, outside, length, whole);
}
