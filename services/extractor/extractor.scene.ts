/** An extractor with real servers: pages are sent as by the fetcher, outcomes and rows are read. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Objm } from '@nats-io/obj'
import { type Bus, openBus } from '@tidemark/bus/connection'
import { encodeFrame } from '@tidemark/bus/frame'
import { publish } from '@tidemark/bus/publish'
import { decodeEdges, type Edge } from '@tidemark/content/edges'
import { openContent } from '@tidemark/content/store'
import { bulky, consumers, streams, subjects } from '@tidemark/contracts/subjects'
import type { Outcome, Outcomes } from '@tidemark/contracts/work/outcome'
import type { FetchedPage } from '@tidemark/contracts/work/page'
import { migratedDatabase } from '@tidemark/testing/databases'
import { throwawayNats } from '@tidemark/testing/servers'
import { streamReader } from '@tidemark/testing/stream-reader'
import { urlKey } from '@tidemark/url/key'
import pg from 'pg'
import { database } from './database.ts'
import { startService } from './service.ts'

/** An address without Redis, for tests that need none. */
const unreachableRedis = 'redis://127.0.0.1:1'

export type Sent = Partial<FetchedPage> & { runId: number; url: string; body: Uint8Array | string }

export async function startScene(env: Record<string, string> = {}) {
  const [nats, db] = await Promise.all([throwawayNats(), migratedDatabase(database)])
  const bus = await openBus({ url: nats.url, name: 'test' })
  await declare(bus)
  const pool = new pg.Pool({ connectionString: db.url, max: 2 })
  pool.on('error', () => {}) // connections are closed on purpose
  const messages = streamReader(bus, streams.outcomes, data => {
    const { outcomes }: Outcomes = JSON.parse(Buffer.from(data).toString())
    return { outcomes, bytes: data.length }
  })
  const running = new Set<() => Promise<void>>()
  const content = openContent(pool)

  return {
    bus,
    pool,
    content,

    /** The stored links of a page in order; null: the page is not stored. */
    async edgesOf(runId: number, urlKey: string): Promise<Edge[] | null> {
      const page = await content.readPacked(runId, urlKey)
      return page && decodeEdges(page.edges)
    },

    /** Starts an extractor; the returned function stops it. */
    async start(more: Record<string, string> = {}): Promise<() => Promise<void>> {
      const stop = new AbortController()
      const urls = {
        NATS_URL: nats.url,
        DATABASE_URL: db.url,
        REDIS_URL: unreachableRedis,
        SECRETS_KEY: '0'.repeat(64),
      }
      const service = await startService({ ...urls, ...env, ...more }, stop.signal)
      const end = async () => {
        running.delete(end)
        stop.abort()
        await service[Symbol.asyncDispose]()
      }
      running.add(end)
      return end
    },

    /** Publishes one message with these pages. */
    async send(...sent: Sent[]): Promise<void> {
      const pages = sent.map(({ body: _, ...page }) => pageOf(page))
      const blobs = sent.map(({ body }) => Buffer.from(body))
      await publish(bus, subjects.pages(sent[0]?.runId ?? 0), encodeFrame({ pages }, blobs))
    },

    /** Returns the outcomes of a run in stream order, once there are `count` of them or after 20 s. */
    async outcomesOf(runId: number, count: number): Promise<Outcome[]> {
      for (let left = 400; ; left--) {
        const outcomes = (await messages()).flatMap(({ outcomes }) => outcomes)
        const own = outcomes.filter(outcome => outcome.runId === runId)
        if (own.length >= count || left === 0) return own
        await sleep(50)
      }
    },

    /** Bytes of each message of outcomes. */
    sizes: async () => (await messages()).map(({ bytes }) => bytes),

    /** Returns the number of page messages that are neither acked nor terminated, once it is 0 or after 20 s. */
    async unsettled(): Promise<number> {
      for (let left = 400; ; left--) {
        const { num_ack_pending, num_pending } = await bus.jsm.consumers.info(
          streams.pages,
          consumers.extractor,
        )
        if (num_ack_pending + num_pending === 0 || left === 0) return num_ack_pending + num_pending
        await sleep(50)
      }
    },

    async close() {
      await Promise.all([...running].map(end => end()))
      await bus.close()
      await pool.end()
      await Promise.all([nats.stop(), db.drop()])
    },
  }
}

function pageOf(page: Partial<FetchedPage> & { runId: number; url: string }): FetchedPage {
  return {
    key: urlKey(page.url),
    attempt: 1,
    scope: { host: 'site.test', subdomains: false },
    storeHtml: true,
    status: 200,
    contentType: 'text/html; charset=utf-8',
    encodings: [],
    robotsHeader: null,
    fetchedAt: '2026-01-02T03:04:05.678Z',
    elapsedMs: 12.5,
    bulkyKey: null,
    ...page,
  }
}

async function declare({ nc, jsm }: Bus): Promise<void> {
  await new Objm(nc).create(bulky, { storage: 'memory' })
  const stream = (name: string, subjects: string[]) => jsm.streams.add({ name, subjects, storage: 'memory' })
  await stream(streams.pages, ['pages.*'])
  await stream(streams.outcomes, ['outcomes.*'])
  await stream(streams.dead, ['dead.>'])
  await jsm.streams.add({
    name: streams.runs,
    subjects: [subjects.runs],
    storage: 'memory',
    allow_direct: true,
  })
  const consumer = { durable_name: consumers.extractor, ack_policy: 'explicit', ack_wait: 2e9 } as const
  await jsm.consumers.add(streams.pages, consumer)
}
