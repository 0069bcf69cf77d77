/**
 * A stream that has lost its last messages, as after a disk failure: readiness reports it within five seconds, and an
 * operator can accept the loss.
 */
import { randomInt } from 'node:crypto'
import fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { subjects } from '@tidemark/contracts/subjects'
import { startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { sized } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { run as acceptLoss } from '../../deploy/admin/accept-loss.ts'
import { checkCheckpoints } from '../../deploy/admin/checks/checkpoints.ts'
import { openInstance } from '../../deploy/admin/open-instance.ts'
import { run as purgeProject } from '../../deploy/admin/purge-project.ts'
import { readPositions, streamEnds } from '../../deploy/admin/reader-positions.ts'
import { run as rebuild } from '../../deploy/admin/rebuild/rebuild-projections.ts'
import { run as verify } from '../../deploy/admin/verify.ts'
import { probe } from './probes.ts'
import { type Answer, launchSystem, type System, startSystem } from './system.ts'

const cutBytes = 4096
const withinMs = 5_000
const pageCount = sized(60, 120)
const quiet = { LOG_LEVEL: 'fatal' }
const readyLimitMs = 90_000

test('A stream that lost its end while the system was stopped', { timeout: patient(300_000) }, async t => {
  const dir = await fs.mkdtemp(join(tmpdir(), 'tidemark-lost-'))
  await fs.chmod(dir, 0o755)
  t.teardown(() => fs.rm(dir, { recursive: true, force: true }))
  const paths = Array.from({ length: pageCount - 1 }, (_, n) => `/page-${n}`)
  const pages = Object.fromEntries(paths.map(path => [path, 'A page']))
  const origin = await startOrigin({
    pages: { ...pages, '/': paths.map(path => `<a href="${path}">${path}</a>`).join(' ') },
  })
  t.teardown(() => origin.close())
  const system = await startSystem(quiet, dir)
  t.teardown(() => system.stop())
  const key = await system.createProject('cut-off', '--unlimited')
  const request = { url: origin.url, delay_ms: 0, respect_robots: false }
  const { id } = await system.crawl(key, request)
  await until(() => isReadByAll(dir, id))
  await system.stop()

  await cutLastBlock(join(dir, 'data/nats/jetstream'))

  const first = await start(dir)
  t.teardown(() => first.stop())
  await t.test('is reported within five seconds, and no consumer continues', async t => {
    const { afterMs, body } = await readiness(
      first,
      ({ status, body }) => status === 503 && JSON.stringify(body).includes('RUNS'),
    )
    t.match(JSON.stringify(body), /stream_went_backwards: RUNS/)
    t.ok(afterMs < withinMs, `${afterMs} ms`)
    const processes = (await first.runFile()).processes.filter(({ services }) =>
      services.includes('projector'),
    )
    const health = async () => JSON.stringify(await probe(processes[0]?.metrics, '/readyz'))
    await until(async () => /"status":503.*stream_went_backwards/.test(await health()), withinMs)
    t.equal(processes.length, 1)
    await using instance = await openInstance(dir)
    const { bus, pool } = instance
    const { wrong } = await checkCheckpoints(bus, await readPositions(pool), await streamEnds(bus))
    t.match(
      wrong.join(),
      /read\.runs has read (messages that are missing: RUNS has nothing|RUNS up to \d+, but it ends)/,
    )
  })

  await t.test('is used again after an operator accepts the loss', async t => {
    const accepted = await acceptLoss(['--stream', 'RUNS'], dir, () => {})
    t.strictSame(accepted.readers.map(({ reader }) => reader).sort(), [
      'content.forget-deleted-runs',
      'coordinator.keep-runs',
      'ledger.bill-runs',
      'read.runs',
      'webhook.decide-deliveries',
    ])
    await first.stop()
    const second = await start(dir)
    t.teardown(() => second.stop())
    await readiness(second, ({ status }) => status === 200)
    await t.rejects(
      acceptLoss(['--stream', 'RUNS'], dir, () => {}),
      /there is no loss to accept/,
    )
    await rebuild([], dir, () => {})
    t.strictSame((await second.crawl(key, request)).page_count, pageCount, 'crawls work')
    const bills = new RegExp(
      `^run ${id}: \\d+ and 0 of the cloud to be billed, but ${pageCount} and 0 of the cloud billed$`,
    )
    const left = await wrongIn(dir)
    t.strictSame(Object.keys(left).sort(), ['ledger', 'slots'])
    t.match(left, { ledger: bills, slots: `run ${id} is running and holds no slot` })
    t.equal((await second.call(key, 'DELETE', `/v1/crawls/${id}`)).status, 204)
    const stays = await wrongIn(dir)
    t.strictSame(Object.keys(stays), ['ledger'], 'only bills of lost events remain')
    t.match(stays, { ledger: bills })

    const lost = await second.crawl(key, request)
    await second.crawl(key, request)
    await loseEvents(dir, lost.id)
    await rebuild([], dir, () => {})
    const found = await wrongIn(dir)
    t.match(found, { bodies: `run ${lost.id}: ${pageCount} stored pages, but it has no event` })
    const purged = await purgeProject(['--name', 'cut-off', '--yes'], dir, () => {})
    t.match(purged, { runs: 3 }, 'a project with crawls that were lost can be deleted')
    await until(async () => !('bodies' in (await wrongIn(dir))))
    await second.stop()
  })
})

/** Returns whether every reader of RUNS has read the last event of a crawl. */
async function isReadByAll(dir: string, runId: number): Promise<boolean> {
  await using instance = await openInstance(dir)
  const { bus, pool } = instance
  const last = await bus.jsm.streams.getMessage('RUNS', { last_by_subj: subjects.run(runId, 'crawl') })
  const readers = (await readPositions(pool)).filter(({ stream }) => stream === 'RUNS')
  return last !== null && readers.every(({ sequence }) => Number(sequence) >= last.seq)
}

/**
 * Removes the events of a run, as if the stream had lost them and an operator had accepted that: the recorded end of
 * the stream is after them.
 */
async function loseEvents(dir: string, runId: number): Promise<void> {
  await using instance = await openInstance(dir)
  const { bus, pool } = instance
  const recorded = `select sequence from coordinator.checkpoint where projection = 'keep-runs'`
  await until(async () => {
    const [{ rows }, { state }] = await Promise.all([pool.query(recorded), bus.jsm.streams.info('RUNS')])
    return Number(rows[0]?.sequence) === state.last_seq
  })
  for (const facet of ['crawl', 'diff', 'webhook', 'site'] as const)
    await bus.jsm.streams.purge('RUNS', { filter: subjects.run(runId, facet) })
}

/** Returns the failed checks of `verify` with their details. */
async function wrongIn(dir: string): Promise<Record<string, string>> {
  const { checks } = await verify([], dir, () => {})
  return Object.fromEntries(
    checks.filter(({ ok }) => !ok).map(({ name, details }) => [name, details.join('; ')]),
  )
}

async function cutLastBlock(jetstream: string): Promise<void> {
  const blocks = (await Array.fromAsync(fs.glob('*/streams/RUNS/msgs/*.blk', { cwd: jetstream }))).sort(
    (a, b) => Number.parseInt(basename(a), 10) - Number.parseInt(basename(b), 10),
  )
  const block = join(jetstream, blocks.at(-1) ?? '')
  await fs.truncate(block, (await fs.stat(block)).size - cutBytes)
}

/** Starts a system without waiting for readiness. */
const start = async (dir: string): Promise<System> =>
  (await launchSystem({ ...quiet, METRICS_PORT: String(10_000 + randomInt(6_000)) }, dir)).system

/** Waits for a readiness response that matches. `afterMs` is the time since the first response. */
async function readiness({ call }: System, matches: (answer: Answer) => boolean) {
  let firstAt = 0
  for (const limit = performance.now() + readyLimitMs; performance.now() < limit; await sleep(50)) {
    const answer = await call(null, 'GET', '/v1/ready').catch(() => null)
    if (answer === null) continue
    firstAt ||= performance.now()
    if (matches(answer)) return { ...answer, afterMs: Math.round(performance.now() - firstAt) }
  }
  throw new Error(`no response matched within ${readyLimitMs / 1000} s`)
}
