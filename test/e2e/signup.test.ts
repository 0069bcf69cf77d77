/**
 * How a new user gets a key: free, or by a checkout in a browser without scripts, even if the service is killed
 * meanwhile.
 */
import { createHmac, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '@tidemark/testing/until'
import pg from 'pg'
import { test } from 'tap'
import { secondGateway } from './second-gateway.ts'
import { startSystem } from './system.ts'

const secret = 'whsec_of_this_test'

test('A user who signs up', async t => {
  const system = await startSystem({ STRIPE_WEBHOOK_SECRET: secret, SIGNUPS_PER_ADDRESS: '50' })
  t.teardown(() => system.stop())
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
    await until(async () => {
      const { rows } = await client.query(
        `select count(*)::int as n from pg_locks where not granted and relation = 'account.mail'::regclass`,
      )
      return rows[0].n > 0
    })
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
