/* What is written takes the place of a file when it is whole, and only then. */
#include "base/replace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

static void test_special(void)
{
    struct stat status;
    is_u64((uint64_t)write_text("/dev/full", "x", 0), ENOSPC, "a full device is an error");
    ok(stat("/dev/full", &status) == 0 && S_ISCHR(status.st_mode), "  and stays a device");
    ok(write_text(".", "x", 0) == EISDIR, "a directory is an error");
}

int main(void)
{
    char directory[] = "/tmp/replace_test.XXXXXX", command[64];
    if (!mkdtemp(directory) || chdir(directory) != 0)
        return 1;
    test_regular();
    test_links();
    test_special();
    snprintf(command, sizeof command, "rm -r %s", directory);
    ok(system(command) == 0, "the files are deleted");
    return done_testing();
}
