/** `POST /v1/scan/bulk`: reads up to a hundred pages, each with a separate result. */

import { BulkScan, type BulkScanRequest, bulkScanRequestOf } from '@tidemark/contracts/http/scan'
import { priceText } from '@tidemark/contracts/prices'
import { defaultDelayMs } from '@tidemark/contracts/rpc/fetch'
import { hostOf } from '@tidemark/url/host'
import { forEachPerHost } from '@tidemark/url/host-lanes'
import type { FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { shownAddress } from '../http/domain/address.ts'
import { maxJsonBytes } from '../http/domain/json-budget.ts'
import { TextBudget } from '../http/domain/text-budget.ts'
import { onResponseEnd } from '../http/requests/on-response-end.ts'
import { problemOf } from '../http/requests/problem-of.ts'
import { disconnectSignal } from '../http/responses/disconnect-signal.ts'
import { sendMade } from '../http/responses/send-made.ts'
import type { SlotHook } from '../http/responses/slot-hook.ts'
import { assertUserAgent } from '../live-pages/domain/user-agent.ts'
import { judgeSeed } from '../live-pages/judge-seed.ts'
import { newWork, type Reading } from '../live-pages/read-one.ts'
import { hasNotBegun } from '../metering/adapters/metering.ts'
import type { Payer, Tried } from '../metering/domain/metering.ts'
import { BulkAnswer, rejected } from './domain/bulk-answer.ts'
import { boundedConcurrency } from './domain/concurrency.ts'
import { bulkWanted } from './domain/scan.ts'
import { failedItem, type ListedUrl, notRead, type Outcome, readItem } from './read-item.ts'
import type { ScanPorts } from './scan.ts'

/** Maximum number of concurrent requests to one host, so that no site receives a hundred at once. */
const perHost = 4
/** Maximum milliseconds for one page, and for the search of the store before it (`max_age_seconds`). */
const pageMs = { fetch: 45_000, store: 40_000 }
/**
 * Milliseconds after which no page is in progress. Clients wait 200 s, and must receive the pages that they pay for.
 */
const maxMs = 185_000
/**
 * Bytes of the items of one response, of all responses of a project, and of all responses of this gateway. They are held
 * until the client has them.
 */
const maxItems = { each: maxJsonBytes, perOwner: 2 * maxJsonBytes, all: 4 * maxJsonBytes }

type Listed = ListedUrl & { host: string }

export function bulkScanRoutes(app: App, ports: ScanPorts, acquireSlot: SlotHook): void {
  const { bulk } = app.profile
  const items = new TextBudget(maxItems)
  app.post(
    '/v1/scan/bulk',
    {
      onRequest: acquireSlot,
      schema: {
        operationId: 'scanPages',
        summary: 'Read up to 100 pages now',
        description: `Each page has its own result or error, in the order of the request. ${priceText('scan_bulk')}`,
        tags: ['Scans'],
        body: bulkScanRequestOf(bulk),
        response: { 200: BulkScan },
      },
    },
    async (request, reply) => {
      const { body: sent, warnings } = request
      const warn = (warning: string) => warnings.push(warning)
      const body = { ...sent, concurrency: boundedConcurrency(sent.concurrency, bulk.max, warn) }
      assertUserAgent(body.user_agent)
      const share = items.open(request.caller.projectId)
      try {
        const answer = new BulkAnswer(share)
        const collecting = { answer, disconnected: disconnectSignal(reply) }
        return sendMade(reply, await scanAll(ports, request, body, collecting))
      } finally {
        // The memory is released only at the end of the response, because pages that are still fetched after the client
        // has left also take memory.
        onResponseEnd(reply.raw, () => share[Symbol.dispose]())
      }
    },
  )
}

/** The items so far. No page is started after `disconnected` aborts, when the client has left. */
type Collecting = { answer: BulkAnswer; disconnected: AbortSignal }

/** Returns the response as JSON, after its bill is stored. */
async function scanAll(
  ports: ScanPorts,
  { caller, id: requestId, warnings }: Pick<FastifyRequest, 'caller' | 'id' | 'warnings'>,
  body: BulkScanRequest,
  collecting: Collecting,
): Promise<Buffer> {
  const { answer } = collecting
  const listed = listedOf(body)
  const wanted = { requestId, kind: 'page' as const, units: listed.length, orNone: true as const }
  const { granted, reason } = await ports.metering.reserve(caller, wanted)
  const tried = await readAll(ports, caller, listed.slice(0, granted), body, collecting)
  for (const { index, shownUrl } of listed)
    if (!answer.has(index)) answer.put(index, notRead(shownUrl, reason))
  const json = answer.json(listed.length, warnings)
  await ports.metering.served(caller, { requestId, operation: 'scan_bulk', tried })
  return json
}

/**
 * Reads the pages. Returns those to bill: every started page, as the specification requires, even if its item exceeds the
 * size of the response. Pages that are not started, because the time is over, the response is full or a service is away,
 * cost nothing, and neither do pages for which other responses left no memory.
 */
async function readAll(
  ports: ScanPorts,
  { projectId, tier }: Pick<Payer, 'projectId' | 'tier'>,
  listed: readonly Listed[],
  body: BulkScanRequest,
  { answer, disconnected }: Collecting,
): Promise<Tried[]> {
  const tried = new Map<number, Tried>()
  const full = new AbortController()
  const signal = AbortSignal.any([disconnected, full.signal, AbortSignal.timeout(startMsOf(body))])
  const work = newWork(body.concurrency)
  disconnected.addEventListener('abort', () => ports.contents.drop(work.workId), { once: true })
  await forEachPerHost(listed, { concurrency: work.concurrency, perHost, signal }, async one => {
    const { item, ending } = await outcomeOf(ports, projectId, one, readingOf(body, one, work, tier))
    const isKept = answer.put(one.index, item)
    const isOurs = ending === null || (!isKept && answer.lacking === 'shared')
    // Pages that are dropped after the client has left may have been requested, even if the service is away.
    if (!isOurs || disconnected.aborted)
      tried.set(one.index, { what: one.shownUrl, ending: ending ?? 'failed' })
    if (answer.lacking !== null) full.abort()
  })
  for (const { index, shownUrl } of listed) {
    if (!answer.has(index))
      answer.put(index, answer.lacking ? rejected(shownUrl, answer.lacking) : notRead(shownUrl, 'timeout'))
  }
  return listed.flatMap(({ index }) => tried.get(index) ?? [])
}

/** Returns the milliseconds after which no further page is started. */
const startMsOf = ({ max_age_seconds }: BulkScanRequest): number =>
  maxMs - pageMs.fetch - (max_age_seconds ? pageMs.store : 0)

const listedOf = ({ urls }: BulkScanRequest): Listed[] =>
  urls.map((url, index) => ({
    index,
    url,
    shownUrl: shownAddress(url),
    host: hostOf(url),
  }))

function readingOf(
  body: BulkScanRequest,
  { url }: ListedUrl,
  work: Reading['work'],
  tier: Reading['tier'],
): Reading {
  return {
    url,
    maxAgeSeconds: body.max_age_seconds,
    userAgent: body.user_agent,
    wanted: bulkWanted(body.metadata_only),
    site: 'policy_and_full',
    work,
    delayMs: defaultDelayMs,
    tier,
  }
}

/** A failure affects only its item. `ending` is null if a service of the installation had not begun or was away. */
const outcomeOf = (
  ports: ScanPorts,
  projectId: number,
  one: ListedUrl,
  reading: Reading,
): Promise<Outcome | (Pick<Outcome, 'item'> & { ending: null })> =>
  judgeSeed(ports, one.url)
    .then(() => readItem(ports, projectId, one, reading))
    .catch(error => ({
      item: failedItem(error, one),
      ending: hasNotBegun(problemOf(error)) ? null : ('failed' as const),
    }))
