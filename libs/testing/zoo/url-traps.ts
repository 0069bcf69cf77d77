/**
 * Sites with endlessly many URLs and a handful of pages. Each links to five plain pages first, which must be fetched.
 * The crawl of the rest must end long before the run's own limit.
 */
import { hash } from 'node:crypto'
import { links, page } from './answers.ts'
import { done, type Site, type Visit } from './site.ts'

const plainPages = [1, 2, 3, 4, 5].map(n => `/about/part-${n}`)
const maxPages = 300

type More = (visit: Visit) => { text: string; hrefs: string[] }

const rows: [name: string, more: More, atMost?: number][] = [
  ['calendar-path', calendarOfPaths],
  ['calendar-query', calendarOfQueries],
  ['session-in-path', sessionInPath],
  ['session-in-query', sessionInQuery],
  ['query-permutations', permutations],
  ['faceted-filters', facets],
  ['same-folder-again', ({ url }) => ({ text: 'A folder.', hrefs: [`${asFolder(url)}a/`] }), 30],
  ['relative-growth', relativeGrowth],
  // Its URLs have many shapes. Before the first pages of a shape are compared, further pages of it are ordered, and
  // these are fetched, too.
  ['mixed-case', mixedCase, 400],
  ['soft-404', softMissing],
  ['endless-pagination', pagination],
  ['ten-thousand-parameters', manyParameters],
]

export const urlTraps: Site[] = rows.map(([name, more, atMost = maxPages]) => ({
  name,
  group: 'url traps',
  crawl: { max_pages: 2000, depth: 50 },
  expect: done({ atLeast: 1 + plainPages.length, atMost }, { settledWithinMs: 60_000 }),
  serve(visit) {
    const { pathname } = visit.url
    if (plainPages.includes(pathname)) return page(visit, pathname, `<p>This is ${pathname}, and it is real.`)
    const { text, hrefs } = more(visit)
    const real = pathname === '/' && visit.url.search === '' ? plainPages : []
    page(visit, 'A site', `${links(real)}<p>${text}</p>${links(hrefs)}`)
  },
}))

const token = (text: string) => hash('sha1', text, 'hex').slice(0, 32)
const asFolder = ({ pathname }: URL) => (pathname.endsWith('/') ? pathname : `${pathname}/`)

function calendarOfPaths({ url }: Visit) {
  const [, year = 2026, month = 11] = url.pathname.match(/^\/calendar\/(\d+)\/(\d+)/) ?? []
  const at = Number(year) * 12 + Number(month) - 1
  const near = [at - 1, at + 1].map(n => `/calendar/${Math.floor(n / 12)}/${twoDigits((n % 12) + 1)}`)
  const days = [1, 8, 15, 22].map(day => `/calendar/${year}/${twoDigits(month)}/${twoDigits(day)}`)
  return { text: `Nothing happens in month ${month} of ${year}.`, hrefs: [...near, ...days] }
}

function calendarOfQueries({ url }: Visit) {
  const at = Date.parse(url.searchParams.get('date') ?? '2026-11-21')
  const dayMs = 86_400_000
  const near = [-365, -30, -1, 1, 30, 365].map(days => new Date(at + days * dayMs).toISOString().slice(0, 10))
  return { text: 'No events on this day.', hrefs: near.map(date => `/events?view=day&date=${date}`) }
}

const twoDigits = (n: number | string) => String(n).padStart(2, '0')

function sessionInPath({ url }: Visit) {
  const session = token(url.pathname)
  return {
    text: 'Welcome to the shop.',
    hrefs: ['home', 'shop', 'basket'].map(name => `/s/${session}/${name}`),
  }
}

function sessionInQuery({ url }: Visit) {
  const session = token(url.search)
  return {
    text: 'Welcome to the shop.',
    hrefs: ['home', 'shop', 'basket'].map(name => `/${name}?sessionid=${session}`),
  }
}

/** One page under 5,040 URLs, which differ in the order of seven parameters. Each links to three other orders. */
function permutations({ url }: Visit) {
  const names = [...url.searchParams.keys()]
  const order = names.length === 7 ? names : ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  const swapped = [0, 2, 5].map(at => order.with(at, order[at + 1] ?? '').with(at + 1, order[at] ?? ''))
  const query = (names: string[]) => names.map(name => `${name}=1`).join('&')
  return { text: 'The list of all things.', hrefs: [order, ...swapped].map(names => `/list?${query(names)}`) }
}

const filters = ['colour', 'size', 'brand', 'price', 'material', 'season', 'rating', 'sort']

function facets({ url }: Visit) {
  const chosen = new URLSearchParams(url.search)
  const hrefs = filters.flatMap(name =>
    [1, 2, 3, 4, 5].map(value => {
      const next = new URLSearchParams(chosen)
      next.set(name, `v${value}`)
      return `/shop?${next}`
    }),
  )
  return { text: 'Twelve shoes, in some order.', hrefs }
}

/** Links that lack their first slash, on a server that responds below every file. */
function relativeGrowth({ url }: Visit) {
  const here = asFolder(url)
  return {
    text: 'Our products and our team.',
    hrefs: [`${here}products/list.html`, `${here}team/people.html`],
  }
}

/** One page in 65,536 spellings. Each spelling links to the spellings that differ in one letter. */
function mixedCase({ url }: Visit) {
  const name = url.pathname === '/' ? '/documentationpage' : url.pathname
  const flipped = [...name].slice(1).map((letter, at) => {
    const other = letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase()
    return name.slice(0, at + 1) + other + name.slice(at + 2)
  })
  return { text: 'The documentation.', hrefs: flipped }
}

function softMissing({ url }: Visit) {
  const hrefs = [0, 1, 2, 3].map(n => `/${token(`${url.pathname}${n}`).slice(0, 10)}`)
  return { text: 'Sorry, this page does not exist. Perhaps you like one of these.', hrefs }
}

function pagination({ url }: Visit) {
  const at = Number(url.searchParams.get('page') ?? 1)
  return { text: 'There are no more results.', hrefs: [`/results?page=${at + 1}`] }
}

/** Each page links to four others, whose URLs are some 90 KB long. */
function manyParameters({ url }: Visit) {
  const seed = token(url.search).slice(0, 4)
  const query = (n: number) => Array.from({ length: 10_000 }, (_, at) => `p${at}=${n}`).join('&')
  return { text: 'A form.', hrefs: [0, 1, 2, 3].map(n => `/form?seed=${seed}${n}&${query(n)}`) }
}
