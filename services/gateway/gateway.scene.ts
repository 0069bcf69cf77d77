/**
 * The surroundings of the gateway in its tests: a database and a bus of their own, the real projector, and fakes of the
 * services behind it.
 */
import { openBus } from '@tidemark/bus/connection'
import { publish } from '@tidemark/bus/publish'
import { exportTables } from '@tidemark/content/export-tables'
import { objectTables } from '@tidemark/content/object-tables'
import { openContent } from '@tidemark/content/store'
import { contentTables, headerTables, revisitTables } from '@tidemark/content/tables'
import { checkOf } from '@tidemark/contracts/api-key'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { migratedDatabase } from '@tidemark/testing/databases'
import { throwawayNats, throwawayRedis } from '@tidemark/testing/servers'
import pg from 'pg'
import type { Test } from 'tap'
import { database } from './database.ts'
import './own-answers.scene.ts'
import { startService as startProjector } from './projector-service.ts'
import { commit } from './read-model/projections/runs.examples.ts'
import { startService } from './service.ts'
import { standInFor } from './stand-ins.scene.ts'

export { keyView, seed } from './stand-ins.scene.ts'

export type Surroundings = Awaited<ReturnType<typeof surroundings>>

/** Returns a valid key of this letter, repeated. */
export function keyNamed(letter: string): string {
  const text = `tmk_${letter.repeat(40)}`
  return text + checkOf(text)
}

export async function surroundings(t: Test, { env = {} }: { env?: Record<string, string> } = {}) {
  process.env.LOG_LEVEL ??= 'silent'
  const stack = new AsyncDisposableStack()
  t.teardown(() => stack.disposeAsync())
  const nats = stack.adopt(await throwawayNats(), nats => nats.stop())
  const fresh = stack.adopt(await migratedDatabase(database), fresh => fresh.drop())
  const bus = stack.adopt(await openBus({ url: nats.url, name: 'test' }), bus => bus.close())
  await bus.jsm.streams.add({ name: streams.runs, subjects: [subjects.runs], allow_direct: true })
  await bus.jsm.streams.add({ name: streams.accounts, subjects: ['accounts.*'] })
  await bus.jsm.streams.add({ name: streams.served, subjects: ['served.*'] })
  await bus.jsm.streams.add({ name: streams.audit, subjects: ['audit.*'] })
  const redis = stack.adopt(await throwawayRedis(), redis => redis.stop())
  const pool = stack.adopt(new pg.Pool({ connectionString: fresh.url }), pool => pool.end())
  pool.on('error', () => {})
  const content = [...contentTables, ...revisitTables, ...objectTables, ...headerTables, ...exportTables]
  for (const statement of ['create schema content', ...content]) await pool.query(statement)

  const stop = new AbortController()
  const standIns = await standInFor(bus, stop.signal)
  stack.defer(() => stop.abort())
  const all = {
    SECRETS_KEY: '0'.repeat(64),
    NATS_URL: nats.url,
    DATABASE_URL: fresh.url,
    REDIS_URL: redis.url,
    REQUEST_RATES: 'false', // tests send requests faster than any client may
    PORT: '0',
    ...env,
  }
  const projector = await startProjector(all, stop.signal)
  const gateway = await startService(all, stop.signal)
  stack.defer(() => projector[Symbol.asyncDispose]())
  stack.defer(() => gateway[Symbol.asyncDispose]())
  return {
    url: gateway.url,
    /** The settings of the gateway, for a second gateway beside it. */
    env: all,
    bus,
    nats,
    pool,
    content: openContent(pool),
    standIns,
    stop: () => stack.disposeAsync(),
  }
}

export type Call = {
  key?: string | null
  body?: unknown
  raw?: string | Buffer
  headers?: Record<string, string>
}
/** Returns functions that send requests with this key. */
export function caller({ url, bus }: Surroundings, mine: string) {
  async function call(method: string, path: string, { key = mine, body, raw, headers = {} }: Call = {}) {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(raw !== undefined && { body: raw }),
    })
    const text = await response.text()
    const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '')
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson && text !== '' ? JSON.parse(text) : null,
    }
  }
  return {
    call,
    get: (path: string, options?: Call) => call('GET', path, options),
    post: (path: string, body?: unknown) => call('POST', path, { body }),
    /** Appends a commit to a run, as the coordinator does. */
    append: (runId: number, ...events: object[]) =>
      publish(bus, subjects.run(runId), commit(runId, 10, ...events).payload),
  }
}
