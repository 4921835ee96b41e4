#include "analyze/driver/tables/table_ranks.h"

#include <sys/stat.h>

#include "analyze/cli/result.h"

/* A file that does not exist is a message of rank 0 alone. */
static bool ranks_are_files(const struct common *common)
{
    struct stat file;
    bool all = common->path_count > 0;
    for (size_t i = 0; all && i < common->path_count; i++)
        all = stat(common->paths[i], &file) == 0 && S_ISREG(file.st_mode);
    return all;
}

int table_ranks_join(struct table_ranks *ranks, const char *program, struct common *common)
{
    struct cluster *cluster = &ranks->cluster;
    *ranks = (struct table_ranks){.idle = false};
    if (cluster_join(cluster, program) != 0)
        return 1;
    if (!common->jobs)
        common->jobs = cluster_processors(cluster);
    if (cluster->size == 1)
        return 0;
    bool shared = ranks_are_files(common); /* as rank 0 sees it */
    cluster->link->share(&shared, sizeof shared);
    ranks->idle = !shared && cluster->rank > 0;
    if (shared)
        ranks->share = (struct rows_share){cluster->rank, cluster->size, cluster->link->send, cluster->link->receive};
    if (cluster_broadcast_paths(cluster, common) == 0)
        return 0;
    result_print_error(program, "out of memory");
    return 1;
}

void table_ranks_leave(struct table_ranks *ranks)
{
    cluster_leave(&ranks->cluster);
}

const struct rows_share *table_ranks_share(const struct table_ranks *ranks)
{
    return ranks->share.size > 1 ? &ranks->share : NULL;
}
