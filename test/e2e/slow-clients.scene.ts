/** Clients that take their time, or ours: each is a socket that sends what it is told to, and reads nothing or little. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import net from 'node:net'

export type SlowClient = {
  socket: net.Socket
  /** Its own. */
  port: number
  /** The beginning of what it was answered. */
  heard: string
  openedAt: number
  /** Null while the connection is open. */
  closedAt: number | null
}

export type Behaviour = {
  /** Sent at once. */
  first: string
  /** Sent once a second. */
  drip?: string
  /** Takes nothing of what it is sent. */
  isDeaf?: boolean
}

const dripMs = 1_000

/** So many of them, once all are connected. */
export async function openSlowClients(
  port: number,
  count: number,
  { first, drip, isDeaf = false }: Behaviour,
): Promise<SlowClient[]> {
  const clients = Array.from({ length: count }, (): SlowClient => {
    const socket = net.connect(port, '127.0.0.1')
    const client: SlowClient = { socket, port: 0, heard: '', openedAt: performance.now(), closedAt: null }
    const dripping = drip && setInterval(() => socket.write(drip), dripMs)
    socket.on('error', () => {}) // closes after it
    socket.on('connect', () => (client.port = socket.localPort ?? 0))
    socket.on('close', () => {
      clearInterval(dripping || undefined)
      client.closedAt ??= performance.now()
    })
    if (isDeaf) socket.pause()
    else socket.on('data', data => (client.heard += client.heard.length < 500 ? data : ''))
    socket.write(first)
    return client
  })
  await Promise.all(
    clients.map(({ socket, closedAt }) => closedAt ?? (socket.connecting && once(socket, 'connect'))),
  )
  return clients
}

/** Who reads nothing does not notice that the server has closed its end: that is looked up (proc_pid_net(5)). */
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

/** Seconds until the last of them was closed. */
export const longestOpen = (clients: readonly SlowClient[]): number =>
  Math.max(...clients.map(({ openedAt, closedAt }) => ((closedAt ?? Infinity) - openedAt) / 1000))

/** How many were answered how, by status; `none` without an answer. */
export function answersOf(clients: readonly SlowClient[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { heard } of clients) {
    const status = /^HTTP\/1\.1 (\d{3})/.exec(heard)?.[1] ?? 'none'
    counts[status] = (counts[status] ?? 0) + 1
  }
  return counts
}
