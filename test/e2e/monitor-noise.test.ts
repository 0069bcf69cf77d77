/**
 * A monitor of a page with a clock, a nonce, an advertisement and a counter of visitors. TICKS crawls raise no alarm,
 * and each real change between them is sent by webhook. A second monitor counts only changes of several words, and a
 * third one waits for a change that a language model recognises.
 */
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { listening } from '@tidemark/testing/listening'
import { patient } from '@tidemark/testing/slowness'
import { sized } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { fakeModel, type Reply } from '../../services/extractor/model.scene.ts'
import { sharedSystem, startSystem } from './system.ts'

const ticks = Number(process.env.TICKS ?? sized(10, 500))
/** Number of quiet ticks before each real change. */
const quietTicks = 4
const host = '127.1.22.1'

test('A monitor with rules of comparison', { timeout: 120_000 + ticks * 20_000 }, async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const web = await startShop()
  t.teardown(() => web.close())
  const key = await system.createProject('noise', '--unlimited')
  const call = (method: string, path: string, body?: object) => system.call(key, method, `/v1${path}`, body)
  const create = async (more: object): Promise<number> => {
    const { status, body } = await call('POST', '/crawls', {
      ...{ url: web.url, max_pages: 1, delay_ms: 0, respect_robots: false, cron: '0 0 29 2 *' },
      ...{
        timezone: 'Europe/Berlin',
        webhook_url: `${web.url}hook`,
        webhook_events: ['crawl.diff_detected'],
      },
      ...more,
    })
    if (status !== 201) throw new Error(JSON.stringify(body))
    return body.monitor_id
  }
  /** Runs a monitor once. Returns the run, and the event of its webhook or the reason why none was sent. */
  const tick = async (monitor: number): Promise<{ run: number; said: string }> => {
    const { status, body } = await call('POST', `/crons/${monitor}/run`)
    if (status !== 202) throw new Error(JSON.stringify(body))
    await system.untilEnded(key, body.id)
    let state: string | null = null
    await until(async () => {
      state = (await call('GET', `/crawls/${body.id}`)).body.webhook_status
      return state !== null && state !== 'pending'
    })
    return { run: body.id, said: state === 'delivered' ? (web.hooks.get(body.id) ?? 'lost') : String(state) }
  }

  const noise = { ignore_selectors: ['.clock', '[data-nonce]', 'aside'], ignore_text: ['\\d+ visitors'] }
  const monitor = await create({ ...noise, return_only_changed: true })
  const first = await tick(monitor)
  t.equal(first.said, 'suppressed_no_baseline')

  await t.test(`raises no alarm in ${ticks} ticks, and reports each real change`, async t => {
    let before = first.run
    const alarms: number[] = []
    const missed: number[] = []
    for (let n = 1; n <= ticks; n++) {
      const isChanged = n % (quietTicks + 1) === 0
      if (isChanged) web.shop.price++
      const { run, said } = await tick(monitor)
      if (!isChanged && said !== 'suppressed_no_change') alarms.push(n)
      if (isChanged && said !== 'crawl.diff_detected') missed.push(n)
      if (n <= quietTicks + 1) {
        const { body } = await call('GET', `/crawls/${before}/diff/${run}`)
        t.match(body.summary, { changed: isChanged ? 1 : 0, unchanged: isChanged ? 0 : 1 })
        const page = (mode: string) =>
          call('GET', `/crawls/${before}/diff/${run}/page?mode=${mode}&url=${encodeURIComponent(web.url)}`)
        for (const mode of ['text', 'markdown'])
          t.match((await page(mode)).body, {
            summary: { added: isChanged ? 1 : 0, changed_words: isChanged ? 1 : 0 },
          })
      }
      before = run
    }
    t.strictSame({ alarms, missed }, { alarms: [], missed: [] })
    t.comment(`${ticks} ticks, ${Math.floor(ticks / (quietTicks + 1))} real changes`)
  })

  await t.test('without rules is alarmed by noise, and a comparison with another crawl says so', async t => {
    const plain = await create({ return_only_changed: true })
    const before = await tick(plain)
    const { run, said } = await tick(plain)
    t.equal(said, 'crawl.diff_detected')
    t.match((await call('GET', `/crawls/${before.run}/diff/${run}`)).body, { summary: { changed: 1 } })
    const mixed = (await call('GET', `/crawls/${first.run}/diff/${run}`)).body
    t.match(mixed, { summary: { changed: 1 }, warnings: [/different rules of comparison/] })
  })

  await t.test('with min_changed_words reports no smaller change', async t => {
    const patient = await create({ ...noise, min_changed_words: 3, return_only_changed: true })
    const before = await tick(patient)
    web.shop.price++
    const { run, said } = await tick(patient)
    t.equal(said, 'suppressed_no_change', 'one word')
    const small = (await call('GET', `/crawls/${before.run}/diff/${run}`)).body
    t.match(small, { summary: { changed: 0, unchanged: 1 }, changed: { length: 0 } })
    web.shop.text = 'Bread and butter'
    t.equal((await tick(patient)).said, 'crawl.diff_detected', 'three words')
    web.shop.status = 500
    t.equal((await tick(patient)).said, 'crawl.diff_detected', 'another status')
  })

  await t.test('that is refused is not stored', async t => {
    const count = async () => (await call('GET', '/crons')).body.items.length
    const before = await count()
    for (const [bad, field] of [
      [{ ignore_selectors: ['p['] }, 'ignore_selectors[0]'],
      [{ ignore_text: ['(a{50}){60}'] }, 'ignore_text[0]'],
      [{ timezone: 'Mars/Olympus' }, 'timezone'],
      [{ min_changed_words: -1 }, 'min_changed_words'],
    ] as const) {
      const { status, body } = await call('POST', '/crawls', { url: web.url, cron: '0 0 1 1 *', ...bad })
      t.match({ status, ...body.error }, { status: 400, code: 'invalid_input', field })
    }
    t.equal(await count(), before)
  })
})

test('A monitor with an intent', { timeout: patient(300_000) }, async t => {
  const web = await startShop()
  t.teardown(() => web.close())
  const fake = await fakeModel(t, () => ({ content: '' }))
  const system = await startSystem({
    LLM_BASE_URL: fake.url,
    LLM_MODEL: 'small',
    LLM_ALLOWED_HOSTS: fake.host,
    LLM_TIMEOUT_MS: '3000',
    MODEL_CALLS_PER_DAY: '7',
    WEBHOOK_JUDGE_MS: '60000',
  })
  t.teardown(() => system.stop())
  const key = await system.createProject('intents', '--unlimited')
  const call = (method: string, path: string, body?: object) => system.call(key, method, `/v1${path}`, body)
  const wanted = {
    ...{ url: web.url, max_pages: 1, delay_ms: 0, respect_robots: false, cron: '0 0 29 2 *' },
    ...{ webhook_url: `${web.url}hook`, webhook_events: ['crawl.diff_detected', 'crawl.done'] },
    ...{ only_selectors: ['main > p:nth-of-type(2)'], intent: 'The price falls.' },
  }
  t.match((await call('POST', '/crawls', wanted)).body.error, { reason: 'model_consent', field: 'intent' })
  t.match(await call('PUT', '/model-consent', { consent: true }), { status: 200 })
  const { monitor_id: monitor } = (await call('POST', '/crawls', wanted)).body
  let before = 0
  /** Changes the price and runs the monitor. Returns the body of the webhook, or why none was sent. */
  const tick = async (price: number, reply: Reply) => {
    web.shop.price = price
    fake.replyTo = () => reply
    const { id } = (await call('POST', `/crons/${monitor}/run`)).body
    before = before === 0 ? id : before
    await system.untilEnded(key, id)
    let state: string | null = null
    await until(async () => {
      state = (await call('GET', `/crawls/${id}`)).body.webhook_status
      return state !== null && state !== 'pending'
    }, 120_000)
    return { id, body: state === 'delivered' ? web.bodies.get(id) : state }
  }
  const says = (matched: boolean, reason: string, ...quotes: string[]): Reply => ({
    content: JSON.stringify({ matched, reason, summary: reason, quotes }),
  })
  const silent: Reply = { hangs: true }
  const calls = async () => (await call('GET', '/usage/ledger?kind=model_call')).body.items
  const unknown = (reason: string) => ({ intent: { matched: null, reason, quotes: [] } })

  await t.test('reports whether the change matches, with the lines of the page', async t => {
    t.match((await tick(5, silent)).body, { event: 'crawl.done', ...unknown('no_baseline') })
    t.equal(fake.requests.length, 0, 'the first crawl has no changes')
    const { body, id } = await tick(
      4,
      says(true, 'The price fell from 5 to 4 €.', 'Milk costs 5 €', 'Milk costs 4 €'),
    )
    const line = (change: string, text: string) => ({ url: web.url, change, text })
    t.match(body, {
      event: 'crawl.diff_detected',
      diff: { changed: 1 },
      intent: {
        matched: true,
        reason: 'The price fell from 5 to 4 €.',
        quotes: [line('removed', 'Milk costs 5 €'), line('added', 'Milk costs 4 €')],
      },
    })
    t.equal(fake.requests.length, 1)
    const rows = [{ operation: 'monitor_intent', request_id: `intent ${id}`, input_tokens: 100 }]
    await until(async () => (await calls()).length === 1)
    t.match(await calls(), rows)
    const [delivery] = (await call('GET', `/crawls/${id}/deliveries`)).body.items
    web.bodies.clear()
    await call('POST', `/crawls/${id}/deliveries/${delivery.id}/redeliver`)
    await until(async () => web.bodies.has(id))
    t.match(web.bodies.get(id), { intent: { matched: true } })
    t.equal(fake.requests.length, 1, 'a redelivery calls no model')
    t.equal((await calls()).length, 1, 'and bills none')

    const path = `/crawls/${before}/diff/${id}/page?url=${encodeURIComponent(web.url)}&in_words=true`
    fake.replyTo = () => says(true, 'Milk costs 4 instead of 5 €.', 'Milk costs 4 €', 'Milk costs 5 €')
    t.match((await call('GET', path)).body, {
      summary: { added: 1, removed: 1 },
      in_words: {
        text: 'Milk costs 4 instead of 5 €.',
        quotes: [{ change: 'added' }, { change: 'removed' }],
      },
      model: { name: 'small' },
    })
    fake.replyTo = () => says(true, 'Milk costs 1 €.', 'Milk costs 4 €')
    t.match((await call('GET', path)).body, { in_words: null, warnings: [/not_quoted.*named 1,/] })
  })

  await t.test('sends the plain webhook whenever the model fails, and never a wrong statement', async t => {
    const cases: [reply: Reply, reason: string][] = [
      [says(true, 'The price fell to 1 €.', 'Milk costs 4 €'), 'not_quoted'],
      [silent, 'model_failed'],
      [{ content: 'Yes, it fell!' }, 'model_failed'],
    ]
    let price = 10
    for (const [reply, reason] of cases) {
      const { body } = await tick(price++, reply)
      t.match(body, { event: 'crawl.diff_detected', ...unknown(reason) }, reason)
    }
  })

  await t.test('sends only matches with only_matching, and what may match', async t => {
    t.match((await call('PATCH', `/crons/${monitor}`, { only_matching: true })).body, { only_matching: true })
    const rises = says(false, 'The price rose to 20 €.', 'Milk costs 20 €')
    t.equal((await tick(20, rises)).body, 'suppressed_no_match')
    t.equal((await tick(20, rises)).body, 'suppressed_no_match', 'no change is no match')
    t.match((await tick(19, says(true, 'It fell to 19 €.', 'Milk costs 19 €'))).body, {
      intent: { matched: true },
    })
    const requests = fake.requests.length
    t.match((await tick(18, rises)).body, unknown('model_calls'), 'the cap of the day is used up')
    t.equal(fake.requests.length, requests)
    await call('PUT', '/model-consent', { consent: false })
    t.match((await tick(17, rises)).body, unknown('no_consent'))
    t.equal(fake.requests.length, requests)
    t.match((await call('PATCH', `/crons/${monitor}`, { intent: null })).body, {
      intent: null,
      only_matching: false,
    })
    t.notOk('intent' in (await tick(16, rises)).body)
    await until(async () => (await calls()).length === 7)
    t.equal((await calls()).length, 7, 'every response is billed once')
  })
})

/**
 * Starts a page with noise and a price, which also receives the webhooks. `hooks` has the event of each run's webhook,
 * and `bodies` its body.
 */
async function startShop() {
  const shop = { price: 2, text: 'Milk', status: 200 }
  const hooks = new Map<number, string>()
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field of the body
  const bodies = new Map<number, any>()
  let visitors = 0
  const server = createServer(async (request, response) => {
    const sent = await text(request)
    const { 'x-crawler-run-id': run, 'x-crawler-event': event } = request.headers
    if (request.method === 'POST') {
      hooks.set(Number(run), String(event))
      bodies.set(Number(run), JSON.parse(sent))
    }
    visitors++
    const nonce = randomBytes(8).toString('hex')
    response.writeHead(request.method === 'POST' ? 200 : shop.status, { 'content-type': 'text/html' })
    response.end(`<!doctype html><html lang=en><head><title>Shop</title></head><body><main>
      <p class=clock>It is ${new Date().toISOString()} ${nonce}</p><p>${shop.text} costs ${shop.price} €</p>
      <p>You are one of <b>${visitors}</b> visitors today</p>
      <form data-nonce><label>Code ${nonce} <a href="/f?n=${nonce}">again</a></label></form>
      <aside><a href="/advert/${nonce}">Buy ${nonce}</a></aside></main></body></html>`)
  })
  const { url, close } = await listening(server, host)
  return { url: `${url}/`, shop, hooks, bodies, close }
}
