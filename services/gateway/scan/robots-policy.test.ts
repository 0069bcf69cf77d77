/** `GET /v1/robots-policy` at the gateway: the accepted requests, and the answers. */

import { Refusal } from '@tidemark/bus/refusal'
import { serve } from '@tidemark/bus/rpc'
import type { RobotsPolicy } from '@tidemark/contracts/http/robots-policy'
import type { ReadRobotsPolicy } from '@tidemark/contracts/rpc/policy'
import * as policyRpc from '@tidemark/contracts/rpc/policy'
import { patient } from '@tidemark/testing/slowness'
import { test } from 'tap'
import { badUrls } from '../bad-requests.examples.ts'
import { caller, keyNamed, keyView, seed, surroundings } from '../gateway.scene.ts'

const policy: RobotsPolicy = {
  url: seed,
  robots_txt: `User-agent: *\nDisallow:\n${'# a remark\n'.repeat(20_000)}`,
  llms_txt: null,
  ai_bot_policy: { GPTBot: 'allowed' },
  robots_status: 200,
  content_signals: { '*': { search: 'yes' } },
  fetched_at: '2026-01-02T03:04:05.678Z',
  verdict: { user_agent: 'GPTBot', allowed: true, rule: null, agent: '*' },
}

test('The policy of a site at the gateway', { timeout: patient(300_000) }, async t => {
  const around = await surroundings(t, { env: { EGRESS_ALLOW: '127.0.0.1/32' } })
  const mine = keyNamed('m')
  around.standIns.keys.set(mine.slice(0, 12), keyView(mine, 7))
  const { call } = caller(around, mine)
  const send = (query: Record<string, string>) =>
    call('GET', `/v1/robots-policy?${new URLSearchParams(query)}`)
  const stop = new AbortController()
  t.teardown(() => stop.abort())
  const requested: ReadRobotsPolicy[] = []
  let refusal: Refusal | null = null

  await t.test('reports that the extractor is unavailable', async t => {
    const { status, json } = await send({ url: seed })
    t.match({ status, json }, { status: 503, json: { error: { code: 'unavailable' } } })
  })

  void serve(
    around.bus,
    policyRpc.robotsPolicy,
    async request => {
      requested.push(request)
      if (refusal) throw refusal
      return policy
    },
    { signal: stop.signal, report: () => {} },
  )
  await around.bus.nc.flush()

  await t.test('is passed on as it is, long texts too', async t => {
    const { status, json } = await send({ url: seed, user_agent: 'GPTBot' })
    t.same({ status, json }, { status: 200, json: policy })
    await send({ url: `${seed}a?b=c&utm_source=d#e` })
    const projectId = 7
    t.same(requested, [
      { projectId, url: seed, userAgent: 'GPTBot' },
      { projectId, url: `${seed}a?b=c&utm_source=d#e` },
    ])
  })

  await t.test('refuses a URL that is not a site by its field, before sending any request', async t => {
    const before = requested.length
    const cases: [query: string, reason: string, field: string][] = [
      ['', 'required', 'url'],
      ['url=', 'bad_url', 'url'],
      [`url=${seed}&url=${seed}`, 'wrong_type', 'url'],
      [`url=http://a.example/${'x'.repeat(8200)}`, 'bad_url', 'url'],
      [`url=${seed}&user_agent=${'x'.repeat(1025)}`, 'bad_value', 'user_agent'],
      [`url=${seed}&user_agent=a&user_agent=b`, 'wrong_type', 'user_agent'],
      ...badUrls
        .filter(([url]) => url.isWellFormed())
        .map(([url, reason]): [string, string, string] => [`url=${encodeURIComponent(url)}`, reason, 'url']),
    ]
    for (const [query, reason, field] of cases) {
      const { status, json } = await call('GET', `/v1/robots-policy?${query}`)
      const shown = { status, ...json.error }
      t.match(shown, { status: 400, code: 'invalid_input', reason, field }, query.slice(0, 80))
    }
    t.equal((await call('GET', `/v1/robots-policy?url=${seed}`, { key: null })).status, 401)
    t.equal((await call('POST', '/v1/robots-policy', { body: { url: seed } })).status, 405)
    t.equal(requested.length, before)
  })

  await t.test('is refused with the reason why a site could not be reached', async t => {
    refusal = new Refusal({ status: 502, code: 'fetch_failed', message: 'No name.', reason: 'dns' })
    const { status, json } = await send({ url: seed })
    t.match(
      { status, ...json.error },
      { status: 502, code: 'fetch_failed', reason: 'dns', message: 'No name.' },
    )
  })
})
