/** The URLs of a site become one list, and a search finds them by words. */
import { webPath } from '@tidemark/testing/any-url'
import fc from 'fast-check'
import { test } from 'tap'
import { allSteps } from '../concurrency/in-steps.ts'
import { joinSteps, thatFit } from './map-join.ts'
import { searchSteps } from './map-search.ts'

const site = 'https://a.example'
const found = (search: string, ...items: { path: string; title?: string }[]) =>
  allSteps(
    searchSteps(
      items.map(({ path, ...more }) => ({ url: site + path, source: 'link' as const, ...more })),
      search,
    ),
  ).map(({ url }) => url.slice(site.length))

test('The list', async t => {
  const named = [
    { url: '/', title: 'Home' },
    { url: '/b', title: 'B' },
    { url: '/b', title: 'Again' },
    { url: '/c', title: '' },
  ]
  const dated = new Map([
    ['/d', '2026-01-02'],
    ['/b', ''],
  ])
  t.same(
    allSteps(joinSteps(named, dated)),
    [
      { url: '/', title: 'Home', source: 'link' },
      { url: '/b', title: 'B', source: 'sitemap' },
      { url: '/c', source: 'link' },
      { url: '/d', lastmod: '2026-01-02', source: 'sitemap' },
    ],
    'holds each address once, those that are linked first, and by sitemap what stands in one',
  )
  const items = Array.from({ length: 9 }, (_, n) => ({ url: `/${n}`, source: 'link' as const }))
  t.equal(thatFit(items, 5, 1e6).length, 5, 'ends at its number')
  t.equal(thatFit(items, 5, 140).length, 2, 'or where it would be too long')
})

test('Words', async t => {
  const paths = ['/about', '/prices-old/archive', '/prices', '/tides?of=may'].map(path => ({ path }))
  t.same(found('prices', ...paths), ['/prices-old/archive', '/prices'], 'are found in the path')
  t.same(found('MAY', ...paths), ['/tides?of=may'], 'and in the query, in any case')
  t.same(found('archive prices', ...paths), ['/prices-old/archive', '/prices'], 'the more the better')
  t.same(
    found('price', { path: '/prices' }, { path: '/price' }),
    ['/price', '/prices'],
    'whole ones before parts',
  )
  t.same(
    found('tide', { path: '/1' }, { path: '/2', title: 'The tide' }, { path: '/tide' }),
    ['/tide', '/2'],
    'in the path before the title',
  )
  t.same(
    found('größe', { path: '/gr%C3%B6%C3%9Fe' }, { path: '/%ff' }),
    ['/gr%C3%B6%C3%9Fe'],
    'as they are read',
  )
  t.same(found('example https', ...paths), [], 'never in the host')
  for (const none of ['', ' ', '-/-']) t.same(found(none, ...paths).length, 4, 'are not needed')
  fc.assert(
    fc.property(fc.string(), fc.array(webPath()), (search, all) => {
      const kept = found(search, ...all.map(path => ({ path })))
      return kept.every(path => all.includes(path)) && kept.length <= all.length
    }),
  )
})
