/**
 * `slow-site-server.ts PAGES MS`, forked: small pages on 127.1.0.1, each answered after MS milliseconds. Sends its
 * address when it is ready, and ends with its parent.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { random } from './random.ts'

const linksPerPage = 8
const wordsPerPage = 120
const [pages = 0, answerMs = 0] = process.argv.slice(2).map(Number)

const pathOf = (page: number): string => (page === 0 ? '/' : `/notes-${page % 50}/${page}`)
const bodies = new Map(Array.from({ length: pages }, (_, page) => [pathOf(page), bodyOf(page)]))

/** Returns a page that links to its eight children in a tree of pages. */
function bodyOf(page: number): string {
  const next = random(page + 1)
  const words = Array.from({ length: wordsPerPage }, () => next(1e6).toString(36)).join(' ')
  const below = Array.from({ length: linksPerPage }, (_, n) => linksPerPage * page + n + 1)
  const links = below.filter(to => to < pages).map(to => `<li><a href="${pathOf(to)}">${to}</a></li>`)
  return `<!doctype html><title>Note ${page}</title><h1>Note ${page}</h1><p>${words}</p><ul>${links.join('')}</ul>`
}

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const body = bodies.get(request.url ?? '')
  response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' })
  setTimeout(() => response.end(body ?? 'Not found.'), answerMs)
})
process.on('disconnect', () => process.exit())
server.listen(0, '127.1.0.1', () => {
  process.send?.({ url: `http://127.1.0.1:${(server.address() as AddressInfo).port}/` })
})
