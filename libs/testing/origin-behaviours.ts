/**
 * Misbehaviours of a site, by the first part of the path: `/redirect-chain/3` is the row `redirect-chain` with the
 * argument `3`. Rows that break HTTP write to the raw socket, and leave no connection open that a client could use
 * again. Timers end with their connection.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import zlib from 'node:zlib'

export type Visit = {
  request: IncomingMessage
  response: ServerResponse
  argument: string
  query: URLSearchParams
}

export type Behaviour = (visit: Visit) => void

const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n'
const page = `<!doctype html><title>A page</title>${'<p>Plain words, and enough of them to be worth packing.'.repeat(20)}`
const dripMs = 50
const bombBytes = 64 * 1_048_576

export const behaviours: Record<string, Behaviour> = {
  // Slow
  'never-answers': () => {},
  'header-drip': visit => raw(visit, `${head}x-drip: `).every(dripMs, 'a'),
  'body-drip': visit => raw(visit, `${head}content-length: 1000000\r\n\r\n`).every(dripMs, 'a'),
  'stalls-at-99': visit => raw(visit, `${head}content-length: 100\r\n\r\n${'a'.repeat(99)}`),
  'interim-forever': visit => raw(visit, '').every(1, 'HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n'),
  slow: ({ response, argument }) => after(response, Number(argument), () => response.end(page)),

  // Interim responses before the page, by their statuses: `/interim/100-103`
  interim: visit => {
    raw(visit, interimHeads(visit.argument))
    visit.response.end(page)
  },
  'interim-crumbs': ({ request: { socket }, response, argument }) => {
    const crumbs = [...interimHeads(argument), ...`${head}content-length: ${page.length}\r\n\r\n`]
    const timer = setInterval(() => {
      const crumb = crumbs.shift()
      if (crumb !== undefined) return void socket.write(crumb)
      clearInterval(timer)
      socket.end(page)
    }, 1)
    response.once('close', () => clearInterval(timer))
  },
  'interim-in-body': ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/html', 'content-length': interimText.length * 2 })
    response.write(interimText)
    after(response, dripMs, () => response.end(interimText))
  },

  // Cut short
  'accepts-and-closes': ({ request }) => request.socket.end(),
  'resets-mid-body': visit => raw(visit, `${head}content-length: 1000\r\n\r\nhalf of it`).reset(),
  'lying-length-short': visit => raw(visit, `${head}content-length: 10\r\n\r\n${'a'.repeat(100)}`).end(),
  'lying-length-long': visit => raw(visit, `${head}content-length: 1000\r\n\r\n${'a'.repeat(100)}`).end(),
  'lying-length-negative': visit => raw(visit, `${head}content-length: -5\r\n\r\naaaaa`).end(),
  'lying-length-two': visit =>
    raw(visit, `${head}content-length: 5\r\ncontent-length: 6\r\n\r\naaaaaa`).end(),
  'chunk-cut': visit => raw(visit, `${head}transfer-encoding: chunked\r\n\r\n5\r\naaaaa\r\n`).end(),
  'until-close': visit => raw(visit, `${head}connection: close\r\n\r\n${page}`).end(),
  'not-http': visit => raw(visit, '220 mail.example ESMTP\r\n').end(),
  'once-a-connection': ({ request, response }) =>
    isFirst(request.socket) ? response.end(page) : request.socket.end(),

  // Large
  endless: ({ response }) => pour(response, Buffer.alloc(65_536, 'a')),
  'endless-crumbs': visit =>
    flood(raw(visit, `${head}transfer-encoding: chunked\r\n\r\n`).socket, '1\r\na\r\n'),
  'many-headers': visit =>
    visit.response.writeHead(200, { 'x-one': Array<string>(countOr(visit, 5_000)).fill('more') }).end(),
  'huge-header': visit => raw(visit, `${head}x-huge: ${'a'.repeat(countOr(visit, 1_048_576))}\r\n\r\n`),
  'gzip-bomb': ({ response }) => encoded(response, 'gzip', bomb('gzip')),
  'brotli-bomb': ({ response }) => encoded(response, 'br', bomb('br')),
  'zstd-bomb': ({ response }) => encoded(response, 'zstd', bomb('zstd')),

  // Encoded
  plain: ({ response }) => response.end(page),
  gzip: ({ response }) => encoded(response, 'gzip', zlib.gzipSync(page)),
  'gzip-trailing-garbage': ({ response }) =>
    encoded(response, 'gzip', Buffer.concat([zlib.gzipSync(page), Buffer.from('<!-- cached -->')])),
  brotli: ({ response }) => encoded(response, 'br', zlib.brotliCompressSync(page)),
  zstd: ({ response }) => encoded(response, 'zstd', zlib.zstdCompressSync(page)),
  deflate: ({ response }) => encoded(response, 'deflate', zlib.deflateSync(page)),
  'raw-deflate': ({ response }) => encoded(response, 'deflate', zlib.deflateRawSync(page)),
  'stacked-encodings': visit => stacked(visit.response, countOr(visit, 5)),

  // Redirects
  'redirect-loop': ({ response, argument }) =>
    redirect(response, 302, `/redirect-loop/${argument === 'a' ? 'b' : 'a'}`),
  'redirect-chain': ({ response, argument }) =>
    Number(argument) > 0
      ? redirect(response, 302, `/redirect-chain/${Number(argument) - 1}`)
      : response.end(page),
  'redirect-to': ({ response, query }) =>
    redirect(response, Number(query.get('status') ?? 302), query.get('url') ?? '/plain'),
  'redirect-drip': visit =>
    raw(visit, 'HTTP/1.1 302 Found\r\nlocation: /plain\r\ncontent-length: 999\r\n\r\n'),

  // Versions of a page: a conditional request does not receive the page again
  versioned: ({ request, response }) => versioned(response, request.headers['if-none-match'] === version),
  'versioned-strictly': ({ request, response }) =>
    'if-none-match' in request.headers ? response.writeHead(412).end(page) : versioned(response, false),

  // Browser checks: a page for clients with the cookie that its script sets after the given milliseconds
  'cookie-check': visit => cookieCheck(visit),
  // A page for clients with the cookie that a redirect to another URL and back sets
  'cookie-bounce': visit => cookieBounce(visit),

  // Plain facts
  status: ({ response, argument }) => response.writeHead(Number(argument)).end(page),
  'retry-later': ({ response, argument }) =>
    response.writeHead(Number(argument), { 'retry-after': '7' }).end(),
  'echo-headers': ({ request, response }) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(request.headers)),
  echo: ({ request, response }) => request.pipe(response),
}

/** Half of the body of `/interim-in-body`. It looks like response heads, also at the start of a packet. */
export const interimText = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n'

const interimHeads = (statuses: string): string =>
  statuses
    .split('-')
    .map(status => `HTTP/1.1 ${status} Wait\r\n${status === '103' ? 'link: </a.css>\r\n' : ''}\r\n`)
    .join('')

/** The decoded text of the rows under "Encoded". */
export const decodedPage = page

const countOr = ({ argument }: Visit, otherwise: number) => (argument === '' ? otherwise : Number(argument))

/** Writes bytes past the HTTP server. */
function raw({ request }: Visit, bytes: string) {
  const { socket } = request
  if (bytes !== '') socket.write(bytes, 'latin1')
  return {
    socket,
    end: () => void socket.end(),
    reset: () => void setTimeout(() => socket.resetAndDestroy(), dripMs),
    every(ms: number, piece: string) {
      const timer = setInterval(() => socket.write(piece), ms)
      socket.once('close', () => clearInterval(timer))
    },
  }
}

function after(response: ServerResponse, ms: number, act: () => void) {
  const timer = setTimeout(act, ms)
  response.once('close', () => clearTimeout(timer))
}

/** Writes as fast as the client reads, without end. */
function pour(response: ServerResponse, piece: Buffer) {
  const more = () => {
    while (!response.destroyed && response.write(piece));
  }
  response.on('drain', more)
  more()
}

function flood(socket: Socket, crumb: string) {
  const piece = crumb.repeat(10_000)
  const more = () => {
    while (!socket.destroyed && socket.write(piece));
  }
  socket.on('drain', more)
  more()
}

const version = 'W/"1"'

function versioned(response: ServerResponse, isKnown: boolean) {
  const validators = { etag: version, 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' }
  if (isKnown) response.writeHead(304, validators).end()
  else response.writeHead(200, { 'content-type': 'text/html', ...validators }).end(page)
}

/**
 * Serves a browser check. The first response is configurable: `?status=200` and `?title=…`. With `?silent` the script
 * replaces the text of the page, including itself.
 */
function cookieCheck({ request, response, argument, query }: Visit) {
  const html = { 'content-type': 'text/html; charset=utf-8' }
  if (/\bpassed=1/.test(request.headers.cookie ?? ''))
    return response.writeHead(200, { ...html, 'content-signal': 'search=yes' }).end(page)
  const vanish = query.has('silent') ? "document.body.textContent = 'Wait'" : ''
  const script = `${vanish}
    setTimeout(() => { document.cookie = 'passed=1; path=/'; location.reload() }, ${Number(argument)})`
  response
    .writeHead(Number(query.get('status') ?? 403), html)
    .end(`<!doctype html><title>${query.get('title') ?? 'Wait'}</title><body>Wait<script>${script}</script>`)
}

function cookieBounce({ request, response, argument }: Visit) {
  if (argument === 'set')
    response.writeHead(302, { 'set-cookie': 'seen=1; Path=/', location: '/cookie-bounce' }).end()
  else if (/\bseen=1/.test(request.headers.cookie ?? ''))
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
  else redirect(response, 302, '/cookie-bounce/set')
}

const redirect = (response: ServerResponse, status: number, location: string) =>
  response.writeHead(status, { location: asField(location) }).end('moved')

// UTF-8 unchanged, without characters that would end the line.
const asField = (text: string) =>
  Buffer.from(text)
    .toString('latin1')
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, '')

const encoded = (response: ServerResponse, encoding: string, body: Buffer) =>
  response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': encoding }).end(body)

function stacked(response: ServerResponse, times: number) {
  let body = Buffer.from(page)
  for (let time = 0; time < times; time++) body = zlib.gzipSync(body)
  encoded(response, Array(times).fill('gzip').join(', '), body)
}

const packers = {
  gzip: (bytes: Buffer) => zlib.gzipSync(bytes),
  br: (bytes: Buffer) =>
    zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: (bytes: Buffer) => zlib.zstdCompressSync(bytes),
}

const bombs = new Map<string, Buffer>()

function bomb(kind: keyof typeof packers): Buffer {
  const made = bombs.get(kind) ?? packers[kind](Buffer.alloc(bombBytes))
  bombs.set(kind, made)
  return made
}

const seen = new WeakSet<Socket>()

function isFirst(socket: Socket): boolean {
  if (seen.has(socket)) return false
  seen.add(socket)
  return true
}
