/** Finds ports on which a server can listen. */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'

/** The range of the chosen ports ends below that of outgoing connections (Linux: from 32,768; macOS: from 49,152). */
const lowestPort = 16_384
const portCount = 16_384

/**
 * Returns free ports of an address of this machine. It chooses them below the range of outgoing connections, so that no
 * connection takes one before its server starts or restarts. As long as this process lives, no other one is given any of
 * them.
 */
export async function freePorts(count: number, host = '127.0.0.1'): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = lowestPort + randomInt(portCount)
    if ((await isFree(port, host)) && (await claim(port))) ports.add(port)
  }
  return [...ports]
}

/**
 * Claims a port until this process ends, by a socket with an abstract name. Returns false if the port was claimed before.
 * Only Linux has these names: elsewhere nothing is claimed.
 */
async function claim(port: number): Promise<boolean> {
  const server = net.createServer().unref()
  try {
    await once(server.listen(`\0tidemark-port-${port}`), 'listening')
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EADDRINUSE'
  }
}

/** Returns whether a server can listen on this port. */
export async function isFree(port: number, host: string): Promise<boolean> {
  const server = net.createServer()
  try {
    await once(server.listen(port, host), 'listening')
  } catch {
    return false
  }
  await new Promise(resolve => server.close(resolve))
  return true
}
