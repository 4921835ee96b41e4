#include "collect/inject/jit_decisions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------- the log -- */

/* C1's messages about the same call differ from C2's; what C1 inlines, C2 inlines again where it matters. */
static void jit_log_read_inlining(const char *verdict, struct jit_decisions *decisions)
{
    static const char *const yes[] = {"inline (hot)", "accessor", "force inline"};
    static const char *const no[] = {"hot method too big", "too big", "already compiled into a"};
    static const char failed[] = "failed to inline: ";
    verdict += strspn(verdict, " ");
    if (strncmp(verdict, failed, sizeof failed - 1) == 0)
        verdict += sizeof failed - 1;
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        decisions->inlined += strncmp(verdict, yes[i], strlen(yes[i])) == 0;
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        decisions->left_out += strncmp(verdict, no[i], strlen(no[i])) == 0;
}

int jit_decisions_read(const char *path, const char *method, struct jit_decisions *decisions)
{
    /* "com.acme.Engine::run " from "com.acme.Engine.run(I)V". */
    size_t length = strcspn(method, "(");
    const char *dot = memrchr(method, '.', length);
    char *name = NULL, *line = NULL;
    if (dot && asprintf(&name, "%.*s::%.*s ", (int)(dot - method), method, (int)(length - (size_t)(dot - method) - 1),
                        dot + 1) < 0)
        name = NULL;
    size_t capacity = 0;
    errno = 0;
    FILE *file = name ? fopen(path, "re") : NULL;
    int error = file ? 0 : name ? errno : ENOMEM;
    while (file && getline(&line, &capacity, file) >= 0) {
        const char *found = strstr(line, name);
        if (!found || found == line || found[-1] != ' ')
            continue;
        const char *verdict = strstr(found, " bytes)");
        if (memchr(line, '@', (size_t)(found - line))) { /* "  s!  @ 25   T::hot (26 bytes)   inline (hot)" */
            jit_log_read_inlining(verdict ? verdict + strlen(" bytes)") : "", decisions);
            continue;
        }
        /* "  11 %     4       T::main @ 10 (43 bytes)": number, marks, level, method. */
        const char *level = found - 1;
        while (level > line && *level == ' ')
            level--;
        if (*level >= '0' && *level <= '4' && !strstr(found, "made not entrant") && !strstr(found, "made zombie"))
            decisions->compiled[*level - '0']++;
    }
    if (file)
        fclose(file);
    free(line);
    free(name);
    return error;
}

/* -------------------------------------------------------------------------------------- the columns -- */

void jit_decisions_describe(const struct jit_decisions *decisions, struct inject_row *row)
{
    static const uint32_t limits[] = {35, 325, 8000};
    const uint64_t *levels = decisions->compiled;
    if (row->bytes == 0) /* no JVM has reported anything */
        return;
    bool c2 = levels[4] || decisions->inlined, c1 = levels[1] || levels[2] || levels[3];
    const char *inlined = decisions->inlined ? decisions->left_out ? "partly" : "yes" : "never";
    if (!decisions->inlined && decisions->left_out)
        inlined = "no";
    snprintf(row->compiled, sizeof row->compiled, "%s", c2 ? "C2" : c1 ? "C1" : "no");
    snprintf(row->inlined, sizeof row->inlined, "%s", inlined);
    size_t i = 0;
    while (i < sizeof limits / sizeof *limits && row->bytes > limits[i])
        i++;
    if (i < sizeof limits / sizeof *limits)
        snprintf(row->size_class, sizeof row->size_class, "<=%u", (unsigned)limits[i]);
    else
        snprintf(row->size_class, sizeof row->size_class, ">%u", (unsigned)limits[i - 1]);
}

/* ---------------------------------------------------------------------------------------- verdicts -- */

static bool inject_row_is_base_of(const struct inject_row *base, const struct inject_row *row)
{
    return base->amount == 0 && strcmp(base->status, "ok") == 0 && strcmp(base->method, row->method) == 0 &&
           strcmp(base->work, row->work) == 0;
}

/* Whether this decision occurred in some run without work: the compilers' decisions vary between runs. */
static bool inject_table_has_decision(const struct inject_table *table, const struct inject_row *row, size_t column)
{
    for (size_t i = 0; i < table->count; i++)
        if (inject_row_is_base_of(&table->rows[i], row) &&
            strcmp((const char *)&table->rows[i] + column, (const char *)row + column) == 0)
            return true;
    return false;
}

void jit_decisions_set_guards(struct inject_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        struct inject_row *row = &table->rows[i];
        const struct inject_row *base = NULL;
        for (size_t other = 0; other < table->count && !base; other++)
            base = inject_row_is_base_of(&table->rows[other], row) ? &table->rows[other] : NULL;
        size_t size = sizeof row->guard;
        /* The work does not change a native function, so another size shows that the program was rebuilt. */
        bool rebuilt = base && strcmp(row->compiled, INJECT_NATIVE) == 0 && row->bytes != base->bytes;
        if (row->amount == 0)
            snprintf(row->guard, size, "ok");
        else if (!base)
            snprintf(row->guard, size, "invalid: no run without work");
        else if (rebuilt)
            snprintf(row->guard, size, "invalid: %u bytes of code (without work: %u)", (unsigned)row->bytes,
                     (unsigned)base->bytes);
        else if (!inject_table_has_decision(table, row, offsetof(struct inject_row, compiled)))
            snprintf(row->guard, size, "invalid: compiled %s (without work: %s)", row->compiled, base->compiled);
        else if (!inject_table_has_decision(table, row, offsetof(struct inject_row, inlined)))
            snprintf(row->guard, size, "invalid: inlined %s (without work: %s)", row->inlined, base->inlined);
        else
            snprintf(row->guard, size, "ok");
    }
}
