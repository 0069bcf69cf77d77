/** A fake vendor and search engine, which misbehave depending on the request. */
import http from 'node:http'
import { text } from 'node:stream/consumers'
import { listening } from '@tidemark/testing/listening'

type Body = Record<string, unknown>
type Misbehave = (response: http.ServerResponse) => void

export type StubVendor = AsyncDisposable & {
  url: string
  requested: { path: string; key: string | undefined; body: Body }[]
}

const json = (response: http.ServerResponse, value: unknown, status = 200, headers = {}) =>
  void response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify(value))

const faults: Record<string, Misbehave> = {
  '401': response => json(response, { error: 'unauthorized' }, 401),
  '402': response => json(response, { error: 'no credits' }, 402),
  '429': response => json(response, { error: 'slow down' }, 429, { 'retry-after': '7' }),
  '500': response => void response.writeHead(500).end('<h1>Oops</h1>'),
  html: response => void response.writeHead(200).end('<html>'),
  list: response => json(response, []),
  odd: response => json(response, [{ status: 'ok', content: { a: 1 } }]),
  none: response => json(response, [{ status: 0, content: null, error: 'unreachable' }]),
  slow() {},
  drips(response) {
    response.writeHead(200)
    const timer = setInterval(() => response.write(' '), 20)
    response.once('close', () => clearInterval(timer))
  },
  endless(response) {
    response.writeHead(200, { 'content-type': 'application/json' }).write('[{"content":"')
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    }
    response.on('drain', more)
    more()
  },
  redirect: response => void response.writeHead(302, { location: '/elsewhere' }).end(),
}

/** Returns the word after `fault=` in the request. */
const faultIn = (text: string): Misbehave | undefined => faults[/fault=(\w+)/.exec(text)?.[1] ?? '']

export async function startVendor(key: string): Promise<StubVendor> {
  const requested: StubVendor['requested'] = []
  const server = http.createServer(async (request, response) => {
    const body: Body = JSON.parse((await text(request)) || '{}')
    const path = request.url ?? ''
    requested.push({ path, key: request.headers.authorization, body })
    if (request.headers.authorization !== `Bearer ${key}`) return faults['401']?.(response)
    const fault = faultIn(`${body.url ?? body.search ?? ''}`)
    if (fault) return fault(response)
    if (path === '/data/credits') return json(response, { data: { credits: 53_210 } })
    if (path === '/search')
      return json(response, { content: hits(1, 'description'), costs: { total_cost: 0.002 } })
    json(response, [pageFor(body)])
  })
  return { ...(await listening(server)), requested }
}

const pageFor = ({ url }: Body) => ({
  url: `${url}?seen`,
  status: 203,
  content: '<p>Grüße</p>',
  error: null,
  headers: { 'Content-Type': 'text/html; charset=latin1', 'CF-Mitigated': 'none', 'x-odd': 3 },
  costs: { total_cost: 0.00031 },
})

const pageOfHits = 20

/** Returns results, some of them invalid or repeated. */
const hits = (page: number, snippet: string) => [
  { url: 'javascript:alert(1)', title: 'No' },
  { url: 'https://same.test/#one', title: 'Same' },
  null,
  ...Array.from({ length: pageOfHits }, (_, n) => {
    const at = (page - 1) * pageOfHits + n + 1
    return {
      url: `https://site.test/${at}`,
      title: ` Page\n ${at} `,
      [snippet]: n % 2 === 0 ? `About ${at}` : '',
    }
  }),
]

export async function startSearchEngine(): Promise<AsyncDisposable & { url: string; requested: URL[] }> {
  const requested: URL[] = []
  const server = http.createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://engine.test')
    requested.push(url)
    const { q = '', pageno = '1', format } = Object.fromEntries(url.searchParams)
    const fault = faultIn(q)
    if (fault) return fault(response)
    if (format !== 'json') return void response.writeHead(403).end()
    json(response, { results: Number(pageno) > 2 ? [] : hits(Number(pageno), 'content') })
  })
  return { ...(await listening(server)), requested }
}
