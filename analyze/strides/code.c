#include "analyze/strides/code.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 4096, CODE_MAX = 8 * LINE_MAX_BYTES, PATH_BYTES = 4096, STEP_MAX = 8, NAME_MAX_BYTES = 40 };

struct writing {
    const struct strides *strides;
    const struct plan *plan;
    const char *source;
};

static const struct loads_location *code_row_location(const struct writing *writing, uint32_t row)
{
    return loads_location_at(&writing->strides->loads, loads_row_at(&writing->strides->loads, row)->location);
}

static const char *code_text(const struct writing *writing, uint32_t text)
{
    return relations_text_at(&writing->strides->loads.relations, text);
}

static bool code_is_java(const struct writing *writing, const struct loads_location *location)
{
    return !*code_text(writing, location->module);
}

/* ------------------------------------------------------------------------------------------------- the source -- */

/* Reads a location's line of source. */
static bool code_read_source(const struct writing *writing, const struct loads_location *location,
                             char line[LINE_MAX_BYTES])
{
    char path[PATH_BYTES];
    const char *name = code_text(writing, location->file);
    if (writing->source && *name != '/')
        snprintf(path, sizeof path, "%s/%s", writing->source, name);
    else
        snprintf(path, sizeof path, "%s", name);
    FILE *file = location->line > 0 ? fopen(path, "re") : NULL;
    if (!file)
        return false;

    bool found = false, whole = true;
    for (uint32_t number = 1; !found && fgets(line, LINE_MAX_BYTES, file);) {
        found = whole && number == location->line;
        whole = strchr(line, '\n');
        number += whole;
    }
    fclose(file);
    return found;
}

/* Whether a load walks along an array, a few elements in each iteration. */
static bool code_walks_array(const struct plan_element *element, const struct loads_location *trigger)
{
    return trigger->bytes > 0 && llabs(element->stride) % trigger->bytes == 0 &&
           llabs(element->stride) / trigger->bytes <= STEP_MAX;
}

/* Which load of an expression a location is: the one in its order if the line has as many instructions that load; or
 * the last one if that is of an element, as the location is known to be, and compilers have kept what stands before in
 * registers. LOADS_NONE: it is not known. */
static unsigned code_match_load(const struct writing *writing, const struct loads_location *location,
                                const struct code_expression *found, bool element)
{
    if (found->loads == 1)
        return 0;

    /* How many instructions of the line load, and how many of them come before this one. */
    const struct loads *loads = &writing->strides->loads;
    int64_t positions[CODE_LOADS_MAX + 1];
    unsigned count = 0, before = 0;
    for (uint32_t i = 0; i < relations_count(&loads->relations, LOADS_LOCATIONS); i++) {
        const struct loads_location *other = loads_location_at(loads, i);
        if (other->text != location->text || other->module != location->module || other->bytes == 0)
            continue;
        unsigned known = 0;
        while (known < count && positions[known] != loads_position(other))
            known++;
        if (known == count && count <= CODE_LOADS_MAX)
            positions[count++] = loads_position(other);
    }
    for (unsigned i = 0; i < count; i++)
        before += positions[i] < loads_position(location);

    if (count == found->loads)
        return before;
    return count < found->loads && before + 1 == count && element && found->is_element ? found->loads - 1 : LOADS_NONE;
}

/* What is loaded at a location, in its source's words, or a placeholder. `element`: it walks along an array. */
static void code_find_expression(const struct writing *writing, const struct loads_location *location, bool element,
                                 char text[LINE_MAX_BYTES])
{
    char line[LINE_MAX_BYTES];
    struct code_expression found;
    unsigned load = LOADS_NONE;
    snprintf(text, LINE_MAX_BYTES, "LOADED");
    if (code_read_source(writing, location, line) && expression_find(line, code_is_java(writing, location), &found))
        load = code_match_load(writing, location, &found, element);
    if (load != LOADS_NONE)
        snprintf(text, LINE_MAX_BYTES, "%.*s", (int)found.lengths[load], line + found.start);
}

static bool code_is_same_line(const struct loads_location *a, const struct loads_location *b)
{
    return a->file == b->file && a->line == b->line;
}

/* The trigger of v[order[i]] is order[i]. If there is but one expression, and the plan leads to what this line loads,
 * it may be either. */
static void code_find_trigger(const struct writing *writing, const struct plan_element *element,
                              char text[LINE_MAX_BYTES])
{
    char line[LINE_MAX_BYTES];
    struct code_expression outer, inner;
    const struct plan *plan = writing->plan;
    const struct loads_location *trigger = code_row_location(writing, element->trigger);
    bool leads_here = false;
    code_find_expression(writing, trigger, code_walks_array(element, trigger), text);
    for (uint32_t i = 0; i < plan->count; i++)
        leads_here |= plan->elements[i].trigger == element->trigger && plan->elements[i].kind == PLAN_INDEX &&
                      code_is_same_line(code_row_location(writing, plan->elements[i].target), trigger);
    if (!leads_here)
        return;
    snprintf(text, LINE_MAX_BYTES, "LOADED");
    if (code_read_source(writing, trigger, line) &&
        expression_find_nested(line, code_is_java(writing, trigger), &outer, &inner))
        snprintf(text, LINE_MAX_BYTES, "%.*s", (int)inner.lengths[inner.loads - 1], line + inner.start);
}

/* The array that the target is an element of, if its line shows it, and it is in the trigger's method; or a
 * placeholder.
 */
static void code_find_array(const struct writing *writing, const struct plan_element *element,
                            char text[LINE_MAX_BYTES])
{
    char line[LINE_MAX_BYTES];
    struct code_expression outer, inner;
    const struct loads_location *target = code_row_location(writing, element->target),
                                *trigger = code_row_location(writing, element->trigger);
    const char *method = code_text(writing, target->text), *other = code_text(writing, trigger->text);
    size_t length = strcspn(method, ":"); /* "method:line" */
    snprintf(text, LINE_MAX_BYTES, "START");
    if (target->file != trigger->file || element->offset != (int64_t)target->bytes || length != strcspn(other, ":") ||
        strncmp(method, other, length) != 0 || !code_read_source(writing, target, line))
        return;

    bool here = code_is_same_line(target, trigger);
    if (!expression_find(line, false, &outer) && !(here && expression_find_nested(line, false, &outer, &inner)))
        return;
    if (outer.loads != 1 || !outer.is_element)
        return;
    char above[LINE_MAX_BYTES];
    struct code_expression array, index;
    if (here || !code_read_source(writing, trigger, above) || !expression_find_nested(above, false, &array, &index))
        snprintf(text, LINE_MAX_BYTES, "%.*s", (int)outer.array, line + outer.start);
}

/* The name of what is loaded ahead: of several on one line, in one loop, each has its own. */
static void code_name_ahead(const struct writing *writing, uint32_t trigger, char name[NAME_MAX_BYTES])
{
    unsigned number = 1;
    uint32_t loop = loads_row_at(&writing->strides->loads, trigger)->loop;
    const struct plan *plan = writing->plan;
    for (uint32_t i = 0; i < plan->count && plan->elements[i].trigger != trigger; i++)
        number += plan->elements[i].kind == PLAN_LOAD &&
                  loads_row_at(&writing->strides->loads, plan->elements[i].trigger)->loop == loop &&
                  code_is_same_line(code_row_location(writing, plan->elements[i].trigger),
                                    code_row_location(writing, trigger));
    uint32_t line = code_row_location(writing, trigger)->line;
    if (number == 1)
        snprintf(name, NAME_MAX_BYTES, "ahead_%" PRIu32, line);
    else
        snprintf(name, NAME_MAX_BYTES, "ahead_%" PRIu32 "_%u", line, number);
}

/* ------------------------------------------------------------------------------------------------------- C -- */

static const char *code_c_type(uint32_t bytes)
{
    return bytes == 1 ? "unsigned char" : bytes == 2 ? "short" : bytes == 4 ? "int" : "char *";
}

static void code_write_c(const struct writing *writing, const struct plan_element *element, char code[CODE_MAX])
{
    const struct loads_location *trigger = code_row_location(writing, element->trigger);
    const char *target =
        loads_text(&writing->strides->loads, loads_row_at(&writing->strides->loads, element->target)->location);
    char loaded[LINE_MAX_BYTES], array[LINE_MAX_BYTES], ahead[NAME_MAX_BYTES];
    code_find_trigger(writing, element, loaded);
    code_find_array(writing, element, array);
    code_name_ahead(writing, element->trigger, ahead);
    if (element->kind == PLAN_STRIDE)
        snprintf(code, CODE_MAX, "__builtin_prefetch((const char *)&%s + %" PRId64 " * %" PRIu64 ");", loaded,
                 element->stride, element->distance);
    else if (element->kind == PLAN_LOAD)
        snprintf(code, CODE_MAX, "%s %s = *(%s const volatile *)((const char *)&%s + %" PRId64 " * %" PRIu64 ");",
                 code_c_type(trigger->bytes), ahead, code_c_type(trigger->bytes), loaded, element->stride,
                 element->distance);
    else if (element->kind == PLAN_INDEX)
        snprintf(code, CODE_MAX, "__builtin_prefetch((const char *)%s + %" PRId64 " * (long)%s); /* %s%s */", array,
                 element->offset, ahead, strcmp(array, "START") == 0 ? "START: of the array of " : "", target);
    else
        snprintf(code, CODE_MAX, "__builtin_prefetch(%s + %" PRId64 "); /* %s */", ahead, element->offset, target);
}

/* ---------------------------------------------------------------------------------------------------- Java -- */

static void code_write_java(const struct writing *writing, const struct plan_element *element, char code[CODE_MAX])
{
    const struct loads_location *trigger = code_row_location(writing, element->trigger);
    char array[LINE_MAX_BYTES] = "ARRAY", index[LINE_MAX_BYTES] = "INDEX", loaded[LINE_MAX_BYTES],
         target[LINE_MAX_BYTES], name[NAME_MAX_BYTES];
    bool walks = code_walks_array(element, trigger);
    code_find_expression(writing, trigger, walks, loaded);
    code_name_ahead(writing, element->trigger, name);
    if (!walks) {
        snprintf(code, CODE_MAX, "// Java has no expression for the address of %s, %" PRId64 " * %" PRIu64 " bytes on",
                 loaded, element->stride, element->distance);
        return;
    }

    int64_t ahead = element->stride / trigger->bytes * (int64_t)element->distance;
    size_t length = strlen(loaded);
    const char *open = strrchr(loaded, '['); /* an index has no loads, so no brackets */
    if (open && loaded[length - 1] == ']') {
        snprintf(array, LINE_MAX_BYTES, "%.*s", (int)(open - loaded), loaded);
        snprintf(index, LINE_MAX_BYTES, "%.*s", (int)(length - (size_t)(open - loaded) - 2), open + 1);
    }
    code_find_expression(writing, code_row_location(writing, element->target), element->kind == PLAN_INDEX, target);
    /* The object is loaded ahead: "tmp.facts" keeps its last field alone. */
    const char *dot = strrchr(target, '.'), *field = dot ? dot + 1 : target;
    if (element->kind == PLAN_STRIDE)
        snprintf(code, CODE_MAX,
                 "if (%s + %" PRId64 " < %s.length) touched = %s[%s + %" PRId64 "]; // keep touched in a static field",
                 index, ahead, array, array, index, ahead);
    else if (element->kind == PLAN_LOAD)
        snprintf(code, CODE_MAX, "var %s = %s + %" PRId64 " < %s.length ? %s[%s + %" PRId64 "] : %s[%s];", name, index,
                 ahead, array, array, index, ahead, array, index);
    else if (element->kind == PLAN_INDEX)
        snprintf(code, CODE_MAX, "touched = %.*s[%s]; // keep touched in a static field", (int)strcspn(target, "["),
                 target, name);
    else
        snprintf(code, CODE_MAX, "if (%s != null) touched = %s.%s; // keep touched in a static field", name, name,
                 field);
}

/* ---------------------------------------------------------------------------------------------------- the table -- */

struct code_row {
    const char *file, *loop, *code, *target;
    uint64_t line, useful, issued;
};

static const struct column columns[] = {
    COLUMN(code_row, "file", TABLE_TEXT, file, "The source file."),
    COLUMN(code_row, "line", TABLE_COUNT, line, "The line after which the code stands, in the loop; 0: unknown."),
    COLUMN(code_row, "loop", TABLE_TEXT, loop, "The header of the loop."),
    COLUMN(code_row, "code", TABLE_TEXT, code, "The code to paste."),
    COLUMN(code_row, "target", TABLE_TEXT, target, "The load for which it prefetches, as in the column site."),
    COLUMN(code_row, "useful", TABLE_COUNT, useful, "How many of its simulated prefetches were useful."),
    COLUMN(code_row, "issued", TABLE_COUNT, issued, "How many simulated prefetches of it there were.")};
const struct columns code_columns = COLUMNS("With --code, one row for each prefetch of the plan", columns);

struct ranked_element {
    const struct writing *writing;
    uint32_t index;
};

/* By file and line; what a line leads to stays in its order. */
static int code_compare_lines(const void *a, const void *b)
{
    const struct ranked_element *x = a, *y = b;
    const struct loads_location *left = code_row_location(x->writing, x->writing->plan->elements[x->index].trigger),
                                *right = code_row_location(y->writing, y->writing->plan->elements[y->index].trigger);
    int order = strcmp(code_text(x->writing, left->file), code_text(x->writing, right->file));
    if (order)
        return order;
    if (left->line != right->line)
        return left->line < right->line ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

int code_table(const struct strides *strides, const struct plan *plan, const char *source, struct report *report)
{
    struct writing writing = {strides, plan, source};
    struct ranked_element *ranked = calloc(plan->count + 1, sizeof *ranked);
    if (report_tables(report, &code_columns, 0) != 0 || !ranked) {
        free(ranked);
        return ENOMEM;
    }
    for (uint32_t i = 0; i < plan->count; i++)
        ranked[i] = (struct ranked_element){&writing, i};
    if (plan->count > 1)
        qsort(ranked, plan->count, sizeof *ranked, code_compare_lines);
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct plan_element *element = &plan->elements[ranked[i].index];
        const struct loads_location *trigger = code_row_location(&writing, element->trigger);
        const struct loads_row *target = loads_row_at(&strides->loads, element->target);
        char code[CODE_MAX];
        if (code_is_java(&writing, trigger))
            code_write_java(&writing, element, code);
        else
            code_write_c(&writing, element, code);
        const struct code_row row = {.file = code_text(&writing, trigger->file),
                                     .line = trigger->line,
                                     .loop = loads_text(&strides->loads, target->loop),
                                     .code = code,
                                     .target = loads_text(&strides->loads, target->location),
                                     .useful = target->prefetches.useful,
                                     .issued = target->prefetches.issued};
        report_row(report, &row);
    }
    free(ranked);
    report_note(report,
                "code stands after the line, in the loop; a load ahead reads beyond the end of its array: lengthen "
                "or guard it. Simulated: time the program with and without");
    return 0;
}
