/** Honest sites for the tests of trap rules. Every page of them must be crawled. */
import { chance, range, type Site, token } from './trapping.sites.ts'

/** The home page leads to everything; each page has a text of its own. */
const listed = (name: string, paths: string[]): Site => ({
  name,
  page: ({ pathname, search }) => ({
    text: `A page in its own words: ${token(pathname + search, 12)}`,
    hrefs: pathname === '/' && search === '' ? paths : [],
  }),
})

const days = (from: number, count: number): string[] =>
  range(count).map(day => new Date(Date.UTC(from, 0, 1 + day)).toISOString().slice(0, 10))

export const honest: Site[] = [
  listed(
    'documentation in a deep tree',
    range(400).map(at => `/docs/v${at % 3}/api/core/net/http/client/options/retry/part${at}/index.html`),
  ),
  listed(
    'sources in packages',
    range(60).flatMap(at => [
      `/src/main/java/com/example/app/${at}/com/example/app/Main.java`,
      `/node_modules/a${at}/node_modules/b/node_modules/c/node_modules/d/index.js`,
      `/tree/main/packages/core/src/packages/core/test/${at}`,
    ]),
  ),
  listed(
    'tiles of a map',
    range(300).map(at => `/tiles/7/7/7/${at % 2}/${at}.png`),
  ),
  listed(
    'a blog of twenty years',
    days(2005, 7600).flatMap((day, at) => {
      const [year, month, date] = day.split('-')
      const post = `/${year}/${month}/${date}/a-post-of-that-day-${at}/`
      return date === '01'
        ? [`/${year}/${month}/`, `/${year}/${month}/${date}/`, post]
        : [`/${year}/${month}/${date}/`, post]
    }),
  ),
  listed(
    'a newspaper by months',
    range(1100).map(at => `/archive?year=${1932 + Math.floor(at / 12)}&month=${(at % 12) + 1}`),
  ),
  listed('a conference three years ahead', [
    '/events/2029/09/12/world-congress',
    '/events/2028-10',
    '/events?date=2028-11-01',
    '/reports/2050-outlook',
    '/2040/',
  ]),
  listed(
    'a long list',
    range(500).map(at => `/products?page=${at + 1}`),
  ),
  listed(
    'a shop by its numbers',
    range(3000).map(at => `/item.php?id=${at}&cat=${at % 30}`),
  ),
  listed(
    'a shop with a few filters',
    range(6).flatMap(colour =>
      range(5).flatMap(size => range(4).map(sort => `/shoes?colour=${colour}&size=${size}&sort=${sort}`)),
    ),
  ),
  listed(
    'products in each colour and size',
    range(400).flatMap(id => range(12).map(at => `/p?id=${id}&colour=${at % 4}&size=${at % 3}`)),
  ),
  listed(
    'a catalogue by category, page and language',
    range(4000).map(at => `/list?lang=${at % 2}&cat=${at % 50}&page=${Math.floor(at / 50)}`),
  ),
  listed(
    'a forum',
    range(4000).map(at => `/viewtopic.php?f=${at % 20}&t=${Math.floor(at / 4)}&start=${(at % 4) * 20}`),
  ),
  listed(
    'a wiki with its history',
    range(600).flatMap(at => [
      `/index.php?title=Article_${at}`,
      `/index.php?title=Article_${at}&action=history`,
      `/index.php?title=Article_${at}&action=edit`,
      ...range(5).map(old => `/index.php?title=Article_${at}&oldid=${at * 7 + old}`),
      `/index.php?title=Article_${at}&diff=${at * 7 + 1}&oldid=${at * 7}`,
    ]),
  ),
  listed(
    'commits and files by their hashes',
    range(500).map(at => `/repo/commit/${token(`c${at}`, 40)}`),
  ),
  listed(
    'shared documents',
    range(500).map(at => `/s/${token(`d${at}`, 32)}/view?sid=${at}&token=short${at}`),
  ),
  listed(
    'uploads in folders of random names',
    range(500).map(at => `/uploads/${token(`u${at}`, 24)}/original.pdf`),
  ),
  listed(
    'a search with repeated fields',
    range(100).map(
      at =>
        `/find?${range(9)
          .map(n => `tag[]=t${(at + n) % 20}`)
          .join('&')}&q=${at}`,
    ),
  ),
  listed('the same word twice', [
    '/en/en/',
    '/news/news/',
    '/a/b/a/b',
    '/1/1/1/1',
    '/2024/05/05/05',
    '/x/1/y/1/z/1/u/1/v/1',
  ]),
  {
    name: 'lists that hold nothing but links',
    page: ({ pathname, searchParams }) => {
      if (pathname.startsWith('/item/')) return { text: `All about ${token(pathname, 8)}.`, hrefs: ['/'] }
      const at = Number(searchParams.get('page') ?? 0)
      const next = at < 300 ? [`/list?page=${at + 1}`, `/list?page=${at + 2}`, `/list?page=${at + 10}`] : []
      return {
        text: 'Our items, page by page.',
        hrefs: [...next, ...range(5).map(n => `/item/${at * 5 + n}`)],
      }
    },
  },
  {
    name: 'a gallery of few words',
    page: ({ pathname }) => {
      const at = Number(/\d+/.exec(pathname)?.[0] ?? 0)
      const next = range(4).map(n => `/photo/${at * 3 + n + 1}`)
      return {
        text: `Photo ${at} of 700, seen ${Math.floor(chance(`${at}`) * 900)} times`,
        hrefs: at < 700 ? next : [],
      }
    },
  },
  {
    name: 'a chain of short pages as deep as a run may be',
    page: ({ pathname }) => {
      const at = Number(/\d+/.exec(pathname)?.[0] ?? 0)
      return { text: `Page ${at} Content of page ${at}.`, hrefs: [`/chain/${at + 1}`] }
    },
  },
  ...['/p/', '/page-'].map(path => ({
    name: `a flat list of short pages at ${path}`,
    page: ({ pathname }: URL) => ({
      text: `Page ${pathname} Content of page ${pathname}.`,
      hrefs: pathname === '/' ? range(800).map(at => path + at) : ['/', path + 0],
    }),
  })),
  {
    name: 'short pages and their index in one branch',
    page: ({ pathname }) => {
      const [, kind, number] = /^\/shop\/(list|item)\/(\d+)/.exec(pathname) ?? []
      const at = Number(number ?? 0)
      if (kind === 'item') return { text: `Item ${at}`, hrefs: ['/shop/list/0'] }
      const next = at < 30 ? [`/shop/list/${at + 1}`] : []
      return {
        text: `Items, page ${at}`,
        hrefs: [...range(20).map(n => `/shop/item/${at * 20 + n}`), ...next],
      }
    },
  },
]
