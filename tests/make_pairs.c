/*
 * make_pairs FILE [KEY=VALUE]... - writes a trace of the memory accesses that standard input lists, for tests.
 *
 * A line is one of
 *   pair THREAD WASTE VALUES FIRST SECOND SCOPE OBJECT EVENTS WASTED_EVENTS BYTES WASTED_BYTES
 *   total THREAD ACCESS VALUES EVENTS BYTES
 *   trap THREAD WASTE VALUES FIRST SECOND WASTED BYTES WEIGHT [CODE]
 *   burst WASTE BYTES WASTED UNSEEN CROSSING CROSSING_WASTED
 *   object STORAGE BYTES STACK
 * WASTE, VALUES, ACCESS and STORAGE are numbers of the format. FIRST, SECOND, SCOPE and STACK are frames from outermost
 * to innermost, joined by ';', without blanks: f:30 with a line, f@1f with an address in the module, memset!30 with a
 * line in the C library, read~38 with one in its headers, or f; or a context's number after '#'; - for none. Objects
 * are numbered from 1. Threads are numbered from 1 in order of appearance; what follows a '/' in THREAD distinguishes
 * threads of one name; /1 has no name. CODE is the machine code of the first access as hexadecimal digits, at most 8
 * bytes. KEY=VALUE goes into the metadata, VALUE as JSON if it is valid JSON, else as a text. In the environment,
 * CHUNK=N: records a chunk; FILE=PATH: the source file of every function; MODULE=PATH and BUILD_ID=DIGITS: the file
 * with the code of addresses.
 */
#include "tests/trace_builder.h"

enum { THREADS_MAX = 100, KINDS = 5, DEPTH_MAX = 4096 };

static char threads[THREADS_MAX][64];
static uint32_t thread_count;
static struct chunk_rows rows[THREADS_MAX][KINDS]; /* [thread − 1]; pairs, totals, objects, traps, bursts */

/* ------------------------------------------------------------------------------------------ definitions -- */

static uint32_t thread_of(const char *name)
{
    for (uint32_t i = 0; i < thread_count; i++)
        if (strcmp(threads[i], name) == 0)
            return i + 1;
    builder_check(thread_count == THREADS_MAX ? E2BIG : 0, name);
    snprintf(threads[thread_count], sizeof *threads, "%s", name);
    return ++thread_count;
}

static uint64_t context_of(const char *stack)
{
    char copy[DEPTH_MAX * 16];
    uint32_t context = 0;
    if (*stack == '#')
        return strtoull(stack + 1, NULL, 10);
    if (strcmp(stack, "-") == 0)
        return 0;
    snprintf(copy, sizeof copy, "%s", stack);
    for (char *rest = NULL, *frame = strtok_r(copy, ";", &rest); frame; frame = strtok_r(NULL, ";", &rest))
        context = tree_context(&builder.tree, context, builder_parse_frame(frame, ""));
    return context;
}

static void put_definitions(void)
{
    const char *module = getenv("MODULE"), *build_id = getenv("BUILD_ID"), *file = getenv("FILE");
    struct chunk_rows modules = {.kind = TRACE_MODULE}, names = {.kind = TRACE_THREAD};
    builder_add(&modules, (uint64_t[TRACE_COLUMNS_MAX]){1, 0, 0, 0, 0, 4096},
                (const char *[TRACE_COLUMNS_MAX]){NULL, module ? module : "/bin/victim", build_id ? build_id : ""});
    builder_add(&modules, (uint64_t[TRACE_COLUMNS_MAX]){2, 0, 0, 0, 8192, 16384},
                (const char *[TRACE_COLUMNS_MAX]){NULL, "/usr/lib/libc.so.6", ""});
    builder_finish(&modules);
    builder_put_tree(file ? file : "");
    for (uint32_t id = 1; id <= thread_count; id++) {
        threads[id - 1][strcspn(threads[id - 1], "/")] = '\0';
        builder_add(&names, (uint64_t[TRACE_COLUMNS_MAX]){id, 99 + id},
                    (const char *[TRACE_COLUMNS_MAX]){[THREAD_NAME] = threads[id - 1]});
    }
    builder_finish(&names);
}

/* ------------------------------------------------------------------------------------------ records -- */

/* A parsed line: its thread (0: none), kind and columns. */
struct line {
    uint32_t thread;
    size_t place; /* of its kind in rows */
    unsigned kind;
    uint64_t values[TRACE_COLUMNS_MAX];
};

static uint64_t number_of(const char *text)
{
    return builder_parse_number(text, 10);
}

/* Little-endian: the first digits are the lowest byte. */
static uint64_t code_of(const char *digits)
{
    uint64_t code = 0;
    size_t bytes = strlen(digits) / 2;
    builder_check(bytes > 8 ? E2BIG : 0, digits);
    for (size_t i = 0; i < bytes; i++)
        code |= (uint64_t)strtoul((char[]){digits[2 * i], digits[2 * i + 1], '\0'}, NULL, 16) << 8 * i;
    return code;
}

static struct line line_of(char *text, unsigned n)
{
    static uint64_t objects;
    char *words[15] = {NULL};
    size_t count = builder_split(text, words, 15);
    struct line line = {0};
    if (count == 12 && strcmp(words[0], "pair") == 0) {
        line = (struct line){thread_of(words[1]), 0, TRACE_PAIR, {n, number_of(words[2]), number_of(words[3])}};
        for (size_t i = 0; i < 3; i++)
            line.values[PAIR_FIRST + i] = context_of(words[4 + i]);
        for (size_t i = 0; i < 5; i++)
            line.values[PAIR_OBJECT + i] = number_of(words[7 + i]);
    } else if (count == 6 && strcmp(words[0], "total") == 0) {
        line = (struct line){thread_of(words[1]), 1, TRACE_TOTAL, {n}};
        for (size_t i = 0; i < 4; i++)
            line.values[TOTAL_ACCESS + i] = number_of(words[2 + i]);
    } else if ((count == 9 || count == 10) && strcmp(words[0], "trap") == 0) {
        line = (struct line){thread_of(words[1]), 3, TRACE_TRAP, {n, number_of(words[2]), number_of(words[3])}};
        line.values[TRAP_FIRST] = context_of(words[4]);
        line.values[TRAP_SECOND] = context_of(words[5]);
        for (size_t i = 0; i < 3; i++)
            line.values[TRAP_WASTED + i] = number_of(words[6 + i]);
        line.values[TRAP_FIRST_LOW] = count == 10 ? code_of(words[9]) : 0;
    } else if (count == 7 && strcmp(words[0], "burst") == 0) {
        line = (struct line){0, 4, TRACE_BURST, {n}};
        for (size_t i = 0; i < 6; i++)
            line.values[BURST_WASTE + i] = number_of(words[1 + i]);
    } else if (count == 4 && strcmp(words[0], "object") == 0) {
        line = (struct line){0, 2, TRACE_OBJECT, {++objects, number_of(words[1]), number_of(words[2])}};
        line.values[OBJECT_CONTEXT] = context_of(words[3]);
    } else {
        builder_check(EINVAL, words[0] ? words[0] : "empty line");
    }
    return line;
}

static void append(const struct line *line)
{
    struct chunk_rows *into = &rows[line->thread ? line->thread - 1 : 0][line->place];
    into->kind = line->kind;
    into->thread = line->thread;
    builder_add(into, line->values, NULL);
    if (into->count >= builder.chunk_records)
        builder_flush(into);
}

/* Definitions come first, so all lines are read before the first is written; objects precede what refers to them. */
static void put_lines(void)
{
    struct line *lines = NULL;
    size_t count = 0;
    static char text[3 * DEPTH_MAX * 16];
    for (; fgets(text, sizeof text, stdin); count++) {
        lines = realloc(lines, (count + 1) * sizeof *lines);
        builder_check(lines ? 0 : ENOMEM, "realloc");
        lines[count] = line_of(text, (unsigned)count + 1);
    }
    put_definitions();
    for (size_t i = 0; i < count; i++)
        if (lines[i].kind == TRACE_OBJECT)
            append(&lines[i]);
    builder_flush(&rows[0][2]);
    for (size_t i = 0; i < count; i++)
        if (lines[i].kind != TRACE_OBJECT)
            append(&lines[i]);
    free(lines);
    for (size_t i = 0; i < THREADS_MAX * KINDS; i++) {
        struct chunk_rows *left = &rows[i / KINDS][i % KINDS];
        if (left->kind)
            builder_flush(left);
        chunk_rows_free(left);
    }
}

int main(int argc, char **argv)
{
    (void)argc;
    builder_begin("make_pairs", argv + 1);
    put_lines();
    builder_end(argv[1]);
    return 0;
}
