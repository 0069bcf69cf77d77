/** Rules of the answer: its status, what it is, and the redirects on the way to it. */
import type { Answered } from './audited-page.ts'
import { among, counted, type Rule, when } from './rule.ts'
import { google, rfc, wcag } from './sources.ts'

const statuses = google('HTTP status codes', 'crawling-indexing/http-network-errors')
const redirects = google('redirects', 'crawling-indexing/301-redirects')
const temporary = new Set([302, 303, 307])
const longestSoft = 150
const saysMissing =
  /^\s*(?:(?:error\s*)?404(?:\s*$|\s*[-–—:|]|\s+(?:error|not found|page))|(?:page|file|document|seite|página|page) (?:not found|nicht gefunden|no encontrada|introuvable)|not found\s*(?:$|[-–—:|]))/i

export const answerRules: readonly Rule[] = [
  {
    id: 'status/client-error',
    on: 'answers',
    severity: 'error',
    finds: 'A status from 400 to 499',
    reason: 'The page is not shown to people as meant, and search engines drop it.',
    source: statuses,
    find: ({ page: { status } }) =>
      when(
        status >= 400 && status < 500,
        () =>
          `The address answers ${status}. Serve the page, redirect to where it is now, or take the links to it away.`,
      ),
  },
  {
    id: 'status/server-error',
    on: 'answers',
    severity: 'error',
    finds: 'A status from 500 to 599',
    reason: 'The server failed; search engines slow down, and drop the page when that lasts.',
    source: statuses,
    find: ({ page: { status } }) =>
      when(
        status >= 500 && status < 600,
        () => `The server answers ${status}. See its logs for what failed.`,
      ),
  },
  {
    id: 'status/unknown',
    on: 'answers',
    severity: 'warning',
    finds: 'A status of 600 or above',
    reason:
      'HTTP has none such, and crawlers take it as an error; some sites turn away with 999 what they take for a bot.',
    source: rfc(9110, '15', 'status codes'),
    find: ({ page: { status } }) =>
      when(
        status >= 600,
        () =>
          `The address answers ${status}, which is no status of HTTP: it may have turned us away as a bot, and people may see a page.`,
      ),
  },
  {
    id: 'status/soft-404',
    on: 'pages',
    severity: 'warning',
    finds: `A status of success, and a title that says that there is no such page (with fewer than ${longestSoft} words)`,
    reason: 'Search engines fetch it again and again, and show or report it as an error.',
    source: google('soft 404 errors', 'crawling-indexing/http-network-errors'),
    find: ({ page: { status }, facts: { title, text } }) =>
      when(
        saysMissing.test(title ?? '') && text.words < longestSoft,
        () => `The page says that it is not there, and answers ${status}. Answer 404.`,
      ),
  },
  {
    id: 'status/empty',
    on: 'answers',
    severity: 'error',
    finds: 'A status of success, and no content at all',
    reason: 'There is nothing to see or to index.',
    source: statuses,
    find: ({ page: { status }, bytes }) =>
      when(isSuccess(status) && bytes === 0, () => `The address answers ${status} without any content.`),
  },
  {
    id: 'document/not-html',
    on: 'answers',
    severity: 'info',
    finds: 'Content that is no HTML',
    reason: 'Nothing of it can be audited but its answer.',
    source: statuses,
    find: ({ isHtml, page: { contentType }, bytes }) =>
      when(
        !isHtml && bytes > 0,
        () =>
          `The address holds no HTML, but ${(contentType ?? 'something of no stated type').slice(0, 80)}: only its answer was audited.`,
      ),
  },
  {
    id: 'redirect/no-target',
    on: 'answers',
    severity: 'error',
    finds: 'A status from 300 to 399 that names no address to go on to',
    reason: 'It is neither a page nor a way to one.',
    source: rfc(9110, '15.4', 'redirection'),
    find: ({ page: { status } }) =>
      when(
        status >= 300 && status < 400,
        () =>
          `The address answers ${status} ${status === 304 ? 'though nobody said what he has already' : 'and names no address to go on to'}. Serve the page, or redirect to where it is.`,
      ),
  },
  {
    id: 'redirect/chain',
    on: 'answers',
    severity: 'warning',
    finds: 'More than one redirect on the way to the page',
    reason: 'Each costs a round trip, and crawlers give up after some.',
    source: redirects,
    find: ({ context: { hops } }) =>
      hops.length < 2
        ? null
        : among(hops, n => `${n} redirects lead here. Redirect to this address at once.`, shownHop),
  },
  {
    id: 'redirect/temporary',
    on: 'answers',
    severity: 'info',
    finds: 'A redirect with 302, 303 or 307 on the way to the page',
    reason: 'A temporary one says that the address that was asked for is still the right one.',
    source: redirects,
    find: ({ context: { hops } }) =>
      among(
        hops.filter(({ status }) => temporary.has(status)),
        n =>
          `${counted(n, 'redirect')} ${n === 1 ? 'is' : 'are'} temporary. Where it is for good, use 301 or 308.`,
        shownHop,
      ),
  },
  {
    id: 'redirect/insecure',
    on: 'answers',
    severity: 'error',
    finds: 'A redirect from https to http',
    reason: 'What follows can be read and changed on the way.',
    source: google('secure sites with HTTPS', 'advanced/security/https'),
    find: answer =>
      among(
        downgradesOf(answer),
        () => 'A redirect leads from https to http. Stay with https.',
        ([from, to]) => `${from} to ${to}`,
      ),
  },
  {
    id: 'redirect/meta-refresh',
    on: 'pages',
    severity: 'warning',
    finds: 'A meta refresh that leads to another address',
    reason: 'People lose their place, the way back is broken, and crawlers may not follow.',
    source: wcag('2.2.1 Timing Adjustable (failure F40)', 'timing-adjustable'),
    find: ({ facts: { refresh }, page: { url } }) =>
      refresh === null || refresh === url
        ? null
        : {
            message: 'The page sends visitors on by a meta refresh. Redirect by the server.',
            samples: [refresh],
          },
  },
]

export const isSuccess = (status: number): boolean => status >= 200 && status < 300

const shownHop = ({ url, status }: Answered['context']['hops'][number]): string => `${status} ${url}`

/** Each hop with the next one, the page last. */
function downgradesOf({ context: { hops }, page }: Answered): [string, string][] {
  const way = [...hops.map(({ url }) => url), page.url]
  return way
    .slice(1)
    .map((to, at): [string, string] => [way[at] ?? '', to])
    .filter(([from, to]) => from.startsWith('https:') && to.startsWith('http:'))
}
