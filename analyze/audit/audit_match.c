#include "analyze/audit/audit_match.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct audit_match {
    const struct waste *waste;
    uint8_t *roles;      /* [node]: bit r: on the path of an access of sources with role r */
    uint32_t *methods;   /* [text]: the number of its method, the text without line or address; as a frame's */
    bool *exact_methods; /* [method]: in a context of the exact runs */
    bool *exact_lines;   /* [text]: the own frame of one of their accesses */
    uint32_t *sites;     /* [node]: the result */
};

static uint32_t audit_match_text(const struct audit_match *match, uint32_t node)
{
    return waste_node_at(match->waste, node)->text;
}

/* ------------------------------------------------------------------------------------------ native -- */

/* A frame of the exact runs: its text without an address. */
struct frame {
    uint32_t parent, node;
    const char *text;
    size_t length; /* of the text before the address */
    uint64_t address;
};

static struct frame audit_match_frame(const struct waste *waste, uint32_t node)
{
    const struct waste_node *item = waste_node_at(waste, node);
    const char *text = waste_text(waste, item->text), *at = strrchr(text, '@');
    struct frame frame = {item->parent, node, text, strlen(text), 0};
    if (at && strncmp(at, "@0x", 3) == 0) {
        frame.length = (size_t)(at - text);
        frame.address = strtoull(at + 1, NULL, 16);
    }
    return frame;
}

static int audit_match_compare_names(const struct frame *a, const struct frame *b)
{
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    int order = memcmp(a->text, b->text, a->length < b->length ? a->length : b->length);
    return order ? order : a->length < b->length ? -1 : a->length > b->length;
}

static int audit_match_compare_frames(const void *a, const void *b)
{
    const struct frame *x = a, *y = b;
    int order = audit_match_compare_names(x, y);
    return order ? order : x->address < y->address ? -1 : x->address > y->address;
}

struct frames {
    struct frame *items; /* of the exact runs, sorted */
    size_t count;
    uint32_t *callers; /* [node]: the matching node of the exact runs, or itself */
};

/* The node of the exact runs' frame with the same name and caller whose address is at most `distance` below; the node
 * itself if there is none. */
static uint32_t audit_match_find_node(const struct frames *frames, const struct waste *waste, uint32_t node,
                                      uint64_t distance)
{
    struct frame wanted = audit_match_frame(waste, node);
    wanted.parent = frames->callers[wanted.parent];
    size_t low = 0, high = frames->count;
    while (low < high) { /* the last that is not greater */
        size_t middle = (low + high) / 2;
        if (audit_match_compare_frames(&frames->items[middle], &wanted) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct frame *found = low > 0 ? &frames->items[low - 1] : NULL;
    bool same = found && audit_match_compare_names(found, &wanted) == 0;
    return same && wanted.address - found->address <= distance ? found->node : node;
}

static bool audit_match_native(struct audit_match *match)
{
    const struct waste *waste = match->waste;
    size_t nodes = waste_count(waste, WASTE_NODE_ROWS);
    struct frames frames = {calloc(nodes, sizeof *frames.items), 0, calloc(nodes, sizeof *frames.callers)};
    bool good = frames.items && frames.callers;
    for (uint32_t node = 1; good && node < nodes; node++)
        if (match->roles[node] >> AUDIT_EXACT & 1)
            frames.items[frames.count++] = audit_match_frame(waste, node);
    if (good)
        qsort(frames.items, frames.count, sizeof *frames.items, audit_match_compare_frames);
    for (uint32_t node = 1; good && node < nodes; node++) { /* parents come first */
        if (match->roles[node] == 0)
            continue;
        bool exact = match->roles[node] >> AUDIT_EXACT & 1;
        frames.callers[node] = exact ? node : audit_match_find_node(&frames, waste, node, AUDIT_CALL_BYTES);
        match->sites[node] = exact ? node : audit_match_find_node(&frames, waste, node, 0);
    }
    free(frames.items);
    free(frames.callers);
    return good;
}

/* ------------------------------------------------------------------------------------------ Java -- */

/* A frame of a path without recursion: the key is its caller and its text. Number 0: none. */
struct path {
    uint32_t parent, text;
};

static struct path audit_match_path_at(const struct keyed *paths, uint32_t path)
{
    return *(const struct path *)keyed_at(paths, path);
}

/* The caller of a method that `caller` calls: `caller`, or the one that first made the same call on this path. */
static uint32_t audit_match_first_caller(const struct audit_match *match, const struct keyed *paths, uint32_t caller,
                                         uint32_t method)
{
    for (uint32_t at = caller; at;) {
        struct path callee = audit_match_path_at(paths, at);
        if (callee.parent && match->methods[callee.text] == method &&
            audit_match_path_at(paths, callee.parent).text == audit_match_path_at(paths, caller).text)
            return callee.parent;
        at = callee.parent;
    }
    return caller;
}

/* Paths of both kinds of runs get their numbers from one set. */
static bool audit_match_java(struct audit_match *match)
{
    size_t nodes = waste_count(match->waste, WASTE_NODE_ROWS);
    struct keyed paths = {.item_bytes = sizeof(struct path), .key_bytes = sizeof(struct path)};
    uint32_t *callers = calloc(nodes, sizeof *callers);
    bool good = callers && keyed_add(&paths, &(struct path){UINT32_MAX, UINT32_MAX}) == 0;
    for (uint32_t node = 1; good && node < nodes; node++) { /* parents come first */
        if (match->roles[node] == 0)
            continue;
        uint32_t text = audit_match_text(match, node), method = match->methods[text];
        uint32_t caller = callers[waste_node_at(match->waste, node)->parent];
        struct path path = {audit_match_first_caller(match, &paths, caller, method), text};
        match->sites[node] = keyed_add(&paths, &path);
        callers[node] = match->exact_methods[method] ? match->sites[node] : caller;
        good = match->sites[node] != KEYED_FULL;
    }
    free(callers);
    keyed_free(&paths);
    return good;
}

/* ------------------------------------------------------------------------------------------ both -- */

static void audit_match_mark_path(struct audit_match *match, uint32_t node, uint8_t role)
{
    for (; node && !(match->roles[node] >> role & 1); node = waste_node_at(match->waste, node)->parent) {
        match->roles[node] |= (uint8_t)(1 << role);
        if (role == AUDIT_EXACT)
            match->exact_methods[match->methods[audit_match_text(match, node)]] = true;
    }
}

static void audit_match_mark_pairs(struct audit_match *match, const uint8_t *roles)
{
    for (size_t i = 0; i < waste_count(match->waste, WASTE_PAIR_ROWS); i++) {
        const struct waste_pair *pair = waste_row(match->waste, WASTE_PAIR_ROWS, i);
        const uint32_t sides[WASTE_SIDES] = {pair->first, pair->second};
        uint8_t role = roles[pair->source];
        for (size_t side = 0; role != AUDIT_NEITHER && side < WASTE_SIDES; side++) {
            audit_match_mark_path(match, sides[side], role);
            if (role == AUDIT_EXACT && sides[side])
                match->exact_lines[audit_match_text(match, sides[side])] = true;
        }
    }
}

/* "f:30" and "f@0x11d3" are in f. */
static bool audit_match_number_methods(struct audit_match *match)
{
    struct text_set names = {0};
    bool good = true;
    for (uint32_t i = 0; good && i < match->waste->relations.texts.count; i++) {
        const char *text = waste_text(match->waste, i), *at = strrchr(text, '@');
        size_t length = strlen(text), end = length;
        while (end > 0 && isdigit((unsigned char)text[end - 1]))
            end--;
        if (end > 0 && end < length && text[end - 1] == ':')
            length = end - 1;
        else if (at && strncmp(at, "@0x", 3) == 0)
            length = (size_t)(at - text);
        char *name = strndup(text, length);
        match->methods[i] = name ? text_set_add(&names, name) : TEXT_SET_FULL;
        good = match->methods[i] != TEXT_SET_FULL;
        free(name);
    }
    text_set_free(&names);
    return good;
}

struct audit_match *audit_match_new(const struct waste *waste, const uint8_t *roles, bool java)
{
    struct audit_match *match = malloc(sizeof *match);
    size_t nodes = waste_count(waste, WASTE_NODE_ROWS), texts = waste->relations.texts.count + (size_t)1;
    if (!match)
        return NULL;
    *match = (struct audit_match){.waste = waste,
                                  .roles = calloc(nodes, sizeof *match->roles),
                                  .methods = calloc(texts, sizeof *match->methods),
                                  .exact_methods = calloc(texts, sizeof *match->exact_methods),
                                  .exact_lines = calloc(texts, sizeof *match->exact_lines),
                                  .sites = calloc(nodes, sizeof *match->sites)};
    if (match->roles && match->methods && match->exact_methods && match->exact_lines && match->sites &&
        audit_match_number_methods(match)) {
        audit_match_mark_pairs(match, roles);
        if (java ? audit_match_java(match) : audit_match_native(match))
            return match;
    }
    audit_match_free(match);
    return NULL;
}

void audit_match_free(struct audit_match *match)
{
    if (!match)
        return;
    free(match->roles);
    free(match->methods);
    free(match->exact_methods);
    free(match->exact_lines);
    free(match->sites);
    free(match);
}

uint32_t audit_match_site(const struct audit_match *match, uint32_t node)
{
    return match->sites[node];
}

enum audit_known audit_match_known(const struct audit_match *match, uint32_t node)
{
    uint32_t text = node ? audit_match_text(match, node) : UINT32_MAX;
    if (!node || !match->exact_methods[match->methods[text]])
        return AUDIT_NO_METHOD;
    return match->exact_lines[text] ? AUDIT_LINE : AUDIT_NO_LINE;
}
