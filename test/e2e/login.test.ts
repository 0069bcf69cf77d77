/**
 * Crawls with a login: the form is filled in once, its cookies accompany the requests of the crawl, the loss of the
 * session ends the crawl, and neither the password nor a cookie is stored in plain text.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import pg from 'pg'
import { test } from 'tap'
import { Club, cautious, type Gate, member } from './harbour-club.ts'
import { foundIn, inFiles, inRedis, inTables, type Secrets, spellings } from './secrets-at-rest.scene.ts'
import { startSystem } from './system.ts'

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

test('A crawl with a login', { timeout: patient(400_000) }, async t => {
  const system = await startSystem()
  t.teardown(() => system.stop())
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

  await t.test('fails before its first page with a wrong password', async t => {
    club.hits.length = 0
    const login = loginOf({ name: member.name, password: 'wrong-81c20d4477' })
    const run = await crawl(key, { ...request, login })
    t.match(run, { status: 'failed', error_reason: 'login_failed', page_count: 0 }, JSON.stringify(run))
    t.match(run.error_message, /login\.steps\[4\] \(wait_for #account\) found no element/)
    t.match(run.error_message, /\/login \("Rejected •••"\) with a field for a password/)
    t.notOk(club.hits.some(({ path }) => path.startsWith('/members/')))
  })

  await t.test('fails before its first page at a second factor, which it cannot enter', async t => {
    const run = await crawl(key, { ...request, login: loginOf(cautious) })
    t.match(run, { status: 'failed', error_reason: 'login_failed', page_count: 0 }, JSON.stringify(run))
    t.match(run.error_message, /one-time code\. A second factor cannot be entered/)
    t.match((await call(key, 'GET', `/v1/crawls/${run.id}/coverage`)).body, { holds: true, pending: 0 })
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
      await killAll()
      Object.assign(club, { slowMs: 0 })
      await until(async () => club.hits.filter(({ session }) => session !== null).length >= 10)
      t.equal(await stored(), 1, 'the session is stored, sealed')
      const { rows } = await client.query<{ sealed: string }>('select sealed from coordinator.login_session')
      t.match(rows, [{ sealed: /^sealed2\./ }])
      await killAll()
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

  async function killAll(): Promise<void> {
    for (const { pid } of (await system.runFile()).processes) process.kill(pid, 'SIGKILL')
    for (let left = 300; left > 0; left--) {
      if ((await call(key, 'GET', '/v1/health').catch(() => null))?.status === 200) return
      await sleep(200)
    }
  }
})
