/** The billed units by kind, and the lag of the ledger. */
import { perSecond } from './expressions.ts'
import type { Dashboard } from './panel.ts'

const ofLedger = 'projection=~"bill-.+|ledger"'

export const money: Dashboard = {
  uid: 'money',
  title: 'money',
  description:
    'Billed units by operation, and whether billing keeps up with crawls. The ledger has the units of each customer.',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Units, last day',
          description: 'Pages and cloud pages that were billed.',
          isNumber: true,
          queries: [['sum by (kind) (increase(tidemark_units_total[1d]))', '{{kind}}']],
        },
        {
          title: 'Ledger behind',
          description: 'Age of the oldest completed work that is not in the ledger. Normal: below 2 s.',
          unit: 's',
          isNumber: true,
          limits: [30, 300],
          queries: [[`max(tidemark_projection_behind_seconds{${ofLedger}})`, 'behind']],
        },
        {
          title: 'Billed share of fetched pages',
          description:
            'Units of crawls for each fetched page, over an hour. 1, or a little more where unchanged pages are billed too.',
          unit: 'percentunit',
          isNumber: true,
          queries: [
            [
              'sum(increase(tidemark_units_total{operation="crawl"}[1h])) / sum(increase(tidemark_pages_total{outcome="fetched"}[1h]))',
              'of pages',
            ],
          ],
        },
      ],
    },
    {
      title: 'Bills',
      panels: [
        {
          title: 'Units by operation',
          description: 'If a line falls to 0 while pages are fetched, those pages are not billed yet.',
          unit: 'ops',
          isStacked: true,
          queries: [[perSecond('tidemark_units_total', 'kind, operation'), '{{kind}} for {{operation}}']],
        },
        {
          title: 'Pages and units',
          description: 'Fetched pages and billed units. The lines have the same shape.',
          unit: 'ops',
          queries: [
            ['sum(rate(tidemark_pages_total{outcome=~"fetched|not_modified"}[5m]))', 'pages of crawls'],
            ['sum(rate(tidemark_units_total[5m]))', 'units of all'],
          ],
        },
      ],
    },
    {
      title: 'The ledger',
      panels: [
        {
          title: 'Behind its streams',
          description:
            '`bill-runs` reads crawls, `bill-requests` reads requests, and `ledger` writes the rows of both. Below 2 s each. Caps count only units in the ledger.',
          unit: 's',
          limits: [30, 300],
          queries: [
            [`max by (projection) (tidemark_projection_behind_seconds{${ofLedger}})`, '{{projection}}'],
          ],
        },
        {
          title: 'Messages behind',
          description: 'The same in messages. Below 0: the stream lost messages that were read.',
          isSigned: true,
          queries: [[`min by (projection) (tidemark_projection_lag{${ofLedger}})`, '{{projection}}']],
        },
        {
          title: 'Size of the billing streams',
          description: 'USAGE and ACCOUNTS only grow. SERVED keeps billed messages for a day.',
          unit: 'percentunit',
          limits: [0.75, 0.95],
          queries: [
            [
              'max by (stream) (tidemark_stream_bytes{kind="held",stream=~"USAGE|SERVED|ACCOUNTS"}) / max by (stream) (tidemark_stream_bytes{kind="limit"})',
              '{{stream}}',
            ],
          ],
        },
      ],
    },
  ],
}
