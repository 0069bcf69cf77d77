/**
 * Responses of the zoo's sites. Small pages are sent at once, large pages in chunks as fast as the client reads them,
 * and malformed responses directly to the socket.
 */
import type { OutgoingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { Visit } from './site.ts'

type Piece = string | Buffer

const nouns = 'harbour moon ferry lamp gull rope anchor tide pier fog net oar'.split(' ')
const verbs = 'follows meets leaves hides finds carries loses paints turns crosses'.split(' ')

/** Returns a paragraph that no other path of a site has, so that its page is no copy of another. */
export function ownText(path: string): string {
  let seed = Buffer.from(path).reduce((sum, byte) => (Math.imul(sum, 31) + byte) | 0, 7)
  const one = (words: readonly string[]) => {
    seed = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) + 1
    return words[(seed >>> 8) % words.length]
  }
  const sentences = Array.from({ length: 8 }, () => `the ${one(nouns)} ${one(verbs)} the ${one(nouns)}`)
  return `<p>This is ${path}: ${sentences.join(', ')}.`
}

/** A small HTML page. */
export function page({ response }: Visit, title: string, body: string, status = 200): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' })
  response.end(`<!doctype html><title>${title}</title><body>${body}`)
}

export const links = (hrefs: string[]): string =>
  hrefs.map(href => `<a href="${href}">${href}</a> `).join('\n')

export const redirect = ({ response }: Visit, location: string, status = 302): void =>
  void response.writeHead(status, { location }).end('moved')

/** Sends a response of any length that is generated while it is read, so that only the unsent part is in memory. */
export function stream(
  { response }: Visit,
  pieces: Iterable<Piece>,
  headers: OutgoingHttpHeaders = {},
): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers })
  Readable.from(pieces, { objectMode: true }).pipe(response)
}

/** Sends bytes past the HTTP server. The connection can serve nothing else afterwards. */
export function raw({ request }: Visit, bytes: string) {
  const { socket } = request
  socket.write(bytes, 'latin1')
  return {
    stay: () => {},
    end: () => void socket.end(),
    reset: () => void setTimeout(() => socket.resetAndDestroy(), 20),
    pour: (pieces: Iterable<Piece>) => void Readable.from(pieces, { objectMode: true }).pipe(socket),
    every(ms: number, piece: string) {
      const timer = setInterval(() => socket.write(piece), ms)
      socket.once('close', () => clearInterval(timer))
    },
  }
}

/** Yields the piece `count` times; without a count endlessly. */
export function* times<T>(piece: T, count = Number.POSITIVE_INFINITY): Generator<T> {
  for (let n = 0; n < count; n++) yield piece
}

/** Yields `text` `count` thousand times, in pieces of a thousand. */
export const thousands = (text: string, count: number): Iterable<string> => times(text.repeat(1000), count)

/** Yields one text for each number below `count`. */
export function* numbered(count: number, text: (n: number) => string): Generator<string> {
  const lot = 500
  for (let from = 0; from < count; from += lot) {
    yield Array.from({ length: Math.min(lot, count - from) }, (_, n) => text(from + n)).join('')
  }
}

/** Yields the parts one after the other. */
export function* series(...parts: (Piece | Iterable<Piece>)[]): Generator<Piece> {
  for (const part of parts) {
    if (typeof part === 'string' || Buffer.isBuffer(part)) yield part
    else yield* part
  }
}
