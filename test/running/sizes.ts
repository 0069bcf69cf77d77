/**
 * The full sizes of the tests that search or repeat, for `npm run test:full`. The acceptance criteria require these
 * sizes. The usual sizes of these tests find regressions within seconds.
 */
export const fullSizes: Readonly<Record<string, string>> = {
  DISKS: 'all',
  DOCUMENTS: '10000',
  DRAINS: '50',
  DUE: '1000',
  EXPRESSIONS: '100000',
  FUZZ: '10000',
  KILLS: '20',
  MONITORS: '500',
  PAIRS: '100000',
  PAUSES: '50',
  POISON: '100',
  REBINDINGS: '1000',
  RECRAWLED_PAGES: '2000',
  RENDERS: '500',
  RUNS: '20000',
  SCALE_OUT: 'whole',
  SCANS: '1000',
  SSRF_FORMS: '10000',
  TENANTS: '10000',
  TEST_TIER: 'full',
  TICKS: '500',
  TOKENS: '1000000',
  WEBHOOK_TEST: 'whole',
  YEARS: '1000',
}
