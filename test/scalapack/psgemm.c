/* SPDX-License-Identifier: MIT */
/* ScaLAPACK's psgemm on a grid of processes, checked in float64: sub(C) := alpha op(sub(A)) op(sub(B)) + beta sub(C).
 *
 *   mpirun -n N psgemm ROWSxCOLUMNS BLOCK INSET REPEATS LOGICAL_BLOCK OPS:MxNxK...    as in 2x2 16 3 1 0 NT:70x50x90
 *
 * Each case is computed with beta = 0 and C full of NaN, REPEATS times, then once with another beta. The submatrices
 * lie INSET rows and columns inside larger ones, which hold NaN. LOGICAL_BLOCK is how many columns of k ScaLAPACK takes
 * at a time; 0 leaves that to it. Process 0 prints a line a case; the exit code is 1 where an element is wrong.
 *
 * Without a header of MPI: everything goes through BLACS, which starts and ends it. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void Cblacs_pinfo(int* process, int* processes);
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_barrier(int context, const char* scope);
void Cblacs_abort(int context, int code);
void Cblacs_exit(int go_on);
double Cdwalltime00(void);
void Cdgamx2d(int context, const char* scope, const char* topology, int m, int n, double* a, int lda, int* row_of,
              int* column_of, int ld_of, int to_row, int to_column);
int numroc_(const int* extent, const int* block, const int* process, const int* first, const int* processes);
void descinit_(int* description, const int* m, const int* n, const int* row_block, const int* column_block,
               const int* first_row, const int* first_column, const int* context, const int* lld, int* info);
void psgemm_(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const float* alpha,
             const float* a, const int* ia, const int* ja, const int* of_a, const float* b, const int* ib,
             const int* jb, const int* of_b, const float* beta, float* c, const int* ic, const int* jc,
             const int* of_c);

enum { DESCRIPTION = 9, LLD_GAP = 3, FIRST = 0, NO_NUMBERS_OF_PROCESSES = -1 };
enum { SCALAPACKS_LOGICAL_BLOCK = 32 };
static const double CHECKED_PRODUCTS = 2e8; /* by each process and case; of more, elements at even distances */
static const float ALPHA = -1.5f, OTHER_BETA = 0.5f;

typedef struct {
  int context, rows, columns, row, column, block, inset;
} Grid;

/* A matrix spread over the grid; this process's part of it, column by column. */
typedef struct {
  int id, rows, columns, local_rows, local_columns, lld;
  int description[DESCRIPTION];
  float* data;
} Spread;

typedef struct {
  char op_a, op_b;
  int m, n, k;
} Case;

static int logical_block = SCALAPACKS_LOGICAL_BLOCK;

/* Stands in front of ScaLAPACK's own, which says the same for every machine and is there to be replaced. */
int pilaenv_(const int* context, const char* precision) {
  (void)context;
  (void)precision;
  return logical_block;
}

static void* allocated(size_t bytes, int context) {
  void* memory = malloc(bytes ? bytes : 1);
  if (memory == NULL) {
    fprintf(stderr, "psgemm: no memory for %zu bytes\n", bytes);
    Cblacs_abort(context, 2);
  }
  return memory;
}

/* Element (i, j) of submatrix `id`, the same for every process: uniform in [-1, 1). SplitMix64's finaliser. */
static float element(int id, int i, int j) {
  uint64_t x = ((uint64_t)id << 62) ^ ((uint64_t)i << 31) ^ (uint64_t)j;
  x = (x + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  return (float)(int32_t)(x >> 40) / (float)(1 << 23) - 1.0f;
}

/* Where in the whole matrix local index `local` lies. */
static int global(int local, int block, int process, int processes) {
  return (local / block * processes + process) * block + local % block;
}

static int row_of(const Grid* g, int local) { return global(local, g->block, g->row, g->rows) - g->inset; }
static int column_of(const Grid* g, int local) { return global(local, g->block, g->column, g->columns) - g->inset; }

/* The submatrix gets its elements, or NaN where `blank`; what lies around it gets NaN. */
static void fill(const Grid* g, Spread* s, int blank) {
  for (int j = 0; j < s->local_columns; ++j) {
    for (int i = 0; i < s->lld; ++i) {
      const int row = i < s->local_rows ? row_of(g, i) : -1, column = column_of(g, j);
      const int inside = row >= 0 && row < s->rows && column >= 0 && column < s->columns;
      s->data[i + (size_t)j * s->lld] = inside && !blank ? element(s->id, row, column) : NAN;
    }
  }
}

static Spread spread(const Grid* g, int id, int rows, int columns) {
  Spread s = {.id = id, .rows = rows, .columns = columns};
  const int first = FIRST, all_rows = rows + 2 * g->inset, all_columns = columns + 2 * g->inset;
  int info = 0;
  s.local_rows = numroc_(&all_rows, &g->block, &g->row, &first, &g->rows);
  s.local_columns = numroc_(&all_columns, &g->block, &g->column, &first, &g->columns);
  s.lld = s.local_rows + LLD_GAP;
  descinit_(s.description, &all_rows, &all_columns, &g->block, &g->block, &first, &first, &g->context, &s.lld, &info);
  if (info != 0) Cblacs_abort(g->context, 2);
  s.data = allocated(sizeof(float) * (size_t)s.lld * (size_t)s.local_columns, g->context);
  fill(g, &s, 0);
  return s;
}

/* The largest over all processes. */
static double largest(const Grid* g, double mine) {
  int unused = 0;
  Cdgamx2d(g->context, "All", " ", 1, 1, &mine, 1, &unused, &unused, NO_NUMBERS_OF_PROCESSES, -1, 0);
  return mine;
}

static double seconds_of(const Grid* g, const Case* p, float beta, const Spread* a, const Spread* b, Spread* c) {
  const int at = g->inset + 1;
  Cblacs_barrier(g->context, "All");
  const double begin = Cdwalltime00();
  psgemm_(&p->op_a, &p->op_b, &p->m, &p->n, &p->k, &ALPHA, a->data, &at, &at, a->description, b->data, &at, &at,
          b->description, &beta, c->data, &at, &at, c->description);
  Cblacs_barrier(g->context, "All");
  return Cdwalltime00() - begin;
}

/* |error| over its bound of one element. Wherever k is cut, a product goes through its piece's sums and through one for
 * each later piece, which are no more than k; alpha, beta and their sum are the others. */
static double error_of_bound(const Case* p, float beta, int i, int j, int c_id, float computed) {
  const double unit = ldexp(1.0, -24), roundings = p->k + 4.0;
  double exact = 0.0, magnitude = 0.0;
  for (int l = 0; l < p->k; ++l) {
    const double x = p->op_a == 'N' ? element(1, i, l) : element(1, l, i);
    const double y = p->op_b == 'N' ? element(2, l, j) : element(2, j, l);
    exact += x * y;
    magnitude += fabs(x * y);
  }
  const double before = beta == 0.0f ? 0.0 : (double)beta * element(c_id, i, j);
  const double error = fabs(ALPHA * exact + before - computed);
  const double bound = roundings * unit / (1 - roundings * unit) * (fabs(ALPHA) * magnitude + fabs(before));
  return error <= bound ? (bound > 0 ? error / bound : 0.0) : INFINITY;
}

/* The worst of this process's part of sub(C); what lies around it must still be NaN. */
static double worst_of_mine(const Grid* g, const Case* p, float beta, const Spread* c) {
  const double products = (double)c->local_rows * c->local_columns * p->k;
  const int64_t step = 1 + (int64_t)(products / CHECKED_PRODUCTS);
  double worst = 0.0;
  int64_t seen = 0;
  for (int j = 0; j < c->local_columns; ++j) {
    for (int i = 0; i < c->lld; ++i) {
      const int row = i < c->local_rows ? row_of(g, i) : -1, column = column_of(g, j);
      const float computed = c->data[i + (size_t)j * c->lld];
      if (row < 0 || row >= p->m || column < 0 || column >= p->n)
        worst = isnan(computed) ? worst : INFINITY;
      else if (isnan(computed))
        worst = INFINITY;
      else if (seen++ % step == 0)
        worst = fmax(worst, error_of_bound(p, beta, row, column, c->id, computed));
    }
  }
  return worst;
}

static int run_case(const Grid* g, const Case* p, int repeats, int printing) {
  const int a_stands = p->op_a == 'N', b_stands = p->op_b == 'N';
  Spread a = spread(g, 1, a_stands ? p->m : p->k, a_stands ? p->k : p->m);
  Spread b = spread(g, 2, b_stands ? p->k : p->n, b_stands ? p->n : p->k);
  Spread c = spread(g, 3, p->m, p->n);
  double first = 0.0, best = INFINITY, worst = 0.0;
  for (int i = 0; i < repeats; ++i) {
    fill(g, &c, 1);
    const double seconds = seconds_of(g, p, 0.0f, &a, &b, &c);
    if (i == 0) first = seconds;
    best = fmin(best, seconds);
    worst = fmax(worst, worst_of_mine(g, p, 0.0f, &c));
  }
  fill(g, &c, 0);
  seconds_of(g, p, OTHER_BETA, &a, &b, &c);
  worst = largest(g, fmax(worst, worst_of_mine(g, p, OTHER_BETA, &c)));
  if (printing)
    printf("psgemm %c%c:%dx%dx%d on %dx%d in blocks of %d: first_s %.6f best_s %.6f error_of_bound %.3f %s\n", p->op_a,
           p->op_b, p->m, p->n, p->k, g->rows, g->columns, g->block, first, best, worst,
           worst <= 1 ? "right" : "WRONG");
  free(a.data);
  free(b.data);
  free(c.data);
  return worst <= 1 ? 0 : 1;
}

int main(int count, char** words) {
  enum { GRID = 1, BLOCK, INSET, REPEATS, LOGICAL_BLOCK, CASES };
  Grid g = {0};
  int process = 0, processes = 0, repeats = 0, asked = 0, wrong = 0;
  Cblacs_pinfo(&process, &processes);
  Cblacs_get(-1, 0, &g.context);
  if (count <= CASES || sscanf(words[GRID], "%dx%d", &g.rows, &g.columns) != 2 || g.rows * g.columns != processes ||
      sscanf(words[BLOCK], "%d", &g.block) != 1 || sscanf(words[INSET], "%d", &g.inset) != 1 ||
      sscanf(words[REPEATS], "%d", &repeats) != 1 || sscanf(words[LOGICAL_BLOCK], "%d", &asked) != 1) {
    if (process == 0) fputs("usage: psgemm ROWSxCOLUMNS BLOCK INSET REPEATS LOGICAL_BLOCK OPS:MxNxK...\n", stderr);
    Cblacs_exit(0);
    return 2;
  }
  if (asked > 0) logical_block = asked;
  Cblacs_gridinit(&g.context, "Row", g.rows, g.columns);
  Cblacs_gridinfo(g.context, &g.rows, &g.columns, &g.row, &g.column);
  for (int i = CASES; i < count; ++i) {
    Case p;
    if (sscanf(words[i], "%c%c:%dx%dx%d", &p.op_a, &p.op_b, &p.m, &p.n, &p.k) != 5) {
      fprintf(stderr, "psgemm: %s is not a case\n", words[i]);
      wrong = 1;
      break;
    }
    wrong |= run_case(&g, &p, repeats, process == 0);
  }
  fflush(stdout);
  Cblacs_exit(0);
  return wrong;
}
