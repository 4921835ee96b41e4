/*
 * make_accesses FILE [KEY=VALUE]... - writes a trace of mode memory as standard input lists it, for tests.
 *
 * A line is one of
 *   loop METHOD[:LINE]                  a loop, outside of others. Numbered from 1
 *   site ACCESS BYTES METHOD[:LINE] [LOOP]   an access of an instruction; ACCESS: load or store. Numbered from 1
 *   code RUN ADDRESS BYTES INSTRUCTIONS an instruction of a run, as in kind code; runs are numbered from 1
 *   access SITE INSTRUCTIONS ADDRESS    one access; addresses are hexadecimal
 *   fetch RUN INSTRUCTIONS COUNT        an execution of a run, as in kind fetch; RUN 0: a gap
 *   iteration LOOP                      its header is executed
 *   gap INSTRUCTIONS                    between two bursts, as in kind iteration
 * KEY=VALUE goes into the metadata, VALUE as JSON if it is valid JSON, else as a text. CHUNK=N in the environment:
 * accesses a chunk.
 */
#include "tests/trace_builder.h"

enum { WORDS_MAX = 8 };

static struct chunk_rows loops = {.kind = TRACE_LOOP}, sites = {.kind = TRACE_SITE}, accesses = {.kind = TRACE_ACCESS},
                         iterations = {.kind = TRACE_ITERATION}, code = {.kind = TRACE_CODE},
                         fetches = {.kind = TRACE_FETCH};
static uint64_t access_count;

static void add(struct chunk_rows *rows, const uint64_t integers[TRACE_COLUMNS_MAX])
{
    builder_add(rows, integers, NULL);
}

/* What precedes accesses comes before them. */
static void flush(void)
{
    builder_flush(&iterations);
    builder_flush(&fetches);
    builder_flush(&accesses);
}

/* ------------------------------------------------------------------------------------------ definitions -- */

/* The context of METHOD[:LINE]. */
static uint32_t context_of(char *text)
{
    return tree_context(&builder.tree, 0, builder_parse_frame(text, "file.c"));
}

static void put_loop(char **words)
{
    add(&loops, (uint64_t[TRACE_COLUMNS_MAX]){
                    [LOOP_ID] = loops.count + 1, [LOOP_CONTEXT] = context_of(words[1]), [LOOP_THREAD] = 1});
}

static void put_site(char **words)
{
    uint32_t context = context_of(words[3]);
    uint64_t row[TRACE_COLUMNS_MAX] = {[SITE_ID] = sites.count + 1,
                                       [SITE_CONTEXT] = context,
                                       [SITE_THREAD] = 1,
                                       [SITE_ACCESS] = strcmp(words[1], "store") == 0,
                                       [SITE_BYTES] = builder_parse_number(words[2], 10),
                                       [SITE_LOOP] = words[4] ? builder_parse_number(words[4], 10) : 0};
    add(&sites, row);
}

static void put_definitions(void)
{
    struct chunk_rows threads = {.kind = TRACE_THREAD};
    builder_put_tree("file.c");
    builder_add(&threads, (uint64_t[TRACE_COLUMNS_MAX]){1, 100},
                (const char *[TRACE_COLUMNS_MAX]){[THREAD_NAME] = "main"});
    struct chunk_rows *all[] = {&threads, &loops, &sites, &code};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        builder_finish(all[i]);
}

/* ------------------------------------------------------------------------------------------ lines -- */

static void put_access(char **words)
{
    add(&accesses, (uint64_t[TRACE_COLUMNS_MAX]){[ACCESS_SITE] = builder_parse_number(words[1], 10),
                                                 [ACCESS_INSTRUCTIONS] = builder_parse_number(words[2], 10),
                                                 [ACCESS_ADDRESS] = builder_parse_number(words[3], 16)});
    access_count++;
    if (accesses.count >= builder.chunk_records)
        flush();
}

static void put_line(char **words)
{
    if (strcmp(words[0], "access") == 0)
        put_access(words);
    else if (strcmp(words[0], "gap") == 0)
        add(&iterations,
            (uint64_t[TRACE_COLUMNS_MAX]){
                [ITERATION_ACCESSES] = access_count, [ITERATION_COUNT] = builder_parse_number(words[1], 10)});
    else if (strcmp(words[0], "iteration") == 0)
        add(&iterations, (uint64_t[TRACE_COLUMNS_MAX]){[ITERATION_ACCESSES] = access_count,
                                                       [ITERATION_LOOP] = builder_parse_number(words[1], 10),
                                                       [ITERATION_COUNT] = 1});
    else if (strcmp(words[0], "fetch") == 0)
        add(&fetches, (uint64_t[TRACE_COLUMNS_MAX]){[FETCH_CODE] = builder_parse_number(words[1], 10),
                                                    [FETCH_INSTRUCTIONS] = builder_parse_number(words[2], 10),
                                                    [FETCH_ACCESSES] = access_count,
                                                    [FETCH_COUNT] = builder_parse_number(words[3], 10)});
    else
        builder_check(EINVAL, words[0]);
}

/* Definitions come first in the input, too. */
static void put_lines(void)
{
    char text[4096];
    bool defined = false;
    while (fgets(text, sizeof text, stdin)) {
        char *words[WORDS_MAX] = {NULL};
        if (builder_split(text, words, WORDS_MAX) == 0)
            continue;
        if (strcmp(words[0], "loop") == 0) {
            put_loop(words);
            continue;
        }
        if (strcmp(words[0], "site") == 0) {
            put_site(words);
            continue;
        }
        if (strcmp(words[0], "code") == 0) {
            add(&code, (uint64_t[TRACE_COLUMNS_MAX]){[CODE_ID] = builder_parse_number(words[1], 10),
                                                     [CODE_ADDRESS] = builder_parse_number(words[2], 16),
                                                     [CODE_LENGTH] = builder_parse_number(words[3], 10),
                                                     [CODE_INSTRUCTIONS] = builder_parse_number(words[4], 10)});
            continue;
        }
        if (!defined)
            put_definitions();
        defined = true;
        put_line(words);
    }
    if (!defined)
        put_definitions();
    flush();
}

int main(int argc, char **argv)
{
    (void)argc;
    builder_begin("make_accesses", argv + 1);
    put_lines();
    chunk_rows_free(&accesses);
    chunk_rows_free(&iterations);
    chunk_rows_free(&fetches);
    builder_end(argv[1]);
    return 0;
}
