/**
 * Simulated runs: whatever comes back, in any order and any number of times, a run keeps its promises, ends, and
 * reads back from its events as it was. `RUNS=100000` simulates more of them.
 */
import type { RunEvent } from '@tidemark/contracts/run'
import type { RunSettings } from '@tidemark/contracts/run-settings'
import type { FoundLink, Outcome } from '@tidemark/contracts/work/outcome'
import fc from 'fast-check'
import { test } from 'tap'
import { decide, type RunCommand } from './decide.ts'
import { evolve } from './evolve.ts'
import {
  at,
  circumstances,
  failed,
  key,
  lookAfter,
  page,
  queued,
  redirect,
  robots,
  robotsFailed,
  settle,
  url,
} from './examples.ts'
import { type Run, type Running, totals, unknown } from './run.ts'
import { awaitsSitemaps } from './sitemaps.ts'

const runs = Number(process.env.RUNS ?? 3_000)

const path = fc.constantFrom(
  '/',
  ...Array.from({ length: 12 }, (_, n) => `/p${n}`),
  '/x/x/x/x',
  'https://b.example/',
)
const sitemapPath = fc.constantFrom('/sitemap.xml', '/one.xml', '/two.xml')
const attempt = fc.integer({ min: 1, max: 3 })
const paths = fc.array(path, { maxLength: 6 })
const linksTo = (paths: string[]): FoundLink[] => paths.map(path => [key(path), url(path)])
const ofOrder = (path: string) => ({ runId: 1, key: key(path), attempt: 1 })

const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc
    .tuple(
      path,
      paths,
      fc.constantFrom(200, 404, 500),
      fc.option(fc.integer({ min: 1, max: 2 })),
      fc.boolean(),
    )
    .map(([p, links, status, parts, blocked]) => ({
      ...(page(p, links, status) as Extract<Outcome, { type: 'page' }>),
      ...(parts !== null && { parts }),
      ...(blocked && { blocked }),
    })),
  fc
    .tuple(fc.oneof(path, sitemapPath), fc.integer({ min: 0, max: 2 }), paths)
    .map(([p, part, links]): Outcome => ({ type: 'links', ...ofOrder(p), part, links: linksTo(links) })),
  fc.tuple(path, path).map(([p, to]) => redirect(p, to)),
  fc
    .tuple(fc.oneof(path, sitemapPath), fc.boolean(), attempt)
    .map(([p, transient, n]) => failed(p, 'timeout', transient, n)),
  fc
    .tuple(
      fc.constantFrom('', 'User-agent: *\nDisallow: /p1\nCrawl-delay: 2'),
      fc.constantFrom(200, 404, 503),
    )
    .map(([body, status]) => robots(body, status)),
  fc.boolean().map(transient => robotsFailed('timeout', transient)),
  fc.tuple(sitemapPath, paths, fc.array(sitemapPath, { maxLength: 3 }), fc.constantFrom(200, 404, 503)).map(
    ([p, links, sitemaps, status]): Outcome => ({
      type: 'sitemap',
      ...ofOrder(p),
      status,
      links: linksTo(links),
      sitemaps: linksTo(sitemaps),
      cut: null,
    }),
  ),
)

const settling = fc.array(outcome, { minLength: 1, maxLength: 4 }).map(outcomes => settle(...outcomes))
const always = (command: RunCommand) => fc.constant(command)

const command = fc.record({
  command: fc.oneof(
    { weight: 40, arbitrary: settling },
    { weight: 10, arbitrary: always(lookAfter) },
    { weight: 1, arbitrary: always({ type: 'CancelRun' }) },
    { weight: 1, arbitrary: always({ type: 'DeleteRun' }) },
  ),
  afterMs: fc.constantFrom(0, 10, 1_000, 130_000),
})

const seedKind = fc.constantFrom<Partial<RunSettings>>({}, {}, { seedKind: 'sitemap' })
const limits = fc.record({
  maxPages: fc.integer({ min: 1, max: 8 }),
  depth: fc.integer({ min: 1, max: 4 }),
  respectRobots: fc.boolean(),
  subdomains: fc.boolean(),
  includePaths: fc.constantFrom<string[]>([], ['^/p1?\\d']),
  excludePaths: fc.constantFrom<string[]>([], ['^/p3$']),
})
const someSettings = fc.tuple(limits, seedKind).map(([limits, kind]) => ({ ...limits, ...kind }))

const isTerminal = (status: Run['status']): boolean => !['unknown', 'queued', 'running'].includes(status)

class Story {
  now = Date.parse(at)
  #id = 0
  #run: Run
  readonly #journal: { event: RunEvent; at: string }[] = []

  constructor(queued: RunEvent) {
    this.#run = evolve(unknown, queued, at)
    this.#journal.push({ event: structuredClone(queued), at })
  }

  ask(command: RunCommand): void {
    const before = this.#run.status
    const time = new Date(this.now).toISOString()
    const some = circumstances({ at: time, takeId: () => ++this.#id })
    const { run, events } = decide(this.#run, command, some)
    this.#journal.push(...events.map(event => ({ event: structuredClone(event), at: time })))
    this.#run = run
    if (isTerminal(before) && run.status !== before && run.status !== 'deleted')
      throw new Error(`left ${before}`)
    if (run.status === 'running') keepsPromises(run)
    if ('totals' in run && Object.values(run.totals).some(count => count < 0))
      throw new Error('a negative count')
  }

  readsBack(): void {
    const again = this.#journal.reduce<Run>((run, { event, at }) => evolve(run, event, at), unknown)
    if (JSON.stringify(comparable(again)) !== JSON.stringify(comparable(this.#run)))
      throw new Error('reads back differently')
  }

  ends(): void {
    for (let look = 0; look < 80 && this.#run.status === 'running'; look++) {
      this.now += 130_000
      this.ask(lookAfter)
    }
    if (this.#run.status === 'running') throw new Error('never ends')
  }
}

function keepsPromises(run: Running): void {
  const counts = totals(run)
  if (Object.values(counts).some(count => count < 0)) throw new Error('a negative count')
  const { discovered, pending, notReached, ...ends } = counts
  const sum = Object.values(ends).reduce((a, b) => a + b, pending + notReached)
  if (discovered !== sum) throw new Error(`discovered ${discovered}, accounted for ${sum}`)
  if (run.counts.fetched + pending > run.settings.maxPages) throw new Error('more pages than max_pages')
  const out = [...run.pending.values()].filter(({ order }) => order !== null).length
  const outAtOrigins = [...run.outAt.values()].reduce((a, b) => a + b, 0)
  if (run.out !== out || outAtOrigins !== out) throw new Error(`${run.out} counted as out, ${out} are`)
  if (pending === 0 && !awaitsSitemaps(run)) throw new Error('nothing is left, and yet it runs')
}

function comparable(run: Run): unknown {
  if (run.status !== 'running') return run
  const sorted = <T>(entries: Iterable<[string, T]>) => [...entries].sort(([a], [b]) => (a < b ? -1 : 1))
  const { places, pending, ready, later, robots, redirects, awaitingRobots, deferred, ...rest } = run
  const { sitemaps, linkParts, outAt, traps, ...plain } = rest
  return {
    ...plain,
    traps: traps && {
      ...traps,
      origins: sorted(traps.origins),
      kinds: sorted(traps.kinds),
      dates: sorted(traps.dates),
    },
    places: sorted(places),
    pending: sorted(pending),
    ready: sorted(ready).map(([origin, keys]) => [origin, [...keys].sort()]),
    outAt: sorted(outAt),
    later: [...later].sort(),
    robots: sorted(robots),
    redirects: sorted(redirects),
    sitemaps: sorted(sitemaps),
    linkParts: sorted(linkParts).map(([key, parts]) => [key, [...parts].sort()]),
    awaiting: sorted(
      [...awaitingRobots].filter(([, keys]) => keys.size > 0).map(([o, keys]) => [o, [...keys].sort()]),
    ),
    deferred: [deferred.count, sorted(deferred.max_pages), [...deferred.depth].sort()],
  }
}

test('Whatever comes back, in any order and any number of times', { timeout: 3_600_000 }, async t => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 40 }), someSettings, (commands, settings) => {
      const story = new Story(queued(settings))
      story.ask(lookAfter)
      for (const { command, afterMs } of commands) {
        story.now += afterMs
        story.ask(command)
      }
      story.readsBack()
      story.ends()
    }),
    { numRuns: runs },
  )
  t.pass(`${runs} generated runs`)
})
