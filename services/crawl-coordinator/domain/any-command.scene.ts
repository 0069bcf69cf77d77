/** Whatever may come back to a run: generated commands and settings for a site of a dozen pages. */
import type { RunSettings } from '@tidemark/contracts/run-settings'
import type { FoundLink, Outcome } from '@tidemark/contracts/work/outcome'
import fc from 'fast-check'
import type { RunCommand } from './decide.ts'
import { failed, key, lookAfter, page, redirect, robots, robotsFailed, settle, url } from './run.examples.ts'

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
      fc.constantFrom({}, {}, { rendered: true as const }, { isScriptOnly: true as const }),
    )
    .map(([p, links, status, parts, blocked, lane]) => ({
      ...(page(p, links, status) as Extract<Outcome, { type: 'page' }>),
      ...(parts !== null && { parts }),
      ...(blocked && { blocked }),
      ...lane,
    })),
  fc
    .tuple(fc.oneof(path, sitemapPath), fc.integer({ min: 0, max: 2 }), paths)
    .map(([p, part, links]): Outcome => ({ type: 'links', ...ofOrder(p), part, links: linksTo(links) })),
  fc.tuple(path, path).map(([p, to]) => redirect(p, to)),
  fc
    .tuple(fc.oneof(path, sitemapPath), fc.boolean(), attempt)
    .map(([p, transient, n]) => failed(p, n === 2 ? 'not_configured' : 'timeout', transient, n)),
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

/** What may be asked of a run, and how long after the command before. */
export const command = fc.record({
  command: fc.oneof(
    { weight: 40, arbitrary: settling },
    { weight: 10, arbitrary: always(lookAfter) },
    { weight: 1, arbitrary: always({ type: 'CancelRun' }) },
    { weight: 1, arbitrary: always({ type: 'DeleteRun' }) },
  ),
  afterMs: fc.constantFrom(0, 10, 1_000, 130_000, 700_000, -3_600_000),
})

const seedKind = fc.constantFrom<Partial<RunSettings>>({}, {}, { seedKind: 'sitemap' })
const rendering = fc.constantFrom<Partial<RunSettings>>({}, {}, { render: 'auto' }, { render: 'always' })
const limits = fc.record({
  maxPages: fc.integer({ min: 1, max: 8 }),
  depth: fc.integer({ min: 1, max: 4 }),
  respectRobots: fc.boolean(),
  subdomains: fc.boolean(),
  includePaths: fc.constantFrom<string[]>([], ['^/p1?\\d']),
  excludePaths: fc.constantFrom<string[]>([], ['^/p3$']),
})
export const someSettings = fc
  .tuple(limits, seedKind, rendering)
  .map(([limits, kind, rendering]) => ({ ...limits, ...kind, ...rendering }))
