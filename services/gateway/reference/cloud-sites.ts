/** Whole sites, searches, documents and ready-made data by the cloud, and what there is to get them by. */
import { billed, page, refuses, spent } from './cloud.ts'
import type { Operations } from './operation.ts'

const data = {
  says: 'What the page has.',
  headers: billed,
  example: {
    data: [{ name: 'requests', version: '2.32.3', summary: 'Python HTTP for Humans.' }],
    ...page,
    url: 'https://pypi.org/project/requests/',
    backend: 'http',
    tried: [{ backend: 'http', outcome: 'got', reason: null, elapsed_ms: 184, cost_usd: 0 }],
    ...spent,
  },
}
const { invalid_input: _, ...refusesOfSite } = refuses
/** What no scraper reads. */
const noScraper = {
  422: { invalid_input: ['bad_value', 'required', 'wrong_type', 'out_of_range'] },
} as const

export const cloudSites: Operations = {
  cloudCrawl: {
    body: { url: 'https://example.com/', limit: 20 },
    answers: {
      200: {
        says: 'The pages that were had in time. Each that shows no challenge is one cloud page.',
        headers: billed,
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
          ...spent,
        },
      },
    },
    refuses: {
      ...refuses,
      too_many_requests: ['cloud_pages', 'cloud_requests'],
      fetch_failed: [...refuses.fetch_failed, 'robots'],
    },
  },
  cloudSearch: {
    body: { query: 'tide tables', limit: 5 },
    answers: {
      200: {
        says: 'The results, the best first.',
        headers: billed,
        example: {
          results: [{ url: 'https://example.com/tides', title: 'Tides', content: '# Tides\n' }],
          ...spent,
        },
      },
    },
    refuses: {
      invalid_input: ['bad_value'],
      too_many_requests: ['cloud_pages', 'cloud_requests'],
      fetch_failed: ['connect', 'timeout', 'protocol'],
      not_configured: [],
    },
    // The search engine may say when it will answer.
    refusalHeaders: { fetch_failed: ['Retry-After'] },
  },
  cloudTransform: {
    body: { data: '<h1>Tides</h1><p>High water at noon.', return_format: 'markdown', readability: false },
    answers: {
      200: {
        says: 'The document.',
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
    },
    refuses: {
      invalid_input: ['bad_value'],
      unsupported_input: [],
      too_many_requests: ['cloud_requests'],
    },
    statuses: { invalid_input: 422 },
  },
  listScrapers: {
    answers: {
      200: {
        says: 'What can be read into fields.',
        headers: ['ETag'],
        example: {
          scrapers: [
            {
              domain: 'pypi.org',
              paths: ['project/{name}'],
              data_shape: { name: 'Of the package.', version: 'The newest.', summary: 'In a sentence.' },
            },
          ],
          total: 10,
        },
      },
    },
  },
  cloudFetch: { body: {}, answers: { 200: data }, refuses: refusesOfSite, refusesAs: noScraper },
  cloudFetchPath: {
    body: { params: { limit: 10 } },
    answers: { 200: data },
    refuses: refusesOfSite,
    refusesAs: noScraper,
  },
  getCloudBalance: {
    answers: {
      200: {
        says: 'What is left with the vendor.',
        headers: ['ETag'],
        example: { balance_usd: 0, currency: 'USD', configured: false },
      },
    },
  },
  getCloudHealth: {
    answers: {
      200: {
        says: 'What is set up here. That it is set up does not say that it works at this moment.',
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
        },
      },
    },
  },
}
