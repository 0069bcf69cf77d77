/** Generates commands and settings of a run for a site of a dozen pages. */
import type { RunSettings } from '@tidemark/contracts/run-settings'
import type { FoundLink, Outcome } from '@tidemark/contracts/work/outcome'
import type { StoredAnswer } from '@tidemark/contracts/work/revisit'
import fc from 'fast-check'
import type { RunCommand } from './decide.ts'
import { isFromStore } from './fork/stored-pages.ts'
import { loginKey } from './login/login.ts'
import {
  at,
  failed,
  key,
  lookAfter,
  page,
  redirect,
  robots,
  robotsFailed,
  settle,
  site,
  url,
} from './run.examples.ts'
import type { Run, Running } from './run.ts'

const path = fc.constantFrom(
  '/',
  ...Array.from({ length: 12 }, (_, n) => `/p${n}`),
  '/x/x/x/x',
  '/one.xml',
  'https://b.example/',
)
const sitemapPath = fc.constantFrom('/sitemap.xml', '/one.xml', '/two.xml')
/** The mark of an outcome of a sitemap; processes of earlier versions send none. */
const kind = fc.constantFrom({}, { kind: 'sitemap' as const })
const attempt = fc.integer({ min: 1, max: 3 })
const paths = fc.array(path, { maxLength: 6 })
const linksTo = (paths: string[]): FoundLink[] => paths.map(path => [key(path), url(path)])
const ofOrder = (path: string) => ({ runId: 1, key: key(path), attempt: 1 })

const pageOutcome = fc
  .tuple(
    path,
    paths,
    fc.constantFrom(200, 404, 500, 503),
    fc.option(fc.integer({ min: 1, max: 2 }), { freq: 1 }),
    fc.constantFrom(false, false, false, true),
    fc.constantFrom({}, {}, { rendered: true as const }, { isScriptOnly: true as const }),
    attempt,
    fc.constantFrom(4, 4, 4, 0, 11, 300_000, 25_000_000),
  )
  .map(([p, links, status, parts, blocked, lane, attempt, bytes]) => ({
    ...(page(p, links, status) as Extract<Outcome, { type: 'page' }>),
    bytes,
    attempt,
    ...(parts !== null && { parts }),
    ...(blocked && { blocked }),
    ...lane,
  }))

const reasons: Record<number, string> = { 2: 'not_configured', 3: 'max_bytes' }

const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  { weight: 6, arbitrary: pageOutcome },
  fc.tuple(fc.oneof(path, sitemapPath), fc.integer({ min: 0, max: 2 }), paths, kind).map(
    ([p, part, links, kind]): Outcome => ({
      ...{ type: 'links', ...ofOrder(p), part, links: linksTo(links), ...kind },
    }),
  ),
  fc.tuple(path, path).map(([p, to]) => redirect(p, to)),
  fc.tuple(fc.oneof(path, sitemapPath), fc.boolean(), attempt, kind).map(
    ([p, transient, n, kind]): Outcome => ({
      ...(failed(p, reasons[n] ?? 'timeout', transient, n) as Extract<Outcome, { type: 'failed' }>),
      ...kind,
    }),
  ),
  fc
    .tuple(
      fc.constantFrom('', 'User-agent: *\nDisallow: /p1\nCrawl-delay: 2'),
      fc.constantFrom(200, 404, 503),
      attempt,
    )
    .map(([body, status, n]) => robots(body, status, site, n)),
  fc.tuple(fc.boolean(), attempt).map(([transient, n]) => robotsFailed('timeout', transient, n)),
  fc
    .tuple(
      sitemapPath,
      paths,
      fc.array(sitemapPath, { maxLength: 3 }),
      fc.constantFrom(200, 404, 503),
      attempt,
    )
    .map(
      ([p, links, sitemaps, status, attempt]): Outcome => ({
        type: 'sitemap',
        ...ofOrder(p),
        attempt,
        status,
        links: linksTo(links),
        sitemaps: linksTo(sitemaps),
        cut: null,
      }),
    ),
)

const settling = fc.array(outcome, { minLength: 1, maxLength: 4 }).map(outcomes => settle(...outcomes))
const always = (command: RunCommand) => fc.constant(command)

/** Commands with the time since the previous command. Most outcomes belong to outstanding orders. */
export const command = fc.record({
  aim: fc.option(fc.nat(20), { freq: 4 }),
  command: fc.oneof(
    { weight: 40, arbitrary: settling },
    { weight: 10, arbitrary: always(lookAfter) },
    { weight: 2, arbitrary: always({ type: 'PauseRun' }) },
    { weight: 2, arbitrary: always({ type: 'ResumeRun' }) },
    { weight: 4, arbitrary: always({ type: 'ReopenRun' }) },
    { weight: 1, arbitrary: always({ type: 'CancelRun' }) },
    { weight: 1, arbitrary: always({ type: 'DeleteRun' }) },
  ),
  afterMs: fc.constantFrom(0, 10, 1_000, 130_000, 700_000, -3_600_000),
})

/** The base of the forks, and its stored pages. */
const base = 41
export const storedPages: ReadonlyMap<string, StoredAnswer> = new Map(
  ['/', '/p0', '/p2', '/p4', '/p5', '/x/x/x/x'].map((path, n) => [
    key(path),
    { status: n === 1 ? 503 : 200, fetchedAt: at, ...(n % 3 === 2 && { rendered: true }) },
  ]),
)

/**
 * Lets the outcomes of a command refer to outstanding pages, if there are any, with their lane and the attempt in
 * flight.
 */
export function aimed(command: RunCommand, run: Run, aim: number | null): RunCommand {
  if (command.type !== 'SettlePages' || run.status !== 'running' || aim === null) return command
  if (run.login?.state === 'ordered') return settle(outcomeOfLogin(run.login.attempt, aim))
  const out = [...run.pending].filter(([, { order }]) => order !== null)
  const outcomes = command.outcomes.map((outcome, n): Outcome => {
    const [key, pending] = out[(aim + n) % out.length] ?? []
    if (outcome.type === 'sitemap' || outcome.type === 'robots' || outcome.type === 'robots_failed')
      return ofAttemptInFlight(outcome, run)
    if ('kind' in outcome || key === undefined || pending === undefined)
      return ofAttemptInFlight(outcome, run)
    const about = { key, attempt: pending.attempt }
    if (outcome.type === 'failed' || outcome.type === 'redirect') return { ...outcome, ...about }
    if (outcome.type !== 'page') return outcome
    const { parts: _, rendered: __, ...rest } = outcome
    // Now and then, a process of an earlier version requests a page that is in the store.
    if (isFromStore(pending) && (aim + n) % 5 !== 0) return { ...outcome, ...about, carried: { since: base } }
    return { ...rest, ...about, ...(pending.lane === 'browser' && { rendered: true }) }
  })
  return { ...command, outcomes }
}

/** Returns an outcome of a robots.txt or a sitemap with the number of its known attempt; others unchanged. */
function ofAttemptInFlight(outcome: Outcome, { robots, sitemaps }: Running): Outcome {
  const known = 'origin' in outcome ? robots.get(outcome.origin) : sitemaps.get(outcome.key)
  return known !== undefined && 'attempt' in known ? { ...outcome, attempt: known.attempt } : outcome
}

/** Most logins succeed. */
function outcomeOfLogin(attempt: number, aim: number): Outcome {
  const order = { runId: 1, key: loginKey, attempt }
  if (aim === 1) return { type: 'login_failed', ...order, because: 'a step failed' }
  if (aim === 2) return { ...failed('/', 'timeout', true, attempt), key: loginKey }
  return { type: 'logged_in', ...order, session: 'sealed2.00000000.x' }
}

const seedKind = fc.constantFrom<Partial<RunSettings>>({}, {}, { seedKind: 'sitemap' })
const list = fc.constantFrom<Partial<RunSettings>>(
  {},
  {},
  { urls: ['/p0', '/p1', '/p3', '/p20', '/p21', '/x/x/x/x'].map(url) },
  { urls: ['/', '/p2', '/p30'].map(url), followLinks: false },
)
const rendering = fc.constantFrom<Partial<RunSettings>>({}, {}, { render: 'auto' }, { render: 'always' })
const login = fc.constantFrom<Partial<RunSettings>>(
  {},
  {},
  { login: { steps: 'sealed2.00000000.x', loggedOut: { status: 404, redirect: url('/p5') } } },
)
const limits = fc.record({
  maxPages: fc.integer({ min: 1, max: 8 }),
  depth: fc.integer({ min: 1, max: 4 }),
  respectRobots: fc.boolean(),
  subdomains: fc.boolean(),
  includePaths: fc.constantFrom<string[]>([], ['^/p1?\\d']),
  excludePaths: fc.constantFrom<string[]>([], ['^/p3$']),
})
/** Budgets that suffice for a few pages, or for one or two rendered pages. */
const budget = fc.oneof(
  fc.constant<Partial<RunSettings>>({}),
  fc
    .constantFrom(1_000, 2_000, 3_500, 10_000, 11_000, 12_500, 21_000)
    .map((maxCost): Partial<RunSettings> => ({ maxCost })),
)
/** Pages have four bytes, and a few have many more. */
const bytes = fc.oneof(
  fc.constant<Partial<RunSettings>>({}),
  fc
    .constantFrom(1, 4, 10, 30, 600_000, 1_200_000, 100_000_000)
    .map((maxBytes): Partial<RunSettings> => ({ maxBytes })),
)
const forking = fc.constantFrom<Partial<RunSettings>>({}, {}, { fork: { runId: base } })
export const someSettings = fc
  .tuple(limits, seedKind, list, rendering, login, budget, bytes, forking)
  .map(([limits, kind, list, rendering, login, budget, bytes, forking]) => ({
    ...limits,
    ...forking,
    ...budget,
    ...bytes,
    ...(kind.seedKind === undefined ? list : kind),
    ...rendering,
    ...login,
  }))
