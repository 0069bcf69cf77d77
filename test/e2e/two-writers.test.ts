/**
 * A coordinator is stopped with SIGSTOP until another one has taken over its runs, and then continues with its old
 * memory, its old lease and the messages in its sockets: nothing is appended, billed or announced twice. The simulator
 * does the same in virtual time within `npm test`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { patient } from '@tidemark/testing/slowness'
import { isFullTier } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { processesOf } from './probes.ts'
import { databaseOf, startReceiver, startSlowSite } from './scale-out.scene.ts'
import { startSystem } from './system.ts'

const pauses = Number(process.env.PAUSES ?? 1)
const skip = !isFullTier && 'each pause takes 30 s: only npm run test:full runs it'
/** Longer than a lease, so that another coordinator owns the runs when the stopped one returns. */
const pauseMs = 30_000
const pages = 150
const answerMs = 100
/** Crawls of each pause. They are shared by both coordinators. */
const crawls = 4
/** The stopped coordinator handles the messages in its sockets within this time. */
const returnMs = 1_000

test(`A coordinator that returns after ${pauses} pauses`, {
  timeout: patient(60_000 + 60_000 * pauses),
  skip,
}, async t => {
  const system = await startSystem({ PROCESSES: 'split', REPLICAS: 'crawl-coordinator=2' })
  t.teardown(() => system.stop())
  const [site, receiver] = await Promise.all([startSlowSite(pages, answerMs), startReceiver()])
  t.teardown(() => [site, receiver].map(server => server.close()))
  const { client, owners, unitsBilled } = await databaseOf(t, system)
  const key = await system.createProject('paused', '--tier', 'studio', '--unlimited')
  const request = { url: site.url, delay_ms: 0, webhook_url: receiver.url }
  let takenOver = 0

  for (let pause = 0; pause < pauses; pause++) {
    const before = { units: await unitsBilled(), webhooks: receiver.webhooks.size }
    await until(async () => new Set(await owners()).size === 2)
    const ids = await Promise.all(Array.from({ length: crawls }, start))
    const coordinators = await processesOf(system, 'crawl-coordinator')
    const { pid, name } = coordinators[pause % 2] as (typeof coordinators)[number]
    await sleep(Math.random() * 1_000) // any moment of the crawls
    process.kill(pid as number, 'SIGSTOP')
    const interrupted = await runsOf(name)
    try {
      await sleep(pauseMs)
      t.notOk((await owners()).includes(name), `${name} has lost all its shards`)
    } finally {
      process.kill(pid as number, 'SIGCONT')
    }
    takenOver += interrupted
    const ended = await Promise.all(ids.map(id => system.untilEnded(key, id)))
    await sleep(returnMs)
    for (const run of ended)
      t.match(run, { status: 'done', page_count: pages, error_count: 0 }, `run ${run.id}`)
    for (const id of ids) t.strictSame(await shownPages(id), [pages, pages], `pages and ids of run ${id}`)
    await until(async () => (await unitsBilled()) - before.units >= crawls * pages)
    t.equal((await unitsBilled()) - before.units, crawls * pages, 'each page is billed once')
    await until(() => receiver.webhooks.size - before.webhooks >= crawls)
    t.equal(receiver.webhooks.size - before.webhooks, crawls, 'one webhook of each crawl')
    t.ok([...receiver.webhooks.values()].every(times => times === 1))
    t.equal(
      (await processesOf(system, 'crawl-coordinator')).find(one => one.name === name)?.pid,
      pid,
      'it lives',
    )
  }
  t.ok(takenOver > 0, `${takenOver} crawls were interrupted`)
  t.comment(`${takenOver} crawls were interrupted`)
  const verified = await system.admin('verify')
  t.match(verified, { ok: true }, JSON.stringify(verified))

  async function start(): Promise<number> {
    const { status, body } = await system.call(key, 'POST', '/v1/crawls', request)
    if (status !== 202) throw new Error(`${status} ${JSON.stringify(body)}`)
    return body.id
  }

  /** Returns the number of page events in the log of a run, and of different pages in them. */
  async function shownPages(id: number): Promise<[events: number, ids: number]> {
    const headers = { authorization: `Bearer ${key}` }
    const text = await (await fetch(`${system.base}/v1/crawls/${id}/events?types=page`, { headers })).text()
    const ids = [...text.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => JSON.parse(json).url)
    return [ids.length, new Set(ids).size]
  }

  /** Returns the number of running crawls of a coordinator. */
  async function runsOf(name: string): Promise<number> {
    const { rows } = await client.query<{ runs: number }>(
      `select count(*)::int as runs from read.run join coordinator.shard_lease on shard = id % 64
       where status = 'running' and owner = $1`,
      [name],
    )
    return rows[0]?.runs ?? 0
  }
})
