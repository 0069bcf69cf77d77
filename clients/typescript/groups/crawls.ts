/** Crawls, their pages, and monitors. */
import { type FollowOptions, follow, type WaitOptions, waitFor } from '../events.ts'
import type { List } from '../lists.ts'
import type {
  CrawlAccepted,
  CrawlRequest,
  MonitorAccepted,
  PageItem,
  PageMetadata,
  Signals,
} from '../schema.ts'
import type { CallOptions, Transport } from '../transport.ts'
import {
  type Body,
  divided,
  listOf,
  posting,
  type Query,
  type QueryAndOptions,
  withId,
  withQuery,
} from './method.ts'

/** A page in a list with `include`: each part is null if the page has none. */
export type PageWithContent = PageItem & {
  markdown?: string | null
  html?: string | null
  article_text?: string | null
  article_html?: string | null
  article_markdown?: string | null
  metadata?: PageMetadata | null
  signals?: Signals | null
}

type Start = Omit<CrawlRequest, 'cron'>

export const crawlsOf = (transport: Transport) => ({
  /** Starts a crawl. Repeated attempts start it once. */
  start: (body: Start, options?: CallOptions) =>
    transport.call('startCrawl', { body }, options) as Promise<CrawlAccepted>,
  /** Returns a crawl after its end. Ends with the reason of `signal` on abort; the crawl continues. */
  wait: (id: number, options?: WaitOptions) => waitFor(transport, id, options),
  /** The events of a crawl from its beginning, or after `lastEventId`, to its end. */
  events: (id: number, options?: FollowOptions) => follow(transport, id, options),
  estimate: posting(transport, 'estimateCrawl'),
  list: (options?: QueryAndOptions<'listCrawls'>) => listOf(transport, 'listCrawls', undefined, options),
  /** Returns a crawl, with `as_of` as it was at that time. */
  get: withQuery(transport, 'getCrawl'),
  cancel: withId(transport, 'cancelCrawl'),
  pause: withId(transport, 'pauseCrawl'),
  resume: withId(transport, 'resumeCrawl'),
  /** Fetches the failed URLs of an ended crawl again, within this crawl. */
  retryFailed: withId(transport, 'retryFailed'),
  /** Starts a crawl from the pages of another one, with other limits or patterns. Repeated attempts start it once. */
  fork: (id: number, body: Body<'forkCrawl'> = {}, options?: CallOptions) =>
    transport.call('forkCrawl', { path: { id }, body }, options),
  /** Returns a read-only address of a crawl for people without a key. */
  share: (id: number, body: Body<'shareCrawl'> = {}, options?: CallOptions) =>
    transport.call('shareCrawl', { path: { id }, body }, options),
  /** Ends all addresses of a crawl that were made until now. */
  endShares: withId(transport, 'endShares'),
  /** Cancels and deletes a crawl with its pages. */
  delete: withId(transport, 'deleteCrawl'),
  /** The pages of a crawl. With `include`, such as `markdown`, each has its content. */
  pages: (id: number, options?: QueryAndOptions<'listPages'>) =>
    listOf(transport, 'listPages', { id }, options) as List<
      PageWithContent,
      { items: PageWithContent[]; next_offset: number | null }
    >,
  coverage: withQuery(transport, 'getCoverage'),
  errors: (id: number, options?: QueryAndOptions<'listErrors'>) =>
    listOf(transport, 'listErrors', { id }, options),
  /** Returns why a URL was fetched or not. */
  explain: (id: number, url: string, options?: CallOptions) =>
    transport.call('explainUrl', { path: { id }, query: { url } }, options),
  links: (id: number, options?: QueryAndOptions<'listLinks'>) =>
    listOf(transport, 'listLinks', { id }, options),
  orphans: (id: number, options?: QueryAndOptions<'listOrphans'>) =>
    listOf(transport, 'listOrphans', { id }, options),
  /** The signed root of the tree over the pages of a crawl that has ended. */
  evidence: withId(transport, 'getEvidence'),
  evidenceLeaves: (id: number, options?: QueryAndOptions<'listEvidenceLeaves'>) =>
    listOf(transport, 'listEvidenceLeaves', { id }, options),
  /** How a crawl treated each host. */
  policy: (id: number, options?: QueryAndOptions<'getCrawlPolicy'>) =>
    listOf(transport, 'getCrawlPolicy', { id }, options),
  /** The stored pages that the extractor of today reads differently. */
  replay: (id: number, options?: QueryAndOptions<'replayCrawl'>) =>
    listOf(transport, 'replayCrawl', { id }, options),
  /** The exports of a crawl. */
  exports: (id: number, options?: QueryAndOptions<'listExports'>) =>
    listOf(transport, 'listExports', { id }, options),
  /** Requests an export. Repeated attempts request it once. */
  export: (id: number, body: Body<'requestExport'>, options?: CallOptions) =>
    transport.call('requestExport', { path: { id }, body }, options),
  /** Compares two crawls. */
  diff: (oldId: number, newId: number, given?: QueryAndOptions<'diffCrawls'>) => {
    const { query, options } = divided(given)
    return transport.call('diffCrawls', { path: { old_id: oldId, new_id: newId }, query }, options)
  },
  /** Compares the text of one page in two crawls. */
  diffPage: (
    oldId: number,
    newId: number,
    url: string,
    given?: Omit<Query<'diffPage'>, 'url'> & CallOptions,
  ) => {
    const { query, options } = divided(given)
    const args = { path: { old_id: oldId, new_id: newId }, query: { url, ...query } }
    return transport.call('diffPage', args, options)
  },
  deliveries: (id: number, options?: QueryAndOptions<'listDeliveries'>) =>
    listOf(transport, 'listDeliveries', { id }, options),
  /** Sends a webhook of a crawl again. */
  redeliver: (id: number, deliveryId: string, options?: CallOptions) =>
    transport.call('redeliver', { path: { id, delivery_id: deliveryId } }, options),
})

export const pagesOf = (transport: Transport) => ({
  get: (id: number, given?: Omit<QueryAndOptions<'getPage'>, never> & { format?: PageFormat }) => {
    const { query, options } = divided(given)
    return transport.call('getPage', { path: { id }, query }, options)
  },
  /** The proof that a page belongs to its crawl. */
  evidence: withId(transport, 'getPageEvidence'),
  /** Returns the response with the screenshot of a page, a PNG. The body is not read yet. */
  screenshot: (id: number, options: CallOptions = {}): Promise<Response> =>
    transport.open('getPageScreenshot', { path: { id } }, options, 'image/png'),
  /** Fills a JSON Schema from the content of a page. */
  extract: (id: number, body: Body<'extractFromPage'>, options?: CallOptions) =>
    transport.call('extractFromPage', { path: { id }, body }, options),
})

type PageFormat = 'html' | 'markdown' | 'article' | 'both' | 'full' | 'signals'

export const monitorsOf = (transport: Transport) => ({
  /** Creates a monitor, which repeats a crawl by its `cron`. */
  create: (body: CrawlRequest & { cron: string }, options?: CallOptions) =>
    transport.call('startCrawl', { body }, options) as Promise<MonitorAccepted>,
  list: (options?: CallOptions) => listOf(transport, 'listMonitors', undefined, options),
  get: withId(transport, 'getMonitor'),
  change: (id: number, body: Body<'changeMonitor'>, options?: CallOptions) =>
    transport.call('changeMonitor', { path: { id }, body }, options),
  delete: withId(transport, 'deleteMonitor'),
  /** The crawls of a monitor. */
  runs: (id: number, options?: QueryAndOptions<'listMonitorRuns'>) =>
    listOf(transport, 'listMonitorRuns', { id }, options),
  /** Starts a crawl of a monitor now. Repeated attempts start it once. */
  run: withId(transport, 'runMonitor'),
})
