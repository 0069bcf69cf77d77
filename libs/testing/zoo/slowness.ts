/** Sites that are slow, stop half-way, or disconnect. */
import { links, page, raw } from './answers.ts'
import { done, failed, type Site, type Visit } from './site.ts'

const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n'
const late = failed(/did not respond in time/)
const broken = failed(/not valid HTTP/)

const rows: Omit<Site, 'group'>[] = [
  { name: 'never-answers', serve: () => {}, expect: late },
  { name: 'header-drip', serve: visit => raw(visit, `${head}x-drip: `).every(50, 'a'), expect: late },
  {
    name: 'body-drip',
    serve: visit => raw(visit, `${head}transfer-encoding: chunked\r\n\r\n`).every(50, '1\r\na\r\n'),
    expect: late,
  },
  {
    name: 'stalls-near-the-end',
    serve: visit => raw(visit, `${head}content-length: 100000\r\n\r\n${'a'.repeat(99_000)}`).stay(),
    expect: late,
  },
  {
    name: 'byte-a-second',
    serve: visit => raw(visit, `${head}content-length: 3600\r\n\r\n`).every(1000, 'a'),
    expect: late,
  },
  { name: 'hangs-up', serve: ({ request }) => void request.socket.end(), expect: broken },
  {
    name: 'resets-half-way',
    serve: visit => raw(visit, `${head}content-length: 1000\r\n\r\nhalf of it`).reset(),
    expect: broken,
  },
  {
    name: 'handshake-stalls',
    accept: socket => void socket.on('data', () => {}),
    seed: { scheme: 'https' },
    crawl: { respect_robots: false },
    expect: late,
  },
  { name: 'resets-when-reused', serve: onceAConnection, expect: done(6) },
  {
    // None of these responses is final. The client may report a timeout or a protocol error.
    name: 'continue-forever',
    serve: visit => raw(visit, '').every(5, 'HTTP/1.1 100 Continue\r\n\r\n'),
    expect: failed(/not valid HTTP|did not respond in time/),
  },
]

export const slowness: Site[] = rows.map(row => ({ ...row, group: 'slowness' }))

const used = new WeakSet<object>()

/** Keeps the connection open after the first response, and resets it at the next request. */
function onceAConnection(visit: Visit): void {
  const { socket } = visit.request
  if (used.has(socket)) return void socket.resetAndDestroy()
  used.add(socket)
  const { pathname } = visit.url
  const hrefs = pathname === '/' ? ['/1', '/2', '/3', '/4', '/5'] : []
  page(visit, pathname, `<p>Page ${pathname}.</p>${links(hrefs)}`)
}
