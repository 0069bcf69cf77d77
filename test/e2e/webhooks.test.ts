/** Webhooks of a project: a receiver is tested, gets webhooks of a crawl and of a change, and gets them again. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { listening } from '@tidemark/testing/listening'
import { startOrigin } from '@tidemark/testing/origin'
import { until } from '@tidemark/testing/until'
import { Webhook } from 'standardwebhooks'
import { test } from 'tap'
import { sharedSystem } from './system.ts'

type Hit = { headers: IncomingHttpHeaders; body: string }

/** Starts a receiver that answers with the status in the path, once `gate` resolves. */
async function startReceiver() {
  const hits: Hit[] = []
  const held = { gate: Promise.resolve() }
  const server = createServer(async (request, response) => {
    hits.push({ headers: request.headers, body: await text(request) })
    await held.gate
    response.writeHead(Number(request.url?.slice(1))).end('Thank you')
  })
  return { ...(await listening(server, '127.1.0.7')), hits, held }
}

test('Webhooks of a project', async t => {
  const [system, origin, receiver] = await Promise.all([sharedSystem(), startOrigin(), startReceiver()])
  t.teardown(async () => {
    await Promise.all([receiver.close(), system.stop(), origin.close()])
  })
  const key = await system.createProject('told')
  const get = (path: string) => system.call(key, 'GET', path)
  const post = (path: string, body?: object) => system.call(key, 'POST', path, body)
  const untilStatus = async (id: number, state: string) =>
    until(async () => (await get(`/v1/crawls/${id}`)).body.webhook_status === state)
  const accepts = (secretHex: string, hit: Hit | undefined): boolean => {
    const receiving = new Webhook(`whsec_${Buffer.from(secretHex, 'hex').toString('base64')}`)
    try {
      receiving.verify(hit?.body ?? '', hit?.headers as Record<string, string>)
      return true
    } catch {
      return false
    }
  }
  origin.site({ '/': '<p>one two three</p><a href="/b">b</a>', '/b': 'b' })

  await t.test('can be tested with a sample', async t => {
    t.match((await post('/v1/webhook/test', { url: `${receiver.url}/204` })).body, {
      delivered: true,
      status: 204,
    })
    const { body } = await get('/v1/webhook/secret')
    t.ok(accepts(body.secret_hex, receiver.hits[0]))
    const refused = await post('/v1/webhook/test', { url: 'http://10.0.0.1/' })
    t.match([refused.status, refused.body.error], [400, { reason: 'private_address', field: 'url' }])
  })

  await t.test(
    'are listed with their attempts and redelivered, signed with two secrets after a rotation',
    async t => {
      const before = (await get('/v1/webhook/secret')).body.secret_hex
      const { id } = await system.crawl(key, {
        url: origin.url,
        delay_ms: 0,
        webhook_url: `${receiver.url}/410`,
      })
      await untilStatus(id, 'dead')
      const path = `/v1/crawls/${id}/deliveries`
      const [delivery] = (await get(path)).body.items
      t.match(delivery, { state: 'dead', attempts: [{ status: 410, response_excerpt: 'Thank you' }] })
      const after = (await post('/v1/webhook/secret/rotate')).body.secret_hex
      t.equal((await post(`${path}/${delivery.id}/redeliver`)).status, 202)
      await until(async () => (await get(path)).body.items[0].attempts.length === 2)
      const hit = receiver.hits.at(-1)
      t.equal(hit?.headers['webhook-id'], delivery.id)
      t.strictSame([accepts(before, hit), accepts(after, hit)], [true, true])
      await untilStatus(id, 'dead')
      const { body } = await post('/v1/webhook/redeliver', { since: delivery.decided_at })
      t.strictSame(body, { redelivered: 1, left: 0 })
      await until(async () => (await get(path)).body.items[0].attempts.length === 3)
      t.equal((await system.call(key, 'DELETE', `/v1/crawls/${id}`)).status, 204)
      t.equal((await get(path)).status, 404)
    },
  )

  await t.test('are pending on their crawl as soon as a redelivery is accepted', async t => {
    const { id } = await system.crawl(key, {
      url: origin.url,
      delay_ms: 0,
      webhook_url: `${receiver.url}/410`,
    })
    const path = `/v1/crawls/${id}/deliveries`
    const since = new Date(Date.now() - 3_600_000).toISOString()
    const redeliver = { one: `${path}/msg_run${id}_crawl_done/redeliver`, dead: '/v1/webhook/redeliver' }
    for (const [name, call] of Object.entries(redeliver))
      for (let nth = 1; nth <= 3; nth++) {
        await untilStatus(id, 'dead')
        await until(async () => (await get(path)).body.items[0].state === 'dead')
        const { promise, resolve } = Promise.withResolvers<void>()
        receiver.held.gate = promise
        t.equal((await post(call, { since })).status, 202)
        const { webhook_status, webhook_attempts } = (await get(`/v1/crawls/${id}`)).body
        t.strictSame([webhook_status, webhook_attempts], ['pending', 0], `${name}, ${nth}`)
        resolve()
      }
    await untilStatus(id, 'dead')
  })

  await t.test('of a monitor report changes, and are not sent without changes', async t => {
    const { body } = await post('/v1/crawls', {
      url: origin.url,
      delay_ms: 0,
      cron: '0 0 1 1 *',
      webhook_url: `${receiver.url}/200`,
      webhook_events: ['crawl.diff_detected', 'crawl.done'],
      return_only_changed: true,
    })
    const ends = ['suppressed_no_baseline', 'suppressed_no_change', 'delivered']
    const runs: number[] = []
    for (const end of ends) {
      if (end === 'delivered') origin.site({ '/': '<p>four five six</p><a href="/b">b</a>', '/b': 'b' })
      const { id } = (await post(`/v1/crons/${body.monitor_id}/run`)).body
      runs.push(id)
      await untilStatus(id, end)
    }
    t.match(JSON.parse(receiver.hits.at(-1)?.body ?? ''), {
      id: runs[2],
      event: 'crawl.diff_detected',
      diff: { added: 0, removed: 0, changed: 1, unchanged: 1 },
      previous_run_id: runs[1],
    })
  })
})
