#include "collect/agents/native/select.h"

#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collect/agents/native/code_range.h"
#include "collect/agents/native/native.h"

static struct {
    pthread_mutex_t lock;
    bool held_at_fork;
    struct choice *choice;
    bool has_probes; /* select_has() has been asked about a function */
    pid_t process;
} own = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct passed_table *select_passed;

/* ---------------------------------------------------------------------------- loaded files -- */

static const char *select_file_path(const struct dl_phdr_info *info)
{
    return *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
}

/* What dl_iterate_phdr() searches for. */
struct search {
    uint64_t address;
    struct choice_file *file;
};

static int select_match_file(struct dl_phdr_info *info, size_t size, void *user)
{
    const struct search *search = user;
    struct pool_module range = {.bias = info->dlpi_addr};
    (void)size;
    code_range_read(&range, info->dlpi_phdr, info->dlpi_phnum);
    if (search->address < range.low || search->address >= range.high)
        return 0;
    search->file->low = range.low;
    search->file->high = range.high;
    search->file->bias = range.bias;
    snprintf(search->file->path, sizeof search->file->path, "%s", select_file_path(info));
    char exe[sizeof search->file->path];
    ssize_t length = *info->dlpi_name ? 0 : readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[length > 0 ? length : 0] = '\0';
    const char *whole = *info->dlpi_name ? info->dlpi_name : exe, *slash = strrchr(whole, '/');
    snprintf(search->file->name, sizeof search->file->name, "%.*s", (int)sizeof search->file->name - 1,
             slash ? slash + 1 : whole);
    return 1;
}

static bool select_find_file(void *nothing, uint64_t address, struct choice_file *file)
{
    struct search search = {address, file};
    (void)nothing;
    return linker_each(select_match_file, &search) != 0;
}

struct visit {
    void (*visit)(const char *path, void *arg);
    void *arg;
};

static int select_visit_file(struct dl_phdr_info *info, size_t size, void *user)
{
    const struct visit *visit = user;
    (void)size;
    visit->visit(select_file_path(info), visit->arg);
    return 0;
}

static void select_each_file(void *nothing, void (*visit)(const char *path, void *arg), void *arg)
{
    (void)nothing;
    linker_each(select_visit_file, &(struct visit){visit, arg});
}

/* ---------------------------------------------------------------------------- asking -- */

void select_prepare(const json_t *wanted)
{
    static const struct choice_files files = {.find = select_find_file, .each = select_each_file};
    own.process = getpid();
    own.choice = choice_new(wanted, &files);
    if (!own.choice)
        return;
    select_passed = &methods_tables()->passed;
    choice_set_table(own.choice, select_passed);
    if (*choice_error(own.choice))
        sampler_report("%s", choice_error(own.choice));
}

bool select_wanted(void)
{
    return own.choice != NULL;
}

bool select_has(uint64_t address)
{
    if (!own.choice)
        return true;
    pthread_mutex_lock(&own.lock);
    own.has_probes = true;
    bool has = choice_has(own.choice, address);
    pthread_mutex_unlock(&own.lock);
    return has;
}

/* The table of another process that decides is its own: what this one finds out goes into one of its own, too. */
void select_begin(void)
{
    if (own.choice)
        select_passed = &methods_tables()->passed;
    select_report_probes();
}

void select_report_probes(void)
{
    if (!own.choice || !methods_are_outside())
        return;
    pthread_mutex_lock(&own.lock);
    choice_marks(own.choice, methods_tables()->lines_recorded);
    if (own.has_probes)
        atomic_store(&methods_tables()->has_probes, 1);
    pthread_mutex_unlock(&own.lock);
}

/* ---------------------------------------------------------------------------- fork, unloading, the end -- */

void select_before_fork(void)
{
    own.held_at_fork = linker_lock_before_fork(&own.lock);
}

void select_after_fork_in_parent(void)
{
    if (own.held_at_fork)
        pthread_mutex_unlock(&own.lock);
}

void select_after_fork_in_child(void)
{
    pthread_mutex_init(&own.lock, NULL);
}

void select_forget(void)
{
    if (!own.choice)
        return;
    pthread_mutex_lock(&own.lock);
    choice_forget(own.choice);
    pthread_mutex_unlock(&own.lock);
}

void select_report(void)
{
    char text[512];
    if (!own.choice || !own.has_probes || getpid() != own.process)
        return;
    own.process = 0; /* once */
    if (!methods_are_outside() && choice_missing(own.choice, text, sizeof text))
        sampler_report("%s", text);
}
