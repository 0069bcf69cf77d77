/** Signups and payments with a real bus and database: nothing is created twice, and no limit is exceeded. */
import { spawn } from 'node:child_process'
import { hash, randomUUID } from 'node:crypto'
import type { Refusal } from '@tidemark/bus/refusal'
import { call } from '@tidemark/bus/rpc'
import { readSettings } from '@tidemark/config/settings'
import { networkOf, wideNetworkOf } from '@tidemark/contracts/client-network'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'
import * as signupRpc from '@tidemark/contracts/rpc/signup'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { declareStreams } from '@tidemark/deploy/nats/declare'
import { sealer } from '@tidemark/secrets/seal'
import { createLog } from '@tidemark/telemetry/log'
import { kill, surroundings } from '@tidemark/testing/surroundings'
import { sized } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import fc from 'fast-check'
import { type Test, test } from 'tap'
import { Type } from 'typebox'
import { database } from './database.ts'
import { namesFor } from './domain/intent.ts'
import { isSigned, signatureOf, toleranceSeconds } from './domain/payment-signature.ts'
import { dayStart, waitForAttempt } from './domain/signup-limits.ts'
import { takePayment } from './handlers/take-payment.ts'
import { startService } from './service.ts'
import { isRealKey, payments } from './settings-payments.ts'
import {
  baseUrl,
  completed,
  formServer,
  secondsNow,
  signed,
  strangers,
  webhookSecret,
} from './signup.scene.ts'

const SECRETS_KEY = '0'.repeat(64)
const hourMs = 3_600_000

test('The network of a client', async t => {
  for (const [ip, network, wide] of [
    ['203.0.113.9', '203.0.113.9', null],
    ['::ffff:203.0.113.9', '203.0.113.9', null],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1::/48'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64', '2001:db8:1::/48'],
    ['2001:db8::9', '2001:db8:0:0::/64', '2001:db8:0::/48'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64', 'fe80:0:0::/48'],
    ['::1', '0:0:0:0::/64', '0:0:0::/48'],
  ] as const)
    t.strictSame([networkOf(ip), wideNetworkOf(ip)], [network, wide], ip)
})

test('Attempts are counted within any 24 hours, successes by the UTC day', async t => {
  const noon = Date.parse('2026-11-21T12:00:00Z')
  t.equal(waitForAttempt([noon, noon - hourMs], 3, noon), null)
  t.equal(waitForAttempt([noon, noon - hourMs, noon - 23 * hourMs], 3, noon), 3_600)
  t.equal(waitForAttempt([noon + 5_000], 1, noon), 86_400, 'an attempt by a clock that is ahead')
  t.equal(waitForAttempt([noon - 24 * hourMs + 1_500], 1, noon), 2, 'whole seconds, rounded up')
  t.equal(new Date(dayStart(noon)).toISOString(), '2026-11-21T00:00:00.000Z')
})

test('A late payment gets a name similar to the one that was taken meanwhile', async t => {
  t.strictSame(namesFor({ id: 12, projectName: 'acme' }).slice(0, 3), ['acme', 'acme-12', 'acme-12-2'])
  for (const name of namesFor({ id: Number.MAX_SAFE_INTEGER, projectName: 'x'.repeat(64) }))
    t.ok(/^[\w-]{1,64}$/.test(name), name)
})

test('A text that is neither a key of Stripe nor a placeholder is rejected, or every tier would be free', async t => {
  const random = 'a1B2'.repeat(8)
  const read = (STRIPE_KEY: string) => readSettings(Type.Object(payments), { STRIPE_KEY }).STRIPE_KEY
  const real = [`sk_test_${random}`, `rk_live_${random}`, `sk_live_${random}xxxxxx`, `sk_live_your${random}`]
  for (const key of real) t.equal(isRealKey(read(key)), true, key)
  const placeholders = ['', 'sk_test_placeholder', `sk_test_${'x'.repeat(32)}`, 'changeme', 'your-key-here']
  for (const text of placeholders) t.equal(isRealKey(read(text)), false, text)
  for (const mistyped of [
    'sk_test_123',
    'sk_live_short',
    'sk_live_placeholder',
    'SK_LIVE_example',
    `sk_live_${random}\u2026`,
    `sk_live_ ${random}`,
    `sk-live-${random}`,
    `"sk_live_${random}"`,
    `Bearer sk_live_${random}`,
    `k_live_${random}`,
    `pk_live_${random}`,
    `whsec_${random}`,
    'none',
  ])
    t.throws(
      () => read(mistyped),
      { code: 'SETTINGS_BAD', message: /STRIPE_KEY is neither a key of Stripe nor a placeholder/ },
      mistyped,
    )
})

test('A signature is valid for these bytes, this time and this secret', async t => {
  const body = Buffer.from('{"id":"evt_1"}')
  const now = 1_767_323_050
  const right = signatureOf(body, 's', now)
  const [time, digest] = right.split(',')
  t.equal(signed(body.toString(), { secret: 's', at: now }), right)
  for (const header of [right, ` ${time} , ${digest} `, `${time},v1=00,${digest}`, `${time},v0=1,${digest}`])
    t.equal(isSigned(header, body, 's', now), true, header)
  for (const header of [
    '',
    't=',
    `${digest}`,
    `${time}`,
    `${time},v1=`,
    `t=x,${digest}`,
    `${time},${digest?.replace('v1', 'v0')}`,
  ])
    t.equal(isSigned(header, body, 's', now), false, header)
  for (const [apart, holds] of [
    [toleranceSeconds, true],
    [-toleranceSeconds, true],
    [toleranceSeconds + 1, false],
    [-toleranceSeconds - 1, false],
  ] as const)
    t.equal(isSigned(right, body, 's', now + apart), holds, `${apart} s`)
  const anyBytes = fc.uint8Array({ minLength: 1 })
  fc.assert(
    fc.property(anyBytes, fc.nat(), fc.integer({ min: 1, max: 255 }), (bytes, at, change) => {
      const changed = bytes.with(at % bytes.length, (bytes[at % bytes.length] ?? 0) ^ change)
      const signature = signatureOf(bytes, 's', now)
      return (
        isSigned(signature, bytes, 's', now) &&
        !isSigned(signature, changed, 's', now) &&
        !isSigned(signature, bytes, 'other', now)
      )
    }),
    { numRuns: 50 },
  )
  fc.assert(fc.property(fc.string(), header => !isSigned(header, body, 's', now)))
})

test('A payment that creates no project is one error in the log', async t => {
  const lines: string[] = []
  let received = 0
  const take = takePayment({
    payments: { mode: 'live' },
    webhookSecret,
    fulfil: async () => ({ reason: 'other_session', isNew: received++ === 0 }),
    publish: () => {},
    log: createLog('auth-billing', { write: line => void lines.push(line) }),
    trace: () => undefined,
    now: Date.now,
  })
  const event = completed(12, { id: 'cs_test_lost' }, 'evt_lost')
  const request = { body: Buffer.from(event).toString('base64'), signatures: [signed(event)], baseUrl: '' }
  for (const _ of [1, 2]) t.match(await take(request), { reason: 'other_session' })
  t.equal(lines.length, 1)
  const [line = ''] = lines
  t.match(line, /"(?:level|severity)":"?(?:50|error|ERROR)/)
  t.match(JSON.parse(line), {
    event: 'evt_lost',
    session: 'cs_test_lost',
    intent: 12,
    reason: 'other_session',
  })
})

type Around = Awaited<ReturnType<typeof surroundings>>

/** Empties the tables and returns functions that start services with these settings. They stop with the test. */
async function service(t: Test, around: Around, settings: Record<string, string> = {}) {
  const { bus, pool } = around
  await pool.query(
    'truncate account.project, account.key, account.intent, account.billing, account.signup_attempt, account.payment_event, account.mail cascade',
  )
  const env = { ...around.env, SECRETS_KEY, STRIPE_WEBHOOK_SECRET: webhookSecret, ...settings }
  const stack = new AsyncDisposableStack()
  t.teardown(() => stack.disposeAsync())
  const client = strangers(bus)
  const isReady = async () =>
    (await client.checkout(Number.MAX_SAFE_INTEGER).catch(({ status }) => status)) === 404
  const start = async (more: Record<string, string> = {}) => {
    const started = stack.use(await startService({ ...env, ...more }, new AbortController().signal))
    await until(isReady)
    return started
  }
  const count = async (table: string): Promise<number> =>
    (await pool.query(`select count(*)::int as n from account.${table}`)).rows[0].n
  const refusal = (request: Promise<unknown>): Promise<Refusal> =>
    request.then(
      () => t.fail('not refused'),
      error => error,
    )
  const eventsOf = async (subject: string, type: string) => {
    let text = ''
    await until(async () => {
      const found = await bus.jsm.direct.getMessage(streams.accounts, { last_by_subj: subject })
      text = found?.string() ?? ''
      return text.includes(`"${type}"`)
    })
    return JSON.parse(text).events
  }
  return { ...around, env, start, isReady, count, refusal, eventsOf, ...client }
}

/** Limits that these tests never reach. */
const wide = { SIGNUPS_PER_ADDRESS: '1000', SIGNUPS_PER_DAY: '1000' }

test('Strangers', async t => {
  const around = await surroundings(t, { database, declare: declareStreams })

  await t.test('Hundreds of concurrent signups', async t => {
    const { start, count, signUp } = await service(t, around)
    await Promise.all([start(), start()])
    const results = await Promise.allSettled(
      Array.from({ length: sized(300, 1_000) }, (_, n) =>
        signUp(`p-${n}`, { clientIp: `203.0.113.${n % 40}` }),
      ),
    )
    const refused = results.flatMap(result => (result.status === 'rejected' ? [result.reason] : []))
    t.equal(results.length - refused.length, 100, 'a hundred succeed')
    t.ok(refused.every(({ status, code }) => status === 422 && code === 'signup_rate_limited'))
    t.ok(refused.every(({ retryAfterSeconds }) => retryAfterSeconds > 0 && retryAfterSeconds <= 86_400))
    const ips = new Map<number, number>()
    for (const [n, { status }] of results.entries())
      if (status === 'fulfilled') ips.set(n % 40, (ips.get(n % 40) ?? 0) + 1)
    t.ok([...ips.values()].every(successes => successes <= 3))
    t.ok(ips.size >= 34, 'three per address, so they come from at least 34')
    t.strictSame([await count('project'), await count('key'), await count('mail')], [100, 100, 100])
  })

  await t.test('Three attempts per address', async t => {
    const { start, count, signUp, refusal, pool } = await service(t, around)
    await Promise.all([start(), start()])
    const from = (clientIp: string) =>
      Promise.allSettled(Array.from({ length: 25 }, () => signUp(`n-${randomUUID()}`, { clientIp })))
    const successes = (all: PromiseSettledResult<unknown>[]) =>
      all.filter(({ status }) => status === 'fulfilled').length
    t.equal(
      successes((await Promise.all([from('2001:db8::1'), from('2001:db8::2:1')])).flat()),
      3,
      'from one /64',
    )
    t.equal(successes((await Promise.all(['198.51.100.1', '198.51.100.2'].map(from))).flat()), 6)

    await signUp('taken', { clientIp: '198.51.100.3' })
    for (const _ of [1, 2])
      t.match(await refusal(signUp('taken', { clientIp: '198.51.100.3' })), {
        code: 'name_taken',
        status: 422,
      })
    t.match(
      await refusal(signUp('another', { clientIp: '198.51.100.3' })),
      { code: 'signup_rate_limited', reason: 'attempts_of_address' },
      'a taken name was an attempt too',
    )
    await pool.query(`update account.signup_attempt set at = at - interval '24 hours'`)
    await signUp('another', { clientIp: '198.51.100.3' })
    t.equal(await count('project'), 11)
    const { rows } = await pool.query('select * from account.signup_attempt')
    t.notMatch(JSON.stringify(rows), /198\.51|2001:db8/)
  })

  await t.test('Ten attempts per IPv6 /48, from any number of its /64', async t => {
    const { start, count, signUp } = await service(t, around)
    await Promise.all([start(), start()])
    const from = async (...ips: string[]) => {
      const all = await Promise.allSettled(ips.map(clientIp => signUp(`n-${randomUUID()}`, { clientIp })))
      return all.flatMap(one => (one.status === 'rejected' ? [one.reason] : []))
    }
    const hexOf = (n: number) => n.toString(16)
    const refused = await from(...Array.from({ length: 34 }, (_, n) => `2001:db8:7:${hexOf(n)}::1`))
    t.equal(refused.length, 24)
    for (const one of refused)
      t.match(one, { status: 422, code: 'signup_rate_limited', reason: 'attempts_of_network' })
    t.ok(refused.every(({ retryAfterSeconds }) => retryAfterSeconds > 86_000 && retryAfterSeconds <= 86_400))
    const others = Array.from({ length: 12 }, (_, n) => [`2001:db8:${hexOf(n + 8)}::1`, `198.51.100.${n}`])
    t.strictSame(await from(...others.flat()), [], 'another /48 and IPv4 addresses are counted separately')
    t.equal(await count('project'), 34)
  })

  await t.test('Unpaid checkouts', async t => {
    const { start, count, signUp, pay, refusal, pool } = await service(t, around, {
      SIGNUPS_PER_ADDRESS: '1000',
      SIGNUPS_PER_DAY: '3',
      CHECKOUTS_PER_DAY: '8',
    })
    await Promise.all([start(), start()])
    const begun = await Promise.allSettled(
      Array.from({ length: 40 }, (_, n) => signUp(`held-${n}`, { tier: 'pro' })),
    )
    const refused = begun.flatMap(one => (one.status === 'rejected' ? [one.reason] : []))
    t.equal(refused.length, 32, 'have their own limit, also for concurrent requests')
    for (const one of refused)
      t.match(one, { status: 422, code: 'signup_rate_limited', reason: 'checkouts_of_day' })
    t.equal(await count('intent'), 8)

    await signUp('gratis-1')
    const [intentId] = begun.flatMap(one => (one.status === 'fulfilled' ? [one.value.intent_id ?? 0] : []))
    t.match(await pay(completed(intentId ?? 0)), { received: true })
    await signUp('late', { tier: 'pro' })
    await signUp('gratis-2')
    const full = { status: 422, code: 'signup_rate_limited', reason: 'signups_of_day' }
    t.match(await refusal(signUp('gratis-3')), full, 'count as signups of the day only when they are paid')
    t.match(await refusal(signUp('later', { tier: 'pro' })), full)
    await pool.query(`update account.signup_attempt set succeeded_at = succeeded_at - interval '1 day'`)
    await signUp('gratis-3')
  })

  await t.test('A free signup', async t => {
    const { bus, start, signUp, billing, refusal, pool, eventsOf } = await service(t, around, wide)
    await start()
    const made = await signUp('acme')
    const { project_id: projectId = 0, api_key: apiKey, ...answer } = made
    t.strictSame(answer, {
      status: 'created',
      project_name: 'acme',
      tier: 'free',
      prefix: apiKey?.slice(0, 12),
      label: 'signup',
      email: 'acme@example.com',
      email_sent: false,
      intent_id: null,
      checkout_url: null,
    })
    const { key } = await call(
      bus,
      accountsRpc.findKey,
      { prefix: answer.prefix ?? '' },
      { timeoutMs: 9_000 },
    )
    t.match(key, { hash: hash('sha256', apiKey ?? ''), projectId, tier: 'free', unlimited: false })
    t.match(await billing(projectId), { tier: 'free', email: 'acme@example.com', billing_mode: 'mock' })
    const { rows } = await pool.query('select recipient, subject, body from account.mail')
    t.equal(rows.length, 1)
    t.match(rows[0], { recipient: 'acme@example.com', subject: 'Your Tidemark key for acme' })
    const text = sealer(SECRETS_KEY).open(rows[0].body)
    t.match(text, apiKey ?? '')
    t.match(text, /If it is lost, write to the operator/, 'a new key needs a valid one')
    const events = await eventsOf(subjects.account(projectId), 'ProjectCreated')
    t.match(events, [{ type: 'ProjectCreated' }, { type: 'KeyCreated' }])
    t.notMatch(JSON.stringify(events), /@/, 'no e-mail address')

    t.match(await refusal(signUp('acme')), { code: 'name_taken', field: 'project_name' })
    const forty = await Promise.allSettled(Array.from({ length: 40 }, () => signUp('wanted')))
    t.equal(forty.filter(({ status }) => status === 'fulfilled').length, 1, 'one of forty')
  })

  await t.test('A key is reported as sent only with a mail server', async t => {
    const server = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'keys@example.com' }
    for (const [mails, isSent] of [
      [server, true],
      [{ MAIL_OUTBOX: t.testdir() }, false],
    ] as const) {
      const { start, signUp } = await service(t, around, { ...wide, ...mails })
      await using _ = await start()
      t.equal((await signUp('mailed')).email_sent, isSent)
    }
  })

  await t.test('A start without a challenge logs a warning', async t => {
    const { env } = await service(t, around, { MAIL_OUTBOX: t.testdir() })
    const warnings = async (more: Record<string, string>) => {
      const child = spawn(process.execPath, ['services/auth-billing/main.ts'], {
        env: { ...process.env, ...env, LOG_LEVEL: 'info', ...more },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      t.teardown(() => kill(child))
      let text = ''
      child.stdout.on('data', data => (text += data))
      await until(async () => text.includes('"started"'))
      return text.split('\n').filter(line => line.includes('"warn"'))
    }
    const [open, guarded, unpaid] = await Promise.all([
      warnings({}),
      warnings({ TURNSTILE_SECRET: 'x' }),
      warnings({ SIGNUP: 'off', MOCK_CHECKOUT: 'everywhere' }),
    ])
    const [warning, ...others] = open
    t.match(warning, /sign-up is open and has no challenge .*TURNSTILE_SECRET/)
    t.strictSame(others, [])
    t.strictSame(guarded, [])
    t.match(unpaid, [/every tier is available without payment by anyone/])
  })

  await t.test('Signup is disabled', async t => {
    const { start, signUp, refusal, count } = await service(t, around, { SIGNUP: 'off' })
    await start()
    t.match(await refusal(signUp('acme')), { status: 503, code: 'not_configured' })
    t.equal(await count('signup_attempt'), 0)
  })

  await t.test('A paid signup', async t => {
    const served = await service(t, around, wide)
    const { bus, pool, start, signUp, checkout, billing, pay, refusal, count, eventsOf } = served
    await start()
    let names = 0
    const intend = async () => {
      const { intent_id, ...more } = await signUp(`paid-${++names}`, { tier: 'pro' })
      return { intentId: intent_id ?? 0, name: more.project_name, ...more }
    }
    const projectOf = async (name: string) =>
      (await pool.query('select id, tier from account.project where name = $1', [name])).rows[0]

    await t.test('is an intent with a checkout, and no project yet', async t => {
      const { intentId, name, ...answer } = await intend()
      t.match(answer, { status: 'checkout_required', tier: 'pro', mock: true, api_key: null })
      t.match(
        answer.checkout_url,
        /^http:\/\/tidemark\.example\/v1\/billing\/mock-checkout\/cs_mock_[\w-]{32}$/,
      )
      t.strictSame(await checkout(intentId), {
        checkout_url: answer.checkout_url,
        mock: true,
        intent_id: intentId,
        tier: 'pro',
      })
      t.match(await eventsOf(subjects.intent(intentId), 'CheckoutCreated'), [
        { type: 'CheckoutCreated', data: { intentId } },
      ])
      t.equal(await projectOf(name), undefined)
      t.match(await refusal(signUp(name)), { code: 'name_taken' }, 'its name is reserved')
      const project = { name, tier: 'pro', unlimited: false } as const
      t.match(await refusal(call(bus, accountsRpc.createProject, project, { timeoutMs: 5_000 })), {
        reason: 'name_taken',
        message: `The name "${name}" is reserved by an unpaid checkout for up to 24 hours. Choose another name, or try again later.`,
      })
      t.match(await refusal(checkout(999)), { status: 404, code: 'not_found' })
    })

    await t.test('becomes a project when it is paid, with a key by mail', async t => {
      const { intentId, name } = await intend()
      t.strictSame(await pay(completed(intentId)), { received: true, intent_id: intentId })
      const project = await projectOf(name)
      t.equal(project.tier, 'pro')
      t.strictSame(await billing(Number(project.id)), {
        tier: 'pro',
        payment_customer_id: 'cus_1',
        payment_subscription_id: 'sub_1',
        subscription_status: 'active',
        email: `${name}@example.com`,
        billing_mode: 'mock',
      })
      const { rows } = await pool.query('select recipient, body from account.mail')
      t.match(rows, [{ recipient: `${name}@example.com` }])
      t.match(sealer(SECRETS_KEY).open(rows[0].body), 'curl http://tidemark.example/v1/scan')
      t.match(sealer(SECRETS_KEY).open(rows[0].body), /tmk_[0-9A-Za-z]{46}\n/)
      t.match(await eventsOf(subjects.account(Number(project.id)), 'BillingSet'), [
        { type: 'ProjectCreated' },
        { type: 'KeyCreated' },
        { type: 'BillingSet', data: { mode: 'mock', subscriptionStatus: 'active' } },
      ])
      t.equal((await eventsOf(subjects.intent(intentId), 'IntentFulfilled')).length, 1)
      t.match(await refusal(checkout(intentId)), { status: 409, reason: 'intent_fulfilled' })
      t.match(await refusal(signUp(name)), { code: 'name_taken' })
    })

    await t.test('is fulfilled once by twenty copies of an event and by another event', async t => {
      const { intentId, name } = await intend()
      const before = await count('mail')
      const event = completed(intentId)
      const answers = await Promise.all(Array.from({ length: 20 }, () => pay(event)))
      answers.push(await pay(event), await pay(completed(intentId)))
      for (const answer of answers) t.strictSame(answer, { received: true, intent_id: intentId })
      t.equal(await count(`project where name like '${name}%'`), 1)
      t.equal(await count('mail'), before + 1)
    })

    await t.test('accepts 64 concurrent events, and no more', async t => {
      const { intentId } = await intend()
      const client = await pool.connect()
      await client.query('begin')
      await client.query('lock table account.mail in exclusive mode')
      const event = completed(intentId)
      const refused: Refusal[] = []
      const requests = Array.from({ length: 70 }, () => pay(event).catch(error => void refused.push(error)))
      await until(async () => refused.length >= 6)
      await client.query('rollback')
      client.release()
      const answers = (await Promise.all(requests)).filter(answer => answer !== undefined)
      t.strictSame([answers.length, refused.length], [64, 6])
      t.ok(answers.every(({ received }) => received))
      for (const one of refused) t.match(one, { code: 'unavailable', retryAfterSeconds: 10 })
    })

    await t.test('rejects events without a valid signature', async t => {
      const { intentId, name } = await intend()
      const event = completed(intentId)
      const no = { status: 400, code: 'invalid_signature' }
      const late = signed(event, { at: secondsNow() - 301 })
      const early = signed(event, { at: secondsNow() + 310 })
      for (const signature of [
        '',
        'x',
        late,
        early,
        signed(event, { secret: 'another' }),
        signed(`${event} `),
      ])
        t.match(await refusal(pay(event, signature)), no, signature)
      t.match(await refusal(pay(`${event} `, signed(event))), no, 'a changed body')
      t.equal(await projectOf(name), undefined)
      t.strictSame(await pay(event, `${signed(event)},v1=${'0'.repeat(64)}`), {
        received: true,
        intent_id: intentId,
      })
    })

    await t.test('ignores events without effect, with a reason', async t => {
      const { intentId, name } = await intend()
      const type = 'checkout.session.completed'
      const other = (type: string) => JSON.stringify({ id: 'evt_other', type, data: { object: {} } })
      for (const name of ['invoice.paid', 'checkout.session.expired', 'customer.subscription.deleted'])
        t.strictSame(await pay(other(name)), { ignored: name })
      const before = await count('payment_event')
      const recorded: unknown[] = []
      for (const unknown of ['0', '999', 'x', '1e3', '', null]) {
        const id = `cs_of_${unknown}`
        const event = completed(unknown ?? '', { id, ...(unknown === null && { client_reference_id: null }) })
        for (const _ of [1, 2])
          t.strictSame(await pay(event), { ignored: type, reason: 'unknown_intent' }, `${unknown}`)
        const intent_id = unknown === '999' ? unknown : null
        recorded.push({ type, intent_id, session_id: id, reason: 'unknown_intent' })
      }
      const { rows } = await pool.query(
        `select type, intent_id, session_id, reason from account.payment_event
         where reason is not null order by received_at`,
      )
      t.strictSame(rows, recorded, 'each payment is recorded once')
      t.strictSame(await pay(other(type)), { ignored: type, reason: 'unknown_intent' })
      const unpaid = { payment_status: 'unpaid' }
      t.strictSame(await pay(completed(intentId, unpaid)), { ignored: type, reason: 'unpaid' })
      t.equal(await count('payment_event'), before + recorded.length, 'no other event is recorded')
      for (const text of ['{', '[]', '{"id":1}'])
        t.match(await refusal(pay(text)), { status: 400, code: 'invalid_input' }, text)
      t.equal(await projectOf(name), undefined)
      const free = { payment_status: 'no_payment_required', customer: null, subscription: null }
      t.match(await pay(completed(intentId, free)), { received: true })
    })

    await t.test('accepts the intent as a number, as intent_id of the signup is', async t => {
      const { intentId, name } = await intend()
      const event = completed(intentId, { client_reference_id: intentId })
      t.strictSame(await pay(event), { received: true, intent_id: intentId })
      t.equal((await projectOf(name))?.tier, 'pro')
    })

    await t.test('expires, which frees its name; a late payment gets a similar one', async t => {
      const { intentId, name } = await intend()
      await pool.query(`update account.intent set expires_at = now() where id = $1`, [intentId])
      t.match(await refusal(checkout(intentId)), { status: 409, reason: 'intent_expired' })
      await signUp(name)
      t.match(await pay(completed(intentId)), { received: true })
      t.match(await projectOf(`${name}-${intentId}`), { tier: 'pro' })
      const again = await intend()
      await pool.query(`update account.intent set expires_at = now() where id = $1`, [again.intentId])
      const next = await signUp(again.name, { tier: 'studio' })
      t.not(next.intent_id, again.intentId)
      t.match(await eventsOf(subjects.intent(again.intentId), 'IntentExpired'), [{ type: 'IntentExpired' }])
      t.match(await pay(completed(next.intent_id ?? 0)), { received: true })
      t.match(await projectOf(again.name), { tier: 'studio' })
    })

    await t.test('gets its name with a late payment, before the sweep ends a later intent of it', async t => {
      const { intentId, name } = await intend()
      const expireNow = (id: number | null) =>
        pool.query(`update account.intent set expires_at = now() where id = $1`, [id])
      await expireNow(intentId)
      const later = (await signUp(name, { tier: 'studio' })).intent_id ?? 0
      await expireNow(later)
      t.match(await pay(completed(intentId)), { received: true })
      t.match(await projectOf(name), { tier: 'pro' })
      t.match(await eventsOf(subjects.intent(later), 'IntentExpired'), [{ type: 'IntentExpired' }])
      t.match(await pay(completed(later)), { received: true })
      t.match(await projectOf(`${name}-${later}`), { tier: 'studio' })
    })

    await t.test('can be paid at the mock, which signs like a provider', async t => {
      const { intentId, name, checkout_url } = await intend()
      const sessionId = checkout_url?.split('/').at(-1) ?? ''
      const read = (sessionId: string) =>
        call(bus, signupRpc.readMockCheckout, { sessionId, isLocal: true }, { timeoutMs: 9_000 })
      t.match(await read(sessionId), {
        projectName: name,
        tier: 'pro',
        status: 'open',
        email: 'p***@example.com',
        mails: 'wait',
      })
      t.equal(await read('cs_mock_nobody'), null)
      const event = await call(
        bus,
        signupRpc.payMockCheckout,
        { sessionId, isLocal: true },
        { timeoutMs: 9_000 },
      )
      t.strictSame(await pay(event?.body ?? '', event?.signature), { received: true, intent_id: intentId })
      t.match(await read(sessionId), { status: 'paid' })
    })
  })

  await t.test(
    'A mock checkout sells paid tiers only on loopback, unless the operator allows more',
    async t => {
      const { bus, start, signUp, checkout, refusal, pay, count } = await service(t, around, wide)
      const running = await start()
      const no = { status: 503, code: 'not_configured', message: /STRIPE_KEY.*HOST.*MOCK_CHECKOUT/ }
      t.match(await refusal(signUp('public', { tier: 'studio', isLocal: false })), { ...no, field: 'tier' })
      const ofOlderGateway = {
        ...{
          projectName: 'public',
          email: 'a@b.example',
          tier: 'pro' as const,
          token: null,
          clientIp: '',
          baseUrl,
        },
      }
      t.match(await refusal(call(bus, signupRpc.signUp, ofOlderGateway, { timeoutMs: 9_000 })), no)
      t.equal(await count('signup_attempt'), 0, 'no attempt is counted')
      t.match(await signUp('gratis', { isLocal: false }), { status: 'created' })

      const { intent_id, checkout_url } = await signUp('local', { tier: 'pro' })
      const intentId = intent_id ?? 0
      const sessionId = checkout_url?.split('/').at(-1) ?? ''
      const read = (
        rpc: typeof signupRpc.readMockCheckout | typeof signupRpc.payMockCheckout,
        isLocal: boolean,
      ) => call(bus, rpc, { sessionId, isLocal }, { timeoutMs: 9_000 })
      t.match(await refusal(checkout(intentId, false)), no)
      for (const rpc of [signupRpc.readMockCheckout, signupRpc.payMockCheckout]) {
        t.match(await refusal(read(rpc, false)), no)
        t.ok(await read(rpc, true))
      }
      await running[Symbol.asyncDispose]()

      await start({ MOCK_CHECKOUT: 'everywhere' })
      t.match(await signUp('public', { tier: 'studio', isLocal: false }), { mock: true })
      t.match(await checkout(intentId, false), { checkout_url })
      t.ok(await read(signupRpc.payMockCheckout, false))
      t.match(await pay(completed(intentId)), { received: true })
      t.match(await refusal(checkout(intentId, false)), { status: 409, reason: 'intent_fulfilled' })
    },
  )

  await t.test('A kill during a payment leaves no rows, and the next copy writes all of them', async t => {
    const { pool, start, spawn, signUp, pay, count, refusal, isReady } = await service(t, around, wide)
    const first = await start()
    const { intent_id: intentId } = await signUp('late', { tier: 'agency' })
    await first[Symbol.asyncDispose]()
    const child = spawn('services/auth-billing/main.ts', {
      SECRETS_KEY,
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      LOG_LEVEL: 'silent',
    })
    await until(isReady)
    // The last step of the transaction waits, so the transaction is open when its process is killed.
    const client = await pool.connect()
    await client.query('begin')
    await client.query('lock table account.mail in exclusive mode')
    const event = completed(intentId ?? 0)
    const requests = Array.from({ length: 5 }, () => refusal(pay(event, signed(event), 2_000)))
    await until(isBlocked)
    await kill(child)
    await client.query('rollback')
    client.release()
    t.ok((await Promise.all(requests)).every(({ code }) => code === 'unavailable'))
    t.strictSame([await count('project'), await count('payment_event'), await count('mail')], [0, 0, 0])

    await start()
    const answers = await Promise.all(Array.from({ length: 20 }, () => pay(event)))
    t.ok(answers.every(({ received }) => received))
    t.strictSame([await count('project'), await count('payment_event'), await count('mail')], [1, 1, 1])

    async function isBlocked(): Promise<boolean> {
      const { rows } = await pool.query(
        `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return rows[0].n > 0
    }
  })

  await t.test('Unpaid intents expire, and are deleted later', async t => {
    const { pool, start, signUp, count, eventsOf } = await service(t, around, wide)
    const first = await start()
    const { intent_id: intentId } = await signUp('idle', { tier: 'pro' })
    await first[Symbol.asyncDispose]()
    const endedSince = (ago: string) =>
      pool.query('update account.intent set expires_at = now() - $1::interval', [ago])
    await endedSince('1 second')
    const second = await start()
    t.match(await eventsOf(subjects.intent(intentId ?? 0), 'IntentExpired'), [{ data: { intentId } }])
    t.equal(await count(`intent where status = 'expired'`), 1)
    await second[Symbol.asyncDispose]()
    await endedSince('31 days')
    await start()
    await until(async () => (await count('intent')) === 0)
  })

  await t.test('A challenge', async t => {
    let answer: object | null = { success: true }
    const verifier = await formServer(() => answer)
    t.teardown(verifier.close)
    const { start, signUp, refusal, count } = await service(t, around, {
      ...wide,
      TURNSTILE_SECRET: 'secret-of-widget',
      TURNSTILE_URL: `${verifier.url}/siteverify`,
    })
    await start()
    t.match(await refusal(signUp('none')), {
      status: 422,
      code: 'challenge_failed',
      field: 'turnstile_token',
    })
    t.equal(verifier.received.length, 0, 'a missing token is not verified')
    await signUp('human', { token: 'tok', clientIp: '198.51.100.7' })
    t.match(Object.fromEntries(verifier.received[0]?.form ?? []), {
      secret: 'secret-of-widget',
      response: 'tok',
      remoteip: '198.51.100.7',
    })
    answer = { success: false, 'error-codes': ['timeout-or-duplicate'] }
    t.match(await refusal(signUp('robot', { token: 'tok' })), { status: 422, code: 'challenge_failed' })
    for (const broken of [null, [], {}, { success: false, 'error-codes': ['invalid-input-secret'] }]) {
      answer = broken
      t.match(await refusal(signUp('nobody', { token: 'tok' })), { status: 503, code: 'unavailable' })
    }
    t.equal(await count('project'), 1)
  })

  await t.test('Stripe', async t => {
    let session: object | null = { id: 'cs_test_own', url: 'https://checkout.stripe.com/c/pay/cs_test_own' }
    let meanwhile = async () => {}
    const stripe = await formServer(async () => {
      await meanwhile()
      return session
    })
    t.teardown(stripe.close)
    const live = {
      ...wide,
      STRIPE_KEY: `sk_test_${'a1B2'.repeat(8)}`,
      STRIPE_PRICES: 'pro=price_pro,studio=price_studio',
      STRIPE_URL: stripe.url,
      MAIL_OUTBOX: t.testdir(),
    }
    const served = await service(t, around, live)
    const { start, signUp, checkout, pay, billing, refusal, count, eventsOf, pool, bus } = served
    await t.rejects(start({ STRIPE_WEBHOOK_SECRET: '', STRIPE_PRICES: '' }), { code: 'SETTINGS_BAD' })
    await t.rejects(start({ STRIPE_KEY: 'pk_live_publishable' }), { code: 'SETTINGS_BAD' })
    await t.rejects(
      start({ MAIL_OUTBOX: '' }),
      { code: 'SETTINGS_BAD', message: /SMTP_URL and MAIL_OUTBOX are missing/ },
      'the key of a paid project could not be delivered',
    )
    const running = await start()
    const made = await signUp('live', { tier: 'pro' })
    const intentId = made.intent_id ?? 0
    t.match(made, { mock: false, checkout_url: 'https://checkout.stripe.com/c/pay/cs_test_own' })
    const [request] = stripe.received
    t.match(Object.fromEntries(request?.form ?? []), {
      mode: 'subscription',
      client_reference_id: String(intentId),
      'line_items[0][price]': 'price_pro',
      success_url: 'http://tidemark.example/v1/billing/paid',
    })
    t.notMatch(String(request?.form), /example\.com/, 'the page does not show the e-mail address')
    t.ok(request?.headers['idempotency-key'])
    t.match(await checkout(intentId), { mock: false })
    t.equal(stripe.received.length, 1, 'only one session is created')

    const type = 'checkout.session.completed'
    t.strictSame(await pay(completed(intentId, { id: 'cs_test_cheaper' })), {
      ignored: type,
      reason: 'other_session',
    })
    const own = completed(intentId, { id: 'cs_test_own' }, 'evt_own')
    await pool.query(`update account.intent set checkout_session_id = 'cs_mistaken' where id = $1`, [
      intentId,
    ])
    t.match(await pay(own), { reason: 'other_session' })
    await pool.query(`update account.intent set checkout_session_id = 'cs_test_own' where id = $1`, [
      intentId,
    ])
    t.match(await pay(own), { received: true }, 'an event without effect is checked again')
    t.match(await pay(own), { received: true })
    t.equal(await count('project'), 1)
    t.strictSame(
      (
        await pool.query(
          'select intent_id, session_id, reason from account.payment_event order by received_at',
        )
      ).rows,
      [
        { intent_id: String(intentId), session_id: 'cs_test_cheaper', reason: 'other_session' },
        { intent_id: String(intentId), session_id: 'cs_test_own', reason: null },
      ],
    )
    const { rows } = await pool.query('select id from account.project')
    t.match(await billing(Number(rows[0].id)), { billing_mode: 'live', payment_customer_id: 'cus_1' })
    const mock = await call(
      bus,
      signupRpc.readMockCheckout,
      { sessionId: 'cs_test_own' },
      { timeoutMs: 9_000 },
    )
    t.equal(mock, null)

    t.match(await refusal(signUp('agency', { tier: 'agency' })), { status: 503, code: 'not_configured' })
    session = null
    t.match(await refusal(signUp('away', { tier: 'pro' })), { status: 503, code: 'unavailable' })
    t.equal(await count(`intent where status = 'failed'`), 1)
    t.equal(await count('signup_attempt where intent_id is not null'), 1, 'it is not an open checkout')
    t.equal(await count('signup_attempt where succeeded_at is not null'), 1, 'the paid signup is a success')
    await signUp('away')

    await t.test('keeps a real checkout also after a start without its key', async t => {
      session = { id: 'cs_test_kept', url: 'https://checkout.stripe.com/c/pay/cs_test_kept' }
      const { intent_id: kept = 0, checkout_url } = await signUp('kept', { tier: 'pro' })
      await running[Symbol.asyncDispose]()
      const mocking = await start({ STRIPE_KEY: '' })
      const again = await checkout(kept ?? 0)
      t.match(again, { checkout_url, mock: false }, 'a mock does not replace it')
      t.match(await pay(completed(kept ?? 0, { id: 'cs_mock_other' })), { reason: 'other_session' })
      t.match(await pay(completed(kept ?? 0, { id: 'cs_test_kept' })), { received: true })
      const { rows } = await pool.query(`select id from account.project where name = 'kept'`)
      t.match(await billing(Number(rows[0].id)), { billing_mode: 'live' })
      await mocking[Symbol.asyncDispose]()
      await start()
      session = null
    })

    await t.test('does not fail an intent that ends before the provider responds', async t => {
      const before = await count('signup_attempt where intent_id is not null')
      meanwhile = async () => {
        await pool.query(`update account.intent set status = 'expired' where status = 'pending'`)
      }
      t.match(await refusal(signUp('ended', { tier: 'pro' })), { status: 503, code: 'unavailable' })
      t.equal(await count(`intent where project_name = 'ended' and status = 'expired'`), 1)
      t.equal(await count('signup_attempt where intent_id is not null'), before + 1)
      await until(async () => (await count('outbox')) === 0)
      const { rows } = await pool.query(`select id from account.intent where project_name = 'ended'`)
      t.match(await eventsOf(subjects.intent(rows[0].id), 'SignupIntended'), [{ type: 'SignupIntended' }])
    })

    await t.test('is the reported error when it does not respond, even if another one follows', async t => {
      meanwhile = async () => {
        meanwhile = async () => {}
        await pool.query(`alter table account.signup_attempt rename column intent_id to elsewhere`)
      }
      t.match(await refusal(signUp('unlucky', { tier: 'pro' })), { status: 503, code: 'unavailable' })
      await pool.query(`alter table account.signup_attempt rename column elsewhere to intent_id`)
    })
  })
})
