#include "collect/record/say.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static bool say_quiet;
static bool say_line_shown;

void say_init(bool quiet)
{
    say_quiet = quiet;
}

static void say_line(const char *format, va_list args)
{
    char line[8192];
    vsnprintf(line, sizeof line, format, args);
    say_clear_progress();
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, line); /* one write: other processes share this stream */
}

void say_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say_line(format, args);
    va_end(args);
}

void say_note(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!say_quiet)
        say_line(format, args);
    va_end(args);
}

bool say_shows_progress(void)
{
    return !say_quiet && isatty(STDERR_FILENO);
}

void say_progress(const char *format, ...)
{
    if (!say_shows_progress())
        return;
    char line[256];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    fprintf(stderr, "\r\033[K%s", line);
    say_line_shown = true;
}

void say_clear_progress(void)
{
    if (say_line_shown)
        fputs("\r\033[K", stderr);
    say_line_shown = false;
}
