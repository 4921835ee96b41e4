/* What lines of source load. */
#include "analyze/strides/code.h"

#include "tests/tap.h"

/* The expression that is found in a line, and how many loads it takes; "" for none, or several. */
static void finds(const char *line, bool java, const char *expected, unsigned loads, bool is_element)
{
    struct code_expression found = {0};
    char text[256] = "";
    if (code_find(line, java, &found))
        snprintf(text, sizeof text, "%.*s", (int)found.lengths[found.loads - 1], line + found.start);
    is_text(text, expected, line);
    if (*expected)
        ok(found.loads == loads && found.is_element == is_element, "  %u loads%s", loads,
           is_element ? " of an element" : "");
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
    finds("    sum += nodes[order[i]];", false, "", 0, false);
    finds("    sum += call(\"a[i]\", 1.5);", false, "", 0, false);
    finds("    list->add(3);", false, "", 0, false);
    finds("    for (int i = 0; i < n; i++)", false, "", 0, false);
    finds("    sum += open[", false, "", 0, false);
    finds("            Token tmp = tv.v[i];", true, "tv.v[i]", 2, true);
    finds("            sum += tmp.facts.length; // tv.v[i]", true, "tmp.facts.length", 2, false);
    finds("            sum += this.count;", true, "this.count", 1, false);
    return done_testing();
}
