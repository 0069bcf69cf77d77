/** A fetcher with real servers. Tests send orders by path, and read their outcomes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Objm } from '@nats-io/obj'
import { encodeJson, jsonParser } from '@tidemark/bus/codec'
import { type Bus, openBus } from '@tidemark/bus/connection'
import { decodeFrame } from '@tidemark/bus/frame'
import { publish } from '@tidemark/bus/publish'
import { bulky, consumers, type Lane, streams, subjects } from '@tidemark/contracts/subjects'
import type { FetchOrder, FetchOrders } from '@tidemark/contracts/work/fetch'
import { type Outcome, Outcomes } from '@tidemark/contracts/work/outcome'
import type { FetchedPage, FetchedPages } from '@tidemark/contracts/work/page'
import { throwawayNats, throwawayRedis } from '@tidemark/testing/servers'
import { streamReader } from '@tidemark/testing/stream-reader'
import { urlKey } from '@tidemark/url/key'
import { startService } from './service.ts'

export type Came = Outcome | (FetchedPage & { type: 'fetched'; body: Buffer })
export type Running = {
  stop(): Promise<void>
  /** Stops the fetcher by disposal, without a signal. */
  dispose(): Promise<void>
}

/** Settings of a fetcher for tests: only the test web is allowed, and all time limits are short. */
const patience = {
  SECRETS_KEY: '0'.repeat(64),
  EGRESS_ALLOW: '127.1.0.0/16',
  FETCH_TIMEOUT_MS: '3000',
  CONNECT_TIMEOUT_MS: '1000',
}

export async function startScene() {
  const [nats, redis] = await Promise.all([throwawayNats(), throwawayRedis()])
  const bus = await openBus({ url: nats.url, name: 'test' })
  await declare(bus)
  const outcomes = streamReader(bus, streams.outcomes, outcomesOf)
  const pages = streamReader(bus, streams.pages, pagesOf)
  const running = new Set<Running>()

  return {
    bus,
    redis,

    async start(env: Record<string, string> = {}): Promise<Running> {
      const stop = new AbortController()
      const urls = { NATS_URL: nats.url, REDIS_URL: redis.url }
      const service = await startService({ ...urls, ...patience, ...env }, stop.signal)
      const fetcher = {
        async stop() {
          stop.abort()
          await fetcher.dispose()
        },
        async dispose() {
          running.delete(fetcher)
          await service[Symbol.asyncDispose]()
        },
      }
      running.add(fetcher)
      return fetcher
    },

    order: (orders: FetchOrders, lane: Lane = 'http') =>
      publish(bus, subjects.fetch(lane), encodeJson(orders)),

    /** Returns the outcomes of a run by URL and attempt, when there are enough of them or after 20 s. */
    async cameOf(runId: number, count: number): Promise<Map<string, Came>> {
      for (let left = 400; ; left--) {
        const all = [...(await outcomes()), ...(await pages())].flat()
        const came = all.filter(one => one.runId === runId)
        if (came.length >= count || left === 0)
          return new Map(came.map(one => [`${one.key}/${one.attempt}`, one]))
        await sleep(50)
      }
    },

    async close() {
      await Promise.all([...running].map(fetcher => fetcher.stop()))
      await bus.close()
      await Promise.all([nats.stop(), redis.stop()])
    },
  }
}

/** Returns a message of orders as the coordinator writes it. */
export function orders(
  runId: number,
  wanted: (string | (Partial<FetchOrder> & { url: string }))[],
  more: Partial<FetchOrders> = {},
): FetchOrders {
  return {
    runId,
    projectId: 1,
    scope: { host: 'site.test', subdomains: false },
    delayMs: 0,
    concurrency: null,
    storeHtml: true,
    orders: wanted.map(order => {
      const { url, ...rest } = typeof order === 'string' ? { url: order } : order
      return { kind: 'page', key: urlKey(url), url, attempt: 1, ...rest }
    }),
    ...more,
  }
}

async function declare({ nc, jsm }: Bus): Promise<void> {
  await new Objm(nc).create(bulky, { storage: 'memory' })
  const stream = (name: string, subjects: string[]) => jsm.streams.add({ name, subjects, storage: 'memory' })
  await stream(streams.fetch, ['fetch.*'])
  await stream(streams.pages, ['pages.*'])
  await stream(streams.outcomes, ['outcomes.*'])
  await stream(streams.dead, ['dead.>'])
  for (const lane of ['http', 'browser'] as const) {
    await jsm.consumers.add(streams.fetch, {
      durable_name: consumers.fetcher(lane),
      filter_subject: subjects.fetch(lane),
      ack_policy: 'explicit',
      ack_wait: 20e9,
    })
  }
}

/** Parses outcomes as the coordinator does, which accepts only messages that match the schema. */
const readOutcomes = jsonParser(Outcomes)
const outcomesOf = (data: Uint8Array): Came[] => readOutcomes(data).outcomes

function pagesOf(data: Uint8Array): Came[] {
  const { header, blobs } = decodeFrame(data)
  const { pages } = header as FetchedPages
  return pages.map((page, n) => ({ type: 'fetched', ...page, body: Buffer.from(blobs[n] ?? []) }))
}
