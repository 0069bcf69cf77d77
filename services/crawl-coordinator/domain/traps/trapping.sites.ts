/** Sites without an end, each as a function of the URL, for the tests of trap rules. */

/** The text of a page without links, and the targets of its links. */
export type Shown = { text: string; hrefs: string[] }

export type Site = { name: string; page: (url: URL) => Shown }

export const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at)
const two = (number: number): string => String(number).padStart(2, '0')
export const chance = (seed: string): number => {
  let hash = 2_166_136_261
  for (const character of seed) hash = Math.imul(hash ^ character.charCodeAt(0), 16_777_619)
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32
}
export const token = (seed: string, length: number): string =>
  range(length)
    .map(at => Math.floor(chance(`${seed} ${at}`) * 16).toString(16))
    .join('')

export const traps: (Site & { maxPages: number })[] = [
  {
    name: 'a calendar by paths',
    maxPages: 150,
    page: ({ pathname }) => {
      const [, year = 2026, month = 11] = /^\/calendar\/(\d+)\/(\d+)/.exec(pathname) ?? []
      const at = Number(year) * 12 + Number(month) - 1
      const near = [at - 1, at + 1, at - 12, at + 12].map(
        n => `/calendar/${Math.floor(n / 12)}/${two((n % 12) + 1)}`,
      )
      const days = [1, 8, 15, 22].map(day => `/calendar/${year}/${two(Number(month))}/${two(day)}`)
      return {
        text: `${['January', 'May', 'June'][Number(month) % 3]} ${year}. Nothing happens in ${Number(month)}/${year}.`,
        hrefs: [...near, ...days],
      }
    },
  },
  {
    name: 'an endless calendar, full of words',
    maxPages: 30,
    page: ({ searchParams }) => {
      const [year = 2026, month = 11] = (searchParams.get('month') ?? '2026-11').split('-').map(Number)
      const next = year * 12 + month
      const href = `/events?view=list&month=${Math.floor(next / 12)}-${two((next % 12) + 1)}`
      return { text: `In ${year} ${month} there is ${token(`${next}`, 9)}`, hrefs: [href] }
    },
  },
  {
    name: 'a calendar by days in a query',
    maxPages: 150,
    page: ({ searchParams }) => {
      const at = Date.parse(searchParams.get('date') ?? '2026-11-21')
      const near = [-365, -30, -1, 1, 30, 365].map(day =>
        new Date(at + day * 86_400_000).toISOString().slice(0, 10),
      )
      return { text: 'No events on this day.', hrefs: near.map(date => `/events?view=day&date=${date}`) }
    },
  },
  {
    name: 'a session in the query',
    maxPages: 10,
    page: ({ href }) => ({
      text: `Welcome, ${token(href, 8)}.`,
      hrefs: ['home', 'shop', 'cart'].map(name => `/${name}?PHPSESSID=${token(href, 26)}`),
    }),
  },
  {
    name: 'a session behind a semicolon',
    maxPages: 10,
    page: ({ href }) => ({
      text: `Welcome, ${token(href, 8)}.`,
      hrefs: ['home', 'shop', 'cart'].map(name => `/${name};jsessionid=${token(href, 32)}?a=1`),
    }),
  },
  {
    name: 'a session as a folder',
    maxPages: 200,
    page: ({ href }) => ({
      text: 'Welcome to the shop.',
      hrefs: ['home', 'shop', 'cart'].map(name => `/s/${token(href, 32)}/${name}`),
    }),
  },
  {
    name: 'the same parameters in any order',
    maxPages: 5,
    page: ({ searchParams }) => {
      const names = [...searchParams.keys()]
      const order = names.length === 7 ? names : [...'abcdefg']
      const orders = range(6).map(at => order.with(at, order[at + 1] ?? '').with(at + 1, order[at] ?? ''))
      return {
        text: token(String(searchParams), 9),
        hrefs: [order, ...orders].map(names => `/list?${names.map(name => `${name}=1`).join('&')}`),
      }
    },
  },
  {
    name: 'filters of a shop',
    maxPages: 300,
    page: ({ searchParams }) => ({
      text: `Twelve shoes: ${token(String(searchParams), 9)}`,
      hrefs: [...'abcdefgh'].flatMap(name =>
        range(5).map(value => {
          const next = new URLSearchParams(searchParams)
          next.set(name, `v${value}`)
          return `/shop?${next}`
        }),
      ),
    }),
  },
  {
    name: 'one folder below itself',
    maxPages: 5,
    page: ({ pathname }) => ({ text: token(pathname, 9), hrefs: [`${pathname}a/`] }),
  },
  {
    name: 'relative links that grow',
    maxPages: 30,
    page: ({ pathname }) => {
      const folder = pathname.endsWith('/') ? pathname : `${pathname}/`
      return { text: token(pathname, 9), hrefs: [`${folder}products/list.html`, `${folder}team/people.html`] }
    },
  },
  {
    name: 'three folders in each other',
    maxPages: 400,
    page: ({ pathname }) => ({
      text: token(pathname, 9),
      hrefs: ['x', 'yy', 'z1'].map(name => `${pathname}${name}/`),
    }),
  },
  {
    name: 'every spelling of one page',
    maxPages: 200,
    page: ({ pathname }) => {
      const name = pathname === '/' ? '/documentationpage' : pathname
      const flip = (letter: string) =>
        letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase()
      return {
        text: 'The documentation.',
        hrefs: range(name.length - 1).map(
          at => name.slice(0, at + 1) + flip(name.charAt(at + 1)) + name.slice(at + 2),
        ),
      }
    },
  },
  {
    name: 'an answer to everything',
    maxPages: 200,
    page: ({ pathname }) => ({
      text: 'Sorry, this page does not exist. Perhaps you like one of these.',
      hrefs: range(4).map(at => `/${token(`${pathname}${at}`, 10)}`),
    }),
  },
  {
    name: 'a list without an end',
    maxPages: 60,
    page: ({ searchParams }) => {
      const at = Number(searchParams.get('page') ?? 1)
      return { text: 'There are no more results.', hrefs: range(5).map(n => `/results?page=${at + n + 1}`) }
    },
  },
  {
    name: 'a form that grows',
    maxPages: 40,
    page: ({ search }) => ({
      text: token(search, 9),
      hrefs: [`/form${search === '' ? '?a=1' : `${search}&a${search.length}=1`}`],
    }),
  },
  {
    name: 'folders of random names in each other',
    maxPages: 33,
    page: ({ pathname }) => ({ text: token(pathname, 9), hrefs: [`${pathname}${token(pathname, 6)}/`] }),
  },
  {
    name: 'paths that are written into themselves',
    maxPages: 8,
    page: ({ pathname }) => ({
      text: token(pathname, 9),
      hrefs: [`/q${pathname.replaceAll('/', '-')}${'x'.repeat(300)}`],
    }),
  },
]
