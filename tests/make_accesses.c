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
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/write/output.h"
#include "trace/write/tree.h"

enum { WORDS_MAX = 8 };

static struct output output;
static struct tree tree;
static struct chunk_rows loops = {.kind = TRACE_LOOP}, sites = {.kind = TRACE_SITE}, accesses = {.kind = TRACE_ACCESS},
                         iterations = {.kind = TRACE_ITERATION}, code = {.kind = TRACE_CODE},
                         fetches = {.kind = TRACE_FETCH};
static uint64_t access_count;
static uint32_t chunk_records = 32768;

static void check(int error, const char *what)
{
    if (!error)
        return;
    fprintf(stderr, "make_accesses: %s: %s\n", what, strerror(error));
    exit(1);
}

static uint64_t number_of(const char *text, int base)
{
    char *end = NULL;
    uint64_t number = text ? strtoull(text, &end, base) : 0;
    check(!text || *end || end == text ? EINVAL : 0, text ? text : "too few words");
    return number;
}

static void add(struct chunk_rows *rows, const uint64_t integers[TRACE_COLUMNS_MAX])
{
    check(chunk_rows_add(rows, integers, NULL), "chunk_rows_add");
}

/* What precedes accesses comes before them. */
static void flush(void)
{
    check(output_rows(&output, &iterations), "output_rows");
    check(output_rows(&output, &fetches), "output_rows");
    check(output_rows(&output, &accesses), "output_rows");
}

/* ------------------------------------------------------------------------------------------ definitions -- */

/* The context of METHOD[:LINE]. */
static uint32_t context_of(char *place)
{
    char *colon = place ? strchr(place, ':') : NULL;
    uint32_t line = colon ? (uint32_t)number_of(colon + 1, 10) : 0;
    check(place ? 0 : EINVAL, "a place");
    if (colon)
        *colon = '\0';
    const struct trace_method method = {"", place, "", "file.c"};
    struct trace_frame frame = {.method = tree_method(&tree, &method, 0), .line = line, .position = -1};
    return tree_context(&tree, 0, tree_frame(&tree, &frame));
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
                                       [SITE_BYTES] = number_of(words[2], 10),
                                       [SITE_LOOP] = words[4] ? number_of(words[4], 10) : 0};
    add(&sites, row);
}

static void put_tree(void)
{
    struct chunk_rows methods = {.kind = TRACE_METHOD}, frames = {.kind = TRACE_FRAME},
                      contexts = {.kind = TRACE_CONTEXT}, threads = {.kind = TRACE_THREAD};
    for (uint32_t id = 1; id <= tree.method_count; id++)
        check(chunk_rows_add(&methods, (uint64_t[TRACE_COLUMNS_MAX]){id},
                             (const char *[TRACE_COLUMNS_MAX]){NULL, "", tree.methods[id].texts.name, "", "file.c"}),
              "chunk_rows_add");
    for (uint32_t id = 1; id <= tree.frames.count; id++) {
        const struct trace_frame *frame = tree_frame_at(&tree, id);
        add(&frames, (uint64_t[TRACE_COLUMNS_MAX]){id, frame->method, frame->line, (uint64_t)frame->position});
    }
    for (uint32_t id = 1; id <= tree.contexts.count; id++)
        add(&contexts, (uint64_t[TRACE_COLUMNS_MAX]){id, 0, tree_context_at(&tree, id)->frame});
    check(chunk_rows_add(&threads, (uint64_t[TRACE_COLUMNS_MAX]){1, 100},
                         (const char *[TRACE_COLUMNS_MAX]){[THREAD_NAME] = "main"}),
          "chunk_rows_add");
    struct chunk_rows *all[] = {&methods, &frames, &contexts, &threads, &loops, &sites, &code};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        check(output_rows(&output, all[i]), "output_rows");
        chunk_rows_free(all[i]);
    }
}

/* ------------------------------------------------------------------------------------------ lines -- */

static void put_access(char **words)
{
    add(&accesses, (uint64_t[TRACE_COLUMNS_MAX]){[ACCESS_SITE] = number_of(words[1], 10),
                                                 [ACCESS_INSTRUCTIONS] = number_of(words[2], 10),
                                                 [ACCESS_ADDRESS] = number_of(words[3], 16)});
    access_count++;
    if (accesses.count >= chunk_records)
        flush();
}

static void put_line(char **words)
{
    if (strcmp(words[0], "access") == 0)
        put_access(words);
    else if (strcmp(words[0], "gap") == 0)
        add(&iterations, (uint64_t[TRACE_COLUMNS_MAX]){
                             [ITERATION_ACCESSES] = access_count, [ITERATION_COUNT] = number_of(words[1], 10)});
    else if (strcmp(words[0], "iteration") == 0)
        add(&iterations, (uint64_t[TRACE_COLUMNS_MAX]){[ITERATION_ACCESSES] = access_count,
                                                       [ITERATION_LOOP] = number_of(words[1], 10),
                                                       [ITERATION_COUNT] = 1});
    else if (strcmp(words[0], "fetch") == 0)
        add(&fetches, (uint64_t[TRACE_COLUMNS_MAX]){[FETCH_CODE] = number_of(words[1], 10),
                                                    [FETCH_INSTRUCTIONS] = number_of(words[2], 10),
                                                    [FETCH_ACCESSES] = access_count,
                                                    [FETCH_COUNT] = number_of(words[3], 10)});
    else
        check(EINVAL, words[0]);
}

/* Definitions come first in the input, too. */
static void put_lines(void)
{
    char text[4096];
    bool defined = false;
    while (fgets(text, sizeof text, stdin)) {
        char *words[WORDS_MAX] = {NULL}, *rest = NULL;
        size_t count = 0;
        for (char *word = strtok_r(text, " \n", &rest); word && count < WORDS_MAX; word = strtok_r(NULL, " \n", &rest))
            words[count++] = word;
        if (count == 0)
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
            add(&code, (uint64_t[TRACE_COLUMNS_MAX]){[CODE_ID] = number_of(words[1], 10),
                                                     [CODE_ADDRESS] = number_of(words[2], 16),
                                                     [CODE_LENGTH] = number_of(words[3], 10),
                                                     [CODE_INSTRUCTIONS] = number_of(words[4], 10)});
            continue;
        }
        if (!defined)
            put_tree();
        defined = true;
        put_line(words);
    }
    if (!defined)
        put_tree();
    flush();
}

static json_t *metadata_of(char **pairs)
{
    json_t *metadata = json_object();
    for (; *pairs; pairs++) {
        char *value = strchr(*pairs, '=');
        check(value ? 0 : EINVAL, *pairs);
        *value++ = '\0';
        json_t *json = json_loads(value, JSON_DECODE_ANY, NULL);
        json_object_set_new(metadata, *pairs, json ? json : json_string(value));
    }
    return metadata;
}

int main(int argc, char **argv)
{
    const char *chunk = getenv("CHUNK");
    check(argc < 2 ? EINVAL : 0, "usage: make_accesses FILE [KEY=VALUE]... < LINES");
    if (chunk)
        chunk_records = (uint32_t)strtoul(chunk, NULL, 10);
    json_t *metadata = metadata_of(argv + 2);
    tree_init(&tree);
    check(output_open(&output, argv[1], metadata, 0), argv[1]);
    json_decref(metadata);
    put_lines();
    check(output_end(&output), argv[1]);
    check(output_close(&output), argv[1]);
    chunk_rows_free(&accesses);
    chunk_rows_free(&iterations);
    chunk_rows_free(&fetches);
    tree_free(&tree);
    return 0;
}
