/** Probes a server on loopback in its own protocol, and finds free ports. */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type Question = { ask: string; answer: RegExp; goodbye?: string }

const betweenTriesMs = 20
const oneTryMs = 2_000

/**
 * Resolves to true when the server has answered within the limit; repeats the probe until then. `stopped` ends it
 * early.
 */
export async function answers(
  port: number,
  question: Question,
  limitMs: number,
  stopped = () => false,
): Promise<boolean> {
  const end = Date.now() + limitMs
  while (Date.now() < end && !stopped()) {
    if (await answersOnce(port, question)) return true
    await sleep(betweenTriesMs)
  }
  return false
}

function answersOnce(port: number, { ask, answer, goodbye = '' }: Question): Promise<boolean> {
  return new Promise(resolve => {
    const socket = net.connect({ port, host: '127.0.0.1' })
    let heard = ''
    const close = (good: boolean) => {
      if (good) socket.end(goodbye, 'latin1')
      else socket.destroy()
      resolve(good)
    }
    socket.setTimeout(oneTryMs, () => close(false))
    socket.on('connect', () => socket.write(ask, 'latin1'))
    socket.on('data', data => {
      heard += data.toString('latin1')
      if (answer.test(heard)) close(true)
    })
    socket.on('error', () => close(false))
    socket.on('close', () => resolve(false))
  })
}

/** Below the ports of outgoing connections (Linux: from 32,768; macOS: from 49,152). */
const lowestPort = 16_384
const portsThere = 16_384

/**
 * Ports of 127.0.0.1 without a listener a moment ago, all different. The system could give a port that it chose to an
 * outgoing connection before its server starts, and again while that server restarts.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = lowestPort + randomInt(portsThere)
    if (await isFree(port, '127.0.0.1')) ports.add(port)
  }
  return [...ports]
}

/** Whether a listener could be opened there. */
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
