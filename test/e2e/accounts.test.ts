/** The life of a project in one system: its signup, the rotation of its keys, and its purge. */

import { spawn } from 'node:child_process'
import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { openBus } from '@tidemark/bus/connection'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { untilBlocked } from '@tidemark/testing/databases'
import { listening } from '@tidemark/testing/listening'
import { startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import pg from 'pg'
import { type Test, test } from 'tap'
import { idsOfFirstProject, likeness, tryForeignIds } from './foreign-ids.ts'
import { secondGateway } from './second-gateway.ts'
import { startSystem } from './system.ts'

const secret = 'whsec_of_this_test'

const checkout = join(import.meta.dirname, '../..')
const forgottenAddress = 'forgotten@example.com'
/** A part of the URLs that the project crawls. No other URL and no other text contains it. */
const mark = 'marked-a7c1'
const pages = {
  [`/${mark}`]: `<title>One</title><a href="/${mark}/2">2</a>`,
  [`/${mark}/2`]: '<title>Two</title>',
  '/': '<title>A neighbour</title>',
}
const steps = 8

test('Projects', { timeout: patient(900_000) }, async t => {
  process.env.LOG_LEVEL ??= 'silent'
  const system = await startSystem({
    KEY_USES_SECONDS: '1',
    STRIPE_WEBHOOK_SECRET: secret,
    SIGNUPS_PER_ADDRESS: '50',
  })
  t.teardown(() => system.stop())

  await t.test('The keys of a project', async t => {
    const { postgres } = await system.runFile()
    const other = await secondGateway(t, system)

    const { call } = system
    const statusesOf = async (key: string): Promise<number[]> => {
      const headers = { authorization: `Bearer ${key}` }
      const answers = [system.base, other].map(base => fetch(`${base}/v1/usage`, { headers }))
      return (await Promise.all(answers)).map(({ status }) => status)
    }
    /** Blocks updates of the read model of keys until the returned connection commits. */
    const holdReadModel = async (t: Test): Promise<pg.Client> => {
      const client = new pg.Client({ connectionString: postgres.url })
      await client.connect()
      t.teardown(() => client.end())
      await client.query('begin')
      await client.query(`select from read.checkpoint where projection = 'accounts' for update`)
      return client
    }
    const first = await system.createProject('turning')
    const rotate = async (key: string, body?: object) => {
      const answer = await call(key, 'POST', '/v1/keys/rotate', body)
      t.equal(answer.status, 200)
      return answer.body as { api_key: string; prefix: string; label: string; grace_seconds: number }
    }

    await t.test('of the first project have the highest tier and no caps', async t => {
      const { api_key } = JSON.parse(await readFile(join(system.dir, 'first-key.json'), 'utf8'))
      const noCaps = { pages_per_day: null, pages_per_month: null, cloud_pages_per_day: null }
      t.match((await call(api_key, 'GET', '/v1/usage')).body, { tier: 'studio', caps: noCaps })
      const aggressive = { url: 'https://example.com/', aggressive: true, cron: '* * * * *' }
      const { status, body } = await call(api_key, 'POST', '/v1/crawls', aggressive)
      t.match([status, body.error.reason], [400, 'conflicting_fields'], 'the error does not concern its tier')
    })

    await t.test('are listed without their secrets, with the time of their last use', async t => {
      t.strictSame(await statusesOf(first), [200, 200])
      await until(async () => (await call(first, 'GET', '/v1/keys')).body.items[0].last_used_at !== null)
      const { body } = await call(first, 'GET', '/v1/keys')
      t.match(body.items, [
        { prefix: first.slice(0, 12), label: 'default', revoked_at: null, expires_at: null },
      ])
      t.notMatch(JSON.stringify(body), first.slice(12))
    })

    await t.test('are rotated: both work during the grace period, then only the new one', async t => {
      const { api_key: second, ...shown } = await rotate(first, { label: 'deploys', grace_seconds: 2 })
      t.strictSame(shown, { prefix: second.slice(0, 12), label: 'deploys', grace_seconds: 2 })
      t.strictSame(
        [await statusesOf(second), await statusesOf(first)],
        [
          [200, 200],
          [200, 200],
        ],
      )
      const { items } = (await call(second, 'GET', '/v1/keys')).body
      const end = Date.parse(items[0].expires_at)
      await until(async () => Date.now() > end + 50)
      t.strictSame(
        [await statusesOf(second), await statusesOf(first)],
        [
          [200, 200],
          [401, 401],
        ],
      )
      t.match(
        await rotate(second),
        { label: 'rotated', grace_seconds: 86_400 },
        'the defaults apply without a body',
      )
    })

    await t.test('are revoked at once at every gateway', async t => {
      const mine = await system.createProject('leaking')
      const { api_key: leaked, prefix } = await rotate(mine)
      t.strictSame(await statusesOf(leaked), [200, 200])
      t.equal((await call(mine, 'DELETE', `/v1/keys/${prefix}`)).status, 204)
      t.strictSame(await statusesOf(leaked), [401, 401])
      t.equal(
        (await call(mine, 'DELETE', `/v1/keys/${prefix}`)).status,
        204,
        'a repeated revocation has no effect',
      )
      const last = await call(mine, 'DELETE', `/v1/keys/${mine.slice(0, 12)}`)
      t.match([last.status, last.body.error], [409, { code: 'conflict', reason: 'last_key' }])
      t.strictSame(await statusesOf(mine), [200, 200])
    })

    await t.test('are revoked at once even if the read model is stuck', async t => {
      const mine = await system.createProject('hurried')
      const { api_key: leaked, prefix } = await rotate(mine)
      await rotate(mine)
      t.strictSame(await statusesOf(leaked), [200, 200])
      const client = await holdReadModel(t)

      const began = performance.now()
      const revoking = call(mine, 'DELETE', `/v1/keys/${prefix}`)
      const lessThanCacheMs = 2_500
      await until(async () => (await statusesOf(leaked)).join() === '401,401', lessThanCacheMs)
      t.comment(`after ${Math.round(performance.now() - began)} ms`)
      t.equal((await revoking).status, 204)
      const { rows } = await client.query('select revoked_at from read.key where prefix = $1', [prefix])
      t.strictSame(rows, [{ revoked_at: null }], 'the read model does not have it yet')
      await client.query('commit')
      t.strictSame(await statusesOf(leaked), [401, 401])
    })

    await t.test('are revoked at a disconnected gateway as soon as it reconnects', async t => {
      const { nats } = await system.runFile()
      const link = await cuttable(Number(new URL(nats.url).port))
      t.teardown(() => link.close())
      const throughLink = new URL(nats.url)
      throughLink.port = String(link.port)
      const cutOff = await secondGateway(t, system, { NATS_URL: throughLink.href, INSTANCE: 'cut-off' })
      const statusOf = async (key: string) =>
        (await fetch(`${cutOff}/v1/crawls`, { headers: { authorization: `Bearer ${key}` } })).status
      const mine = await system.createProject('cut-off')
      const { api_key: leaked, prefix } = await rotate(mine)
      await rotate(mine)
      t.equal(await statusOf(leaked), 200)
      const client = await holdReadModel(t)

      link.cut()
      t.equal((await call(mine, 'DELETE', `/v1/keys/${prefix}`)).status, 204)
      const moreThanCacheMs = 3_100
      await sleep(moreThanCacheMs)
      t.equal(await statusOf(leaked), 200, 'it reads the read model, which does not have the revocation yet')
      link.mend()
      const lessThanCacheMs = 2_000
      await until(async () => (await statusOf(leaked)) === 401, lessThanCacheMs)
      await client.query('commit')
      t.pass()
    })

    await t.test('have no effect once they are revoked, even for a request that began before', async t => {
      const mine = await system.createProject('robbed')
      const { api_key: stolen, prefix } = await rotate(mine)
      await rotate(mine)
      const keysOf = async () => (await call(mine, 'GET', '/v1/keys')).body.items
      const body = JSON.stringify({ grace_seconds: 0 })
      const slow = request(`${system.base}/v1/keys/rotate`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${stolen}`,
          'content-type': 'application/json',
          'content-length': body.length,
        },
      })
      slow.write(body.slice(0, 5))
      await until(async () => (await keysOf())[1].last_used_at !== null)
      t.equal((await call(mine, 'DELETE', `/v1/keys/${prefix}`)).status, 204)
      slow.end(body.slice(5))
      const [answer] = (await once(slow, 'response')) as [IncomingMessage]
      answer.resume()
      t.match([answer.statusCode, answer.headers['www-authenticate']], [401, 'Bearer'])
      t.equal((await keysOf()).length, 3, 'no key was created')
      t.strictSame(await statusesOf(mine), [200, 200], 'other keys still work')
    })

    await t.test('belong to one project: a key of another project is not found', async t => {
      const stranger = await system.createProject('stranger')
      const withoutId = ({ body }: { body: { error: object } }) => ({ ...body.error, request_id: null })
      const foreign = await call(stranger, 'DELETE', `/v1/keys/${first.slice(0, 12)}`)
      const missing = await call(stranger, 'DELETE', '/v1/keys/tmk_00000000')
      const impossible = await call(stranger, 'DELETE', '/v1/keys/x')
      t.strictSame([foreign.status, missing.status, impossible.status], [404, 404, 404])
      t.strictSame(withoutId(foreign), withoutId(missing))
      t.strictSame(withoutId(impossible), withoutId(missing))
    })

    await t.test('give no access to other projects: their ids are not found', async t => {
      const stranger = await system.createProject('another-stranger')
      const ids = await idsOfFirstProject(system)
      const tried = await tryForeignIds(system, stranger, ids)
      t.ok(tried.length >= 15, `${tried.length} operations take an id`)
      for (const { operation, foreign, missing } of tried) {
        t.equal(foreign.status, 404, operation)
        t.strictSame(likeness(foreign), likeness(missing), operation)
      }
      const ledgerOf = (runId: number) => call(stranger, 'GET', `/v1/usage/ledger?run_id=${runId}`)
      t.strictSame((await ledgerOf(ids.crawls)).body, (await ledgerOf(987_654_321)).body)
    })

    await t.test('are not created by invalid requests, whose errors name the field', async t => {
      const own = await system.createProject('wordy')
      for (const [body, field] of [
        [{ grace_seconds: -1 }, 'grace_seconds'],
        [{ grace_seconds: '60' }, 'grace_seconds'],
        [{ label: '' }, 'label'],
        [{ label: 'a\u0000b' }, 'label'],
        [{ label: 'x'.repeat(101) }, 'label'],
      ] as const) {
        const answer = await call(own, 'POST', '/v1/keys/rotate', body)
        t.match(answer, { status: 400, body: { error: { code: 'invalid_input', field } } })
      }
      t.equal((await call(own, 'GET', '/v1/keys')).body.items.length, 1)
    })
  })

  await t.test('A user who signs up', async t => {
    const { call, base } = system
    const signUp = (project_name: string, tier: string) =>
      call(null, 'POST', '/v1/signup', { project_name, tier, email: `${project_name}@example.com` })
    /** Returns the key in the mail to this project's address. */
    const mailedKey = async (name: string): Promise<string> => {
      let mails: string[] = []
      await until(async () => {
        const folder = join(system.dir, 'data', 'outbox')
        const files = await readdir(folder).catch(() => [])
        const texts = await Promise.all(
          files.filter(file => file.endsWith('.eml')).map(file => readFile(join(folder, file), 'utf8')),
        )
        mails = texts.filter(text => text.includes(`To: ${name}@example.com`))
        return mails.length > 0
      })
      t.equal(mails.length, 1, `one mail for ${name}`)
      t.notMatch(mails[0], /quoted-printable/, 'its lines need no encoding')
      return /tmk_[0-9A-Za-z]{46}/.exec(mails[0] ?? '')?.[0] ?? ''
    }
    const capsOf = async (key: string) => (await call(key, 'GET', '/v1/usage')).body.caps

    await t.test('for the free tier gets a working key at once', async t => {
      const { status, headers, body } = await signUp('gratis', 'free')
      t.match([status, headers.get('cache-control')], [200, 'no-store'])
      t.match(body, { status: 'created', tier: 'free', email_sent: false, checkout_url: null })
      t.match(await capsOf(body.api_key), { pages_per_day: 500, pages_per_month: 5_000 })
      t.equal(await mailedKey('gratis'), body.api_key)
      t.match((await call(body.api_key, 'GET', '/v1/billing/status')).body, { email: 'gratis@example.com' })
      const again = await signUp('gratis', 'free')
      t.match([again.status, again.body.error.code], [422, 'name_taken'])
      t.equal((await call(null, 'POST', '/v1/signup', { project_name: '?' })).status, 422)
    })

    await t.test('for a paid tier gets a key with its caps after the checkout', async t => {
      const { body } = await signUp('payer', 'pro')
      t.match(body, { status: 'checkout_required', tier: 'pro', mock: true, api_key: null })
      const checkout = await call(null, 'GET', `/v1/billing/checkout?intent_id=${body.intent_id}`)
      t.equal(checkout.body.checkout_url, body.checkout_url)
      t.ok(body.checkout_url.startsWith(`${base}/v1/billing/mock-checkout/`))

      const page = await (await fetch(body.checkout_url)).text()
      const [, path = ''] = /action="([^"]+\/pay)"/.exec(page) ?? []
      const form = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
      const paid = await fetch(new URL(path, base), form)
      t.match(await paid.text(), '<h1>Paid: your project is ready</h1>')
      await fetch(new URL(path, base), form)

      const key = await mailedKey('payer')
      t.match(await capsOf(key), { pages_per_day: 10_000, pages_per_month: 200_000 })
      t.match((await call(key, 'GET', '/v1/billing/status')).body, {
        tier: 'pro',
        subscription_status: 'active',
        email: 'payer@example.com',
        billing_mode: 'mock',
      })
      const paths = async (): Promise<string[]> =>
        (await call(key, 'GET', '/v1/logs')).body.items.map(({ path }: { path: string }) => path)
      await until(async () => (await paths()).includes('/v1/billing/status'))
      t.strictSame(
        (await paths()).filter(path => /signup|checkout/.test(path)),
        [],
        'no log has the requests before the key',
      )
      const over = await call(null, 'GET', `/v1/billing/checkout?intent_id=${body.intent_id}`)
      t.match([over.status, over.body.error.reason], [409, 'intent_fulfilled'])
    })

    await t.test('gets no mock checkout from a gateway that other machines can reach', async t => {
      const url = await secondGateway(t, system, { HOST: '0.0.0.0' })
      const open = url.replace('0.0.0.0', '127.0.0.1')
      const callOpen = async (method: string, path: string, body?: object) => {
        const headers = { 'content-type': 'application/json' }
        const response = await fetch(open + path, {
          method,
          headers,
          ...(body && { body: JSON.stringify(body) }),
        })
        return { status: response.status, body: (await response.json()) as { error?: object } }
      }
      const signUpThere = (project_name: string, tier: string) =>
        callOpen('POST', '/v1/signup', { project_name, tier, email: 'a@b.example' })
      const no = { status: 503, body: { error: { code: 'not_configured', message: /STRIPE_KEY.*HOST/ } } }
      t.match(await signUpThere('freeloader', 'studio'), no)
      t.match(await signUpThere('modest', 'free'), { status: 200, body: { status: 'created' } })
      const { body } = await signUp('waiting', 'studio')
      t.match(await callOpen('GET', `/v1/billing/checkout?intent_id=${body.intent_id}`), no)
      const { pathname } = new URL(body.checkout_url)
      t.match(await callOpen('GET', pathname), no)
      t.match(await callOpen('POST', `${pathname}/pay`, {}), no)
      t.equal((await fetch(body.checkout_url)).status, 200, 'the local gateway still has it')
    })

    await t.test('and pays while the service is killed gets one project and one mail', async t => {
      const { body } = await signUp('unlucky', 'agency')
      const event = JSON.stringify({
        id: `evt_${randomUUID()}`,
        type: 'checkout.session.completed',
        data: { object: { id: 'cs_1', client_reference_id: String(body.intent_id), payment_status: 'paid' } },
      })
      const hook = (payload = event) => {
        const time = Math.floor(Date.now() / 1000)
        const digest = createHmac('sha256', secret).update(`${time}.${event}`).digest('hex')
        return call(null, 'POST', '/v1/billing/webhook', payload, {
          'stripe-signature': `t=${time},v1=${digest}`,
        })
      }
      const forged = await hook(`${event} `)
      t.match([forged.status, forged.body.error.code], [400, 'invalid_signature'])

      const { processes, postgres } = await system.runFile()
      const control = processes.find(({ services }) => services.includes('auth-billing'))?.pid ?? 0
      const client = new pg.Client({ connectionString: postgres.url })
      await client.connect()
      t.teardown(() => client.end())
      await client.query('begin')
      await client.query('lock table account.mail in exclusive mode') // the last step of a payment waits
      const copies = Array.from({ length: 20 }, () => hook().catch(() => null))
      await untilBlocked(client, 'account.mail')
      process.kill(control, 'SIGKILL')
      await client.query('rollback')
      for (const answer of await Promise.all(copies)) t.not(answer?.status, 200)
      await until(async () => (await hook().catch(() => null))?.status === 200)
      for (const { status, body: answer } of await Promise.all(Array.from({ length: 20 }, () => hook())))
        t.match([status, answer], [200, { received: true, intent_id: body.intent_id }])
      t.match(await capsOf(await mailedKey('unlucky')), { pages_per_day: 50_000 })
      const { rows } = await client.query(
        `select count(*)::int as n from account.project where name like 'unlucky%'`,
      )
      t.equal(rows[0].n, 1)
    })
  })

  await t.test('Purging', async t => {
    const origin = await startOrigin({ pages })
    t.teardown(() => origin.close())
    const { postgres, nats } = await system.runFile()
    const pool = new pg.Pool({ connectionString: postgres.url, max: 3 })
    pool.on('error', () => {})
    t.teardown(() => pool.end())
    const bus = await openBus({ url: nats.url, name: 'test' })
    t.teardown(() => bus.close())
    const signedUp = await system.call(null, 'POST', '/v1/signup', {
      ...{ project_name: 'forgotten', tier: 'free', email: forgottenAddress },
    })
    const { api_key: key, project_id: project } = signedUp.body
    const neighbour = await system.createProject('remembering', '--unlimited')
    const call = (method: string, path: string, body?: object) => system.call(key, method, `/v1${path}`, body)
    const count = async (sql: string) =>
      Number((await pool.query(`select count(*) as n from ${sql}`)).rows[0].n)
    const messagesOf = async (stream: string, subject: string) => {
      const { state } = await bus.jsm.streams.info(stream, { subjects_filter: subject })
      return Object.values(state.subjects ?? {}).reduce((sum, n) => sum + n, 0)
    }
    const ofProject = `where project_id = ${project}`
    /** Returns the tables with this text in any row. */
    const tablesWith = async (text: string) => {
      const { rows } = await pool.query(
        `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
         where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
      )
      const found: string[] = []
      for (const { name } of rows)
        if ((await count(`${name} as row where strpos(row::text, '${text}') > 0`)) > 0) found.push(name)
      return found.sort()
    }

    const request = { delay_ms: 0, respect_robots: false }
    const ended = await system.crawl(key, { url: `${origin.url}/${mark}`, ...request })
    t.match(ended, { status: 'done', page_count: 2 })
    const file = { format: 'jsonl', select: { include: ['html'] } }
    const { id: exported } = (await call('POST', `/crawls/${ended.id}/exports`, file)).body
    await until(async () => (await call('GET', `/exports/${exported}`)).body.status === 'done')
    const { monitor_id: monitor } = (
      await call('POST', '/crawls', {
        ...{ url: `${origin.url}/${mark}/2`, ...request, cron: '0 0 29 2 *', headers: { 'X-Mine': mark } },
      })
    ).body
    await system.untilEnded(key, (await call('POST', `/crons/${monitor}/run`)).body.id)
    t.match((await call('GET', '/webhook/secret')).body, { secret_hex: /^[0-9a-f]{64}$/ })
    const running = (await call('POST', '/crawls', { url: `${origin.url}/slow/120000?${mark}`, ...request }))
      .body.id
    await system.admin('set-project', '--name', 'forgotten', '--proxy-url', `http://u:${mark}@127.1.0.9:9`)
    await system.crawl(neighbour, { url: `${origin.url}/`, ...request })
    await until(async () => (await count(`ledger.unit ${ofProject}`)) === 3)
    await until(async () => (await count(`read.log ${ofProject}`)) > 3)
    const billed = async () => ({
      units: await count(`ledger.unit ${ofProject}`),
      counted: (await pool.query(`select sum(pages)::int as n from ledger.counter ${ofProject}`)).rows[0].n,
      events: await messagesOf(streams.usage, subjects.usage(project)),
    })
    const before = await billed()
    t.ok((await tablesWith(forgottenAddress)).includes('account.billing'))

    /** Runs the command and kills it at its n-th progress line. */
    async function killedAt(line: number): Promise<void> {
      const args = ['deploy/local/admin.ts', 'purge-project', '--name', 'forgotten', '--yes']
      const env = { ...process.env, TIDEMARK_DIR: system.dir }
      const child = spawn(process.execPath, args, { cwd: checkout, env, stdio: ['ignore', 'ignore', 'pipe'] })
      const exited = once(child, 'exit')
      let lines = 0
      for await (const _ of createInterface({ input: child.stderr })) {
        if (++lines === line) child.kill('SIGKILL')
      }
      const [, signal] = await exited
      t.equal(signal, 'SIGKILL', `killed at line ${line}`)
    }

    await t.test('a project needs its name and --yes', async t => {
      await t.rejects(system.admin('purge-project', '--name', 'forgotten'), { code: 2 })
      await t.rejects(system.admin('purge-project', '--name', 'nobody', '--yes'), { code: 1 })
      await t.rejects(system.admin('purge-project', '--yes'), { code: 2 })
      t.equal((await call('GET', '/usage')).status, 200)
    })

    await t.test('a project has the same result after kills at any line', async t => {
      for (let line = 1; line <= steps; line++) await killedAt(line)
      const purge = () => system.admin('purge-project', '--name', 'forgotten', '--yes')
      t.match(await purge(), { project_id: project, name: 'forgotten', subscription: null })
      const none = {
        keys: 0,
        addresses: 0,
        monitors: 0,
        runs: 0,
        exports: 0,
        batches: 0,
        scans: 0,
        secrets: 0,
        calls: 0,
      }
      t.strictSame(await purge(), { project_id: project, name: 'forgotten', ...none, subscription: null })
    })

    await t.test('leaves only bills, the id and the name', async t => {
      t.equal((await call('GET', '/usage')).status, 401)
      for (const rows of [
        `account.key ${ofProject} and revoked_at is null`,
        `scheduler.monitor ${ofProject}`,
        `scheduler.idempotency_key ${ofProject}`,
        `webhook.secret ${ofProject}`,
        `content.export ${ofProject}`,
        `content.export_part ${ofProject}`,
        `read.run ${ofProject}`,
        `read.page ${ofProject}`,
        `read.log ${ofProject}`,
        `coordinator.admission ${ofProject} and (released_at is null or url is not null)`,
      ]) {
        await until(async () => (await count(rows)) === 0, 30_000)
        t.equal(await count(rows), 0, rows)
      }
      t.equal(await messagesOf(streams.audit, subjects.audit(project)), 0)
      t.equal(await messagesOf(streams.monitors, subjects.monitor(monitor)), 1, 'the event of its deletion')
      t.equal(await messagesOf(streams.exports, subjects.export(exported)), 0)
      t.equal(await messagesOf(streams.runs, subjects.run(running)), 1, 'the event of its deletion')
      await until(async () => (await tablesWith(mark)).length === 0, 30_000)
      t.strictSame(await tablesWith(mark), [])
      t.strictSame(await tablesWith(forgottenAddress), [])
      t.strictSame(await billed(), before, 'the bills remain')
      t.equal(
        await count(`account.project where id = ${project} and name = 'forgotten' and proxy is null`),
        1,
      )
      // The name stays reserved.
      await t.rejects(system.admin('create-project', '--name', 'forgotten'), { code: 1, stderr: /already/ })
    })

    await t.test('runs by age spares those that monitors compare with', async t => {
      const old = await system.crawl(neighbour, { url: `${origin.url}/`, ...request })
      const own = (method: string, path: string, body?: object) =>
        system.call(neighbour, method, `/v1${path}`, body)
      const { monitor_id } = (
        await own('POST', '/crawls', { url: `${origin.url}/`, ...request, cron: '0 0 29 2 *' })
      ).body
      const baseline = await system.untilEnded(
        neighbour,
        (await own('POST', `/crons/${monitor_id}/run`)).body.id,
      )
      const purge = (age: string, ...yes: string[]) =>
        system.admin('purge-runs', '--project', 'remembering', '--older-than', age, ...yes)
      t.match(await purge('1d', '--yes'), { ok: true, deleted: 0, failed: { length: 0 } })
      const url = `${origin.url}/`
      t.match(await purge('0h'), {
        name: 'remembering',
        before: String,
        found: 2,
        first: { url, ended_at: String },
        last: { run_id: old.id, url },
        deleted: 0,
      })
      t.equal((await own('GET', `/crawls/${old.id}`)).status, 200, 'without --yes runs are only counted')
      t.match(await purge('0h', '--yes'), { deleted: 2 })
      await until(async () => (await own('GET', `/crawls/${old.id}`)).status === 404)
      t.equal((await own('GET', `/crawls/${baseline.id}`)).status, 200)
      const one = (...yes: string[]) => system.admin('purge-run', '--id', String(baseline.id), ...yes)
      t.match(await one(), { run_id: baseline.id, url, status: 'done', deleted: false })
      t.equal((await own('GET', `/crawls/${baseline.id}`)).status, 200, 'without --yes the run is only shown')
      t.match(await one('--yes'), { run_id: baseline.id, url, deleted: true })
      t.match(await one('--yes'), { deleted: false })
      t.equal((await own('GET', `/crawls/${baseline.id}`)).status, 404)
      await t.rejects(system.admin('purge-run', '--id', '4711'), { code: 1, stderr: /never existed/ })
    })

    await t.test('leaves consistent data', async t => {
      t.match(await system.admin('verify'), { ok: true })
    })
  })
})

/** A proxy between a gateway and its NATS. When cut, it closes every connection and accepts none. */
async function cuttable(port: number) {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer(client => {
    if (isCut) return client.destroy()
    const behind = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [client, behind],
      [behind, client],
    ] as const) {
      sockets.add(from)
      from.pipe(to)
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  const { port: front, close } = await listening(server)
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: front,
    cut,
    mend() {
      isCut = false
    },
    async close() {
      cut()
      await close()
    },
  }
}
