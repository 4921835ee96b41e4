/* What is written takes the place of a file when it is whole, and only then. */
#include "base/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"

static const char *read_text(const char *path)
{
    static char text[64];
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (!file)
        return "(no file)";
    fclose(file);
    text[length] = '\0';
    return text;
}

static int write_text(const char *path, const char *text, int error)
{
    struct replacement file;
    int opened = replace_open(&file, path);
    if (opened)
        return opened;
    fputs(text, file.out);
    return replace_close(&file, error);
}

/* The files of the directory, beyond those that the test knows. */
static int file_count(void)
{
    FILE *list = popen("ls -A | wc -l", "r");
    int count = -1;
    if (!list || fscanf(list, "%d", &count) != 1)
        return -1;
    pclose(list);
    return count;
}

static void test_regular(void)
{
    struct stat status;
    umask(027);
    is_u64((uint64_t)write_text("new", "one", 0), 0, "a new file is written");
    is_text(read_text("new"), "one", "  as it was");
    ok(stat("new", &status) == 0 && (status.st_mode & 0777) == 0640, "  with the permissions of new files");
    chmod("new", 0600);
    is_u64((uint64_t)write_text("new", "two", ENOSPC), ENOSPC, "an error of writing is returned");
    is_text(read_text("new"), "one", "  and the old file stays");
    is_u64((uint64_t)write_text("new", "three", 0), 0, "it is replaced");
    ok(stat("new", &status) == 0 && (status.st_mode & 0777) == 0600, "  and keeps its permissions");
    is_u64((uint64_t)write_text("none/new", "x", 0), ENOENT, "there is no such directory");
    is_u64((uint64_t)file_count(), 1, "nothing else is left");
}

static void test_links(void)
{
    struct stat status;
    ok(symlink("new", "link") == 0 && symlink("later", "dangling") == 0, "two links");
    is_u64((uint64_t)write_text("link", "four", 0), 0, "a link is followed");
    ok(lstat("link", &status) == 0 && S_ISLNK(status.st_mode), "  and stays");
    is_text(read_text("new"), "four", "  its target is replaced");
    is_u64((uint64_t)write_text("dangling", "five", 0), 0, "a link to what is not there");
    is_text(read_text("later"), "five", "  makes it");
}

/* The number of a file, which a file that replaces it does not have. */
static uint64_t file_number(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (uint64_t)status.st_ino : 0;
}

/* Others know these files by more than their name. */
static void test_shared(void)
{
    struct stat status;
    ok(write_text("hard", "six", 0) == 0 && link("hard", "other") == 0, "a file with two names");
    is_u64((uint64_t)write_text("hard", "seven", 0), 0, "  is written");
    is_text(read_text("other"), "seven", "  under both");

    char name[256];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    is_u64((uint64_t)write_text(name, "eight", 0), 0, "the longest name");
    is_text(read_text(name), "eight", "  is written");
    unlink(name);

    if (geteuid() != 0) {
        skip("only root can give files away");
        return;
    }
    ok(write_text("foreign", "nine", 0) == 0 && chown("foreign", 65534, 65534) == 0, "a file of another owner");
    uint64_t number = file_number("foreign");
    is_u64((uint64_t)write_text("foreign", "ten", 0), 0, "  is written");
    ok(stat("foreign", &status) == 0 && status.st_uid == 65534 && file_number("foreign") == number,
       "  and stays theirs");
    is_text(read_text("foreign"), "ten", "  with the new text");
}

/* Writes as another user. The error, or -1. */
static int write_as_nobody(const char *path)
{
    pid_t child = fork();
    int status = 0;
    if (child == 0) {
        if (setgid(65534) != 0 || setuid(65534) != 0)
            _exit(255);
        _exit(write_text(path, "new", 0));
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_rights(void)
{
    if (geteuid() != 0) {
        skip("only root can become another user");
        return;
    }
    ok(chmod(".", 0755) == 0 && mkdir("sticky", 01777) == 0 && chmod("sticky", 01777) == 0, "a directory as /tmp is");
    ok(write_text("sticky/theirs", "old", 0) == 0 && chmod("sticky/theirs", 0666) == 0, "a file of root there");
    is_u64((uint64_t)write_as_nobody("sticky/theirs"), 0, "  can be written by all");
    is_text(read_text("sticky/theirs"), "new", "  and is");
    ok(chmod("sticky/theirs", 0444) == 0 && chown("sticky/theirs", 65534, 65534) == 0 &&
           write_as_nobody("sticky/theirs") == EACCES,
       "a file that its owner protects from writing stays");
}

/* What /dev/stdout stands for. */
static void test_output(void)
{
    fflush(stdout);
    int terminal = dup(STDOUT_FILENO), file = open("output", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    bool good = file >= 0 && dup2(file, STDOUT_FILENO) >= 0 && symlink("/proc/self/fd/1", "stdout") == 0;
    printf("first ");
    fflush(stdout);
    int named = write_text("stdout", "second ", 0);
    printf("third");
    fflush(stdout);
    good &= strcmp(read_text("output"), "first second third") == 0;
    unlink("output");
    int unnamed = write_text("stdout", " fourth", 0);
    char text[64] = "";
    good &= pread(file, text, sizeof text - 1, 0) > 0;
    dup2(terminal, STDOUT_FILENO);
    close(terminal);
    close(file);
    is_u64((uint64_t)named, 0, "the file of standard output is written");
    ok(good, "  after what it has, and before what follows");
    is_u64((uint64_t)unnamed, 0, "so is one without a name");
    is_text(text, "first second third fourth", "  as it should be");
    struct stat status;
    ok(lstat("stdout", &status) == 0 && S_ISLNK(status.st_mode), "  and its link stays");
}

static void test_special(void)
{
    struct stat status;
    is_u64((uint64_t)write_text("/dev/full", "x", 0), ENOSPC, "a full device is an error");
    ok(stat("/dev/full", &status) == 0 && S_ISCHR(status.st_mode), "  and stays a device");
    ok(write_text(".", "x", 0) == EISDIR, "a directory is an error");
}

/* Somebody who can write the directory has planted links and a pipe under names that are known beforehand. */
static void test_planted(void)
{
    int fd = open("victim", O_WRONLY | O_CREAT, 0600);
    ok(fd >= 0 && write(fd, "kept", 4) == 4 && close(fd) == 0, "a file that links point to");
    ok(symlink("victim", ".planted.tmp") == 0 && symlink("victim", "log") == 0 && mkfifo("pipe", 0600) == 0,
       "  and the links");
    fd = replace_create(".planted.tmp", 0600);
    ok(fd >= 0 && write(fd, "new", 3) == 3 && close(fd) == 0, "a temporary file is made where a link was");
    is_text(read_text(".planted.tmp"), "new", "  and is a file of its own");
    ok(replace_append("log", O_WRONLY) < 0 && errno == ELOOP, "nothing is appended through a link");
    ok(replace_append("pipe", O_RDWR) < 0 && errno == EINVAL, "nor to a pipe");
    ok(replace_append("pipe", O_WRONLY) < 0 && errno == ENXIO, "  which nobody reads, either");
    is_text(read_text("victim"), "kept", "the file that links point to is as it was");
    FILE *stream = replace_create_stream(".planted.tmp");
    ok(stream && fputs("newer", stream) >= 0 && fclose(stream) == 0, "what a killed program left is replaced");
    is_text(read_text(".planted.tmp"), "newer", "  completely");
    fd = replace_append("appended", O_WRONLY);
    ok(fd >= 0 && write(fd, "a", 1) == 1 && close(fd) == 0, "a file that is not there is made");
    fd = replace_append("appended", O_WRONLY);
    ok(fd >= 0 && write(fd, "b", 1) == 1 && close(fd) == 0, "  and grows");
    is_text(read_text("appended"), "ab", "  at its end");
    const char *const made[] = {"victim", ".planted.tmp", "log", "pipe", "appended"};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        unlink(made[i]);
}

int main(void)
{
    char directory[] = "/tmp/replace_test.XXXXXX", command[64];
    if (!mkdtemp(directory) || chdir(directory) != 0)
        return 1;
    test_regular();
    test_links();
    test_special();
    test_shared();
    test_rights();
    test_output();
    test_planted();
    snprintf(command, sizeof command, "rm -r %s", directory);
    ok(system(command) == 0, "the files are deleted");
    return done_testing();
}
