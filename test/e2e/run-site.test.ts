/** A run shows its site's rules for AI bots. They cost the site few requests, with the crawl delay of the run. */

import { setTimeout as sleep } from 'node:timers/promises'
import { openBus } from '@tidemark/bus/connection'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { type Origin, type Page, startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { test } from 'tap'
import { sharedSystem } from './system.ts'

const plain = { 'content-type': 'text/plain; charset=utf-8' }
const llms = '# Harbour\n\n- [Tides](/tides)\n'
const home = Array.from({ length: 5 }, (_, n) => `<a href="/page-${n}">x</a>`).join('')
const pages = Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`/page-${n}`, `Page ${n}`]))

const policyPaths = ['/robots.txt', '/llms.txt', '/llms-full.txt']
const requestedIn = ({ hits }: Origin) =>
  hits.map(({ path }) => path).filter(path => policyPaths.includes(path))

test('A run shows the rules of its site for AI bots', { timeout: patient(300_000) }, async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const key = await system.createProject('sites', '--unlimited')
  let first = 0
  const open = async (more: Record<string, Page>) => {
    const origin = await startOrigin({ pages: { '/': home, ...pages, ...more } })
    t.teardown(() => origin.close())
    return origin
  }
  await t.test('with each text requested once, and all requests with its crawl delay', async t => {
    const origin = await open({
      '/robots.txt': { headers: plain, body: 'User-agent: GPTBot\nDisallow: /\n' },
      '/llms.txt': { headers: plain, body: llms },
      '/llms-full.txt': { headers: plain, body: `${'All of it.\n'.repeat(10_000)}` },
    })
    const run = await system.crawl(key, { url: origin.url, delay_ms: 300 })
    first = run.id
    t.match(run, { ai_bot_policy: { GPTBot: 'disallowed', ClaudeBot: 'unspecified' }, llms_txt: llms })
    const full = run.llms_full_txt ?? ''
    t.ok(full.length <= 64 * 1024 && full.length > 65_000, 'a long one is cut')
    t.ok(full.endsWith('it.\n'))
    t.same(requestedIn(origin), policyPaths, 'robots.txt was fetched once, by the run itself')
    const times = origin.hits.map(({ at }) => at)
    const gaps = times.slice(1).map((at, n) => at - (times[n] ?? at))
    t.ok(Math.min(...gaps) >= 290, `the shortest pause is ${Math.min(...gaps)} ms`)

    const again = await system.crawl(key, { url: origin.url, delay_ms: 0, max_pages: 1 })
    t.match(again, { ai_bot_policy: run.ai_bot_policy, llms_txt: llms })
    t.same(requestedIn(origin), [...policyPaths, '/robots.txt'], 'the next run uses the cached texts')
    const { body } = await system.call(key, 'GET', '/v1/crawls')
    const short = { id: again.id, ai_bot_policy: null, llms_txt: null }
    t.match(body.items.at(0), short, 'lists omit the policy and the texts')
    const { body: long } = await system.call(key, 'GET', '/v1/crawls?fields=ai_bot_policy')
    t.strictSame(long.items.at(0).ai_bot_policy, run.ai_bot_policy, 'unless it is requested')
  })

  await t.test('only as robots.txt allows', async t => {
    const origin = await open({
      '/robots.txt': { headers: plain, body: 'User-agent: *\nDisallow: /llms.txt\nDisallow: /llms-full' },
      '/llms.txt': { headers: plain, body: llms },
    })
    const run = await system.crawl(key, { url: origin.url, delay_ms: 0 })
    t.match(run, { ai_bot_policy: { GPTBot: 'partial' }, llms_txt: null })
    t.same(requestedIn(origin), ['/robots.txt'])
    const careless = await system.crawl(key, { url: origin.url, delay_ms: 0, respect_robots: false })
    t.match(careless, { ai_bot_policy: { GPTBot: 'partial' }, llms_txt: llms })
    t.same(requestedIn(origin), policyPaths)
  })

  await t.test('as read with the user agent of the run', async t => {
    const origin = await open({ '/robots.txt': { headers: plain, body: '' } })
    await system.crawl(key, { url: origin.url, delay_ms: 0, user_agent: 'ExampleBot/1.0' })
    const agents = origin.hits
      .filter(({ path }) => policyPaths.includes(path))
      .map(({ path, headers }) => [path, headers['user-agent'] === 'ExampleBot/1.0'])
    t.same(agents, [
      ['/robots.txt', true],
      ['/robots.txt', true],
      ['/llms.txt', true],
      ['/llms-full.txt', true],
    ])
  })

  await t.test('which can be rebuilt from the events, and are deleted with the run', async t => {
    const before = (await system.call(key, 'GET', `/v1/crawls/${first}`)).body
    t.match(await system.admin('rebuild-projections'), { rebuilt: ['runs', 'accounts'] })
    t.same((await system.call(key, 'GET', `/v1/crawls/${first}`)).body, before)
    t.match(await system.admin('verify'), { ok: true })
    t.equal((await system.call(key, 'DELETE', `/v1/crawls/${first}`)).status, 204)
    const { nats } = await system.runFile()
    const bus = await openBus({ url: nats.url, name: 'test' })
    const left = () => bus.jsm.direct.getMessage(streams.runs, { last_by_subj: subjects.run(first, 'site') })
    for (let tries = 200; (await left()) !== null && tries > 0; tries--) await sleep(100)
    t.equal(await left(), null, 'the stream has no event of it')
    await bus.close()
  })
})
