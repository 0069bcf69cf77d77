/** The cloud endpoints of the playground: their options as the address has them, and the call that they make. */
import type { CloudPage, CloudProxyFetched, OperationId } from '@tidemark/sdk'
import { tidemark } from '../../data/client.ts'
import { withScheme } from '../../parts/controls.tsx'

export type Fetched = CloudPage | CloudProxyFetched
type Option = readonly [value: string, words: string]

const html: Option = ['raw', 'HTML']
const markdown: Option = ['markdown', 'Markdown']
const text: Option = ['text', 'text']

export const backends: readonly Option[] = [
  ['auto', 'the cheapest first'],
  ['local', 'of this installation'],
  ['vendor', 'the vendor'],
  ['proxy', 'a proxy'],
]
export const pools: readonly Option[] = ['isp', 'datacenter', 'residential', 'mobile'].map(name => [
  name,
  name,
])
export const waits: readonly Option[] = [
  ['load', 'load'],
  ['domcontentloaded', 'DOM loaded'],
  ['networkidle', 'network idle'],
]

export type EndpointName = 'scrape' | 'unblock' | 'render' | 'proxy'
type Values = Pick<URLSearchParams, 'get'>

/** The first format is the default of the endpoint. Without formats the body is returned as served. */
export type Endpoint = {
  words: string
  id: OperationId
  formats: readonly Option[]
  /** The options that the endpoint has beside the format, by their names in the address. */
  options: (values: Values) => readonly ('backend' | 'chrome' | 'pool' | 'country' | 'wait')[]
}

const isByProxy = (values: Values): boolean => values.get('backend') === 'proxy'

export const endpoints: Record<EndpointName, Endpoint> = {
  scrape: {
    words: 'Scrape',
    id: 'cloudScrape',
    formats: [markdown, html, text, ['commonmark', 'CommonMark']],
    options: values => ['backend', 'chrome', ...(isByProxy(values) ? (['pool', 'country'] as const) : [])],
  },
  unblock: {
    words: 'Unblock',
    id: 'cloudUnblock',
    formats: [markdown, text, html],
    options: () => ['country'],
  },
  render: {
    words: 'Render in a browser',
    id: 'cloudRender',
    formats: [html, markdown, text, ['png', 'screenshot']],
    options: () => ['wait'],
  },
  proxy: {
    words: 'Fetch by proxy',
    id: 'cloudProxyFetch',
    formats: [],
    options: () => ['pool', 'country'],
  },
}

export const endpointOf = (values: Values): EndpointName =>
  (Object.keys(endpoints) as EndpointName[]).find(name => name === values.get('endpoint')) ?? 'scrape'

/** Returns the format of the address, or the default of the endpoint. Without formats it is HTML. */
export function formatOf(values: Values): string {
  const { formats } = endpoints[endpointOf(values)]
  return (formats.find(([name]) => name === values.get('format')) ?? formats[0] ?? html)[0]
}

/** Returns the body of the call: the options of the endpoint that are not its defaults. */
export function bodyOf(values: Values): { url: string } & Record<string, unknown> {
  const endpoint = endpointOf(values)
  const { formats, options } = endpoints[endpoint]
  const has = new Set(options(values))
  const [backend, pool, country] = ['backend', 'pool', 'country'].map(name => values.get(name)?.trim() ?? '')
  const format = formatOf(values)
  const wait = values.get('wait')
  const isScrape = endpoint === 'scrape'
  return {
    url: withScheme(values.get('url')?.trim() ?? ''),
    ...(formats.length > 0 && { return_format: format }),
    ...(has.has('chrome') && values.get('chrome') === '1' && { chrome: true }),
    ...(has.has('backend') && backend && backend !== 'auto' && { force_backend: backend }),
    ...(has.has('pool') && pool && { [isScrape ? 'proxy_pool' : 'pool']: pool }),
    ...(has.has('country') && country && { [isScrape ? 'proxy_country' : 'country']: country }),
    ...(has.has('wait') && wait && { wait_for: wait }),
  }
}

/** A rendered page may take 75 seconds. */
const options = { timeout: 100_000 }

/** Makes the call, which is billed. The gateway validates the values of the address. */
export const fetchPage = (endpoint: EndpointName, body: { url: string }): PromiseLike<Fetched> => {
  if (endpoint === 'scrape') return tidemark.cloud.scrape(body, options)
  if (endpoint === 'unblock') return tidemark.cloud.unblock(body, options)
  if (endpoint === 'render') return tidemark.cloud.render(body, options)
  return tidemark.cloud.proxyFetch(body, options)
}
