/**
 * `endless-site-server.ts LINKS`, forked: a site without end on 127.1.0.1. Each small page has LINKS links to pages
 * that no other page links to. Pages are generated per request. Sends its address when it is ready, and ends with its
 * parent.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { random } from './random.ts'

const links = Number(process.argv[2])
const wordsPerPage = 120

const pathOf = (page: number): string => (page === 0 ? '/' : `/notes-${page % 50}/${page}`)

function htmlOf(page: number): string {
  const next = random(page + 1)
  const words = Array.from({ length: wordsPerPage }, () => next(1e6).toString(36)).join(' ')
  const below = Array.from({ length: links }, (_, n) => links * page + n + 1)
  const list = below.map(to => `<li><a href="${pathOf(to)}">${to}</a></li>`).join('')
  return `<!doctype html><title>Note ${page}</title><h1>Note ${page}</h1><p>${words}</p><ul>${list}</ul>`
}

const server = createServer({ keepAliveTimeout: 60_000 }, ({ url = '' }, response) => {
  const page = Number(/^\/(?:notes-\d+\/(\d+))?$/.exec(url)?.[1] ?? (url === '/' ? 0 : Number.NaN))
  response.writeHead(Number.isNaN(page) ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' })
  response.end(Number.isNaN(page) ? 'Not found.' : htmlOf(page))
})
process.on('disconnect', () => process.exit())
server.listen(0, '127.1.0.1', () => {
  process.send?.({ url: `http://127.1.0.1:${(server.address() as AddressInfo).port}/` })
})
