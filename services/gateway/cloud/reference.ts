/** API reference of the cloud endpoints for single pages. */
import type { Answer, Operations } from '../reference/operation.ts'
import { badSite, tried, unreachable } from '../reference/parts.ts'

export const billedHeaders = ['X-Pages-Billed', 'X-Cloud-Pages-Billed'] as const

export const pageExample = {
  status: 200,
  url: 'https://example.com/',
  backend: 'browser',
  tried,
  blocked: false,
  bytes_transferred: 48_213,
}
export const costExample = { cost_usd: 0, elapsed_ms: 3127 }
const markdown = {
  content: '# Example\n\n[Prices](https://example.com/pricing)\n',
  ...pageExample,
  ...costExample,
}
const html = { ...markdown, content: '<html><head><title>Example</title></head><body>…</body></html>' }
const picture = { ...markdown, content: 'iVBORw0KGgo=' }

const byProxy = {
  content: '<!doctype html><title>Example</title>…',
  ...pageExample,
  backend: 'proxy',
  tried: [{ backend: 'proxy', pool: 'isp', outcome: 'got', reason: null, elapsed_ms: 640, cost_usd: 0 }],
  pool: 'isp',
  country: 'DE',
  cost_usd: 0.000_121,
  elapsed_ms: 655,
}

export const cloudRefusals = {
  invalid_input: [...badSite, 'bad_value'],
  too_many_requests: ['cloud_pages', 'free_results', 'concurrent_requests'],
  fetch_failed: [...unreachable, 'proxy', 'vendor'],
  not_configured: [],
} as const

/** Refusals of operations with `actions`. */
const acted = {
  ...cloudRefusals,
  invalid_input: [...cloudRefusals.invalid_input, 'conflicting_fields'],
  fetch_failed: [...cloudRefusals.fetch_failed, 'action_failed'],
} as const

const thePage =
  'The page. `status` is the HTTP status of the site, which can be a 404. `backend` names the backend that fetched the page.'

const got = (example: unknown): Answer => ({ description: thePage, headers: billedHeaders, example })

const asPng = {
  'image/png': { description: 'With `Accept: image/png`: the screenshot itself.', example: 'PNG' },
}

export const cloud: Operations = {
  cloudScrape: {
    body: { url: 'https://example.com/', return_format: 'markdown' },
    answer: got(markdown),
    refuses: acted,
  },
  cloudUnblock: {
    body: { url: 'https://example.com/', country: 'DE' },
    answer: got(markdown),
    refuses: cloudRefusals,
    statuses: { invalid_input: 422 },
  },
  cloudRender: {
    body: { url: 'https://example.com/', wait_for: 'networkidle' },
    answer: {
      description: thePage,
      headers: [...billedHeaders, 'Vary'],
      examples: { html, picture },
      otherwise: asPng,
    },
    refuses: acted,
  },
  cloudScreenshot: {
    body: { url: 'https://example.com/' },
    answer: {
      description: 'The screenshot of the whole page.',
      headers: [...billedHeaders, 'Vary', 'Deprecation', 'Link'],
      example: picture,
      otherwise: asPng,
    },
    refuses: acted,
  },
  cloudLinks: {
    body: { url: 'https://example.com/', limit: 100 },
    answer: got({
      links: ['https://example.com/pricing', 'https://example.org/'],
      total: 2,
      ...pageExample,
      ...costExample,
    }),
    refuses: cloudRefusals,
  },
  cloudProxyFetch: {
    body: { url: 'https://example.com/', pool: 'isp', country: 'DE' },
    answer: got(byProxy),
    refuses: cloudRefusals,
  },
}
