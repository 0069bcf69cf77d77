/** The session of the console, with a fake gateway: new keys, and the token of its writes. */
import { test } from 'tap'

type Sent = { method: string; url: string; token: string | null }
type Reply = { status?: number; body: object }

// The files of the console have the types of a browser, which this test does not have.
const load = (path: string) => import(new URL(`./web/data/${path}`, import.meta.url).href)
const { session, freshKey, messageOf, signOut } = await load('session.ts')
const { rotateKeys, tidemark } = await load('client.ts')

const opened = (prefix: string, token: string) => ({
  ...{ signed_in: true, role: 'project', prefix, tier: 'free', token, ends_at: '2026-01-01T00:00:00Z' },
})
const signedIn = (prefix: string, token: string) =>
  ({ state: 'in', role: 'project', prefix, tier: 'free', token, shared: null }) as const

/** Plays the gateway: each reply belongs to the next request. */
function playing(...replies: Reply[]): Sent[] {
  const sent: Sent[] = []
  globalThis.fetch = async (url, { method = 'GET', headers } = {}) => {
    sent.push({ method, url: String(url), token: new Headers(headers).get('x-console-token') })
    const { status = 200, body } = replies[sent.length - 1] ?? { status: 500, body: {} }
    return status === 204 ? new Response(null, { status }) : Response.json(body, { status })
  }
  return sent
}

test('A new key that ends the key of the session signs in before anything else is read', async t => {
  session.value = signedIn('tmk_old', 'one')
  const sent = playing({ body: { api_key: 'tmk_new_secret' } }, { body: opened('tmk_new_secr', 'two') })
  await rotateKeys({ label: 'ci', graceSeconds: 0 })
  t.strictSame(
    sent.map(({ method, url }) => `${method} ${url}`),
    ['POST /console/api/v1/keys/rotate', 'POST /console/session'],
  )
  t.match(session.value, { state: 'in', prefix: 'tmk_new_secr', token: 'two' })
  t.equal(freshKey.value, 'tmk_new_secret')
})

test('A new key is kept when the sign-in with it fails, until the reader signs out', async t => {
  session.value = signedIn('tmk_old', 'one')
  playing({ body: { api_key: 'tmk_new_secret' } }, { status: 503, body: {} }, { status: 204, body: {} })
  await t.rejects(rotateKeys({ label: '', graceSeconds: 0 }))
  t.equal(freshKey.value, 'tmk_new_secret')
  await signOut()
  t.equal(freshKey.value, null)
})

test('A new key beside the key of the session leaves the session', async t => {
  session.value = signedIn('tmk_old', 'one')
  const sent = playing({ body: { api_key: 'tmk_new_secret' } })
  await rotateKeys({ label: '', graceSeconds: 3600 })
  t.equal(sent.length, 1)
  t.match(session.value, { prefix: 'tmk_old' })
})

const refusedWrite = { status: 403, body: { error: { code: 'unauthorized', message: 'No token.' } } }
const isDone = { status: 202, body: { id: 1 } }

test('A write after a sign-in with the same key in another tab is repeated with its token', async t => {
  session.value = signedIn('tmk_same', 'one')
  const sent = playing(refusedWrite, { body: opened('tmk_same', 'two') }, isDone)
  await tidemark.crawls.pause(1)
  t.strictSame(
    sent.map(({ method, token }) => [method, token]),
    [
      ['POST', 'one'],
      ['GET', null],
      ['POST', 'two'],
    ],
  )
  t.match(session.value, { prefix: 'tmk_same', token: 'two' })
})

test('A write after a sign-in with another key in another tab is not repeated', async t => {
  session.value = signedIn('tmk_mine', 'one')
  const sent = playing(refusedWrite, { body: opened('tmk_other', 'two') })
  await t.rejects(tidemark.crawls.pause(1), { name: 'UnauthorizedError' })
  t.equal(sent.length, 2)
  t.match(session.value, { state: 'out', notice: /another key/ })
})

test('A write that is refused for another reason is not repeated', async t => {
  session.value = signedIn('tmk_mine', 'one')
  const sent = playing(refusedWrite, { body: opened('tmk_mine', 'one') })
  await t.rejects(tidemark.crawls.pause(1), { name: 'UnauthorizedError' })
  t.equal(sent.length, 2)
  t.match(session.value, { state: 'in', token: 'one' })
})

test('An error of the browser, or of a crawl, is shown without the name of its class', t => {
  t.equal(messageOf(new Error('robots.txt disallows the seed.')), 'robots.txt disallows the seed.')
  t.equal(messageOf(new TypeError('Failed to fetch')), 'Failed to fetch')
  t.end()
})
