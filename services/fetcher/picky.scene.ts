/** A TLS site that admits browsers only, by the ClientHello and the order of header fields. */
import { once } from 'node:events'
import http2 from 'node:http2'
import net from 'node:net'
import { listening } from '@tidemark/testing/listening'

/** The fields of a ClientHello (RFC 8446, 4.1.2) for a fingerprint: numbers in their order. */
export type Greeting = { ciphers: number[]; extensions: number[] }

export type PickySite = AsyncDisposable & { url: string; greetings: Greeting[] }

/** The criterion for a browser: its ClientHello, or the form of its first request. */
export type Picks = 'greeting' | 'order'

const host = '127.1.0.31'
/** Extensions for compressed certificates and Encrypted Client Hello. Browsers offer both, programs hardly ever. */
const ofBrowsers = [27, 65_037]
/** Order of the pseudo-header fields of the two browsers. */
const ordersOfBrowsers = [':method,:authority,:scheme,:path', ':method,:path,:authority,:scheme']

export async function startPickySite(
  certificate: { key: string; cert: string },
  picks: Picks,
): Promise<PickySite> {
  const greetings: Greeting[] = []
  const byPort = new Map<number | undefined, Greeting>()
  const secure = http2.createSecureServer({ ...certificate, allowHTTP1: true })
  secure.on('request', (request, response) => {
    const greeting = byPort.get(request.socket.remotePort)
    const names = request.rawHeaders.filter((_, at) => at % 2 === 0)
    const pseudo = names.filter(name => name.startsWith(':')).join()
    const isLikeOne =
      picks === 'greeting'
        ? ofBrowsers.every(extension => greeting?.extensions.includes(extension))
        : ordersOfBrowsers.includes(pseudo) && names.indexOf('user-agent') < names.indexOf('accept-encoding')
    response.writeHead(isLikeOne ? 200 : 403, { 'content-type': 'text/html' })
    response.end(isLikeOne ? '<title>Welcome</title>' : '<title>Robots stay out</title>')
  })
  const front = net.createServer(async socket => {
    socket.on('error', () => {})
    const [hello] = (await once(socket, 'data')) as [Buffer]
    const greeting = readGreeting(hello)
    greetings.push(greeting)
    byPort.set(socket.remotePort, greeting)
    socket.pause()
    socket.unshift(hello)
    secure.emit('connection', socket)
  })
  const { port } = await listening(front, host)
  return {
    url: `https://${host}:${port}`,
    greetings,
    [Symbol.asyncDispose]: async () => {
      front.close()
      secure.close()
    },
  }
}

/** Parses the first TLS record of a connection, as far as it has arrived. */
function readGreeting(record: Buffer): Greeting {
  const sessionAt = 5 + 4 + 2 + 32
  const ciphersAt = sessionAt + 1 + record.readUInt8(sessionAt)
  const ciphersEnd = ciphersAt + 2 + record.readUInt16BE(ciphersAt)
  const ciphers: number[] = []
  for (let at = ciphersAt + 2; at < ciphersEnd; at += 2) ciphers.push(record.readUInt16BE(at))
  const extensions: number[] = []
  let at = ciphersEnd + 1 + record.readUInt8(ciphersEnd) + 2
  while (at + 4 <= record.length) {
    extensions.push(record.readUInt16BE(at))
    at += 4 + record.readUInt16BE(at + 2)
  }
  return { ciphers, extensions }
}
