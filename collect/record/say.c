#include "collect/record/say.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static bool say_quiet;
static const char *say_mark = "";
static bool say_line_shown;

void say_init(bool quiet, const char *mark)
{
    say_quiet = quiet;
    say_mark = mark;
}

static void say_line(const char *mark, const char *format, va_list args)
{
    char line[8192];
    vsnprintf(line, sizeof line, format, args);
    say_clear_progress();
    /* One write: other processes share this stream. */
    fprintf(stderr, "%s: %s%s\n", program_invocation_short_name, mark, line);
}

void say_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say_line("", format, args);
    va_end(args);
}

void say_note(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!say_quiet)
        say_line(say_mark, format, args);
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
