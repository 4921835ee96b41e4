/*
 * Random tables, rendered in every format, come back row by row; with bytes changed or the end cut off they give rows
 * or a message, the same for any size of parts and number of threads and ranks, and never a crash or a hang.
 */
#include <zlib.h>
#include <zstd.h>

#include "base/rng.h"
#include "tests/table/read/rows_processes.h"

enum { TABLES = 25, DAMAGES = 8, ROWS_MOST = 60, COLUMNS_MOST = 5, TEXT_MOST = 1 << 16 };

static uint64_t draw(uint64_t below)
{
    static struct rng state = {20040712};
    return rng_next(&state) % below;
}

enum format { AS_CSV, AS_SEMICOLONS, AS_TSV, AS_BLANKS, AS_JSON_LINES, AS_JSON, FORMATS };

struct writer {
    char bytes[TEXT_MOST];
    size_t length;
};

static void put(struct writer *writer, const char *text)
{
    size_t length = strlen(text);
    if (writer->length + length < TEXT_MOST) {
        memcpy(writer->bytes + writer->length, text, length + 1);
        writer->length += length;
    }
}

static void put_char(struct writer *writer, char c)
{
    put(writer, (const char[]){c, '\0'});
}

/* ------------------------------------------------------------------------------------------ a table -- */

/* Column 0 is a text, the others are numbers: digits·10^−places. */
struct cells {
    char name[16];
    int64_t digits[COLUMNS_MOST];
    unsigned places[COLUMNS_MOST];
};

struct table {
    size_t row_count, column_count;
    struct cells rows[ROWS_MOST];
};

/* Texts that every format can hold; those of CSV and JSON also hold what has to be quoted. */
static void draw_name(char name[16], enum format format)
{
    static const char hard[] = "ab,;\n\" \t'#", easy[] = "abcde'-_+.";
    bool quotes = format == AS_CSV || format == AS_SEMICOLONS || format >= AS_JSON_LINES;
    size_t length = 1 + draw(draw(4) ? 4 : 15);
    for (size_t i = 0; i < length; i++)
        name[i] = quotes ? hard[draw(sizeof hard - 1)] : easy[draw(sizeof easy - 1)];
    name[length] = '\0';
}

static void draw_table(struct table *table, enum format format)
{
    table->row_count = 1 + draw(ROWS_MOST);
    table->column_count = 2 + draw(COLUMNS_MOST - 1);
    for (size_t r = 0; r < table->row_count; r++) {
        struct cells *cells = &table->rows[r];
        draw_name(cells->name, format);
        for (size_t c = 1; c < table->column_count; c++) {
            cells->digits[c] = (int64_t)draw(2000) - 1000;
            cells->places[c] = (unsigned)draw(4);
        }
    }
}

/* The digits with a point before the last `places` of them. */
static void print_number(char text[32], const struct cells *cells, size_t c)
{
    int64_t digits = cells->digits[c];
    char figures[32];
    int length =
        snprintf(figures, sizeof figures, "%0*d", (int)cells->places[c] + 1, (int)(digits < 0 ? -digits : digits));
    int whole = length - (int)cells->places[c];
    snprintf(text, 32, "%s%.*s%s%s", digits < 0 ? "-" : "", whole, figures, cells->places[c] ? "." : "",
             figures + whole);
}

static void put_quoted(struct writer *writer, const char *text, char delimiter)
{
    bool due = *text == '"' || *text == '#' || strchr(text, delimiter) || strpbrk(text, "\n\"");
    if (!due && draw(3)) {
        put(writer, text);
        return;
    }
    put_char(writer, '"');
    for (; *text; text++) {
        if (*text == '"')
            put_char(writer, '"');
        put_char(writer, *text);
    }
    put_char(writer, '"');
}

static void put_delimited(struct writer *writer, const struct table *table, enum format format)
{
    static const char delimiters[] = {',', ';', '\t', ' '};
    char delimiter = delimiters[format], number[32];
    const char *newline = draw(2) ? "\n" : "\r\n";
    put(writer, "name");
    for (size_t c = 1; c < table->column_count; c++) {
        put_char(writer, delimiter);
        snprintf(number, sizeof number, "c%zu", c);
        put(writer, number);
    }
    put(writer, newline);
    for (size_t r = 0; r < table->row_count; r++) {
        const struct cells *cells = &table->rows[r];
        if (format == AS_CSV || format == AS_SEMICOLONS)
            put_quoted(writer, cells->name, delimiter);
        else
            put(writer, cells->name);
        for (size_t c = 1; c < table->column_count; c++) {
            put_char(writer, delimiter);
            for (uint64_t blanks = format == AS_BLANKS ? draw(3) : 0; blanks > 0; blanks--)
                put_char(writer, ' ');
            print_number(number, cells, c);
            put(writer, number);
        }
        put(writer, r + 1 < table->row_count || draw(2) ? newline : "");
    }
}

static json_t *object_of(const struct table *table, size_t r)
{
    json_t *object = json_object();
    char number[32], key[32];
    json_object_set_new(object, "name", json_string(table->rows[r].name));
    for (size_t c = 1; c < table->column_count; c++) {
        print_number(number, &table->rows[r], c);
        snprintf(key, sizeof key, "c%zu", c);
        uint64_t kind = draw(3);
        if (kind == 0)
            json_object_set_new(object, key, json_string(number));
        else if (kind == 1 || table->rows[r].places[c] > 0)
            json_object_set_new(object, key, json_real(strtod(number, NULL)));
        else
            json_object_set_new(object, key, json_integer(table->rows[r].digits[c]));
    }
    return object;
}

static void put_json(struct writer *writer, const struct table *table, bool lines)
{
    json_t *array = json_array();
    for (size_t r = 0; r < table->row_count; r++) {
        json_array_append_new(array, object_of(table, r));
        char *text = json_dumps(json_array_get(array, r), JSON_REAL_PRECISION(15));
        if (lines) {
            put(writer, text);
            put(writer, "\n");
        }
        free(text);
    }
    if (!lines) {
        char *text = json_dumps(array, JSON_REAL_PRECISION(15) | (draw(2) ? JSON_INDENT(1) : 0));
        put(writer, text);
        free(text);
    }
    json_decref(array);
}

static void render(struct writer *writer, const struct table *table, enum format format)
{
    writer->length = 0;
    if (format >= AS_JSON_LINES)
        put_json(writer, table, format == AS_JSON_LINES);
    else
        put_delimited(writer, table, format);
}

static void put_decimal(struct writer *writer, int64_t digits, unsigned places, const char *behind)
{
    char text[40];
    int exponent = digits ? -(int)places : 0;
    for (; digits % 10 == 0 && digits != 0; exponent++)
        digits /= 10;
    snprintf(text, sizeof text, "%" PRId64 "e%d%s", digits, exponent, behind);
    put(writer, text);
}

/* The rows that the harness should return if c1 and the last column are requested. */
static void expect(struct writer *writer, const struct table *table)
{
    writer->length = 0;
    for (size_t r = 0; r < table->row_count; r++) {
        const struct cells *cells = &table->rows[r];
        size_t last = table->column_count - 1;
        put(writer, cells->name);
        put(writer, ": ");
        put_decimal(writer, cells->digits[1], cells->places[1], " ");
        put_decimal(writer, cells->digits[last], cells->places[last], "\n");
    }
}

/* ------------------------------------------------------------------------------------------ the checks -- */

static struct rows_request request_of(const struct table *table, unsigned jobs)
{
    static const char *const groups[] = {"name"};
    static const char *const values[][2] = {{"c1", "c1"}, {"c1", "c2"}, {"c1", "c3"}, {"c1", "c4"}};
    return (struct rows_request){
        .values = values[table->column_count - 2], .value_count = 2, .groups = groups, .group_count = 1, .jobs = jobs};
}

static bool comes_back(const struct table *table, const struct writer *text, const struct writer *expected)
{
    bool good = true;
    for (int i = 0; i < 4; i++) {
        struct rows_request request = request_of(table, 1 + (unsigned)draw(4));
        struct outcome outcome = read_bytes(&request, text->bytes, text->length, 20 + draw(i ? 400 : ROWS_PART_BYTES));
        good &= !outcome.status && strcmp(outcome.text, expected->bytes) == 0;
        if (outcome.status || !good)
            printf("# %s\n", outcome.message);
        outcome_free(&outcome);
    }
    return good;
}

static void damage(struct writer *text)
{
    if (text->length == 0)
        return;
    uint64_t kind = draw(4);
    if (kind == 0)
        text->length = draw(text->length);
    for (uint64_t count = kind ? 1 + draw(3) : 0; count > 0; count--)
        text->bytes[draw(text->length)] = kind == 1 ? "\",\n;\t \r#{}[]0.-e"[draw(16)] : (char)draw(256);
}

static bool is_same(const struct outcome *a, const struct outcome *b)
{
    bool same = a->status == b->status && strcmp(a->text, b->text) == 0 && strcmp(a->message, b->message) == 0 &&
                strcmp(a->account.first_skipped, b->account.first_skipped) == 0 &&
                a->account.skipped == b->account.skipped && a->account.rows == b->account.rows && b->bad_ranks == 0;
    if (!same)
        printf("# %d \"%s\", %d \"%s\"; %d bad ranks\n", a->status, a->message, b->status, b->message, b->bad_ranks);
    return same;
}

/* One thread, several threads and several ranks agree: the same rows, or the same message without rows. */
static bool agree(const struct table *table, const struct writer *text, bool skip_bad, int *good)
{
    struct rows_request one = request_of(table, 1), more = request_of(table, 3);
    one.skip_bad = more.skip_bad = skip_bad;
    static const char *const paths[] = {"table"};
    struct outcome a = read_bytes(&one, text->bytes, text->length, ROWS_PART_BYTES);
    struct outcome b = read_files(&more, paths, 1, 40 + draw(400));
    more.jobs = 1 + (unsigned)draw(3);
    struct outcome c = read_in_ranks(&more, paths, 1, 40 + draw(400), 2 + (int)draw(3));
    bool same = is_same(&a, &b) && is_same(&a, &c);
    bool told = a.status ? strstr(a.message, "table: ") && !*a.text : *a.text && !*a.message;
    if (!told)
        printf("# %d \"%s\"\n", a.status, a.message);
    *good += !a.status;
    outcome_free(&a);
    outcome_free(&b);
    outcome_free(&c);
    return same && told;
}

static void pack(struct writer *packed, const struct writer *text, bool zst)
{
    if (zst) {
        packed->length = ZSTD_compress(packed->bytes, TEXT_MOST, text->bytes, text->length, 3);
        return;
    }
    z_stream gz = {.next_in = (unsigned char *)(uintptr_t)text->bytes,
                   .avail_in = (unsigned)text->length,
                   .next_out = (unsigned char *)packed->bytes,
                   .avail_out = TEXT_MOST};
    deflateInit2(&gz, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    deflate(&gz, Z_FINISH);
    deflateEnd(&gz);
    packed->length = gz.total_out;
}

static void test_packed(struct table *table, struct writer *text, struct writer *packed)
{
    enum { TRIES = 200 };
    int agreed = 0, good = 0;
    for (int i = 0; i < TRIES; i++) {
        draw_table(table, AS_CSV);
        render(text, table, AS_CSV);
        pack(packed, text, i % 2);
        damage(packed);
        agreed += agree(table, packed, draw(2), &good);
    }
    is_u64((uint64_t)agreed, TRIES, "damaged gz and zst: one thread, several and ranks give the same rows or message");
    ok(good < TRIES, "  some can't be read: %d of %d can", good, TRIES);
}

int main(void)
{
    static struct table table;
    static struct writer text, expected;
    static const char *const names[FORMATS] = {"CSV", "semicolons", "TSV", "blanks", "JSON lines", "JSON"};
    enter_directory();
    record_reduced = true;
    for (enum format format = 0; format < FORMATS; format++) {
        int right = 0, agreed = 0, good = 0;
        for (int i = 0; i < TABLES; i++) {
            draw_table(&table, format);
            render(&text, &table, format);
            expect(&expected, &table);
            right += comes_back(&table, &text, &expected);
            for (int d = 0; d < DAMAGES; d++) {
                render(&text, &table, format);
                damage(&text);
                agreed += agree(&table, &text, d % 2, &good);
            }
        }
        ok(right == TABLES, "%s: %d of %d random tables come back row by row", names[format], right, TABLES);
        is_u64((uint64_t)agreed, TABLES * DAMAGES,
               "  damaged: one thread, several and ranks give the same rows or message");
        ok(good > 0 && good < TABLES * DAMAGES, "  damaged: some can still be read: %d of %d", good, TABLES * DAMAGES);
    }
    test_packed(&table, &text, &expected);
    is_u64((uint64_t)records_alive, 0, "every state was freed");
    leave_directory((const char *const[]){"table"}, 1);
    return done_testing();
}
