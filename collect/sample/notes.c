/*
 * What the recorder prints about processes, which must not print anything themselves.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/replace.h"
#include "collect/sample/state.h"

static const rlim_t NOTES_MAX = 1 << 20; /* bytes */

enum { NOTE_BYTES = 440, LINE_BYTES = 512 }; /* a note, and its line with a process's number and name */

void sampler_note_of(const struct sampler_config *config, pid_t process, const char *name, const char *text)
{
    size_t path_bytes = strlen(config->directory) + strlen(config->prefix) + sizeof "/" SAMPLER_NOTES;
    char path[path_bytes], line[LINE_BYTES];
    snprintf(path, path_bytes, "%s/" SAMPLER_NOTES, config->directory, config->prefix);
    int length = snprintf(line, sizeof line, "%d\t%s\t%s\n", (int)process, name, text);
    int fd = replace_append(path, O_WRONLY);
    if (fd < 0)
        return;
    if (length >= LINE_BYTES)
        line[(length = LINE_BYTES - 1) - 1] = '\n';
    ssize_t written = write(fd, line, (size_t)length);
    (void)written; /* the note is lost, not the trace */
    close(fd);
}

/* More than the program may write would be a signal for it. */
void sampler_note_early(const struct sampler_config *config, const char *text)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= NOTES_MAX)
        sampler_note_of(config, getpid(), program_invocation_short_name, text);
}

void sampler_note(const char *text)
{
    if (!sampler.board || !sampler_active() || !pool_log_note(sampler.board, text))
        sampler_note_early(&sampler.config, text);
}

void sampler_report(const char *format, ...)
{
    static const char MORE[] = " ...";
    char text[NOTE_BYTES];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (length >= (int)sizeof text)
        memcpy(text + sizeof text - sizeof MORE, MORE, sizeof MORE);
    if (sampler.config.recorder_pid)
        sampler_note(text);
    else
        fprintf(stderr, "assay: process %d: %s\n", (int)sampler.process, text);
}
