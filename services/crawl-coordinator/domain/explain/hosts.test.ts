/** The treatment of each host, as the events of a run report it. */
import { maxRulesShown } from '@tidemark/contracts/http/crawl-policy'
import type { RunEvent } from '@tidemark/contracts/run'
import { test } from 'tap'
import { queued, url } from '../run.examples.ts'
import { collectHosts } from './hosts.ts'

const at = (n: number) => new Date(Date.UTC(2026, 0, 2, 3, 4, n)).toISOString()
const key = 'k'.repeat(11)
const [site, other] = ['https://a.example', 'https://b.example']
const admitted = (...urls: string[]): RunEvent => ({
  type: 'PagesAdmitted',
  data: { pages: urls.map(url => ({ key, url, depth: 1, from: null, hops: 0 })) },
})
const skipped = (
  reason: 'robots' | 'robots_unreachable' | 'redirect_out_of_scope',
  ...urls: string[]
): RunEvent => ({
  type: 'PagesSkipped',
  data: { reason, pages: urls.map(url => ({ key, url, from: null, rule: null })) },
})
const rules = (count: number) => Array.from({ length: count }, (_, n) => ({ allow: false, pattern: `/${n}` }))
const read = (count: number, crawlDelay: number | null, status = 200): RunEvent => ({
  type: 'RobotsRead',
  data: {
    origin: site,
    status,
    verdict: status === 200 ? 'rules' : 'allow_all',
    group: { rules: rules(count), crawlDelay, ...(status === 200 && { agent: '*' }) },
    bodyHash: status === 200 ? 'a'.repeat(64) : null,
  },
})

function hostsOf(...events: RunEvent[]) {
  const hosts = collectHosts()
  for (const [n, event] of events.entries())
    hosts.add({ sequence: n + 1, commit: { at: at(n), events: [event] } })
  return hosts
}

test('Hosts are in the order in which the run found them, with what it did not request', async t => {
  const hosts = hostsOf(
    queued({ respectRobots: true, delayMs: 250, userAgent: 'Auditor' }),
    admitted(url('/'), `${other}/x`, url('/y')),
    { type: 'RobotsFailed', data: { origin: other, reason: 'timeout' } },
    read(2, null),
    skipped('robots', url('/1'), url('/2')),
    skipped('robots_unreachable', `${other}/x`),
    skipped('redirect_out_of_scope', `${other}/z`),
  )
  t.match(hosts.settings(), { respectRobots: true, delayMs: 250, userAgent: 'Auditor' })
  t.match(hosts.found(), [
    {
      origin: site,
      robots: { verdict: 'rules', status: 200, reason: null, decided_at: at(3), agent: '*', rule_count: 2 },
      delay_ms: 250,
      not_requested: { robots: 2, robots_unreachable: 0 },
    },
    {
      origin: other,
      robots: {
        verdict: 'unreachable',
        status: null,
        reason: 'timeout',
        decided_at: at(2),
        rules: { length: 0 },
      },
      delay_ms: 250,
      not_requested: { robots: 0, robots_unreachable: 1 },
    },
  ])
  t.equal(hosts.found().length, 2)
  t.equal(hostsOf().settings(), null)
})

test('A seed whose robots.txt could not be fetched was not requested, although it failed', async t => {
  const failed = (key: string): RunEvent => ({
    type: 'PagesFailed',
    data: { pages: [{ key, reason: 'timeout', attempts: 3 }] },
  })
  const seed: RunEvent = {
    type: 'PagesAdmitted',
    data: { pages: [{ key: 's'.repeat(11), url: url('/'), depth: 0, from: null, hops: 0 }] },
  }
  const unreachable: RunEvent = { type: 'RobotsFailed', data: { origin: site, reason: 'timeout' } }
  const withheld = (...events: RunEvent[]) => hostsOf(queued(), ...events).found()[0]?.not_requested
  t.strictSame(withheld(seed, unreachable, failed('s'.repeat(11))), { robots: 0, robots_unreachable: 1 })
  t.strictSame(withheld(seed, read(0, null), failed('s'.repeat(11))), { robots: 0, robots_unreachable: 0 })
  t.strictSame(withheld(seed, admitted(url('/a')), unreachable, failed(key)), {
    robots: 0,
    robots_unreachable: 0,
  })
})

test('A seed that a retry fetches counts as requested', async t => {
  const seedKey = 's'.repeat(11)
  const seed: RunEvent = {
    type: 'PagesAdmitted',
    data: { pages: [{ key: seedKey, url: url('/'), depth: 0, from: null, hops: 0 }] },
  }
  const failed = (key: string): RunEvent => ({
    type: 'PagesFailed',
    data: { pages: [{ key, reason: 'timeout', attempts: 3 }] },
  })
  const unreachable: RunEvent = { type: 'RobotsFailed', data: { origin: site, reason: 'timeout' } }
  const reopened = (retried: number): RunEvent => ({ type: 'RunReopened', data: { nth: 1, retried } })
  const withheld = (...events: RunEvent[]) =>
    hostsOf(queued(), seed, ...events).found()[0]?.not_requested.robots_unreachable
  const unread = [unreachable, failed(seedKey)]
  t.equal(withheld(...unread, reopened(1)), 0)
  t.equal(withheld(...unread, reopened(1), read(0, null)), 0, 'although it may fail again')
  t.equal(withheld(...unread, reopened(1), read(0, null), failed(seedKey)), 0, 'for another reason')
  t.equal(withheld(...unread, reopened(1), ...unread), 1, 'unless robots.txt still cannot be fetched')
  t.equal(withheld(failed(key), ...unread, reopened(1)), 1, 'if it is among the first failures, as retried')
  t.equal(withheld(failed(key), ...unread, reopened(2)), 0)
})

test('The promised delay is the longer of both, unless the run ignores robots.txt', async t => {
  const delay = (settings: object, crawlDelay: number | null) =>
    hostsOf(queued({ delayMs: 1_000, ...settings }), read(0, crawlDelay)).found()[0]?.delay_ms
  t.equal(delay({ respectRobots: true }, 2.5), 2_500)
  t.equal(delay({ respectRobots: true }, 2.01), 2_010, 'in whole milliseconds')
  t.equal(delay({ respectRobots: true }, 0.5), 1_000)
  t.equal(delay({ respectRobots: true }, 3_600), 30_000)
  t.equal(delay({ respectRobots: false }, 2.5), 1_000)
})

test('The last robots.txt counts, and a long one is cut', async t => {
  const twice = hostsOf(queued({ respectRobots: true }), read(1, 5, 200), read(0, null, 404)).found()[0]
  t.match(twice, {
    robots: { verdict: 'allow_all', status: 404, body_hash: null, agent: null, rule_count: 0 },
  })
  const long = hostsOf(queued({ respectRobots: true }), read(5_000, null)).found()[0]?.robots
  t.strictSame(long?.rules, rules(maxRulesShown))
  t.equal(long?.rule_count, 5_000)
})
