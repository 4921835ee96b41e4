/* studentized_range_test.c - the studentized range: 12 digits of p and log10 p, and its critical values. */
#include "stats/distributions/tail.h"

#include "stats/distributions/critical.h"
#include "tests/stats/tails.h"

/*
 * 17 digits by the textbook's formula, which is not the program's: 1 − groups·∫ φ(z)·(Φ(z+w) − Φ(z))^(groups−1) dz over
 * the smallest value z, and the integral over S, both by trapezoidal sums. The rows up to {60, 5, 100.25} are by mpmath
 * 1.3.0 with 17 digits more than 1 − H loses, the others with libquadmath's 33 digits. For two groups the method agrees
 * with t to 18 digits; in the rows tried, steps of 0.6 of the length and both ways of computing give the same 17
 * digits.
 */
static const struct {
    double q, groups, dof, p, log10_p;
} known[] = {
    {20, 5, 200, 6.2556625511439513e-31, -30.203726686439379},
    {14, 3, INFINITY, 1.2551476720830654e-22, -21.901305175061092},
    {22, 8, INFINITY, 4.0344251862423451e-53, -52.394218333612574},
    {24.5, 100, INFINITY, 1.5315927365674039e-63, -62.81485670191966},
    {18, 4, 10000, 4.7887207883116261e-36, -35.319780484241706},
    {4.5, 5, 1000000, 0.012725702693348107, -1.8953182272687885},
    {30, 30, 200, 1.9051771912184772e-50, -49.720064626502904},
    {11, 5, 1000000000000, 7.3577313501370476e-14, -13.133256073433818},
    {3.877, 3, 10, 0.049987088753254406, -1.3011421558101998},
    {7.3, 6, 29, 2.1619843159773782e-4, -3.6651474609419987},
    {45.3, 20, 1, 0.065701809719579025, -1.1824226678770142},
    {9, 17, 2.5, 0.11046795555062529, -0.95676368347950478},
    {6.2, 1000, INFINITY, 0.69701197361085879, -0.1567597613159655},
    {1, 10, 3, 0.99602872677532683, -0.0017281357729928201},
    {25, 4, 8.5, 2.5718864014304134e-7, -6.5897482178323646},
    {60, 5, 100.25, 7.3419895043224454e-65, -64.134186240673506},
    {0.05, 3, INFINITY, 0.9993110781169531, -0.00029929808060995999},
    {0.3, 3, 7, 0.97558372683103143, -0.010735452522338416},
    {2, 30, 60, 0.99980118774155873, -8.6351650943598097e-05},
    {1.7, 3, 61, 0.45652970670975906, -0.34053095736218783},
    {2.2, 3, 1.37, 0.47775772648123852, -0.32079228063918185},
    {3.3, 100, 1.5, 0.87687988345427124, -0.057059892980281101},
    {4, 100, 30, 0.91143134805313634, -0.040276038237259038},
    {6, 1000, 20, 0.70244480122795725, -0.15338779735024617},
    {5, 8, 2, 0.28283314817633764, -0.54846969237717999},
    {8, 17, 1.01, 0.34234228007014201, -0.46553946116818343},
    {3, 5, 1, 0.5433392416359709, -0.26492892774647442},
    {40, 4, 3, 0.00029762973827864439, -3.5263236775445986},
    {60, 30, 1, 0.05428392737253898, -1.2653287392267391},
    {9, 6, 12.34, 0.00035420105527902144, -3.4507501492408815},
    {11, 100, 77.7, 1.2003542138436657e-07, -6.9206905786039644},
    {6.5, 1000, 1000, 0.45545178341944302, -0.34155759301206741},
    {7, 1000, 200, 0.19442436370905894, -0.71124931368232372},
    {5, 3, 5000, 0.0011944266333276315, -2.9228405212757747},
    {1.2, 4, 2.5, 0.83136825307264563, -0.080206563638574244},
    {0.9, 5, INFINITY, 0.96915159198656135, -0.013608286505387039},
    {4, 100, INFINITY, 0.970005687222155, -0.013225719422457663},
    {9, 3, INFINITY, 5.897436416604921e-10, -9.2293367327766583},
    {20, 20, 5, 0.0008857110750851461, -3.0527079247946033},
    {300, 5, 1.2, 0.0024563984956315342, -2.6097011772641097},
    {15, 8, 8, 8.3687983249088866e-05, -4.0773368978404},
    {10, 3000, 40, 0.0080901750519275933, -2.0920420811981473},
    {8.1, 10000, 500, 0.20584812012334055, -0.68645309477671017},
    {2, 10000, 1, 0.99984073639449585, -6.9172813540537119e-05},
    {0.05, 3, 5, 0.99931117374895106, -0.00029925651953060538},
    {11, 5, 1000000000, 7.3577382968294226e-14, -13.13325566340135},
    {11, 5, INFINITY, 7.3577313431834046e-14, -13.133256073844261},
    {3, 2.5, 9, 0.10099910139470928, -0.99568249018820163},
    {4.2, 7.5, 33.3, 0.081511631246421591, -1.0887804154843256},
    {60, 4, 3, 8.8468582915913811e-05, -4.0532109291739783},
    {25, 4, 8, 5.0696514071484391e-07, -6.2950219020387851},
    {100, 10, 6.5, 2.3067991110180441e-09, -8.6369902246272025},
    {1.2, 5, 12, 0.90996313716074205, -0.040976200703020263},
    {0.9, 4, 2.2, 0.91255501422865046, -0.039740944235073964},
    {40, 50, 12, 9.3541180746191575e-10, -9.0289971524057155},
    {6, 17, 1.01, 0.4449692724761052, -0.35166997835575244},
    {10, 200, 15, 0.0076928114999253272, -2.1139149091253932},
    {13.1, 6, 29, 5.2640269922608152e-09, -8.2786818924640342},
    {2.772, 3, 100000, 0.12223626677511944, -0.91279992237868862},
    {10000, 3, 1, 0.00013504744618563099, -3.8695136241235135},
    {1000000, 10, 1, 2.4554940936485804e-06, -5.6098611061664293},
    {12, 1000, 50.5, 7.9579386088057715e-06, -5.0991994155238516},
    {9, 1000, INFINITY, 8.9386766152138375e-05, -4.048726774409165},
    {0.001, 3, 2, 0.99999972433562886, -1.1971953174353431e-07},
    {0.7, 6, 1, 0.98664367040026116, -0.0058396658917963247},
    {500000000, 3, 1, 2.7009489484713182e-09, -8.5684836244784996},
    {2000, 4, 2, 1.253127949090298e-06, -5.9020045836371713},
    {7.588, 10, INFINITY, 3.5923156990656473e-06, -5.4446255037593543},
    {11.327, 100, 1, 0.34160045565249084, -0.46648155868786142},
    {10.132, 6, 5000, 1.3422990920610566e-11, -10.872150703571586},
    {0.907, 5, 1.5, 0.95052989114343454, -0.022034221402920085},
    {4.65, 6, 12.34, 0.054927586842537312, -1.2602094806071001},
    {6.662, 6, 1, 0.29401933825008, -0.53162410421675327},
    {8.855, 15, 5, 0.028376084871708512, -1.54704752557715},
    {2.43, 15, 2, 0.83524501338353759, -0.078186108526080995},
    {9.215, 4, 2, 0.056215462387587126, -1.2501442127941042},
    {7.53, 30, 2, 0.25739834117103359, -0.5893942562761851},
    {1.847, 3, 3.7, 0.46854725839547416, -0.32924659895912904},
    {9.351, 5, 2, 0.066788490857869218, -1.1752983696735281},
    {3.685, 6, 77.7, 0.10811835135338385, -0.96610058527803783},
    {10.551, 6, 2, 0.061316916290509014, -1.2124196945171275},
    {11.309, 6, 12.34, 3.6683286434429017e-05, -4.4355317630674162},
    {3.796, 10, 12.34, 0.27527787725925847, -0.56022868933418034},
    {2.242, 5, 5, 0.56054479818300222, -0.25138967329876684},
    {1.062, 8, 200, 0.99522805152170138, -0.002077391446069559},
    {7.158, 10, 1.5, 0.23538230718448642, -0.62822618457212742},
    {3.927, 8, 30, 0.13912642036629866, -0.85659038884521747},
    {8.448, 5, 30, 1.4128362297718585e-05, -4.8499081768835393},
    {5.829, 5, 1, 0.30679602461035319, -0.51315027217081643},
    {3.297, 3, INFINITY, 0.051585816778152422, -1.2874696887156698},
    {4.484, 15, 1, 0.55476045420327529, -0.25589450494090066},
    {6.724, 15, 10, 0.02777465222074727, -1.5563513703549072},
    {4.703, 3, 30, 0.0064235560245226076, -2.1922244837261363},
    {0.847, 5, 200, 0.9751176846675801, -0.010942967155361142},
    {11.476, 6, 1.5, 0.0926727314832072, -1.0330480361738606},
    {9.142, 30, 10, 0.0074776631970020133, -2.1262340998902228},
    {6.296, 100, 5, 0.33146647681968609, -0.4795603878275856},
    {9.375, 4, 200, 1.8418580422368382e-09, -8.7347438452841099},
    {9.056, 10, 5, 0.017152559374778843, -1.7656710686583545},
    {0.729, 4, 3.7, 0.95076431847325656, -0.021927125409306902},
    {4.287, 10, 2, 0.40149581218943521, -0.39631898027945899},
    {4.278, 100, 1.5, 0.74240475796649284, -0.12935925344871562},
    {3.956, 10, 5, 0.32530124986947343, -0.48771426807267265},
    {2.376, 4, 5000, 0.33431594447018306, -0.47584291018491275},
    {8.494, 3980, 1.74548, 0.53301372771802108, -0.27326160561618328},
    {9.093, 1963, 1.33716, 0.50103036413282086, -0.30013595362230284},
    {18.551, 3773, 5.41114, 0.016310816402420323, -1.7875243007504863},
    {7.235, 3829, 6297.55, 0.44670882162848298, -0.34997547097400405},
};

/* R 4.2.2: qtukey(p, groups, dof, lower.tail = FALSE), which is accurate to about 0.0001. */
static const struct {
    double p, groups, dof, q;
} critical[] = {
    {0.05, 2, 10, 3.151064177},       {0.05, 3, 10, 3.876776749},        {0.05, 4, 10, 4.326582116},
    {0.05, 5, 10, 4.654293076},       {0.05, 10, 10, 5.598386462},       {0.05, 3, 20, 3.577934582},
    {0.05, 20, 20, 5.713625467},      {0.05, 3, 60, 3.398661241},        {0.05, 3, 120, 3.356138397},
    {0.05, 3, INFINITY, 3.314493158}, {0.05, 10, INFINITY, 4.474124471}, {0.05, 20, INFINITY, 5.011688795},
    {0.01, 3, 10, 5.270161537},       {0.01, 5, 20, 5.293252512},        {0.01, 10, INFINITY, 5.156635253},
    {0.01, 100, 12.5, 9.558472715},   {0.1, 6, 5, 4.978951082},
};

static void test_invalid(void)
{
    struct tail tail = {42, 42};
    double q = 42;
    ok(tail_studentized_range(NAN, 3, 10, &tail) == STATS_DOMAIN, "a q of NaN is refused");
    ok(tail_studentized_range(-1, 3, 10, &tail) == STATS_DOMAIN, "a q below 0 is refused");
    ok(tail_studentized_range(1, 1, 10, &tail) == STATS_DOMAIN, "one group is refused");
    ok(tail_studentized_range(1, 10001, 10, &tail) == STATS_DOMAIN, "too many groups are refused");
    ok(tail_studentized_range(1, NAN, 10, &tail) == STATS_DOMAIN, "a number of groups of NaN is refused");
    ok(tail_studentized_range(1, 3, 0.99, &tail) == STATS_DOMAIN, "dof below 1 is refused");
    ok(tail_studentized_range(1, 3, NAN, &tail) == STATS_DOMAIN, "dof NaN is refused");
    ok(tail.p == 42 && tail.log10_p == 42, "  and no error writes a result");
    ok(critical_studentized_range(0, 3, 10, &q) == STATS_DOMAIN, "p 0 has no critical value");
    ok(critical_studentized_range(1, 3, 10, &q) == STATS_DOMAIN, "  nor has p 1");
    ok(critical_studentized_range(NAN, 3, 10, &q) == STATS_DOMAIN, "  nor has p NaN");
    ok(critical_studentized_range(0.05, 1.5, 10, &q) == STATS_DOMAIN, "  nor have too few groups");
    ok(critical_studentized_range(0.05, 3, 0, &q) == STATS_DOMAIN, "  nor has dof 0");
    ok(critical_studentized_range(1e-310, 3, 1, &q) == STATS_OVERFLOW,
       "a critical value beyond the largest double is an overflow");
    ok(q == 42, "  and no error writes a result");
}

static void test_known(void)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct tail tail = {NAN, NAN};
        char what[96];
        enum stats_status status = tail_studentized_range(known[i].q, known[i].groups, known[i].dof, &tail);
        snprintf(what, sizeof what, "the tail of q = %g for %g groups with dof %g", known[i].q, known[i].groups,
                 known[i].dof);
        is_tail(status, tail, known[i].p, known[i].log10_p, 1e-12, what);
    }
}

static void test_limits(void)
{
    struct tail tail, t;
    is_limit(tail_studentized_range(0, 3, 5, &tail), tail, 1, "q 0: p = 1");
    is_limit(tail_studentized_range(INFINITY, 3, 5, &tail), tail, 0, "q infinite: p = 0");
    is_limit(tail_studentized_range(5e-324, 10000, 1, &tail), tail, 1, "the smallest q: p = 1");
    ok(!tail_studentized_range(1e300, 3, 1, &tail) && tail.p > 0 && tail.log10_p < -299,
       "a far tail of dof 1: p is above 0");
    ok(!tail_studentized_range(1e300, 3, 1e12, &tail) && tail.p == 0 && isfinite(tail.log10_p),
       "the farthest tail: p = 0, log10 p is finite");
    tail_studentized_range(5.25, 2, 7.5, &tail);
    tail_t_two_sided(5.25 / M_SQRT2, 7.5, &t);
    is_real(tail.log10_p, t.log10_p, 1e-14, "the tail for two groups is that of t");
}

/*
 * Far out, p approaches groups·(groups−1)/2 times t's tail from below, since only one pair of groups can be that far
 * apart. Tested down to 1e-100000 and beyond.
 */
static void test_far(void)
{
    int good = 0, total = 0;
    for (double groups = 3; groups <= 10000; groups *= 3)
        for (double dof = 300; dof < 1e7; dof *= 3, total++) {
            struct tail tail, t;
            double q = sqrt(dof) * 700;
            tail_studentized_range(q, groups, dof, &tail);
            tail_t_two_sided(q / M_SQRT2, dof, &t);
            double bound = t.log10_p + log10(groups * (groups - 1) / 2);
            good += fabs(tail.log10_p - bound) <= 1e-12 * -bound;
        }
    is_u64((uint64_t)good, (uint64_t)total, "the far tail is the sum of those of all pairs");
}

/* p is monotone in each argument, across every change of method. */
static void test_monotone(void)
{
    int falling = 0, growing = 0, total = 0;
    for (double dof = 1; dof < 1e6; dof *= 11)
        for (double groups = 2; groups < 3000; groups *= 5) {
            struct tail before = {1, 0};
            for (double q = 0.3; q < 70; q *= 1.35, total++) {
                struct tail tail, more;
                tail_studentized_range(q, groups, dof, &tail);
                tail_studentized_range(q, groups * 1.05, dof, &more);
                falling += tail.log10_p < before.log10_p || tail.log10_p > -1e-14;
                growing += more.log10_p > tail.log10_p || tail.log10_p > -1e-14;
                before = tail;
            }
        }
    is_u64((uint64_t)falling, (uint64_t)total, "p falls as q grows");
    is_u64((uint64_t)growing, (uint64_t)total, "  and grows with the number of groups");
}

static void test_critical(void)
{
    for (size_t i = 0; i < sizeof critical / sizeof *critical; i++) {
        double q = NAN, groups = critical[i].groups, dof = critical[i].dof;
        char what[96];
        snprintf(what, sizeof what, "the critical q for %g groups with dof %g, p = %g", groups, dof, critical[i].p);
        critical_studentized_range(critical[i].p, groups, dof, &q);
        ok(fabs(q - critical[i].q) <= 2e-4, "%s: %.9f", what, q);
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double q = NAN;
        if (known[i].p > 0.9)
            continue;
        critical_studentized_range(known[i].p, known[i].groups, known[i].dof, &q);
        is_real(q, known[i].q, 1e-12, "the critical value of a known tail's p is its q");
    }
    int good = 0, total = 0;
    for (double p = 0.9; p > 1e-100; p *= p > 1e-3 ? 0.3 : 1e-7)
        for (double groups = 2; groups < 2000; groups *= 11)
            for (double dof = 1; dof < 1e7; dof *= 31, total++) {
                struct tail tail;
                double q = NAN;
                critical_studentized_range(p, groups, dof, &q);
                tail_studentized_range(q, groups, dof, &tail);
                good += fabs(tail.p - p) <= 1e-11 * p;
            }
    is_u64((uint64_t)good, (uint64_t)total, "the tail of a critical value is its p");
}

int main(void)
{
    test_invalid();
    test_known();
    test_limits();
    test_far();
    test_monotone();
    test_critical();
    return done_testing();
}
