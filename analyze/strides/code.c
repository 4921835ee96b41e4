#include "analyze/strides/code.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 4096, CODE_MAX = 8 * LINE_MAX_BYTES, PATH_BYTES = 4096, STEP_MAX = 8 };

struct writing {
    const struct strides *strides;
    const struct plan *plan;
    const char *source;
    struct table *table;
};

static const struct loads_place *place_of(const struct writing *writing, uint32_t row)
{
    return loads_place_at(&writing->strides->loads, loads_row_at(&writing->strides->loads, row)->place);
}

static const char *text_of(const struct writing *writing, uint32_t text)
{
    return writing->strides->loads.texts.texts[text];
}

static bool is_java(const struct writing *writing, const struct loads_place *place)
{
    return !*text_of(writing, place->module);
}

/* ------------------------------------------------------------------------------------------------- the source -- */

static bool read_line(const char *path, uint32_t wanted, char line[LINE_MAX_BYTES])
{
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    bool found = false, whole = true;
    for (uint32_t number = 1; !found && fgets(line, LINE_MAX_BYTES, file);) {
        found = whole && number == wanted;
        whole = strchr(line, '\n');
        number += whole;
    }
    fclose(file);
    return found;
}

static bool read_source(const struct writing *writing, const struct loads_place *place, char line[LINE_MAX_BYTES])
{
    char path[PATH_BYTES];
    const char *file = text_of(writing, place->file);
    if (writing->source && *file != '/')
        snprintf(path, sizeof path, "%s/%s", writing->source, file);
    else
        snprintf(path, sizeof path, "%s", file);
    return place->line > 0 && read_line(path, place->line, line);
}

/* Whether a load walks along an array, a few elements in each iteration. */
static bool walks(const struct plan_element *element, const struct loads_place *trigger)
{
    return trigger->bytes > 0 && llabs(element->stride) % trigger->bytes == 0 &&
           llabs(element->stride) / trigger->bytes <= STEP_MAX;
}

/* What is loaded at a place, in its source's words, or a placeholder: the only load of the line, or the element of an
 * array if it is known to be one. */
static void find_expression(const struct writing *writing, const struct loads_place *place, bool element,
                            char text[LINE_MAX_BYTES])
{
    char line[LINE_MAX_BYTES];
    struct code_expression found;
    snprintf(text, LINE_MAX_BYTES, "LOADED");
    if (read_source(writing, place, line) && code_find(line, is_java(writing, place), &found) &&
        (found.loads == 1 || (element && found.is_element)))
        snprintf(text, LINE_MAX_BYTES, "%.*s", (int)found.length, line + found.start);
}

/* ------------------------------------------------------------------------------------------------------- C -- */

static const char *type_of(uint32_t bytes)
{
    return bytes == 1 ? "unsigned char" : bytes == 2 ? "short" : bytes == 4 ? "int" : "char *";
}

static void write_c(const struct writing *writing, const struct plan_element *element, const char *loaded,
                    char code[CODE_MAX])
{
    const struct loads_place *trigger = place_of(writing, element->trigger);
    const char *target =
        loads_text(&writing->strides->loads, loads_row_at(&writing->strides->loads, element->target)->place);
    if (element->kind == PLAN_STRIDE)
        snprintf(code, CODE_MAX, "__builtin_prefetch((const char *)&%s + %" PRId64 " * %" PRIu64 ");", loaded,
                 element->stride, element->distance);
    else if (element->kind == PLAN_LOAD)
        snprintf(code, CODE_MAX,
                 "%s ahead_%" PRIu32 " = *(%s const volatile *)((const char *)&%s + %" PRId64 " * %" PRIu64 ");",
                 type_of(trigger->bytes), trigger->line, type_of(trigger->bytes), loaded, element->stride,
                 element->distance);
    else if (element->kind == PLAN_INDEX)
        snprintf(code, CODE_MAX,
                 "__builtin_prefetch((const char *)START + %" PRId64 " * (long)ahead_%" PRIu32
                 "); /* START: of what %s is in */",
                 element->offset, trigger->line, target);
    else
        snprintf(code, CODE_MAX, "__builtin_prefetch(ahead_%" PRIu32 " + %" PRId64 "); /* %s */", trigger->line,
                 element->offset, target);
}

/* ---------------------------------------------------------------------------------------------------- Java -- */

/* Parts an element of an array, "v[i]", into its array and index. */
static bool split_element(const char *expression, char array[LINE_MAX_BYTES], char index[LINE_MAX_BYTES])
{
    size_t length = strlen(expression);
    const char *open = strrchr(expression, '['); /* an index has no loads, so no brackets */
    if (!open || length == 0 || expression[length - 1] != ']')
        return false;
    snprintf(array, LINE_MAX_BYTES, "%.*s", (int)(open - expression), expression);
    snprintf(index, LINE_MAX_BYTES, "%.*s", (int)(length - (size_t)(open - expression) - 2), open + 1);
    return true;
}

/* "tmp.facts" without what stands before its last field. */
static const char *last_field(const char *expression)
{
    const char *dot = strrchr(expression, '.');
    return dot ? dot + 1 : expression;
}

static void write_java(const struct writing *writing, const struct plan_element *element, const char *loaded,
                       char code[CODE_MAX])
{
    char array[LINE_MAX_BYTES] = "ARRAY", index[LINE_MAX_BYTES] = "INDEX", target[LINE_MAX_BYTES];
    uint32_t line = place_of(writing, element->trigger)->line;
    if (!walks(element, place_of(writing, element->trigger))) {
        snprintf(code, CODE_MAX, "// Java has no expression for the address of %s, %" PRId64 " * %" PRIu64 " bytes on",
                 loaded, element->stride, element->distance);
        return;
    }
    int64_t ahead = element->stride / place_of(writing, element->trigger)->bytes * (int64_t)element->distance;
    split_element(loaded, array, index);
    find_expression(writing, place_of(writing, element->target), element->kind == PLAN_INDEX, target);
    if (element->kind == PLAN_STRIDE)
        snprintf(code, CODE_MAX,
                 "if (%s + %" PRId64 " < %s.length) touched = %s[%s + %" PRId64 "]; // keep touched in a static field",
                 index, ahead, array, array, index, ahead);
    else if (element->kind == PLAN_LOAD)
        snprintf(code, CODE_MAX,
                 "var ahead_%" PRIu32 " = %s + %" PRId64 " < %s.length ? %s[%s + %" PRId64 "] : %s[%s];", line, index,
                 ahead, array, array, index, ahead, array, index);
    else if (element->kind == PLAN_INDEX)
        snprintf(code, CODE_MAX, "touched = %.*s[ahead_%" PRIu32 "]; // keep touched in a static field",
                 (int)strcspn(target, "["), target, line);
    else
        snprintf(code, CODE_MAX,
                 "if (ahead_%" PRIu32 " != null) touched = ahead_%" PRIu32 ".%s; // keep touched in a static field",
                 line, line, last_field(target));
}

/* ---------------------------------------------------------------------------------------------------- the table -- */

static void write_element(const struct writing *writing, uint32_t index)
{
    const struct plan_element *element = &writing->plan->elements[index];
    const struct loads_place *trigger = place_of(writing, element->trigger);
    const struct loads_row *target = loads_row_at(&writing->strides->loads, element->target);
    char loaded[LINE_MAX_BYTES], code[CODE_MAX];
    find_expression(writing, trigger, walks(element, trigger), loaded);
    if (is_java(writing, trigger))
        write_java(writing, element, loaded, code);
    else
        write_c(writing, element, loaded, code);
    table_text(writing->table, text_of(writing, trigger->file));
    table_count(writing->table, trigger->line);
    table_text(writing->table, loads_text(&writing->strides->loads, target->loop));
    table_text(writing->table, code);
    table_text(writing->table, loads_text(&writing->strides->loads, target->place));
    table_count(writing->table, target->prefetches.useful);
    table_count(writing->table, target->prefetches.issued);
}

struct ranked_element {
    const struct writing *writing;
    uint32_t index;
};

/* By file and line; what a line leads to stays in its order. */
static int by_line(const void *a, const void *b)
{
    const struct ranked_element *x = a, *y = b;
    const struct loads_place *left = place_of(x->writing, x->writing->plan->elements[x->index].trigger),
                             *right = place_of(y->writing, y->writing->plan->elements[y->index].trigger);
    int order = strcmp(text_of(x->writing, left->file), text_of(x->writing, right->file));
    if (order)
        return order;
    if (left->line != right->line)
        return left->line < right->line ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

int code_table(const struct strides *strides, const struct plan *plan, const char *source, struct report *report)
{
    static const struct table_column columns[] = {
        {"file", TABLE_TEXT},   {"line", TABLE_COUNT},   {"loop", TABLE_TEXT},   {"code", TABLE_TEXT},
        {"target", TABLE_TEXT}, {"useful", TABLE_COUNT}, {"issued", TABLE_COUNT}};
    struct writing writing = {strides, plan, source, table_new(TABLE_COLUMNS(columns))};
    struct ranked_element *ranked = calloc(plan->count + 1, sizeof *ranked);
    report->table = writing.table;
    if (!writing.table || !ranked) {
        free(ranked);
        return ENOMEM;
    }
    for (uint32_t i = 0; i < plan->count; i++)
        ranked[i] = (struct ranked_element){&writing, i};
    if (plan->count > 1)
        qsort(ranked, plan->count, sizeof *ranked, by_line);
    for (uint32_t i = 0; i < plan->count; i++)
        write_element(&writing, ranked[i].index);
    free(ranked);
    report_note(report,
                "code stands after the line, in the loop; a load ahead reads beyond the end of its array: lengthen "
                "or guard it. Simulated: time the program with and without");
    return 0;
}
