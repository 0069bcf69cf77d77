/** `GET /v1/robots-policy`: the rules of a site for AI bots, fetched from the site at most once an hour. */

import { startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { test } from 'tap'
import { sharedSystem } from './system.ts'

const plain = { 'content-type': 'text/plain; charset=utf-8' }
const robots = `User-agent: *
Content-Signal: search=yes, ai-train=no
Disallow: /drafts/

User-agent: GPTBot
Disallow: /
`

test("A site's policy", { timeout: patient(300_000) }, async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const key = await system.createProject('reading')
  const origin = await startOrigin({
    pages: {
      '/robots.txt': { headers: plain, body: robots },
      '/llms.txt': { headers: plain, body: '# Harbour\n\n- [Tides](/tides)\n' },
    },
  })
  t.teardown(() => origin.close())
  const policyOf = (query: Record<string, string>) =>
    system.call(key, 'GET', `/v1/robots-policy?${new URLSearchParams(query)}`)

  await t.test('is returned with the verdict for a user agent', async t => {
    const url = `${origin.url}/drafts/1?a=b`
    const { status, body } = await policyOf({ url })
    t.equal(status, 200)
    t.match(body, {
      url,
      robots_txt: robots,
      llms_txt: '# Harbour\n\n- [Tides](/tides)\n',
      ai_bot_policy: { GPTBot: 'disallowed', ClaudeBot: 'partial' },
      robots_status: 200,
      content_signals: { '*': { search: 'yes', 'ai-train': 'no' } },
      verdict: { user_agent: 'tidemark', allowed: false, rule: '/drafts/', agent: '*' },
    })
    t.ok(Date.parse(body.fetched_at) <= Date.now())
  })

  await t.test('is fetched once for all projects and pages', async t => {
    const other = await system.createProject('reading-too')
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        system.call(other, 'GET', `/v1/robots-policy?url=${origin.url}/${n}&user_agent=GPTBot`),
      ),
    )
    for (const { body } of answers)
      t.match(body, {
        robots_txt: robots,
        verdict: { user_agent: 'GPTBot', allowed: false, agent: 'gptbot' },
      })
    t.same(origin.hits.map(({ path }) => path).sort(), ['/llms.txt', '/robots.txt'])
    const [robotsHit, llmsHit] = origin.hits
    t.ok(Math.abs((llmsHit?.at ?? 0) - (robotsHit?.at ?? 0)) >= 90, 'one request after the other')
    t.match((await system.call(other, 'GET', '/v1/usage')).body, { today: { pages: 0 } }, 'nothing is billed')
  })

  await t.test('follows from a missing or broken robots.txt', async t => {
    const bare = await startOrigin({ pages: { '/llms.txt': '<!doctype html><title>Home</title>' } })
    const broken = await startOrigin({ pages: { '/robots.txt': { status: 503 } } })
    t.teardown(() => Promise.all([bare.close(), broken.close()]))
    t.match((await policyOf({ url: bare.url })).body, {
      robots_txt: null,
      llms_txt: null,
      robots_status: 404,
      ai_bot_policy: { GPTBot: 'unspecified' },
      verdict: { allowed: true, rule: null, agent: null },
    })
    t.match((await policyOf({ url: broken.url })).body, {
      robots_status: 503,
      ai_bot_policy: { GPTBot: 'disallowed' },
      verdict: { allowed: false },
    })
  })

  await t.test('is an error for an unreachable site', async t => {
    const closed = await startOrigin()
    await closed.close()
    const failed = (reason: string) => ({ status: 502, body: { error: { code: 'fetch_failed', reason } } })
    t.match(await policyOf({ url: closed.url }), failed('connect'))
    t.match(await policyOf({ url: 'http://no-such-host.invalid/' }), failed('dns'))
    t.match(await policyOf({ url: 'http://10.0.0.1/' }), {
      status: 400,
      body: { error: { code: 'invalid_input', reason: 'private_address', field: 'url' } },
    })
  })
})
