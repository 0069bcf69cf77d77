/** Compares the explanation of URLs with the run itself, for any run and URL. */
import type { RunCommit } from '@tidemark/contracts/run'
import type { FoundLink } from '@tidemark/contracts/work/outcome'
import fc from 'fast-check'
import { test } from 'tap'
import { command, someSettings } from '../any-command.scene.ts'
import { Story } from '../any-run.scene.ts'
import { decide } from '../decide.ts'
import { evolve } from '../evolve/evolve.ts'
import {
  at,
  circumstances,
  key,
  lookAfter,
  page,
  queued,
  robots,
  robotsFailed,
  settle,
  url,
} from '../run.examples.ts'
import { type Place, type Run, type Running, unknown } from '../run.ts'
import { explain } from './explain.ts'
import { addToHistory, emptyHistory } from './history.ts'

const runs = Number(process.env.RUNS ?? 500)
const linked = ['/p0', '/p1', '/p2', '/p3', '/p4', '/p11', '/x/x/x/x', 'https://b.example/']
const asked = ['/', ...linked, '/p12', '/sitemap.xml', 'https://c.example/']

const verdicts: Record<Place, string> = {
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
        story.ask(lookAfter)
        story.ask(settle(robots('User-agent: *\nDisallow: /p1')))
        story.ask(settle(page('/', linked)))
        for (const { command, afterMs } of commands) {
          if (story.run.status !== 'running') return
          for (const path of asked) {
            const { verdict, rules } = explained(story, path)
            const place = story.run.places.get(key(path))
            const expected = place === undefined ? 'never_seen' : verdicts[place]
            if (verdict !== expected) throw new Error(`${path}: explained ${verdict}, is ${expected}`)
            const held = rules.filter(({ passed }) => !passed).length
            const isLast = held === 0 || (held === 1 && rules.at(-1)?.passed === false)
            if (!isLast || rules.some(({ because }) => because === ''))
              throw new Error(`${path}: ${JSON.stringify(rules)}`)
          }
          story.now += afterMs
          story.ask(command)
        }
      }),
      { numRuns: runs },
    )
    t.pass(`${runs} generated runs`)
  })

  t.test('has one attempt if an order was sent again because it had no outcome', async t => {
    const story = new Story(queued(), () => {})
    story.ask(lookAfter)
    for (const minutes of [2, 10, 30]) {
      story.now += minutes * 60_000
      story.ask(lookAfter)
    }
    t.match(explained(story, '/').attempts, [{ attempt: 1, ordered_at: at, outcome: 'pending' }])
    t.equal(explained(story, '/').attempts.length, 1)
  })

  t.test('has the attempts at a robots.txt without which the seed was not requested', async t => {
    const story = new Story(queued({ respectRobots: true }), () => {})
    story.ask(lookAfter)
    for (let n = 0; n < 3; n++) {
      story.ask(settle(robotsFailed('dns', true)))
      story.now += 10_000
      story.ask(lookAfter)
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
    story.ask(lookAfter)
    story.ask(settle(robots('User-agent: *\nDisallow: /')))
    const { verdict, rules, what_would_change } = explained(story, '/')
    t.equal(verdict, 'skipped')
    t.equal(
      rules.at(-1)?.because,
      'Disallow: / for User-agent: * in https://a.example/robots.txt, which answered 200',
    )
    t.strictSame(what_would_change, ['A line in robots.txt that allows it, or respect_robots: false.'])
  })

  t.test(
    'names the line that will skip a URL at its order, and the searched length of a long URL',
    async t => {
      const long = `/p?${'x'.repeat(3_000)}`
      const story = new Story(
        queued({ respectRobots: true, excludePaths: ['nowhere'], seedKind: 'sitemap', maxPages: 5_000 }),
        () => {},
      )
      story.ask(lookAfter)
      const links: FoundLink[] = Array.from(
        { length: 2_100 },
        (_, n): FoundLink => [key(`/x${n}`), url(`/x${n}`)],
      )
      links.push([key(long), url(long)])
      const ofSeed = { runId: 1, key: key('/sitemap.xml'), attempt: 1 }
      story.ask(settle({ type: 'sitemap', ...ofSeed, status: 200, links, sitemaps: [], cut: null }))
      story.ask(settle(robots('User-agent: *\nDisallow: /x')))
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
      story.ask(lookAfter)
      story.ask(settle(robots('User-agent: *\nDisallow: /p1')))
      const rule = explained(story, path).rules.at(-1)?.rule ?? ''
      t.equal(becomesOf(story.run as Running, path), made[rule], `${path}: ${rule}`)
    }
  })
})
