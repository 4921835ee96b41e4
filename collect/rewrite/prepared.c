#include "collect/rewrite/prepared.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/hash.h"
#include "collect/rewrite/agent.h"
#include "collect/rewrite/methods.h"

extern char **environ;

struct classes {
    struct prepared_class *all;
    uint32_t count;
    size_t capacity;
};

static struct {
    char path[PREPARED_PATH_MAX];
    struct classes base, runtime;
    struct hash names; /* of `base`; an id is the index plus 1 */
    const char *intrinsics;
    uint32_t skipped;
} file;

const char *prepared_intrinsics(void)
{
    return file.intrinsics ? file.intrinsics : "";
}

/* ------------------------------------------------------------------------------------------ reading -- */

/* The class's bytes, after `before` bytes, then its name. */
static bool prepared_add_class(struct classes *classes, const unsigned char *part, uint32_t size)
{
    uint32_t head[2];
    struct prepared_class *grown = grow_unset(classes->all, &classes->capacity, classes->count, sizeof *grown);
    if (!grown || size < sizeof head + 1 || part[size - 1] != '\0')
        return false;
    classes->all = grown;
    memcpy(head, part, sizeof head);
    bool base = classes == &file.base;
    uint32_t bytes = head[base ? 1 : 0];
    if (bytes > size - sizeof head - 1)
        return false;
    classes->all[classes->count++] = (struct prepared_class){.name = (const char *)part + sizeof head + bytes,
                                                             .bytes = part + sizeof head,
                                                             .size = bytes,
                                                             .checksum = base ? head[0] : 0};
    return !base || hash_add(&file.names, hash_text(classes->all[classes->count - 1].name, 0), classes->count) == 0;
}

static bool prepared_add_reference(const char *part, uint32_t size)
{
    const char *texts[3], *end = part + size;
    for (size_t i = 0; i < 3; i++) {
        texts[i] = part;
        const char *nul = memchr(part, '\0', (size_t)(end - part));
        if (!nul)
            return false;
        part = nul + 1;
    }
    return statics_add_prepared(texts[0], texts[1], texts[2]);
}

static bool prepared_parse_part(uint32_t tag, const unsigned char *part, uint32_t size)
{
    uint32_t number;
    switch (tag) {
    case 'C':
        return prepared_add_class(&file.base, part, size);
    case 'R':
        return prepared_add_class(&file.runtime, part, size);
    case 'M':
        number = methods_reserve();
        /* Some that were too large for probes, and begun again without them, have no description. */
        return number && (size == 0 || methods_define(number, part, size));
    case 'S':
        return prepared_add_reference((const char *)part, size);
    case 'I':
        file.intrinsics = (const char *)part;
        return size > 0 && part[size - 1] == '\0';
    case 'L':
        file.skipped++;
        return true;
    default:
        return true;
    }
}

static bool prepared_parse_parts(const unsigned char *bytes, size_t size)
{
    for (size_t at = 0; at + 8 <= size;) {
        uint32_t head[2];
        memcpy(head, bytes + at, sizeof head);
        at += sizeof head;
        if (head[0] == 'E')
            return true;
        if (head[1] > size - at || !prepared_parse_part(head[0], bytes + at, head[1]))
            return false;
        at += (head[1] + (size_t)7) & ~(size_t)7;
    }
    return false;
}

/* 0, or an errno value; EILSEQ: it is not whole. The mapping stays. */
static int prepared_read_file(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    int error = fstat(fd, &status) != 0 ? errno : status.st_size == 0 ? EILSEQ : 0;
    void *bytes = error ? MAP_FAILED : mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (!error && bytes == MAP_FAILED)
        error = errno;
    close(fd);
    if (!error && !prepared_parse_parts(bytes, (size_t)status.st_size))
        error = EILSEQ;
    return error;
}

const struct prepared_class *prepared_runtime(size_t number)
{
    return number < file.runtime.count ? &file.runtime.all[number] : NULL;
}

uint32_t prepared_skipped(void)
{
    return file.skipped;
}

static bool prepared_name_matches(const void *name, uint32_t id)
{
    return strcmp(file.base.all[id - 1].name, name) == 0;
}

const struct prepared_class *prepared_find(const char *name)
{
    uint32_t id = hash_find(&file.names, hash_text(name, 0), prepared_name_matches, name);
    return id ? &file.base.all[id - 1] : NULL;
}

/* ------------------------------------------------------------------------------------------ making -- */

/* What the file depends on: the JDK's classes and the rewriter. */
static uint64_t prepared_mix_file_key(const char *path, uint64_t key)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return key;
    key = hash_mix(key, (uint64_t)status.st_size);
    key = hash_mix(key, (uint64_t)status.st_mtim.tv_sec);
    return hash_mix(key, (uint64_t)status.st_mtim.tv_nsec);
}

/* The directory of the cache, made if need be. False if there can be none. */
static bool prepared_find_cache(char *path, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && *cache == '/')
        snprintf(path, size, "%s", cache);
    else if (home && *home == '/')
        snprintf(path, size, "%s/.cache", home);
    else
        return false;
    mkdir(path, 0700);
    size_t length = strlen(path);
    snprintf(path + length, size - length, "/assay");
    mkdir(path, 0700);
    return access(path, W_OK | X_OK) == 0;
}

/* The environment without what would bring this agent, or another one, into the process. */
static char **prepared_clean_environment(void)
{
    static const char *const without[] = {
        "JAVA_TOOL_OPTIONS=", "_JAVA_OPTIONS=", "JDK_JAVA_OPTIONS=", "LD_PRELOAD=", "ASSAY_RECORD="};
    size_t count = 0, copied = 0;
    while (environ[count])
        count++;
    char **made = calloc(count + 1, sizeof *made);
    for (size_t i = 0; made && i < count; i++) {
        bool keep = true;
        for (size_t j = 0; j < sizeof without / sizeof *without; j++)
            keep &= strncmp(environ[i], without[j], strlen(without[j])) != 0;
        if (keep)
            made[copied++] = environ[i];
    }
    return made;
}

/* Runs the JDK's java; what it prints is discarded. 0, or an errno value; ECHILD: it failed. */
static int prepared_run_java(const char *java_home, const char *jar, const char *variant, const char *out)
{
    char java[PREPARED_PATH_MAX + 16];
    snprintf(java, sizeof java, "%s/bin/java", java_home);
    char *words[] = {java,
                     (char[]){"-XX:+IgnoreUnrecognizedVMOptions"}, /* these suit a run of some seconds */
                     (char[]){"-XX:TieredStopAtLevel=1"},
                     (char[]){"-XX:+UseSerialGC"},
                     (char[]){"-cp"},
                     (char *)(uintptr_t)jar,
                     (char[]){"assay.accesses.Prepare"},
                     (char *)(uintptr_t)out,
                     (char *)(uintptr_t)variant,
                     NULL};
    char **environment = prepared_clean_environment();
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status, error = environment ? posix_spawn_file_actions_init(&actions) : ENOMEM;
    if (error) {
        free(environment);
        return error;
    }
    for (int fd = 0; fd < 3; fd++)
        posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", fd ? O_WRONLY : O_RDONLY, 0);
    error = posix_spawn(&child, java, &actions, NULL, words, environment);
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    if (error)
        return error;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return errno;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : ECHILD;
}

static int prepared_make_file(const char *java_home, const char *variant, const char *jar)
{
    static const struct {
        const char *variant, *text;
    } USES[] = {{"bursts", " (and for --burst)"},
                {"lengths", " (and for --array-lengths)"},
                {"lengths-bursts", " (and for --array-lengths in bursts)"},
                {"memory", " (and for mode memory)"}};
    const char *use = "";
    for (size_t i = 0; i < sizeof USES / sizeof *USES; i++)
        if (strcmp(variant, USES[i].variant) == 0)
            use = USES[i].text;
    char fresh[PREPARED_PATH_MAX + 32];
    snprintf(fresh, sizeof fresh, "%s.%d", file.path, (int)getpid());
    accesses_print("preparing the classes of %s; this takes some seconds, once for each JDK%s", java_home, use);
    int error = prepared_run_java(java_home, jar, variant, fresh);
    if (!error && rename(fresh, file.path) != 0)
        error = errno;
    if (error)
        unlink(fresh);
    else {
        /* Files of this JDK that are out of date. `path` without its key begins all of them. */
        char pattern[PREPARED_PATH_MAX + 8];
        glob_t found;
        snprintf(pattern, sizeof pattern, "%.*s*", (int)(strrchr(file.path, '-') + 1 - file.path), file.path);
        if (glob(pattern, 0, NULL, &found) == 0) {
            for (size_t i = 0; i < found.gl_pathc; i++)
                if (strcmp(found.gl_pathv[i], file.path) != 0 && !strchr(strrchr(found.gl_pathv[i], '-'), '.'))
                    unlink(found.gl_pathv[i]);
            globfree(&found);
        }
    }
    return error;
}

bool prepared_open(const char *java_home, const char *variant, const char *spare)
{
    char jar[PREPARED_PATH_MAX], modules[PREPARED_PATH_MAX], directory[PREPARED_PATH_MAX - 64];
    if (!accesses_find_file("assay-accesses.jar", jar, sizeof jar)) {
        accesses_print("lib/assay/assay-accesses.jar: %s; this JVM is not recorded", strerror(errno));
        return false;
    }
    snprintf(modules, sizeof modules, "%s/lib/modules", java_home);
    if (!prepared_find_cache(directory, sizeof directory))
        snprintf(directory, sizeof directory, "%s", spare);
    snprintf(file.path, sizeof file.path, "%s/%s-%08x-%016llx", directory, variant, (unsigned)hash_text(java_home, 0),
             (unsigned long long)prepared_mix_file_key(jar, prepared_mix_file_key(modules, 0)));
    int error = prepared_read_file(file.path);
    if (error == ENOENT) {
        error = prepared_make_file(java_home, variant, jar);
        error = error ? error : prepared_read_file(file.path);
    }
    if (error)
        accesses_print("%s can't be %s: %s; this JVM is not recorded", file.path, error == ECHILD ? "made" : "used",
                       error == ECHILD   ? "bin/java of this JDK failed"
                       : error == EILSEQ ? "it is damaged; remove it"
                                         : strerror(error));
    return !error;
}
