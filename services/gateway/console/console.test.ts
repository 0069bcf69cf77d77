/** The console's sign-in, its way to the API, and its files: against a real gateway. */

import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { buildConsole } from '@tidemark/deploy/clients/build-console'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { keyNamed, keyView, surroundings } from '../gateway.scene.ts'
import { startService } from '../service.ts'
import { openBuiltFiles } from './adapters/built-files.ts'

const key = keyNamed('c')
const other = keyNamed('d')
const adminKey = 'operator-'.repeat(5)

test('The console', { timeout: 180_000 }, async t => {
  await buildConsole()
  const around = await surroundings(t, { env: { EGRESS_ALLOW: '127.0.0.0/8', ADMIN_KEY: adminKey } })
  const { keys } = around.standIns
  keys.set(key.slice(0, 12), keyView(key, 1))
  keys.set(other.slice(0, 12), keyView(other, 2))
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
      AbortSignal.timeout(120_000),
    )
    t.teardown(() => gateway[Symbol.asyncDispose]())
    const elsewhere = (path: string) => fetch(gateway.url + path, { headers: { cookie } })
    t.strictSame(await jsonOf(await elsewhere('/console/session')), { signed_in: false }, 'a new key ends it')
    t.equal((await elsewhere(overview)).status, 401)
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
    keys.set(key.slice(0, 12), keyView(key, 1, { revokedAt: new Date().toISOString() }))
    await until(async () => (await send('GET', '/console/api/v1/usage', { cookie })).status === 401)
    t.strictSame(await (await send('GET', '/console/session', { cookie })).json(), { signed_in: false })
    keys.set(key.slice(0, 12), keyView(key, 1))
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

test('Behind HTTPS the cookie is for HTTPS only', async t => {
  const around = await surroundings(t, { env: { PUBLIC_URL: 'https://tidemark.example.com' } })
  around.standIns.keys.set(key.slice(0, 12), keyView(key, 1))
  const answer = await fetch(`${around.url}/console/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-console-token': 'sign-in' },
    body: JSON.stringify({ key }),
  })
  t.match(
    answer.headers.get('set-cookie'),
    /^__Secure-tidemark_console=.*; HttpOnly; SameSite=Strict; Secure$/,
  )
})

test('A gateway without the built console says so', async t => {
  const { readPage, readAsset } = openBuiltFiles('/nowhere')
  t.strictSame([await readPage(), await readAsset('main-X.js')], [null, null])
})
