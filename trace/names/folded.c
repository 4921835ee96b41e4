#include "trace/names/folded.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/names/method_name.h"
#include "base/grow.h"

/* ------------------------------------------------------------------------------------------ lines -- */

bool folded_frame(struct folded_line *line, const char *name)
{
    size_t length = strlen(name);
    if (line->length + length + 2 > line->capacity) {
        size_t capacity = 2 * (line->length + length + 2);
        char *grown = realloc(line->text, capacity);
        if (!grown)
            return false;
        line->text = grown;
        line->capacity = capacity;
    }
    if (line->parts++ > 0)
        line->text[line->length++] = ';';
    for (; *name; name++)
        line->text[line->length++] = *name == ';' ? ':' : *name == '\n' ? ' ' : *name;
    line->text[line->length] = '\0';
    return true;
}

enum { DEPTH_MAX = 1 << 16 };

bool folded_context(struct folded_line *line, const struct trace_names *names, uint32_t context, bool lines)
{
    size_t depth = 0;
    char name[METHOD_NAME_MAX + 16];
    for (uint32_t at = context; depth < DEPTH_MAX && (at || depth == 0); at = names->contexts[at].parent) {
        uint32_t *grown = grow_unset(line->path, &line->path_capacity, depth, sizeof *grown);
        if (!grown)
            return false;
        line->path = grown;
        line->path[depth++] = at;
    }
    bool good = true;
    while (good && depth-- > 0) {
        const struct trace_frame *frame = &names->frames[names->contexts[line->path[depth]].frame];
        method_name(&names->methods[frame->method], name);
        if (lines && frame->line > 0)
            snprintf(name + strlen(name), 16, ":%" PRIu32, frame->line);
        good = folded_frame(line, name);
    }
    return good;
}

void folded_clear(struct folded_line *line)
{
    line->length = line->parts = 0;
}

void folded_free_line(struct folded_line *line)
{
    free(line->text);
    free(line->path);
    *line = (struct folded_line){0};
}

/* ------------------------------------------------------------------------------------------ stacks -- */

bool folded_add(struct folded *folded, const struct folded_line *line, uint64_t count)
{
    uint64_t *counts = grow(folded->counts, &folded->capacity, folded->lines.count, sizeof *counts);
    if (!counts)
        return false;
    folded->counts = counts;
    uint32_t id = text_set_add(&folded->lines, line->text);
    if (id == TEXT_SET_FULL)
        return false;
    folded->counts[id] += count;
    return true;
}

static int folded_compare_texts(const void *a, const void *b, void *set)
{
    char **texts = ((struct text_set *)set)->texts;
    return strcmp(texts[*(const uint32_t *)a], texts[*(const uint32_t *)b]);
}

bool folded_print(FILE *out, struct folded *folded)
{
    uint32_t *order = calloc(folded->lines.count + 1, sizeof *order);
    if (!order)
        return false;
    for (uint32_t i = 0; i < folded->lines.count; i++)
        order[i] = i;
    qsort_r(order, folded->lines.count, sizeof *order, folded_compare_texts, &folded->lines);
    for (uint32_t i = 0; i < folded->lines.count; i++)
        fprintf(out, "%s %" PRIu64 "\n", folded->lines.texts[order[i]], folded->counts[order[i]]);
    free(order);
    return true;
}

void folded_free(struct folded *folded)
{
    text_set_free(&folded->lines);
    free(folded->counts);
}
