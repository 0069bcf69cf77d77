/** Scans and contents at a gateway: a client, and a fake extractor that answers as a test sets it. */
import { decodeJson } from '@tidemark/bus/codec'
import type { Bus } from '@tidemark/bus/connection'
import { serve } from '@tidemark/bus/rpc'
import type { Extraction } from '@tidemark/contracts/http/extraction'
import type { TextDifference } from '@tidemark/contracts/http/page-diff'
import type { ModelConsent } from '@tidemark/contracts/rpc/accounts'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'
import type {
  Content,
  DeleteScans,
  ReadContent,
  ReadScan,
  ScannedPage,
  ScanPage,
} from '@tidemark/contracts/rpc/content'
import * as contentRpc from '@tidemark/contracts/rpc/content'
import type { ChangeInWords, DescribeChange, ModelOffer } from '@tidemark/contracts/rpc/model'
import * as modelRpc from '@tidemark/contracts/rpc/model'
import type { ReserveModelCall, ReserveUnits, ReserveUnitsResponse } from '@tidemark/contracts/rpc/usage'
import * as usageRpc from '@tidemark/contracts/rpc/usage'
import type { ModelCalled, RequestServed, ServedEvent } from '@tidemark/contracts/served'
import { streams } from '@tidemark/contracts/subjects'
import type { Test } from 'tap'
import { caller, keyNamed, seed, surroundings } from '../gateway.scene.ts'

const directives = { noai: false, noimageai: false, meta: {}, x_robots_tag: {}, content_signals: {} }
export const signals: NonNullable<Content['signals']> = {
  ...{ title: 'T', description: null, canonical: null, lang: 'en', h1: ['H'], h2: [], h3: [] },
  ...{ robots_meta: [], jsonld_types: [], hreflang: { de: 'https://a.test/de' } },
  ai_directives: { ...directives, content_usage: {}, tdm_reservation: null, tdm_policy: null },
  ...{ word_count: 2, char_count: 7, links: { internal: 1, external: 0, nofollow: 0, total: 1 } },
}
export const anchor = { to: `${seed}a`, anchor: 'A', rel: null, nofollow: false }
export const chunk = {
  id: 'c1',
  ...{ text: '*page*', start: 0, end: 6, heading_path: ['H'], tokens: 3, is_part: false },
}
export const extraction: Extraction = {
  data: { name: 'T', price: null },
  fields: [{ path: '/name', from: 'jsonld', where: 'json_ld[0].name' }],
  valid: true,
  errors: [],
}
export const metadata = {
  ...{ title: 'T', description: null, canonical: null, lang: 'en', robots: [] },
  ...{ og: { title: 'O' }, twitter: {}, json_ld: [{ '@type': 'Thing' }] },
}

const articleFor = ({ articleFormat }: ScanPage['wanted']) =>
  articleFormat === 'markdown'
    ? { text: 'words', html: '', markdown: '*words*' }
    : { text: 'words', html: '<p>words</p>' }

/** Returns the content of the extractor: the wanted parts. */
export const contentFor = ({ wanted }: Pick<ScanPage, 'wanted'>, more: Partial<Content> = {}): Content => ({
  contentHash: 'c'.repeat(64),
  rawHash: 'd'.repeat(64),
  bytes: 77,
  contentType: 'text/html',
  metadata,
  challenge: null,
  ...(wanted.html && { html: '<p>h' }),
  ...(wanted.markdown !== null && { markdown: `*${wanted.markdown}*` }),
  ...(wanted.chunks && { chunks: [chunk] }),
  ...(wanted.article && { article: articleFor(wanted) }),
  ...(wanted.signals && { signals }),
  ...(wanted.anchors && { anchors: [anchor] }),
  ...(wanted.extract && { extracted: { name: 'value', all: ['a'], none: null } }),
  ...(wanted.schema && { extraction }),
  warnings: wanted.chunks ? ['chunks are limited'] : [],
  ...more,
})

export const scanned = (request: ScanPage, more: Partial<Content> = {}): ScannedPage => ({
  url: `${request.url}final`,
  status: 200,
  fetchedAt: '2026-01-02T03:04:05.678Z',
  content: contentFor(request, more),
  aiBotPolicy: request.site === 'none' ? null : { GPTBot: 'disallowed' },
  llmsTxt: '# Site',
  llmsFullTxt: request.site === 'policy_and_full' ? '# All' : null,
})

/** Returns a page in the form of the API, as the fake extractor fetched it. */
export const pageFields = (url: string) => ({
  url,
  final_url: `${url}final`,
  status: 200,
  bytes: 77,
  fetched_at: '2026-01-02T03:04:05.678Z',
  content_hash: 'c'.repeat(64),
  content_type: 'text/html',
  cached: false,
  blocked: false,
  metadata,
  signals,
  ai_bot_policy: { GPTBot: 'disallowed' },
  llms_txt: '# Site',
  markdown: '*page*',
})

type ServedData = RequestServed['data']

const dataAt = async (bus: Bus, seq: number): Promise<ServedData> => {
  const message = await bus.jsm.streams.getMessage(streams.served, { seq })
  return message?.json<{ events: RequestServed[] }>().events[0]?.data as ServedData
}

/** Returns the data of every commit of the stream. */
async function servedIn(bus: Bus): Promise<ServedData[]> {
  const { state } = await bus.jsm.streams.info(streams.served)
  const all = Array.from({ length: state.messages }, (_, n) => state.first_seq + n)
  return Promise.all(all.map(seq => dataAt(bus, seq)))
}

/** Returns the data of the last commit of the stream. */
async function lastServedIn(bus: Bus): Promise<ServedData | undefined> {
  const { state } = await bus.jsm.streams.info(streams.served)
  return state.messages === 0 ? undefined : dataAt(bus, state.last_seq)
}

/** Returns the calls of language models in all commits of the stream. */
async function callsIn(bus: Bus): Promise<ModelCalled['data'][]> {
  const { state } = await bus.jsm.streams.info(streams.served)
  const all = Array.from({ length: state.messages }, (_, n) => state.first_seq + n)
  const found = await Promise.all(all.map(seq => bus.jsm.streams.getMessage(streams.served, { seq })))
  const events = found.flatMap(message => message?.json<{ events: ServedEvent[] }>().events ?? [])
  return events.flatMap(({ type, data }) => (type === 'ModelCalled' ? [data] : []))
}

/** Starts a gateway with its surroundings, and a fake extractor that the stage controls. */
export async function scene(t: Test, env: Record<string, string> = {}) {
  const around = await surroundings(t, { env: { EGRESS_ALLOW: '127.0.0.0/8', ...env } })
  const mine = keyNamed('m')
  around.standIns.addKey(mine, 7)
  const stop = new AbortController()
  t.teardown(() => stop.abort())
  const stage = {
    scans: [] as ScanPage[],
    reads: [] as ReadContent[],
    deletions: [] as DeleteScans[],
    reserved: [] as ReserveUnits[],
    released: [] as string[],
    /** The language model of the installation, and the consents by project. */
    model: null as ModelOffer['model'],
    embeddings: null as ModelOffer['model'],
    consents: new Map<number, ModelConsent>(),
    /** Requests for calls of the model. `callsLeft` is the number of calls that are left today. */
    calls: [] as ReserveModelCall[],
    callsLeft: 100,
    difference: null as TextDifference | null,
    describe: async (_change: DescribeChange): Promise<ChangeInWords> => ({
      words: null,
      fault: null,
      use: null,
    }),
    /** Returns the page of an earlier scan. */
    readScan: async (_question: ReadScan): Promise<ScannedPage | null> => null,
    underWay: 0,
    most: 0,
    /** Answers the next pages. Tests replace it. */
    scan: async (request: ScanPage): Promise<ScannedPage> => scanned(request),
    read: async (request: ReadContent): Promise<Content | null> => contentFor(request),
    grant: ({ units }: ReserveUnits): ReserveUnitsResponse | Promise<ReserveUnitsResponse> => ({
      granted: units,
      reason: null,
      retryAfterSeconds: null,
    }),
    served: () => servedIn(around.bus),
    lastServed: () => lastServedIn(around.bus),
    lastCall: async () => (await callsIn(around.bus)).at(-1),
  }
  const serving = { signal: stop.signal, report: () => {} }
  around.bus.nc.subscribe(usageRpc.unitsReleased.subject, {
    callback: (_, message) =>
      void stage.released.push((decodeJson(message.data) as { requestId: string }).requestId),
  })
  around.standIns.grant = request => {
    stage.reserved.push(request)
    return stage.grant(request)
  }
  void serve(
    around.bus,
    contentRpc.scanPage,
    async request => {
      stage.scans.push(request)
      stage.most = Math.max(stage.most, ++stage.underWay)
      return stage.scan(request).finally(() => stage.underWay--)
    },
    serving,
  )
  void serve(
    around.bus,
    contentRpc.readContent,
    async request => {
      stage.reads.push(request)
      return stage.read(request)
    },
    serving,
  )
  void serve(around.bus, contentRpc.readScan, async request => stage.readScan(request), serving)
  void serve(
    around.bus,
    contentRpc.deleteScans,
    async request => ({ deleted: stage.deletions.push(request) }),
    serving,
  )
  void serve(
    around.bus,
    usageRpc.reserveModelCall,
    async wanted => {
      stage.calls.push(wanted)
      return { granted: stage.callsLeft-- > 0, cap: 100, retryAfterSeconds: 3_600 }
    },
    serving,
  )
  void serve(around.bus, contentRpc.comparePages, async () => stage.difference, serving)
  void serve(around.bus, modelRpc.describeChange, async change => stage.describe(change), serving)
  void serve(
    around.bus,
    modelRpc.offerModel,
    async () => ({ model: stage.model, embeddings: stage.embeddings }),
    serving,
  )
  void serve(
    around.bus,
    accountsRpc.readModelConsent,
    async ({ projectId }) => ({ consent: stage.consents.get(projectId) ?? null }),
    serving,
  )
  void serve(
    around.bus,
    accountsRpc.setModelConsent,
    async ({ projectId, by, host }) => {
      if (host === null) stage.consents.delete(projectId)
      else stage.consents.set(projectId, { host, by, at: '2026-01-02T03:04:05.678Z' })
      return { consent: stage.consents.get(projectId) ?? null }
    },
    serving,
  )
  await around.bus.nc.flush()
  return { around, mine, stage, ...caller(around, mine) }
}
