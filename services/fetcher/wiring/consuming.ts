/** Receives the orders of crawls from FETCH, carries them out and publishes their outcomes. */
import type { Bulky } from '@tidemark/bus/bulky'
import { jsonParser } from '@tidemark/bus/codec'
import type { Bus } from '@tidemark/bus/connection'
import { consume } from '@tidemark/bus/consume'
import type { Insistence } from '@tidemark/bus/insist'
import type { LoginSession, SessionCookie } from '@tidemark/contracts/login/session'
import type { SiteFile } from '@tidemark/contracts/site-file'
import { consumers, type Lane, streams } from '@tidemark/contracts/subjects'
import { FetchOrders } from '@tidemark/contracts/work/fetch'
import { FetchError } from '@tidemark/http/fetch-error'
import type { SiteFiles } from '@tidemark/redis/site-files'
import type { Redis } from 'ioredis'
import type { EndedRuns } from '../adapters/ended-runs.ts'
import { createOutbox } from '../adapters/outbox.ts'
import type { PackBody } from '../adapters/pack-body.ts'
import { createPublishedOrders } from '../adapters/published.ts'
import { ByteBudget } from '../concurrency/byte-budget.ts'
import type { AcquireSendPermit } from '../concurrency/request-scheduler.ts'
import type { Memoized } from '../domain/memoize.ts'
import { ownHeaders } from '../domain/own-headers.ts'
import { deadLetterOrders } from '../handlers/dead-letter-orders.ts'
import { failureOf } from '../handlers/failures.ts'
import { fetchOrders } from '../handlers/fetch-orders.ts'
import { type Fetching, fetchPage } from '../handlers/fetch-page.ts'
import { fetchRobots } from '../handlers/fetch-robots.ts'
import { fetchSitemap } from '../handlers/fetch-sitemap.ts'
import type { SendRequest } from '../handlers/send-request.ts'
import type { Settings } from '../settings.ts'

/** The dependencies that orders and synchronous requests share. */
export type Work = {
  bus: Bus
  settings: Settings
  endedRuns: EndedRuns
  bulky: Bulky
  packBody: PackBody
  /** The memory budget of large bodies while they are read. */
  reading: ByteBudget
  acquireSendPermit: AcquireSendPermit
  /** Ends the receiving of messages and requests. */
  signal: AbortSignal
  /** Aborts requests in flight, a while later. */
  hardStop: AbortSignal
  insistence: Insistence
  report: (error: unknown) => void
}

/** Maximum bytes of bodies that were read and wait to be published. Above it no more are read. */
const maxUnpublished = 128 * 1024 ** 2

type Orders = {
  lane: Lane
  /** The fetch function of pages; plain HTTP by default. */
  page?: Fetching
  /** The function of logins, which only a browser can carry out. */
  login?: Fetching
  /** Maximum number of messages that wait for their hosts at the same time. */
  messages: number
  redis: Redis
  /** The cache of robots.txt for other services. */
  siteFiles: Pick<SiteFiles, 'keep'>
  open: Memoized
  sendRequest: SendRequest
}

/** Consumes orders until the signal aborts. Resolves when all received messages are settled. */
export async function consumeOrders({
  lane,
  page,
  login = withoutBrowser,
  messages,
  redis,
  siteFiles,
  open,
  sendRequest,
  ...work
}: Work & Orders): Promise<void> {
  const { bus, settings, packBody, insistence, signal, report } = work
  const published = createPublishedOrders(redis)
  const outbox = createOutbox({ bus, published, ...insistence })
  await consume(bus, {
    stream: streams.fetch,
    consumer: consumers.fetcher(lane),
    parse: jsonParser(FetchOrders),
    handle: fetchOrders({
      acquireSendPermit: work.acquireSendPermit,
      fetch: {
        page: page ?? fetchPage({ sendRequest, packBody, maxBytes: settings.MAX_BODY_BYTES }),
        sitemap: fetchSitemap({ sendRequest, packBody, maxBytes: settings.MAX_SITEMAP_BYTES }),
        robots: fetchRobots({ sendRequest, cache: cacheIn(siteFiles) }),
        login,
      },
      reading: work.reading,
      unpublished: new ByteBudget(maxUnpublished),
      outbox,
      published,
      endedRuns: work.endedRuns,
      ownHeaders: ownHeaders(open),
      sessionOf: sessionBy(open),
      hardStop: work.hardStop,
    }),
    concurrency: messages,
    signal,
    report,
    onDeadLetter: deadLetterOrders(outbox),
  })
}

/** Returns a function that returns the cookies of the run's login. */
const sessionBy =
  (open: Memoized) =>
  ({ session }: FetchOrders): readonly SessionCookie[] =>
    session === undefined ? [] : (JSON.parse(open(session)) as LoginSession).cookies

/** Fails logins. A lane without a browser cannot carry them out, and no login is ordered over plain HTTP. */
const withoutBrowser: Fetching = {
  send: async () => ({ error: new FetchError('not_configured') }),
  toResult: async ({ runId }, { key, attempt }) => ({
    outcome: failureOf({ runId, key, attempt }, new FetchError('not_configured')),
  }),
}

/** Returns a function that caches a file. Errors are ignored: the owner of the connection logs an outage once. */
const cacheIn =
  (files: Pick<SiteFiles, 'keep'>) =>
  async (url: string, file: SiteFile): Promise<void> => {
    await files.keep(url, file).catch(() => {})
  }
