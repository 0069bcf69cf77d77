/** Requests between services: the checks at both ends, and the content of each codec. */
import fs from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { rpc } from '@tidemark/contracts/rpc/rpc'
import { throwawayNats } from '@tidemark/testing/servers'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { Type } from 'typebox'
import { Unreadable } from './codec.ts'
import { type Bus, openBus } from './connection.ts'
import { encodeFrame } from './frame.ts'
import { Refusal } from './refusal.ts'
import { call, hasNoServer, sendWithoutResponse, serve, serveEncoded } from './rpc.ts'
import { healthOf } from './troubles.ts'

const ends = { callers: ['gateway'], server: 'extractor' } as const
const request = Type.Object({ n: Type.Integer() })
const double = rpc({
  subject: 'ask.test.double',
  request,
  response: Type.Object({ doubled: Type.Integer() }),
  ...ends,
})
const long = rpc({
  subject: 'ask.test.long',
  request,
  response: Type.Object({ text: Type.String() }),
  codec: 'compact',
  ...ends,
})
const picture = rpc({
  subject: 'ask.test.picture',
  request,
  response: Type.Object({ name: Type.String() }),
  codec: 'frame',
  ...ends,
})
const limit = { timeoutMs: 5_000 }

test('A request between services', async t => {
  const server = await throwawayNats()
  t.teardown(() => server.stop())
  const bus = await openBus({ url: server.url, name: 'test' })
  t.teardown(() => bus.close())
  const stop = new AbortController()
  t.teardown(() => stop.abort())
  const reported: unknown[] = []
  const options = { signal: stop.signal, report: (error: unknown) => void reported.push(error) }

  await t.test('has no response without a server', async t => {
    const error = await call(bus, double, { n: 1 }, limit).catch(error => error)
    t.match(error, { status: 503, code: 'unavailable' })
    t.ok(hasNoServer(error))
    t.notOk(hasNoServer(new Refusal({ status: 503, code: 'unavailable', message: 'busy' })))
  })

  void serve(bus, double, async ({ n }) => ({ doubled: n / 2 === 1 ? 0.5 : n * 2 }), options)
  void serve(bus, long, async ({ n }) => ({ text: 'x'.repeat(n) }), options)
  void serve(bus, picture, async ({ n }) => ({ header: { name: `${n}` }, blobs: [Buffer.of(n)] }), options)
  await bus.nc.flush()

  await t.test('is checked by the server', async t => {
    const wrong = { n: 'one' } as unknown as { n: number }
    await t.rejects(call(bus, double, wrong, limit), { code: 'internal' })
    t.match(reported, [{ name: 'Unreadable', message: '/n must be integer' }])
  })

  await t.test('has a response that the caller checks', async t => {
    t.strictSame(await call(bus, double, { n: 21 }, limit), { doubled: 42 })
    await t.rejects(call(bus, double, { n: 2 }, limit), {
      name: 'Unreadable',
      message: /test\.double: \/doubled must be integer$/,
    })
  })

  await t.test('has a response of any length with the codec compact', async t => {
    for (const n of [1, 3_000_000]) t.equal((await call(bus, long, { n }, limit)).text.length, n)
    const asJson = { ...long, codec: 'json' as const }
    await t.rejects(call(bus, asJson, { n: 3_000_000 }, limit), Unreadable, 'a long one is packed')
    await t.rejects(
      call(bus, long, { n: 65 * 1024 ** 2 }, { timeoutMs: 10_000 }),
      { code: 'fetch_failed', reason: 'too_large' },
      'the caller would not unpack it',
    )
  })

  await t.test('has a response with blobs with the codec frame', async t => {
    const { header, blobs } = await call(bus, picture, { n: 7 }, limit)
    t.strictSame(header, { name: '7' })
    t.strictSame(
      blobs.map(blob => [...blob]),
      [[7]],
    )
  })

  await t.test('is sent without waiting, too', async t => {
    const received = Promise.withResolvers<number>()
    const report = rpc({ subject: 'tell.test', request, response: Type.Unknown(), ...ends })
    void serve(bus, report, async ({ n }) => received.resolve(n), options)
    await bus.nc.flush()
    sendWithoutResponse(bus, report, { n: 9 })
    t.equal(await received.promise, 9)
    t.equal(await call(bus, report, { n: 9 }, limit), null, 'no result is null on the wire')
  })

  await t.test('has a response that its server encoded itself', async t => {
    const other = { ...picture, subject: 'ask.test.encoded' }
    void serveEncoded(
      bus,
      other,
      async ({ n }) => encodeFrame(n > 0 ? { name: 'a' } : { of: 'b' }, []),
      options,
    )
    await bus.nc.flush()
    t.strictSame(await call(bus, other, { n: 1 }, limit), { header: { name: 'a' }, blobs: [] })
    await t.rejects(call(bus, other, { n: 0 }, limit), Unreadable, 'its header is checked')
  })
})

test('A service whose user of NATS has the permissions of an earlier version', {
  timeout: patient(60_000),
}, async t => {
  const [user, pass] = ['extractor', 'word']
  const allowing = (...subjects: string[]) =>
    `authorization { users: [{ user: "${user}", password: "${pass}", permissions: {
      publish: { deny: "news.>" }, subscribe: ${JSON.stringify(['_INBOX.>', ...subjects])} } }] }\n`
  const before = allowing(long.subject)
  const server = await throwawayNats(before, { user, pass })
  t.teardown(() => server.stop())
  const bus = await openBus({ url: server.url.replace('//', `//${user}:${pass}@`), name: 'test' })
  t.teardown(() => bus.close())
  const stop = new AbortController()
  t.teardown(() => stop.abort())
  const reported: unknown[] = []
  const options = { signal: stop.signal, report: (error: unknown) => void reported.push(error) }
  void serve(bus, long, async ({ n }) => ({ text: 'x'.repeat(n) }), options)
  const serving = serve(bus, double, async ({ n }) => ({ doubled: n * 2 }), options)
  const faults = () => healthOf(bus.nc).faults

  await t.test('is not ready, and serves what it may', async t => {
    await until(() => faults().length > 0)
    const cause =
      /^subscription_rejected: Permissions Violation .+"ask\.test\.double".+reload its configuration/
    t.match(faults(), [cause])
    t.equal((await call(bus, long, { n: 3 }, limit)).text, 'xxx')
    await t.rejects(call(bus, double, { n: 1 }, limit), { name: 'Refusal', status: 503 })
    await sleep(patient(6_000))
    t.match(faults(), [cause], 'also after another try')
    t.equal(reported.length, 1, 'which is not reported again')
  })

  await t.test('shows which messages are rejected', async t => {
    t.strictSame(healthOf(bus.nc).warnings, [])
    bus.nc.publish('news.today', '')
    await until(() => healthOf(bus.nc).warnings.length > 0)
    t.match(healthOf(bus.nc).warnings, [
      /^publish_rejected: Permissions Violation for Publish to "news\.today"/,
    ])
  })

  await t.test('serves everything after a reload, without a restart', async t => {
    const file = path.join(server.dir, 'nats.conf')
    const text = await fs.readFile(file, 'utf8')
    await fs.writeFile(file, text.replace(before, allowing(long.subject, double.subject)))
    server.reload()
    const answer = () => call(bus, double, { n: 21 }, limit).catch(() => null)
    await until(async () => (await answer())?.doubled === 42, patient(15_000))
    await until(() => faults().length === 0, patient(15_000))
    t.equal((await call(bus, long, { n: 3 }, limit)).text, 'xxx')
    stop.abort()
    await serving
    t.strictSame(faults(), [])
  })
})

test('A request of another type is an error of the type check', t => {
  t.type(typesOfRequests, 'function', 'which reads it; it is not called')
  t.end()
})

/** Each marked line is an error: `tsc` rejects a mark without one. */
function typesOfRequests(bus: Bus, options: Parameters<typeof serve>[3]): void {
  // @ts-expect-error: the request has no n
  void call(bus, double, {}, limit)
  // @ts-expect-error: n is a number
  void call(bus, double, { n: '1' }, limit)
  // @ts-expect-error: the response has no halved
  void call(bus, double, { n: 1 }, limit).then(({ halved }) => halved)
  // @ts-expect-error: the response is a frame
  void call(bus, picture, { n: 1 }, limit).then(({ name }) => name)
  // @ts-expect-error: doubled is a number
  void serve(bus, double, async () => ({ doubled: '2' }), options)
  // @ts-expect-error: the response lacks doubled
  void serve(bus, double, async () => ({}), options)
  // @ts-expect-error: the request has no m
  void serve(bus, double, async ({ m }) => ({ doubled: m }), options)
  // @ts-expect-error: the response is a frame
  void serve(bus, picture, async () => ({ name: 'a' }), options)
  // @ts-expect-error: no service has this name
  rpc({ subject: 'ask.test.none', request, response: request, callers: ['nobody'], server: 'extractor' })
}
