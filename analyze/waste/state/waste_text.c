/* Contexts as texts. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/names/method_name.h"
#include "analyze/waste/state/waste.h"

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

#define OMITTED "… > "
enum { BRIEF_WIDTH = 60, FRAME_WIDTH = 48, OMITTED_WIDTH = 4, ARROW_WIDTH = 3 };

static bool waste_is_inside_character(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

static size_t waste_text_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += !waste_is_inside_character(*text);
    return width;
}

/* The number of bytes of the first `width` characters. */
static size_t waste_text_head(const char *text, size_t width)
{
    size_t length = 0;
    for (; text[length]; length++)
        if (!waste_is_inside_character(text[length]) && width-- == 0)
            break;
    return length;
}

size_t waste_fit_text(const char *text, size_t width, char *fitted, size_t size)
{
    size_t all = waste_text_width(text), head = strlen(text), tail = head;
    bool cut = all > width;
    if (cut) {
        size_t left = width > 1 ? (width - 1) * 5 / 8 : 0, right = width > 1 ? width - 1 - left : 0;
        head = waste_text_head(text, left);
        tail = waste_text_head(text, all - right); /* the line at the end tells long names apart */
    }
    int length = snprintf(fitted, size, "%.*s%s%s", (int)head, text, cut ? "…" : "", text + tail);
    return length < 0 ? 0 : (size_t)length < size ? (size_t)length : size - 1;
}

size_t waste_brief_frame(const char *frame, char *text, size_t size)
{
    return waste_fit_text(frame, FRAME_WIDTH, text, size);
}

/* The outermost frame of the program's own code, as its start-up code says nothing. */
static uint32_t waste_outermost(const struct waste *waste, uint32_t node)
{
    uint32_t outermost = 0, last = node;
    for (uint32_t at = node; at; at = waste_node_at(waste, at)->parent) {
        const char *frame = waste_node_frame(waste, at);
        bool starts = strncmp(frame, "_start", 6) == 0 && (frame[6] == '@' || frame[6] == ':' || frame[6] == '\0');
        if (!waste_node_at(waste, at)->is_runtime && !starts)
            outermost = at;
        last = at;
    }
    return outermost ? outermost : last;
}

/* Appends frames from `from` in to `node`, joined by " > ". */
static size_t waste_append_frames(const struct waste *waste, uint32_t node, size_t count, size_t width, char *text,
                                  size_t used)
{
    for (; count > 0; count--) {
        uint32_t at = node;
        for (size_t up = 1; up < count; up++)
            at = waste_node_at(waste, at)->parent;
        used += waste_fit_text(waste_node_frame(waste, at), width, text + used, WASTE_BRIEF_MAX - used);
        if (count > 1)
            used += waste_fit_text(" > ", width, text + used, WASTE_BRIEF_MAX - used);
    }
    return used;
}

/* Fits "main:14 > … > f:30 > … > memcpy": of the innermost frames only that of the program's own code, which calls
 * `inside` others, and `node`. */
static void waste_fit_own(const struct waste *waste, uint32_t node, uint32_t own, size_t inside, size_t width,
                          char text[WASTE_BRIEF_MAX])
{
    enum { LEAST = 6 }; /* of each of the two names */
    uint32_t outer = waste_outermost(waste, node);
    const char *own_frame = waste_node_frame(waste, own), *frame = waste_node_frame(waste, node);
    size_t before = own == outer ? 0 : OMITTED_WIDTH, between = inside > 1 ? ARROW_WIDTH + OMITTED_WIDTH : ARROW_WIDTH;
    size_t own_width = waste_text_width(own_frame), frame_width = waste_text_width(frame);
    size_t outer_width = waste_text_width(waste_node_frame(waste, outer)) + ARROW_WIDTH, used = 0;
    if (before + between + 2 * LEAST > width) {
        waste_fit_text(own_frame, width, text, WASTE_BRIEF_MAX);
        return;
    }
    bool called = waste_node_at(waste, own)->parent == outer; /* directly */
    size_t least = (called ? 0 : before) + outer_width + own_width + between + frame_width;
    if (own != outer && least <= width)
        used = (size_t)snprintf(text, WASTE_BRIEF_MAX, "%s > ", waste_node_frame(waste, outer));
    if (before > 0 && !(called && used > 0))
        used += (size_t)snprintf(text + used, WASTE_BRIEF_MAX - used, "%s", OMITTED);
    size_t left = width - before - between, half = left / 2;
    size_t own_share = frame_width < left - half ? left - frame_width : half;
    own_share = own_width < own_share ? own_width : own_share;
    used += waste_fit_text(own_frame, own_share, text + used, WASTE_BRIEF_MAX - used);
    used += (size_t)snprintf(text + used, WASTE_BRIEF_MAX - used, " > %s", inside > 1 ? OMITTED : "");
    waste_fit_text(frame, left - own_share, text + used, WASTE_BRIEF_MAX - used);
}

void waste_fit_context(const struct waste *waste, uint32_t node, size_t width, char text[WASTE_BRIEF_MAX])
{
    if (node == 0) {
        waste_fit_text(UNKNOWN, width, text, WASTE_BRIEF_MAX);
        return;
    }
    width = width < WASTE_BRIEF_MAX / 8 ? width : WASTE_BRIEF_MAX / 8; /* characters have up to four bytes */
    uint32_t outer = waste_outermost(waste, node);
    size_t inner = waste_text_width(waste_node_frame(waste, node)), count = 1, used = 0;
    size_t outer_width = waste_text_width(waste_node_frame(waste, outer));
    /* What stands before the innermost frames: nothing, "… > ", or "main:14 > … > ". */
    bool shows_outer = inner + OMITTED_WIDTH + outer_width + ARROW_WIDTH <= width;
    size_t before = node == outer ? 0 : OMITTED_WIDTH + (shows_outer ? outer_width + ARROW_WIDTH : 0);
    uint32_t at = node;
    while (at != outer) {
        at = waste_node_at(waste, at)->parent;
        size_t more = inner + ARROW_WIDTH + waste_text_width(waste_node_frame(waste, at));
        if (more + (at == outer ? 0 : before) > width)
            break;
        inner = more;
        count++;
        before = at == outer ? 0 : before;
    }
    size_t inside = 0; /* frames of libraries that the program's own code called */
    uint32_t own = node;
    for (; own && waste_node_at(waste, own)->is_runtime; own = waste_node_at(waste, own)->parent)
        inside++;
    if (own && inside >= count && !(own == outer && before > OMITTED_WIDTH)) {
        waste_fit_own(waste, node, own, inside, width, text);
        return;
    }
    *text = '\0';
    if (before > OMITTED_WIDTH)
        used = (size_t)snprintf(text, WASTE_BRIEF_MAX, "%s > ", waste_node_frame(waste, outer));
    if (before > 0)
        used += (size_t)snprintf(text + used, WASTE_BRIEF_MAX - used, "%s", OMITTED);
    waste_append_frames(waste, node, count, width > before ? width - before : 1, text, used);
}

void waste_brief(const struct waste *waste, uint32_t node, char text[WASTE_BRIEF_MAX])
{
    waste_fit_context(waste, node, BRIEF_WIDTH, text);
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
