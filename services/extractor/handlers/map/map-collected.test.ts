/** The URLs that maps hold while they wait for sites. */
import { createFairLine } from '@tidemark/bus/fair-line'
import { scopeOf } from '@tidemark/url/scope'
import { test } from 'tap'
import type { Fetched } from '../../adapters/fetch-now.ts'
import { createShares } from '../../concurrency/shares.ts'
import { collectedBy } from './map-collected.ts'
import { walkSitemaps } from './map-sitemaps.ts'
import type { Visited, Visits } from './map-visits.ts'

const megabyte = 1024 ** 2
/** Takes 1,124 bytes in the count. */
const long = `https://a.test/${'x'.repeat(1009)}`

test('Collected URLs count for all maps of a project, until each ends', async t => {
  const shares = createShares({ all: 2 * megabyte, each: megabyte })
  const count = (collected: ReturnType<typeof collectedBy>) => {
    let n = 0
    while (collected.add(long)) n += 1
    return n
  }
  const first = collectedBy(7, shares)
  const second = collectedBy(7, shares)
  t.ok(second.add(long))
  const own = count(first)
  t.equal(own, Math.floor((0.75 * megabyte) / 1124), 'the other map has a block of 256 KiB')
  t.equal(count(second), Math.floor((0.25 * megabyte) / 1124) - 1)
  {
    using other = collectedBy(8, shares)
    t.ok(count(other) > own, 'another project has its own share')
  }
  first[Symbol.dispose]()
  t.ok(count(second) >= own)
  second[Symbol.dispose]()
  using third = collectedBy(9, shares)
  t.equal(count(third), Math.floor(megabyte / 1124), 'all was given back')
  t.notOk(first.add(long), 'a sitemap that is read after the end of its map takes nothing')
})

const sitemapOf = (urls: string[]) =>
  `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.map(url => `<url><loc>${url}</loc></url>`).join('')}</urlset>`

const visitsOf = (bodyOf: (url: string) => string, visited: string[]): Visits => ({
  owner: 7,
  isOver: false,
  visit: async url => {
    visited.push(url)
    const answer = { is: 'fetched', url, status: 200, contentType: 'text/xml', encodings: [], isCut: false }
    return {
      ...(answer as unknown as Fetched),
      body: Buffer.from(bodyOf(url)),
      [Symbol.dispose]() {},
    } as Visited
  },
  readRobots: () => Promise.reject(new Error('not requested')),
})

test('A map stops and says so when the URLs of its project have no more memory', async t => {
  const urls = Array.from({ length: 1_000 }, (_, n) => `https://a.test/${n}`)
  const names = ['one', 'two', 'three'].map(name => `https://a.test/${name}.xml`)
  const walk = async (limit: number) => {
    const visited: string[] = []
    let added = 0
    const result = await walkSitemaps(names, {
      visits: visitsOf(() => sitemapOf(urls), visited),
      line: createFairLine(),
      scope: scopeOf('https://a.test/', false),
      collected: { add: () => ++added <= limit, [Symbol.dispose]() {} },
      enough: 100_000,
    })
    return { ...result, visited }
  }
  const whole = await walk(10_000)
  t.equal(whole.dated.size, 1_000)
  t.strictSame([whole.isPartial, whole.visited], [false, names])
  const part = await walk(names.length + 400)
  t.equal(part.dated.size, 400)
  t.equal(part.isPartial, true)
  t.match(part.sitemaps, [{ cut: /^the rest/ }, {}, { cut: /before it/ }])
  t.notOk(part.visited.includes(names[2] ?? ''), 'nothing more is fetched')
  const none = await walk(2)
  t.strictSame([none.sitemaps.length, none.dated.size, none.isPartial], [2, 0, true])
})

test('A map counts a URL of several sitemaps once towards its limit', async t => {
  const names = ['one', 'two', 'three', 'four'].map(name => `https://a.test/${name}.xml`)
  const shared = ['1', '2', '3'].map(n => `https://a.test/${n}`)
  const bodyOf = (url: string) => sitemapOf(url === names[2] ? ['https://a.test/own'] : shared)
  const walk = async (enough: number) => {
    const visited: string[] = []
    const result = await walkSitemaps(names, {
      visits: visitsOf(bodyOf, visited),
      line: createFairLine(),
      scope: scopeOf('https://a.test/', false),
      collected: { add: () => true, [Symbol.dispose]() {} },
      enough,
    })
    return { ...result, visited }
  }
  const whole = await walk(5)
  t.strictSame([...whole.dated.keys()], [...shared, 'https://a.test/own'])
  t.strictSame([whole.isPartial, whole.visited], [false, names])
  const part = await walk(3)
  t.strictSame([...part.dated.keys()], shared)
  t.equal(part.isPartial, true)
  t.notOk(part.visited.includes(names[2] ?? ''), 'nothing more is fetched')
})
