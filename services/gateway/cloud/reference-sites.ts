/** API reference of the cloud endpoints for sites, searches, documents, scrapers and the state of the backends. */

import { amountText } from '@tidemark/contracts/prices'
import type { Operations } from '../reference/operation.ts'
import { billedHeaders, cloudRefusals, costExample, pageExample } from './reference.ts'

const data = {
  description: 'The extracted fields.',
  headers: billedHeaders,
  example: {
    data: [{ name: 'requests', version: '2.32.3', summary: 'Python HTTP for Humans.' }],
    ...pageExample,
    url: 'https://pypi.org/project/requests/',
    backend: 'http',
    tried: [{ backend: 'http', outcome: 'got', reason: null, elapsed_ms: 184, cost_usd: 0 }],
    ...costExample,
  },
}
const list = {
  ...data,
  example: {
    ...data.example,
    data: [
      {
        rank: 31,
        id: 46_500_123,
        title: 'How tides are predicted',
        url: 'https://example.com/tides',
        site: 'example.com',
        points: 120,
        author: 'harbour',
        sent_at: '2026-01-02T03:04:05Z',
        comments: 14,
        comments_url: 'https://news.ycombinator.com/item?id=46500123',
      },
    ],
    url: 'https://news.ycombinator.com/news?p=2',
  },
}
const { invalid_input: _, ...refusesOfPage } = cloudRefusals
const refusesOfSite = {
  ...refusesOfPage,
  fetch_failed: [...cloudRefusals.fetch_failed, 'robots_disallowed'],
} as const
/** Errors of requests that no scraper accepts. */
const noScraper = {
  422: { invalid_input: ['bad_value', 'required', 'wrong_type', 'out_of_range'] },
} as const

export const cloudSites: Operations = {
  cloudCrawl: {
    body: { url: 'https://example.com/', limit: 20 },
    answer: {
      description: `The pages that were fetched in time. Each page costs ${amountText('cloud_crawl')}, and a challenge costs ${amountText('cloud_crawl', 'blocked')}.`,
      headers: billedHeaders,
      example: {
        items: [
          {
            url: 'https://example.com/',
            content: '# Example\n',
            status: 200,
            depth: 0,
            backend: 'http',
            blocked: false,
          },
        ],
        failed: [{ url: 'https://example.com/drafts/', reason: 'robots' }],
        ...costExample,
      },
    },
    refuses: {
      ...cloudRefusals,
      too_many_requests: [...cloudRefusals.too_many_requests, 'cloud_requests'],
      fetch_failed: [...cloudRefusals.fetch_failed, 'robots'],
    },
  },
  cloudSearch: {
    body: { query: 'tide tables', limit: 5 },
    answer: {
      description: 'The results, best first.',
      headers: billedHeaders,
      example: {
        results: [{ url: 'https://example.com/tides', title: 'Tides', content: '# Tides\n' }],
        ...costExample,
      },
    },
    refuses: {
      invalid_input: ['bad_value'],
      too_many_requests: ['cloud_pages', 'free_results', 'cloud_requests'],
      fetch_failed: ['connect', 'timeout', 'protocol'],
      not_configured: [],
    },
    // The search engine may state when a retry can succeed.
    refusalHeaders: { fetch_failed: ['Retry-After'] },
  },
  cloudTransform: {
    body: { data: '<h1>Tides</h1><p>High water at noon.', return_format: 'markdown', readability: false },
    answer: {
      description: 'The converted document.',
      headers: ['X-Pages-Billed'],
      example: {
        content: '# Tides\n\nHigh water at noon.\n',
        status: 200,
        return_format: 'markdown',
        engine: 'markdown',
        cost_usd: 0,
        elapsed_ms: 9,
      },
    },
    refuses: {
      invalid_input: ['bad_value'],
      unsupported_input: [],
      too_many_requests: ['cloud_requests', 'concurrent_requests'],
    },
    statuses: { invalid_input: 422 },
  },
  listScrapers: {
    answer: {
      description: 'The available scrapers.',
      headers: ['ETag'],
      example: {
        scrapers: [
          {
            domain: 'pypi.org',
            paths: ['project/{name}', 'project/{name}/{version}'],
            data_shape: {
              name: 'name of the project',
              version: 'the version shown: the latest unless the path names one',
              summary: 'one sentence',
            },
          },
        ],
        total: 11,
      },
    },
  },
  cloudFetch: {
    body: { params: { p: 2 } },
    answer: list,
    refuses: refusesOfSite,
    refusesAs: noScraper,
  },
  cloudFetchPath: {
    body: {},
    answer: data,
    refuses: refusesOfSite,
    refusesAs: noScraper,
  },
  getCloudBalance: {
    answer: {
      description: 'The remaining balance.',
      headers: ['ETag'],
      example: { balance_usd: 0, currency: 'USD', configured: false },
    },
  },
  getCloudHealth: {
    answer: {
      description: 'The configured backends. A configured backend can still be unavailable.',
      headers: ['ETag'],
      example: {
        configured: true,
        balance_usd: 0,
        last_24h: { cloud_pages: 12, cloud_cost_usd: 0 },
        backends: {
          browser: true,
          faithful: true,
          proxy_pools: ['isp (DE, US)'],
          vendor: false,
          search: false,
        },
        engines: {
          faithful: { configured: true, setting: null },
          browser: { configured: true, setting: 'BROWSER' },
          proxy: { configured: true, setting: 'PROXY_POOLS' },
          vendor: { configured: false, setting: 'VENDOR_URL' },
          search: { configured: false, setting: 'SEARCH_URL' },
        },
      },
    },
    refuses: { too_many_requests: ['concurrent_requests'] },
  },
}
