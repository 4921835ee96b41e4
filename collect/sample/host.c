#include "collect/sample/host.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect/sample/task.h"

/* The first size − 1 bytes of a file, terminated; the length, or −1. */
static ssize_t host_read_file(const char *path, char *out, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    size_t length = 0;
    assert(size > 0);
    ssize_t got;
    while (length < size - 1 && (got = read(fd, out + length, size - 1 - length)) > 0)
        length += (size_t)got;
    close(fd);
    out[length] = '\0';
    return (ssize_t)length;
}

static void host_set_text(json_t *metadata, const char *key, const char *text)
{
    /* Arguments and paths are bytes; JSON accepts only UTF-8. */
    json_t *value = json_string(text);
    if (value) {
        json_object_set_new(metadata, key, value);
        return;
    }
    char *clean = strdup(text);
    for (char *c = clean; c && *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    if (clean)
        json_object_set_new(metadata, key, json_string(clean));
    free(clean);
}

static void host_set_number(json_t *metadata, const char *key, uint64_t value)
{
    json_object_set_new(metadata, key, json_integer((json_int_t)value));
}

void host_describe_process(json_t *metadata, pid_t pid, const char *exe, const char *arguments, size_t bytes)
{
    host_set_number(metadata, "pid", (uint64_t)pid);
    if (*exe)
        host_set_text(metadata, "exe", exe);
    json_t *list = json_array(), *holder = json_object();
    for (size_t at = 0; at < bytes; at += strlen(arguments + at) + 1) {
        host_set_text(holder, "argument", arguments + at);
        json_array_append(list, json_object_get(holder, "argument"));
    }
    json_decref(holder);
    json_object_set_new(metadata, "arguments", list);
}

void host_describe_start(json_t *metadata, uint64_t monotonic_ns, struct timespec now)
{
    struct timespec resolution;
    struct tm parts;
    char text[64], whole[96];
    clock_getres(CLOCK_MONOTONIC, &resolution);
    host_set_number(metadata, "clock_resolution_ns",
                    (uint64_t)resolution.tv_sec * UINT64_C(1000000000) + (uint64_t)resolution.tv_nsec);
    host_set_number(metadata, "start_monotonic_ns", monotonic_ns);
    gmtime_r(&now.tv_sec, &parts);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(whole, sizeof whole, "%s.%06ldZ", text, now.tv_nsec / 1000);
    host_set_text(metadata, "start_realtime", whole);
}

void host_describe_machine(json_t *metadata)
{
    struct utsname name;
    char text[4096];
    if (uname(&name) == 0) {
        char kernel[sizeof name.sysname + sizeof name.release + sizeof name.machine + 3];
        snprintf(kernel, sizeof kernel, "%s %s %s", name.sysname, name.release, name.machine);
        host_set_text(metadata, "host", name.nodename);
        host_set_text(metadata, "kernel", kernel);
    }
    if (host_read_file("/proc/sys/kernel/perf_event_paranoid", text, sizeof text) > 0)
        json_object_set_new(metadata, "perf_event_paranoid", json_integer(strtol(text, NULL, 10)));
    if (host_read_file("/proc/cpuinfo", text, sizeof text) > 0) {
        char *model = strstr(text, "model name");
        char *value = model ? strchr(model, ':') : NULL;
        if (value) {
            value += strspn(value, ": ");
            value[strcspn(value, "\n")] = '\0';
            host_set_text(metadata, "cpu", value);
        }
    }
    host_set_number(metadata, "cpu_count", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
    if (host_read_file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", text, sizeof text) > 0) {
        text[strcspn(text, "\n")] = '\0';
        host_set_text(metadata, "governor", text);
    }
    if (host_read_file("/sys/devices/system/cpu/intel_pstate/no_turbo", text, sizeof text) > 0)
        json_object_set_new(metadata, "turbo", json_boolean(text[0] == '0'));
    else if (host_read_file("/sys/devices/system/cpu/cpufreq/boost", text, sizeof text) > 0)
        json_object_set_new(metadata, "turbo", json_boolean(text[0] == '1'));
}

void host_describe(json_t *metadata)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    char exe[4096], arguments[16384];
    ssize_t length = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[length > 0 ? length : 0] = '\0';
    length = host_read_file("/proc/self/cmdline", arguments, sizeof arguments);
    host_describe_process(metadata, task_process(), exe, arguments, length > 0 ? (size_t)length : 0);
    host_describe_machine(metadata);
    host_describe_start(metadata, clock_ns(CLOCK_MONOTONIC), now);
}
