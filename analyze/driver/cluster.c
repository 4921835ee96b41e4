#include "analyze/driver/cluster.h"
#include "analyze/driver/state.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------------------------------ the job -- */

static long cluster_read_environment(const char *const *names, long none)
{
    for (; *names; names++) {
        const char *text = getenv(*names);
        if (text && *text)
            return strtol(text, NULL, 10);
    }
    return none;
}

static long cluster_launcher_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", NULL};
    return cluster_read_environment(names, -1);
}

/* Slurm uses its own variable for the number of PMIx's processes. */
static bool cluster_is_one_of_several(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS", NULL};
    const char *wanted = getenv("ASSAY_MPI");
    return cluster_launcher_rank() >= 0 && cluster_read_environment(names, 1) > 1 &&
           !(wanted && strcmp(wanted, "0") == 0);
}

/* Whether, according to the launcher's environment, this process will be one of several ranks, but not rank 0. With
 * ASSAY_MPI=0: never; each process works on its own. */
static bool cluster_is_follower(void)
{
    return cluster_is_one_of_several() && cluster_launcher_rank() > 0;
}

static int saved_fds[2] = {-1, -1};

/* A launcher that sees a process end with an error ends the others at once, so a follower that finds the same error as
 * rank 0 gives that the time to report it. The launcher's signal ends the wait. */
static void cluster_await_report(void)
{
    enum { REPORT_S = 10 };
    sleep(REPORT_S);
}

static void cluster_delay_failed_exit(int status, void *unused)
{
    (void)unused;
    if (status != 0 && saved_fds[0] >= 0)
        cluster_await_report();
}

void cluster_hush(void)
{
    if (cluster_is_follower())
        on_exit(cluster_delay_failed_exit, NULL);
    int nowhere = cluster_is_follower() ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
    for (int fd = STDOUT_FILENO; nowhere >= 0 && fd <= STDERR_FILENO; fd++) {
        saved_fds[fd - 1] = fcntl(fd, F_DUPFD_CLOEXEC, 3);
        dup2(nowhere, fd);
    }
    if (nowhere >= 0)
        close(nowhere);
}

void cluster_unhush(void)
{
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        if (saved_fds[fd - 1] >= 0) {
            dup2(saved_fds[fd - 1], fd);
            close(saved_fds[fd - 1]);
        }
        saved_fds[fd - 1] = -1;
    }
}

static int cluster_load_link(const struct cluster_link **link, struct error_text *error_text)
{
    char program[PATH_MAX], path[PATH_MAX + 64];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    snprintf(path, sizeof path, "%.*s/../../lib/assay/" CLUSTER_LINK_LIBRARY, slash ? (int)(slash - program) : 0,
             program);
    /* Global, since the components of Open MPI look for its symbols. */
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    *link = library ? dlsym(library, CLUSTER_LINK_SYMBOL) : NULL;
    const char *why = *link ? NULL : dlerror();
    return *link ? STATUS_GOOD : error_set(error_text, STATUS_BAD, "%s", why ? why : "no reason was given");
}

int cluster_join(struct cluster *cluster, const char *program)
{
    struct error_text error_text;
    *cluster = (struct cluster){.size = 1, .local_size = 1};
    if (!cluster_is_one_of_several())
        return 0;
    if (cluster_load_link(&cluster->link, &error_text) != 0) {
        if (cluster_is_follower())
            cluster_await_report();
        else
            result_print_error(
                program,
                "this is one of several processes that mpirun or srun has started, but assay can't use MPI "
                "(%s); install libopenmpi-dev and build again, or start one process",
                error_text.text);
        return 1;
    }
    cluster->link->init(&cluster->rank, &cluster->size, &cluster->local_size);
    if (cluster->size > 1)
        return 0;
    if (cluster_is_follower())
        cluster_await_report();
    else
        result_print_error(
            program, "the launcher has started several processes, but the MPI that assay was built with sees one; "
                     "start them with its own mpirun, or with srun --mpi=pmix (ASSAY_MPI=0: each runs on its own)");
    cluster_leave(cluster);
    return 1;
}

void cluster_leave(struct cluster *cluster)
{
    if (cluster->link)
        cluster->link->finalize();
}

long cluster_processors(const struct cluster *cluster)
{
    cpu_set_t mine;
    long online = sysconf(_SC_NPROCESSORS_ONLN), all = online > 1 ? online : 1;
    if (!cluster->link)
        return all;
    /* A rank that the launcher has bound to some processors has these for itself. */
    long bound = sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine) : all;
    long part = all / cluster->local_size;
    return bound < all ? bound : part > 1 ? part : 1;
}

/* ------------------------------------------------------------------------------------------ sharing out -- */

/* owners[i], initially 0: the rank that takes path i, the one whose share of all bytes contains its middle. `weights`
 * has capacity for as many. */
static void cluster_choose_owners(const struct settings *settings, int size, double *weights, int *owners)
{
    double all = 0, before = 0;
    struct stat file;
    for (size_t i = 0; i < settings->common.path_count; i++)
        if (strcmp(settings->common.paths[i], "-") == 0) /* only rank 0 has the standard input */
            return;
    for (size_t i = 0; i < settings->common.path_count; i++) {
        /* The bytes of the file, plus one for the constant work per file. */
        weights[i] = stat(settings->common.paths[i], &file) == 0 ? (double)file.st_size + 1 : 1;
        all += weights[i];
    }
    for (size_t i = 0; i < settings->common.path_count; before += weights[i++]) {
        int owner = (int)((before + weights[i] / 2) / all * size);
        owners[i] = owner < size ? owner : size - 1;
    }
}

/* Rank 0's paths, each terminated by 0, in one array; the others get theirs. NULL without memory. */
static char *cluster_share_texts(const struct cluster *cluster, const struct common *common, size_t *count)
{
    size_t sizes[2] = {common->path_count, 0}; /* paths, bytes */
    for (size_t i = 0; i < common->path_count; i++)
        sizes[1] += strlen(common->paths[i]) + 1;
    cluster->link->share(sizes, sizeof sizes);
    char *texts = malloc(sizes[1] + 1), *at = texts;
    for (size_t i = 0; cluster->rank == 0 && texts && i < common->path_count; i++)
        at = stpcpy(at, common->paths[i]) + 1;
    if (texts)
        cluster->link->share(texts, sizes[1]);
    *count = sizes[0];
    return texts;
}

int cluster_broadcast_paths(const struct cluster *cluster, struct common *common)
{
    size_t count;
    if (cluster->size == 1)
        return 0;
    char *text = cluster_share_texts(cluster, common, &count); /* what common->paths points to, until the end */
    char **paths = calloc(count + 1, sizeof *paths);
    if (!text || !paths) {
        free(text);
        free(paths);
        return ENOMEM;
    }
    for (size_t i = 0; i < count; i++, text += strlen(text) + 1)
        paths[i] = text;
    free(common->paths);
    common->paths = paths;
    common->path_count = count;
    return 0;
}

int cluster_share_paths(const struct cluster *cluster, struct settings *settings)
{
    struct common *common = &settings->common;
    int error = cluster_broadcast_paths(cluster, common);
    size_t count = common->path_count;
    if (error || cluster->size == 1)
        return error;
    int *owners = calloc(count + 1, sizeof *owners);
    double *weights = calloc(count + 1, sizeof *weights);
    if (owners && weights) {
        if (cluster->rank == 0)
            cluster_choose_owners(settings, cluster->size, weights, owners);
        cluster->link->share(owners, count * sizeof *owners);
        common->path_count = 0;
        for (size_t i = 0; i < count; i++)
            if (owners[i] == cluster->rank)
                common->paths[common->path_count++] = common->paths[i];
    } else {
        error = ENOMEM;
    }
    free(owners);
    free(weights);
    return error;
}

/* ------------------------------------------------------------------------------------------ joining -- */

void cluster_send(const struct cluster *cluster, const struct settings *settings, const struct inputs *inputs,
                  void *state, int error)
{
    json_t *message =
        json_pack("{s:i, s:i, s:o, s:o}", "failed", error, "unreadable", (int)inputs->unreadable, "inputs",
                  account_save(inputs), "state", state ? state_save(settings->analyzer, state) : json_null());
    char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
    json_decref(message);
    if (text)
        cluster->link->send(0, text, strlen(text));
    else
        cluster->link->send(0, "", 0);
    free(text);
}

static int cluster_gather_rank(const struct cluster *cluster, int rank, const struct settings *settings,
                               struct inputs *inputs, void *state)
{
    size_t size;
    char *text = cluster->link->receive(rank, &size);
    json_t *message = text ? json_loadb(text, size, 0, NULL) : NULL;
    free(text);
    int error = message ? (int)json_integer_value(json_object_get(message, "failed")) : ENOMEM;
    if (!error)
        error = account_load(inputs, json_object_get(message, "inputs"));
    inputs->unreadable += (size_t)json_integer_value(json_object_get(message, "unreadable"));
    if (!error && state) {
        const struct analyzer *analyzer = settings->analyzer;
        void *other = state_new(analyzer, &settings->options);
        error = other ? state_load(analyzer, other, json_object_get(message, "state")) : ENOMEM;
        if (!error)
            error = state_merge(analyzer, state, other);
        if (other)
            state_free(analyzer, other);
    }
    json_decref(message);
    if (error && error != EINVAL)
        driver_print_error(settings, "rank %d: %s", rank, strerror(error));
    return error ? EINVAL : 0;
}

int cluster_gather(const struct cluster *cluster, const struct settings *settings, struct inputs *inputs, void *state)
{
    int error = 0;
    for (int rank = 1; rank < cluster->size; rank++) {
        int one = cluster_gather_rank(cluster, rank, settings, inputs, error ? NULL : state);
        error = error ? error : one;
    }
    return error;
}
