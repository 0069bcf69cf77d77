/** The console's sign-in, its way to the API, and its files: against a real gateway. */

import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { serve } from '@tidemark/bus/rpc'
import * as asOfRpc from '@tidemark/contracts/rpc/as-of'
import * as explainRpc from '@tidemark/contracts/rpc/explain'
import { buildConsole } from '@tidemark/deploy/clients/build-console'
import { sealer } from '@tidemark/secrets/seal'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { keyNamed, surroundings } from '../gateway.scene.ts'
import { startService } from '../service.ts'
import { openBuiltFiles } from './adapters/built-files.ts'
import { sealedShare } from './domain/share.ts'

const key = keyNamed('c')
const other = keyNamed('d')
const adminKey = 'operator-'.repeat(5)

test('The console', { timeout: 180_000 }, async t => {
  await buildConsole()
  const around = await surroundings(t, { env: { EGRESS_ALLOW: '127.0.0.0/8', ADMIN_KEY: adminKey } })
  const { standIns } = around
  standIns.addKey(key, 1)
  standIns.addKey(other, 2)
  const send = (method: string, path: string, headers: object = {}, body?: object) =>
    fetch(around.url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      } as Record<string, string>,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  // biome-ignore lint/suspicious/noExplicitAny: the tests read any answer
  const jsonOf = async (response: Response): Promise<any> => response.json()
  const codeOf = async (response: Response) => [response.status, (await jsonOf(response)).error?.code]
  const signInWith = (withKey: string) =>
    send('POST', '/console/session', { 'x-console-token': 'sign-in' }, { key: withKey })
  async function signIn(withKey = key) {
    const answer = await signInWith(withKey)
    const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';', 1)
    return { answer, cookie, token: (await jsonOf(answer)).token as string }
  }

  t.test('is a page under a strict policy, at each of its addresses', async t => {
    for (const path of ['/console', '/console/crawls/7/pages?sort=url']) {
      const page = await send('GET', path)
      t.equal(page.status, 200)
      const policy = page.headers.get('content-security-policy') ?? ''
      t.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; /)
      t.match(policy, /frame-ancestors 'none'/)
      t.match(policy, /worker-src 'self'/)
      t.notMatch(policy, /unsafe|http|\*/)
      t.match(Object.fromEntries(page.headers), {
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-cache',
        etag: /^"/,
      })
      const html = await page.text()
      t.notMatch(
        html,
        /<script>|<style|style=|\son\w+=|https?:/,
        'nothing is inline, and nothing is of another host',
      )
      const again = await send('GET', path, { 'if-none-match': page.headers.get('etag') })
      t.equal(again.status, 304)
    }
  })

  t.test('has files that browsers keep for good, and no others', async t => {
    const html = await (await send('GET', '/console')).text()
    const names = [...html.matchAll(/"(\/console\/assets\/[^"]+)"/g)].map(([, name = '']) => name)
    const built = openBuiltFiles()
    const readBuilt = async (name: string) => await built.readAsset(name.slice(16))
    const isWorker = (name: string) => /-worker-/.test(name)
    t.equal(names.filter(isWorker).length, 2, 'the workers of the link graph are only named')
    const loaded = names.filter(name => !isWorker(name))
    const texts = await Promise.all(loaded.map(async name => String((await readBuilt(name))?.plain)))
    const imported = texts.flatMap(text => [...text.matchAll(/(?:from|import)"\.\/(.+?)"/g)])
    for (const [, part] of imported) t.ok(loaded.includes(`/console/assets/${part}`), `${part} is preloaded`)
    const later = texts.flatMap(text => [...text.matchAll(/import\("\.\/(.+?)"\)/g)])
    t.equal(later.length, 1, 'the link graph is loaded when it is opened')
    t.notOk(loaded.includes(`/console/assets/${later[0]?.[1]}`))
    const packed = await Promise.all(loaded.map(async name => (await readBuilt(name))?.packed.length ?? 0))
    const first = packed.reduce((sum, length) => sum + length, html.length)
    t.comment(`the first load has ${first} bytes`)
    t.ok(first <= 100_000, 'the first load is small')
    for (const name of names) {
      const file = await send('GET', name)
      t.equal(file.status, 200, name)
      t.match(file.headers.get('cache-control'), /max-age=31536000, immutable/)
      const policy = file.headers.get('content-security-policy')
      t.equal(policy, "default-src 'none'; script-src 'self'; connect-src 'self'", 'it holds in a worker')
      t.match(file.headers.get('content-type'), name.endsWith('.js') ? 'text/javascript' : 'text/css')
    }
    for (const name of ['index.html', 'main.js', '..%2fmanifest.json', '%2e%2e%2f%2e%2e%2fpackage.json'])
      t.equal((await send('GET', `/console/assets/${name}`)).status, 404, name)
  })

  t.test('is where browsers arrive, and programs get the same JSON as before', async t => {
    const browser = await send('GET', '/', { accept: 'text/html' })
    t.match([browser.status, browser.headers.get('location')], [302, '/console'])
    t.match(await (await send('GET', '/')).json(), { service: 'Tidemark', docs: '/docs' })
  })

  t.test('signs in with a key, which only a sealed cookie for /console holds', async t => {
    const { answer, cookie } = await signIn()
    t.equal(answer.status, 200)
    const set = answer.headers.get('set-cookie') ?? ''
    t.match(
      set,
      /^tidemark_console=sealed2\.\w+\.[\w-]+; Max-Age=43200; Path=\/console; HttpOnly; SameSite=Strict$/,
    )
    t.notMatch(set, key.slice(4, 20), 'the key is not readable')
    t.equal(answer.headers.get('cache-control'), 'no-store')
    const usage = await send('GET', '/console/api/v1/usage', { cookie })
    t.equal(usage.status, 200)
    t.match(usage.headers.get('content-security-policy'), /sandbox/, 'no answer is a page of this origin')
  })

  t.test('refuses a wrong key, one in the address, and one without the header of the console', async t => {
    const token = { 'x-console-token': 'sign-in' }
    const wrong = [keyNamed('e'), `${key.slice(0, -1)}x`, 'tmk_', '']
    for (const one of wrong)
      t.strictSame(await codeOf(await send('POST', '/console/session', token, { key: one })), [
        401,
        'unauthorized',
      ])
    t.equal((await send('POST', `/console/session?key=${key}`, token)).status, 400, 'not from the query')
    t.equal((await send('GET', `/console?key=${key}`)).status, 400)
    t.equal((await send('GET', `/console/api/v1/usage?key=${key}`)).status, 401)
    t.strictSame(await codeOf(await send('POST', '/console/session', {}, { key })), [403, 'unauthorized'])
    const form = { 'x-console-token': 'sign-in', 'content-type': 'text/plain' }
    t.equal((await send('POST', '/console/session', form)).status, 415, 'nor a form')
  })

  t.test('never adopts a session that another one planted', async t => {
    const [mine, theirs] = [await signIn(), await signIn(other)]
    const again = await send(
      'POST',
      '/console/session',
      { 'x-console-token': 'sign-in', cookie: theirs.cookie },
      { key },
    )
    const fresh = again.headers.get('set-cookie')?.split(';', 1)[0]
    t.match(fresh, /=/)
    t.notOk([theirs.cookie, mine.cookie].includes(fresh ?? ''), 'every sign-in has a new cookie')
    const both = { cookie: `${theirs.cookie}; ${mine.cookie}` }
    t.equal((await send('GET', '/console/api/v1/usage', both)).status, 401, 'two cookies are no session')
    const changed = { cookie: `${mine.cookie.slice(0, -2)}AA` }
    t.equal((await send('GET', '/console/api/v1/usage', changed)).status, 401, 'nor is a changed one')
    const write = { cookie: mine.cookie, 'x-console-token': theirs.token }
    t.equal(
      (await send('POST', '/console/api/v1/crawls', write, { url: 'https://example.com/' })).status,
      403,
    )
  })

  t.test('writes only with the token of its session, from its own pages', async t => {
    const { cookie, token } = await signIn()
    const body = { url: 'http://127.0.0.1:8099/' }
    const write = (headers: object) => send('POST', '/console/api/v1/crawls', { cookie, ...headers }, body)
    t.strictSame(await codeOf(await write({})), [403, 'unauthorized'])
    t.strictSame(await codeOf(await write({ 'x-console-token': 'sign-in' })), [403, 'unauthorized'])
    for (const site of ['cross-site', 'same-site']) {
      const from = { 'x-console-token': token, 'sec-fetch-site': site }
      t.strictSame(await codeOf(await write(from)), [403, 'unauthorized'], site)
      t.equal((await send('GET', '/console/api/v1/usage', { cookie, 'sec-fetch-site': site })).status, 403)
      t.equal((await send('GET', '/console/session', { cookie, 'sec-fetch-site': site })).status, 403)
    }
    const starts = around.standIns.starts.length
    t.equal((await write({ 'x-console-token': token, 'sec-fetch-site': 'same-origin' })).status, 202)
    t.equal(around.standIns.starts.length, starts + 1)
    t.equal(around.standIns.starts.at(-1)?.projectId, 1)
  })

  t.test('gives nothing to other ways into the API', async t => {
    const { cookie, token } = await signIn()
    t.equal((await send('GET', '/v1/usage', { cookie })).status, 401, 'the API ignores cookies')
    t.equal((await send('GET', '/v1/usage', { cookie, 'x-console-token': token })).status, 401)
    const bearer = { authorization: `Bearer ${key}` }
    t.equal((await send('GET', '/console/api/v1/usage', bearer)).status, 401, 'the console ignores keys')
    const mixed = { cookie, 'x-console-token': token, authorization: `Bearer ${other}` }
    const started = await send('POST', '/console/api/v1/crawls', mixed, { url: 'http://127.0.0.1:8099/' })
    t.equal(started.status, 202)
    t.equal(around.standIns.starts.at(-1)?.projectId, 1, 'the session decides, not the key beside it')
    const run = `/console/api/v1/crawls/${(await jsonOf(started)).id}`
    t.equal((await send('GET', run, mixed)).status, 200)
    const foreign = { cookie: (await signIn(other)).cookie, authorization: `Bearer ${key}` }
    t.equal((await send('GET', run, foreign)).status, 404, 'in both directions')
    t.equal(
      (await send('GET', '/console/api/console/session', { cookie })).headers.get('content-type'),
      'text/html; charset=utf-8',
    )
    for (const path of [
      '/console/api/v1/../../metrics',
      '/console/api/v1/../health',
      '/console/api/v1/%2e%2e/health',
      '/console/api/v1/%2e%2e%2fhealth',
      '/console/api/v1/..\\health',
      '/console/api/v1//usage',
      '/console/api/v1/./usage',
    ])
      t.equal(await statusOf(around.url, path, cookie), 404, path)
    t.equal(await statusOf(around.url, '/console/api/v1/usage', cookie), 200, 'the plain path is served')
    const preflight = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
    const allowed = await send('OPTIONS', '/console/api/v1/crawls', preflight)
    t.equal(allowed.headers.get('access-control-allow-origin'), null)
  })

  t.test('lets an operator read the state of the installation, and nothing else', async t => {
    const { answer, cookie, token } = await signIn(adminKey)
    t.equal(answer.status, 200)
    t.match(
      answer.headers.get('set-cookie'),
      /^tidemark_console=sealed2.*Path=\/console; HttpOnly; SameSite=Strict$/,
    )
    t.match(await jsonOf(await send('GET', '/console/session', { cookie })), {
      signed_in: true,
      role: 'operator',
      prefix: 'operator',
      token,
    })
    const overview = '/console/api/v1/operator/overview'
    t.match(await jsonOf(await send('GET', overview, { cookie })), { services: { available: true } })
    const write = { cookie, 'x-console-token': token }
    for (const [method, path] of [
      ['GET', '/v1/usage'],
      ['GET', '/v1/keys'],
      ['POST', '/v1/crawls'],
      ['POST', '/v1/operator/overview'],
      ['GET', '/v1/operator'],
    ] as const)
      t.strictSame(
        await codeOf(await send(method, `/console/api${path}`, write, method === 'POST' ? {} : undefined)),
        [403, 'unauthorized'],
        path,
      )
    t.equal((await send('GET', overview, { cookie, 'sec-fetch-site': 'cross-site' })).status, 403)
    t.equal(
      (await send('GET', '/v1/operator/overview', { cookie })).status,
      401,
      'the API ignores the cookie',
    )
    const mine = await signIn()
    t.strictSame(await codeOf(await send('GET', overview, { cookie: mine.cookie })), [403, 'unauthorized'])
    t.match(await jsonOf(await send('GET', '/console/session', { cookie: mine.cookie })), { role: 'project' })
    t.strictSame(await codeOf(await signInWith(adminKey.slice(1))), [401, 'unauthorized'])
    const gateway = await startService(
      { ...around.env, ADMIN_KEY: 'x'.repeat(40) },
      new AbortController().signal,
    )
    t.teardown(() => gateway[Symbol.asyncDispose]())
    const readWithCookie = (path: string) => fetch(gateway.url + path, { headers: { cookie } })
    t.strictSame(
      await jsonOf(await readWithCookie('/console/session')),
      { signed_in: false },
      'a new key ends it',
    )
    t.equal((await readWithCookie(overview)).status, 401)
  })

  t.test("does not show another project's crawls", async t => {
    const { cookie } = await signIn(other)
    const { id } = await jsonOf(
      await fetch(`${around.url}/v1/crawls`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ url: 'http://127.0.0.1:8099/' }),
      }),
    )
    for (const path of ['', '/pages', '/coverage', '/links', '/events'])
      t.equal((await send('GET', `/console/api/v1/crawls/${id}${path}`, { cookie })).status, 404, path)
  })

  t.test('shares one crawl for reading, without a key and for a limited time', async t => {
    const [mine, before, another] = [80_001, 80_000, 80_002]
    await around.pool.query(
      `insert into read.run (id, project_id, url, status, stop_reason, enqueued_at, finished_at, previous_run_id,
        proxy_url, webhook_status, webhook_attempts, webhook_last_error, error_message, error_reason)
      select id, 1, 'https://example.com/', 'failed', 'failed', now(), now(), null,
        'http://user@proxy.example:8080', 'dead', 5, 'connect', 'steps[2] (fill #pin): no element', 'login_failed'
      from unnest(array[${before}, ${mine}, ${another}]) id`,
    )
    await around.pool.query('update read.run set previous_run_id = $1 where id = $2', [before, mine])
    await around.pool.query(
      `insert into read.page (id, run_id, project_id, url_key, url, status, bytes, depth, fetched_at, content_hash, raw_hash)
      select id * 10, id, 1, lpad(id::text, 11, '0'), 'https://example.com/', 200, 1, 0, now(), '', ''
      from unnest(array[${before}, ${mine}, ${another}]) id`,
    )
    const bearer = { authorization: `Bearer ${key}` }
    const make = (body?: object, headers: object = bearer, id = mine) =>
      send('POST', `/v1/crawls/${id}/share`, headers, body)
    const shareOf = async (response: Response) => new URL((await jsonOf(response)).url).hash.slice(7)
    const openShare = (share: string, headers: object = { 'x-console-token': 'open' }) =>
      send('POST', '/console/session/shared', headers, { share })
    const cookieFor = async (share: string) => {
      const answer = await openShare(share)
      const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';', 1)
      return { cookie, token: (await jsonOf(answer)).token as string }
    }
    const hoursOf = (body: { expires_at: string }) => (Date.parse(body.expires_at) - Date.now()) / 3_600_000

    t.test('has an address that ends after the given hours, and reveals nothing', async t => {
      const usual = await jsonOf(await make())
      t.match(usual.url, /\/console\/crawls\/80001#share=sealed2\.\w+\.[\w-]+$/)
      t.ok(Math.abs(hoursOf(usual) - 168) < 0.1)
      t.ok(Math.abs(hoursOf(await jsonOf(await make({ expires_in_hours: 720 }))) - 720) < 0.1)
      const hidden = Buffer.from(usual.url.split('.').at(-1), 'base64url').toString('latin1')
      t.notMatch(usual.url + hidden, /tmk_|80001\D.*80001|projectId|prefix/)
      for (const hours of [0, 721, 1.5, '2', null])
        t.match(await codeOf(await make({ expires_in_hours: hours })), [400, 'invalid_input'], String(hours))
      t.strictSame(await codeOf(await make({}, {})), [401, 'unauthorized'])
      t.strictSame(await codeOf(await make({}, { authorization: `Bearer ${other}` })), [404, 'not_found'])
      t.strictSame(await codeOf(await make({}, bearer, 99_999_999)), [404, 'not_found'])
    })

    t.test('opens with a cookie of its own, by a request of the console only', async t => {
      const share = await shareOf(await make())
      t.equal((await openShare(share, {})).status, 403, 'a form cannot open it')
      const foreign = { 'x-console-token': 'open', 'sec-fetch-site': 'cross-site' }
      t.equal((await openShare(share, foreign)).status, 403, 'nor another site')
      const answer = await openShare(share)
      t.match(
        answer.headers.get('set-cookie'),
        /^tidemark_console=sealed2\..*; Max-Age=60\d{4}; Path=\/console; HttpOnly/,
      )
      t.equal(answer.headers.get('cache-control'), 'no-store')
      const body = await jsonOf(answer)
      t.match(body, { signed_in: true, shared: { run_id: mine }, token: String, ends_at: String })
      t.notOk('prefix' in body || 'tier' in body, 'its reader receives nothing of the key')
      const { cookie } = await cookieFor(share)
      t.match(await jsonOf(await send('GET', '/console/session', { cookie })), { shared: { run_id: mine } })
      t.equal((await send('GET', `/v1/crawls/${mine}`, { cookie })).status, 401, 'the API ignores it')
      t.equal((await send('GET', `/v1/crawls/${mine}`, { authorization: `Bearer ${share}` })).status, 401)
    })

    t.test('reads this run, its pages and its changes, and nothing else', async t => {
      const { cookie, token } = await cookieFor(await shareOf(await make()))
      const statusFor = async (path: string, headers = {}) =>
        (await send('GET', `/console/api/v1${path}`, { cookie, ...headers })).status
      const page = `/pages/${mine * 10}`
      const diff = `/crawls/${before}/diff/${mine}`
      for (const path of ['', '/pages', '/pages?format=csv', '/links', '/orphans'])
        t.equal(await statusFor(`/crawls/${mine}${path}`), 200, path)
      t.equal(await statusFor(`${page}?format=html`), 409, 'the page is found, and has no body')
      t.equal(await statusFor(diff), 200)
      const closed = [
        ...['', '/pages', '/links', '/coverage', '/errors', '/orphans'].map(
          path => `/crawls/${before}${path}`,
        ),
        ...[`/pages/${before * 10}`, `/pages/${another * 10}`, '/pages/99999999', `/crawls/${another}`],
        ...['/events', '/deliveries', '/exports'].map(path => `/crawls/${mine}${path}`),
        ...[
          `/crawls/${another}/diff/${mine}`,
          `/crawls/${mine}/diff/${another}`,
          `/crawls/${mine}/diff/${before}`,
        ],
        `${diff}/page?url=https://example.com/&in_words=true`,
        ...['/crawls', '/crons', '/keys', '/usage', '/usage/ledger', '/logs', '/webhook/secret'],
        ...[
          `${page}/screenshot`,
          '/cloud/balance',
          '/model-consent',
          '/robots-policy?url=https://example.com/',
        ],
      ]
      for (const path of closed) t.equal(await statusFor(path), 404, path)
      const mixed = { authorization: `Bearer ${key}` }
      t.equal(await statusFor('/usage', mixed), 404, 'a key beside the session does not widen it')
      const starts = around.standIns.starts.length
      for (const [method, path] of [
        ['POST', `/crawls/${mine}/cancel`],
        ['POST', `/crawls/${mine}/share`],
        ['DELETE', `/crawls/${mine}/share`],
        ['POST', '/crawls'],
        ['POST', '/scan'],
        ['POST', `${page}/extract`],
        ['POST', '/actors/audit-site'],
        ['PUT', '/model-consent'],
        ['PATCH', '/crons/1'],
        ['DELETE', `/crawls/${mine}`],
      ] as const) {
        const write = await send(method, `/console/api/v1${path}`, { cookie, 'x-console-token': token }, {})
        t.strictSame(await codeOf(write), [403, 'unauthorized'], `${method} ${path}`)
      }
      t.equal(around.standIns.starts.length, starts)
    })

    t.test('has slots of its own, so that its readers never delay the project', async t => {
      const { cookie } = await cookieFor(await shareOf(await make()))
      const shared = (path: string) => send('GET', `/console/api/v1${path}`, { cookie })
      const client = await around.pool.connect()
      for (const [path, reason] of [
        [`/crawls/${before}/diff/${mine}`, 'comparisons'],
        [`/crawls/${mine}/links?to_url=https://example.com/`, 'link_scans'],
      ] as const) {
        await client.query('begin')
        await client.query('lock table read.page in access exclusive mode')
        const readers = [shared(path), shared(path)]
        // Both readers have a slot when a third one gets none.
        await until(async () => {
          const third = shared(path)
          const first = await Promise.race([third, wait(patient(300))])
          if (first === undefined) readers.push(third)
          return first?.status === 429 && (await jsonOf(first)).error.reason === reason
        })
        const own = send('GET', `/v1${path}`, bearer)
        t.equal(await Promise.race([own.then(({ status }) => status), wait(patient(300))]), undefined, path)
        await client.query('rollback')
        t.equal((await own).status, 200, path)
        await Promise.all(readers)
      }
      client.release()
    })

    t.test('has a request rate, even if the project is unlimited', async t => {
      const stop = new AbortController()
      const rated = await startService({ ...around.env, REQUEST_RATES: 'true' }, stop.signal)
      t.teardown(async () => {
        stop.abort()
        await rated[Symbol.asyncDispose]()
      })
      const unlimited = keyNamed('e')
      const prefix = unlimited.slice(0, 12)
      standIns.addKey(unlimited, 1, { tier: 'free', unlimited: true })
      const facts = { projectId: 1, runId: mine, prefix, at: Date.now(), until: Date.now() + 60_000 }
      const { cookie } = await cookieFor(sealedShare(facts, sealer('0'.repeat(64))))
      const readAll = (path: string, headers: Record<string, string>) =>
        Promise.all(Array.from({ length: 150 }, () => fetch(rated.url + path, { headers })))
      const answers = await readAll(`/console/api/v1/crawls/${mine}`, { cookie })
      const refused = answers.filter(({ status }) => status === 429)
      t.ok(refused.length >= 10, `${refused.length} of 150 refused`)
      t.match(await refused[0]?.json(), { error: { reason: 'request_rate' } })
      const own = await readAll(`/v1/crawls/${mine}`, { authorization: `Bearer ${unlimited}` })
      t.ok(
        own.every(({ status }) => status === 200),
        'its own key has none',
      )
    })

    t.test('names its readers to the coordinator, which has slots of their own for them', async t => {
      const stop = new AbortController()
      t.teardown(() => stop.abort())
      const serving = { signal: stop.signal, report: (error: unknown) => t.fail(String(error)) }
      const requests: { isShared?: true }[] = []
      const none = { coverage: null, errors: null, explanation: null, foundOn: null, run: null, found: null }
      const handler = async (request: { isShared?: true }) => {
        requests.push(request)
        return none
      }
      for (const one of [explainRpc.getCoverage, explainRpc.listErrors, explainRpc.explainUrl])
        void serve(around.bus, one as typeof explainRpc.explainUrl, handler, serving)
      for (const one of [asOfRpc.getRunAsOf, asOfRpc.getCoverageAsOf, asOfRpc.listErrorsAsOf])
        void serve(around.bus, one as unknown as typeof explainRpc.explainUrl, handler, serving)
      const { cookie } = await cookieFor(await shareOf(await make()))
      const asOf = `as_of=${new Date().toISOString()}`
      const paths = ['/coverage', '/errors', '/explain?url=https://example.com/', `?${asOf}`]
      for (const list of ['/coverage', '/errors', '/pages', '/links', '/orphans'])
        paths.push(`${list}?${asOf}`)
      for (const path of paths) {
        for (const [prefix, headers, isShared] of [
          ['/console/api', { cookie }, true],
          ['', bearer, undefined],
        ] as const) {
          t.equal((await send('GET', `${prefix}/v1/crawls/${mine}${path}`, headers)).status, 404, path)
          t.match(requests.splice(0), [{ projectId: 1, runId: mine, isShared }], path)
        }
      }
    })

    t.test('shows no settings of the crawl', async t => {
      const { cookie } = await cookieFor(await shareOf(await make()))
      const answer = await send('GET', `/console/api/v1/crawls/${mine}`, { cookie })
      t.match(
        [...answer.headers.keys()].filter(name => name.startsWith('ratelimit')),
        [],
      )
      const run = await jsonOf(answer)
      t.match(run, {
        ...{ id: mine, proxy_url: null, webhook_status: null, webhook_attempts: 0, webhook_last_error: null },
        error_message: 'The login of the crawl failed, or was lost.',
      })
      t.notMatch(JSON.stringify(run), /proxy\.example|#pin|connect/)
      const own = await jsonOf(await send('GET', `/v1/crawls/${mine}`, bearer))
      t.match(own, { proxy_url: /proxy\.example/, error_message: /#pin/ }, 'its owner sees them')
    })

    t.test('ends with all other shares of its crawl, and later ones are open', async t => {
      const shares = [await shareOf(await make()), await shareOf(await make())]
      const open = await cookieFor(shares[0] ?? '')
      const ofAnother = await shareOf(await make({}, bearer, another))
      const end = (headers: object = bearer, id = mine) => send('DELETE', `/v1/crawls/${id}/share`, headers)
      const read = async ({ cookie }: { cookie: string }) =>
        (await send('GET', `/console/api/v1/crawls/${mine}`, { cookie })).status
      t.strictSame(await codeOf(await end({})), [401, 'unauthorized'])
      t.strictSame(await codeOf(await end({ authorization: `Bearer ${other}` })), [404, 'not_found'])
      t.strictSame(await codeOf(await end(bearer, 99_999_999)), [404, 'not_found'])
      t.equal(await read(open), 200)
      await wait(5)
      t.equal((await end()).status, 204)
      await until(async () => (await read(open)) === 401)
      for (const share of shares) t.strictSame(await codeOf(await openShare(share)), [410, 'gone'])
      t.equal((await openShare(ofAnother)).status, 200, 'of another crawl')
      await wait(5)
      t.equal((await openShare(await shareOf(await make()))).status, 200)
      const { seal } = sealer('0'.repeat(64))
      const { at: _, ...early } = {
        projectId: 1,
        runId: mine,
        prefix: key.slice(0, 12),
        at: 0,
        until: Date.now() + 60_000,
      }
      const withoutTime = seal(JSON.stringify({ type: 'share of a crawl', ...early }))
      t.strictSame(await codeOf(await openShare(withoutTime)), [410, 'gone'], 'without the time of its start')
      t.equal((await end()).status, 204, 'it can be repeated')
    })

    t.test('ends with its time, with any change, and with the key that made it', async t => {
      const { seal } = sealer('0'.repeat(64))
      const facts = {
        ...{ projectId: 1, runId: mine, prefix: key.slice(0, 12) },
        ...{ at: Date.now(), until: Date.now() + 60_000 },
      }
      const made = (more: object) => sealedShare({ ...facts, ...more }, { seal })
      t.equal((await openShare(made({}))).status, 200)
      t.strictSame(await codeOf(await openShare(made({ until: Date.now() - 1 }))), [410, 'gone'])
      t.strictSame(await codeOf(await openShare(made({ projectId: 2 }))), [410, 'gone'], 'of another project')
      const share = await shareOf(await make())
      const at = Math.floor(share.length / 2)
      const swapped = share.slice(0, at) + (share[at] === 'A' ? 'B' : 'A') + share.slice(at + 1)
      const session = (await signIn()).cookie.split('=')[1] ?? ''
      for (const bad of [swapped, share.slice(0, -1), `${share}A`, share.slice(8), 'x', '', session, key])
        t.strictSame(await codeOf(await openShare(bad)), [400, 'invalid_signature'], bad.slice(0, 12))
      const brief = await cookieFor(made({ until: Date.now() + 700 }))
      const read = async (cookie: string) =>
        (await send('GET', `/console/api/v1/crawls/${mine}`, { cookie })).status
      t.equal(await read(brief.cookie), 200)
      await wait(800)
      t.equal(await read(brief.cookie), 401)
      const { cookie } = await cookieFor(share)
      standIns.addKey(key, 1, { revokedAt: new Date().toISOString() })
      await until(async () => (await read(cookie)) === 401)
      t.strictSame(await jsonOf(await send('GET', '/console/session', { cookie })), { signed_in: false })
      t.strictSame(await codeOf(await openShare(share)), [410, 'gone'])
      standIns.addKey(key, 1)
      await until(async () => (await openShare(share)).status === 200)
    })
  })

  t.test('ends with a sign-out, and when the key is revoked', async t => {
    const { cookie, token } = await signIn()
    t.match(await (await send('GET', '/console/session', { cookie })).json(), {
      signed_in: true,
      prefix: key.slice(0, 12),
      token,
    })
    t.equal((await send('DELETE', '/console/session', { cookie })).status, 403, 'a form cannot sign out')
    const forged = { cookie, 'x-console-token': token, 'sec-fetch-site': 'cross-site' }
    t.equal((await send('DELETE', '/console/session', forged)).status, 403, 'nor another site')
    const earlier = await signIn()
    for (const headers of [
      { cookie, 'x-console-token': token },
      { cookie, 'x-console-token': earlier.token },
      { 'x-console-token': 'sign-out' },
    ]) {
      const out = await send('DELETE', '/console/session', headers)
      t.match(
        [out.status, out.headers.get('set-cookie')],
        [204, /^tidemark_console=; Max-Age=0; Path=\/console/],
      )
    }
    standIns.addKey(key, 1, { revokedAt: new Date().toISOString() })
    await until(async () => (await send('GET', '/console/api/v1/usage', { cookie })).status === 401)
    t.strictSame(await (await send('GET', '/console/session', { cookie })).json(), { signed_in: false })
    standIns.addKey(key, 1)
  })

  await t.test('sets a cookie for HTTPS only behind HTTPS', async t => {
    const env = { ...around.env, PUBLIC_URL: 'https://tidemark.example.com' }
    const gateway = await startService(env, new AbortController().signal)
    t.teardown(() => gateway[Symbol.asyncDispose]())
    const answer = await fetch(`${gateway.url}/console/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-console-token': 'sign-in' },
      body: JSON.stringify({ key }),
    })
    t.match(
      answer.headers.get('set-cookie'),
      /^__Secure-tidemark_console=.*; HttpOnly; SameSite=Strict; Secure$/,
    )
  })
})

/** Sends the path as it is; `fetch` would resolve its dots first. */
async function statusOf(base: string, path: string, cookie: string): Promise<number | undefined> {
  const { hostname, port } = new URL(base)
  const request = get({ hostname, port, path, headers: { cookie } })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

test('A gateway without the built console says so', async t => {
  const { readPage, readAsset } = openBuiltFiles('/nowhere')
  t.strictSame([await readPage(), await readAsset('main-X.js')], [null, null])
})
