/* Contexts as texts. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/names/method_name.h"
#include "analyze/waste/waste.h"

#define UNKNOWN "[unknown]"

void waste_frame_text(const struct trace_names *names, uint32_t frame, char *text, size_t size)
{
    const struct trace_frame *source = &names->frames[frame];
    method_name(&names->methods[source->method], text);
    size_t length = strlen(text);
    if (source->line > 0)
        snprintf(text + length, size - length, ":%" PRIu32, source->line);
    else if (source->module > 0 && source->position >= 0)
        snprintf(text + length, size - length, "@0x%" PRIx64, (uint64_t)source->position);
}

bool waste_frame_file(const struct trace_method *method, char *text, size_t size)
{
    const char *dot = strrchr(method->class_name, '.');
    bool packaged = dot && !strchr(method->file, '/');
    if (!*method->file)
        return false;
    int folder = packaged ? (int)(dot + 1 - method->class_name) : 0;
    snprintf(text, size, "%.*s%s", folder, method->class_name, method->file);
    for (int i = 0; i < folder && (size_t)i + 1 < size; i++)
        if (text[i] == '.')
            text[i] = '/';
    return true;
}

static const char *waste_node_frame(const struct waste *waste, uint32_t node)
{
    return waste_text(waste, waste_node_at(waste, node)->text);
}

/* ------------------------------------------------------------------------------------------ in full -- */

char *waste_chain(const struct waste *waste, uint32_t node)
{
    if (node == 0)
        return strdup(UNKNOWN);
    size_t end = 0;
    for (uint32_t at = node; at; at = waste_node_at(waste, at)->parent)
        end += strlen(waste_node_frame(waste, at)) + 3;
    end -= 3; /* no separator before the outermost */
    char *text = malloc(end + 1);
    if (!text)
        return NULL;
    text[end] = '\0';
    for (uint32_t at = node; at; at = waste_node_at(waste, at)->parent) {
        const char *frame = waste_node_frame(waste, at);
        end -= strlen(frame);
        memcpy(text + end, frame, strlen(frame));
        if (end > 0)
            memcpy(text + (end -= 3), " > ", 3);
    }
    assert(end == 0);
    return text;
}

/* ------------------------------------------------------------------------------------------ in brief -- */

enum { BRIEF_FRAMES = 3, HEAD = 28, TAIL = 16 };

static bool waste_is_inside_character(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

size_t waste_brief_frame(const char *frame, char *text, size_t size)
{
    size_t length = strlen(frame), head = length, tail = length;
    bool cut = length > HEAD + TAIL + 3; /* the line at the end tells long names apart */
    if (cut) {
        head = HEAD;
        tail = length - TAIL;
        while (head > 0 && waste_is_inside_character(frame[head]))
            head--;
        while (waste_is_inside_character(frame[tail]))
            tail++;
    }
    snprintf(text, size, "%.*s%s%s", (int)head, frame, cut ? "…" : "", frame + tail);
    return strlen(text);
}

void waste_brief(const struct waste *waste, uint32_t node, char text[WASTE_BRIEF_MAX])
{
    uint32_t path[BRIEF_FRAMES], at = node;
    size_t count = 0;
    for (; at && count < BRIEF_FRAMES; at = waste_node_at(waste, at)->parent)
        path[count++] = at;
    snprintf(text, WASTE_BRIEF_MAX, "%s", node == 0 ? UNKNOWN : at ? "… > " : "");
    size_t used = strlen(text);
    while (count-- > 0) {
        used += waste_brief_frame(waste_node_frame(waste, path[count]), text + used, WASTE_BRIEF_MAX - used);
        if (count > 0)
            used += (size_t)snprintf(text + used, WASTE_BRIEF_MAX - used, " > ");
    }
}

/* ------------------------------------------------------------------------------------------ in order -- */

static uint32_t waste_node_depth(const struct waste *waste, uint32_t node)
{
    uint32_t depth = 0;
    for (; node; node = waste_node_at(waste, node)->parent)
        depth++;
    return depth;
}

static uint32_t waste_lift_node(const struct waste *waste, uint32_t node, uint32_t levels)
{
    while (levels-- > 0)
        node = waste_node_at(waste, node)->parent;
    return node;
}

/* Going from the inside out, the last difference is the outermost. */
int waste_compare(const struct waste *waste, uint32_t a, uint32_t b)
{
    uint32_t depth_a = waste_node_depth(waste, a), depth_b = waste_node_depth(waste, b);
    uint32_t depth = depth_a < depth_b ? depth_a : depth_b;
    int order = depth_a < depth_b ? -1 : depth_a > depth_b;
    a = waste_lift_node(waste, a, depth_a - depth);
    b = waste_lift_node(waste, b, depth_b - depth);
    while (a != b) {
        if (waste_node_at(waste, a)->text != waste_node_at(waste, b)->text)
            order = strcmp(waste_node_frame(waste, a), waste_node_frame(waste, b));
        a = waste_node_at(waste, a)->parent;
        b = waste_node_at(waste, b)->parent;
    }
    return order;
}
