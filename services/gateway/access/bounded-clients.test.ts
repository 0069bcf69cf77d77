/** Limits of a gateway's resources for one connection, large bodies, and unknown keys. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkOf, prefixOf } from '@tidemark/contracts/api-key'
import { until } from '@tidemark/testing/until'
import fastify from 'fastify'
import { test } from 'tap'
import type { App } from '../app.ts'
import { keyView } from '../gateway.scene.ts'
import { profiles } from '../http/domain/profile.ts'
import { TextBudget } from '../http/domain/text-budget.ts'
import { installBodyBudget, smallBody } from '../http/plugins/body-budget.ts'
import { installClientAddress } from '../http/plugins/client-address.ts'
import { installOneAtATime } from '../http/plugins/one-at-a-time.ts'
import { installProblems } from '../http/plugins/problem.ts'
import { installProfile } from '../http/plugins/profile.ts'
import { cacheKeys } from './adapters/key-cache.ts'
import { installAuthentication } from './authentication.ts'

test('The requests of a connection', async t => {
  const app = fastify()
  installOneAtATime(app as App)
  let [underWay, max, begun] = [0, 0, 0]
  app.get('/', async () => {
    begun += 1
    max = Math.max(max, ++underWay)
    await sleep(20)
    underWay -= 1
    return `answer ${begun}\n`
  })
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
  t.teardown(() => app.close())
  const send = (requests: number) => {
    const socket = net.connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(requests))
    return socket
  }

  await t.test('are worked on one at a time, and answered in order', async t => {
    const socket = send(10)
    let text = ''
    socket.on('data', data => (text += data))
    await until(() => text.includes('answer 10'))
    t.equal(max, 1)
    t.strictSame(
      text.match(/answer \d+/g),
      Array.from({ length: 10 }, (_, n) => `answer ${n + 1}`),
    )
    socket.destroy()
  })
  await t.test('are not begun after its end', async t => {
    begun = 0
    const socket = send(200)
    await until(() => begun > 0)
    socket.destroy()
    await once(socket, 'close')
    const other = send(1)
    await once(other, 'data')
    other.destroy()
    await sleep(200)
    t.ok(begun < 20, `${begun} of 200 were`)
  })
})

test('Large bodies', async t => {
  const room = new TextBudget({ each: 200_000, perOwner: 200_000, all: 300_000 })
  const app = fastify({ return503OnClosing: false }) as unknown as App
  installProfile(app, profiles.narrative)
  installProblems(app, () => {})
  app.addHook('onRequest', async request => {
    Object.assign(request, { caller: { projectId: Number(request.headers['x-project']) } })
  })
  installBodyBudget(app, room)
  app.post('/', async () => 'taken')
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => app.close())
  const post = async (project: number, bytes: number) => {
    const body = JSON.stringify('x'.repeat(bytes))
    const headers = { 'x-project': String(project), 'content-type': 'application/json' }
    const { status, headers: responseHeaders } = await fetch(url, { method: 'POST', headers, body })
    return { status, retryAfter: responseHeaders.get('retry-after') }
  }
  const begin = (project: number) => {
    const socket = net.connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => {})
    const head = ['POST / HTTP/1.1', 'host: x', `x-project: ${project}`, 'content-type: application/json']
    socket.write(`${[...head, 'content-length: 150000'].join('\r\n')}\r\n\r\n"`)
    return socket
  }
  const taken = { status: 200, retryAfter: null }
  const refused = { status: 503, retryAfter: '5' }

  t.strictSame(await post(1, 150_000), taken)
  t.strictSame(await post(1, 150_000), taken, 'release their memory')
  const one = begin(1)
  await until(async () => (await post(1, 100_000)).status === 503)
  t.strictSame(await post(1, 100_000), refused, 'of a project have a part of it')
  t.strictSame(await post(1, smallBody - 100), taken, 'and small ones need none')
  t.strictSame(await post(2, 100_000), taken, 'those of others have the rest')
  const two = begin(2)
  await until(async () => (await post(3, 100_000)).status === 503)
  t.strictSame(await post(3, 100_000), refused, 'and no more')
  one.destroy()
  two.destroy()
  await until(async () => (await post(3, 150_000)).status === 200)
  t.pass('a client that leaves releases it')
})

test('Unknown keys', async t => {
  const idle = anyKey()
  const revoked = anyKey()
  let [now, lookUps, idleAt] = [0, 0, 0]
  const views = new Map([
    [prefixOf(idle), keyView(idle, 7)],
    [prefixOf(revoked), keyView(revoked, 8, { revokedAt: '2026-01-02T03:04:05.678Z' })],
  ])
  let answering = Promise.resolve()
  const find = async (prefix: string) => {
    lookUps++
    if (prefix === prefixOf(idle)) idleAt = lookUps
    await answering
    return views.get(prefix) ?? null
  }
  const { findKey } = cacheKeys(find, () => now)
  const app = fastify({ trustProxy: true }) as unknown as App
  installProfile(app, profiles.narrative)
  installProblems(app, () => {})
  installClientAddress(app)
  installAuthentication(app, { findKey, recordKeyUse: () => {}, now: Date.now })
  app.get('/', async () => 'in')
  t.teardown(() => app.close())
  const send = async (from: string, key = anyKey()) => {
    const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': from }
    const {
      statusCode,
      headers: responseHeaders,
      body,
    } = await app.inject({ method: 'GET', url: '/', headers })
    const retryAfter = responseHeaders['retry-after']
    return { status: statusCode, retryAfter, error: statusCode < 400 ? null : JSON.parse(body).error }
  }
  const flood = async (from: (n: number) => string, size: number) => {
    const answers = await Promise.all(Array.from({ length: size }, (_, n) => send(from(n))))
    return [401, 429, 503].map(wanted => answers.filter(({ status }) => status === wanted).length)
  }

  await t.test('are 401 up to sixty of an address, and then 429 with the time to wait', async t => {
    for (let n = 0; n < 60; n++) t.match(await send('203.0.113.1'), { status: 401 })
    const refused = await send('203.0.113.1')
    t.match(refused, {
      status: 429,
      retryAfter: '1',
      error: { code: 'too_many_requests', reason: 'unknown_keys', retry_after_seconds: 1 },
    })
    const before = lookUps
    t.strictSame(await flood(() => '203.0.113.1', 200), [0, 200, 0])
    t.equal(lookUps, before, 'and are not looked up')
    t.match(await send('203.0.113.2'), { status: 401 }, 'another address has as many')
    now += 2_000
    t.strictSame(await flood(() => '203.0.113.1', 10), [2, 8, 0], 'one is forgotten each second')
  })

  await t.test('are counted together for an IPv6 /64', async t => {
    const within = (n: number) => `2001:db8:0:1::${n.toString(16)}`
    t.strictSame(await flood(within, 200), [60, 140, 0])
    t.match(await send('2001:db8:0:2::1'), { status: 401 })
  })

  await t.test('hold up no customer who was idle, from however many addresses they come', async t => {
    const { promise, resolve } = Promise.withResolvers<void>()
    answering = promise
    const flooding = flood(n => `198.51.${n % 200}.1`, 6_000)
    const customer = send('192.0.2.1', idle)
    const before = lookUps
    await sleep(50)
    t.ok(lookUps - before <= 8, 'few are looked up at once')
    answering = Promise.resolve()
    resolve()
    t.match(await customer, { status: 200 }, 'is found')
    t.ok(idleAt - before < 500, `after ${idleAt - before} others`)
    const [unauthorized = 0, tooMany = 0, unavailable = 0] = await flooding
    t.equal(unauthorized + tooMany + unavailable, 6_000)
    const remembered = lookUps
    t.match(await send('198.51.1.1', idle), { status: 200 }, 'also from an address that floods')
    t.equal(lookUps, remembered, 'whose key stays in the cache')
  })

  await t.test('and keys that open nothing any more take no customer’s place either', async t => {
    const dead = Array.from({ length: 12_000 }, () => anyKey())
    for (const key of dead)
      views.set(prefixOf(key), keyView(key, 8, { revokedAt: '2026-01-02T03:04:05.678Z' }))
    for (const [n, key] of dead.entries()) await findKey(prefixOf(key), `10.${n >> 8}.${n & 255}.1`)
    const before = lookUps
    t.match(await send('192.0.2.1', idle), { status: 200 })
    t.equal(lookUps, before)
    now += 1_500
    t.match(await send('192.0.2.1', revoked), { status: 401 })
  })
})

test('A key that is revoked during its look-up is not cached as valid', async t => {
  const key = anyKey()
  const answer = Promise.withResolvers<ReturnType<typeof keyView>>()
  let lookUps = 0
  const find = async () => (++lookUps === 1 ? answer.promise : null)
  const { findKey, forget } = cacheKeys(find, () => 0)
  const before = findKey(prefixOf(key), '')
  await until(() => lookUps === 1)
  forget()
  answer.resolve(keyView(key, 7))
  t.match(await before, { projectId: 7 })
  t.equal(await findKey(prefixOf(key), ''), null)
  t.equal(lookUps, 2, 'it is looked up again')
})

/** A key of the right form. */
function anyKey(): string {
  const text = `tmk_${randomBytes(20).toString('hex')}`
  return text + checkOf(text)
}
