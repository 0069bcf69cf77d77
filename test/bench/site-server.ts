/**
 * `site-server.ts PAGES`, forked: the generated site, gzipped in memory, on 127.1.0.1. Sends its address when it is
 * ready, and its count of requests on each message. Ends with its parent.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { pageHtml, pathOf, robotsTxt } from './site.ts'

const address = '127.1.0.1'
const pages = Number(process.argv[2])
const bodies = new Map(
  Array.from({ length: pages }, (_, page) => [pathOf(page), gzipSync(pageHtml(page, pages))]),
)
let requests = 0

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
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
})

process.on('message', () => process.send?.({ requests }))
process.on('disconnect', () => process.exit())
server.listen(0, address, () => {
  process.send?.({ url: `http://${address}:${(server.address() as AddressInfo).port}/` })
})
