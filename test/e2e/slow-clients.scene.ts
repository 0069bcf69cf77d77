/** Slow clients: each is a socket that sends given texts and reads little or nothing. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import net from 'node:net'

export type SlowClient = {
  socket: net.Socket
  /** The client's own port. */
  port: number
  /** The beginning of the response. */
  received: string
  openedAt: number
  /** Null while the connection is open. */
  closedAt: number | null
}

export type Behaviour = {
  /** Sent on connect. */
  first: string
  /** Sent once per second. */
  drip?: string
  /** Reads nothing from the socket. */
  readsNothing?: boolean
}

const dripMs = 1_000

/** Opens the clients and resolves once all are connected. */
export async function openSlowClients(
  port: number,
  count: number,
  { first, drip, readsNothing = false }: Behaviour,
): Promise<SlowClient[]> {
  const clients = Array.from({ length: count }, (): SlowClient => {
    const socket = net.connect(port, '127.0.0.1')
    const client: SlowClient = { socket, port: 0, received: '', openedAt: performance.now(), closedAt: null }
    const dripping = drip && setInterval(() => socket.write(drip), dripMs)
    socket.on('error', () => {}) // 'close' follows
    socket.on('connect', () => (client.port = socket.localPort ?? 0))
    socket.on('close', () => {
      clearInterval(dripping || undefined)
      client.closedAt ??= performance.now()
    })
    if (readsNothing) socket.pause()
    else socket.on('data', data => (client.received += client.received.length < 500 ? data : ''))
    socket.write(first)
    return client
  })
  await Promise.all(
    clients.map(({ socket, closedAt }) => closedAt ?? (socket.connecting && once(socket, 'connect'))),
  )
  return clients
}

/**
 * Checks the connections in /proc/net/tcp (proc_pid_net(5)), because a client that reads nothing does not notice that
 * the server has closed its end.
 */
export async function areAllClosed(clients: readonly SlowClient[], port: number): Promise<boolean> {
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n').slice(1)
  const established = new Set<number>()
  for (const line of lines) {
    const [, local = '', remote = '', state] = line.trim().split(/\s+/)
    if (state === '01' && portOf(local) === port) established.add(portOf(remote))
  }
  for (const client of clients) if (!established.has(client.port)) client.closedAt ??= performance.now()
  return clients.every(({ closedAt }) => closedAt !== null)
}

const portOf = (address: string): number => Number.parseInt(address.split(':')[1] ?? '', 16)

/** Returns the seconds until the last of the clients was closed. */
export const longestOpen = (clients: readonly SlowClient[]): number =>
  Math.max(...clients.map(({ openedAt, closedAt }) => ((closedAt ?? Infinity) - openedAt) / 1000))

/** Returns the number of clients by status of the response; `none` is without a response. */
export function answersOf(clients: readonly SlowClient[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { received } of clients) {
    const status = /^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 'none'
    counts[status] = (counts[status] ?? 0) + 1
  }
  return counts
}
