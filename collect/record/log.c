#include "collect/record/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/text.h"

static bool log_quiet;
static const char *log_mark = "";
static bool log_line_shown;

void log_init(bool quiet, const char *mark)
{
    log_quiet = quiet;
    log_mark = mark;
}

__attribute__((format(printf, 2, 0))) static void log_line(const char *mark, const char *format, va_list args)
{
    char line[8192];
    vsnprintf(line, sizeof line, format, args);
    text_tame(line);
    log_clear_progress();
    /* One write: other processes share this stream. */
    fprintf(stderr, "%s: %s%s\n", program_invocation_short_name, mark, line);
}

void log_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    log_line("", format, args);
    va_end(args);
}

void log_note(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!log_quiet)
        log_line(log_mark, format, args);
    va_end(args);
}

bool log_shows_progress(void)
{
    return !log_quiet && isatty(STDERR_FILENO);
}

void log_progress(const char *format, ...)
{
    if (!log_shows_progress())
        return;
    char line[256];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    text_tame(line);
    dprintf(STDERR_FILENO, "\r\033[K%s", line);
    log_line_shown = true;
}

void log_clear_progress(void)
{
    if (log_line_shown)
        dprintf(STDERR_FILENO, "\r\033[K");
    log_line_shown = false;
}
