/**
 * A process like a service, which telemetry.test.ts observes from outside: a request arrives over HTTP, is forwarded
 * over the bus, uses Postgres and Redis, and its work passes through a queue to a site.
 */
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeJson } from '@tidemark/bus/codec'
import { openBus } from '@tidemark/bus/connection'
import { consume } from '@tidemark/bus/consume'
import { publish } from '@tidemark/bus/publish'
import { call, serve } from '@tidemark/bus/rpc'
import { ack } from '@tidemark/bus/verdict'
import { Nothing, rpc } from '@tidemark/contracts/rpc/rpc'
import { Redis } from 'ioredis'
import pg from 'pg'
import { request } from 'undici'
import { createLog } from './log.ts'

const { NATS_URL = '', DATABASE_URL = '', REDIS_URL = '', SITE_URL = '' } = process.env
const log = createLog('traced')
const stop = new AbortController()
process.once('SIGTERM', () => stop.abort())
const watch = {
  parse: decodeJson,
  signal: stop.signal,
  report: (error: unknown) => log.error({ err: error }),
}

const bus = await openBus({ url: NATS_URL, name: 'traced' })
const pool = new pg.Pool({ connectionString: DATABASE_URL })
const redis = new Redis(REDIS_URL)
await pool.query('select 1 as untraced')

const starting = rpc({
  subject: 'ask.start',
  request: Nothing,
  response: Nothing,
  callers: ['gateway'],
  server: 'extractor',
})
const serving = serve(bus, starting, start, watch)
const consuming = consume(bus, {
  stream: 'FETCH',
  consumer: 'fetcher',
  concurrency: 4,
  handle: fetchSite,
  ...watch,
})
const server = http.createServer(async (_, response) => {
  response.end(JSON.stringify(await call(bus, starting, null, { timeoutMs: 5_000 })))
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
console.log(JSON.stringify({ port: (server.address() as AddressInfo).port }))

if (!stop.signal.aborted) await once(stop.signal, 'abort')
server.close()
await Promise.all([serving, consuming])
await Promise.all([bus.close(), pool.end(), redis.quit()])

async function start(): Promise<{ started: boolean }> {
  await pool.query('select 2 as traced')
  await redis.set('started', 'yes')
  await publish(bus, 'fetch.http', '{}', { id: 'order' })
  log.info({ headers: { cookie: 'sesame' }, proxy: { proxy_url: 'http://user:sesame@proxy' } }, 'started')
  return { started: true }
}

async function fetchSite() {
  const { body } = await request(SITE_URL)
  await body.dump()
  return ack
}
