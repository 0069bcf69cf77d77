/** The method of every operation in the SDK: `group.method`, or `method` for those of the client itself. */
export const names: Record<string, string> = {
  getHealth: 'health',
  getReady: 'ready',
  scanPage: 'scan',
  scanPages: 'scan_many',
  deleteScans: 'delete_scans',
  requestBatch: 'batches.request',
  listBatches: 'batches.list',
  getBatch: 'batches.get',
  listBatchResults: 'batches.results',
  cancelBatch: 'batches.cancel',
  deleteBatch: 'batches.delete',
  mapSite: 'map',
  readRobotsPolicy: 'robots_policy',
  buildLlmsTxt: 'llms_txt',

  startCrawl: 'crawls.start',
  listCrawls: 'crawls.list',
  getCrawl: 'crawls.get',
  deleteCrawl: 'crawls.delete',
  cancelCrawl: 'crawls.cancel',
  pauseCrawl: 'crawls.pause',
  resumeCrawl: 'crawls.resume',
  retryFailed: 'crawls.retry_failed',
  forkCrawl: 'crawls.fork',
  shareCrawl: 'crawls.share',
  endShares: 'crawls.end_shares',
  getCoverage: 'crawls.coverage',
  listErrors: 'crawls.errors',
  explainUrl: 'crawls.explain',
  followCrawl: 'crawls.events',
  estimateCrawl: 'crawls.estimate',
  listPages: 'crawls.pages',
  getPage: 'pages.get',
  extractFromPage: 'pages.extract',
  getPageScreenshot: 'pages.screenshot',
  listLinks: 'crawls.links',
  listOrphans: 'crawls.orphans',
  getEvidence: 'crawls.evidence',
  listEvidenceLeaves: 'crawls.evidence_leaves',
  getCrawlPolicy: 'crawls.policy',
  replayCrawl: 'crawls.replay',
  getPageEvidence: 'pages.evidence',
  listEvidenceKeys: 'account.evidence_keys',
  diffCrawls: 'crawls.diff',
  diffPage: 'crawls.diff_page',
  listDeliveries: 'crawls.deliveries',
  redeliver: 'crawls.redeliver',

  requestExport: 'crawls.export',
  listExports: 'crawls.exports',
  getExport: 'exports.get',
  deleteExport: 'exports.delete',
  downloadExport: 'exports.download',

  listMonitors: 'monitors.list',
  getMonitor: 'monitors.get',
  changeMonitor: 'monitors.change',
  deleteMonitor: 'monitors.delete',
  listMonitorRuns: 'monitors.runs',
  runMonitor: 'monitors.run',

  cloudScrape: 'cloud.scrape',
  cloudUnblock: 'cloud.unblock',
  cloudRender: 'cloud.render',
  cloudScreenshot: 'cloud.screenshot',
  cloudLinks: 'cloud.links',
  cloudProxyFetch: 'cloud.proxy_fetch',
  cloudCrawl: 'cloud.crawl',
  cloudSearch: 'cloud.search',
  cloudTransform: 'cloud.transform',
  listScrapers: 'cloud.scrapers',
  cloudFetch: 'cloud.fetch',
  cloudFetchPath: 'cloud.fetch_path',
  getCloudBalance: 'cloud.balance',
  getCloudHealth: 'cloud.health',

  extractStructuredData: 'actors.structured_data',
  auditOnpage: 'actors.audit_onpage',
  extractArticle: 'actors.extract_article',
  diffRendered: 'actors.render_diff',
  checkLinks: 'actors.check_links',
  auditSitemaps: 'actors.sitemap_audit',
  analyseLinkGraph: 'actors.internal_link_graph',
  auditSite: 'actors.audit_site',

  getUsage: 'account.usage',
  getUsageHistory: 'account.usage_history',
  listLedger: 'account.ledger',
  getModelConsent: 'account.model_consent',
  setModelConsent: 'account.set_model_consent',
  listKeys: 'keys.list',
  rotateKey: 'keys.rotate',
  revokeKey: 'keys.revoke',
  getBilling: 'account.billing',
  listLogs: 'account.logs',
  signUp: 'account.sign_up',
  getCheckout: 'account.checkout',
  takePaymentEvent: 'account.payment_event',

  getWebhookSecret: 'webhooks.secret',
  rotateWebhookSecret: 'webhooks.rotate_secret',
  redeliverDead: 'webhooks.redeliver_dead',
  testWebhook: 'webhooks.test',
}

/** Methods that are written by hand in `tidemark/_async`. */
export const byHand = new Set([
  'crawls.events',
  'crawls.pages',
  'pages.screenshot',
  'exports.download',
  'account.payment_event',
])

/** Fields of a body that another method has: `crawls.start` starts a crawl, and `monitors.create` a monitor. */
export const leftOut: Record<string, readonly string[]> = {
  'crawls.start': ['cron', 'return_only_changed'],
}

/** Further methods of an operation, with the fields that they require and the schema of their response. */
export const variants: Record<string, { name: string; required: string[]; status: string; summary: string }> =
  {
    startCrawl: {
      name: 'monitors.create',
      required: ['url', 'cron'],
      status: '201',
      summary: 'Create a monitor',
    },
  }

/** Seconds to wait for a response, where the work of the service takes longer than the timeout of the client. */
export const patience: Record<string, number> = {
  buildLlmsTxt: 720,
}

/** Actors that may work for minutes, and for more than an hour on a large site. Their results are read as a stream. */
export const longActors = new Set(['auditSite', 'auditSitemaps', 'checkLinks'])
