/** A site whose pages have links to every kind of target: existing, missing, and misleading ones. */
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { listening } from '../listening.ts'

export type LinkSite = AsyncDisposable & {
  /** The base URL without a trailing slash. */
  url: string
  /** Requests as `HEAD /path`, in order of arrival, with the time in milliseconds of the process clock. */
  hits: { request: string; at: number }[]
  /** Number of requests for a path, with any method. */
  count(path: string): number
}

type Visit = { request: IncomingMessage; response: ServerResponse; nth: number; url: string }
type Page = (visit: Visit) => void | Promise<void>

/** Returns a page with this body. */
const html = (body: string, status = 200): Page => {
  const text = `<!doctype html><title>Links</title><body>${body}<p>${'Plain words for whoever reads. '.repeat(8)}`
  return ({ response }) =>
    void response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(text)
}

const redirect =
  (to: string, status = 302): Page =>
  ({ response }) =>
    void response.writeHead(status, { location: to }).end()

/** A short page with status 200 and its length, like those of bot protection. */
const challenge: Page = ({ response }) => {
  const body = Buffer.from('<html><body><iframe src="/_Incapsula_Resource?x=1"></iframe></body></html>')
  response.writeHead(200, { 'content-type': 'text/html', 'content-length': body.length }).end(body)
}

const wall: Page = ({ response }) =>
  void response.writeHead(403, { 'cf-mitigated': 'challenge' }).end('<title>Just a moment...</title>')

/** Responds differently to the first requests. */
const atFirst =
  (times: number, first: Page, then: Page): Page =>
  visit =>
    (visit.nth <= times ? first : then)(visit)

const toHead =
  (head: Page, get: Page): Page =>
  visit =>
    (visit.request.method === 'HEAD' ? head : get)(visit)

const throttle =
  (seconds: number): Page =>
  ({ response }) =>
    void response.writeHead(429, { 'retry-after': String(seconds) }).end()

const there = html('Here.')
const robots = 'User-agent: *\nDisallow: /closed/\n'

/** The responses by path. `/status/<n>` responds with that status. Other paths are 404. */
const pages: Record<string, Page> = {
  '/robots.txt': ({ response }) => void response.writeHead(200, { 'content-type': 'text/plain' }).end(robots),
  '/ok': there,
  '/moved': redirect('/ok', 301),
  '/chain': redirect('/moved'),
  '/loop': redirect('/loop-back'),
  '/loop-back': redirect('/loop'),
  '/nowhere': redirect('mailto:nobody@example.com'),
  '/to-closed': redirect('/closed/page'),
  '/closed/page': there,
  '/inward': redirect('http://10.0.0.1/'),
  '/flaps': atFirst(2, html('Down.', 503), there),
  '/throttles': atFirst(1, throttle(1), there),
  '/no-head': toHead(html('', 405), there),
  '/head-lies': toHead(html('', 404), there),
  '/head-drops': toHead(({ request }) => void request.socket.destroy(), there),
  '/drops': ({ request }) => void request.socket.destroy(),
  '/challenge': challenge,
  '/wall': wall,
  '/docs': html('<h2 id=install>Install</h2><a name="old name">Old</a><i id="user-content-readme"></i>'),
  '/slow': async visit => {
    await sleep(1_500)
    await there(visit)
  },
  '/picture.png': ({ response }) => void response.writeHead(200, { 'content-type': 'image/png' }).end('png'),
  '/app': ({ response }) =>
    void response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<body><div id="root"></div><script type="module" src="/app.js"></script>'),
}

/** Starts the site on this address and a free port. */
export async function startLinkSite(host: string, more: Record<string, Page> = {}): Promise<LinkSite> {
  const hits: LinkSite['hits'] = []
  const served: Record<string, Page> = { ...pages, ...more }
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site.test')
    hits.push({ request: `${request.method} ${pathname}`, at: performance.now() })
    const [, name, status] = pathname.split('/')
    const page = name === 'status' ? html('Told.', Number(status)) : (served[pathname] ?? html('No.', 404))
    void page({ request, response, nth: count(pathname), url: site.url })
  })
  const count = (path: string) => hits.filter(({ request }) => request.endsWith(` ${path}`)).length
  const site: LinkSite = { ...(await listening(server, host)), hits, count }
  return site
}

export { html as pageOf }
