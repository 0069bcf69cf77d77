/**
 * Hundreds of concurrent clients that hold a connection without progress, or twenty that read nothing: other clients
 * get responses as before, the gateway's memory does not grow with them, and every such connection is closed.
 */

import { startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { sized } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import pg from 'pg'
import { type Test, test } from 'tap'
import { readPatiently, watchMemory } from './hostile-zoo-watch.ts'
import {
  answersOf,
  areAllClosed,
  type Behaviour,
  longestOpen,
  openSlowClients,
  type SlowClient,
} from './slow-clients.scene.ts'
import { type System, startSystem } from './system.ts'

const count = sized(200, 500)
/** Each takes some MB before the system's buffers are full. */
const readers = 20
const requestSeconds = 3
const stalledSeconds = 3
/** Extra time for checks that run at intervals, on a busy machine. */
const spareSeconds = 20
/** Time to fill the buffers of all readers, and for two checks that see no progress. */
const unreadSeconds = 2 * stalledSeconds + 40
const maxMemory = 512
const quietCalls = sized(100, 200)
/** Shorter response times count as unnoticeable, because the test shares its processors. */
const noticeableMs = patient(150)
/** Number of stored pages: at least as many as the longest list has. */
const storedPages = sized(10_000, 20_000)
/** Requests that arrive in one packet and would each hold a response. */
const pipelined = 60
/** More repetitions than the buffers of the operating system hold. */
const repeated = 10

type Around = { system: System; port: number; key: string; runId: number; quiet: number }

test('Clients without progress', { timeout: patient(300_000) }, async t => {
  const system = await startSystem({
    PROCESSES: 'split',
    REQUEST_SECONDS: String(requestSeconds),
    STALLED_SECONDS: String(stalledSeconds),
  })
  t.teardown(() => system.stop())
  const origin = await startOrigin({ pages: { '/': '<p>A quiet page.' } })
  t.teardown(() => origin.close())
  const neighbour = await system.createProject('neighbour', '--unlimited')
  const { id } = await system.crawl(neighbour, { url: `${origin.url}/`, delay_ms: 0 })
  const key = await system.createProject('slow', '--unlimited')
  const run = await system.crawl(key, { url: `${origin.url}/`, delay_ms: 0 })
  await makeLong(system, run.id)
  const quiet = await readPatiently(system, neighbour, id, calls => calls < quietCalls)
  const port = Number(new URL(system.base).port)
  const around = { system, port, key, runId: run.id, quiet: quiet.p95 }
  t.comment({ quiet })

  const large = `{"url":"${'x'.repeat(900_000)}`
  const post = (path: string, headers: string[]) =>
    head(`POST ${path}`, ['content-type: application/json', 'content-length: 1000000', ...headers]) + large
  const mine = `authorization: Bearer ${key}`
  const read = (path: string) => head(`GET ${path}`, [mine])
  const list = `/v1/crawls/${run.id}/pages`

  // A client that is rejected while it sends does not always receive the response.
  const answered = /^(408|503|none)$/
  const cases: [what: string, behaviour: Behaviour, answers: RegExp][] = [
    ['send nothing', { first: '' }, /^408$/],
    [
      'send a header per second',
      { first: 'GET /v1/usage HTTP/1.1\r\nhost: x\r\n', drip: 'x-slow: 1\r\n' },
      /^408$/,
    ],
    [
      'send a body without a key at a byte per second',
      { first: post('/v1/signup', []), drip: 'x' },
      answered,
    ],
    ['send a body at a byte per second', { first: post('/v1/crawls', [mine]), drip: 'x' }, answered],
    [
      'read nothing of a long list',
      { first: read(`${list}?format=ndjson&limit=10000`).repeat(repeated), readsNothing: true },
      /^none$/,
    ],
    [
      'request many lists at once and read none',
      { first: read(`${list}?limit=1000`).repeat(pipelined), readsNothing: true },
      /^none$/,
    ],
  ]
  for (const [what, behaviour, answers] of cases)
    await t.test(`that ${what}`, { timeout: patient(300_000) }, async t => {
      const clients = await endure(t, around, neighbour, id, behaviour)
      t.strictSame(
        Object.keys(answersOf(clients)).filter(status => !answers.test(status)),
        [],
        JSON.stringify(answersOf(clients)),
      )
    })
  t.equal((await system.call(null, 'GET', '/v1/ready')).status, 200)
})

const head = (line: string, headers: string[]) =>
  `${[`${line} HTTP/1.1`, 'host: x', ...headers].join('\r\n')}\r\n\r\n`

async function endure(
  t: Test,
  { system, port, quiet }: Around,
  neighbour: string,
  id: number,
  behaviour: Behaviour,
): Promise<SlowClient[]> {
  const before = await system.runFile()
  const memoryUntilNow = await watchMemory(system)
  const clients = await openSlowClients(port, behaviour.readsNothing ? readers : count, behaviour)
  let isOver = false
  const beside = readPatiently(system, neighbour, id, calls => calls < quietCalls || !isOver)
  const maxSeconds = behaviour.readsNothing
    ? unreadSeconds
    : Math.max(requestSeconds, stalledSeconds) + spareSeconds
  await until(() => areAllClosed(clients, port), maxSeconds * 1000).catch(() =>
    t.fail(`${clients.filter(({ closedAt }) => closedAt === null).length} are still open`),
  )
  isOver = true
  const seconds = longestOpen(clients)
  for (const { socket } of clients) socket.destroy()
  const [{ p50, p95, max, refused, calls }, memory, after] = [
    await beside,
    await memoryUntilNow(),
    await system.runFile(),
  ]
  const gateway = Object.entries(memory).find(([name]) => name.startsWith('gateway'))?.[1] ?? Infinity
  t.comment({ seconds, calls, p50, p95, max, gateway, answers: answersOf(clients) })
  t.strictSame(after.processes, before.processes, 'no process has died')
  t.equal(refused, 0, 'all other calls succeed')
  t.ok(p95 <= Math.max(1.5 * quiet, noticeableMs), `the p95 of others is ${p95} ms, before ${quiet} ms`)
  t.ok(gateway <= maxMemory, `the gateway used at most ${gateway} MiB`)
  return clients
}

/** Adds stored pages to a crawl of one page, so that its list exceeds the buffers. */
async function makeLong(system: System, runId: number): Promise<void> {
  const { postgres } = await system.runFile()
  const client = new pg.Client(postgres.url)
  await client.connect()
  await client.query(
    `insert into read.page select (jsonb_populate_record(page, jsonb_build_object(
       'id', id + 1e9 + n, 'url_key', lpad(to_hex(n), length(url_key), '0'), 'url', url || repeat('x', 400) || n))).*
     from read.page, generate_series(1, $2) n where run_id = $1`,
    [runId, storedPages],
  )
  await client.end()
}
