/** The flow of crawls from the frontier to the rows that customers see: work accumulates before the slowest step. */
import { perSecond, quantile, quantiles } from './expressions.ts'
import type { Dashboard } from './panel.ts'

export const crawlFlow: Dashboard = {
  uid: 'crawl-flow',
  title: 'crawl flow',
  description:
    'From the frontier through the queues to what customers see. Read from the top: the first row with a growing value shows the bottleneck.',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Crawls',
          description: 'Active crawls. Any number is normal.',
          isNumber: true,
          queries: [['sum(tidemark_runs_active)', 'going on']],
        },
        {
          title: 'Pages a second',
          description:
            'Pages that were fetched and stored. Polite crawls are slow: compare it with what waits.',
          unit: 'ops',
          isNumber: true,
          queries: [['sum(rate(tidemark_pages_total{outcome="fetched"}[5m]))', 'fetched']],
        },
        {
          title: 'Oldest work',
          description:
            'The message that has waited longest, of pages and outcomes. Below 5 s when all is well.',
          unit: 's',
          isNumber: true,
          limits: [30, 120],
          queries: [['max(tidemark_queue_oldest_seconds{stream=~"PAGES|OUTCOMES"})', 'waits']],
        },
        {
          title: 'Given up',
          description: 'Messages in DEAD. None is normal; `npm run admin -- dead-letters list` names them.',
          isNumber: true,
          limits: [1, 100],
          queries: [['max(tidemark_stream_messages{stream="DEAD"})', 'dead']],
        },
      ],
    },
    {
      title: 'Runs and pages',
      panels: [
        {
          title: 'Outcomes of URLs',
          description:
            'By outcome. Many `retried` or `failed` point to the sites or to our egress: see Fetches below.',
          unit: 'ops',
          isStacked: true,
          queries: [[perSecond('tidemark_pages_total', 'outcome'), '{{outcome}}']],
        },
        {
          title: 'Frontier',
          description:
            'URLs of active crawls. `waiting` grows with large sites; `ordered` stays below a few thousand for each tenant.',
          queries: [['sum by (state) (tidemark_frontier_urls)', '{{state}}']],
        },
        {
          title: 'Crawls that began and ended',
          description: 'By new status. Over a day, as many crawls end as begin.',
          unit: 'ops',
          queries: [[perSecond('tidemark_runs_total', 'became'), '{{became}}']],
        },
      ],
    },
    {
      title: 'Queues',
      panels: [
        {
          title: 'Age of the oldest message',
          description:
            'By stream and consumer. PAGES and OUTCOMES: below 5 s. FETCH: depends on crawl delays. DELIVERIES: until the next attempt.',
          unit: 's',
          limits: [120, 900],
          queries: [
            ['max by (stream, consumer) (tidemark_queue_oldest_seconds)', '{{stream}} for {{consumer}}'],
          ],
        },
        {
          title: 'Messages',
          description: 'In each queue. A queue that only grows has a consumer that does not keep up.',
          queries: [
            [
              'max by (stream) (tidemark_stream_messages{stream=~"FETCH|PAGES|OUTCOMES|DELIVERIES"})',
              '{{stream}}',
            ],
          ],
        },
        {
          title: 'How full the streams are',
          description:
            'Share of each limit. AUDIT, DEAD and MONITORS drop their oldest messages and may be full.',
          unit: 'percentunit',
          limits: [0.75, 0.95],
          queries: [
            [
              'max by (stream) (tidemark_stream_bytes{kind="held"}) / max by (stream) (tidemark_stream_bytes{kind="limit"})',
              '{{stream}}',
            ],
          ],
        },
      ],
    },
    {
      title: 'Fetching',
      panels: [
        {
          title: 'Responses of sites',
          description:
            'By class of status or cause of failure. One class of errors that rises on all sites points to our egress.',
          unit: 'reqps',
          isStacked: true,
          queries: [[perSecond('tidemark_fetch_seconds_count', 'result'), '{{result}}']],
        },
        {
          title: 'How long sites take',
          description:
            'From the granted slot to the last byte. Half take below 1 s, and the slowest up to the limit of 30 s.',
          unit: 's',
          queries: quantiles('tidemark_fetch_seconds{result=~"http_.+"}'),
        },
        {
          title: 'Wait for a slot',
          description:
            'For the crawl delay of the host and a concurrency slot of the process, by lane. Polite crawls wait long.',
          unit: 's',
          queries: [[quantile(0.9, 'tidemark_host_wait_seconds', 'lane'), '{{lane}}, 90 of 100']],
        },
        {
          title: 'Refused requests',
          description:
            'Requests to forbidden addresses or hosts. A few result from links of careless sites. A burst can be an attack.',
          unit: 'reqps',
          limits: [0.5, 1],
          queries: [[perSecond('tidemark_egress_refusals_total', 'reason'), '{{reason}}']],
        },
      ],
    },
    {
      title: 'Deciding and storing',
      panels: [
        {
          title: 'Decisions',
          description:
            'From a command to its stored events, by result. `failed` ones are tried again; all should be `decided`.',
          unit: 'ops',
          isStacked: true,
          queries: [[perSecond('tidemark_decision_seconds_count', 'result'), '{{result}}']],
        },
        {
          title: 'Pages read by each extractor',
          description:
            'Responses of sites. All extractors read about as many; one that reads fewer is on a slower machine, or stuck.',
          unit: 'ops',
          isStacked: true,
          queries: [[perSecond('tidemark_extractor_pages_total', 'instance'), '{{instance}}']],
        },
        {
          title: 'Exports',
          description:
            'Exports that wait for an extractor, and those that ended, by result. `failed` ones have their reason in `GET /v1/exports/{id}`.',
          queries: [
            ['max(tidemark_exports_waiting)', 'waiting'],
            [perSecond('tidemark_exports_total', 'result'), '{{result}} a second'],
          ],
        },
        {
          title: 'How long a decision takes',
          description: 'Most of it is the append. 99 of 100 below half a second.',
          unit: 's',
          limits: [1, 2.5],
          queries: [
            ...quantiles('tidemark_decision_seconds'),
            [quantile(0.99, 'tidemark_append_seconds'), 'append, 99 of 100'],
          ],
        },
        {
          title: 'Views behind their streams',
          description:
            'The age of the oldest event that a view has not read. Below 2 s; a view that only falls behind is stuck, or Postgres is slow.',
          unit: 's',
          limits: [30, 120],
          queries: [
            [
              'max by (projection, stream) (tidemark_projection_behind_seconds)',
              '{{projection}} of {{stream}}',
            ],
          ],
        },
      ],
    },
  ],
}
