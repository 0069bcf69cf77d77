import { type Coverage, limits, trapRules } from '@tidemark/contracts/http/coverage'
import type { TrapRule } from '@tidemark/contracts/run'
import { test } from 'tap'
import { answersIn } from './answers.ts'
import { type Expectations, refetches, ruleNames, violations } from './checker.ts'
import { type Entry, type Fact, only } from './history.ts'
import { politeness } from './politeness.ts'
import { Deliveries } from './redeliveries.ts'
import { answerOf, expectedPaths, expectedRows, pagesOf, type Site } from './site.ts'

const site: Site = { seed: 7, hosts: 3, pages: 200 }
const origins = ['http://127.1.20.1:81', 'http://127.1.20.2:82', 'http://127.1.20.3:83']
const expectations: Expectations = {
  kills: 1,
  refetched: 0.04,
  pauseMs: 5_000,
  webhooks: true,
  redelivered: true,
  repeated: true,
  pauseOfHostMs: 5,
}

/** The history of a run of chaos that kept every promise. */
function goodHistory(): Entry[] {
  const facts: Fact[] = [{ type: 'site', site, origins }]
  for (const [host, origin] of origins.entries()) {
    const rows = [...expectedRows(site, host)].map(([path, status]) => ({ url: `${origin}${path}`, status }))
    const run = host + 1
    facts.push(
      { type: 'accepted', run, project: 'one', host },
      { type: 'call', method: 'GET', path: `/v1/crawls/${run}`, status: 503, retryAfter: true },
      { type: 'call', method: 'GET', path: `/v1/crawls/${run}`, status: 0, retryAfter: false },
      { type: 'hit', host, path: '/robots.txt' },
      { type: 'receipt', run, receipt: receipt(run, 4, 0) },
      ...[...expectedPaths(site, host)].map((path): Fact => ({ type: 'hit', host, path })),
      { type: 'kill', target: 'fetcher', pids: [1] },
      { type: 'ended', run, end: { status: 'done', page_count: rows.length, error_count: 0 } },
      { type: 'receipt', run, receipt: receipt(run, 9, rows.length) },
      { type: 'pages', run, rows },
      { type: 'delivery', run, id: `msg_${run}` },
      { type: 'delivery', run, id: `msg_${run}` },
    )
  }
  facts.push(
    { type: 'usage', project: 'one', pages: site.pages },
    { type: 'redelivered', messages: 2 },
    { type: 'repeated', messages: 9 },
    { type: 'verified', code: 0, output: '' },
  )
  return facts.map((fact, n) => ({ at: n * 10, ...fact }))
}

/** A receipt of a run that knows all pages of its host from the start. */
function receipt(run: number, position: number, fetched: number): Coverage {
  const pages = expectedRows(site, run - 1).size
  const none = { robots: 0, robots_unreachable: 0, redirect_out_of_scope: 0, excluded: 0, not_included: 0 }
  const trap = Object.fromEntries(trapRules.map(rule => [rule, 0])) as Record<TrapRule, number>
  return {
    run_id: run,
    status: 'running',
    stop_reason: null,
    position,
    discovered: pages + 2,
    fetched,
    not_modified: { pages: 0, bytes_saved: 0 },
    failed: { total: 0, by_reason: {} },
    skipped: { total: 2, by_reason: { ...none, robots: 2, trap } },
    duplicate: 0,
    not_reached: {
      total: 0,
      by_limit: Object.fromEntries(limits.map(limit => [limit, 0])) as Coverage['not_reached']['by_limit'],
    },
    pending: pages - fetched,
    sitemaps: { read: 0, failed: 0, cut: 0 },
    frontier_full: false,
    holds: true,
  }
}

type Planted = { fault: string; rule: string; also?: string[]; plant: (history: Entry[]) => unknown }

const first = <Type extends Fact['type']>(history: Entry[], type: Type) => {
  const [found] = only(history, type)
  if (found === undefined) throw new Error(`the history has no ${type}`)
  return found
}
const without = (history: Entry[], type: Fact['type']) => history.filter(entry => entry.type !== type)
const end = (history: Entry[], change: object) => {
  first(history, 'ended').end = { status: 'done', page_count: 67, error_count: 0, ...change }
}

const planted: Planted[] = [
  { fault: 'a run has not ended', rule: 'every run is done', plant: h => end(h, { status: 'running' }) },
  { fault: 'a run failed', rule: 'every run is done', plant: h => end(h, { status: 'failed' }) },
  {
    fault: 'a run cannot be read',
    rule: 'every run is done',
    plant: h => {
      first(h, 'ended').end = null
    },
  },
  {
    fault: 'nothing was crawled',
    rule: 'every run is done',
    also: ['each page is billed once'],
    plant: h => without(h, 'accepted'),
  },
  { fault: 'a row is missing', rule: 'no page is lost', plant: h => void first(h, 'pages').rows.pop() },
  {
    fault: 'a row is duplicated',
    rule: 'no page is there twice',
    plant: h => {
      const { rows } = first(h, 'pages')
      rows.push(...rows.slice(5, 6))
    },
  },
  {
    fault: 'a row of another host',
    rule: 'no page is made up',
    plant: h => void first(h, 'pages').rows.push({ url: `${origins[1]}/p/1`, status: 200 }),
  },
  {
    fault: 'a row has another status',
    rule: 'no page is made up',
    plant: h => {
      for (const row of first(h, 'pages').rows.slice(0, 1)) row.status = 500
    },
  },
  { fault: 'page_count is one less', rule: 'page_count is exact', plant: h => end(h, { page_count: 66 }) },
  { fault: 'page_count is one more', rule: 'page_count is exact', plant: h => end(h, { page_count: 68 }) },
  { fault: 'an error is counted', rule: 'no error is counted', plant: h => end(h, { error_count: 1 }) },
  {
    fault: 'a URL is in no sum',
    rule: 'every receipt adds up',
    plant: h => void first(h, 'receipt').receipt.pending--,
  },
  {
    fault: 'a sum differs from its reasons',
    rule: 'every receipt adds up',
    plant: h => void first(h, 'receipt').receipt.skipped.total++,
  },
  {
    fault: 'a receipt goes back',
    rule: 'every receipt adds up',
    plant: h => {
      first(h, 'receipt').receipt.position = 10
    },
  },
  { fault: 'no receipt can be read', rule: 'every receipt adds up', plant: h => without(h, 'receipt') },
  { fault: 'no work was repeated', rule: 'every fault happened', plant: h => without(h, 'repeated') },
  {
    fault: 'a page is billed twice',
    rule: 'each page is billed once',
    plant: h => void first(h, 'usage').pages++,
  },
  {
    fault: 'a page is not billed',
    rule: 'each page is billed once',
    plant: h => void first(h, 'usage').pages--,
  },
  { fault: 'no bill can be read', rule: 'each page is billed once', plant: h => without(h, 'usage') },
  {
    fault: 'one run has two webhooks',
    rule: 'each run sends one webhook',
    plant: h => {
      first(h, 'delivery').id = 'msg_other'
    },
  },
  { fault: 'no webhook came', rule: 'each run sends one webhook', plant: h => without(h, 'delivery') },
  {
    fault: 'one page in ten is fetched again',
    rule: 'little is fetched again',
    also: ['each host gets its delay'],
    plant: h => h.flatMap((entry, n) => (entry.type === 'hit' && n % 10 === 0 ? [entry, entry] : [entry])),
  },
  {
    fault: 'nothing happens for ten seconds',
    rule: 'no crawl is stuck',
    plant: h => h.map((entry, n) => ({ ...entry, at: entry.at + (n > 100 ? 10_000 : 0) })),
  },
  {
    fault: 'a forbidden page was requested',
    rule: 'no forbidden page is requested',
    plant: h => void h.push({ at: h.length * 10, type: 'hit', host: 0, path: '/private/3' }),
  },
  {
    fault: 'a request reached a host too early',
    rule: 'each host gets its delay',
    plant: h => {
      const [, , , early] = only(h, 'hit')
      if (early) early.at -= 6
    },
  },
  {
    fault: 'an answer was 500',
    rule: 'the API answers or sends Retry-After',
    plant: h => {
      first(h, 'call').status = 500
    },
  },
  {
    fault: 'a run that was accepted was not found',
    rule: 'the API answers or sends Retry-After',
    plant: h => {
      first(h, 'call').status = 404
    },
  },
  {
    fault: 'a 503 has no Retry-After',
    rule: 'the API answers or sends Retry-After',
    plant: h => {
      first(h, 'call').retryAfter = false
    },
  },
  { fault: 'nothing was killed', rule: 'every fault happened', plant: h => without(h, 'kill') },
  {
    fault: 'nothing came twice',
    rule: 'something was delivered again',
    plant: h => without(h, 'redelivered'),
  },
  {
    fault: 'an invariant does not hold',
    rule: 'admin verify holds',
    plant: h => {
      first(h, 'verified').code = 1
    },
  },
  { fault: 'admin verify did not run', rule: 'admin verify holds', plant: h => without(h, 'verified') },
  {
    fault: 'admin verify ran twice',
    rule: 'admin verify holds',
    plant: h => void h.push(first(h, 'verified')),
  },
]

test('The checker', async t => {
  t.test('finds no violation in a good history', async t => {
    t.strictSame(violations(goodHistory(), expectations), [])
  })

  for (const { fault, rule, also = [], plant } of planted) {
    t.test(`finds that ${fault}`, async t => {
      const history = goodHistory()
      const changed = plant(history)
      const found = violations(Array.isArray(changed) ? changed : history, expectations)
      const rules = found.map(({ rule }) => rule)
      t.ok(rules.includes(rule), `${rule}: ${JSON.stringify(found)}`)
      if (also.length === 0) t.strictSame(rules, [rule], 'no other rule is violated')
    })
  }

  t.test('has a planted fault for every rule', async t => {
    t.strictSame([...new Set(planted.map(({ rule }) => rule))].sort(), [...ruleNames].sort())
  })

  t.test('counts repeated fetches, without robots.txt', async t => {
    const hit = (path: string): Entry => ({ at: 0, type: 'hit', host: 0, path })
    const history = ['/', '/robots.txt', '/robots.txt', '/p/1', '/p/1', '/p/1'].map(hit)
    t.strictSame(refetches(history), { again: 2, ratio: 1 })
  })
})

test('The pauses of a host', async t => {
  const hit = (at: number, lateMs?: number): Entry => ({
    ...{ at, type: 'hit', host: 0, path: '/' },
    ...(lateMs !== undefined && { lateMs }),
  })
  const breaches = (...history: Entry[]) => politeness(history, 60).breaches.length
  t.equal(breaches(hit(0), hit(60)), 0)
  t.equal(breaches(hit(0), hit(59)), 1)
  t.equal(breaches(hit(0, 1), hit(59)), 0, 'a first request that was recorded late left a longer pause')
  t.equal(breaches(hit(0), hit(59, 1)), 1, 'a second request that was recorded late left a shorter one')
  t.equal(politeness([hit(0, 40), hit(35)]).shortestMs, 35)
})

test('The count of redeliveries', async t => {
  const reply = (change: object = {}) => {
    const first = { stream: 'FETCH', consumer: 'fetcher-http', attempt: 1, sequence: 7, delivery: 12 }
    const { stream, consumer, attempt, sequence, delivery, storedAt } = {
      ...first,
      storedAt: '1795264912345678901',
      ...change,
    }
    return `$JS.ACK.${stream}.${consumer}.${attempt}.${sequence}.${delivery}.${storedAt}.3`
  }
  const againIn = (...replies: (string | undefined)[]) => {
    const deliveries = new Deliveries()
    for (const reply of replies) deliveries.see(reply)
    return deliveries.again
  }

  t.test('is 0 when each consumer received each message once', async t => {
    const next = reply({ sequence: 8, delivery: 13 })
    const ofPages = reply({ stream: 'PAGES', consumer: 'extractor' })
    t.equal(againIn(reply(), next, ofPages, reply({ consumer: 'fetcher-browser' })), 0)
  })

  t.test('includes later attempts, even if the first was not observed', async t => {
    t.equal(againIn(reply(), reply({ attempt: 2, delivery: 30 }), reply({ attempt: 3, delivery: 31 })), 2)
    t.equal(againIn(reply({ stream: 'PAGES', consumer: 'extractor', attempt: 2 })), 1)
  })

  t.test('includes repeated first attempts of a server that lost its delivery state', async t => {
    t.equal(againIn(reply(), reply({ delivery: 1 })), 1)
    t.equal(againIn(reply(), reply({ attempt: 2 }), reply({ delivery: 1 }), reply({ attempt: 2 })), 3)
  })

  t.test('excludes another message with a reused sequence number', async t => {
    t.equal(againIn(reply(), reply({ delivery: 1, storedAt: '1795264919999999999' })), 0)
  })

  t.test('covers only deliveries of the work queues', async t => {
    const outcomes = reply({ stream: 'OUTCOMES', consumer: 'coordinator-07', attempt: 2 })
    const answered = ['_INBOX.ABC.1', '$JS.API.CONSUMER.MSG.NEXT.FETCH.fetcher-http', '', undefined]
    t.equal(againIn(outcomes, outcomes, ...answered, ...answered), 0)
  })
})

test('The answers of the API', async t => {
  const call = (at: number, status: number, ms: number): Entry => ({
    at,
    type: 'call',
    method: 'GET',
    path: '/v1/crawls/1',
    status,
    retryAfter: status === 503,
    ms,
  })
  const history = [
    call(100, 200, 20),
    call(500, 503, 300),
    call(1_500, 503, 5),
    call(1_600, 0, 5),
    call(2_200, 200, 700),
    call(3_000, 503, 10),
    call(3_100, 404, 5),
  ]
  t.strictSame(answersIn(history), {
    calls: 7,
    putOff: 3,
    lost: 1,
    maxPutOffMs: 2_000,
    rows: 2,
    putOffMs: 2_110,
    slowestMs: 700,
  })
  const rule = 'the API answers or sends Retry-After'
  const found = (answered: boolean) =>
    violations(history, { ...expectations, answered }).find(violation => violation.rule === rule)?.found
      .length
  t.equal(found(false), 1, 'the failed call is reported')
  t.equal(found(true), 2, 'with the call without an answer, if every call must have one')
})

test('A generated site', async t => {
  t.test('has the requested number of pages on every host, for every seed', async t => {
    for (let seed = 0; seed < 20; seed++) {
      for (const host of [0, 1, 2]) {
        t.equal(expectedRows({ ...site, seed }, host).size, pagesOf({ ...site, seed }, host))
      }
    }
  })

  t.test(
    'has pages, missing ones, redirects, slow ones, links to other hosts and forbidden ones',
    async t => {
      const answers = [...expectedPaths(site, 0)].map(path => answerOf(site, { host: 0, path }))
      const links = answers.flatMap(answer => (answer.status === 200 ? answer.links : []))
      t.ok(answers.some(({ status }) => status === 404))
      t.ok(answers.some(answer => answer.status === 302 && answer.to.host === 0))
      t.ok(answers.some(answer => answer.status === 302 && answer.to.host !== 0))
      t.ok(answers.some(answer => answer.status === 200 && answer.slowMs > 0))
      t.ok(links.some(({ host }) => host !== 0))
      t.ok(links.some(({ path }) => path.startsWith('/private/')))
    },
  )

  t.test('depends only on the seed', async t => {
    t.strictSame(expectedRows(site, 1), expectedRows({ ...site }, 1))
    t.strictNotSame(expectedPaths(site, 1), expectedPaths({ ...site, seed: 8 }, 1))
  })
})
