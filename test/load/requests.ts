/** The requests under load, as a table, each with its share of the connections. */
import { randomInt } from 'node:crypto'

/** One project, with a run and pages that can be read. */
export type Tenant = { key: string; runId: number; pageIds: number[] }

type Request = { method: 'GET' | 'POST'; path: string; body?: object }

export type LoadRequest = {
  name: string
  /** Percent of the connections. */
  share: number
  /** Statuses of refusals that are no fault, such as too many concurrent runs of a project. */
  mayRefuse: readonly number[]
  requestFor: (tenant: Tenant, siteUrl: string) => Request
}

const get = (path: string): Request => ({ method: 'GET', path })
const post = (path: string, body: object): Request => ({ method: 'POST', path, body })

const pagesOfCrawl = 3

/** Any request of a project with a rate limit may get this. */
export const rateRefused = 429

export const loadRequests: readonly LoadRequest[] = [
  { name: 'GET /v1/crawls', share: 24, mayRefuse: [], requestFor: () => get('/v1/crawls?limit=20') },
  {
    name: 'GET /v1/crawls/{id}',
    share: 20,
    mayRefuse: [],
    requestFor: ({ runId }) => get(`/v1/crawls/${runId}`),
  },
  {
    name: 'GET /v1/crawls/{id}/pages',
    share: 18,
    mayRefuse: [],
    requestFor: ({ runId }) => get(`/v1/crawls/${runId}/pages?limit=50`),
  },
  {
    name: 'GET /v1/pages/{id}',
    share: 10,
    mayRefuse: [],
    requestFor: ({ pageIds }) => get(`/v1/pages/${oneOf(pageIds)}?format=markdown`),
  },
  { name: 'GET /v1/usage', share: 10, mayRefuse: [], requestFor: () => get('/v1/usage') },
  {
    name: 'POST /v1/crawls',
    share: 10,
    mayRefuse: [429],
    requestFor: (_tenant, url) => post('/v1/crawls', { url, max_pages: pagesOfCrawl, delay_ms: 0 }),
  },
  {
    name: 'POST /v1/scan',
    share: 6,
    mayRefuse: [],
    requestFor: (_tenant, url) =>
      post('/v1/scan', { url: `${url}?scan=${randomInt(1e9)}`, metadata_only: true }),
  },
  {
    name: 'POST /v1/llms-txt-build',
    share: 2,
    mayRefuse: [408, 429],
    requestFor: (_tenant, url) =>
      post('/v1/llms-txt-build', { url, max_pages: pagesOfCrawl, wait_seconds: 20 }),
  },
]

/** Returns the number of connections of a request, at least one. */
export const connectionsOf = ({ share }: LoadRequest, all: number): number =>
  Math.max(1, Math.round((share * all) / 100))

export function oneOf<T>(items: readonly T[]): T {
  const item = items[randomInt(items.length)]
  if (item === undefined) throw new Error('the list is empty')
  return item
}
