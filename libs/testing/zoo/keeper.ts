/**
 * Opens the zoo: each site has its own loopback address, so that a crawler treats each as another host. A site costs
 * only a listening socket until a request arrives.
 */
import { once } from 'node:events'
import http, { type RequestListener } from 'node:http'
import https from 'node:https'
import net, { type AddressInfo, type Server, type Socket } from 'node:net'
import { startCanary } from '../origin-canary.ts'
import { selfSigned } from '../origin-certificate.ts'
import type { Site } from './site.ts'

export type OpenZoo = {
  /** The seed of the crawl of each site, by its name. */
  seeds: Record<string, string>
  /** The certificates in PEM, for clients that must trust them. */
  certificates: string
  /** Number of connections to the forbidden address. */
  forbiddenHits(): number
  close(): Promise<void>
}

/** Site `n` listens on `127.1.64.n`, and its twin on `127.1.65.n`. Rejects if an address is unavailable. */
export async function openZoo(sites: Site[]): Promise<OpenZoo> {
  const canary = await startCanary()
  const keeper = createKeeper(`http://127.0.0.1:${canary.port}`)
  const opened = await Promise.all(sites.map((site, n) => keeper.open(site, n + 1)))
  return {
    seeds: Object.fromEntries(opened),
    certificates: keeper.certificates.join(''),
    forbiddenHits: () => canary.hits,
    async close() {
      await Promise.all([keeper.close(), canary.close()])
    },
  }
}

function createKeeper(forbidden: string) {
  const certificates: string[] = []
  const servers: Server[] = []
  const sockets = new Set<Socket>()

  async function listen(server: Server, host: string): Promise<string> {
    servers.push(server)
    server.on('connection', (socket: Socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    })
    server.listen(0, host)
    await once(server, 'listening')
    return `${host}:${(server.address() as AddressInfo).port}`
  }

  async function listenTwin({ twin }: Site, host: string, answer: RequestListener): Promise<string> {
    if (twin === undefined) return ''
    if (twin === 'http') return `http://${await listen(http.createServer(answer), host)}`
    const pair = selfSigned([host])
    certificates.push(pair.cert)
    return `https://${await listen(https.createServer(pair, answer), host)}`
  }

  return {
    certificates,

    async open(site: Site, n: number): Promise<[name: string, seed: string]> {
      const { scheme = 'http', path = '/' } = site.seed ?? {}
      const origins = { home: '', twin: '', forbidden }
      const answer: RequestListener = (request, response) => serve(site, request, response, origins)
      const server = site.accept ? net.createServer(site.accept) : http.createServer(answer)
      const host = await listen(server, `127.1.64.${n}`)
      origins.home = `http://${host}`
      origins.twin = await listenTwin(site, `127.1.65.${n}`, answer)
      return [site.name, `${scheme}://${host}${path}`]
    },

    async close() {
      for (const socket of sockets) socket.destroy()
      await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))))
    },
  }
}

function serve(
  site: Site,
  request: http.IncomingMessage,
  response: http.ServerResponse,
  origins: { home: string; twin: string; forbidden: string },
): void {
  const url = new URL(request.url ?? '/', 'http://zoo.test')
  if (url.pathname === '/robots.txt' && !site.ownRobots) response.writeHead(404).end('no such file')
  else site.serve?.({ request, response, url, ...origins })
}
