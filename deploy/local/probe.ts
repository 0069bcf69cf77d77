/** Probes a server on loopback in its own protocol, and finds free ports. */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type Probe = { request: string; answer: RegExp; goodbye?: string }

const betweenTriesMs = 20
const oneTryMs = 2_000

/**
 * Repeats the probe until the server responds, the limit has passed, or `stopped` returns true. Returns whether the
 * server responded.
 */
export async function responds(
  port: number,
  probe: Probe,
  limitMs: number,
  stopped = () => false,
): Promise<boolean> {
  const end = Date.now() + limitMs
  while (Date.now() < end && !stopped()) {
    if (await respondsOnce(port, probe)) return true
    await sleep(betweenTriesMs)
  }
  return false
}

function respondsOnce(port: number, { request, answer, goodbye = '' }: Probe): Promise<boolean> {
  return new Promise(resolve => {
    const socket = net.connect({ port, host: '127.0.0.1' })
    let received = ''
    const close = (good: boolean) => {
      if (good) socket.end(goodbye, 'latin1')
      else socket.destroy()
      resolve(good)
    }
    socket.setTimeout(oneTryMs, () => close(false))
    socket.on('connect', () => socket.write(request, 'latin1'))
    socket.on('data', data => {
      received += data.toString('latin1')
      if (answer.test(received)) close(true)
    })
    socket.on('error', () => close(false))
    socket.on('close', () => resolve(false))
  })
}

/** The range of the chosen ports ends below that of outgoing connections (Linux: from 32,768; macOS: from 49,152). */
const lowestPort = 16_384
const portCount = 16_384

/**
 * Returns free ports of 127.0.0.1. It chooses them below the range of outgoing connections, so that no connection takes
 * one before its server starts or restarts.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = lowestPort + randomInt(portCount)
    if (await isFree(port, '127.0.0.1')) ports.add(port)
  }
  return [...ports]
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
