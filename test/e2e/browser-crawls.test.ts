/**
 * Crawls that need a browser. Sites whose pages depend on scripts are crawled completely, and billed. With a login, the
 * form is filled in once, its cookies accompany the requests of the crawl, the loss of the session ends the crawl, and
 * neither the password nor a cookie is stored in plain text.
 */
import { type Origin, type Page, startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { sized } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import pg from 'pg'
import { type Test, test } from 'tap'
import { Club, cautious, type Gate, member } from './harbour-club.ts'
import { replayed, unchanged } from './replay.ts'
import { foundIn, inFiles, inRedis, inTables, type Secrets, spellings } from './secrets-at-rest.scene.ts'
import { type System, startSystem } from './system.ts'

test('Crawls that need a browser', { timeout: patient(600_000) }, async t => {
  const system = await startSystem()
  t.teardown(() => system.stop())
  await t.test('A site made by scripts', t => crawlScripts(t, system))
  await t.test('A crawl with a login', t => crawlWithLogin(t, system))
})

/** Kills all processes and waits until the system responds again. */
async function killAll(system: System): Promise<void> {
  for (const { pid } of (await system.runFile()).processes) process.kill(pid, 'SIGKILL')
  await until(async () => (await system.call(null, 'GET', '/v1/health').catch(() => null))?.status === 200)
}

const html = { 'content-type': 'text/html; charset=utf-8' }
const words = 'High water comes twice a day, and each time a little later than the day before.'
const page = (body: string): Page => ({ headers: html, body: `<!doctype html><title>Harbour</title>${body}` })
const app = (n: number): Page =>
  page(`<div id=root></div><script>
    fetch('/data/${n}').then(answer => answer.text()).then(text => { root.innerHTML = text })</script>`)

/** Returns a static home page, `count` pages made by scripts, and a static page behind each of them. */
function site(count: number): Record<string, Page> {
  const numbers = Array.from({ length: count }, (_, n) => n)
  return {
    '/robots.txt': { headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nAllow: /\n' },
    '/': page(`<h1>Harbour</h1><p>${words}${numbers.map(n => ` <a href=/app/${n}>${n}</a>`).join('')}`),
    ...Object.fromEntries(
      numbers.flatMap(n => [
        [`/app/${n}`, app(n)],
        [`/data/${n}`, { headers: html, body: `<h1>Tide ${n}</h1><p>${words} <a href=/deep/${n}>More</a>` }],
        [`/deep/${n}`, page(`<h1>Deep ${n}</h1><p>${words}`)],
      ]),
    ),
  }
}

async function crawlScripts(t: Test, system: System): Promise<void> {
  const { call, crawl } = system
  const origin: Origin = await startOrigin()
  t.teardown(() => origin.close())
  const key = await system.createProject('scripted', '--tier', 'pro')
  const health = await call(key, 'GET', '/v1/health/cloud')
  t.match(health, { status: 200, body: { backends: { browser: true } } }, 'there is a browser')
  const seed = `${origin.url}/`
  const request = { url: seed, delay_ms: 0 }
  let [pages, cloudPages] = [0, 0]
  const isBilled = () =>
    until(async () => {
      const { today } = (await call(key, 'GET', '/v1/usage')).body
      return today.pages === pages && today.cloud_pages === cloudPages
    })
  const listed = async (
    id: number,
  ): Promise<{ id: number; url: string; rendered: boolean; title: string }[]> =>
    (await call(key, 'GET', `/v1/crawls/${id}/pages?limit=100&fields=rendered,title`)).body.items

  await t.test('has empty pages without rendering', async t => {
    origin.site(site(3))
    t.match(await crawl(key, request), { status: 'done', page_count: 4 })
    pages += 4
    await isBilled()
  })

  await t.test('is crawled completely with rendering', async t => {
    const run = await crawl(key, { ...request, render: 'auto' })
    t.match(run, { status: 'done', page_count: 7, error_count: 0, stop_reason: 'exhausted' })
    const items = await listed(run.id)
    t.strictSame(
      items.map(({ url, rendered }) => `${new URL(url).pathname} ${rendered}`).sort(),
      ['/ false', ...[0, 1, 2].flatMap(n => [`/app/${n} true`, `/deep/${n} false`])].sort(),
    )
    t.strictSame(await replayed(system, key, run.id), unchanged(7))
    const made = items.find(({ url }) => url.endsWith('/app/1'))
    const { body } = await call(key, 'GET', `/v1/pages/${made?.id}?format=markdown`)
    t.match(JSON.stringify(body), /Tide 1/)
    const why = await call(
      key,
      'GET',
      `/v1/crawls/${run.id}/explain?url=${encodeURIComponent(`${seed}app/1`)}`,
    )
    t.match(why.body.attempts, [
      { by: 'http', outcome: 'retried', reason: 'script_only' },
      { by: 'browser', outcome: 'fetched' },
    ])
    pages += 4
    cloudPages += 3
    await isBilled()
    const bill = await call(key, 'GET', `/v1/usage/ledger?run_id=${run.id}&kind=cloud_page`)
    t.match(bill.body.items, Array(3).fill({ operation: 'crawl_rendered', units: 1, reason: 'billed' }))
  })

  await t.test('is rendered completely with render: always', async t => {
    const run = await crawl(key, { ...request, render: 'always' })
    t.match(run, { status: 'done', page_count: 7 })
    t.strictSame(await replayed(system, key, run.id), unchanged(7))
    cloudPages += 7
    await isBilled()
  })

  const screenshot = async (id: number, headers = {}) => {
    const address = `${system.base}/v1/pages/${id}/screenshot`
    const response = await fetch(address, { headers: { authorization: `Bearer ${key}`, ...headers } })
    const bytes = Buffer.from(await response.arrayBuffer())
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      etag: response.headers.get('etag'),
      bytes,
    }
  }
  const png = { status: 200, type: 'image/png' }
  const isPng = (bytes: Buffer) => bytes.subarray(1, 4).toString() === 'PNG'

  await t.test('has a screenshot of each rendered page on request, for no more money', async t => {
    const run = await crawl(key, { ...request, render: 'auto', screenshots: true })
    t.match(run, { status: 'done', page_count: 7 })
    pages += 4
    cloudPages += 3
    const items = await listed(run.id)
    for (const { id, rendered } of items) {
      const found = await screenshot(id)
      t.match(found, rendered ? png : { status: 404 })
      if (rendered) t.ok(isPng(found.bytes) && found.bytes.readUInt32BE(16) === 1366, 'as wide as the window')
    }
    t.strictSame(await replayed(system, key, run.id), unchanged(7))
    const { id } = items.find(({ rendered }) => rendered) ?? { id: 0 }
    const { etag } = await screenshot(id)
    t.equal((await screenshot(id, { 'if-none-match': etag })).status, 304)
    const stranger = await system.createProject('stranger', '--tier', 'pro')
    t.match(await call(stranger, 'GET', `/v1/pages/${id}/screenshot`), { status: 404 })
    await isBilled()
    t.equal((await call(key, 'DELETE', `/v1/crawls/${run.id}`)).status, 204)
    t.equal((await screenshot(id)).status, 404, 'it is deleted with its run')
  })

  await t.test('spends no more cloud pages than the cap', async t => {
    const frugal = await system.createProject('frugal-scripts', '--tier', 'free')
    await system.admin('set-project', '--name', 'frugal-scripts', '--cloud-per-day', '2')
    const run = await crawl(frugal, { ...request, render: 'auto' })
    t.match(
      run,
      { status: 'done', stop_reason: 'exhausted', page_count: 6 },
      'one page stays without rendering',
    )
    const all = await crawl(frugal, { ...request, render: 'always' })
    t.match(all, { status: 'done', page_count: 0, stop_reason: 'quota', error_message: null })
    const repeated = await crawl(frugal, { ...request, render: 'always', max_age_seconds: 60 })
    t.not(repeated.id, all.id, 'a run without pages is not reused')
    await until(async () => {
      const { today } = (await call(frugal, 'GET', '/v1/usage')).body
      return today.pages === 4 && today.cloud_pages === 2
    })
  })

  await t.test('is crawled to its end even if all processes are killed', async t => {
    const count = sized(8, 16)
    origin.site(site(count))
    const all = { ...request, render: 'auto', screenshots: true }
    const { body } = await call(key, 'POST', '/v1/crawls', all)
    const isMade = ({ path }: { path: string }) => path.startsWith('/data/')
    const before = origin.hits.length
    await until(async () => origin.hits.slice(before).filter(isMade).length >= 4)
    await killAll(system)
    t.match(await system.untilEnded(key, body.id), {
      status: 'done',
      page_count: 2 * count + 1,
      error_count: 0,
    })
    const rendered = (await listed(body.id)).filter(({ rendered }) => rendered)
    t.equal(rendered.length, count)
    for (const { id } of rendered) t.match(await screenshot(id), png, 'and no screenshot is lost')
    pages += count + 1
    cloudPages += count
    await isBilled()
  })
}
const signs: Record<Gate, object> = {
  redirect: { redirect: '/login' },
  status: { status: 401 },
  form: { selector: 'form#login' },
}

/** Returns a login of a member by the form. */
const loginOf = ({ name, password }: typeof member, loggedOut: object = signs.redirect) => ({
  steps: [
    { type: 'goto', url: '/login' },
    { type: 'fill', selector: '#user', value: name },
    { type: 'fill', selector: '#password', value: password },
    { type: 'press', selector: '#password', key: 'Enter' },
    { type: 'wait_for', selector: '#account' },
  ],
  logged_out: loggedOut,
})

async function crawlWithLogin(t: Test, system: System): Promise<void> {
  const { call, crawl } = system
  const other = await Club.start('127.1.23.2')
  t.teardown(() => other.close())
  const club = await Club.start('127.1.23.1', other.url)
  t.teardown(() => club.close())
  const key = await system.createProject('members', '--tier', 'agency')
  const request = { url: `${club.url}/members/`, delay_ms: 0, login: loginOf(member) }
  const paths = [
    '/members/',
    ...Array.from({ length: 12 }, (_, n) => `/members/${n}`),
    '/members/app',
    '/open/1',
  ]
  const listed = async (id: number): Promise<{ url: string; rendered: boolean; title: string }[]> =>
    (await call(key, 'GET', `/v1/crawls/${id}/pages?limit=100&fields=rendered,title`)).body.items
  const pathsOf = async (id: number) => (await listed(id)).map(({ url }) => new URL(url).pathname).sort()
  const client = new pg.Client({ connectionString: (await system.runFile()).postgres.url })
  client.on('error', () => {})
  await client.connect()
  t.teardown(() => client.end())
  const stored = async () => (await client.query('select from coordinator.login_session')).rowCount

  await t.test('reads the pages behind the login', async t => {
    const run = await crawl(key, request)
    t.match(run, { status: 'done', error_message: null, page_count: paths.length }, JSON.stringify(run))
    t.strictSame(await pathsOf(run.id), paths.toSorted())
    t.equal(club.logins, 1, 'one login serves the whole crawl')
  })

  await t.test('sends the cookies by their rules', t => {
    for (const { path, session } of club.hits)
      t.equal(session !== null, path.startsWith('/members/'), `${path}: the cookie is for a part of the site`)
    t.strictSame(other.hits, [], 'a link leads out of the scope')
    t.end()
  })

  await t.test('renders pages with the session, which no other site receives', async t => {
    club.hits.length = 0
    const run = await crawl(key, { ...request, render: 'always', max_pages: 4 })
    t.match(run, { status: 'done', page_count: 4 }, JSON.stringify(run))
    t.ok((await listed(run.id)).every(({ rendered }) => rendered))
    const made = await crawl(key, {
      ...request,
      url: `${club.url}/members/app`,
      render: 'auto',
      max_pages: 1,
    })
    t.match(await listed(made.id), [{ rendered: true, title: 'App' }])
    t.ok(club.hits.some(({ path, session }) => path === '/members/data' && session !== null))
    t.ok(other.hits.some(({ path }) => path === '/seen'))
    t.strictSame(new Set(other.hits.map(({ session }) => session)), new Set([null]))
  })

  for (const gate of ['redirect', 'status', 'form'] as const)
    await t.test(`ends when the session expires, by the sign ${gate}`, async t => {
      Object.assign(club, { gate, lasts: 6 })
      const run = await crawl(key, { ...request, login: loginOf(member, signs[gate]), concurrency: 1 })
      Object.assign(club, { gate: 'redirect', lasts: 1e9 })
      t.match(
        run,
        { status: 'failed', stop_reason: 'failed', error_reason: 'logged_out' },
        JSON.stringify(run),
      )
      t.match(run.error_message, /was logged out: .* at http:\/\/127\.1\.23\.1:\d+\/members\//)
      t.ok(run.page_count >= 1 && run.page_count <= 6, `${run.page_count} pages of at most six`)
      t.ok(
        (await listed(run.id)).every(({ title }) => title !== 'Sign in'),
        'no page is the login form',
      )
      const { body } = await call(key, 'GET', `/v1/crawls/${run.id}/coverage`)
      t.match(body, { holds: true, pending: 0, failed: { by_reason: { logged_out: Number } } })
      t.ok(body.failed.by_reason.logged_out >= 1)
      const left = body.failed.by_reason.logged_out + body.not_reached.by_limit.failed
      t.ok(left >= 2, `${left} pages besides those that were fetched`)
      t.equal(await stored(), 0, 'the session is deleted')
    })

  club.hits.length = 0
  const rejected = (as: typeof member) => crawl(key, { ...request, login: loginOf(as) })
  // Both run at the same time, because each waits for an element until its time limit.
  const [wrong, unfinished] = await Promise.all([
    rejected({ name: member.name, password: 'wrong-81c20d4477' }),
    rejected(cautious),
  ])

  await t.test('fails before its first page with a wrong password', t => {
    t.match(wrong, { status: 'failed', error_reason: 'login_failed', page_count: 0 }, JSON.stringify(wrong))
    t.match(wrong.error_message, /login\.steps\[4\] \(wait_for #account\) found no element/)
    t.match(wrong.error_message, /\/login \("Rejected •••"\) with a field for a password/)
    t.notOk(club.hits.some(({ path }) => path.startsWith('/members/')))
    t.end()
  })

  await t.test('fails before its first page at a second factor, which it cannot enter', async t => {
    const { id, ...run } = unfinished
    t.match(run, { status: 'failed', error_reason: 'login_failed', page_count: 0 }, JSON.stringify(run))
    t.match(run.error_message, /one-time code\. A second factor cannot be entered/)
    t.match((await call(key, 'GET', `/v1/crawls/${id}/coverage`)).body, { holds: true, pending: 0 })
  })

  await t.test('logs in again when its failed pages are retried', async t => {
    Object.assign(club, { lasts: 3 })
    const run = await crawl(key, { ...request, concurrency: 1 })
    t.equal(run.error_reason, 'logged_out')
    Object.assign(club, { lasts: 1e9 })
    const before = club.logins
    t.equal((await call(key, 'POST', `/v1/crawls/${run.id}/retry-failed`)).status, 200)
    t.match(await system.untilEnded(key, run.id), { status: 'done', error_count: 0 })
    t.equal(club.logins, before + 1)
    t.equal(await stored(), 0)
  })

  await t.test('is part of a monitor', async t => {
    const { body } = await call(key, 'POST', '/v1/crawls', { ...request, cron: '0 0 29 2 *', max_pages: 2 })
    const { body: started } = await call(key, 'POST', `/v1/crons/${body.monitor_id}/run`)
    t.match(await system.untilEnded(key, started.id), { status: 'done', page_count: 2 })
    t.equal((await call(key, 'DELETE', `/v1/crons/${body.monitor_id}`)).status, 204)
  })

  await t.test(
    'is crawled to its end even if all processes are killed, during the login and after it',
    async t => {
      Object.assign(club, { slowMs: 1_500, pages: 60 })
      club.hits.length = 0
      const { body } = await call(key, 'POST', '/v1/crawls', { ...request, delay_ms: 20 })
      await until(async () => club.hits.filter(({ path }) => path === '/login').length >= 2)
      await killAll(system)
      Object.assign(club, { slowMs: 0 })
      await until(async () => club.hits.filter(({ session }) => session !== null).length >= 10)
      t.equal(await stored(), 1, 'the session is stored, sealed')
      const { rows } = await client.query<{ sealed: string }>('select sealed from coordinator.login_session')
      t.match(rows, [{ sealed: /^sealed2\./ }])
      await killAll(system)
      t.match(await system.untilEnded(key, body.id), { status: 'done', page_count: 63, error_count: 0 })
      t.equal(await stored(), 0)
      t.match(await system.admin('verify'), { ok: true })
    },
  )

  await t.test('stores neither passwords nor cookies in plain text', async t => {
    const secrets: Secrets = new Map([
      ['the password', spellings(member.password)],
      ['the wrong password', spellings('wrong-81c20d4477')],
      ...[...club.sessions.keys()].map((id, n): [string, Buffer[]] => [`cookie ${n}`, spellings(id)]),
    ])
    const control: Secrets = new Map([['the control', spellings(new URL(club.url).host)]])
    const everything = async (names: Secrets) => [
      ...(await inFiles(system.dir, names)),
      ...(await inTables(system, names)),
      ...(await inRedis(system, names)),
      ...foundIn(names, 'the output', Buffer.from(system.printed())),
    ]
    t.strictSame(await everything(secrets), [])
    const seen = await everything(control)
    for (const place of [/\.blk$/, /in read\.run$/])
      t.ok(
        seen.some(found => place.test(found)),
        `${place} is searched`,
      )
    const { body: crawls } = await call(key, 'GET', '/v1/crawls?limit=100')
    const answers = [crawls, (await call(key, 'GET', '/v1/logs')).body]
    for (const { id } of crawls.items)
      for (const part of ['', '/coverage', '/errors', '/pages'])
        answers.push((await call(key, 'GET', `/v1/crawls/${id}${part}`)).body)
    t.strictSame(foundIn(secrets, 'the answers', Buffer.from(JSON.stringify(answers))), [])
  })
}
