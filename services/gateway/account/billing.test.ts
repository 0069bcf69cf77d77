/** Signup and payment over HTTP: signed bytes, pages for browsers, and access without a key. */
import { createHash, randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { Bus } from '@tidemark/bus/connection'
import { Refusal } from '@tidemark/bus/refusal'
import type { MockCheckout } from '@tidemark/contracts/rpc/signup'
import type { InjectOptions } from 'fastify'
import { test } from 'tap'
import { registerAccess } from '../access/register.ts'
import type { App } from '../app.ts'
import { keyNamed, keyView } from '../gateway.scene.ts'
import { openHttp } from '../http/open.ts'
import type { Billing } from './adapters/billing.ts'
import { type Account, registerAccount, registerSignup } from './register.ts'

const key = keyNamed('k')
const sessionId = `cs_mock_${randomBytes(24).toString('base64url')}`
const checkout: MockCheckout = {
  intentId: 12,
  projectName: 'acme',
  tier: 'pro',
  status: 'open',
  email: 'a…@<b>.example',
  expiresAt: '2026-11-22T22:00:00.000Z',
  mails: 'folder',
}

/** A gateway without a proxy before it, with only this billing behind it, which records its requests. */
async function gateway(billing: Partial<Billing> = {}) {
  const requested: unknown[][] = []
  const reports: unknown[] = []
  const noted =
    (name: keyof Billing | 'rotate', answer: unknown) =>
    async (...args: unknown[]) => {
      requested.push([name, ...args])
      const own = (billing as Record<string, ((...args: unknown[]) => unknown) | undefined>)[name]
      return own === undefined ? answer : own(...args)
    }
  const account = {
    signatureHeader: 'X-Signed-By',
    billing: {
      signUp: noted('signUp', {
        status: 'created',
        project_name: 'acme',
        tier: 'free',
        api_key: key,
        intent_id: null,
        checkout_url: null,
      }),
      checkout: noted('checkout', { checkout_url: 'http://x/', mock: true, intent_id: 12, tier: 'pro' }),
      takePayment: noted('takePayment', { received: true, intent_id: 12 }),
      status: noted('status', {
        tier: 'pro',
        payment_customer_id: null,
        payment_subscription_id: null,
        subscription_status: null,
        email: null,
        billing_mode: 'mock',
      }),
      mockCheckout: noted('mockCheckout', checkout),
      payMock: noted('payMock', true),
    },
    keyRing: {
      rotate: noted('rotate', { api_key: key, prefix: key.slice(0, 12), label: '', grace_seconds: 0 }),
    },
    usage: {},
    now: Date.now,
  } as unknown as Account
  const access = {
    bus: {} as Bus,
    keys: {
      findKey: async (prefix: string) => (prefix === key.slice(0, 12) ? keyView(key, 7) : null),
      recordKeyUse: () => {},
    },
    noteCall: (call: unknown) => requested.push(['noteCall', call]),
    takeTokens: null,
    now: Date.now,
  }
  const { app } = await openHttp(
    {
      bodyLimit: 1024 ** 2,
      trustedProxies: ['127.0.0.1'],
      profile: 'narrative',
      deprecationStyle: 'true',
      corsOrigins: [],
      tls: null,
      patience: { requestMs: 30_000, stalledMs: 60_000 },
    },
    error => reports.push(error),
  )
  await registerSignup(app, account)
  await app.register(async scope => {
    registerAccess(scope as App, access)
    registerAccount(scope as App, account)
  })
  const send = (method: InjectOptions['method'], url: string, more: InjectOptions = {}) =>
    app.inject({ method: method as 'GET', url, ...more })
  return { app, requested: requested, reports, send }
}

test('POST /v1/signup', async t => {
  const refused = new Refusal({
    status: 422,
    code: 'signup_rate_limited',
    message: 'Too many.',
    reason: 'attempts_of_address',
    retryAfterSeconds: 77,
  })
  const faults: Record<string, { status: number; code: string }> = {
    closed: { status: 503, code: 'not_configured' },
    away: { status: 503, code: 'unavailable' },
  }
  const { app, requested, reports, send } = await gateway({
    signUp: async ({ projectName }) => {
      if (projectName === 'many') throw refused
      const fault = faults[projectName]
      if (fault !== undefined) throw new Refusal({ ...fault, message: 'No.' })
      return {
        status: 'created',
        project_name: projectName,
        tier: 'free',
        api_key: key,
        email_sent: true,
        intent_id: null,
        checkout_url: null,
      }
    },
  })
  t.teardown(() => app.close())
  const signup = (payload: object, headers = {}) => send('POST', '/v1/signup', { payload, headers })
  const email = 'ada@example.com'

  const made = await signup({ project_name: 'acme', email }, { 'x-forwarded-for': '203.0.113.9' })
  t.equal(made.statusCode, 200, 'without a key')
  t.equal(made.headers['cache-control'], 'no-store')
  t.match(made.json(), { status: 'created', api_key: key, intent_id: null, checkout_url: null })
  t.notOk('warnings' in made.json())
  t.strictSame(requested, [
    ['signUp', { projectName: 'acme', email, tier: 'free', token: null, clientIp: '203.0.113.9' }],
  ])

  const unread = await signup({ project_name: 'acme', email, plan: 'pro' })
  t.match(unread.json(), { status: 'created', warnings: ["unknown field 'plan' was ignored"] })

  const limited = await signup({ project_name: 'many', email })
  t.match([limited.statusCode, limited.headers['retry-after']], [422, '77'])
  t.match(limited.json().error, { code: 'signup_rate_limited', reason: 'attempts_of_address' })

  for (const [name, { status, code }] of Object.entries(faults)) {
    const answer = await signup({ project_name: name, email })
    const passes = code === 'unavailable'
    t.match([answer.statusCode, answer.json().error.code], [status, code])
    t.equal(answer.headers['retry-after'], passes ? '5' : undefined, `${code} passes by itself, or does not`)
    t.equal(reports.length, passes ? 1 : 0, `${code} is a fault of ours, or not a problem`)
  }

  for (const [body, field] of [
    [{ email }, 'project_name'],
    [{ project_name: 'acme' }, 'email'],
    [{ project_name: 'a b', email }, 'project_name'],
    [{ project_name: 'x'.repeat(65), email }, 'project_name'],
    [{ project_name: '', email }, 'project_name'],
    [{ project_name: 'acme', email: 'nobody' }, 'email'],
    [{ project_name: 'acme', email: '"a\r\nBcc: b@c.d"@example.com' }, 'email'],
    [{ project_name: 'acme', email: `${'x'.repeat(250)}@example.com` }, 'email'],
    [{ project_name: 'acme', email, tier: 'gold' }, 'tier'],
    [{ project_name: 'acme', email, turnstile_token: 'x'.repeat(2049) }, 'turnstile_token'],
  ] as const) {
    const answer = await signup(body)
    t.match([answer.statusCode, answer.json().error], [422, { code: 'invalid_input', field }], field)
  }
})

test('POST /v1/signup of a client that has reset its connection has the empty address', async t => {
  const { app, requested } = await gateway()
  t.teardown(() => app.close())
  await app.listen({ port: 0, host: '127.0.0.1' })
  // The system forgets the address of a connection at its reset, even if the whole request has arrived.
  app.server.prependListener('request', ({ socket }) =>
    Object.defineProperty(socket, 'remoteAddress', { get: () => undefined }),
  )
  const { port } = app.server.address() as AddressInfo
  const { status } = await fetch(`http://127.0.0.1:${port}/v1/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ project_name: 'acme', email: 'ada@example.com' }),
  })
  t.equal(status, 200)
  t.match(requested, [['signUp', { projectName: 'acme', clientIp: '' }]])
})

test('POST /v1/keys/rotate says what it ignored', async t => {
  const { app, requested, send } = await gateway()
  t.teardown(() => app.close())
  const headers = { authorization: `Bearer ${key}` }
  const rotated = await send('POST', '/v1/keys/rotate', { headers, payload: { grace: 0, label: 'x' } })
  t.match(rotated.json(), { api_key: key, warnings: ["unknown field 'grace' was ignored"] })
  const [name, rotation] = requested[0] ?? []
  t.match([name, rotation], ['rotate', { projectId: 7, label: 'x', graceSeconds: 86_400 }])
})

test('GET /v1/billing', async t => {
  const { app, requested, send } = await gateway()
  t.teardown(() => app.close())
  t.match((await send('GET', '/v1/billing/checkout?intent_id=12')).json(), { intent_id: 12, mock: true })
  for (const query of ['', '?intent_id=', '?intent_id=x', '?intent_id=0', '?intent_id=1.5'])
    t.equal((await send('GET', `/v1/billing/checkout${query}`)).statusCode, 400, query)
  t.equal((await send('GET', '/v1/billing/status')).statusCode, 401)
  const headers = { authorization: `Bearer ${key}` }
  t.match((await send('GET', '/v1/billing/status', { headers })).json(), {
    tier: 'pro',
    billing_mode: 'mock',
  })
  t.strictSame(
    requested.map(([name]) => name),
    ['checkout', 'status', 'noteCall'],
    'the others are in no log',
  )
})

test('POST /v1/billing/webhook', async t => {
  const { app, requested, send } = await gateway()
  t.teardown(() => app.close())
  const raw = '{"id" : "evt_1",\n "a":"\u00e9\u0000", "id":"twice"}'
  const hook = (payload: string | Buffer, headers: Record<string, string>) =>
    send('POST', '/v1/billing/webhook', { payload, headers })

  await t.test('passes the very bytes on, with every signature', async t => {
    const answer = await hook(raw, {
      'content-type': 'application/json',
      'x-signed-by': 't=1',
      'payment-signature': 't=2',
    })
    t.match([answer.statusCode, answer.json()], [200, { received: true, intent_id: 12 }])
    await hook(raw, { 'content-type': 'application/x-anything', 'payment-signature': 't=3' })
    t.strictSame(
      requested.map(([, bytes, signatures]) => [Buffer.from(bytes as Uint8Array).toString(), signatures]),
      [
        [raw, ['t=1', 't=2']],
        [raw, ['t=3']],
      ],
    )
  })

  await t.test('rejects an unsigned body without a request, however long it is', async t => {
    const before = requested.length
    for (const headers of [{}, { 'payment-signature': '' }, { 'stripe-signature': 't=1' }])
      for (const payload of ['', raw, Buffer.alloc(1024 ** 2 + 1)]) {
        const answer = await hook(payload, { 'content-type': 'application/json', ...headers })
        t.match([answer.statusCode, answer.json().error.code], [400, 'invalid_signature'])
      }
    t.equal(requested.length, before)
  })

  await t.test('takes no more than an event has', async t => {
    const signed = { 'content-type': 'application/json', 'payment-signature': 't=4' }
    t.equal((await hook(Buffer.alloc(64 * 1024), signed)).statusCode, 200)
    const before = requested.length
    const answer = await hook(Buffer.alloc(64 * 1024 + 1), signed)
    t.match([answer.statusCode, answer.json().error.code], [413, 'payload_too_large'])
    t.equal(requested.length, before)
  })
})

test('The pages of a checkout', async t => {
  let shown: MockCheckout | null = checkout
  const { app, requested, send } = await gateway({ mockCheckout: async () => shown })
  t.teardown(() => app.close())
  const path = `/v1/billing/mock-checkout/${sessionId}`
  const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' }, payload: '' }

  const open = await send('GET', path)
  t.equal(open.statusCode, 200)
  t.match(open.headers, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
  const policy = String(open.headers['content-security-policy'])
  t.match(policy, /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'/)
  const style = /<style>([^<]*)<\/style>/.exec(open.body)?.[1] ?? ''
  t.match(policy, createHash('sha256').update(style).digest('base64'), 'the style is the one that is allowed')
  t.notMatch(open.body, /<script|https?:|<b>|style=/, 'no script, nothing from elsewhere, nothing unescaped')
  t.match(open.body, 'a…@&lt;b&gt;.example')
  t.match(open.body, '10,000 pages a day')
  for (const action of ['pay', 'cancel'])
    t.match(open.body, `<form method="post" action="${path}/${action}">`)

  const paid = await send('POST', `${path}/pay`, form)
  t.match(
    [paid.statusCode, paid.headers.location],
    [303, path],
    'so that reading it again pays nothing again',
  )
  t.strictSame(
    requested.filter(([name]) => name === 'payMock'),
    [['payMock', sessionId]],
  )
  const cancelled = await send('POST', `${path}/cancel`, form)
  t.match([cancelled.statusCode, cancelled.headers.location], [303, '/v1/billing/cancelled'])
  for (const back of ['/v1/billing/cancelled', '/v1/billing/paid'])
    t.match((await send('GET', back)).body, /<h1>/, back)

  shown = { ...checkout, status: 'paid' }
  const ready = (await send('GET', path)).body
  t.match(ready, '<h1>Paid: your project is ready</h1>')
  t.match(ready, 'MAIL_OUTBOX', 'where the key is')
  shown = { ...checkout, status: 'expired' }
  t.equal((await send('GET', path)).statusCode, 410)
  shown = null
  t.equal((await send('GET', path)).statusCode, 404)
  t.equal((await send('POST', `${path}/pay`, form)).statusCode, 404)
  t.equal((await send('GET', '/v1/billing/mock-checkout/cs_other')).statusCode, 404)
})
