/** What is asked of the API under load: each request as a table's row, with its share of the connections. */
import { randomInt } from 'node:crypto'

/** One project, and what of it can be read. */
export type Tenant = { key: string; runId: number; pageIds: number[] }

type Asked = { method: 'GET' | 'POST'; path: string; body?: object }

export type LoadRequest = {
  name: string
  /** Of a hundred connections. */
  share: number
  /** Which refusals are no fault: of more runs at once than a project may have. */
  mayRefuse: readonly number[]
  ask: (tenant: Tenant, siteUrl: string) => Asked
}

const get = (path: string): Asked => ({ method: 'GET', path })
const post = (path: string, body: object): Asked => ({ method: 'POST', path, body })

const pagesOfCrawl = 3

/** A project that is held to a rate is told so, whatever it asks. */
export const rateRefused = 429

export const loadRequests: readonly LoadRequest[] = [
  { name: 'GET /v1/crawls', share: 24, mayRefuse: [], ask: () => get('/v1/crawls?limit=20') },
  { name: 'GET /v1/crawls/{id}', share: 20, mayRefuse: [], ask: ({ runId }) => get(`/v1/crawls/${runId}`) },
  {
    name: 'GET /v1/crawls/{id}/pages',
    share: 18,
    mayRefuse: [],
    ask: ({ runId }) => get(`/v1/crawls/${runId}/pages?limit=50`),
  },
  {
    name: 'GET /v1/pages/{id}',
    share: 10,
    mayRefuse: [],
    ask: ({ pageIds }) => get(`/v1/pages/${oneOf(pageIds)}?format=markdown`),
  },
  { name: 'GET /v1/usage', share: 10, mayRefuse: [], ask: () => get('/v1/usage') },
  {
    name: 'POST /v1/crawls',
    share: 10,
    mayRefuse: [429],
    ask: (_tenant, url) => post('/v1/crawls', { url, max_pages: pagesOfCrawl, delay_ms: 0 }),
  },
  {
    name: 'POST /v1/scan',
    share: 6,
    mayRefuse: [],
    ask: (_tenant, url) => post('/v1/scan', { url: `${url}?scan=${randomInt(1e9)}`, metadata_only: true }),
  },
  {
    name: 'POST /v1/llms-txt-build',
    share: 2,
    mayRefuse: [408, 429],
    ask: (_tenant, url) => post('/v1/llms-txt-build', { url, max_pages: pagesOfCrawl, wait_seconds: 20 }),
  },
]

/** Connections of each request; at least one. */
export const connectionsOf = ({ share }: LoadRequest, all: number): number =>
  Math.max(1, Math.round((share * all) / 100))

export function oneOf<T>(items: readonly T[]): T {
  const item = items[randomInt(items.length)]
  if (item === undefined) throw new Error('there is nothing to choose from')
  return item
}
