/** Probes a server on loopback in its own protocol. */
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
