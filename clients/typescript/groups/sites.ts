/** Operations that read sites now: scans, maps, cloud pages and actors. */
import type { CallOptions, Transport } from '../transport.ts'
import { acting, type Body, listOf, plain, posting, type QueryAndOptions, withId } from './method.ts'

export const sitesOf = (transport: Transport) => ({
  scan: posting(transport, 'scanPage'),
  scanMany: posting(transport, 'scanPages'),
  deleteScans: (url: string, options: CallOptions = {}) =>
    transport.call('deleteScans', { query: { url } }, options),
  map: posting(transport, 'mapSite'),
  robotsPolicy: (url: string, { user_agent, ...options }: CallOptions & { user_agent?: string } = {}) =>
    transport.call('readRobotsPolicy', { query: { url, user_agent } }, options),
  llmsTxt: posting(transport, 'buildLlmsTxt'),
  health: plain(transport, 'getHealth'),
  ready: plain(transport, 'getReady'),
})

export const batchesOf = (transport: Transport) => ({
  /** Requests a batch of scans. Repeated attempts request it once. */
  request: posting(transport, 'requestBatch'),
  list: (options?: QueryAndOptions<'listBatches'>) => listOf(transport, 'listBatches', undefined, options),
  get: withId(transport, 'getBatch'),
  /** The results so far, in the order of the request. */
  results: (id: number, options?: QueryAndOptions<'listBatchResults'>) =>
    listOf(transport, 'listBatchResults', { id }, options),
  /** Ends a batch and keeps its results. */
  cancel: withId(transport, 'cancelBatch'),
  /** Cancels and deletes a batch with its results. */
  delete: withId(transport, 'deleteBatch'),
})

export const cloudOf = (transport: Transport) => ({
  scrape: posting(transport, 'cloudScrape'),
  unblock: posting(transport, 'cloudUnblock'),
  render: posting(transport, 'cloudRender'),
  /** @deprecated Use `render`. */
  screenshot: posting(transport, 'cloudScreenshot'),
  links: posting(transport, 'cloudLinks'),
  proxyFetch: posting(transport, 'cloudProxyFetch'),
  crawl: posting(transport, 'cloudCrawl'),
  search: posting(transport, 'cloudSearch'),
  transform: posting(transport, 'cloudTransform'),
  scrapers: (options?: QueryAndOptions<'listScrapers'>) =>
    listOf(transport, 'listScrapers', undefined, options),
  /** Reads the data of a site by its scraper. */
  fetch: (domain: string, body?: Body<'cloudFetch'>, options?: CallOptions) =>
    transport.call('cloudFetch', { path: { domain }, body: body ?? {} }, options),
  fetchPath: (domain: string, path: string, body?: Body<'cloudFetchPath'>, options?: CallOptions) =>
    transport.call('cloudFetchPath', { path: { domain, path }, body: body ?? {} }, options),
  balance: plain(transport, 'getCloudBalance'),
  health: plain(transport, 'getCloudHealth'),
})

export const actorsOf = (transport: Transport) => ({
  structuredData: acting(transport, 'extractStructuredData'),
  auditOnpage: acting(transport, 'auditOnpage'),
  extractArticle: acting(transport, 'extractArticle'),
  renderDiff: acting(transport, 'diffRendered'),
  checkLinks: acting(transport, 'checkLinks'),
  sitemapAudit: acting(transport, 'auditSitemaps'),
  internalLinkGraph: acting(transport, 'analyseLinkGraph'),
  /** Audits the stored pages of a crawl. For CSV or NDJSON, send `format` with `tidemark.request`. */
  auditSite: acting(transport, 'auditSite'),
})
