/** Pages that count as removed, added or changed between two runs, the reasons for others, and the notification. */
import { setTimeout as sleep } from 'node:timers/promises'
import { refuse } from '@tidemark/bus/refusal'
import { encodeEdges } from '@tidemark/content/edges'
import type { DiffCommit } from '@tidemark/contracts/diff'
import type { RunDiff } from '@tidemark/contracts/http/links'
import type { SettledPage } from '@tidemark/contracts/run'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { ofProject } from '@tidemark/db/of-project'
import { untilBlocked } from '@tidemark/testing/databases'
import { until } from '@tidemark/testing/until'
import { urlKey } from '@tidemark/url/key'
import type pg from 'pg'
import { test } from 'tap'
import { caller, keyNamed, surroundings } from '../gateway.scene.ts'
import type { Contents } from '../live-pages/adapters/contents.ts'
import { finished, page, queued, settled, started } from '../read-model/projections/runs.examples.ts'
import { openDiffFields } from './adapters/diff-fields.ts'
import { openDiffReads } from './adapters/diff-reads.ts'
import { openFewWords } from './adapters/few-words.ts'
import { compareRuns } from './compare-runs.ts'
import { differenceOf } from './domain/difference.ts'
import { hiddenBehind } from './domain/not-fetched.ts'
import { RetryPauses } from './domain/retry-pauses.ts'
import { streamAndRows } from './stream-and-rows.scene.ts'

const mine = keyNamed('d')
const site = 'http://127.0.0.1:8099'
const at = (path: string) => `${site}/${path}`
const keys = (...paths: string[]) => paths.map(path => ({ key: urlKey(at(path)), url: at(path), from: null }))
const other = 'f'.repeat(64)

test('The difference of two runs', async t => {
  const around = await surroundings(t, { env: { EGRESS_ALLOW: '127.0.0.1/32' } })
  around.standIns.addKey(mine, 7)
  const { get, append } = caller(around, mine)
  let lastId = 0
  let lastRun = 100

  const pageAt = (path: string, more: Partial<SettledPage> = {}) =>
    page(++lastId, { url: at(path), key: urlKey(at(path)), ...more })
  /** Returns a run of the project with these events, once it is readable. */
  const run = async (...events: object[]): Promise<number> => {
    const id = ++lastRun
    await append(id, queued(id), started, ...events)
    await until(async () => (await get(`/v1/crawls/${id}`)).status === 200)
    return id
  }
  const diff = async (oldId: number, newId: number, query = ''): Promise<RunDiff> =>
    (await get(`/v1/crawls/${oldId}/diff/${newId}${query}`)).json
  const paths = (pages: { url: string }[]) => pages.map(({ url }) => url.slice(site.length + 1))
  const causes = (pages: { url: string; cause: string }[]) =>
    Object.fromEntries(pages.map(({ url, cause }) => [url.slice(site.length + 1), cause]))
  const storeWithoutLinks = (runId: number, paths: readonly string[]) =>
    around.content.storePages(
      paths.map(path => ({
        ...{ runId, urlKey: urlKey(at(path)), charset: null, contentType: null, metadata: '{}' },
        body: { hash: Buffer.alloc(32, 1), encodings: [], size: 1, data: Buffer.of(1) },
        edges: encodeEdges([]),
      })),
    )
  const done = finished(1, 0)
  const redirects = (from: readonly string[], to: string) => ({
    type: 'PagesDuplicated',
    data: { pages: keys(...from).map(({ key }) => ({ key, of: urlKey(at(to)) })) },
  })

  /** The fate of each page in the run that does not have it. */
  const endings = [
    { type: 'PagesDeferred', data: { limit: 'max_pages', pages: found('late', 'slow', 'moved') } },
    { type: 'PagesFailed', data: { pages: keys('slow').map(failure('timeout')) } },
    { type: 'PagesFailed', data: { pages: keys('nameless').map(failure('dns')) } },
    { type: 'PagesDeferred', data: { limit: 'depth', pages: found('deep') } },
    { type: 'PagesSkipped', data: { reason: 'robots', pages: ruled('private') } },
    { type: 'PagesSkipped', data: { reason: 'redirect_out_of_scope', pages: ruled('away') } },
    { type: 'PagesFiltered', data: { by: 'exclude', pages: patterned('draft') } },
    { type: 'PagesPruned', data: { rule: 'calendar', pages: trapped('day') } },
    redirects(['moved'], 'start'),
    settled(pageAt('start')),
    // A page may also be listed as a sitemap, which decides nothing about the page.
    ...keys('nameless', 'unlinked').map(({ key }) => ({
      type: 'SitemapRead',
      data: { key, url: at('sitemap.xml'), status: 200, urls: 1, sitemaps: [], cut: null },
    })),
  ]
  const whole = ['late', 'slow', 'nameless', 'deep', 'private', 'away', 'draft', 'day', 'moved', 'unlinked']
  const known = {
    late: 'max_pages',
    slow: 'timeout',
    nameless: 'dns',
    deep: 'depth',
    private: 'robots',
    away: 'redirect_out_of_scope',
    draft: 'excluded',
    day: 'trap',
  }

  await t.test('is not that of a run that is deleted while its pages are read', async t => {
    const [oldId, newId] = [await run(settled(pageAt('kept')), done), await run(settled(pageAt('new')), done)]
    const deletion = await around.pool.connect()
    try {
      await deletion.query('begin; lock table read.page in access exclusive mode')
      const reading = get(`/v1/crawls/${oldId}/diff/${newId}`)
      await untilBlocked(deletion, 'read.page')
      await deletion.query(`delete from read.run where id = ${oldId}; commit`)
      t.match(await reading, { status: 404 })
    } finally {
      deletion.release(true)
    }
  })

  await t.test('has as removed only what the newer one could have had', async t => {
    const oldId = await run(settled(...['start', ...whole].map(path => pageAt(path))), done)
    const newId = await run(...endings, done)
    await storeWithoutLinks(oldId, whole)
    const found = await diff(oldId, newId)
    t.strictSame(causes(found.not_revisited), known)
    t.strictSame(paths(found.removed), ['moved', 'unlinked'])
    t.match(found.summary, { removed: 2, not_revisited: 8, added: 0, changed: 0, unchanged: 1 })

    const back = await diff(newId, oldId)
    t.strictSame(causes(back.not_compared), known, 'and as added only what the older one could have had')
    t.strictSame(paths(back.added), ['moved', 'unlinked'])
  })

  await t.test('goes by the ends of redirects', async t => {
    const names = ['late', 'long', 'loop', 'lost', 'ruled', 'shown', 'there', 'wall', 'lone']
    const oldId = await run(settled(...names.map(path => pageAt(path))), done)
    await storeWithoutLinks(oldId, names)
    const fates = [
      settled(pageAt('home'), pageAt('challenge', { blocked: true, status: 403 })),
      redirects(['lost'], 'maintenance'),
      { type: 'PagesFailed', data: { pages: keys('maintenance').map(failure('timeout')) } },
      redirects(['ruled'], 'private'),
      { type: 'PagesSkipped', data: { reason: 'robots', pages: ruled('private') } },
      redirects(['late'], 'queue'),
      { type: 'PagesDeferred', data: { limit: 'max_pages', pages: found('queue') } },
      redirects(['long'], 'hop-1'),
      redirects(['hop-1'], 'maintenance'),
      redirects(['shown'], 'hop-2'),
      redirects(['hop-2', 'there'], 'home'),
      redirects(['loop'], 'hop-3'),
      redirects(['hop-3'], 'loop'),
      redirects(['wall'], 'challenge'),
      redirects(['lone'], 'pending'),
    ]
    const known = { late: 'max_pages', long: 'timeout', lost: 'timeout', ruled: 'robots', wall: 'blocked' }

    const newId = await run(...fates, done)
    const { removed, not_revisited } = await diff(oldId, newId)
    t.strictSame(paths(removed), ['shown', 'there'], 'only pages that led to a page of the newer crawl')
    t.strictSame(causes(not_revisited), { ...known, lone: 'unknown', loop: 'unknown' })
    const back = await diff(newId, oldId)
    t.strictSame(paths(back.added), ['shown', 'there'], 'and the reverse')

    const pages = fates.map(event =>
      event.type === 'PagesSettled' ? settled(pageAt('home'), pageAt('challenge', { blocked: true })) : event,
    )
    const running = await diff(oldId, await run(...pages))
    t.strictSame(causes(running.not_revisited), { ...known, lone: 'pending', loop: 'pending' })
  })

  await t.test('does not miss what stands behind pages that could not be read', async t => {
    const links: Record<string, string[]> = {
      home: ['section', 'gone', 'shown'],
      section: ['hidden', 'was-hidden', 'second-hop'],
      hidden: ['deeper', 'home'],
    }
    const names = ['home', 'section', 'gone', 'shown', 'hidden', 'deeper', 'renamed', 'far']
    const requested = new Map([
      ['renamed', 'was-hidden'],
      ['far', 'first-hop'],
    ])
    const pages = names.map(path => {
      const from = requested.get(path)
      return pageAt(path, from === undefined ? {} : { requestedUrl: at(from) })
    })
    const hops = [
      { key: urlKey(at('first-hop')), of: urlKey(at('second-hop')) },
      { key: urlKey(at('second-hop')), of: urlKey(at('far')) },
    ]
    const moved = { type: 'PagesDuplicated', data: { pages: hops } }
    const oldId = await run(moved, settled(...pages), done)
    const store = (body: boolean) =>
      around.content.storePages(
        names.map(path => ({
          ...{ runId: oldId, urlKey: urlKey(at(path)), charset: null, contentType: null, metadata: '{}' },
          body: body ? { hash: Buffer.alloc(32, 1), encodings: [], size: 1, data: Buffer.of(1) } : null,
          edges: encodeEdges(
            (links[path] ?? []).map(to => ({ href: at(to), anchor: '', rel: null, nofollow: false })),
          ),
        })),
      )
    await store(true)
    const newId = await run(
      settled(pageAt('home'), pageAt('shown'), pageAt('section', { status: 503, contentHash: other })),
      done,
    )
    const found = await diff(oldId, newId)
    const behind = { hidden: 'unknown', deeper: 'unknown', renamed: 'unknown', far: 'unknown' }
    t.strictSame(causes(found.not_revisited), behind)
    t.strictSame([paths(found.changed), paths(found.removed)], [['section'], ['gone']])
    const reads = openDiffReads(ofProject(around.pool))
    const left = await reads.compare(7, oldId, newId, AbortSignal.abort())
    t.strictSame(
      [left.removed.length, left.notRevisited.ids.length],
      [0, 5],
      'and reads no further after the client has left',
    )
    await store(false)
    t.strictSame((await diff(oldId, newId)).removed, [], 'and without stored links the cause is unknown')
  })

  await t.test('takes an answer for an answer, also 403 and 500', async t => {
    const states: Record<string, Partial<SettledPage>> = {
      fine: {},
      other: { contentHash: other },
      moved: { status: 203 },
      blocked: { blocked: true, status: 403, contentHash: other },
      challenge: { blocked: true, contentHash: other },
      forbidden: { status: 403, contentHash: other },
      login: { status: 401 },
      away: { status: 503, contentHash: other },
      empty: { bytes: 0, contentHash: other },
      gone: { status: 410, contentHash: other },
      missing: { status: 404, contentHash: 'e'.repeat(64) },
    }
    const names = Object.keys(states)
    const pages = (suffix: string, state: (name: string) => Partial<SettledPage> = () => ({})) =>
      names.map(name => pageAt(`${suffix}-${name}`, state(name)))
    const of = (name: string) => states[name] ?? {}
    const [fine, notFound, broken] = [
      () => ({}),
      () => ({ status: 404 }),
      () => ({ status: 500, contentHash: 'd'.repeat(64) }),
    ]
    const oldId = await run(
      settled(
        ...pages('a'),
        ...pages('b', of),
        ...pages('c', notFound),
        ...pages('e', broken),
        ...pages('f', of),
      ),
      done,
    )
    const newId = await run(
      settled(
        ...pages('a', of),
        ...pages('b', fine),
        ...pages('c', of),
        ...pages('d', of),
        ...pages('e', of),
      ),
      done,
    )
    await storeWithoutLinks(
      oldId,
      ['a', 'b', 'c', 'd', 'e', 'f'].flatMap(group => names.map(name => `${group}-${name}`)),
    )
    const found = await diff(oldId, newId)
    const group = (letter: string, ...names: string[]) => names.map(name => `${letter}-${name}`)
    const answers = ['away', 'empty', 'fine', 'forbidden', 'login', 'moved', 'other'] as const
    const changes = answers.filter(name => name !== 'fine')
    t.strictSame(paths(found.changed), [
      ...group('a', ...changes),
      ...group('b', ...changes),
      ...group('e', ...answers),
    ])
    t.strictSame(paths(found.removed), [
      ...group('a', 'gone', 'missing'),
      ...group('e', 'gone', 'missing'),
      ...group('f', ...answers),
    ])
    t.strictSame(paths(found.added), [
      ...group('b', 'gone', 'missing'),
      ...group('c', ...answers),
      ...group('d', ...answers),
    ])
    const challenges = (...letters: string[]) =>
      letters.flatMap(letter => group(letter, 'blocked', 'challenge').map(name => [name, 'blocked']))
    t.strictSame(causes(found.not_revisited), Object.fromEntries(challenges('a', 'c', 'e')))
    t.strictSame(causes(found.not_compared), Object.fromEntries(challenges('b', 'd', 'f')))
    t.strictSame(found.summary, {
      ...{ added: 16, removed: 11, changed: 19, not_revisited: 6, not_compared: 6, pages: 66 },
      unchanged: 8, // two that are fine, and six that were not there and are not
    })
    const statusesOf = (path: string) => {
      const change = found.changed.find(({ url }) => url === at(path))
      return [change?.old_status, change?.new_status]
    }
    t.strictSame(
      ['a-away', 'b-forbidden', 'a-login', 'e-fine'].map(statusesOf),
      [
        [200, 503],
        [403, 200],
        [200, 401],
        [500, 200],
      ],
      'with both statuses',
    )
    t.match(
      found.added.find(({ url }) => url === at('d-away')),
      { status: 503, hash: other },
    )
    t.match(
      found.removed.find(({ url }) => url === at('a-gone')),
      { status: 200, hash: 'a'.repeat(64) },
    )
    const same = await diff(newId, newId)
    t.strictSame(same.summary, {
      ...{ added: 0, removed: 0, changed: 0, not_revisited: 0, pages: 55 },
      ...{ unchanged: 47, not_compared: 8 },
    })
  })

  await t.test('waits for nothing, and has nothing as removed that is still to come', async t => {
    const oldId = await run(settled(pageAt('one'), pageAt('two')), done)
    const ended = (status: string, stopReason: string) => ({
      type: 'RunFinished',
      data: { ...(done as { data: object }).data, status, stopReason },
    })
    const cases: [string, object[]][] = [
      ['pending', []],
      ['cancelled', [ended('cancelled', 'cancelled')]],
      ['quota', [ended('done', 'quota')]],
      ['time_limit', [ended('done', 'time_limit')]],
      ['run_failed', [ended('failed', 'failed')]],
      ['frontier_full', [{ type: 'FrontierFilled', data: { known: 1 } }, done]],
    ]
    for (const [cause, events] of cases) {
      const found = await diff(oldId, await run(settled(pageAt('one')), ...events))
      t.strictSame([found.removed, causes(found.not_revisited)], [[], { two: cause }])
    }
    const sitemap = { key: urlKey(at('sitemap.xml')), url: at('sitemap.xml') }
    const read = { ...sitemap, status: 200, urls: 1, sitemaps: [], cut: null }
    const listed = await run({ type: 'SitemapRead', data: read }, settled(pageAt('one'), pageAt('two')), done)
    const lost = { type: 'SitemapFailed', data: { ...sitemap, reason: 'timeout' } }
    const unlisted = await run(lost, settled(pageAt('one')), done)
    t.strictSame(causes((await diff(listed, unlisted)).not_revisited), { two: 'sitemap' })
    t.strictSame(paths((await diff(oldId, unlisted)).removed), ['two'], 'where it was read before')
    const end = { ...(done as { data: object }).data, faultySitemaps: [sitemap.key] }
    const cut = [
      { type: 'SitemapRead', data: { ...read, cut: 'it is not a sitemap' } },
      { type: 'RunFinished', data: end },
    ]
    const inPart = await run(settled(pageAt('one')), ...cut)
    t.strictSame(causes((await diff(listed, inPart)).not_revisited), { two: 'sitemap' }, 'or read in part')
    const before = await run(settled(pageAt('one'), pageAt('two')), ...cut)
    t.strictSame(paths((await diff(before, inPart)).removed), ['two'], 'unless both have read a part')
    t.strictSame(causes((await diff(inPart, listed)).not_compared), { two: 'sitemap' })
  })

  await t.test('has pages as left by max_pages only if the run left a sitemap of theirs unread', async t => {
    const map = (path: string) => ({ key: urlKey(at(path)), url: at(path) })
    const read = (path: string, ...named: string[]) => ({
      type: 'SitemapRead',
      data: {
        ...{ ...map(path), status: 200, urls: 1, cut: null },
        sitemaps: named.map(one => [map(one).key, map(one).url]),
      },
    })
    const full = (...unread: string[]) => ({
      type: 'RunFinished',
      data: {
        ...(done as { data: object }).data,
        ...{ stopReason: 'max_pages', unreadSitemaps: unread.map(path => map(path).key) },
      },
    })
    const older = { type: 'RunFinished', data: { ...full().data, unreadSitemaps: undefined } }
    const pages = () => settled(pageAt('one'), pageAt('two'))
    const index = read('index.xml', 'a.xml', 'b.xml')
    const oldId = await run(index, read('a.xml'), read('b.xml'), pages(), done)
    const one = () => settled(pageAt('one'))
    const classesOf = async (newId: number) => {
      const { removed, not_revisited } = await diff(oldId, newId)
      return [paths(removed), causes(not_revisited)]
    }
    const classes = async (...events: object[]) => classesOf(await run(...events))
    const left = [[], { two: 'max_pages' }]
    const removed = [['two'], {}]

    t.strictSame(await classes(index, read('a.xml'), one(), full('b.xml')), left)
    t.strictSame(
      await classes(read('index.xml', 'a.xml'), read('a.xml'), one(), full()),
      removed,
      'but not if the site dropped the sitemap',
    )
    t.strictSame(
      await classes(read('index.xml', 'c.xml'), one(), full('c.xml')),
      left,
      'a sitemap with a new name may list the pages of one that the run does not know',
    )
    t.strictSame(
      await classes(index, read('a.xml'), read('b.xml'), one(), full('c.xml')),
      removed,
      'but not if it has read all that the older run had read',
    )
    t.strictSame(await classes(one(), older), removed, 'or if the run reads no sitemaps')
    const again = { type: 'RunReopened', data: { nth: 1, retried: 0 } }
    const reopened = await run(index, read('a.xml'), one(), full('b.xml'))
    await append(reopened, again, read('b.xml'), settled(pageAt('three')), full())
    await until(async () => (await get(`/v1/crawls/${reopened}/pages`)).json.items.length === 2)
    t.strictSame(await classesOf(reopened), removed, 'or if it was read after a reopening')
    t.strictSame(
      await classes(read('index.xml', 'a.xml'), read('a.xml'), one(), older),
      left,
      'an end of an earlier version does not name the sitemaps, so that all count',
    )
    t.strictSame(
      await classes(index, read('a.xml'), read('b.xml'), one(), older),
      removed,
      'unless both have read them',
    )
  })

  await t.test('goes by the last decision on each URL and sitemap that was retried', async t => {
    const names = ['gone', 'led', 'ruled', 'still', 'start']
    const map = (path: string) => ({ key: urlKey(at(path)), url: at(path) })
    const read = (path: string) => ({
      type: 'SitemapRead',
      data: { ...map(path), status: 200, urls: 1, sitemaps: [], cut: null },
    })
    const lost = (path: string) => ({ type: 'SitemapFailed', data: { ...map(path), reason: 'timeout' } })
    const whole = settled(...names.map(path => pageAt(path)))
    const oldId = await run(read('a.xml'), read('b.xml'), whole, done)
    await storeWithoutLinks(oldId, names)

    const newId = await run(
      { type: 'PagesFailed', data: { pages: keys('led', 'ruled').map(failure('dns')) } },
      { type: 'PagesFailed', data: { pages: keys('still').map(failure('connect')) } },
      ...[lost('a.xml'), lost('b.xml'), settled(pageAt('start'))],
      finished(0, 3),
    )
    const classes = async () => {
      const { removed, not_revisited } = await diff(oldId, newId)
      return [paths(removed), causes(not_revisited)]
    }
    t.strictSame(await classes(), [[], { gone: 'sitemap', led: 'dns', ruled: 'dns', still: 'connect' }])

    let nth = 0
    const retry = async (retried: number, failed: number, ...events: object[]) => {
      const end = finished(++nth, failed)
      await append(newId, { type: 'RunReopened', data: { nth, retried } }, ...events, end)
      await until(async () => {
        const { rows } = await around.pool.query('select discovered from read.run where id = $1', [newId])
        return rows[0]?.discovered === nth + failed + 2
      })
    }
    await retry(
      ...([3, 1] as const),
      redirects(['led'], 'start'),
      { type: 'PagesSkipped', data: { reason: 'robots', pages: ruled('ruled') } },
      { type: 'PagesFailed', data: { pages: keys('still').map(failure('timeout')) } },
      read('b.xml'),
    )
    t.strictSame(
      await classes(),
      [['led'], { gone: 'sitemap', ruled: 'robots', still: 'timeout' }],
      'although the earlier reasons are first in the alphabet, and one sitemap is still not read',
    )
    await retry(1, 1, read('a.xml'), {
      type: 'PagesFailed',
      data: { pages: keys('still').map(failure('tls')) },
    })
    t.strictSame(await classes(), [['gone', 'led'], { ruled: 'robots', still: 'tls' }])
    const back = await diff(newId, oldId)
    t.strictSame(
      [paths(back.added), causes(back.not_compared)],
      await classes(),
      'and in the other direction',
    )
  })

  await t.test('is by every byte where the installation says so', async t => {
    const oldId = await run(settled(pageAt('x')), done)
    const newId = await run(settled(pageAt('x', { rawHash: other })), done)
    t.match((await diff(oldId, newId)).summary, { changed: 0, unchanged: 1 })
    const raw = openDiffReads(ofProject(around.pool), 'raw')
    const found = await raw.compare(7, oldId, newId)
    const [[change] = []] = await Array.fromAsync(raw.changes(7, found))
    t.strictSame(change, {
      ...{ oldId: found.changedOld[0], newId: found.changedNew[0] },
      ...{ url: at('x'), old_hash: 'b'.repeat(64), new_hash: other },
      ...{ old_status: 200, new_status: 200 },
    })
  })

  await t.test('is by the rules that both runs have, and as a whole if their rules differ', async t => {
    const runBy = async (rules: object, ...pages: SettledPage[]): Promise<number> => {
      const id = ++lastRun
      const begun = queued(id)
      if (begun.type === 'RunQueued') Object.assign(begun.data.settings, rules)
      await append(id, begun, started, settled(...pages), done)
      await until(async () => (await get(`/v1/crawls/${id}`)).status === 200)
      return id
    }
    const clocks = { comparison: { ignoreSelectors: ['.clock'], ignoreText: ['\\d+'] } }
    const [same, changed] = ['1'.repeat(64), '2'.repeat(64)]
    const oldId = await runBy(
      clocks,
      pageAt('noise', { comparisonHash: same }),
      pageAt('real', { comparisonHash: same }),
      pageAt('pdf'),
    )
    const pages = [
      pageAt('noise', { contentHash: other, comparisonHash: same }),
      pageAt('real', { contentHash: other, comparisonHash: changed }),
      pageAt('pdf', { contentHash: other }),
    ]
    const byRules = await diff(oldId, await runBy(clocks, ...pages))
    t.strictSame(paths(byRules.changed), ['pdf', 'real'], 'files of other types are compared as a whole')
    t.match(byRules.changed[1], { old_hash: same, new_hash: changed })
    t.notOk(byRules.warnings)

    const later = pages.map(found => ({ ...found, id: ++lastId }))
    const whole = await diff(oldId, await runBy({ comparison: { ignoreSelectors: ['.ad'] } }, ...later))
    t.strictSame(paths(whole.changed), ['noise', 'pdf', 'real'])
    t.match(whole.changed[0], { new_hash: other })
    t.match(whole.warnings, [/different rules of comparison/])
  })

  await t.test('leaves out changes of few words, except where words cannot be counted', async t => {
    const names = ['few', 'many', 'unread', 'cut', 'status']
    const old = await run(settled(...names.map(path => pageAt(path))), done)
    const status = (path: string) => (path === 'status' ? 500 : 200)
    const fresh = await run(
      settled(...names.map(path => pageAt(path, { contentHash: other, status: status(path) }))),
      done,
    )
    const words: Record<string, number> = { few: 2, many: 3, cut: 0, status: 0 }
    const compare: Contents['compare'] = async ({ old: { url } }) => {
      const path = url.slice(site.length + 1)
      if (path === 'unread') throw refuse('fetch_failed')
      const summary = { added: 1, removed: 1, same: 0, changed_words: words[path] ?? 0 }
      return { summary, lines: [], truncated: path === 'cut' }
    }
    const fewWords = openFewWords(ofProject(around.pool), { compare })
    const reads = openDiffReads(ofProject(around.pool), 'normalised', (project, found, by) =>
      fewWords(project, found, { ...by, minChangedWords: 3 }),
    )
    const found = await reads.compare(7, old, fresh)
    t.match(found, { unchanged: 1, changedOld: { length: 4 } })
    const counted = (compare: Contents['compare'], maxMs?: number) =>
      openFewWords(ofProject(around.pool), { compare }, maxMs)(
        7,
        { ...found, changedOld: [...found.changedOld], changedNew: [...found.changedNew] },
        { rules: null, areSame: true, minChangedWords: 9 },
      )
    const none: Awaited<ReturnType<Contents['compare']>> = {
      summary: { added: 0, removed: 0, same: 1, changed_words: 0 },
      lines: [],
      truncated: false,
    }
    const late = counted(() => sleep(100, none), 50)
    t.equal((await late).size, 1, 'and except where the time is over')
    let calls = 0
    const busy = async () => {
      if (++calls === 2) throw refuse('unavailable')
      return none
    }
    t.equal((await counted(busy)).size, calls - 1, 'or the extractor is busy for a moment')
    await t.rejects(
      counted(async () => Promise.reject(refuse('unavailable'))),
      { code: 'unavailable' },
      'but not if it is away',
    )
    const rules = { ignoreSelectors: ['.price'] }
    const rulesOfCount = async (areSame: boolean) => {
      const used: unknown[] = []
      const compare: Contents['compare'] = async request => {
        used.push(request.rules)
        return none
      }
      const count = openFewWords(ofProject(around.pool), { compare })
      await count(7, found, { rules, areSame, minChangedWords: 1 })
      return new Set(used)
    }
    t.strictSame(await rulesOfCount(true), new Set([rules]))
    t.strictSame(
      await rulesOfCount(false),
      new Set([undefined]),
      'and counts whole pages if the rules differ',
    )
    t.strictSame(paths((await Array.fromAsync(reads.changes(7, found))).flat()), [
      'cut',
      'many',
      'status',
      'unread',
    ])
  })

  await t.test('names the fields of a changed page that differ, as far as they are stored', async t => {
    const oldId = await run(settled(pageAt('f', { title: 'Before', depth: 2 })), done)
    const newId = await run(settled(pageAt('f', { title: 'After', contentHash: other })), done)
    for (const [runId, description] of [
      [oldId, 'Same'],
      [newId, 'Same'],
    ] as const) {
      const metadata = JSON.stringify({ description, robots: runId === oldId ? [] : ['noindex'] })
      const names = { runId, urlKey: urlKey(at('f')), charset: null, contentType: null }
      await around.content.storePages([{ ...names, metadata, body: null, edges: encodeEdges([]) }])
    }
    const query = '?fields=title,description,robots,depth,status,h1,inlinks,word_count'
    const { changed, warnings } = await diff(oldId, newId, query)
    t.strictSame(changed[0]?.fields, {
      title: { old: 'Before', new: 'After' },
      robots: { old: [], new: ['noindex'] },
      depth: { old: 2, new: 1 },
    })
    t.match(warnings, [/^h1 /, /^word_count /])
    const path = `/v1/crawls/${oldId}/diff/${newId}`
    t.equal((await get(`${path}?fields=colour`)).status, 400)
    const csv = await get(`${path}${query}&format=csv`)
    t.equal(
      csv.text,
      'class,url,old_status,new_status,old_hash,new_hash,cause,old_title,new_title,old_description,new_description,' +
        'old_robots,new_robots,old_depth,new_depth,old_inlinks,new_inlinks\r\n' +
        `changed,${at('f')},200,200,${'a'.repeat(64)},${other},,Before,After,,,,noindex,2,1,,\r\n`,
    )
    t.match(csv.headers.get('x-warnings'), /h1 is not stored/)

    const counted: number[] = []
    const signals = new Set<AbortSignal | undefined>()
    const inlinksOf = async ({ runId }: { runId: number }, signal?: AbortSignal) => {
      counted.push(runId)
      signals.add(signal)
      return null
    }
    const describe = openDiffFields(ofProject(around.pool), inlinksOf)
    const { signal } = new AbortController()
    const count = (hasChanged: boolean) =>
      describe('inlinks', { projectId: 7, oldId, newId, hasChanged }, work => work(signal))
    await count(false)
    t.strictSame(counted, [], 'and counts no links if nothing has changed')
    const described = await count(true)
    t.strictSame(counted, [oldId, newId], 'and counts the links of each run before the answer begins')
    t.strictSame(signals, new Set([signal]), 'until the client leaves')
    async function* pieces() {
      for (let n = 0; n < 3; n++) yield []
    }
    await Array.fromAsync(described.changes(pieces()))
    t.equal(counted.length, 2, 'once')
  })

  await t.test('compares pages with long metadata a few megabytes at once', async t => {
    const names = Array.from({ length: 300 }, (_, n) => `m${n}`.padEnd(4, '-'))
    const oldId = await run(settled(...names.map(path => pageAt(path))), done)
    const newId = await run(settled(...names.map(path => pageAt(path, { contentHash: other }))), done)
    const long = { json_ld: ['x'.repeat(30_000)] }
    for (const runId of [oldId, newId])
      await around.content.storePages(
        names.map(path => ({
          ...{ runId, urlKey: urlKey(at(path)), charset: null, contentType: null, body: null },
          metadata: JSON.stringify({ description: `${path} ${runId}`, robots: [], ...long }),
          edges: encodeEdges([]),
        })),
      )
    const reads = ofProject(around.pool)
    const statements: number[] = []
    const counting = (projectId: number) => ({
      query: async (sql: string, values: unknown[]) => {
        const { rows } = await reads(projectId).query<Record<string, unknown>>(sql, values)
        const texts = rows.map(({ metadata }) => (typeof metadata === 'string' ? metadata.length : 0))
        if (/content\.page/.test(sql)) statements.push(texts.reduce((sum, length) => sum + length, 0))
        return { rows }
      },
    })
    const difference = await openDiffReads(reads).compare(7, oldId, newId)
    const describe = openDiffFields(counting as never, async () => null)
    const changes = async (fields: string) => {
      statements.length = 0
      const { signal } = new AbortController()
      const described = await describe(fields, { projectId: 7, oldId, newId, hasChanged: true }, work =>
        work(signal),
      )
      const pieces = openDiffReads(reads).changes(7, difference)
      return (await Array.fromAsync(described.changes(pieces))).flat()
    }

    t.strictSame(
      (await changes('description')).map(({ url, fields }) => [url, fields]),
      names
        .toSorted()
        .map(path => [at(path), { description: { old: `${path} ${oldId}`, new: `${path} ${newId}` } }]),
    )
    t.equal(statements.length, 8, 'the sizes, and nine megabytes of each run in three statements')
    t.ok(Math.max(...statements) < 5 * 1024 ** 2)
    t.equal((await changes('title,status,depth,inlinks')).length, 300)
    t.strictSame(statements, [], 'and reads no metadata if the fields are not stored there')
  })

  await t.test('has the fields of the right pages while a run is being deleted', async t => {
    const names = ['f1', 'f2', 'f3', 'f4']
    const oldId = await run(settled(...names.map(path => pageAt(path, { title: `Old ${path}` }))), done)
    const fresh = names.map(path => pageAt(path, { title: `New ${path}`, contentHash: other }))
    const newId = await run(settled(...fresh), done)
    const client = ofProject(around.pool)
    const reads = openDiffReads(client)
    const found = await reads.compare(7, oldId, newId)
    const remove = (id: number | undefined) => around.pool.query('delete from read.page where id = $1', [id])
    const described = await openDiffFields(client, async () => null)(
      'title',
      { projectId: 7, oldId, newId, hasChanged: true },
      work => work(new AbortController().signal),
    )

    await remove(found.changedOld[1])
    async function* pieces() {
      for await (const piece of reads.changes(7, found)) {
        await remove(found.changedNew[2])
        yield piece
      }
    }
    const changes = (await Array.fromAsync(described.changes(pieces()))).flat()

    t.strictSame(
      changes.map(({ url, fields }) => [url, fields]),
      ['f1', 'f4'].map(path => [at(path), { title: { old: `Old ${path}`, new: `New ${path}` } }]),
      'without the pages that have just been deleted',
    )
    t.notOk('oldId' in (changes[0] ?? {}), 'and without ids')
  })

  await t.test('has a row for each page that is not unchanged, as a file', async t => {
    const oldId = await run(settled(pageAt('same'), pageAt('gone'), pageAt('c', { title: 'A' })), done)
    const fresh = [pageAt('same'), pageAt('new'), pageAt('c', { contentHash: other, title: '=1+1' })]
    const failed = { type: 'PagesFailed', data: { pages: keys('gone').map(failure('timeout')) } }
    const newId = await run(settled(...fresh), failed, done)
    const path = `/v1/crawls/${oldId}/diff/${newId}`
    const { headers, text } = await get(`${path}?format=ndjson`)
    const file = `attachment; filename="crawl-${oldId}-diff-${newId}.ndjson"`
    t.equal(headers.get('content-disposition'), file)
    const hash = 'a'.repeat(64)
    const none = { old_status: null, new_status: null, old_hash: null, new_hash: null, cause: null }
    const lines = text.split('\n').slice(0, -1)
    t.strictSame(
      lines.map(line => JSON.parse(line)),
      [
        { class: 'added', url: at('new'), ...none, new_status: 200, new_hash: hash },
        {
          ...{ class: 'changed', url: at('c'), ...none, old_status: 200, new_status: 200 },
          ...{ old_hash: hash, new_hash: other },
        },
        { class: 'not_revisited', url: at('gone'), ...none, cause: 'timeout' },
      ],
    )
    const csv = await get(`${path}?fields=title,status`, { headers: { accept: 'text/csv' } })
    t.match(csv.text.split('\r\n'), [
      'class,url,old_status,new_status,old_hash,new_hash,cause,old_title,new_title',
      /^added,.*,,$/,
      /^changed,.*,,A,'=1\+1$/,
      /^not_revisited,.*,,,,,timeout,,$/,
      '',
    ])
    t.match(await get(`${path}?format=xml`), { status: 400, json: { error: { field: 'format' } } })
  })

  await t.test('is made twice at a time for a project, and each place is given back', async t => {
    const id = await run(settled(pageAt('busy')), done)
    const path = `/v1/crawls/${id}/diff/${id}`
    const locker = await around.pool.connect()
    await locker.query('begin; lock table read.page in access exclusive mode')
    const both = [get(path), get(path)]
    await untilBlocked(locker, 'read.page', 2)
    t.match(await get(path), {
      status: 429,
      json: { error: { code: 'too_many_requests', reason: 'comparisons' } },
    })
    await locker.query('commit')
    locker.release()
    t.match(await Promise.all(both), [{ status: 200 }, { status: 200 }])
    await until(async () => (await get(path)).status === 200)
  })

  await t.test('counts inlinks within the limit of link scans', async t => {
    const oldId = await run(settled(pageAt('i')), done)
    const newId = await run(settled(pageAt('i', { contentHash: other })), done)
    const plain = `/v1/crawls/${oldId}/diff/${newId}`
    const counting = `${plain}?fields=inlinks`
    const list = `/v1/crawls/${newId}/pages?fields=inlinks`
    const locker = await around.pool.connect()
    await locker.query('begin; lock table content.page in access exclusive mode')
    const first = get(list)
    await untilBlocked(locker, 'content.page')
    const second = get(counting)
    await untilBlocked(locker, 'content.page', 2)
    for (const path of [counting, list])
      t.match(
        await get(path),
        { status: 429, json: { error: { code: 'too_many_requests', reason: 'link_scans' } } },
        path,
      )
    t.match(await get(plain), { status: 200, json: { summary: { changed: 1 } } }, 'which others do not need')
    await locker.query('commit')
    locker.release()
    t.match(await Promise.all([first, second]), [{ status: 200 }, { status: 200 }])
    t.equal((await get(counting)).status, 200)
  })

  await t.test('is appended once to the run of a monitor, when both runs can be read', async t => {
    const oldId = await run(settled(pageAt('m'), pageAt('n')), done)
    const ticked = (previousRunId: number, ...events: object[]): number => {
      const id = ++lastRun
      const tick = { monitorId: 1, minute: '2026-01-02T03:04:00.000Z', previousRunId }
      const { data } = queued(id) as { data: object }
      const all = [{ type: 'RunQueued', data: { ...data, tick } }, started, ...events]
      const payload = JSON.stringify({ at: new Date().toISOString(), events: all })
      around.bus.nc.publish(subjects.run(id), payload)
      return id
    }
    const sentEvents = async (id: number): Promise<DiffCommit['events']> => {
      const find = () =>
        around.bus.jsm.streams.getMessage(streams.runs, { last_by_subj: subjects.run(id, 'diff') })
      await until(async () => (await find().catch(() => null)) !== null)
      return JSON.parse(new TextDecoder().decode((await find())?.data)).events
    }
    const changed = () => settled(pageAt('m', { contentHash: other }))
    const newId = ticked(oldId, changed(), done)
    const counts = { added: 0, removed: 1, changed: 1, unchanged: 0, notRevisited: 0, notCompared: 0 }
    const data = { runId: newId, projectId: 7, previousRunId: oldId, counts }
    t.strictSame(await sentEvents(newId), [{ type: 'RunCompared', data }])

    const partly = ticked(
      oldId,
      changed(),
      { type: 'PagesFailed', data: { pages: keys('n').map(failure('timeout')) } },
      done,
    )
    t.match(await sentEvents(partly), [
      { data: { previousRunId: oldId, counts: { removed: 0, notRevisited: 1 } } },
    ])
    const after = ticked(partly, settled(pageAt('m'), pageAt('n')), done)
    t.match(
      await sentEvents(after),
      [{ data: { previousRunId: oldId, counts: { unchanged: 2, added: 0, changed: 0 } } }],
      'pages that half the site did not answer are skipped',
    )
    const ended = { ...(done as { data: object }).data, status: 'failed', stopReason: 'failed' }
    const broken = ticked(after, settled(pageAt('m', { status: 500 }), pageAt('n', { status: 403 })), done)
    t.match(await sentEvents(broken), [
      { data: { previousRunId: after, counts: { changed: 2, removed: 0, notRevisited: 0 } } },
    ])
    const mended = ticked(broken, settled(pageAt('m'), pageAt('n', { status: 403 })), done)
    t.match(
      await sentEvents(mended),
      [{ data: { previousRunId: broken, counts: { changed: 1, unchanged: 1 } } }],
      'and an error that was answered is what the next run is compared with',
    )
    const failed = ticked(after, { type: 'RunFinished', data: ended })
    t.match(await sentEvents(ticked(failed, changed(), done)), [{ data: { previousRunId: after } }])

    for (const stopReason of ['quota', 'time_limit']) {
      const cut = { ...ended, status: 'done', stopReason }
      const empty = { type: 'RunFinished', data: cut }
      const none = ticked(after, empty)
      const nothing = { added: 0, removed: 0, changed: 0, unchanged: 0, notRevisited: 2, notCompared: 0 }
      t.match(await sentEvents(none), [{ data: { previousRunId: after, counts: nothing } }], stopReason)
      const next = await sentEvents(ticked(none, changed(), done))
      t.match(next, [{ data: { previousRunId: after, counts: { removed: 1, changed: 1, added: 0 } } }])
      const first = await run(empty)
      t.match(await sentEvents(ticked(first, changed(), done)), [
        { type: 'RunNotCompared', data: { reason: 'no_baseline' } },
      ])
    }

    const limited = { type: 'RunFinished', data: { ...ended, status: 'done', stopReason: 'time_limit' } }
    const part = await run(settled(pageAt('m')), limited)
    const empty = ticked(part, limited)
    t.match(
      await sentEvents(ticked(empty, changed(), done)),
      [{ data: { previousRunId: part, counts: { changed: 1 } } }],
      'a part of the site is compared rather than none',
    )

    const half = ticked(
      after,
      settled(pageAt('m')),
      { type: 'PagesFailed', data: { pages: keys('n').map(failure('timeout')) } },
      finished(0, 1),
    )
    t.match(await sentEvents(half), [{ data: { previousRunId: after, counts: { notRevisited: 1 } } }])
    const repair = [
      { type: 'RunReopened', data: { nth: 1, retried: 1 } },
      settled(pageAt('n', { contentHash: other })),
    ]
    await append(half, ...repair, finished(1, 0))
    await until(async () => {
      const { rows } = await around.pool.query('select status, error_count from read.run where id = $1', [
        half,
      ])
      return rows[0]?.status === 'done' && rows[0].error_count === 0
    })
    t.match(
      await sentEvents(ticked(half, settled(pageAt('m'), pageAt('n', { contentHash: other })), done)),
      [{ data: { previousRunId: half, counts: { unchanged: 2, changed: 0 } } }],
      'a run whose failed pages were retried is complete',
    )

    t.match(await sentEvents(ticked(99_999, done)), [
      { type: 'RunNotCompared', data: { reason: 'previous_run_deleted' } },
    ])
    const alone = await run({ type: 'RunFinished', data: ended })
    t.match(await sentEvents(ticked(alone, done)), [
      { type: 'RunNotCompared', data: { reason: 'no_baseline' } },
    ])
    await until(async () => {
      const { rows } = await around.pool.query('select diff from read.run where id = $1', [newId])
      return rows[0]?.diff?.changed === 1
    })
  })

  function failure(reason: string) {
    return ({ key }: { key: string }) => ({ key, reason, attempts: 3 })
  }
  function found(...paths: string[]) {
    return keys(...paths).map(one => ({ ...one, depth: 1, hops: 0 }))
  }
  function ruled(...paths: string[]) {
    return keys(...paths).map(one => ({ ...one, rule: null }))
  }
  function patterned(...paths: string[]) {
    return keys(...paths).map(one => ({ ...one, pattern: null }))
  }
  function trapped(...paths: string[]) {
    return keys(...paths).map(one => ({ ...one, because: 'x' }))
  }
})

test('The search for hidden pages is bounded', async t => {
  const missing = new Set(Array.from({ length: 100 }, (_, n) => String(n + 1)))
  async function* oneFurther(keys: readonly string[]) {
    for (const key of keys) yield String(Number(key) + 1)
  }
  t.equal((await hiddenBehind(['0'], missing, oneFurther, 100))?.size, 100)
  t.equal(await hiddenBehind(['0'], missing, oneFurther, 99), null, 'however many rounds it takes')
})

test('A failure waits longer each time, and is recorded up to a bound', t => {
  const pauses = new RetryPauses({ firstMs: 5, max: 2 })
  pauses.failed(1, 0)
  t.strictSame([pauses.waiting(4), pauses.waiting(5)], [[1], []])
  pauses.failed(1, 5)
  t.strictSame([pauses.waiting(14), pauses.waiting(15)], [[1], []])
  pauses.failed(2, 5)
  pauses.failed(3, 5)
  t.strictSame(pauses.waiting(6), [2, 3])
  pauses.succeeded(2)
  t.strictSame(pauses.waiting(6), [3])
  t.end()
})

test('Failing comparisons do not spin, and delay no others', async t => {
  const { bus, stop } = await streamAndRows(t)
  const ids = Array.from({ length: 25 }, (_, n) => n + 1)
  const query = async (text: string, [values]: [number[] | number]) => {
    if (!Array.isArray(values)) return { rows: [{ id: 1_000, has_pages: true }] }
    const rows = ids
      .filter(id => !values.includes(id))
      .map(id => ({ id, project_id: 7, previous_run_id: 1_000 }))
    return { rows: rows.slice(0, Number(/limit (\d+)$/.exec(text)?.[1])) }
  }
  const tries = new Map<number, number>()
  const reports: [error: unknown, runId: number | undefined][] = []
  const comparing = compareRuns({
    bus,
    pool: { query } as unknown as typeof pg.Pool.prototype,
    diffs: {
      compare: async (_project, _old, id) => {
        tries.set(id, (tries.get(id) ?? 0) + 1)
        if (id <= 20) throw new Error('too slow')
        const none = { olds: [], news: [], kinds: [], hiddenInNew: [], hiddenInOld: [] }
        return differenceOf({ pages: 1, unchanged: 1, ...none }, new Map())
      },
    },
    signal: stop.signal,
    report: (error, runId) => reports.push([error, runId]),
  })
  const calling = setInterval(() => comparing.look(), 5)
  t.teardown(() => clearInterval(calling))
  const isSent = async (id: number) =>
    (await bus.jsm.streams
      .getMessage(streams.runs, { last_by_subj: subjects.run(id, 'diff') })
      .catch(() => null)) !== null
  await until(async () => (await Promise.all([21, 25].map(isSent))).every(Boolean))
  stop.abort()
  await comparing.ended
  t.ok(Math.max(...tries.values()) <= 2, 'each is tried again after a while only')
  t.strictSame(new Set(reports.map(([, runId]) => runId)), new Set(ids.slice(0, 20)), 'each is named')
})

test('Comparisons of one project do not delay those of another', async t => {
  const { bus, pool, stop } = await streamAndRows(t)
  const store = (projectId: number, previousRunId: number, first: number, count: number) =>
    pool.query(
      `insert into read.run (id, project_id, previous_run_id, url, status, page_count, enqueued_at, finished_at)
       select n, $1, $2, '', 'done', 1, now(), now() from generate_series($3::int, $3 + $4 - 1) n`,
      [projectId, previousRunId === 0 ? null : previousRunId, first, count],
    )
  await store(7, 0, 1, 1)
  await store(8, 0, 2, 1)
  await store(7, 1, 101, 200)
  await store(8, 2, 901, 3)
  const compared: number[] = []
  const comparing = compareRuns({
    bus,
    pool,
    diffs: {
      compare: async (_project, _old, id) => {
        compared.push(id)
        const none = { olds: [], news: [], kinds: [], hiddenInNew: [], hiddenInOld: [] }
        return differenceOf({ pages: 1, unchanged: 1, ...none }, new Map())
      },
    },
    signal: stop.signal,
    report: error => t.error(error),
  })
  await until(() => compared.length === 203)
  stop.abort()
  await comparing.ended
  t.strictSame(compared.slice(0, 7), [101, 901, 102, 902, 103, 903, 104], 'they alternate')
  t.equal(new Set(compared).size, 203)
})
