/**
 * A stream, the disk of NATS, or the disk of Postgres and the logs is full: requests fail at once with the reason.
 * Once there is space again, running crawls continue without restarts and without losses.
 */

import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rename, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openBus } from '@tidemark/bus/connection'
import { startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import { type Test, test } from 'tap'
import { fillStream } from './fill-stream.ts'
import { type Answer, plantSeed, type System, startSystem } from './system.ts'

const MB = 1024 ** 2
/** Pages of the site. They are fetched in seconds, so that the crawl runs while something is full. */
const pages = 30
const delayMs = 200
const run = promisify(execFile)
/** Limits for a response, and for the recovery once there is space again. */
const [answerMs, healMs] = [1_000, 5_000]

test('A stream that is full', { timeout: patient(300_000) }, async t => {
  const system = await startSystem()
  t.teardown(() => system.stop())
  const { nats } = await system.runFile()
  const bus = await openBus({ url: nats.url, name: 'full' })
  t.teardown(() => bus.close())
  await bus.jsm.streams.update('RUNS', { max_bytes: 4 * MB })
  const crawl = await crawling(t, system, 'full-stream')
  const { key, url, id } = crawl
  await until(async () => (await hasPages(system, key, id)) > 0)
  await fillStream(bus, 'runs.00.0.filler')

  const refused = await post(system, key, url)
  t.match(refused, { status: 503, body: { error: { code: 'unavailable', message: /stream_full: / } } })
  t.ok(Number(refused.headers.get('retry-after')) > 0)
  t.ok(refused.ms < answerMs, `${refused.ms} ms`)
  const notReady = await system.call(null, 'GET', '/v1/ready')
  t.match(notReady, { status: 503, body: { checks: { event_stream: { full: ['RUNS'], cause: /RUNS/ } } } })
  await sleep(3_000)
  await bus.jsm.streams.purge('RUNS', { filter: 'runs.00.0.filler' })
  await healed(t, system, crawl)
})

/**
 * nats-server reacts differently each time: usually it rejects writes, sometimes it hangs or exits. So the test runs
 * only with DISKS=all.
 */
const whyNotNats = process.env.DISKS === 'all' ? await unmountable() : 'only with DISKS=all'

test('A disk of NATS that is full', { timeout: patient(300_000), skip: whyNotNats }, async t => {
  const { system, fillUp, empty } = await onSmallDisk(t, 'nats', 160)
  const crawl = await crawling(t, system, 'full-nats')
  const { key, url, id } = crawl
  await until(async () => (await hasPages(system, key, id)) > 0)
  await fillUp()
  const refused = await untilRefused(t, system, key, url)
  t.comment(`NATS: ${refused.body.error.message}`)
  await until(async () => (await system.call(null, 'GET', '/v1/ready')).status === 503, 20_000)
  t.comment(`NATS: ${(await system.call(null, 'GET', '/v1/ready')).body.error.message}`)
  await empty()
  await healed(t, system, crawl)
})

test('A disk of Postgres and logs that is full', {
  timeout: patient(300_000),
  skip: await unmountable(),
}, async t => {
  const { system, fillUp, empty } = await onSmallDisk(t, 'postgres', 400)
  const crawl = await crawling(t, system, 'full-postgres')
  const { key, url, id } = crawl
  await until(async () => (await hasPages(system, key, id)) > 0)
  await fillUp()
  await until(async () => (await system.call(null, 'GET', '/v1/ready')).status === 503)
  const { body } = await system.call(null, 'GET', '/v1/ready')
  t.match(body.error.message, /disk_full|database/)
  t.comment(`Postgres: ${body.error.message}`)
  for (let n = 0; n < 20; n++) {
    const { status, ms } = await post(system, key, url)
    t.ok([202, 429, 503].includes(status) && ms < answerMs, `${status} in ${ms} ms`)
  }
  await empty()
  await healed(t, system, crawl)
})

type Crawl = { key: string; url: string; id: number; pages: number; pids: string }

/** Starts a crawl of large pages that takes some seconds. */
async function crawling(t: Test, system: System, name: string): Promise<Crawl> {
  const origin = await startOrigin()
  t.teardown(() => origin.close())
  const linked = (n: number) =>
    Array.from({ length: pages }, (_, to) => `<a href="/p${to}">${to} of ${n}</a>`)
  const body = (n: number) =>
    `<title>Page ${n}</title><p>${Array.from({ length: 3_000 }, (_, at) => ((at + 1) * (n + 7) * 2_654_435_761) % 4_294_967_296).join(' ')}</p>${linked(n).join('')}`
  origin.site({
    '/': body(0),
    ...Object.fromEntries(Array.from({ length: pages }, (_, n) => [`/p${n}`, body(n + 1)])),
  })
  const key = await system.createProject(name, '--tier', 'studio', '--unlimited')
  const url = `${origin.url}/`
  const { body: run } = await system.call(key, 'POST', '/v1/crawls', { url, delay_ms: delayMs })
  return { key, url, id: run.id, pages: pages + 1, pids: await pidsOf(system) }
}

async function hasPages(system: System, key: string, id: number): Promise<number> {
  const { body } = await system.call(key, 'GET', `/v1/crawls/${id}`)
  return body.page_count ?? 0
}

async function post(system: System, key: string, url: string): Promise<Answer & { ms: number }> {
  const began = performance.now()
  const answer = await system.call(key, 'POST', '/v1/crawls', { url: `${url}none`, max_pages: 1 })
  return { ...answer, ms: Math.round(performance.now() - began) }
}

async function untilRefused(t: Test, system: System, key: string, url: string): Promise<Answer> {
  for (let n = 0; n < 100; n++) {
    const answer = await post(system, key, url)
    if (answer.status === 503) {
      t.ok(answer.ms < answerMs, `${answer.ms} ms`)
      t.ok(Number(answer.headers.get('retry-after')) > 0)
      return answer
    }
    if (answer.status !== 202 && answer.status !== 429) t.fail(`the status is ${answer.status}`)
    await sleep(100)
  }
  throw new Error('no request was rejected')
}

/** Checks the recovery: ready within the limit, no restarts, the crawl ends normally, and verify finds no problem. */
async function healed(t: Test, system: System, { key, url, id, pages, pids }: Crawl): Promise<void> {
  const began = performance.now()
  await until(async () => (await system.call(null, 'GET', '/v1/ready').catch(() => null))?.status === 200)
  const ms = Math.round(performance.now() - began)
  t.ok(ms <= healMs, `ready after ${ms} ms`)
  await until(async () => [202, 429].includes((await post(system, key, url)).status), healMs)
  const ended = await system.untilEnded(key, id)
  t.match(ended, { status: 'done', page_count: pages })
  t.equal(await pidsOf(system), pids, 'no process was restarted')
  await until(async () => {
    const { body } = await system.call(key, 'GET', '/v1/crawls?limit=100')
    return body.items.every(({ status }: { status: string }) =>
      ['done', 'failed', 'cancelled'].includes(status),
    )
  }, 120_000)
  await t.resolves(system.admin('verify'))
}

async function pidsOf(system: System): Promise<string> {
  const { postgres, nats, processes } = await system.runFile()
  return JSON.stringify([postgres.pid, nats.pid, processes.map(({ pid }) => pid)])
}

/** Returns why this machine cannot mount a disk of limited size, or false. */
async function unmountable(): Promise<string | false> {
  const tried = run('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'])
  return tried.then(
    () => false as const,
    () => 'this machine does not permit mounts',
  )
}

/** Starts a system with a small disk for one of its servers, in a mount namespace of its own. */
async function onSmallDisk(t: Test, server: 'nats' | 'postgres', megabytes: number) {
  // Postgres creates its cluster beside its folder, so the small disk is mounted one level higher, at `data`. The
  // folder of NATS is then a link to a folder outside of it. The logs are a link to a folder on the small disk, because
  // the test reads run.json outside of the mount namespace. The launcher writes its messages to /dev/full.
  const dir = await mkdtemp(join(tmpdir(), 'tidemark-full-'))
  t.teardown(() => rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }))
  await plantSeed(dir, {})
  const [data, nats, seed] = [join(dir, 'data'), join(dir, 'data/nats'), join(dir, 'seed')]
  const disk = server === 'nats' ? nats : data
  const logs = join(disk, 'logs')
  await mkdir(nats, { recursive: true })
  if (server === 'postgres') {
    await rename(nats, join(dir, 'nats'))
    await symlink(join(dir, 'nats'), nats)
    await symlink(logs, join(dir, 'logs'))
  }
  await rename(disk, seed)
  await mkdir(disk)
  const mounting = `mount -t tmpfs -o size=${megabytes}m,mode=755 tmpfs ${disk} && cp -a ${seed}/. ${disk} && mkdir ${logs} && exec "$@" 2>/dev/full`
  const system = await startSystem({}, dir, ['unshare', '-m', 'sh', '-c', mounting, 'sh'])
  t.teardown(() => system.stop())
  const { pid } = await system.runFile()
  const filler = join('/proc', String(pid), 'root', disk, 'filler')
  return {
    system,
    async fillUp() {
      await run('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64k']).catch(() => {})
      await run('dd', ['if=/dev/zero', `of=${filler}.2`, 'bs=1k']).catch(() => {})
    },
    async empty() {
      await rm(filler, { force: true })
      await rm(`${filler}.2`, { force: true })
    },
  }
}
