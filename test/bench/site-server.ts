/**
 * `site-server.ts PAGES HOSTS [tls]`, forked: the generated site, gzipped in memory, on HOSTS loopback addresses and
 * one port, each with all pages. Sends its origins when it is ready, and its count of requests on each message. Ends
 * with its parent.
 */
import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { selfSigned } from '@tidemark/testing/origin-certificate'
import { pageHtml, pathOf, robotsTxt } from './site.ts'

/** The first message. */
export type Served = {
  origins: string[]
  /** HTML bytes of all pages. */
  bytes: number
  /** The certificate and its authority in PEM; null: plain HTTP. */
  certificate: string | null
}

const [pages, hosts] = process.argv.slice(2, 4).map(Number) as [number, number]
const addresses = Array.from(
  { length: hosts },
  (_, host) => `127.1.${Math.floor(host / 250)}.${(host % 250) + 1}`,
)
const tls = process.argv[4] === 'tls' ? selfSigned(addresses) : null
let bytes = 0
const bodies = new Map(
  Array.from({ length: pages }, (_, page) => {
    const html = Buffer.from(pageHtml(page, pages))
    bytes += html.length
    return [pathOf(page), gzipSync(html)]
  }),
)
let requests = 0

const answer: http.RequestListener = (request, response) => {
  requests++
  const body = bodies.get(request.url ?? '')
  const [status, type, bytes] = body
    ? [200, 'text/html; charset=utf-8', body]
    : request.url === '/robots.txt'
      ? [200, 'text/plain', gzipSync(robotsTxt)]
      : [404, 'text/plain', gzipSync('Not found.')]
  response.writeHead(status, {
    'content-type': type,
    'content-encoding': 'gzip',
    'content-length': bytes.length,
  })
  response.end(bytes)
}

process.on('message', () => process.send?.({ requests }))
process.on('disconnect', () => process.exit())
let port = 0
for (const address of addresses) port = await listen(address, port)
const scheme = tls ? 'https' : 'http'
process.send?.({
  origins: addresses.map(address => `${scheme}://${address}:${port}`),
  bytes,
  certificate: tls?.cert ?? null,
} satisfies Served)

async function listen(address: string, port: number): Promise<number> {
  const keepAliveTimeout = 60_000
  const server = tls
    ? https.createServer({ keepAliveTimeout, ...tls }, answer)
    : http.createServer({ keepAliveTimeout }, answer)
  server.listen(port, address)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
