#include "collect/experiment/state/machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/error_text.h"
#include "base/text.h"
#include "collect/experiment/state/digest.h"

/* The first line of a file, without its end; "" if there is none. */
static void machine_read_line(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "re");
    *line = '\0';
    if (file && fgets(line, (int)size, file))
        line[strcspn(line, "\n")] = '\0';
    else
        *line = '\0';
    if (file)
        fclose(file);
}

static void machine_read_cpu(char *name, size_t size)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");
    *name = '\0';
    while (file && !*name && fgets(line, sizeof line, file))
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':'))
            snprintf(name, size, "%.*s", (int)strcspn(strchr(line, ':') + 2, "\n"), strchr(line, ':') + 2);
    if (file)
        fclose(file);
}

/* What the command's -version prints first. */
static json_t *machine_java_version(struct obstack *memory, struct launcher *launcher, const char *java)
{
    struct words words = {0};
    int status;
    words_add(memory, &words, java);
    words_add(memory, &words, "-version");
    const char *text = start_read(memory, launcher, &words, NULL, &status);
    return text ? text_json(text, strcspn(text, "\n")) : json_string("");
}

json_t *machine_describe(struct obstack *memory, struct launcher *launcher, const struct plan *plan)
{
    char id[256], cpu[256], governor[64];
    struct utsname system;
    struct sysinfo amounts = {0};
    machine_read_line("/etc/machine-id", id, sizeof id);
    if (*id) { /* which is confidential, see machine-id(5) */
        struct sha256_ctx digest;
        char text[DIGEST_TEXT];
        sha256_init(&digest);
        digest_add(&digest, "assay experiment");
        digest_add(&digest, id);
        digest_finish(&digest, text);
        snprintf(id, sizeof id, "%.16s", text);
    }
    machine_read_cpu(cpu, sizeof cpu);
    machine_read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", governor, sizeof governor);
    sysinfo(&amounts);
    json_t *java = json_object();
    for (size_t i = 0; i < plan->cell_count; i++) {
        const char *program = plan->cells[i].command.list[0], *slash = strrchr(program, '/');
        if (strcmp(slash ? slash + 1 : program, "java") == 0 && !json_object_get(java, program))
            text_json_set(java, program, machine_java_version(memory, launcher, program));
    }
    return json_pack("{s:s, s:o, s:I, s:I, s:s, s:s, s:s, s:o}", "id", id, "cpu", text_json(cpu, strlen(cpu)), "cores",
                     (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "memory_bytes",
                     (json_int_t)(amounts.totalram * (uint64_t)amounts.mem_unit), "kernel",
                     uname(&system) == 0 ? system.release : "", "governor", governor, "assay", ASSAY_VERSION, "java",
                     java);
}

static void machine_print_value(const json_t *value, char *text, size_t size)
{
    if (json_is_string(value))
        snprintf(text, size, "%s", *json_string_value(value) ? json_string_value(value) : "unknown");
    else if (json_is_integer(value))
        snprintf(text, size, "%lld", (long long)json_integer_value(value));
    else
        snprintf(text, size, "unknown");
}

/* Adds the members that differ; those that only one object has differ, too. */
static void machine_compare_members(const json_t *before, const json_t *now, char *text, size_t size)
{
    const char *key;
    json_t *was;
    json_object_foreach((json_t *)(uintptr_t)before, key, was)
    {
        char part[400], old[160], new[160];
        const json_t *is = json_object_get(now, key);
        if (json_is_object(was)) {
            machine_compare_members(was, is, text, size);
            continue;
        }
        double a = (double)json_integer_value(was), b = (double)json_integer_value(is);
        bool same = json_equal(was, is) ||
                    (strcmp(key, "memory_bytes") == 0 && json_is_integer(is) && a <= 1.01 * b && b <= 1.01 * a);
        if (same)
            continue;
        machine_print_value(was, old, sizeof old);
        machine_print_value(is, new, sizeof new);
        snprintf(part, sizeof part, "%.60s was %.140s and is %.140s", key, old, new);
        error_list(text, size, part);
    }
}

void machine_compare(const json_t *before, const json_t *now, char *text, size_t size)
{
    *text = '\0';
    machine_compare_members(before, now, text, size);
}

double machine_load(void)
{
    double load;
    return getloadavg(&load, 1) == 1 ? load : -1;
}
