/** The method of the client for each operation of the API, with the arguments of a recorded call. */
import type { OperationId, Tidemark } from './tidemark.ts'

type Given = {
  path?: Record<string, string | number>
  query?: Record<string, unknown>
  body?: unknown
}
type Options = Record<string, unknown>
type Method = (
  client: Tidemark,
  given: Given,
  options: Options,
) => PromiseLike<unknown> | AsyncIterable<unknown>

// biome-ignore lint/suspicious/noExplicitAny: a recorded call has values of any type
const loose = (value: unknown) => value as any
const id = ({ path }: Given): number => Number(path?.id)
const all = ({ query }: Given, options: Options) => loose({ ...query, ...options })
const body = ({ body }: Given) => loose(body)

/** For each operation, a call of the method with the recorded path, query and body in the order of its parameters. */
export const methods: Record<OperationId, Method> = {
  getHealth: (c, _, o) => c.health(o),
  getReady: (c, _, o) => c.ready(o),
  signUp: (c, g, o) => c.account.signUp(body(g), o),
  getCheckout: (c, g, o) => c.account.checkout(Number(g.query?.intent_id), o),
  takePaymentEvent: (c, g, o) => c.account.paymentEvent(JSON.stringify(g.body), 't=1,v1=0', o),
  downloadExport: (c, g, o) =>
    c.exports.download(loose({ id: id(g), download_url: '/file?expires=1' }), 0, o),
  startCrawl: (c, g, o) => c.crawls.start(body(g), o),
  listCrawls: (c, g, o) => c.crawls.list(all(g, o)),
  getCrawl: (c, g, o) => c.crawls.get(id(g), all(g, o)),
  deleteCrawl: (c, g, o) => c.crawls.delete(id(g), o),
  cancelCrawl: (c, g, o) => c.crawls.cancel(id(g), o),
  pauseCrawl: (c, g, o) => c.crawls.pause(id(g), o),
  resumeCrawl: (c, g, o) => c.crawls.resume(id(g), o),
  retryFailed: (c, g, o) => c.crawls.retryFailed(id(g), o),
  forkCrawl: (c, g, o) => c.crawls.fork(id(g), body(g), o),
  shareCrawl: (c, g, o) => c.crawls.share(id(g), body(g), o),
  endShares: (c, g, o) => c.crawls.endShares(id(g), o),
  getCoverage: (c, g, o) => c.crawls.coverage(id(g), all(g, o)),
  listErrors: (c, g, o) => c.crawls.errors(id(g), all(g, o)),
  explainUrl: (c, g, o) => c.crawls.explain(id(g), String(g.query?.url), o),
  followCrawl: (c, g, o) => c.crawls.events(id(g), all(g, o)),
  estimateCrawl: (c, g, o) => c.crawls.estimate(body(g), o),
  buildLlmsTxt: (c, g, o) => c.llmsTxt(body(g), o),
  listMonitors: (c, _, o) => c.monitors.list(o),
  getMonitor: (c, g, o) => c.monitors.get(id(g), o),
  changeMonitor: (c, g, o) => c.monitors.change(id(g), body(g), o),
  deleteMonitor: (c, g, o) => c.monitors.delete(id(g), o),
  listMonitorRuns: (c, g, o) => c.monitors.runs(id(g), all(g, o)),
  runMonitor: (c, g, o) => c.monitors.run(id(g), o),
  listPages: (c, g, o) => c.crawls.pages(id(g), all(g, o)),
  getPage: (c, g, o) => c.pages.get(id(g), all(g, o)),
  getPageScreenshot: (c, g, o) => c.pages.screenshot(id(g), o),
  extractFromPage: (c, g, o) => c.pages.extract(id(g), body(g), o),
  listLinks: (c, g, o) => c.crawls.links(id(g), all(g, o)),
  listOrphans: (c, g, o) => c.crawls.orphans(id(g), all(g, o)),
  getEvidence: (c, g, o) => c.crawls.evidence(id(g), o),
  listEvidenceLeaves: (c, g, o) => c.crawls.evidenceLeaves(id(g), all(g, o)),
  getCrawlPolicy: (c, g, o) => c.crawls.policy(id(g), all(g, o)),
  replayCrawl: (c, g, o) => c.crawls.replay(id(g), all(g, o)),
  getPageEvidence: (c, g, o) => c.pages.evidence(id(g), o),
  listEvidenceKeys: (c, _, o) => c.account.evidenceKeys(o),
  requestExport: (c, g, o) => c.crawls.export(id(g), body(g), o),
  listExports: (c, g, o) => c.crawls.exports(id(g), all(g, o)),
  getExport: (c, g, o) => c.exports.get(id(g), o),
  deleteExport: (c, g, o) => c.exports.delete(id(g), o),
  diffCrawls: (c, g, o) => c.crawls.diff(Number(g.path?.old_id), Number(g.path?.new_id), all(g, o)),
  diffPage: (c, g, o) =>
    c.crawls.diffPage(Number(g.path?.old_id), Number(g.path?.new_id), String(g.query?.url), all(g, o)),
  scanPage: (c, g, o) => c.scan(body(g), o),
  scanPages: (c, g, o) => c.scanMany(body(g), o),
  deleteScans: (c, g, o) => c.deleteScans(String(g.query?.url), o),
  requestBatch: (c, g, o) => c.batches.request(body(g), o),
  listBatches: (c, g, o) => c.batches.list(all(g, o)),
  getBatch: (c, g, o) => c.batches.get(id(g), o),
  listBatchResults: (c, g, o) => c.batches.results(id(g), all(g, o)),
  cancelBatch: (c, g, o) => c.batches.cancel(id(g), o),
  deleteBatch: (c, g, o) => c.batches.delete(id(g), o),
  mapSite: (c, g, o) => c.map(body(g), o),
  readRobotsPolicy: (c, g, o) => c.robotsPolicy(String(g.query?.url), all(g, o)),
  cloudScrape: (c, g, o) => c.cloud.scrape(body(g), o),
  cloudUnblock: (c, g, o) => c.cloud.unblock(body(g), o),
  cloudRender: (c, g, o) => c.cloud.render(body(g), o),
  cloudScreenshot: (c, g, o) => c.cloud.screenshot(body(g), o),
  cloudLinks: (c, g, o) => c.cloud.links(body(g), o),
  cloudProxyFetch: (c, g, o) => c.cloud.proxyFetch(body(g), o),
  cloudCrawl: (c, g, o) => c.cloud.crawl(body(g), o),
  cloudSearch: (c, g, o) => c.cloud.search(body(g), o),
  cloudTransform: (c, g, o) => c.cloud.transform(body(g), o),
  listScrapers: (c, g, o) => c.cloud.scrapers(all(g, o)),
  cloudFetch: (c, g, o) => c.cloud.fetch(String(g.path?.domain), body(g), o),
  cloudFetchPath: (c, g, o) => c.cloud.fetchPath(String(g.path?.domain), String(g.path?.path), body(g), o),
  getCloudBalance: (c, _, o) => c.cloud.balance(o),
  getCloudHealth: (c, _, o) => c.cloud.health(o),
  extractStructuredData: (c, g, o) => c.actors.structuredData(body(g), o),
  auditOnpage: (c, g, o) => c.actors.auditOnpage(body(g), o),
  extractArticle: (c, g, o) => c.actors.extractArticle(body(g), o),
  diffRendered: (c, g, o) => c.actors.renderDiff(body(g), o),
  checkLinks: (c, g, o) => c.actors.checkLinks(body(g), o),
  auditSitemaps: (c, g, o) => c.actors.sitemapAudit(body(g), o),
  analyseLinkGraph: (c, g, o) => c.actors.internalLinkGraph(body(g), o),
  auditSite: (c, g, o) => c.actors.auditSite(body(g), o),
  getWebhookSecret: (c, _, o) => c.webhooks.secret(o),
  rotateWebhookSecret: (c, g, o) => c.webhooks.rotateSecret(body(g), o),
  redeliverDead: (c, g, o) => c.webhooks.redeliverDead(body(g), o),
  testWebhook: (c, g, o) => c.webhooks.test(body(g), o),
  listDeliveries: (c, g, o) => c.crawls.deliveries(id(g), all(g, o)),
  redeliver: (c, g, o) => c.crawls.redeliver(id(g), String(g.path?.delivery_id), o),
  getUsage: (c, _, o) => c.account.usage(o),
  getUsageHistory: (c, g, o) => c.account.usageHistory(all(g, o)),
  listLedger: (c, g, o) => c.account.ledger(all(g, o)),
  getModelConsent: (c, _, o) => c.account.modelConsent(o),
  setModelConsent: (c, g, o) => c.account.setModelConsent(body(g).consent, o),
  listKeys: (c, _, o) => c.keys.list(o),
  rotateKey: (c, g, o) => c.keys.rotate(body(g), o),
  revokeKey: (c, g, o) => c.keys.revoke(String(g.path?.prefix), o),
  getBilling: (c, _, o) => c.account.billing(o),
  listLogs: (c, g, o) => c.account.logs(all(g, o)),
}

/** Returns the method of an operation, or throws if the client has none. */
export function methodOf(client: Tidemark, operation: string) {
  const method = methods[operation as OperationId]
  if (method === undefined) throw new Error(`The client has no method for ${operation}.`)
  return (given: Given, options: Options) => method(client, given, options)
}
