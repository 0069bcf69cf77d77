/**
 * Unreadable and unprocessable messages in every stream of a whole system: they are dead-lettered with the reason,
 * other work is not affected and not delayed, and an operator can replay or discard them.
 */

import { openBus } from '@tidemark/bus/connection'
import { encodeFrame } from '@tidemark/bus/frame'
import { publish } from '@tidemark/bus/publish'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { sealer } from '@tidemark/secrets/seal'
import { startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import { urlKey } from '@tidemark/url/key'
import { test } from 'tap'
import { readKeyFile } from '../../deploy/local/secrets-key.ts'
import { startSystem } from './system.ts'

/** Messages per stream. */
const messages = Number(process.env.POISON ?? 10)
const lagLimitMs = 60_000
const pagesOfSite = 40
const work = [streams.fetch, streams.pages, streams.outcomes, streams.deliveries]

/** Many pages, fetched slowly, so that the run continues while the messages are planted. */
const pages = Object.fromEntries(
  Array.from({ length: pagesOfSite }, (_, n) => [
    n === 0 ? '/' : `/${n}`,
    `<title>Page ${n}</title>${Array.from({ length: pagesOfSite }, (_, to) => `<a href="/${to || ''}">${to}</a>`).join('')}`,
  ]),
)

const badFrames = [
  Buffer.from('not a frame'),
  encodeFrame({ pages: 'none' }, []),
  encodeFrame({ pages: [{ runId: 1 }] }, [Buffer.from('body')]).subarray(0, 20),
]
const badOutcomes = ['not JSON', '{}', '{"outcomes":[{"type":"page","runId":1}]}', '']
const badDeliveries = ['not JSON', '{}', '{"runId":"seven"}', '{"runId":0}']
const badOrders = ['not JSON', '{}', '{"runId":1,"projectId":1,"orders":[]}', '[]']

test('Poison', { timeout: patient(300_000) }, async t => {
  const system = await startSystem()
  t.teardown(() => system.stop())
  const origin = await startOrigin({ pages })
  t.teardown(() => origin.close())
  const { nats, processes } = await system.runFile()
  const bus = await openBus({ url: nats.url, name: 'test' })
  t.teardown(() => bus.close())
  const key = await system.createProject('poisoned', '--unlimited')
  const dead = async () => (await bus.jsm.streams.info(streams.dead, { subjects_filter: 'dead.>' })).state
  const deadOf = async (stream: string) =>
    Object.entries((await dead()).subjects ?? {})
      .filter(([subject]) => subject.startsWith(`dead.${stream}.`))
      .reduce((sum, [, count]) => sum + count, 0)
  const left = async () =>
    (await Promise.all(work.map(stream => bus.jsm.streams.info(stream)))).map(({ state }) => state.messages)
  const admin = (...args: string[]) =>
    // biome-ignore lint/suspicious/noExplicitAny: the output differs per command
    system.admin('dead-letters', ...args).catch(error => JSON.parse(error.stdout)) as Promise<any>

  const start = async (path: string, delay_ms: number): Promise<number> => {
    const request = { url: origin.url + path, delay_ms, respect_robots: false }
    const { status, body } = await system.call(key, 'POST', '/v1/crawls', request)
    if (status !== 202) throw new Error(JSON.stringify(body))
    return body.id
  }
  const run = await start('/', 300)
  const planted = new Map<string, string[]>()
  const plant = async (subject: string, stream: string, data: string | Uint8Array) => {
    await publish(bus, subject, data)
    planted.set(stream, [...(planted.get(stream) ?? []), Buffer.from(data).toString('base64')])
  }
  const nth = <T>(from: readonly T[], n: number): T => from[n % from.length] as T

  await t.test('is dead-lettered with its reason and its payload, and delays nothing', async t => {
    const began = performance.now()
    for (let n = 0; n < messages; n++) {
      await plant(subjects.fetch('http'), streams.fetch, nth(badOrders, n))
      await plant(subjects.pages(run), streams.pages, nth(badFrames, n))
      await plant(subjects.outcomes(run), streams.outcomes, nth(badOutcomes, n))
      await plant(subjects.deliveries, streams.deliveries, nth(badDeliveries, n))
    }
    for (const stream of work) await until(async () => (await deadOf(stream)) === messages, lagLimitMs)
    t.comment(`all were dead-lettered within ${Math.round(performance.now() - began)} ms`)
    for (const stream of work) {
      const found: string[] = []
      const { letters } = await admin('list', '--stream', stream, '--limit', '1000')
      for (const { id, reason, subject, attempt } of letters) {
        const letter = await bus.jsm.direct.getMessage(streams.dead, { seq: id })
        found.push(Buffer.from(letter?.data ?? '').toString('base64'))
        if (!/^Unreadable: ./.test(reason) || attempt !== 1) t.fail(`${stream}: ${reason}, ${attempt}`)
        t.ok(subject.startsWith(stream.toLowerCase()), subject)
      }
      t.strictSame(found.sort(), planted.get(stream)?.sort(), `${stream}: every payload is stored`)
    }
  })

  await t.test(
    'that makes a handler fail is dead-lettered, or reported to the run that waits for it',
    async t => {
      const began = performance.now()
      const [before, ordersBefore] = [await deadOf(streams.outcomes), await deadOf(streams.fetch)]
      const slow = await start('/slow/15000', 0)
      await until(() => origin.hits.some(({ path }) => path === '/slow/15000'))
      const title = 'x'.repeat(8 * 1024 ** 2 - 450)
      const sha = 'a'.repeat(64)
      const page = {
        ...{
          type: 'page',
          runId: slow,
          key: urlKey(`${origin.url}/slow/15000`),
          attempt: 1,
          status: 200,
          bytes: 1,
        },
        ...{
          fetchedAt: new Date().toISOString(),
          contentType: null,
          contentHash: sha,
          rawHash: sha,
          links: [],
        },
      }
      const order = { kind: 'page', key: 'AAAAAAAAAAA', url: 'no address', attempt: 1 }
      const scope = { host: origin.host, subdomains: false }
      const orders = { runId: run, projectId: 1, scope, delayMs: 0, concurrency: null, storeHtml: true }
      const [newest = '', ...older] = readKeyFile(system.dir) ?? []
      const headers = sealer(newest, older).seal('no list of headers')
      const fetched = {
        ...{
          runId: run,
          key: 'AAAAAAAAAAA',
          attempt: 1,
          url: 'no address',
          scope,
          storeHtml: true,
          status: 200,
        },
        ...{
          contentType: 'text/html',
          encodings: ['gzip'],
          robotsHeader: null,
          elapsedMs: 1,
          bulkyKey: null,
        },
        fetchedAt: new Date().toISOString(),
      }
      await publish(bus, subjects.fetch('http'), JSON.stringify({ ...orders, orders: [order] }))
      const unprocessable = JSON.stringify({
        ...orders,
        headers,
        orders: [{ ...order, url: `${origin.url}/` }],
      })
      for (let n = 0; n < messages; n++) await publish(bus, subjects.fetch('http'), unprocessable)
      await publish(bus, subjects.pages(run), encodeFrame({ pages: [fetched] }, [Buffer.from('no gzip')]))
      await publish(
        bus,
        subjects.pages(run),
        encodeFrame({ pages: [{ ...fetched, encodings: [], status: 2 ** 40 }] }, [
          Buffer.from('<a href="//[">'),
        ]),
      )
      await publish(bus, subjects.deliveries, JSON.stringify({ runId: Number.MAX_SAFE_INTEGER }))
      await publish(bus, subjects.outcomes(slow), JSON.stringify({ outcomes: [{ ...page, title }] }))
      await until(async () => (await deadOf(streams.outcomes)) > before, lagLimitMs)
      const [letter] = (await admin('list', '--stream', streams.outcomes, '--limit', '1')).letters
      t.match(letter, { reason: /cannot be carried out/, replayable: false })
      t.comment(`dead-lettered ${Math.round(performance.now() - began)} ms later`)
      await until(async () => (await deadOf(streams.fetch)) === ordersBefore + messages, lagLimitMs)
      const [failed] = (await admin('list', '--stream', streams.fetch, '--limit', '1')).letters
      t.match(failed, { reason: /^SyntaxError/, attempt: 5, replayable: true })
      t.match(await system.untilEnded(key, slow), { status: 'done', page_count: 1 })
    },
  )

  await t.test('does not affect another run', async t => {
    t.match(await system.untilEnded(key, run), {
      status: 'done',
      stop_reason: 'exhausted',
      page_count: pagesOfSite,
      error_count: 0,
    })
    await until(async () => (await left()).every(count => count === 0), lagLimitMs)
    const now = (await system.runFile()).processes
    t.strictSame(now, processes, 'no process was restarted')
    t.equal((await system.call(null, 'GET', '/v1/ready')).status, 200)
  })

  await t.test('is replayed, dead-lettered again while its cause remains, and discarded', async t => {
    const { letters } = await admin('list', '--stream', streams.deliveries)
    const [{ id }] = letters
    t.match(await admin('replay', String(id)), { ok: true, replayed: [id] })
    await until(async () => (await deadOf(streams.deliveries)) === messages)
    t.match(await admin('replay', String(id)), { ok: false, left: [{ id }] })
    const all = await admin('replay', '--all', '--stream', streams.fetch)
    t.equal(all.replayed.length, 2 * messages)
    await until(async () => (await deadOf(streams.fetch)) === 2 * messages, lagLimitMs)
    const shown = await admin('show', String((await admin('list', '--stream', streams.pages)).letters[0].id))
    t.match(shown, { stream: streams.pages, replayable: true, contents: { form: String } })
    await admin('discard', '--all')
    t.equal((await dead()).messages, 0)
    t.match(await admin('list'), { total: 0 })
  })

  await t.test(
    'in an event stream stops no projection: it is skipped, reported, and remains there',
    async t => {
      const at = new Date().toISOString()
      const nonexistentId = 6_400_000_000
      const totals = {
        discovered: 2 ** 40,
        fetched: 0,
        failed: 0,
        skipped: 0,
        duplicate: 0,
        notReached: 0,
        pending: 0,
      }
      const finished = { status: 'done', stopReason: 'exhausted', errorMessage: null, totals }
      const unit = { token: 'poison', pageId: 1, attempt: 2 ** 40 }
      const spent = { projectId: 1, runId: nonexistentId, kind: 'page', day: at.slice(0, 10), units: [unit] }
      const facts = [
        [streams.runs, subjects.run(nonexistentId), { type: 'RunFinished', data: finished }],
        [streams.usage, subjects.usage(nonexistentId), { type: 'UnitsSpent', data: spent }],
        [
          streams.accounts,
          subjects.account(nonexistentId),
          {
            type: 'ProjectCreated',
            data: { projectId: nonexistentId, name: 'a\u0000b', tier: 'free', unlimited: false },
          },
        ],
      ] as const
      const sequences: [string, number][] = []
      for (const [stream, subject, event] of facts) {
        for (const payload of ['not JSON', JSON.stringify({ at, events: [event] })])
          sequences.push([stream, (await publish(bus, subject, payload)).sequence])
      }
      sequences.push([streams.served, (await publish(bus, 'served.6400000000', 'not JSON')).sequence])
      const skippedBy = {
        [streams.runs]: ['bill-runs', 'decide-deliveries', 'runs', 'runs'],
        [streams.usage]: ['ledger', 'ledger'],
        [streams.accounts]: ['accounts', 'accounts'],
        [streams.served]: ['bill-requests'],
      }
      for (const [stream, by] of Object.entries(skippedBy))
        await until(async () => (await deadOf(stream)) === by.length, lagLimitMs)
      const { letters } = await admin('list')
      t.strictSame(
        letters
          .map(({ stream, consumer }: { stream: string; consumer: string }) => `${stream} ${consumer}`)
          .sort(),
        Object.entries(skippedBy)
          .flatMap(([stream, by]) => by.map(reader => `${stream} ${reader}`))
          .sort(),
      )
      t.match(await admin('replay', '--all'), { ok: false, replayed: { length: 0 } })
      const after = await system.crawl(key, {
        url: `${origin.url}/`,
        max_pages: 3,
        respect_robots: false,
        delay_ms: 0,
      })
      t.match(after, { status: 'done', page_count: 3 })
      t.match((await system.call(null, 'GET', '/v1/ready')).status, 200)
      t.strictSame((await system.runFile()).processes, processes)
      const verified = await system.admin('verify').catch(error => JSON.parse(error.stdout))
      const found: string[] = verified.checks.flatMap(({ details }: { details: string[] }) => details)
      for (const stream of [streams.runs, streams.usage, streams.served]) {
        const [, sequence] = sequences.find(([of]) => of === stream) ?? []
        const sentence = `message ${sequence} of ${stream.toLowerCase()}\\S+ cannot be read: not JSON`
        t.match(found.join('\n'), new RegExp(sentence))
      }
      const ofPlanted = /cannot be read: not JSON|6400000000|^project and day 1 /
      t.strictSame(
        found.filter(detail => !ofPlanted.test(detail)),
        [],
        'verify finds nothing else',
      )
    },
  )
})
