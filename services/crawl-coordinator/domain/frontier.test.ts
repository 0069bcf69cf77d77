/** Further rules that decide whether a URL is crawled: patterns, sitemaps, and limits of a run. */
import type { RunEvent } from '@tidemark/contracts/run'
import type { RunSettings } from '@tidemark/contracts/run-settings'
import type { FoundLink, Outcome } from '@tidemark/contracts/work/outcome'
import { specify } from '@tidemark/testing/specify'
import { scopeOf } from '@tidemark/url/scope'
import { test } from 'tap'
import { messagesFor } from '../policies/order-fetching.ts'
import { decide, type RunCommand } from './decide.ts'
import {
  admitted,
  at,
  begun,
  circumstances,
  decider,
  failed,
  finished,
  found,
  key,
  later,
  lookAfter,
  ordered,
  page,
  queued,
  redirect,
  robots,
  robotsFailed,
  settle,
  settled,
  site,
  started,
  url,
} from './run.examples.ts'
import { type Running, unknown } from './run.ts'
import { type Sharer, sharingOf, windowOf } from './window.ts'

const linksTo = (...paths: string[]): FoundLink[] => paths.map(path => [key(path), url(path)])
const fold = (...events: RunEvent[]) => events.reduce(decider.evolve, unknown)

test("A client's patterns", async t => {
  const it = specify(t, decider)
  const seeded = (some: Partial<RunSettings>, seed = '/'): RunEvent[] => [
    queued(some),
    started,
    admitted(seed),
    ordered(1, seed),
  ]
  const filtered = (by: 'include' | 'exclude', pattern: string | null, path: string): RunEvent => ({
    type: 'PagesFiltered',
    data: { by, pages: [{ key: key(path), url: url(path), from: key('/'), pattern }] },
  })

  it('skip URLs that no include matches, in path and query', {
    given: seeded({ includePaths: ['^/docs/', 'lang=en'] }),
    when: settle(page('/', ['/docs/a', '/blog', '/x?lang=en'])),
    then: [
      settled('/', 1),
      admitted('/docs/a', '/x?lang=en'),
      filtered('include', null, '/blog'),
      ordered(2, '/docs/a', '/x?lang=en'),
    ],
  })
  it('skip URLs that an exclude matches, even if an include matches too', {
    given: seeded({ includePaths: ['^/docs/'], excludePaths: ['draft'] }),
    when: settle(page('/', ['/docs/draft-1'])),
    then: [
      settled('/', 1),
      filtered('exclude', 'draft', '/docs/draft-1'),
      finished('exhausted', { discovered: 2, fetched: 1, skipped: 1 }),
    ],
  })
  it('do not apply to the seed', {
    given: [queued({ includePaths: ['^/docs/'] })],
    when: lookAfter,
    then: [started, admitted('/'), ordered(1, '/')],
  })
  it('judge the target of a redirect', {
    given: [...seeded({ excludePaths: ['^/b$'] }), settled('/', 1), admitted('/a'), ordered(2, '/a')],
    when: settle(redirect('/a', '/b')),
    then: [
      { type: 'PagesDuplicated', data: { pages: [{ key: key('/a'), of: key('/b') }] } },
      {
        type: 'PagesFiltered',
        data: {
          by: 'exclude',
          pages: [{ key: key('/b'), url: url('/b'), from: key('/a'), pattern: '^/b$' }],
        },
      },
      finished('exhausted', { discovered: 3, fetched: 1, duplicate: 1, skipped: 1 }),
    ],
  })
})

test('A run that is seeded by a sitemap', async t => {
  const it = specify(t, decider)
  const seeds: Partial<RunSettings> = { seedKind: 'sitemap' }
  const requested = (path: string, depth = 0, attempt = 1): RunEvent => ({
    type: 'SitemapOrdered',
    data: { key: key(path), url: url(path), depth, attempt },
  })
  const begunBySitemap = (some: Partial<RunSettings> = {}, ...more: RunEvent[]): RunEvent[] => [
    queued({ ...seeds, ...some }),
    started,
    requested('/sitemap.xml'),
    ...more,
  ]
  const sitemap = (
    path: string,
    links: string[],
    some: Partial<Extract<Outcome, { type: 'sitemap' }>> = {},
  ): Outcome => ({
    type: 'sitemap',
    runId: 1,
    key: key(path),
    attempt: 1,
    status: 200,
    links: linksTo(...links),
    sitemaps: [],
    cut: null,
    ...some,
  })
  const part = (path: string, n: number, links: string[]): Outcome => ({
    type: 'links',
    runId: 1,
    key: key(path),
    attempt: 1,
    part: n,
    links: linksTo(...links),
  })
  const readEvent = (path: string, urls: number, sitemaps: string[] = [], some: object = {}): RunEvent => ({
    type: 'SitemapRead',
    data: {
      key: key(path),
      url: url(path),
      status: 200,
      urls,
      sitemaps: linksTo(...sitemaps),
      cut: null,
      ...some,
    },
  })
  const listed = (...paths: string[]): RunEvent => ({
    type: 'PagesAdmitted',
    data: { pages: paths.map(path => found(path, { depth: 1, from: null })) },
  })

  it('begins with /sitemap.xml of its origin', {
    given: [queued(seeds)],
    when: lookAfter,
    then: [started, requested('/sitemap.xml')],
  })
  it('begins with the given sitemap', {
    given: [{ ...queued(seeds), data: { ...queued(seeds).data, url: url('/maps/one.xml') } } as RunEvent],
    when: lookAfter,
    then: [started, requested('/maps/one.xml')],
  })
  it('crawls what the sitemap lists', {
    given: begunBySitemap(),
    when: settle(sitemap('/sitemap.xml', ['/a', '/b'])),
    then: [readEvent('/sitemap.xml', 2), listed('/a', '/b'), ordered(1, '/a', '/b')],
  })
  it('follows no links', {
    given: begunBySitemap({}, readEvent('/sitemap.xml', 1), listed('/a'), ordered(1, '/a')),
    when: settle(page('/a', ['/c'])),
    then: [settled('/a', 1), finished('exhausted', { discovered: 1, fetched: 1 })],
  })
  it('reads the sitemaps of an index, none of them twice', {
    given: begunBySitemap(),
    when: settle(sitemap('/sitemap.xml', [], { sitemaps: linksTo('/sitemap.xml', '/one.xml', '/two.xml') })),
    then: [
      readEvent('/sitemap.xml', 0, ['/one.xml', '/two.xml']),
      requested('/one.xml', 1),
      requested('/two.xml', 1),
    ],
  })
  it('does not end before its sitemaps are read', {
    given: begunBySitemap(
      {},
      readEvent('/sitemap.xml', 0, ['/one.xml']),
      requested('/one.xml', 1),
      listed('/a'),
      ordered(1, '/a'),
    ),
    when: settle(page('/a')),
    then: [settled('/a', 1)],
  })
  it('reads no further sitemap when it has its pages', {
    given: begunBySitemap({ maxPages: 1 }),
    when: settle(sitemap('/sitemap.xml', ['/a', '/b'], { sitemaps: linksTo('/one.xml') })),
    then: [
      readEvent('/sitemap.xml', 2, ['/one.xml']),
      {
        type: 'PagesDeferred',
        data: { limit: 'max_pages', pages: [found('/b', { depth: 1, from: null })] },
      },
      listed('/a'),
      ordered(1, '/a'),
    ],
  })
  it('reads a long one in parts, and counts them all', {
    given: begunBySitemap(),
    when: settle(part('/sitemap.xml', 0, ['/a']), sitemap('/sitemap.xml', ['/b'], { parts: 1 })),
    then: [
      {
        type: 'LinksFollowed',
        data: { parts: [{ key: key('/sitemap.xml'), part: 0, links: 1 }] },
      },
      readEvent('/sitemap.xml', 2),
      listed('/a', '/b'),
      ordered(1, '/a', '/b'),
    ],
  })
  it('waits for a late part', {
    given: begunBySitemap(),
    when: settle(sitemap('/sitemap.xml', ['/b'], { parts: 1 })),
    then: [],
  })
  it('fails without a sitemap', {
    given: begunBySitemap(),
    when: settle(sitemap('/sitemap.xml', [], { status: 404 })),
    then: [
      {
        type: 'SitemapFailed',
        data: {
          key: key('/sitemap.xml'),
          url: url('/sitemap.xml'),
          reason: 'its sitemap answered HTTP 404',
        },
      },
      finished(
        'failed',
        {},
        'failed',
        'The seed could not be crawled: its sitemap answered HTTP 404.',
        'sitemap',
      ),
    ],
  })
  it('moves to the site to which its sitemap redirects', {
    given: begunBySitemap(),
    when: settle(
      sitemap('/sitemap.xml', ['https://www.a.example/1'], {
        movedTo: 'https://www.a.example/sitemap.xml',
        sitemaps: [[key('https://www.a.example/more.xml'), 'https://www.a.example/more.xml']],
      }),
    ),
    then: [
      { type: 'ScopeMoved', data: { scope: { host: 'www.a.example', subdomains: false } } },
      readEvent('/sitemap.xml', 1, ['https://www.a.example/more.xml']),
      listed('https://www.a.example/1'),
      requested('https://www.a.example/more.xml', 1),
      ordered(1, 'https://www.a.example/1'),
    ],
  })
  it('reads sitemaps that its index names on other hosts of the site', {
    given: begunBySitemap(),
    when: settle(
      sitemap('/sitemap.xml', [], {
        sitemaps: linksTo('https://maps.a.example/m.xml', 'https://b.example/m.xml'),
        cut: '1 sitemap of another site',
      }),
    ),
    then: [
      readEvent('/sitemap.xml', 0, ['https://maps.a.example/m.xml'], { cut: '1 sitemap of another site' }),
      requested('https://maps.a.example/m.xml', 1),
    ],
  })
  const maps = (path: string) => `https://maps.a.example${path}`
  const mapsScope = { host: 'maps.a.example', subdomains: false }
  const movedIndex = { movedTo: maps('/index.xml'), sitemaps: linksTo(maps('/1.xml'), maps('/2.xml')) }
  const indexRead = readEvent('/sitemap.xml', 0, [maps('/1.xml'), maps('/2.xml')], { mayMoveTo: mapsScope })
  const begunByMoved = (...more: RunEvent[]): RunEvent[] =>
    begunBySitemap({}, indexRead, requested(maps('/1.xml'), 1), requested(maps('/2.xml'), 1), ...more)
  const ofMaps = (path: string, links: string[]) => sitemap(maps(path), links, { movedTo: maps(path) })
  it('keeps its site when its index redirects to another host of the site that may have only the sitemaps', {
    given: begunBySitemap(),
    when: settle(sitemap('/sitemap.xml', [], movedIndex)),
    then: [indexRead, requested(maps('/1.xml'), 1), requested(maps('/2.xml'), 1)],
  })
  it('crawls what these sitemaps list of the site', {
    given: begunByMoved(),
    when: settle(sitemap(maps('/1.xml'), ['/a']), ofMaps('/2.xml', [maps('/b')])),
    then: [readEvent(maps('/1.xml'), 1), readEvent(maps('/2.xml'), 0), listed('/a'), ordered(1, '/a')],
  })
  it('moves after all with the first of them that lists only URLs of their host', {
    given: begunByMoved(readEvent(maps('/1.xml'), 0)),
    when: settle(ofMaps('/2.xml', [maps('/b')])),
    then: [
      { type: 'ScopeMoved', data: { scope: mapsScope } },
      readEvent(maps('/2.xml'), 1),
      listed(maps('/b')),
      ordered(1, maps('/b')),
    ],
  })
  it('moves also with a part of it', {
    given: begunByMoved(),
    when: settle({ ...part(maps('/1.xml'), 0, [maps('/b')]), movedTo: maps('/1.xml') } as Outcome),
    then: [
      { type: 'ScopeMoved', data: { scope: mapsScope } },
      { type: 'LinksFollowed', data: { parts: [{ key: key(maps('/1.xml')), part: 0, links: 1 }] } },
      listed(maps('/b')),
      ordered(1, maps('/b')),
    ],
  })
  const keepsSite: RunEvent = { type: 'ScopeMoved', data: { scope: scopeOf(site, false) } }
  const partEvent = (path: string, n: number, links: number): RunEvent => ({
    type: 'LinksFollowed',
    data: { parts: [{ key: key(path), part: n, links }] },
  })
  it('keeps its site also with a part of it', {
    given: begunByMoved(),
    when: settle(part(maps('/1.xml'), 0, ['/a']), ofMaps('/2.xml', [maps('/b')])),
    then: [
      keepsSite,
      partEvent(maps('/1.xml'), 0, 1),
      readEvent(maps('/2.xml'), 0),
      listed('/a'),
      ordered(1, '/a'),
    ],
  })
  it('decides with a part only once', {
    given: begunByMoved(keepsSite, partEvent(maps('/1.xml'), 0, 1), listed('/a'), ordered(1, '/a')),
    when: settle(part(maps('/1.xml'), 1, ['/a'])),
    then: [partEvent(maps('/1.xml'), 1, 1)],
  })
  it('decides nothing with a part that has no URL of either host', {
    given: begunByMoved(),
    when: settle(part(maps('/1.xml'), 0, [])),
    then: [partEvent(maps('/1.xml'), 0, 0)],
  })
  it('counts only URLs of the host to which it has moved meanwhile', {
    given: begunByMoved(
      { type: 'ScopeMoved', data: { scope: mapsScope } },
      ...[readEvent(maps('/2.xml'), 1), listed(maps('/b')), ordered(1, maps('/b'))],
    ),
    when: settle(part(maps('/1.xml'), 0, ['/a']), sitemap(maps('/1.xml'), ['/b'], { parts: 1 })),
    then: [partEvent(maps('/1.xml'), 0, 0), readEvent(maps('/1.xml'), 0)],
  })
  it('fails if they list nothing of either host', {
    given: begunByMoved(readEvent(maps('/1.xml'), 0)),
    when: settle(ofMaps('/2.xml', [])),
    then: [
      readEvent(maps('/2.xml'), 0),
      finished('failed', {}, 'failed', 'The sitemap lists no URL of this site.', 'empty_sitemap'),
    ],
  })
  it('moves at once if its index redirects to another site', {
    given: begunBySitemap(),
    when: settle(
      sitemap('/sitemap.xml', [], {
        movedTo: 'https://b.example/index.xml',
        sitemaps: linksTo('https://b.example/1.xml'),
      }),
    ),
    then: [
      { type: 'ScopeMoved', data: { scope: { host: 'b.example', subdomains: false } } },
      readEvent('/sitemap.xml', 0, ['https://b.example/1.xml']),
      requested('https://b.example/1.xml', 1),
    ],
  })
  const www = (path: string) => `https://www.a.example${path}`
  for (const [which, seed, target] of [
    ['with www', url, www],
    ['without www', www, url],
  ] as const)
    it(`moves at once if its index redirects to its host ${which}`, {
      given: [
        queued(seeds),
        { type: 'RunStarted', data: { scope: scopeOf(seed('/'), false) } },
        requested(seed('/sitemap.xml')),
      ],
      when: settle(
        sitemap(seed('/sitemap.xml'), [], {
          movedTo: target('/sitemap.xml'),
          sitemaps: linksTo(target('/1.xml')),
        }),
      ),
      then: [
        { type: 'ScopeMoved', data: { scope: scopeOf(target('/'), false) } },
        readEvent(seed('/sitemap.xml'), 0, [target('/1.xml')]),
        requested(target('/1.xml'), 1),
      ],
    })
  it('says in its failure that it left out sitemaps of other sites', {
    given: begunBySitemap(),
    when: settle(sitemap('/sitemap.xml', [], { cut: '2 sitemaps of other sites' })),
    then: [
      readEvent('/sitemap.xml', 0, [], { cut: '2 sitemaps of other sites' }),
      finished(
        'failed',
        {},
        'failed',
        'The sitemap lists no URL of this site. It was read without 2 sitemaps of other sites.',
        'empty_sitemap',
      ),
    ],
  })
  it('fails when the sitemap is empty', {
    given: begunBySitemap(),
    when: settle(sitemap('/sitemap.xml', [])),
    then: [
      readEvent('/sitemap.xml', 0),
      finished('failed', {}, 'failed', 'The sitemap lists no URL of this site.', 'empty_sitemap'),
    ],
  })
  const robotsOrdered: RunEvent = {
    type: 'RobotsOrdered',
    data: { origin: site, attempt: 1 },
  }
  const beforeRobots = begunBySitemap(
    { respectRobots: true },
    ...[readEvent('/sitemap.xml', 2), listed('/a', '/b'), robotsOrdered],
  )
  t.match(
    decider.decide(fold(...beforeRobots), settle(robots('User-agent: *\nDisallow: /'))).at(-1),
    {
      type: 'RunFinished',
      data: {
        status: 'failed',
        errorReason: 'robots_disallowed',
        errorMessage: /^robots\.txt allows no URL that the sitemap lists\. Remedy: a line/,
        totals: { skipped: 2 },
      },
    },
    'fails when robots.txt allows no URL that it lists',
  )
  t.match(
    decider.decide(fold(...beforeRobots), settle(robotsFailed('it is too large'))).at(-1),
    { type: 'RunFinished', data: { status: 'failed', errorReason: 'robots_unreachable' } },
    'fails when robots.txt of the URLs that it lists cannot be read',
  )
  t.match(
    decider.decide(fold(...beforeRobots), settle(robots('User-agent: *\nDisallow: /a'))).at(-1),
    { type: 'PagesOrdered' },
    'crawls the URLs that robots.txt allows',
  )
  const other = 'https://maps.a.example/m.xml'
  const begunByIndex = (...more: RunEvent[]): RunEvent[] =>
    begunBySitemap({}, readEvent('/sitemap.xml', 0, [other, '/b.xml']), requested(other, 1), ...more)
  it('fails when no sitemap of its index lists a URL of the site', {
    given: begunByIndex(requested('/b.xml', 1), readEvent('/b.xml', 0)),
    when: settle(sitemap(other, ['https://maps.a.example/1'], { movedTo: other })),
    then: [
      readEvent(other, 0),
      finished('failed', {}, 'failed', 'The sitemap lists no URL of this site.', 'empty_sitemap'),
    ],
  })
  t.test('does not call an index empty whose sitemaps it left unread at a limit', async t => {
    // Given indexes one below the other, each read, when the deepest one names a further sitemap.
    const paths = ['/sitemap.xml', '/1.xml', '/2.xml', '/3.xml', '/4.xml', '/5.xml']
    const readAbove = paths.slice(0, -1).flatMap((path, depth) => {
      const child = `/${depth + 1}.xml`
      return [readEvent(path, 0, [child]), requested(child, depth + 1)]
    })
    const deepest = sitemap('/5.xml', [], { sitemaps: linksTo('/6.xml') })
    const { events } = decide(fold(...begunBySitemap({}, ...readAbove)), settle(deepest), circumstances())
    // Then the run ends without the claim that no sitemap lists a URL.
    t.strictSame(events, [
      readEvent('/5.xml', 0, [], { cut: '1 further sitemaps' }),
      finished('exhausted', {}),
    ])
  })
  it('does not call an index empty that names a missing sitemap', {
    given: begunByIndex({
      type: 'SitemapFailed',
      data: { key: key('/b.xml'), url: url('/b.xml'), reason: '' },
    }),
    when: settle(sitemap(other, [])),
    then: [readEvent(other, 0), finished('exhausted', {})],
  })
  it('retries after a transient failure', {
    given: begunBySitemap(),
    when: settle(failed('/sitemap.xml', 'timeout', true)),
    then: [
      {
        type: 'SitemapRetried',
        data: { key: key('/sitemap.xml'), attempt: 2, notBefore: later(1) },
      },
    ],
  })
  it('counts one that could not be fetched as an error', {
    given: begunBySitemap(),
    when: settle(failed('/sitemap.xml', 'too_large')),
    then: [
      {
        type: 'SitemapFailed',
        data: { key: key('/sitemap.xml'), url: url('/sitemap.xml'), reason: 'too_large' },
      },
      {
        type: 'PagesFailed',
        data: { pages: [{ key: key('/sitemap.xml'), reason: 'too_large', attempts: 1 }] },
      },
      finished(
        'failed',
        { discovered: 1, failed: 1 },
        'failed',
        'The response was larger than the limit.',
        'too_large',
      ),
    ],
  })
  it('leaves out a listed page that a pattern excludes', {
    given: begunBySitemap({ excludePaths: ['^/a'] }),
    when: settle(sitemap('/sitemap.xml', ['/a'])),
    then: [
      readEvent('/sitemap.xml', 1),
      {
        type: 'PagesFiltered',
        data: { by: 'exclude', pages: [{ key: key('/a'), url: url('/a'), from: null, pattern: '^/a' }] },
      },
      finished('exhausted', { discovered: 1, skipped: 1 }),
    ],
  })
  t.test('sends its orders under separate ids', async t => {
    const events = [requested('/sitemap.xml')]
    const run = fold(...begunBySitemap()) as Running
    t.match(messagesFor(run, events), [
      {
        id: `1.sitemap.${key('/sitemap.xml')}.1`,
        orders: { orders: [{ kind: 'sitemap', url: `${site}/sitemap.xml`, attempt: 1 }] },
      },
    ])
  })
  t.test(
    'names sitemaps of its own host first, so that they are not the ones beyond the maximum',
    async t => {
      const named = Array.from({ length: 10_500 }, (_, n) => `https://maps.a.example/${n}.xml`)
      const index = sitemap('/sitemap.xml', [], { sitemaps: linksTo(...named, '/a.xml', '/b.xml') })
      const { events } = decide(fold(...begunBySitemap()), settle(index), circumstances())
      const [own = [], foreign] = [linksTo('/a.xml', '/b.xml'), linksTo(...named.slice(0, 2))]
      const read = events.find(({ type }) => type === 'SitemapRead')?.data as {
        sitemaps: FoundLink[]
        cut: string
      }
      t.strictSame(read.sitemaps.slice(0, 4), [...own, ...foreign])
      t.strictSame([read.sitemaps.length, read.cut], [9_999, '503 further sitemaps'])
    },
  )
  t.test('follows indexes up to a depth of five', async t => {
    const deep = begunBySitemap({}, readEvent('/sitemap.xml', 0, ['/1.xml']), requested('/1.xml', 5))
    const { events } = decide(
      fold(...deep),
      settle(sitemap('/1.xml', [], { sitemaps: linksTo('/2.xml') })),
      circumstances(),
    )
    t.match(events[0], { type: 'SitemapRead', data: { sitemaps: { length: 0 }, cut: '1 further sitemaps' } })
  })
})

test('A page whose links come in parts', async t => {
  const it = specify(t, decider)
  const part = (n: number, ...paths: string[]): Outcome => ({
    type: 'links',
    runId: 1,
    key: key('/'),
    attempt: 1,
    part: n,
    links: linksTo(...paths),
  })
  const whole = (parts: number, ...paths: string[]) => ({ ...page('/', paths), parts }) as Outcome

  it('is settled when all of them have arrived', {
    given: begun(),
    when: settle(part(0, '/a'), part(1, '/b'), whole(2, '/c')),
    then: [
      {
        type: 'LinksFollowed',
        data: { parts: [0, 1].map(part => ({ key: key('/'), part, links: 1 })) },
      },
      settled('/', 1),
      admitted('/a', '/b', '/c'),
      ordered(2, '/a', '/b', '/c'),
    ],
  })
  it('waits for a late part, so that nothing is lost', {
    given: begun(),
    when: settle(part(0, '/a'), part(0, '/a'), whole(2, '/c')),
    then: [
      { type: 'LinksFollowed', data: { parts: [0, 0].map(part => ({ key: key('/'), part, links: 1 })) } },
      admitted('/a'),
      ordered(2, '/a'),
    ],
  })
})

test('The limits of a run', async t => {
  const week = 7 * 86_400
  const lookAt = (events: RunEvent[], seconds: number) =>
    decide(fold(...events), lookAfter, circumstances({ at: later(seconds) })).events

  t.test('end it in its current state when its time is over', async t => {
    t.strictSame(lookAt(begun(settled('/', 1), admitted('/a'), ordered(2, '/a')), week), [
      finished('time_limit', { discovered: 2, fetched: 1, notReached: 1 }),
    ])
  })
  t.test('end it as done if it has no page by then, unless its seed could not be fetched', async t => {
    t.match(lookAt(begun(), week), [
      {
        type: 'RunFinished',
        data: { status: 'done', stopReason: 'time_limit', errorMessage: null, totals: { notReached: 1 } },
      },
    ])
    const lost: RunEvent = {
      type: 'PagesFailed',
      data: { pages: [{ key: key('/'), reason: 'dns', attempts: 3 }] },
    }
    t.match(lookAt(begun(admitted('/a'), lost), week), [
      { data: { status: 'failed', stopReason: 'time_limit', errorMessage: String, totals: { failed: 1 } } },
    ])
  })
  t.test('end a run that did not begin within a day', async t => {
    t.match(lookAt([queued()], 86_401), [
      { type: 'RunFinished', data: { status: 'failed', errorMessage: /24 hours/ } },
    ])
    t.match(lookAt([queued()], 86_399), [{ type: 'RunStarted' }])
  })
})

test('The allowance of a project', async t => {
  const allowing = (pages: number, isFinal: boolean) => ({ allowance: { pages, isFinal } })
  const after = (events: RunEvent[], command: RunCommand, pages: number, isFinal: boolean) =>
    decide(fold(...events), command, circumstances(allowing(pages, isFinal))).events

  t.test('bounds the sum of billed pages and outstanding orders', async t => {
    t.strictSame(after(begun(), settle(page('/', ['/a', '/b', '/c'])), 3, false), [
      settled('/', 1),
      admitted('/a', '/b', '/c'),
      ordered(2, '/a', '/b'),
    ])
    const two = begun(settled('/', 1), admitted('/a', '/b', '/c'), ordered(2, '/a', '/b'))
    t.strictSame(
      after(two, settle(page('/a')), 3, true),
      [settled('/a', 1, { depth: 1 })],
      'one is outstanding',
    )
  })
  t.test('passes to another page when one has failed', async t => {
    const out = begun(settled('/', 1), admitted('/a', '/b'), ordered(2, '/a'))
    t.match(after(out, settle(failed('/a', 'dns')), 2, true), [{ type: 'PagesFailed' }, ordered(3, '/b')])
  })
  t.test('ends the run when it is used up and no order is outstanding', async t => {
    const out = begun(settled('/', 1), admitted('/a', '/b', '/c'), ordered(2, '/a'))
    t.strictSame(after(out, settle(page('/a')), 2, true), [
      settled('/a', 1, { depth: 1 }),
      finished('quota', { discovered: 4, fetched: 2, notReached: 2 }),
    ])
    t.match(
      after(out, settle(page('/a')), 2, false),
      [settled('/a', 1, { depth: 1 })],
      'but while the allowance is unknown, the run waits',
    )
  })
  t.test('never shortens a complete crawl', async t => {
    const out = begun(settled('/', 1), admitted('/a'), ordered(2, '/a'))
    t.match(after(out, settle(page('/a')), 2, true), [
      { type: 'PagesSettled' },
      { type: 'RunFinished', data: { stopReason: 'exhausted' } },
    ])
  })
  t.test('is not used up by challenges, and the end has their number', async t => {
    const blocked = { ...page('/'), blocked: true as const }
    t.match(after(begun(), settle(blocked), 1, true), [
      { type: 'PagesSettled' },
      { type: 'RunFinished', data: { stopReason: 'exhausted', totals: { fetched: 1 }, blocked: 1 } },
    ])
  })
  t.test('lets no page begin if it is 0', async t => {
    const none = circumstances({ ...allowing(0, true) })
    const [begins, admits, ends] = decide(fold(queued()), lookAfter, none).events
    t.match([begins, admits], [{ type: 'RunStarted' }, { type: 'PagesAdmitted' }])
    t.match(ends, {
      type: 'RunFinished',
      data: { status: 'done', stopReason: 'quota', errorMessage: null },
    })
  })
})

test('A slow host', async t => {
  const it = specify(t, decider)
  const there = (n: number) => `https://slow.a.example/${n}`
  it('holds few orders, and does not block other hosts', {
    given: [
      queued({ delayMs: 10_000, subdomains: true }),
      { type: 'RunStarted', data: { scope: { host: 'a.example', subdomains: true } } },
      admitted('/'),
      ordered(1, '/'),
    ],
    when: settle(page('/', [...[1, 2, 3, 4, 5].map(there), '/a', '/b'])),
    then: [
      settled('/', 1),
      admitted(...[1, 2, 3, 4, 5].map(there), '/a', '/b'),
      {
        type: 'PagesOrdered',
        data: {
          messages: [there(1), there(2), '/a', '/b'].map((path, n) => ({
            number: n + 2,
            keys: [key(path)],
          })),
        },
      },
    ],
  })
  t.test('is waited for as long as necessary if other runs use it too', async t => {
    const slow = [queued({ delayMs: 30_000 }), ...begun().slice(1)]
    const lookAfterMinutes = (minutes: number) =>
      decide(fold(...slow), lookAfter, circumstances({ at: later(minutes * 60) })).events
    t.strictSame(lookAfterMinutes(11), [])
    t.match(lookAfterMinutes(13), [{ type: 'PagesOrdered', data: { messages: [{ number: 1, again: 1 }] } }])
  })
})

test("A client's name for itself", async t => {
  const pending = (named: { userAgent?: string; robotsToken?: string }): RunEvent[] => [
    queued({ respectRobots: true, ...named }),
    started,
    admitted('/'),
    { type: 'RobotsOrdered', data: { origin: site, attempt: 1 } },
  ]
  const body =
    'User-agent: examplebot\nDisallow: /\n\nUser-agent: tidemark\nDisallow: /x\n\nUser-agent: *\nAllow: /'
  const verdictFor = (named: Parameters<typeof pending>[0]) =>
    decide(fold(...pending(named)), settle(robots(body)), circumstances()).events.map(({ type }) => type)
  const verdict = (userAgent: string) => verdictFor({ userAgent })

  t.strictSame(verdict('Mozilla/5.0 (compatible; ExampleBot/2.1; +https://b.example)'), [
    'RobotsRead',
    'PagesSkipped',
    'RunFinished',
  ])
  t.strictSame(verdict('ExampleBot'), ['RobotsRead', 'PagesSkipped', 'RunFinished'])
  t.strictSame(
    verdict('Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36'),
    ['RobotsRead', 'PagesOrdered'],
    'a browser names no crawler, so our own name applies',
  )
  t.strictSame(
    verdictFor({ robotsToken: 'examplebot' }),
    ['RobotsRead', 'PagesSkipped', 'RunFinished'],
    'or the name is in its sealed headers',
  )

  const verdictAt = (scope: string, origin: string) => {
    const named = queued({ respectRobots: true, robotsToken: 'examplebot' })
    const begun: RunEvent[] = [
      named,
      { type: 'RunStarted', data: { scope: scopeOf(scope, true) } },
      admitted(`${origin}/`),
      { type: 'RobotsOrdered', data: { origin, attempt: 1 } },
    ]
    const read = settle({ ...robots(body), origin } as never)
    return decide(fold(...begun), read, circumstances()).events.map(({ type }) => type)
  }
  t.match(verdictAt(site, 'https://docs.a.example'), ['RobotsRead', 'PagesSkipped'], 'also at subdomains')
  for (const origin of ['https://b.example', 'http://a.example', 'https://a.example:8443'])
    t.match(
      verdictAt(origin, origin),
      ['RobotsRead', 'PagesOrdered'],
      `which ${origin} does not receive, so our own name applies`,
    )
  t.equal(at, later(0))
})

test("A client's own headers", async t => {
  const sealed = 'sealed1.AAAA'
  const orders = (seed: string, to: string, scope = scopeOf(to, false)) => {
    const requested = { ...queued({ headers: sealed, cookies: sealed }) }
    const begun: RunEvent = { type: 'RunStarted', data: { scope } }
    const run = fold({ ...requested, data: { ...requested.data, url: seed } } as RunEvent, begun) as Running
    run.pending.set('k', { found: found(to), attempt: 1, order: null, notBefore: 0 })
    return messagesFor(run, [{ type: 'PagesOrdered', data: { messages: [{ number: 1, keys: ['k'] }] } }])[0]
      ?.orders
  }
  const goTo = (seed: string, to: string) =>
    orders(seed, to)?.headers === sealed && orders(seed, to)?.cookies === sealed

  t.ok(goTo('https://a.example/', 'https://a.example/x'), "go to the seed's host")
  t.ok(goTo('http://a.example/', 'https://a.example/x'), 'and to its encrypted twin')
  t.ok(goTo('https://a.example/', 'https://www.a.example/x'), 'and to subdomains of it')
  t.ok(goTo('https://www.a.example/', 'https://a.example/x'), 'and to the host without www')
  t.notOk(goTo('https://docs.a.example/', 'https://a.example/x'), 'but not to its parent domain')
  t.notOk(goTo('https://docs.a.example/', 'https://shop.a.example/x'), 'nor to other hosts of its site')
  t.notOk(goTo('https://a.example/', 'http://a.example/x'), 'never unencrypted if the seed is encrypted')
  t.notOk(goTo('https://a.example/', 'https://b.example/x'), 'nor to the target of a redirected seed')
  t.notOk(goTo('http://a.github.io/', 'http://b.github.io/x'), 'nor to a neighbour under a public suffix')
  t.notOk(goTo('http://a.example/', 'http://a.example:8080/x'), 'nor to another port')
  t.notOk(goTo('http://127.1.0.1/', 'http://127.1.0.2/x'), 'nor to another address')
  const maps = orders('https://www.a.example/', 'https://maps.a.example/m.xml', scopeOf(site, false))
  t.equal(maps?.headers ?? maps?.cookies, undefined, 'nor to a host for sitemaps outside of the scope')
})

test('The outstanding orders of a run', async t => {
  const tenant = (projectId: number, runs: number, tier: Sharer['tier'] = 'free'): Sharer[] =>
    Array.from({ length: runs }, () => ({ projectId, tier }))
  const [alone] = tenant(1, 1)
  if (alone === undefined) throw new Error('there is a run')

  t.equal(windowOf(alone, sharingOf([alone]), 1024), 512, 'alone it has the limit of its tier')
  t.equal(windowOf(alone, sharingOf(tenant(1, 5)), 1024), 102, 'beside other runs of its tenant a part of it')
  t.equal(windowOf(alone, sharingOf([alone]), 256), 256, 'never more than the capacity')
  const crowd = Array.from({ length: 10 }, (_, n) => tenant(n + 1, 1)).flat()
  t.equal(windowOf(alone, sharingOf(crowd), 512), 51, 'beside other tenants an equal part of the capacity')
  const beside = [alone, ...tenant(2, 5)]
  t.equal(windowOf(alone, sharingOf(beside), 512), 256, 'for any number of runs of theirs')
  t.equal(
    windowOf(alone, sharingOf([alone, ...tenant(2, 1, 'pro')]), 512),
    170,
    'and in proportion to the tiers',
  )
  const crowdOf = (tenants: number) => Array.from({ length: tenants }, (_, n) => tenant(n + 1, 1)).flat()
  t.equal(windowOf(alone, sharingOf(crowdOf(1000)), 512), 16, 'but enough to keep busy')
  t.equal(windowOf(alone, sharingOf(crowdOf(4000)), 512), 4, 'unless too many orders are outstanding')
  t.equal(windowOf(alone, sharingOf(crowdOf(10_000)), 512), 2, 'and always enough to continue')
  const [five] = tenant(1000, 5)
  const mixed = sharingOf([...crowdOf(999), ...tenant(1000, 5)])
  t.equal(windowOf(alone, mixed, 512), 16, 'and in a crowd as much as a tenant with many runs')
  t.equal(five && windowOf(five, mixed, 512), 3, 'whose runs share it')
  t.equal(windowOf(alone, sharingOf([]), 512), 512, 'all, before any run is counted')
})
