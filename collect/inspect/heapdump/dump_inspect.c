#include "collect/inspect/heapdump/dump_inspect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "collect/inspect/heapdump/dump_arguments.h"
#include "collect/inspect/heapdump/object_layout.h"
#include "collect/inspect/inspection/inspection_trace.h"

/* What is needed for all methods, and what became of them. */
struct session {
    const struct dump_inspect_options *options;
    struct heap_dump dump;
    struct class_path path;
    struct dump_types types;
    struct object_layout layout;
    struct dump_targets targets;
    struct dump_choices choices;
    uint8_t *seen; /* classes whose layout is counted */
    uint64_t inspected, entries, from_stacks;
    uint64_t sources[SOURCE_KINDS], ends[INTERPRETER_ENDS], layouts[LAYOUT_CHECKS];
};

/* ------------------------------------------------------------------------------------------ entries -- */

/* An inspection that may be written, and how its arguments were got. */
struct attempt {
    struct inspection *inspection; /* NULL: none */
    uint64_t score;                /* loads with addresses, those of more iterations first */
    uint64_t sources[SOURCE_KINDS];
};

/* Keeps the best `best_count` attempts, in descending order; frees the one that is not kept. */
static void dump_inspect_keep_best(struct attempt *best, uint64_t best_count, struct attempt attempt)
{
    for (uint64_t i = 0; i < best_count; i++)
        if (!best[i].inspection || attempt.score > best[i].score) {
            struct attempt worse = best[i];
            best[i] = attempt;
            attempt = worse;
            if (!attempt.inspection)
                return;
        }
    inspection_free(attempt.inspection);
}

/* Tries all choices of a frame's, or of no frame's, entry; false without memory. */
static bool dump_inspect_try_choices(struct session *session, struct dump_heap *heap, const struct dump_target *target,
                                     const struct dump_frame *frame, struct attempt *best, uint64_t best_count)
{
    const struct heap_dump *dump = &session->dump;
    uint32_t choices = 1;
    for (uint32_t which = 0; which < choices; which++) {
        struct attempt attempt = {.inspection = NULL};
        /* Inspects one entry with one choice. */
        char thread[256];
        struct value *locals = calloc((size_t)target->method->local_count + 1, sizeof *locals);
        snprintf(thread, sizeof thread, frame ? "thread %u" : "heap dump", frame ? frame->thread : 0);
        for (size_t i = 0; frame && i < dump->thread_count; i++) {
            struct hprof_item item; /* the dump has the object of the thread */
            if (dump->threads[i].thread == frame->thread && heap_dump_object(dump, dump->threads[i].id, &item))
                heap_dump_string(dump, heap_dump_reference(dump, &item, "java/lang/Thread", "name"), thread,
                                 sizeof thread);
        }
        attempt.inspection = locals ? inspection_new(&target->about, frame ? frame->thread : 0, thread) : NULL;
        if (attempt.inspection) {
            dump_heap_reset(heap);
            choices = dump_arguments_fill(&session->choices, heap, target, frame, which, locals, attempt.sources);
            inspection_run(attempt.inspection, &heap->heap, locals, (uint32_t)session->options->iterations);
            uint64_t iterations = 0, events = 0;
            for (uint32_t i = 0; i < attempt.inspection->method->code.flow->loop_count; i++) {
                iterations += attempt.inspection->records[i].iterations;
                events += attempt.inspection->records[i].event_count;
            }
            attempt.score = iterations << 32 | (events < UINT32_MAX ? events : UINT32_MAX);
            dump_heap_count_layouts(heap, session->seen, session->layouts);
        }
        free(locals);
        if (!attempt.inspection)
            return false;
        dump_inspect_keep_best(best, best_count, attempt);
    }
    return true;
}

/* 0 or an errno value. */
static int dump_inspect_write_attempts(struct session *session, struct attempt *attempts, uint64_t count)
{
    int error = 0;
    for (uint64_t i = 0; i < count && attempts[i].inspection; i++) {
        const struct inspection *inspection = attempts[i].inspection;
        if (!error)
            error = inspection_trace_add(inspection);
        session->entries++;
        for (size_t kind = 0; kind < SOURCE_KINDS; kind++)
            session->sources[kind] += attempts[i].sources[kind];
        for (uint32_t loop = 0; loop < inspection->method->code.flow->loop_count; loop++)
            session->ends[inspection->records[loop].end]++;
        inspection_free(attempts[i].inspection);
        attempts[i].inspection = NULL;
    }
    return error;
}

/* First the entries that the stacks have, then others with chosen arguments. */
static int dump_inspect_target(struct session *session, const struct dump_target *target)
{
    uint64_t left = session->options->entries, before = session->entries;
    struct dump_heap heap;
    struct attempt *best = calloc(left, sizeof *best);
    int error =
        best && dump_heap_init(&heap, &session->types, &session->layout, target->file, target->class) ? 0 : ENOMEM;
    if (error) {
        free(best);
        return error;
    }
    for (size_t i = 0; !error && i < target->frame_count && left > 0; i++, left--) {
        error = dump_inspect_try_choices(session, &heap, target, &target->frames[i], best, 1)
                    ? dump_inspect_write_attempts(session, best, 1)
                    : ENOMEM;
        session->from_stacks++;
    }
    if (!error && left > 0)
        error = dump_inspect_try_choices(session, &heap, target, NULL, best, left)
                    ? dump_inspect_write_attempts(session, best, left)
                    : ENOMEM;
    session->inspected += session->entries > before;
    for (uint64_t i = 0; i < session->options->entries; i++)
        inspection_free(best[i].inspection);
    free(best);
    dump_heap_free(&heap);
    return error;
}

/* ------------------------------------------------------------------------------------------ metadata -- */

static json_t *dump_inspect_describe_dump(const struct session *session)
{
    static const char *const CHECKS[LAYOUT_CHECKS] = {
        [LAYOUT_CONFIRMED] = "confirmed", [LAYOUT_LOOSE] = "unconfirmed", [LAYOUT_CONTRADICTED] = "contradicted"};
    const struct object_layout *layout = &session->layout;
    json_t *about = json_pack(
        "{s:o, s:I, s:I, s:I, s:I}", "file", text_json(session->options->dump, strlen(session->options->dump)), "bytes",
        (json_int_t)session->dump.file.size, "time_ms", (json_int_t)session->dump.file.time_ms, "objects",
        (json_int_t)session->dump.objects.count, "classes", (json_int_t)session->dump.class_count);
    json_t *checks = json_object();
    for (size_t i = 0; i < LAYOUT_CHECKS; i++)
        json_object_set_new(checks, CHECKS[i], json_integer((json_int_t)session->layouts[i]));
    json_object_set_new(about, "layout",
                        json_pack("{s:b, s:I, s:I, s:I, s:I, s:b, s:o}", "known", layout->known, "java",
                                  (json_int_t)layout->java, "header_bytes", (json_int_t)layout->header,
                                  "reference_bytes", (json_int_t)layout->arrays.reference_bytes, "alignment",
                                  (json_int_t)layout->alignment, "statics_known", layout->statics_known, "classes",
                                  checks));
    return about;
}

static json_t *dump_inspect_describe(const struct session *session)
{
    const struct dump_inspect_options *options = session->options;
    json_t *sources = json_object(), *ends = json_object();
    for (unsigned i = 0; i < SOURCE_KINDS; i++)
        json_object_set_new(sources, dump_source_name((enum dump_source)i),
                            json_integer((json_int_t)session->sources[i]));
    for (unsigned i = 0; i < INTERPRETER_ENDS; i++)
        json_object_set_new(ends, interpreter_end_name((enum interpreter_end)i),
                            json_integer((json_int_t)session->ends[i]));
    json_t *about = json_pack("{s:I, s:I, s:I}", "iterations", (json_int_t)options->iterations, "entries_max",
                              (json_int_t)options->entries, "methods_max", (json_int_t)options->methods_max);
    json_object_set_new(about, "methods",
                        json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "methods with loops",
                                  (json_int_t)session->targets.found + (json_int_t)session->targets.unreadable,
                                  "inspected", (json_int_t)session->inspected, "beyond the limit",
                                  (json_int_t)(session->targets.found - session->targets.count), "unreadable",
                                  (json_int_t)session->targets.unreadable, "classes not loaded",
                                  (json_int_t)session->targets.not_loaded, "class files not valid",
                                  (json_int_t)session->targets.invalid));
    json_object_set_new(about, "entries",
                        json_pack("{s:I, s:I}", "inspections", (json_int_t)session->entries, "on stacks",
                                  (json_int_t)session->from_stacks));
    json_object_set_new(about, "arguments", sources);
    json_object_set_new(about, "loops", ends);
    json_object_set_new(about, "heap_dump", dump_inspect_describe_dump(session));
    return about;
}

/* ------------------------------------------------------------------------------------------ all of it -- */

/* What all methods need. 0 or ENOMEM. */
static int dump_inspect_prepare(struct session *session)
{
    const struct dump_inspect_options *options = session->options;
    session->types = (struct dump_types){&session->dump, &session->path};
    session->seen = calloc((size_t)session->dump.class_count + 1, 1);
    int error = session->seen ? object_layout_init(&session->layout, &session->dump) : ENOMEM;
    if (!error)
        error = dump_targets_find(&session->targets, &session->dump, &session->path, options->methods,
                                  options->method_count, options->methods_max);
    if (!error)
        error = dump_choices_find(&session->choices, &session->types, &session->targets, &options->progress);
    return error;
}

static int dump_inspect_all(struct session *session, json_t *metadata)
{
    int error = inspection_trace_open(session->options->trace, metadata);
    if (error)
        return error;
    for (size_t i = 0; !error && i < session->targets.count; i++) {
        if (session->options->progress.report)
            session->options->progress.report(session->options->progress.user, "inspecting", i, session->targets.count);
        error = dump_inspect_target(session, &session->targets.all[i]);
    }
    json_object_set_new(metadata, "inspect", dump_inspect_describe(session));
    int described = inspection_trace_describe(metadata), closed = inspection_trace_close();
    return error ? error : described ? described : closed;
}

int dump_inspect(const struct dump_inspect_options *options, json_t **about, struct error_text *message)
{
    struct session session = {.options = options};
    struct error_text damage = {.text = ""};
    *about = NULL;
    int status = STATUS_GOOD, whole = STATUS_GOOD;
    for (size_t i = 0; status == STATUS_GOOD && i < options->class_count; i++)
        status = class_path_add(&session.path, options->classes[i], message);
    if (status == STATUS_GOOD) {
        whole = heap_dump_open(&session.dump, options->dump, &options->progress, &damage);
        error_prefix(&damage, options->dump);
        status = session.dump.file.bytes ? STATUS_GOOD : STATUS_BAD;
        if (whole != STATUS_GOOD)
            *message = damage;
    }
    if (status == STATUS_GOOD) {
        int error = dump_inspect_prepare(&session);
        json_t *metadata = error
                               ? NULL
                               : json_pack("{s:s, s:s, s:b, s:s, s:o}", "mode", "inspect", "collector", "jvm", "values",
                                           1, "access_order", "thread", "inspect", dump_inspect_describe(&session));
        error = error ? error : metadata ? dump_inspect_all(&session, metadata) : ENOMEM;
        if (error)
            status = error_set(message, STATUS_BAD, "%s: %s", options->trace, strerror(error));
        else
            *about = json_incref(json_object_get(metadata, "inspect"));
        json_decref(metadata);
    }
    dump_choices_free(&session.choices);
    dump_targets_free(&session.targets);
    if (session.layout.dump)
        object_layout_free(&session.layout);
    free(session.seen);
    class_path_free(&session.path);
    if (session.dump.file.bytes)
        heap_dump_close(&session.dump);
    return status == STATUS_GOOD ? whole : status;
}
