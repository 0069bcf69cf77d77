/** The fetcher of a simulated process: the service with its own wiring, over simulated servers and a simulated web. */
import { gzipSync } from 'node:zlib'
import type { Bus } from '@tidemark/bus/connection'
import { siteFilesIn } from '@tidemark/redis/site-files'
import type { RouteOf } from '../../../services/fetcher/adapters/routes.ts'
import type { Settings } from '../../../services/fetcher/settings.ts'
import { consumeOrders } from '../../../services/fetcher/wiring/consuming.ts'
import { openFetching } from '../../../services/fetcher/wiring/fetching.ts'
import type { SimulatedRedis } from '../redis/client.scene.ts'

type Ports = {
  bus: Bus
  redis: SimulatedRedis
  routeOf: RouteOf
  signal: AbortSignal
  report: (error: unknown) => void
}

/** Concurrent requests of a run that sets none. */
export const usualConcurrency = 8

const settings = {
  ...{ EGRESS_ALLOW: [], USER_AGENT_MODE: 'honest', USER_AGENT: 'Tidemark' },
  ...{ FETCH_IN_FLIGHT: 16, HOST_CEILING: 6, RUN_CONCURRENCY: usualConcurrency },
  ...{ FETCH_TIMEOUT_MS: 5_000, MAX_BODY_BYTES: 1024 ** 2, MAX_SITEMAP_BYTES: 1024 ** 2 },
  ...{ BODIES_IN_MEMORY: 16 * 1024 ** 2 },
} as unknown as Settings

const messages = 64

/** Fetches until its process ends. */
export async function fetcher(name: string, { bus, redis, routeOf, signal, report }: Ports): Promise<void> {
  const started = new AsyncDisposableStack()
  const { work, sendRequestBy } = openFetching(started, {
    ...{ bus, redis, signal, report },
    settings: { ...settings, INSTANCE: name },
    findBlocked: () => null,
    sign: null,
  })
  // Threads of the runtime would end at times that no seed determines.
  const siteFiles = siteFilesIn(redis, async bytes => gzipSync(bytes, { level: 1 }))
  const open = (text: string) => text
  const sendRequest = sendRequestBy(routeOf)
  await consumeOrders({ ...work, redis, siteFiles, open, sendRequest, lane: 'http', messages })
}
