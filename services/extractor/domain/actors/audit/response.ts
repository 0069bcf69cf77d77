/** Rules for the response: its status, its type and the redirects before it. */
import { mediaTypeOf } from '@tidemark/html/media-type'
import type { AuditedResponse } from './audited-page.ts'
import { among, type Rule, when, withSample } from './rule.ts'
import { google, rfc, wcag } from './sources.ts'

const statuses = google('HTTP status codes', 'crawling-indexing/http-network-errors')
const redirects = google('redirects', 'crawling-indexing/301-redirects')
const temporary = new Set([302, 303, 307])
const maxSoftWords = 150
const missingPageTitle =
  /^\s*(?:(?:error\s*)?404(?:\s*$|\s*[-–—:|]|\s+(?:error|not found|page))|(?:page|file|document|seite|página) (?:not found|nicht gefunden|no encontrada|introuvable)|not found\s*(?:$|[-–—:|]))/i

export const responseRules: readonly Rule[] = [
  {
    id: 'status/client-error',
    on: 'responses',
    severity: 'error',
    finds: 'A status from 400 to 499',
    reason: 'Visitors see an error, and search engines drop the page.',
    source: statuses,
    find: ({ page: { status } }) =>
      when(
        status >= 400 && status < 500,
        () =>
          `The URL responds with ${status}. Serve the page, redirect to its new URL, or remove the links to it.`,
      ),
  },
  {
    id: 'status/server-error',
    on: 'responses',
    severity: 'error',
    finds: 'A status from 500 to 599',
    reason: 'The server failed. Search engines crawl slower, and drop the page if the error persists.',
    source: statuses,
    find: ({ page: { status } }) =>
      when(
        status >= 500 && status < 600,
        () => `The server responds with ${status}. Check its logs for the cause.`,
      ),
  },
  {
    id: 'status/unknown',
    on: 'responses',
    severity: 'warning',
    finds: 'A status of 600 or above',
    reason:
      'HTTP defines no such status, and crawlers treat it as an error. Some sites send 999 to suspected bots.',
    source: rfc(9110, '15', 'status codes'),
    find: ({ page: { status } }) =>
      when(
        status >= 600,
        () =>
          `The URL responds with ${status}, which is not an HTTP status. The site may have blocked this service as a bot, while visitors see a page.`,
      ),
  },
  {
    id: 'status/soft-404',
    severity: 'warning',
    finds: `A success status with a title that reports a missing page, and fewer than ${maxSoftWords} words`,
    reason: 'Search engines keep fetching the page, and show it or report it as an error.',
    source: google('soft 404 errors', 'crawling-indexing/http-network-errors'),
    find: ({ page: { status }, facts: { title, text } }) =>
      when(
        missingPageTitle.test(title ?? '') && text.words < maxSoftWords,
        () => `The page reports that it does not exist, but responds with ${status}. Respond with 404.`,
      ),
  },
  {
    id: 'status/empty',
    on: 'responses',
    severity: 'error',
    finds: 'A success status with an empty body',
    reason: 'There is no content to show or to index.',
    source: statuses,
    find: ({ page: { status }, bytes }) =>
      when(isSuccess(status) && bytes === 0, () => `The URL responds with ${status} and an empty body.`),
  },
  {
    id: 'document/not-html',
    on: 'responses',
    severity: 'info',
    finds: 'Content other than HTML',
    reason: 'Only the response can be audited.',
    source: statuses,
    find: ({ isHtml, page: { contentType, body }, bytes }) =>
      when(!isHtml && bytes > 0, () => {
        const type = mediaTypeOf(contentType, body) || 'content without a stated type'
        return `The response is not HTML but ${type.slice(0, 80)}, so only the response was audited.`
      }),
  },
  {
    id: 'redirect/no-target',
    on: 'responses',
    severity: 'error',
    finds: 'A status from 300 to 399 without a redirect target',
    reason: 'Visitors and crawlers get neither a page nor a redirect.',
    source: rfc(9110, '15.4', 'redirection'),
    find: ({ page: { status } }) =>
      when(
        status >= 300 && status < 400,
        () =>
          `The URL responds with ${status} ${status === 304 ? 'to an unconditional request' : 'without a redirect target'}. Serve the page, or redirect to its URL.`,
      ),
  },
  {
    id: 'redirect/chain',
    on: 'responses',
    severity: 'warning',
    needs: 'redirects',
    finds: 'More than one redirect before the page',
    reason: 'Each redirect costs a round trip, and crawlers stop after several.',
    source: redirects,
    find: ({ context: { hops } }) =>
      hops.length < 2
        ? null
        : among(
            hops,
            { many: '{n} redirects lead to this page.', remedy: 'Redirect to the final URL directly.' },
            shownHop,
          ),
  },
  {
    id: 'redirect/temporary',
    on: 'responses',
    severity: 'info',
    needs: 'redirects',
    finds: 'A redirect with 302, 303 or 307 before the page',
    reason: 'A temporary redirect keeps the old URL as the one to index.',
    source: redirects,
    find: ({ context: { hops } }) =>
      among(
        hops.filter(({ status }) => temporary.has(status)),
        {
          one: '1 redirect is temporary.',
          many: '{n} redirects are temporary.',
          remedy: 'If the move is permanent, use 301 or 308.',
        },
        shownHop,
      ),
  },
  {
    id: 'redirect/insecure',
    on: 'responses',
    severity: 'error',
    needs: 'redirects',
    finds: 'A redirect from https to http',
    reason: 'Others on the network can read and change the rest of the visit.',
    source: google('secure sites with HTTPS', 'advanced/security/https'),
    find: response =>
      among(
        downgradesOf(response),
        { many: 'A redirect leads from https to http.', remedy: 'Redirect to https only.' },
        ([from, to]) => `${from} to ${to}`,
      ),
  },
  {
    id: 'redirect/meta-refresh',
    severity: 'warning',
    finds: 'A meta refresh that leads to another URL',
    reason: 'It interrupts readers, breaks the back button, and some crawlers do not follow it.',
    source: wcag('2.2.1 Timing Adjustable (failure F40)', 'timing-adjustable'),
    find: ({ facts: { refresh }, page: { url } }) =>
      withSample(
        'The page redirects visitors with a meta refresh. Use an HTTP redirect.',
        refresh === url ? null : refresh,
      ),
  },
]

export const isSuccess = (status: number): boolean => status >= 200 && status < 300

const shownHop = ({ url, status }: AuditedResponse['context']['hops'][number]): string => `${status} ${url}`

/** Returns the redirects from https to http, as pairs of URLs. */
function downgradesOf({ context: { hops }, page }: AuditedResponse): [string, string][] {
  const urls = [...hops.map(({ url }) => url), page.url]
  return urls
    .slice(1)
    .map((to, at): [string, string] => [urls[at] ?? '', to])
    .filter(([from, to]) => from.startsWith('https:') && to.startsWith('http:'))
}
