#include "collect/inspect/heapdump/dump_targets.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* ------------------------------------------------------------------------------------------ stacks -- */

static int dump_targets_compare_texts(const struct constants_text *a, const struct constants_text *b)
{
    size_t shorter = a->length < b->length ? a->length : b->length;
    int order = shorter ? memcmp(a->text, b->text, shorter) : 0;
    return order ? order : a->length < b->length ? -1 : a->length > b->length;
}

static int dump_targets_compare_methods(const struct dump_frame *a, const struct dump_frame *b)
{
    if (a->class != b->class)
        return a->class < b->class ? -1 : 1;
    int order = dump_targets_compare_texts(&a->name, &b->name);
    return order ? order : dump_targets_compare_texts(&a->descriptor, &b->descriptor);
}

static int dump_targets_compare_frames(const void *left, const void *right)
{
    const struct dump_frame *a = left, *b = right;
    int order = dump_targets_compare_methods(a, b);
    if (order)
        return order;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return a->depth < b->depth ? -1 : a->depth > b->depth;
}

static int dump_targets_compare_ids(const void *left, const void *right)
{
    const struct heap_dump_frame *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

static int dump_targets_list_frames(struct dump_targets *targets, const struct heap_dump *dump)
{
    size_t most = 0;
    for (size_t i = 0; i < dump->trace_count; i++)
        most += dump->traces[i].frame_count;
    struct dump_frame *end = targets->frames = calloc(most + 1, sizeof *targets->frames);
    if (!end)
        return ENOMEM;
    if (dump->frame_count)
        qsort(dump->frames, dump->frame_count, sizeof *dump->frames, dump_targets_compare_ids);
    for (size_t i = 0; i < dump->trace_count; i++) {
        const struct heap_dump_trace *trace = &dump->traces[i];
        for (uint32_t depth = 0; depth < trace->frame_count; depth++) {
            uint64_t id = hprof_id(&dump->file, trace->frames + (size_t)depth * dump->file.id_bytes);
            const struct heap_dump_frame *frame = bsearch(&(struct heap_dump_frame){.id = id}, dump->frames,
                                                          dump->frame_count, sizeof *frame, dump_targets_compare_ids);
            uint32_t class = frame ? heap_dump_class_of_serial(dump, frame->class_serial) : 0;
            if (class)
                *end++ = (struct dump_frame){.class = class,
                                             .name = heap_dump_text(dump, frame->method),
                                             .descriptor = heap_dump_text(dump, frame->descriptor),
                                             .thread = trace->thread,
                                             .depth = depth};
        }
    }
    targets->frame_count = (size_t)(end - targets->frames);
    qsort(targets->frames, targets->frame_count, sizeof *targets->frames, dump_targets_compare_frames);
    return 0;
}

/* ------------------------------------------------------------------------------------------ methods -- */

/* A terminated copy, with dots for slashes if it names a class. */
static char *dump_targets_copy_text(const struct constants_text *text, bool is_class)
{
    char *copy = strndup(text->text ? text->text : "", text->length);
    for (char *c = copy; is_class && c && *c; c++)
        *c = *c == '/' ? '.' : *c;
    return copy;
}

/* Whether a pattern matches the method, or there are none. False without memory. */
static bool dump_targets_match(const struct class_file *file, const struct class_method *method, char *const *patterns,
                               size_t count, bool *matches)
{
    char *class = dump_targets_copy_text(&file->name, true), *name = NULL;
    *matches = count == 0;
    if (class && asprintf(&name, "%s.%.*s", class, (int)method->name.length, method->name.text) < 0)
        name = NULL;
    const char *package = name ? strrchr(class, '.') : NULL, *simple = package ? name + (package + 1 - class) : name;
    for (size_t i = 0; name && i < count && !*matches; i++)
        *matches = fnmatch(patterns[i], name, 0) == 0 || fnmatch(patterns[i], simple, 0) == 0;
    bool good = name != NULL;
    free(class);
    free(name);
    return good;
}

static bool dump_target_describe(struct dump_target *target)
{
    const struct class_method *method = target->method;
    const struct constants_text *const of[] = {&target->file->name, &method->name, &method->descriptor,
                                               &target->file->source};
    bool good = true;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        good = (target->texts[i] = dump_targets_copy_text(of[i], i == 0)) != NULL && good;
    target->lines = calloc((size_t)method->line_count + 1, sizeof *target->lines);
    for (uint32_t i = 0; target->lines && i < method->line_count; i++) {
        const uint8_t *line = method->lines + 4 * (size_t)i;
        target->lines[i] =
            (struct inspection_line){(uint32_t)cursor_number(line, 2), (uint32_t)cursor_number(line + 2, 2)};
    }
    return good && target->lines;
}

static void dump_target_free(struct dump_target *target)
{
    flow_free(&target->flow);
    for (size_t i = 0; i < sizeof target->texts / sizeof *target->texts; i++)
        free(target->texts[i]);
    free(target->lines);
}

/* Adds the method if it has a loop. False without memory. */
static bool dump_targets_add_method(struct dump_targets *targets, struct dump_target target)
{
    enum flow_status status = flow_find(&target.flow, target.method->code, target.method->bytes);
    targets->unreadable += status == FLOW_INVALID || status == FLOW_SUBROUTINE;
    if (status != FLOW_FOUND || target.flow.loop_count == 0) {
        flow_free(&target.flow);
        return status != FLOW_NO_MEMORY;
    }
    /* The frames that are in the method. */
    const struct dump_frame wanted = {
        .class = target.class, .name = target.method->name, .descriptor = target.method->descriptor};
    size_t low = 0, high = targets->frame_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (dump_targets_compare_methods(&targets->frames[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    target.frames = targets->frames + low;
    while (low + target.frame_count < targets->frame_count &&
           dump_targets_compare_methods(&target.frames[target.frame_count], &wanted) == 0)
        target.frame_count++;
    struct dump_target *grown = dump_target_describe(&target)
                                    ? grow_unset(targets->all, &targets->capacity, targets->count, sizeof *grown)
                                    : NULL;
    if (!grown) {
        dump_target_free(&target);
        return false;
    }
    targets->all = grown;
    grown[targets->count++] = target;
    return true;
}

static int dump_targets_compare(const void *left, const void *right)
{
    const struct dump_target *a = left, *b = right;
    if ((a->frame_count > 0) != (b->frame_count > 0))
        return a->frame_count > 0 ? -1 : 1;
    int order = dump_targets_compare_texts(&a->file->name, &b->file->name);
    return order ? order : a->method < b->method ? -1 : a->method > b->method;
}

int dump_targets_find(struct dump_targets *targets, const struct heap_dump *dump, struct class_path *path,
                      char *const *patterns, size_t pattern_count, uint64_t most)
{
    *targets = (struct dump_targets){.count = 0};
    int error = dump_targets_list_frames(targets, dump);
    for (uint32_t number = 1; !error && number <= path->count; number++) {
        const char *name = class_path_name(path, number);
        /* The first class with this name that the dump describes counts. */
        uint32_t class = heap_dump_class_named(dump, name, strlen(name));
        while (class && !dump->classes[class].described)
            class = dump->classes[class].same;
        const struct class_file *file = class ? class_path_find(path, name, strlen(name)) : NULL;
        targets->not_loaded += !class;
        targets->invalid += class && !file;
        for (uint32_t i = 0; file && !error && i < file->method_count; i++) {
            const struct dump_target target = {.file = file, .method = &file->methods[i], .class = class};
            bool wanted = target.method->code != NULL;
            if ((wanted && !dump_targets_match(file, target.method, patterns, pattern_count, &wanted)) ||
                (wanted && !dump_targets_add_method(targets, target)))
                error = ENOMEM;
        }
    }
    if (targets->count)
        qsort(targets->all, targets->count, sizeof *targets->all, dump_targets_compare);
    targets->found = targets->count;
    while (targets->count > most)
        dump_target_free(&targets->all[--targets->count]);
    for (size_t i = 0; i < targets->count; i++) { /* it points into the target, which has its place now */
        struct dump_target *target = &targets->all[i];
        target->about = (struct inspection_method){.class_name = target->texts[0],
                                                   .name = target->texts[1],
                                                   .descriptor = target->texts[2],
                                                   .file = target->texts[3],
                                                   .lines = target->lines,
                                                   .line_count = target->method->line_count,
                                                   .code = {.code = target->method->code,
                                                            .bytes = target->method->bytes,
                                                            .local_count = target->method->local_count,
                                                            .flow = &target->flow,
                                                            .constants = &target->file->constants}};
    }
    if (error)
        dump_targets_free(targets);
    return error;
}

void dump_targets_free(struct dump_targets *targets)
{
    for (size_t i = 0; i < targets->count; i++)
        dump_target_free(&targets->all[i]);
    free(targets->all);
    free(targets->frames);
    *targets = (struct dump_targets){.count = 0};
}
