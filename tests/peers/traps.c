/*
 * traps FILE COUNT - writes a trace of COUNT sampled dead stores, silent stores and silent loads, as in a day's
 * recording: 20,000 pairs of contexts that are 12 deep, from 500 functions, some far more frequent than others.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/trace.h"

enum { FUNCTIONS = 500, PAIRS = 20000, DEPTH = 12, DRAIN_EVERY = 256 };

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "traps: %s: %s\n", what, strerror(errno));
    exit(1);
}

static bool describe(void *user, const struct trace_raw_frame *frame, struct trace_frame_text *text)
{
    (void)user;
    static char name[32];
    snprintf(name, sizeof name, "function%" PRIu64, frame->code);
    *text = (struct trace_frame_text){.class_name = "", .method = name, .signature = "", .file = ""};
    return true;
}

/* xorshift64*: Vigna, ACM TOMS 42 (2016). */
static uint64_t draw(void)
{
    static uint64_t state = 2019;
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1dULL;
}

/* A context's number determines its frames. */
static void make_stack(uint64_t context, struct trace_raw_frame frames[DEPTH])
{
    for (unsigned i = 0; i < DEPTH; i++)
        frames[i] = (struct trace_raw_frame){(context >> i) * 0x9e3779b97f4a7c15ULL % FUNCTIONS, 0};
}

static void append(struct trace_writer *writer, struct trace_stream *stream, uint64_t time)
{
    struct trace_raw_frame first[DEPTH], second[DEPTH];
    double share = (double)(draw() >> 11) / 9007199254740992.0;
    uint64_t pair = (uint64_t)(PAIRS * pow(share, 3)), waste = pair % 3;
    uint64_t values[TRAP_START + 1] = {[TRAP_TIME] = time,
                                       [TRAP_WASTE] = waste,
                                       [TRAP_WASTED] = draw() % 100 < pair % 100,
                                       [TRAP_BYTES] = UINT64_C(1) << pair % 4,
                                       [TRAP_SECOND_BYTES] = UINT64_C(1) << pair % 4,
                                       [TRAP_WEIGHT] = 1 + draw() % 4,
                                       [TRAP_REGISTER] = 1 + draw() % 4};
    make_stack(2 * pair, first);
    make_stack(2 * pair + 1, second);
    const struct trace_stack stacks[] = {{TRAP_FIRST, first, DEPTH}, {TRAP_SECOND, second, DEPTH}};
    while (!trace_append_stacks(stream, TRACE_TRAP, values, TRAP_START + 1, stacks, 2))
        if ((errno = trace_drain(writer, false)) != 0)
            fail("trace_drain");
}

int main(int argc, char **argv)
{
    const struct trace_writer_options options = {.manual = true, .describe = describe};
    struct trace_writer *writer;
    struct trace_stream *stream;
    errno = EINVAL;
    if (argc != 3)
        fail("usage: traps FILE COUNT");
    json_t *metadata = json_pack("{s:s, s:s, s:s}", "mode", "dead-store", "engine", "soft", "clock", "random");
    if ((errno = trace_create(argv[1], metadata, &options, &writer)) != 0)
        fail(argv[1]);
    json_decref(metadata);
    if ((errno = trace_stream_open(writer, 100, "main", ROLE_NATIVE, &stream)) != 0)
        fail(argv[1]);
    uint64_t count = strtoull(argv[2], NULL, 10);
    for (uint64_t i = 0; i < count; i++) {
        append(writer, stream, 1000000 * i);
        if (i % DRAIN_EVERY == 0 && (errno = trace_drain(writer, false)) != 0)
            fail(argv[1]);
    }
    if ((errno = trace_finish(writer)) != 0)
        fail(argv[1]);
    return 0;
}
