/** Compares the explanation of URLs with the run itself, for any run and URL. */
import { explanationExample } from '@tidemark/contracts/http/explanation-example'
import type { RunCommit } from '@tidemark/contracts/run'
import type { StopReason } from '@tidemark/contracts/run-ends'
import type { FoundLink } from '@tidemark/contracts/work/outcome'
import fc from 'fast-check'
import { test } from 'tap'
import { command, someSettings } from '../any-command.scene.ts'
import { Story } from '../any-run.scene.ts'
import { decide } from '../decide.ts'
import { evolve } from '../evolve/evolve.ts'
import { forecastSteps } from '../forecast.ts'
import {
  at,
  circumstances,
  key,
  lookAfter,
  page,
  queued,
  redirect,
  robots,
  robotsFailed,
  settings,
  settle,
  url,
} from '../run.examples.ts'
import { type Run, type Running, type UrlState, unknown } from '../run.ts'
import { explain } from './explain.ts'
import { addToHistory, emptyHistory } from './history.ts'
import { ofHistory } from './remedies.ts'

const runs = Number(process.env.RUNS ?? 200)
const linked = ['/p0', '/p1', '/p2', '/p3', '/p4', '/p11', '/x/x/x/x', 'https://b.example/']
const requested = ['/', ...linked, '/p12', '/sitemap.xml', 'https://c.example/']

let state = 1
/** Returns pseudo-random text of two letters. */
const letters = (length: number): string =>
  Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647
    return state % 2 === 0 ? 'a' : 'b'
  }).join('')

const verdicts: Record<UrlState, string> = {
  pending: 'pending',
  deferred: 'not_reached',
  fetched: 'fetched',
  failed: 'failed',
  skipped: 'skipped',
  duplicate: 'duplicate',
}

function explained(story: Story, path: string) {
  const commits = story.journal.map(({ event, at }, n) => {
    const commit: RunCommit = { at, events: [event] }
    return { sequence: n + 1, commit }
  })
  const past = emptyHistory()
  for (const stored of commits) addToHistory(past, key(path), stored)
  const isOver = story.run.status !== 'running'
  const events = story.journal.filter(({ event }) => event.type !== 'RunFinished')
  const before = () => events.reduce<Run>((run, { event, at }) => evolve(run, event, at), unknown)
  const judging = {
    run: (isOver ? before() : story.run) as Running,
    now: story.now,
    trapsOff: new Set<never>(),
  }
  return explain(judging, { key: key(path), url: url(path) }, past)
}

/** Returns how the run would treat the URL if a page of it linked there now. */
function becomesOf(run: Running, path: string): string | undefined {
  const seed = [...run.pending.values()].find(({ order, found }) => order !== null && found.depth === 0)
  if (!seed) return undefined
  const { events } = decide(run, settle(page('/', [path])), circumstances({ at: run.startedAt }))
  const judged = events.find(({ data }) => 'pages' in data && data.pages.some(page => page.key === key(path)))
  return judged?.type ?? 'nothing'
}

/** The treatment of a URL by the run, for each rule that the explanation gives. */
const made: Record<string, string> = {
  scope: 'nothing',
  trap: 'PagesPruned',
  patterns: 'PagesFiltered',
  depth: 'PagesDeferred',
  max_pages: 'PagesDeferred',
  robots: 'PagesSkipped',
  found: 'PagesAdmitted',
}

test('The story of a URL', { timeout: 3_600_000 }, async t => {
  t.test('ends with the state of the URL in the run, for any outcomes', async t => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 20 }), someSettings, (commands, settings) => {
        const story = new Story(queued(settings), () => {})
        story.send(lookAfter)
        story.send(settle(robots('User-agent: *\nDisallow: /p1')))
        story.send(settle(page('/', linked)))
        for (const { command, afterMs } of commands) {
          if (story.run.status !== 'running') return
          for (const path of requested) {
            const { verdict, rules } = explained(story, path)
            const state = story.run.states.get(key(path))
            const unjudged = story.run.listed.waiting.has(key(path)) ? 'pending' : 'never_seen'
            const expected = state === undefined ? unjudged : verdicts[state]
            if (verdict !== expected) throw new Error(`${path}: explained ${verdict}, is ${expected}`)
            const held = rules.filter(({ passed }) => !passed).length
            const isLast = held === 0 || (held === 1 && rules.at(-1)?.passed === false)
            if (!isLast || rules.some(({ because }) => because === ''))
              throw new Error(`${path}: ${JSON.stringify(rules)}`)
          }
          story.now += afterMs
          story.send(command)
        }
      }),
      { numRuns: runs },
    )
    t.pass(`${runs} generated runs`)
  })

  t.test('has one attempt if an order was sent again because it had no outcome', async t => {
    const story = new Story(queued(), () => {})
    story.send(lookAfter)
    for (const minutes of [2, 10, 30]) {
      story.now += minutes * 60_000
      story.send(lookAfter)
    }
    t.match(explained(story, '/').attempts, [{ attempt: 1, ordered_at: at, outcome: 'pending' }])
    t.equal(explained(story, '/').attempts.length, 1)
  })

  t.test('has the attempts at a robots.txt without which the seed was not requested', async t => {
    const story = new Story(queued({ respectRobots: true }), () => {})
    story.send(lookAfter)
    for (let n = 0; n < 3; n++) {
      story.send(settle(robotsFailed('dns', true, n + 1)))
      story.now += 10_000
      story.send(lookAfter)
    }
    const { verdict, attempts } = explained(story, '/')
    t.equal(verdict, 'failed')
    const of = 'robots.txt'
    t.match(attempts, [
      { attempt: 1, of, outcome: 'retried', reason: null, ended_at: String, not_before: String },
      { attempt: 2, of, outcome: 'retried', reason: null },
      { attempt: 3, of, outcome: 'failed', reason: 'dns', ended_at: String, not_before: null },
    ])
    t.equal(attempts.length, 3)
  })

  t.test('names the group of a line of robots.txt', async t => {
    const story = new Story(queued({ respectRobots: true }), () => {})
    story.send(lookAfter)
    story.send(settle(robots('User-agent: *\nDisallow: /')))
    const { verdict, rules, what_would_change } = explained(story, '/')
    t.equal(verdict, 'skipped')
    t.equal(
      rules.at(-1)?.because,
      'Disallow: / for User-agent: * in https://a.example/robots.txt, which answered 200',
    )
    t.strictSame(what_would_change, ['A line in robots.txt that allows it, or respect_robots: false.'])
  })

  t.test('names rules of robots.txt with too many wildcards to match a URL', async t => {
    const long = `/${letters(1_990)}`
    const costly = Array.from({ length: 1_000 }, () => `Allow: /*${letters(380)}`).join('\n')
    const text =
      'The rules of https://a.example/robots.txt have too many wildcards to be matched against this URL, so it is treated as disallowed'
    const remedy = 'A robots.txt with fewer wildcards, or respect_robots: false.'
    const story = new Story(queued({ respectRobots: true }), () => {})
    story.send(lookAfter)
    story.send(settle(robots(`User-agent: *\n${costly}`)))
    t.match(
      explained(story, long).rules.at(-1),
      { rule: 'robots', passed: false, because: `${text}.` },
      'if it is unknown',
    )
    story.send(settle(page('/', [long])))
    const { rules, what_would_change } = explained(story, long)
    t.strictSame(rules.at(-1), { rule: 'robots', passed: false, because: `${text}.` })
    t.strictSame(what_would_change, [remedy])

    const ofSeed = queued({ respectRobots: true })
    if (ofSeed.type === 'RunQueued') ofSeed.data.url = url(long)
    const failing = new Story(ofSeed, () => {})
    failing.send(lookAfter)
    failing.send(settle(robots(`User-agent: *\n${costly}`)))
    t.match(failing.run, {
      errorReason: 'robots_disallowed',
      errorMessage: `The seed ${url(long)} may not be fetched. ${text}. Remedy: a robots.txt with fewer wildcards, or respect_robots: false.`,
    })
    const requested = settings({ respectRobots: true })
    const answers = [{ origin: 'https://a.example', status: 200, body: `User-agent: *\n${costly}` }]
    const steps = forecastSteps(
      { url: url('/'), settings: requested, robots: answers, urls: [url(long)] },
      circumstances(),
    )
    let step = steps.next()
    while (!step.done) step = steps.next()
    t.strictSame(step.value.out, [{ url: url(long), rule: 'robots', because: `${text}.` }], 'in an estimate')
  })

  t.test('has the depth of URLs that a sitemap lists', async t => {
    const story = new Story(
      queued({ respectRobots: true, excludePaths: ['^/p1$'], seedKind: 'sitemap' }),
      () => {},
    )
    story.send(lookAfter)
    const links = ['/p0', '/p1'].map((path): FoundLink => [key(path), url(path)])
    const ofSeed = { runId: 1, key: key('/sitemap.xml'), attempt: 1 }
    story.send(settle({ type: 'sitemap', ...ofSeed, status: 200, links, sitemaps: [], cut: null }))
    story.send(settle(robots('User-agent: *\nDisallow: /p0')))
    const filtered = explained(story, '/p1')
    t.equal(filtered.found?.depth, 1)
    t.match(filtered.rules, [
      {},
      {},
      {},
      { rule: 'trap', because: 'no trap rule matches' },
      { rule: 'patterns', passed: false },
    ])
    const skipped = explained(story, '/p0')
    t.equal(skipped.found?.depth, 1)
    t.ok(skipped.rules.some(({ because }) => because === '1 click from the seed, and depth is 5'))
  })

  t.test('has the depth of the page that redirects to an excluded URL', async t => {
    const story = new Story(queued({ excludePaths: ['^/p3$', '^/p4$'] }), () => {})
    story.send(lookAfter)
    story.send(settle(page('/', ['/p0', '/p1'])))
    story.send(settle(redirect('/p0', '/p3'), page('/p1', ['/p4'])))
    t.equal(explained(story, '/p3').found?.depth, 1, 'a redirect keeps it')
    t.equal(explained(story, '/p4').found?.depth, 2, 'a link adds one')
  })

  t.test('names the page at the end of several redirects', async t => {
    const story = new Story(queued(), () => {})
    story.send(lookAfter)
    story.send(settle(page('/', ['/p0'])))
    story.send(settle(redirect('/p0', '/p1')))
    story.send(settle(redirect('/p1', '/p2')))
    story.send(settle(page('/p2', [])))
    t.strictSame(
      ['/p0', '/p1', '/p2'].map(path => explained(story, path).duplicate_of),
      [url('/p2'), url('/p2'), null],
    )
  })

  t.test('names the two ways to turn a trap rule off', async t => {
    const story = new Story(queued(), () => {})
    story.send(lookAfter)
    story.send(settle(page('/', ['/x/x/x/x'])))
    const { rules, what_would_change } = explained(story, '/x/x/x/x')
    t.strictSame(what_would_change, [
      'Set trap_guards to false, or let the operator add `path_repetition` to TRAP_RULES_OFF.',
    ])
    t.match(rules[1], { rule: 'known', passed: true, because: 'it was new when the run found it' })
  })

  t.test('equals the example of the API reference', async t => {
    const { found } = explanationExample
    const start = queued({ excludePaths: ['^/drafts/'] })
    if (start.type === 'RunQueued') start.data.url = found.from_url
    const story = new Story(start, () => {})
    story.send(lookAfter)
    story.now = Date.parse(found.at)
    story.send(settle(page(found.from_url, [explanationExample.url])))
    const answer = explained(story, explanationExample.url)
    // The gateway adds the anchor, and the number of commits before the discovery varies.
    const added = { anchor: found.anchor, sequence: found.sequence }
    t.strictSame({ ...answer, found: { ...answer.found, ...added } }, explanationExample)
  })

  t.test(
    'names the line that will skip a URL at its order, and the searched length of a long URL',
    async t => {
      const long = `/p?${'x'.repeat(3_000)}`
      const story = new Story(
        queued({ respectRobots: true, excludePaths: ['nowhere'], seedKind: 'sitemap', maxPages: 5_000 }),
        () => {},
      )
      story.send(lookAfter)
      const links: FoundLink[] = Array.from(
        { length: 2_100 },
        (_, n): FoundLink => [key(`/x${n}`), url(`/x${n}`)],
      )
      links.push([key(long), url(long)])
      const ofSeed = { runId: 1, key: key('/sitemap.xml'), attempt: 1 }
      story.send(settle({ type: 'sitemap', ...ofSeed, status: 200, links, sitemaps: [], cut: null }))
      story.send(settle(robots('User-agent: *\nDisallow: /x')))
      const answers = (path: string) => explained(story, path).rules.map(({ because }) => because)
      t.match(
        answers('/x0'),
        [/./, /./, /./, /./, /./, /./, /^Disallow: \/x for User-agent: \* in/],
        'left out',
      )
      t.equal(explained(story, '/x0').verdict, 'skipped')
      t.equal(explained(story, '/x2099').verdict, 'pending')
      t.ok(answers('/x2099').some(words => /Disallow: \/x for User-agent: \* in .*will skip it/.test(words)))
      t.ok(answers(long).some(words => words === 'no exclude pattern matches (in its first 2048 characters)'))
    },
  )

  t.test('forecasts how the run would treat an unknown URL', async t => {
    const some = { respectRobots: true, includePaths: ['/p', '/x', '/tall'], excludePaths: ['^/p3$'] }
    const paths = ['/p1', '/p2', '/p3', '/q', '/x/x/x/x', 'https://b.example/p']
    for (const path of paths) {
      const story = new Story(queued(some), () => {})
      story.send(lookAfter)
      story.send(settle(robots('User-agent: *\nDisallow: /p1')))
      const rule = explained(story, path).rules.at(-1)?.rule ?? ''
      t.equal(becomesOf(story.run as Running, path), made[rule], `${path}: ${rule}`)
    }
  })
})

test('The remedies of a failed URL', t => {
  const failed = (failure: string, stopReason: StopReason | null) =>
    ofHistory({} as Running, { ...emptyHistory(), verdict: 'failed', failure, stopReason })
  const sign = 'the page had the sign of having been logged out.'
  t.strictSame(failed('dns', 'exhausted'), [
    'A response of its host (dns): POST …/retry-failed, or a new crawl, tries again.',
  ])
  t.strictSame(failed('logged_out', 'failed'), [`A login that lasts, then POST …/retry-failed: ${sign}`])
  t.strictSame(
    failed('dns', null),
    ['A response of its host (dns): POST …/retry-failed after the end, or a new crawl, tries again.'],
    'while the run continues, nothing can be retried',
  )
  t.strictSame(failed('logged_out', null), [
    `A login that lasts, then POST …/retry-failed after the end: ${sign}`,
  ])
  t.strictSame(
    failed('dns', 'cancelled'),
    ['A response of its host (dns): a new crawl tries again.'],
    'no URL of a cancelled run can be retried',
  )
  t.strictSame(failed('logged_out', 'cancelled'), [`A login that lasts, then a new crawl: ${sign}`])
  t.end()
})
