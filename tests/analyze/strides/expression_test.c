/* What lines of source load. */
#include "analyze/strides/code.h"

#include "tests/tap.h"

/* The expression that is found in a line, and how many loads it takes; "" for none, or several. */
static void finds(const char *line, bool java, const char *expected, unsigned loads, bool is_element)
{
    struct code_expression found = {0};
    char text[256] = "";
    if (expression_find(line, java, &found))
        snprintf(text, sizeof text, "%.*s", (int)found.lengths[found.loads - 1], line + found.start);
    is_text(text, expected, line);
    if (*expected)
        ok(found.loads == loads && found.is_element == is_element, "  %u loads%s", loads,
           is_element ? " of an element" : "");
}

/* The two of a nested one, "" for none. */
static void finds_nested(const char *line, const char *array, const char *index)
{
    struct code_expression outer = {0}, inner = {0};
    char before[256] = "", within[256] = "";
    if (expression_find_nested(line, false, &outer, &inner)) {
        snprintf(before, sizeof before, "%.*s", (int)outer.array, line + outer.start);
        snprintf(within, sizeof within, "%.*s", (int)inner.lengths[inner.loads - 1], line + inner.start);
    }
    is_text(before, array, line);
    is_text(within, index, line);
}

int main(void)
{
    finds("    sum += at[i];", false, "at[i]", 1, true);
    finds("    sum += record->key; /* list->next */", false, "record->key", 1, false);
    finds("    const struct record *record = at[i];", false, "at[i]", 1, true);
    finds("    there[i] = here[i + 1];", false, "here[i + 1]", 1, true);
    finds("    if (there[i] == 0)", false, "there[i]", 1, true);
    finds("    sum += bodies[i].mass;", false, "bodies[i].mass", 1, false);
    finds("    sum += list->v[i];", false, "list->v[i]", 2, true);
    finds("    sum += a[i] * b[i];", false, "", 0, false);
    finds("    sum += at[i++];", false, "", 0, false);
    finds("    sum += at[i] + --count;", false, "at[i]", 1, true);
    finds("    sum += nodes[order[i]];", false, "", 0, false);
    finds("    sum += call(\"a[i]\", 1.5);", false, "", 0, false);
    finds("    list->add(3);", false, "", 0, false);
    finds("    for (int i = 0; i < n; i++)", false, "", 0, false);
    finds("    sum += open[", false, "", 0, false);
    finds("            Token tmp = tv.v[i];", true, "tv.v[i]", 2, true);
    finds("            sum += tmp.facts.length; // tv.v[i]", true, "tmp.facts.length", 2, false);
    finds("            sum += this.count;", true, "this.count", 1, false);
    finds_nested("    sum += nodes[order[i]];", "nodes", "order[i]");
    finds_nested("    if (g->where[g->next[j]] == 0)", "g->where", "g->next[j]");
    finds_nested("    sum += nodes[order[i] + 1];", "", "");
    finds_nested("    sum += nodes[order[i++]];", "", "");
    finds_nested("    sum += nodes[i];", "", "");
    finds_nested("    sum += nodes[i] + order[i];", "", "");
    finds_nested("    sum += a[b[i]] + c[i];", "", "");
    finds_nested("    sum += a[b[i]][j];", "", "");
    return done_testing();
}
