/** The service level for customers: requests, webhooks, monitors, mails; and the processes that serve them. */
import { perSecond, quantile } from './expressions.ts'
import type { Dashboard } from './panel.ts'

const slowest = 'topk(8, '

export const api: Dashboard = {
  uid: 'api',
  title: 'API',
  description:
    'The service level for customers, and the processes that serve them. The two promises: 99.9 % of requests do not fail because of us, and 99 % of those that need no other site are answered within a second.',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Not ready',
          description: 'Parts that are not ready according to /v1/ready. Normal: 0.',
          isNumber: true,
          limits: [1, 1],
          queries: [['count(tidemark_ready) - sum(tidemark_ready)', 'parts']],
        },
        {
          title: 'Failed, last hour',
          description: 'Requests that failed because of Tidemark. The monthly budget is 0.1 %.',
          unit: 'percentunit',
          isNumber: true,
          limits: [0.001, 0.0144],
          queries: [['tidemark:api_errors:ratio1h', 'of all']],
        },
        {
          title: 'Over a second, last hour',
          description: 'Slow share of the requests that contact no site. The monthly budget is 1 %.',
          unit: 'percentunit',
          isNumber: true,
          limits: [0.01, 0.144],
          queries: [['tidemark:api_slow:ratio1h', 'of all']],
        },
        {
          title: 'Processes that do not answer',
          description: 'Targets of Prometheus that are down. Normal: 0.',
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
          description:
            '`elsewhere` are 5xx whose cause is a site, or a backend that this installation does not have. 5xx are ours.',
          unit: 'reqps',
          isStacked: true,
          queries: [[perSecond('tidemark_http_seconds_count', 'status'), '{{status}}']],
        },
        {
          title: 'Failures by route',
          description:
            '5xx caused by Tidemark. One route: a fault in it. All routes: a server is unavailable.',
          unit: 'reqps',
          queries: [[perSecond('tidemark_http_seconds_count{status="5xx"}', 'route'), '{{route}}']],
        },
        {
          title: 'Slowest routes',
          description:
            '95th percentile. Scans, maps and actors fetch from sites, and event streams last as long as their clients listen.',
          unit: 's',
          queries: [
            [`${slowest}${quantile(0.95, 'tidemark_http_seconds{status="2xx"}', 'route')})`, '{{route}}'],
          ],
        },
      ],
    },
    {
      title: 'Notifications to customers',
      panels: [
        {
          title: 'Webhooks that ended',
          description: 'Delivered or dead. Dead: the receiver rejects requests or is unavailable.',
          unit: 'ops',
          isStacked: true,
          queries: [[perSecond('tidemark_webhook_deliveries_total', 'state'), '{{state}}']],
        },
        {
          title: 'Responses of receivers',
          description: 'Attempts by result. `refused`: the address guard rejected the receiver.',
          unit: 'ops',
          isStacked: true,
          queries: [[perSecond('tidemark_webhook_attempt_seconds_count', 'result'), '{{result}}']],
        },
        {
          title: 'Webhooks past their time',
          description:
            'The longest delay that no receiver caused. Normal: below 2 s. Failing hosts are counted separately.',
          unit: 's',
          limits: [30, 300],
          queries: [
            ['max(tidemark_webhook_overdue_seconds)', 'overdue'],
            ['sum(tidemark_webhook_broken_hosts)', 'broken hosts'],
          ],
        },
        {
          title: 'Lateness of monitors',
          description:
            'From the due minute to the crawl. Up to 60 s result from spreading monitors over the minute.',
          unit: 's',
          limits: [120, 300],
          queries: [[quantile(0.9, 'tidemark_monitor_lateness_seconds'), '90 of 100']],
        },
        {
          title: 'Monitors and mails',
          description:
            'Due minutes by outcome, and unsent mails. `failed` ticks are retried. Normal for mails: 0.',
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
          description:
            '99th percentile. Normal: below 50 ms. Above: long computations block the process, or it lacks CPU time.',
          unit: 's',
          limits: [0.1, 0.5],
          queries: [
            ['max by (instance) (tidemark_event_loop_delay_seconds{quantile="p99"})', '{{instance}}'],
          ],
        },
        {
          title: 'Processor',
          description: 'Cores that are used. A process has one core for most of what it does.',
          queries: [[perSecond('tidemark_process_cpu_seconds_total', 'instance'), '{{instance}}']],
        },
        {
          title: 'Memory',
          description: 'Resident. 150 to 400 MB for each service is normal.',
          unit: 'bytes',
          queries: [['sum by (instance) (tidemark_process_memory_bytes{kind="resident"})', '{{instance}}']],
        },
        {
          title: 'Heap, share of its limit',
          description: 'Near 1 the process runs out of memory and ends.',
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
          description: 'For a connection of the service’s pool. Normal: 0, except briefly.',
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
