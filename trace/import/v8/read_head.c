/*
 * Profiles of V8 that are one tree, `head`, whose nodes contain their children: the CPU profiles of Chrome before 58
 * and of node's v8-profiler (hitCount; times in seconds and µs), and sampled heaps, .heapprofile (selfSize). Source:
 * Chrome DevTools Protocol 1.1, domain Profiler, types CPUProfile and CPUProfileNode; domain HeapProfiler, type
 * SamplingHeapProfile.
 *
 * A sample counts as one; without a list of samples, which was optional, a node counts as often as it was hit, at no
 * known time. In a heap a node counts for the bytes that it has allocated and that were not freed.
 */
#include <inttypes.h>
#include <string.h>

#include "trace/import/idmap.h"
#include "trace/import/json.h"
#include "trace/import/reading.h"
#include "trace/import/spooled.h"
#include "trace/import/stack.h"
#include "base/grow.h"
#include "base/text_set.h"

enum state { ROOT = JSON_ROOT, SAMPLES, TIMES, NODE, CALL_FRAME, CHILDREN };

struct node {
    uint32_t parent, frame; /* parent: an index from 1; 0: the root */
    uint32_t name, url;     /* texts, until the frame is known */
    uint64_t line, weight;
};

struct head {
    struct reading *reading;
    struct node *nodes; /* from 1 */
    uint32_t count, open;
    size_t capacity;
    struct idmap ids;
    uint32_t *of_id; /* [ids]: the node */
    size_t id_capacity;
    struct text_set texts;
    struct spooled samples, times;
    struct stack stack;
    bool heap;
};

static bool v8_head_begin_node(struct head *head)
{
    struct node *nodes = grow_unset(head->nodes, &head->capacity, head->count + 1, sizeof *nodes);
    uint32_t empty = text_set_add(&head->texts, "");
    if (!nodes || empty == TEXT_SET_FULL)
        return false;
    head->nodes = nodes;
    nodes[++head->count] = (struct node){.parent = head->open, .name = empty, .url = empty};
    head->open = head->count;
    return true;
}

static int v8_head_enter(void *user, int state, const char *key, bool array)
{
    struct head *head = user;
    if (state == CHILDREN || (state == ROOT && key && strcmp(key, "head") == 0))
        return !array && v8_head_begin_node(head) ? NODE : JSON_OTHER;
    if (state == NODE && key && strcmp(key, "children") == 0)
        return CHILDREN;
    if (state == NODE && key && strcmp(key, "callFrame") == 0)
        return CALL_FRAME;
    if (state != ROOT || !key || !array)
        return JSON_OTHER;
    int inside = strcmp(key, "samples") == 0 ? SAMPLES : strcmp(key, "timestamps") == 0 ? TIMES : JSON_OTHER;
    if (inside != JSON_OTHER) /* of a list that is given twice the last one counts, as in JavaScript */
        spooled_free(inside == SAMPLES ? &head->samples : &head->times);
    return inside;
}

/* Lines of nodes count from 1, those of call frames from 0. */
static bool v8_head_read_node(struct head *head, int state, const char *key, const struct json_value *value)
{
    struct node *node = &head->nodes[head->open];
    if (value->type == VALUE_TEXT && (strcmp(key, "functionName") == 0 || strcmp(key, "url") == 0)) {
        uint32_t text = text_set_add(&head->texts, value->text);
        *(*key == 'u' ? &node->url : &node->name) = text;
        return text != TEXT_SET_FULL;
    }
    if (value->type != VALUE_NUMBER || value->integer < 0)
        return true;
    uint64_t number = (uint64_t)value->integer;
    if (strcmp(key, "lineNumber") == 0)
        node->line = number + (state == CALL_FRAME);
    else if (strcmp(key, "hitCount") == 0)
        node->weight = number;
    else if (strcmp(key, "selfSize") == 0)
        node->weight = number;
    else if (strcmp(key, "id") == 0) {
        uint32_t index = idmap_add(&head->ids, number);
        uint32_t *of_id = index ? grow(head->of_id, &head->id_capacity, index, sizeof *of_id) : NULL;
        if (!of_id)
            return false;
        head->of_id = of_id;
        of_id[index] = head->open;
        return true;
    }
    head->heap |= strcmp(key, "selfSize") == 0;
    return true;
}

static bool v8_head_value(void *user, int state, const char *key, uint64_t index, const struct json_value *value)
{
    struct head *head = user;
    (void)index;
    if (state == NODE || state == CALL_FRAME)
        return head->open == 0 || v8_head_read_node(head, state, key, value);
    if (state == SAMPLES || state == TIMES)
        return spooled_add_number(state == SAMPLES ? &head->samples : &head->times,
                                  (struct spooled_number){value->integer, value->real, value->whole});
    return true;
}

static bool v8_head_leave(void *user, int state)
{
    struct head *head = user;
    if (state != NODE || head->open == 0)
        return true;
    struct node *node = &head->nodes[head->open];
    char *const *texts = head->texts.texts;
    node->frame = sink_add_frame(head->reading->sink,
                                 &(struct sink_frame){.method = *texts[node->name] ? texts[node->name] : "(anonymous)",
                                                      .file = texts[node->url],
                                                      .line = node->line,
                                                      .position = -1});
    head->open = node->parent;
    return node->frame != 0 || !sink_has_failed(head->reading->sink);
}

/* ------------------------------------------------------------------------------------------ samples -- */

/* The frames from a node to the root, which is above every stack; those of nodes that were cut are not known. */
static bool v8_head_pass_sample(struct head *head, uint32_t node, struct sink_sample *sample)
{
    head->stack.depth = 0;
    for (uint32_t at = node; at; at = head->nodes[at].parent)
        if (head->nodes[at].frame && (at == node || head->nodes[at].parent) &&
            !stack_push(&head->stack, head->nodes[at].frame))
            return false;
    sample->frames = head->stack.frames;
    sample->depth = head->stack.depth;
    sink_add_sample(head->reading->sink, sample);
    return true;
}

static bool v8_head_pass_nodes(struct head *head, struct sink_sample *sample)
{
    for (uint32_t node = 1; node <= head->count; node++) {
        sample->weight = head->nodes[node].weight;
        if (sample->weight > 0 && !v8_head_pass_sample(head, node, sample))
            return false;
    }
    return true;
}

static bool v8_head_pass_samples(struct head *head, struct sink_sample *sample)
{
    struct spooled_number id, time;
    sample->weight = 1;
    while (!sink_has_failed(head->reading->sink) && spooled_next_number(&head->samples, &id)) {
        uint32_t index = idmap_find(&head->ids, (uint64_t)id.integer);
        bool timed = spooled_next_number(&head->times, &time) && time.real > 0 && time.real < 9e15;
        sample->time_ns = timed ? (uint64_t)(time.real * 1e3) : 0;
        if (!index)
            reading_report_bad(head->reading, "node %" PRId64 " was sampled but is not defined", id.integer);
        if (!v8_head_pass_sample(head, index ? head->of_id[index] : 0, sample))
            return false;
    }
    return true;
}

static int read_v8_head(struct reading *reading, struct error_text *message)
{
    static const struct json_format format = {
        .on_enter = v8_head_enter, .on_value = v8_head_value, .on_leave = v8_head_leave};
    struct head head = {.reading = reading};
    struct sink *sink = reading->sink;
    int status = json_parse_stream(reading->source, &format, &head, message);

    const bool listed = !head.heap && head.samples.number_count > 0;
    const bool timed = listed && head.times.number_count == head.samples.number_count;
    if (listed && !timed && head.times.number_count > 0)
        reading_report_bad(reading, "%" PRIu64 " samples and %" PRIu64 " times", head.samples.number_count,
                           head.times.number_count);
    if (!timed)
        spooled_free(&head.times);
    const char *unit = head.heap ? "bytes" : "samples", *why = NULL;
    sink_set_origin(sink, head.heap ? "heapprofile" : "cpuprofile", "V8", NULL);
    struct sink_sample sample = {
        .profile = sink_open_profile(
            sink, &(struct sink_profile){.name = unit,
                                         .unit = unit,
                                         .unknown = UNKNOWN_PERIOD | UNKNOWN_THREADS | (timed ? 0 : UNKNOWN_TIMES)}),
        .thread = sink_add_thread(sink, 0, "")};
    if (!spooled_rewind(&head.samples) || !spooled_rewind(&head.times))
        why = "a temporary file cannot be read";
    else if (!(listed ? v8_head_pass_samples : v8_head_pass_nodes)(&head, &sample))
        why = "out of memory";
    if (!status && why)
        status = error_set(message, STATUS_BAD, "%s", why);
    spooled_free(&head.samples);
    spooled_free(&head.times);
    stack_free(&head.stack);
    idmap_free(&head.ids);
    text_set_free(&head.texts);
    free(head.nodes);
    free(head.of_id);
    return status;
}

static bool v8_head_is_in(const unsigned char *bytes, size_t length, const char *weight)
{
    return json_recognize(bytes, length) && memmem(bytes, length, "\"head\"", 6) &&
           !memmem(bytes, length, "\"nodes\"", 7) && memmem(bytes, length, "\"functionName\"", 14) &&
           memmem(bytes, length, weight, strlen(weight));
}

static bool v8_head_recognize_cpu(const unsigned char *bytes, size_t length)
{
    return v8_head_is_in(bytes, length, "\"hitCount\"");
}

static bool v8_head_recognize_heap(const unsigned char *bytes, size_t length)
{
    return v8_head_is_in(bytes, length, "\"selfSize\"");
}

const struct profile_format format_cpuprofile_old = {"cpuprofile", v8_head_recognize_cpu, read_v8_head};
const struct profile_format format_heapprofile = {"heapprofile", v8_head_recognize_heap, read_v8_head};
