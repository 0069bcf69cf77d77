/** Redirects without a target, in a loop, to private addresses, or to schemes other than HTTP. */
import { page, redirect } from './answers.ts'
import { done, failed, type Site, type Visit } from './site.ts'

const circle = failed(/circle|too many/)

const landing = (to: (visit: Visit) => string) => (visit: Visit) =>
  visit.url.pathname === '/' ? redirect(visit, to(visit)) : page(visit, 'Landed', '<p>Here it is.')

/** A redirect to a URL that can never be fetched is stored as a page. */
const leadsNowhere = done(1)

const rows: Omit<Site, 'group'>[] = [
  { name: 'redirect-to-itself', serve: visit => redirect(visit, '/', 301), expect: circle },
  {
    name: 'redirect-between-two',
    serve: visit => redirect(visit, visit.url.pathname === '/' ? '/other' : '/', 307),
    expect: circle,
  },
  {
    name: 'redirect-chain-of-fifty',
    serve(visit) {
      const left = Number(visit.url.pathname.slice(1) || 50)
      if (left > 1) redirect(visit, `/${left - 1}`)
      else page(visit, 'The end', '<p>At last.')
    },
    expect: circle,
  },
  {
    name: 'redirect-ping-pong',
    twin: 'http',
    serve: visit => redirect(visit, `${isAtHome(visit) ? visit.twin : visit.home}/`),
    expect: circle,
  },
  { name: 'redirect-to-file', serve: visit => redirect(visit, 'file:///etc/passwd'), expect: leadsNowhere },
  {
    name: 'redirect-to-script',
    serve: visit => redirect(visit, 'javascript:alert(1)'),
    expect: leadsNowhere,
  },
  {
    name: 'redirect-to-data',
    serve: visit => redirect(visit, 'data:text/html,<a%20href="/x">x</a>'),
    expect: leadsNowhere,
  },
  {
    name: 'redirect-inside',
    serve: visit => redirect(visit, `${visit.forbidden}/latest/meta-data/`),
    expect: failed(/not a public one/),
  },
  {
    // A crawler ignores the header as a link. The element is a link to its own page.
    name: 'refresh-to-itself',
    serve(visit) {
      visit.response.setHeader('refresh', '0; url=/')
      page(visit, 'Wait', '<meta http-equiv="refresh" content="0; url=/"><p>Please wait.')
    },
    expect: done(1),
  },
  {
    name: 'redirect-with-line-break',
    serve(visit) {
      if (visit.request.headers['x-injected'] !== undefined) redirect(visit, '/')
      else landing(() => '/landed%0d%0aX-Injected:%201')(visit)
    },
    expect: done(1),
  },
  {
    name: 'redirect-without-scheme',
    serve: landing(({ home }) => `${home.slice('http:'.length)}/landed`),
    expect: done(1),
  },
  {
    name: 'redirect-flips-scheme',
    twin: 'https',
    serve: visit => redirect(visit, `${isAtHome(visit) ? visit.twin : visit.home}/`),
    expect: circle,
  },
]

export const redirects: Site[] = rows.map(row => ({ ...row, group: 'redirects' }))

const isAtHome = ({ request, home }: Visit): boolean => home.endsWith(`//${request.headers.host}`)
