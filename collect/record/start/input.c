#include "collect/record/start/input.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/signals.h"
#include "base/temporary.h"

enum { PART_BYTES = 64 << 10 };
static const char SELF[] = "/proc/self/fd/0";

struct input {
    char *path; /* opened for each run; NULL: nothing is */
    off_t begin;
    int source; /* the pipe */
    int kept;   /* the temporary file of what has come through the pipe so far; -1: it is inherited */
    off_t kept_bytes;
    bool is_open; /* the source is this one's own descriptor */
    bool at_end;
    int error; /* of the pipe or of the temporary file */
    pthread_t thread;
    bool pumping;
    int to_run, stop;
    enum input_repeat repeat; /* of what is inherited */
    bool is_inherited_file;   /* it begins at `begin`, too */
    int line;                 /* the file with the empty line in place of a terminal; -1: none */
};

static int input_set_path(struct input *input, const char *path, off_t begin)
{
    input->path = strdup(path);
    input->begin = begin;
    return input->path ? 0 : ENOMEM;
}

/* From now on the pipe is read into a temporary file. */
static int input_buffer_pipe(struct input *input, int source)
{
    input->source = source;
    input->kept = temporary_file();
    return input->kept < 0 ? errno : 0;
}

static int input_choose_source(struct input *input, const char *file, bool several)
{
    struct stat status;
    if (file) {
        /* A FIFO is a pipe with a name: without a writer, open() would wait for one before any run begins. */
        if (access(file, R_OK) != 0 || stat(file, &status) != 0)
            return errno;
        if (S_ISDIR(status.st_mode))
            return EISDIR;
        if (!S_ISFIFO(status.st_mode))
            return input_set_path(input, file, 0);
        int source = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        input->is_open = source >= 0;
        return source < 0 ? errno : input_buffer_pipe(input, source);
    }
    if (fstat(STDIN_FILENO, &status) != 0)
        return 0;
    if (S_ISREG(status.st_mode)) {
        off_t begin = lseek(STDIN_FILENO, 0, SEEK_CUR);
        input->begin = begin > 0 ? begin : 0;
        input->is_inherited_file = !several;
        return several ? input_set_path(input, SELF, input->begin) : 0;
    }
    if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)) {
        input->repeat = several ? INPUT_REPEATS : INPUT_GONE;
        return several ? input_buffer_pipe(input, STDIN_FILENO) : 0;
    }
    input->repeat = isatty(STDIN_FILENO) ? INPUT_TERMINAL : INPUT_REPEATS;
    return 0;
}

int input_open(const char *file, bool several, struct input **out, struct error_text *message)
{
    struct input *input = calloc(1, sizeof *input);
    if (input)
        input->kept = input->line = -1;
    int error = input ? input_choose_source(input, file, several) : ENOMEM;
    *out = input;
    return error ? error_set(message, STATUS_BAD, "%.400s: %s", file ? file : "standard input", strerror(error)) : 0;
}

/* ---------------------------------------------------------------------------- from the pipe to the run -- */

/* Waits until the descriptor is ready. False if the run has ended, or closed its standard input. */
static bool input_wait_until_ready(const struct input *input, int fd, short events)
{
    struct pollfd waited[] = {{fd, events, 0}, {input->stop, POLLIN, 0}, {input->to_run, 0, 0}};
    while (poll(waited, sizeof waited / sizeof *waited, -1) < 0)
        if (errno != EINTR)
            return false;
    return waited[1].revents == 0 && !(waited[2].revents & POLLERR);
}

static bool input_write_part(const struct input *input, const char *part, size_t bytes)
{
    while (bytes > 0 && input_wait_until_ready(input, input->to_run, POLLOUT)) {
        ssize_t written = write(input->to_run, part, bytes);
        if (written < 0 && errno != EAGAIN && errno != EINTR)
            return false;
        if (written > 0) {
            part += written;
            bytes -= (size_t)written;
        }
    }
    return bytes == 0;
}

/* More of the pipe, into the temporary file. False at its end, or if that can't be done. */
static bool input_buffer_more(struct input *input)
{
    char part[PART_BYTES];
    if (input->at_end || input->error || !input_wait_until_ready(input, input->source, POLLIN))
        return false;
    ssize_t bytes = read(input->source, part, sizeof part);
    if (bytes < 0 && (errno == EINTR || errno == EAGAIN))
        return true;
    if (bytes < 0) {
        input->error = errno;
        return false;
    }
    input->at_end = bytes == 0;
    ssize_t written = bytes > 0 ? pwrite(input->kept, part, (size_t)bytes, input->kept_bytes) : 0;
    if (written != bytes)
        input->error = written < 0 ? errno : ENOSPC;
    else
        input->kept_bytes += bytes;
    return bytes > 0 && !input->error;
}

static void *input_run_pump(void *user)
{
    struct input *input = user;
    char part[PART_BYTES];
    off_t given = 0;
    do
        while (given < input->kept_bytes) {
            ssize_t bytes = pread(input->kept, part, sizeof part, given);
            if (bytes < 0)
                input->error = errno;
            if (bytes <= 0 || !input_write_part(input, part, (size_t)bytes))
                goto out;
            given += bytes;
        }
    while (input_buffer_more(input));
out:
    close(input->to_run);
    return NULL;
}

/* ---------------------------------------------------------------------------- a run -- */

static int input_open_at(const char *path, off_t begin, int *fd)
{
    *fd = open(path, O_RDONLY | O_CLOEXEC);
    return *fd >= 0 && (begin == 0 || lseek(*fd, begin, SEEK_SET) == begin) ? 0 : errno;
}

int input_begin(struct input *input, int *fd)
{
    assert(!input->pumping);
    *fd = -1;
    if (input->kept >= 0) {
        int ends[2];
        sigset_t before;
        input->stop = eventfd(0, EFD_CLOEXEC);
        if (input->stop < 0 || pipe2(ends, O_CLOEXEC) != 0)
            return errno;
        fcntl(ends[1], F_SETFL, O_NONBLOCK);
        input->to_run = ends[1];
        signals_block(&before); /* the recorder's are for its main thread, and a closed pipe is an error here */
        int error = pthread_create(&input->thread, NULL, input_run_pump, input);
        signals_restore(&before);
        input->pumping = error == 0;
        if (error) {
            close(ends[0]);
            close(ends[1]);
            return error;
        }
        *fd = ends[0];
        return 0;
    }
    return input->path ? input_open_at(input->path, input->begin, fd) : 0;
}

enum input_repeat input_can_repeat(const struct input *input)
{
    return input->repeat;
}

int input_begin_again(struct input *input, int *fd)
{
    assert(input->repeat != INPUT_GONE);
    if (input->is_inherited_file)
        return input_open_at(SELF, input->begin, fd);
    if (input->repeat == INPUT_REPEATS)
        return input_begin(input, fd);
    /* The run's descriptor shares its position with ours, which moves when the line is read. */
    *fd = -1;
    if (input->line >= 0)
        close(input->line);
    input->line = temporary_file();
    if (input->line < 0 || pwrite(input->line, "\n", 1, 0) != 1)
        return errno;
    *fd = fcntl(input->line, F_DUPFD_CLOEXEC, 0);
    return *fd < 0 ? errno : 0;
}

bool input_line_was_read(const struct input *input)
{
    return input->line >= 0 && lseek(input->line, 0, SEEK_CUR) > 0;
}

int input_end(struct input *input)
{
    uint64_t one = 1;
    if (!input->pumping)
        return 0;
    ssize_t written = write(input->stop, &one, sizeof one);
    (void)written;
    pthread_join(input->thread, NULL);
    close(input->stop);
    input->pumping = false;
    return input->error;
}

void input_close(struct input *input)
{
    if (!input)
        return;
    if (input->kept >= 0)
        close(input->kept);
    if (input->line >= 0)
        close(input->line);
    if (input->is_open)
        close(input->source);
    free(input->path);
    free(input);
}
