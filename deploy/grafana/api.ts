/** What customers get: answers, webhooks, monitors, mails; and the processes that give them. */
import { perSecond, quantile } from './expressions.ts'
import type { Dashboard } from './panel.ts'

const slowest = 'topk(8, '

export const api: Dashboard = {
  uid: 'api',
  title: 'API',
  says: 'What customers get, and the processes that serve them. The two promises: 99.9 % of requests do not fail because of us, 99 % of those that we can answer ourselves are answered within a second.',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Not ready',
          says: 'Parts that /v1/ready finds wanting. None is normal.',
          unit: 'short',
          isNumber: true,
          limits: [1, 1],
          queries: [['count(tidemark_ready) - sum(tidemark_ready)', 'parts']],
        },
        {
          title: 'Failed, last hour',
          says: 'Requests that failed because of us. 0.1 % is what a month may have.',
          unit: 'percentunit',
          isNumber: true,
          limits: [0.001, 0.0144],
          queries: [['tidemark:api_errors:ratio1h', 'of all']],
        },
        {
          title: 'Over a second, last hour',
          says: 'Of those that we answer from what we have. 1 % is what a month may have.',
          unit: 'percentunit',
          isNumber: true,
          limits: [0.01, 0.144],
          queries: [['tidemark:api_slow:ratio1h', 'of all']],
        },
        {
          title: 'Processes that do not answer',
          says: 'Of those that Prometheus knows. None is normal.',
          unit: 'short',
          isNumber: true,
          limits: [1, 2],
          queries: [['count(up{job="tidemark"}) - sum(up{job="tidemark"})', 'down']],
        },
      ],
    },
    {
      title: 'Requests',
      panels: [
        {
          title: 'Requests by status',
          says: '`elsewhere` are 5xx whose cause is a site, or a backend that this installation does not have. 5xx are ours.',
          unit: 'reqps',
          isStacked: true,
          queries: [[perSecond('tidemark_http_seconds_count', 'status'), '{{status}}']],
        },
        {
          title: 'Failures by route',
          says: 'Our own 5xx. One route is a fault in it; all routes are a server that is away.',
          unit: 'reqps',
          queries: [[perSecond('tidemark_http_seconds_count{status="5xx"}', 'route'), '{{route}}']],
        },
        {
          title: 'Slowest routes',
          says: '95 of 100 answers within. Scans, maps and actors ask sites, and followed runs last as long as somebody listens.',
          unit: 's',
          queries: [
            [`${slowest}${quantile(0.95, 'tidemark_http_seconds{status="2xx"}', 'route')})`, '{{route}}'],
          ],
        },
      ],
    },
    {
      title: 'What customers are told',
      panels: [
        {
          title: 'Webhooks that ended',
          says: 'Delivered, or given up. Those given up are receivers that refuse or are away.',
          unit: 'ops',
          isStacked: true,
          queries: [[perSecond('tidemark_webhook_deliveries_total', 'state'), '{{state}}']],
        },
        {
          title: 'What receivers answered',
          says: 'Each attempt, by what came of it. `refused` was our guard.',
          unit: 'ops',
          isStacked: true,
          queries: [[perSecond('tidemark_webhook_attempt_seconds_count', 'result'), '{{result}}']],
        },
        {
          title: 'Webhooks past their time',
          says: 'The longest wait that is not a receiver’s fault. Below 2 s; hosts that fail all the time are counted, and not waited for.',
          unit: 's',
          limits: [30, 300],
          queries: [
            ['max(tidemark_webhook_overdue_seconds)', 'overdue'],
            ['sum(tidemark_webhook_broken_hosts)', 'broken hosts'],
          ],
        },
        {
          title: 'Lateness of monitors',
          says: 'From the due minute to the crawl. Up to 60 s are the spreading of monitors over the minute.',
          unit: 's',
          limits: [120, 300],
          queries: [[quantile(0.9, 'tidemark_monitor_lateness_seconds'), '90 of 100']],
        },
        {
          title: 'Monitors and mails',
          says: 'Due minutes by what became of them, and mails that do not leave. `failed` ticks are tried again; mails: none.',
          unit: 'short',
          queries: [
            ['sum by (outcome) (increase(tidemark_monitor_ticks_total[1h]))', '{{outcome}} in an hour'],
            ['max by (state) (tidemark_mails_unsent)', 'mails {{state}}'],
          ],
        },
      ],
    },
    {
      title: 'Processes',
      panels: [
        {
          title: 'Delay of the event loop',
          says: '99 of 100 turns. Below 50 ms; more is a process that computes too much in one piece, or has no core.',
          unit: 's',
          limits: [0.1, 0.5],
          queries: [
            ['max by (instance) (tidemark_event_loop_delay_seconds{quantile="p99"})', '{{instance}}'],
          ],
        },
        {
          title: 'Processor',
          says: 'Cores that are used. A process has one core for most of what it does.',
          unit: 'short',
          queries: [[perSecond('tidemark_process_cpu_seconds_total', 'instance'), '{{instance}}']],
        },
        {
          title: 'Memory',
          says: 'Resident. 150 to 400 MB for each service is normal.',
          unit: 'bytes',
          queries: [['sum by (instance) (tidemark_process_memory_bytes{kind="resident"})', '{{instance}}']],
        },
        {
          title: 'Heap, of what it may be',
          says: 'Where it comes near 1 the process will end.',
          unit: 'percentunit',
          limits: [0.7, 0.9],
          queries: [
            [
              'tidemark_process_memory_bytes{kind="heap"} / ignoring(kind) tidemark_process_memory_bytes{kind="heap_limit"}',
              '{{instance}}',
            ],
          ],
        },
        {
          title: 'Callers that wait for Postgres',
          says: 'For a connection of the service’s pool. 0, but for moments.',
          unit: 'short',
          limits: [1, 8],
          queries: [
            ['max by (service) (tidemark_postgres_connections{state="wanted"})', '{{service}} wants'],
            ['max by (service) (tidemark_postgres_connections{state="used"})', '{{service}} uses'],
          ],
        },
      ],
    },
  ],
}
