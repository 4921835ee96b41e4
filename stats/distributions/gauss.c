#include "stats/distributions/gauss.h"

/* The positive half; the other one mirrors it. */
static const struct {
    long double node, weight;
} rule[] = {
    {0.09501250983763744018531933542495806313L, 0.18945061045506849628539672320828310515L},
    {0.28160355077925891323046050146049610649L, 0.18260341504492358886676366796921993938L},
    {0.45801677765722738634241944298357757354L, 0.16915651939500253818931207903035996221L},
    {0.61787624440264374844667176404879101899L, 0.14959598881657673208150173054747854897L},
    {0.75540440835500303389510119484744226835L, 0.12462897125553387205247628219201642014L},
    {0.86563120238783174388046789771239313239L, 0.09515851168249278480992510760224622636L},
    {0.94457502307323257607798841553460834509L, 0.06225352393864789286284383699437769427L},
    {0.98940093499164993259615417345033262743L, 0.02715245941175409485178057245601810351L},
};

long double gauss_integrate(gauss_function *f, const void *parameters, long double low, long double high,
                            unsigned panels)
{
    long double half = (high - low) / (2 * panels), sum = 0;
    for (unsigned panel = 0; panel < panels; panel++) {
        long double middle = low + (2 * panel + 1) * half;
        for (unsigned i = 0; i < sizeof rule / sizeof *rule; i++) {
            long double offset = half * rule[i].node;
            sum += rule[i].weight * (f(middle - offset, parameters) + f(middle + offset, parameters));
        }
    }
    return sum * half;
}
