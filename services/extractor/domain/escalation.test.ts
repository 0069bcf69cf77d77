/** The next backend, its time limit, and the response that is returned. */
import type { BackendChoice } from '@tidemark/contracts/rpc/backends'
import { test } from 'tap'
import { nextStep, type Outcome, outcomeOf, type Past, type Plan, whyNoPicture } from './escalation.ts'

const auto: BackendChoice = { is: 'auto', from: 'http', country: null }
const plan = (more: Partial<Plan> = {}): Plan => ({ means: auto, picture: false, timeoutMs: 60_000, ...more })

/** `http: challenge` or `isp: failed timeout`, in the order of the attempts. */
const past = (...said: string[]): Past[] =>
  said.map(one => {
    const [name = '', what = ''] = one.split(': ')
    const [outcome, reason = null] = what.split(' ')
    const isPool = ['datacenter', 'isp', 'residential', 'mobile'].includes(name)
    const step = isPool ? { backend: 'proxy', pool: name } : { backend: name }
    return { ...step, outcome: outcome as Outcome, reason } as Past
  })

const nextOf = (given: Past[], more: Partial<Plan> = {}, leftMs = 60_000): string => {
  const next = nextStep(plan(more), given, leftMs)
  if (next.type === 'try') return next.step.pool ?? next.step.backend
  return next.at === null ? 'none' : `returned: ${given[next.at]?.pool ?? given[next.at]?.backend}`
}

test('The next backend is', async t => {
  const cases: [given: string[], then: string][] = [
    [[], 'http'],
    [['http: page'], 'returned: http'],
    [['http: challenge'], 'faithful'],
    [['http: challenge', 'faithful: page'], 'returned: faithful'],
    [['http: challenge', 'faithful: not_configured'], 'browser'],
    [['http: challenge', 'faithful: challenge', 'browser: page'], 'returned: browser'],
    [['http: challenge', 'faithful: challenge', 'browser: challenge'], 'datacenter'],
    [['http: challenge', 'faithful: x', 'browser: x', 'datacenter: not_configured'], 'isp'],
    [['http: x', 'faithful: x', 'browser: x', 'datacenter: x', 'isp: challenge'], 'residential'],
    [['http: x', 'faithful: x', 'browser: x', 'datacenter: x', 'isp: x', 'residential: x'], 'mobile'],
    [
      ['http: x', 'faithful: x', 'browser: x', 'datacenter: x', 'isp: x', 'residential: x', 'mobile: x'],
      'vendor',
    ],
    [['http: failed timeout'], 'faithful'],
    [['http: failed tls', 'faithful: page'], 'returned: faithful'],
    [['http: failed connect', 'faithful: failed blocked'], 'browser'],
    [['http: failed proxy'], 'faithful'],
    [['http: failed protocol'], 'faithful'],
    [['http: failed too_many_redirects'], 'faithful'],
    [['http: failed unavailable'], 'faithful'],
    [['http: failed dns'], 'none'],
    [['http: failed private_address'], 'none'],
    [['http: failed bad_url'], 'none'],
    [['http: failed blocked_domain'], 'none'],
    [['http: failed too_large'], 'none'],
    [['http: challenge', 'faithful: failed private_address'], 'returned: http'],
    [['http: shell'], 'browser'],
    [['http: challenge', 'faithful: shell'], 'browser'],
    [['http: shell', 'browser: page'], 'returned: browser'],
    [['http: shell', 'browser: not_configured'], 'returned: http'],
    [['http: shell', 'browser: failed timeout'], 'returned: http'],
    [['http: shell', 'browser: challenge'], 'returned: http'],
    [['http: refused'], 'faithful'],
    [['http: refused', 'faithful: page'], 'returned: faithful'],
    [['http: refused', 'faithful: not_configured'], 'returned: http'],
    [['http: refused', 'faithful: failed timeout'], 'returned: http'],
    [['http: refused', 'faithful: challenge'], 'browser'],
    [['http: refused', 'faithful: shell'], 'browser'],
  ]
  for (const [given, then] of cases) t.equal(nextOf(past(...given)), then, given.join(', ') || 'at first')
  const all = ['http', 'faithful', 'browser', 'datacenter', 'isp', 'residential', 'mobile', 'vendor']
  t.equal(
    nextOf(past(...all.map(backend => `${backend}: challenge`))),
    'returned: vendor',
    'the last challenge',
  )
  t.equal(nextOf(past(...all.map(backend => `${backend}: failed timeout`))), 'none')
  t.equal(
    nextOf(past('http: challenge', ...all.slice(1).map(backend => `${backend}: not_configured`))),
    'returned: http',
    'the only challenge',
  )
})

test('A chosen backend is', async t => {
  const from = (from: 'browser' | 'proxy' | 'vendor'): Partial<Plan> => ({
    means: { is: 'auto', from, country: null },
  })
  t.equal(nextOf([], from('browser')), 'browser')
  t.equal(nextOf(past('browser: challenge'), from('browser')), 'datacenter')
  t.equal(nextOf([], from('proxy')), 'datacenter')
  t.equal(nextOf([], from('vendor')), 'vendor')
  const only: [BackendChoice, string][] = [
    [{ is: 'http' }, 'http'],
    [{ is: 'browser' }, 'browser'],
    [{ is: 'proxy', pool: 'mobile', country: null }, 'mobile'],
    [{ is: 'vendor', country: null }, 'vendor'],
  ]
  for (const [means, backend] of only) {
    t.equal(nextOf([], { means }), backend)
    t.equal(nextOf(past(`${backend}: challenge`), { means }), `returned: ${backend}`, 'and no other')
    t.equal(nextOf(past(`${backend}: failed timeout`), { means }), 'none')
  }
})

test('A country leaves only proxies and the vendor', async t => {
  for (const from of ['http', 'faithful', 'browser', 'proxy'] as const) {
    const means: BackendChoice = { is: 'auto', from, country: 'DE' }
    t.equal(nextOf([], { means }), 'datacenter', from)
    t.equal(nextOf(past('datacenter: not_configured'), { means }), 'isp', from)
    const pools = ['datacenter', 'isp', 'residential', 'mobile'].map(pool => `${pool}: challenge`)
    t.equal(nextOf(past(...pools), { means }), 'vendor', from)
  }
  t.equal(nextOf([], { means: { is: 'auto', from: 'vendor', country: 'DE' } }), 'vendor')

  const means: BackendChoice = { is: 'auto', from: 'http', country: 'DE' }
  const shell = { status: 200, challenge: null, isShell: true }
  t.equal(outcomeOf(means, { backend: 'proxy', pool: 'isp' }, shell), 'shell', 'only the vendor runs scripts')
  t.equal(outcomeOf(means, { backend: 'vendor' }, shell), 'page')
  t.equal(nextOf(past('isp: shell'), { means }), 'vendor')
})

test('A page that needs scripts is a shell only if a browser may follow', async t => {
  const seen = { status: 200, challenge: null, isShell: true }
  t.equal(outcomeOf(auto, { backend: 'http' }, seen), 'shell')
  t.equal(outcomeOf(auto, { backend: 'faithful' }, seen), 'shell')
  t.equal(outcomeOf(auto, { backend: 'browser' }, seen), 'page', 'no other form exists')
  t.equal(outcomeOf(auto, { backend: 'vendor' }, seen), 'page')
  t.equal(outcomeOf({ is: 'http' }, { backend: 'http' }, seen), 'page', 'the client chose it')
  t.equal(outcomeOf(auto, { backend: 'http' }, { ...seen, challenge: 'Anubis' }), 'challenge')
})

test('A refusal without marks of a bot defense counts as a refusal of plain clients first', t => {
  const seen = { status: 403, challenge: null, isShell: false }
  t.equal(outcomeOf(auto, { backend: 'http' }, seen), 'refused')
  t.equal(outcomeOf(auto, { backend: 'faithful' }, seen), 'page')
  t.equal(outcomeOf(auto, { backend: 'browser' }, seen), 'page')
  t.equal(outcomeOf({ is: 'http' }, { backend: 'http' }, seen), 'page')
  for (const status of [401, 404, 429, 500, 503])
    t.equal(outcomeOf(auto, { backend: 'http' }, { ...seen, status }), 'page', String(status))
  t.end()
})

test('The backends share the time, and together never exceed it', async t => {
  const msOf = (given: Past[], leftMs: number, more: Partial<Plan> = {}) => {
    const next = nextStep(plan(more), given, leftMs)
    return next.type === 'try' ? next.timeoutMs : 0
  }
  t.equal(msOf([], 60_000), 18_000)
  t.equal(msOf(past('http: challenge', 'faithful: challenge'), 58_000), 40_600, 'most for a browser')
  t.equal(msOf([], 60_000, { means: { is: 'http' } }), 60_000, 'all of it for the only one')
  t.equal(msOf([], 60_000, { means: { is: 'http' }, picture: true }), 36_000, 'except for its picture')
  t.equal(msOf([], 60_000, { means: { is: 'browser' }, picture: true }), 60_000)
  let [left, given] = [10_000, past()]
  for (;;) {
    const next = nextStep(plan({ timeoutMs: 10_000 }), given, left)
    if (next.type === 'end') break
    t.ok(next.timeoutMs >= 1 && next.timeoutMs <= left)
    left -= next.timeoutMs
    given = [...given, { ...next.step, outcome: 'failed', reason: 'timeout' }]
  }
  t.ok(given.length >= 6, 'most backends try even the slowest site')
  t.equal(msOf([], -7.5), 1, 'at least one backend gets a request')
  t.equal(nextOf(past('http: challenge'), {}, 50), 'returned: http', 'no time is left for another')
  t.equal(nextOf(past('http: failed timeout'), {}, 50), 'none')
})

test('A picture is taken by a browser, unless one has tried', async t => {
  const page = 'page' as const
  t.equal(whyNoPicture({ is: 'http' }, past('http: page'), page), null)
  t.equal(whyNoPicture(auto, past('http: challenge', 'faithful: page'), page), null)
  t.equal(
    whyNoPicture(auto, past('http: challenge', 'browser: failed timeout', 'isp: page'), page),
    'timeout',
  )
  t.equal(whyNoPicture(auto, past('browser: not_configured', 'isp: page'), page), 'not_configured')
  t.equal(whyNoPicture(auto, past('browser: challenge', 'isp: page'), page), 'blocked')
  t.equal(whyNoPicture({ is: 'http' }, past('http: challenge'), 'challenge'), 'blocked', 'nor of a challenge')
  t.equal(whyNoPicture({ is: 'vendor', country: null }, past('vendor: page'), page), 'not_supported')
})
