/** The browsers of the fetchers: their renders, their cost, and their health. */
import { perSecond, quantile } from './expressions.ts'
import type { Dashboard } from './panel.ts'

export const browser: Dashboard = {
  uid: 'browser',
  title: 'browser',
  description:
    'Pages that are rendered. A fetcher starts its browser with the first page that needs one, so that all of this may be empty.',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Rendering',
          description: 'Pages that are being rendered. At most BROWSER_POOL for each fetcher.',
          isNumber: true,
          queries: [['sum(tidemark_browser_pages{state="running"})', 'pages']],
        },
        {
          title: 'Waiting',
          description:
            'Pages that wait for a browser. Normal: 0, except briefly. Otherwise add fetchers, or raise BROWSER_POOL.',
          isNumber: true,
          limits: [1, 10],
          queries: [['sum(tidemark_browser_pages{state="waiting"})', 'pages']],
        },
        {
          title: 'Died, last hour',
          description: 'Browsers that crashed. A hostile page can cause that. The page is retried.',
          isNumber: true,
          limits: [2, 6],
          queries: [['sum(increase(tidemark_browser_starts_total{event="died"}[1h]))', 'browsers']],
        },
      ],
    },
    {
      title: 'Pages',
      panels: [
        {
          title: 'Renders',
          description: 'By outcome. `tried_again` are pages whose browser was lost; `failed` should be few.',
          unit: 'ops',
          isStacked: true,
          queries: [[perSecond('tidemark_browser_renders_total', 'outcome'), '{{outcome}}']],
        },
        {
          title: 'Running and waiting',
          description: 'If pages keep waiting, scans are slow for customers.',
          queries: [['sum by (state) (tidemark_browser_pages)', '{{state}}']],
        },
        {
          title: 'Oldest order to render',
          description: 'In the browser lane of crawls. It depends on crawl delays, as in the other lane.',
          unit: 's',
          limits: [300, 900],
          queries: [
            ['max(tidemark_queue_oldest_seconds{stream="FETCH",consumer="fetcher-browser"})', 'waits'],
            [quantile(0.9, 'tidemark_host_wait_seconds{lane="browser"}'), 'for its slot, 90 of 100'],
          ],
        },
      ],
    },
    {
      title: 'Browsers',
      panels: [
        {
          title: 'Started and died',
          description:
            'One is replaced after 200 pages or half an hour, or when it holds too much: starts are normal, deaths are not.',
          unit: 'ops',
          queries: [[perSecond('tidemark_browser_starts_total', 'event'), '{{event}}']],
        },
        {
          title: 'Memory',
          description:
            'Of all browsers of a fetcher. 300 to 800 MB while it renders; one is replaced beyond 1 GB.',
          unit: 'bytes',
          limits: [1_000_000_000, 2_000_000_000],
          queries: [['sum by (instance) (tidemark_browser_memory_bytes)', '{{instance}}']],
        },
      ],
    },
  ],
}
