#include "collect/inject/native_side.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool native_is_name(const char *method)
{
    size_t length = strcspn(method, "(<");
    if (method[length] == '<' && length > 0 && method[length - 1] == '.') /* a constructor: <init> */
        return memchr(method, ':', length);
    return memchr(method, ':', length) || !memchr(method, '.', length);
}

char *native_preload(const char *library)
{
    const char *before = getenv("LD_PRELOAD");
    bool any = before && *before;
    char *value = NULL;
    return asprintf(&value, "%s%s%s", library, any ? ":" : "", any ? before : "") < 0 ? NULL : value;
}

void native_read_report(const char *path, struct native_gathered *all)
{
    struct native_report report;
    FILE *file = fopen(path, "re");
    bool good = file && fread(&report, sizeof report, 1, file) == 1 && report.magic == NATIVE_REPORT_MAGIC;
    if (file)
        fclose(file);
    if (!good)
        return;
    all->processes++;
    all->functions += report.functions;
    all->calls += report.calls;
    all->elsewhere += report.elsewhere;
    all->cpu_ns += report.cpu_ns;
    all->bytes = report.bytes > all->bytes ? report.bytes : all->bytes;
    if (*report.ambiguous)
        memcpy(all->ambiguous, report.ambiguous, sizeof all->ambiguous);
    if (!*all->module)
        memcpy(all->module, report.module, sizeof all->module);
}

void native_describe(const struct native_gathered *all, struct inject_row *row)
{
    const char *inlined = all->elsewhere == 0 ? "no" : all->elsewhere < all->calls ? "partly" : "yes";
    if (all->cpu_ns > 0)
        row->jvm_cpu_ms = (double)all->cpu_ns / 1e6;
    if (all->calls == 0)
        return;
    snprintf(row->compiled, sizeof row->compiled, INJECT_NATIVE);
    snprintf(row->inlined, sizeof row->inlined, "%s", inlined);
    row->bytes = (uint32_t)all->bytes;
}

int native_check_report(const char *method, const struct native_gathered *all, bool ended_well,
                        struct error_text *message)
{
    if (*all->ambiguous)
        return error_set(message, STATUS_BAD, "%.100s is the name of several functions: write %.360s", method,
                         all->ambiguous);
    if (!ended_well)
        return STATUS_GOOD; /* it may not have got that far */
    if (all->processes == 0)
        return error_set(
            message, STATUS_BAD,
            "%.100s: no program of the command calls hooks: compile it with -finstrument-functions and link it "
            "dynamically (methods of Java are named package.Class.method)",
            method);
    if (all->functions == 0)
        return error_set(
            message, STATUS_BAD,
            "%.100s: no program or library of the command that calls hooks has a function of that name in its "
            "symbols (the first is %.200s)",
            method, all->module);
    if (all->calls == 0)
        return error_set(message, STATUS_BAD,
                         "%.100s: the function is not called in this command, or its file was compiled without "
                         "-finstrument-functions",
                         method);
    return STATUS_GOOD;
}
