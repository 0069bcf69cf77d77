/** Serves the sample handbook at a free port on loopback, until the first crawl has ended. */
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { samplePages } from './sample-pages.ts'

export type SampleSite = { url: string; host: string; close(): Promise<void> }

const redirects: Record<string, string> = { '/tide-table': '/almanac/january/', '/harbor/': '/harbour/' }

export async function startSampleSite(): Promise<SampleSite> {
  const server = http.createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const pages = await samplePages(`http://${host}`)
  server.on('request', (request, response) => {
    const path = URL.parse(request.url ?? '/', 'http://sample')?.pathname ?? '/'
    const target = redirects[path]
    const page = pages.get(path)
    if (target !== undefined) response.writeHead(301, { location: target }).end()
    else if (page === undefined)
      response.writeHead(404, { 'content-type': 'text/html; charset=utf-8' }).end(pages.get('/404'))
    else response.writeHead(200, { 'content-type': typeOf(path) }).end(page)
  })
  return { url: `http://${host}/`, host, close }

  async function close(): Promise<void> {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
}

const types: Record<string, string> = { txt: 'text/plain', css: 'text/css', xml: 'application/xml' }

const typeOf = (path: string) => `${types[path.split('.').at(-1) ?? ''] ?? 'text/html'}; charset=utf-8`
