/** Every stream, subject and durable consumer, spelled once. A run's shard is its id modulo 64, in two digits. */

export const streams = {
  runs: 'RUNS',
  fetch: 'FETCH',
  pages: 'PAGES',
  outcomes: 'OUTCOMES',
  served: 'SERVED',
  usage: 'USAGE',
  accounts: 'ACCOUNTS',
  audit: 'AUDIT',
  monitors: 'MONITORS',
  deliveries: 'DELIVERIES',
  dead: 'DEAD',
} as const

export const bulky = 'BULKY'

const shardCount = 64

/** All shards, `00` to `63`. */
export const shards: readonly string[] = Array.from({ length: shardCount }, (_, n) => twoDigits(n))

export const shardOf = (runId: number): string => twoDigits(runId % shardCount)

/** Which of a run's streams: what the crawl decided, its diff, its webhook, what its site says. Each has one writer. */
export type Facet = 'crawl' | 'diff' | 'webhook' | 'site'

export const subjects = {
  run: (runId: number, facet: Facet = 'crawl') => `runs.${shardOf(runId)}.${runId}.${facet}`,
  runs: 'runs.>',
  fetch: (lane: Lane) => `fetch.${lane}`,
  pages: (runId: number) => `pages.${shardOf(runId)}`,
  outcomes: (runId: number) => `outcomes.${shardOf(runId)}`,
  outcomesOfShard: (shard: string) => `outcomes.${shard}`,
  served: (projectId: number) => `served.${projectId}`,
  usage: (projectId: number) => `usage.${projectId}`,
  account: (projectId: number) => `accounts.${projectId}`,
  intent: (intentId: number) => `accounts.intent-${intentId}`,
  audit: (projectId: number) => `audit.${projectId}`,
  monitor: (monitorId: number) => `monitors.${monitorId}`,
  deliveries: 'deliveries',
  dead: (stream: string, consumer: string) => `dead.${stream}.${consumer}`,
} as const

/** Who reads RUNS into something that must outlive its events. */
export const runsReaders = ['projector', 'ledger', 'content', 'webhook'] as const
export type RunsReader = (typeof runsReaders)[number]

/** How a page is fetched; each lane scales apart. */
export type Lane = 'http' | 'browser'

export const consumers = {
  fetcher: (lane: Lane) => `fetcher-${lane}`,
  extractor: 'extractor',
  coordinator: (shard: string) => `coordinator-${shard}`,
  webhook: 'webhook',
} as const

/** Questions and commands that are answered at once, over core NATS. */
export const asks = {
  startRun: 'ask.runs.start',
  findStarted: 'ask.runs.find-started',
  getRun: 'ask.runs.get',
  isRunActive: 'ask.runs.is-active',
  cancelRun: 'ask.runs.cancel',
  deleteRun: 'ask.runs.delete',
  judgeUrls: 'ask.runs.judge',
  getCoverage: 'ask.runs.coverage',
  listErrors: 'ask.runs.errors',
  explainUrl: 'ask.runs.explain',
  createProject: 'ask.accounts.create-project',
  setProject: 'ask.accounts.set-project',
  findKey: 'ask.accounts.find-key',
  listKeys: 'ask.accounts.list-keys',
  setKey: 'ask.accounts.set-key',
  readTerms: 'ask.accounts.terms',
  createKey: 'ask.accounts.create-key',
  rotateKey: 'ask.accounts.rotate-key',
  revokeKey: 'ask.accounts.revoke-key',
  resendMails: 'ask.accounts.resend-mails',
  closeAccount: 'ask.accounts.close',
  signUp: 'ask.accounts.sign-up',
  readCheckout: 'ask.accounts.checkout',
  takePayment: 'ask.accounts.take-payment',
  readBilling: 'ask.accounts.billing',
  readMockCheckout: 'ask.accounts.mock-checkout',
  payMockCheckout: 'ask.accounts.pay-mock-checkout',
  readUsage: 'ask.usage.read',
  readUsageHistory: 'ask.usage.history',
  readLedger: 'ask.usage.ledger',
  reserveUnits: 'ask.usage.reserve',
  holdUnits: 'ask.usage.hold',
  createMonitor: 'ask.monitors.create',
  findCreated: 'ask.monitors.find-created',
  listMonitors: 'ask.monitors.list',
  getMonitor: 'ask.monitors.get',
  listTicks: 'ask.monitors.ticks',
  runMonitor: 'ask.monitors.run',
  changeMonitor: 'ask.monitors.change',
  deleteMonitor: 'ask.monitors.delete',
  keptRuns: 'ask.monitors.kept-runs',
  forgetMonitors: 'ask.monitors.forget',
  webhookSecret: 'ask.webhook.secret',
  rotateWebhookSecret: 'ask.webhook.rotate-secret',
  listDeliveries: 'ask.webhook.deliveries',
  redeliver: 'ask.webhook.redeliver',
  redeliverDead: 'ask.webhook.redeliver-dead',
  testWebhook: 'ask.webhook.test',
  forgetSecrets: 'ask.webhook.forget-secrets',
  fetchNow: 'ask.fetch.now',
  renderNow: 'ask.fetch.render',
  searchWeb: 'ask.fetch.search',
  cloudState: 'ask.fetch.cloud-state',
  getPage: 'ask.cloud.page',
  transform: 'ask.cloud.transform',
  scrapeSite: 'ask.cloud.scrape-site',
  listScrapers: 'ask.cloud.scrapers',
  readPageAs: 'ask.actors.page',
  renderDiff: 'ask.actors.render-diff',
  checkLink: 'ask.actors.check-link',
  listSitemaps: 'ask.actors.sitemaps',
  readSitemap: 'ask.actors.sitemap',
  probePage: 'ask.actors.probe',
  linkGraph: 'ask.actors.link-graph',
  mapSite: 'ask.map.site',
  scanPage: 'ask.content.scan',
  readContent: 'ask.content.read',
  comparePages: 'ask.content.compare',
  robotsPolicy: 'ask.robots.policy',
  forgetCalls: 'ask.read.forget-calls',
  /** How far a reader of RUNS has come: what it has not read yet must not be purged. */
  reached: (reader: RunsReader) => `ask.reached.${reader}`,
} as const

/** Told without an answer, and lost without harm: each has a sweep behind it. */
export const tells = {
  runAwaits: (shard: string) => `tell.run-awaits.${shard}`,
  runsAwait: 'tell.run-awaits.*',
  runEnded: 'tell.run-ended',
  workDropped: 'tell.work-dropped',
  unitsReleased: 'tell.units-released',
  keysUsed: 'tell.keys-used',
  /** Some key ended or was revoked: whoever remembers keys looks them up anew. It carries nothing. */
  keysChanged: 'tell.keys-changed',
  projected: (projection: string) => `tell.projected.${projection}`,
  heartbeat: (service: string) => `tell.heartbeat.${service}`,
  heartbeats: 'tell.heartbeat.*',
  whoIsThere: 'tell.who-is-there',
} as const

/** The run that a subject of RUNS belongs to, and its facet. */
export function runOfSubject(subject: string): { runId: number; facet: string } {
  const [, , runId, facet = ''] = subject.split('.')
  return { runId: Number(runId), facet }
}

function twoDigits(n: number): string {
  return String(n).padStart(2, '0')
}
