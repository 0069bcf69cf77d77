/**
 * The environment of a drain: two gateways behind a load balancer that checks their readiness, clients that call
 * constantly, and a monitor of redelivered messages.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { openBus } from '@tidemark/bus/connection'
import { listening } from '@tidemark/testing/listening'
import { sized } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import { isReady } from './probes.ts'

export type Gateway = { port: number; metrics: string; child: ChildProcess; stop(): Promise<number> }

const startLimitMs = 60_000

/** Starts a copy of the gateway with this process id, as an orchestrator would. */
export async function startGateway(pid: number, ports: [number, number], drainMs: number): Promise<Gateway> {
  const words = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0').filter(Boolean)
  const [program = '', ...args] = words('cmdline')
  const env = Object.fromEntries(
    words('environ').map(line => /^([^=]*)=([\s\S]*)$/.exec(line)?.slice(1) ?? []),
  )
  const [port, metricsPort] = ports
  const { NODE_CHANNEL_FD: _, NODE_CHANNEL_SERIALIZATION_MODE: __, ...plain } = env
  const own = {
    PORT: `${port}`,
    METRICS_PORT: `${metricsPort}`,
    INSTANCE: `gateway-${port}`,
    DRAIN_MS: `${drainMs}`,
  }
  const child = spawn(program, args, { env: { ...plain, ...own }, stdio: 'ignore' })
  const metrics = `http://127.0.0.1:${metricsPort}/metrics`
  const gateway = { port, metrics, child, stop: () => stopped(child) }
  await until(() => isReady(gateway), startLimitMs)
  return gateway
}

/** Sends SIGTERM and resolves to the milliseconds until the exit. Throws unless the exit code is 0. */
async function stopped(child: ChildProcess): Promise<number> {
  if (child.exitCode !== null || child.signalCode !== null) return 0
  const began = performance.now()
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const [code] = await exited
  if (code !== 0) throw new Error(`the gateway exited with ${code}`)
  return performance.now() - began
}

/** Forwards each new connection to the next ready gateway, like the load balancer of an orchestrator. */
export async function startBalancer(gateways: () => readonly Gateway[]) {
  let ready: readonly Gateway[] = gateways()
  let next = 0
  const sockets = new Set<Socket>()
  const timer = setInterval(async () => {
    const all = gateways()
    const readiness = await Promise.all(all.map(isReady))
    ready = all.filter((_, n) => readiness[n])
  }, 200)
  const server = createServer(inward => {
    const { port = 0 } = ready[next++ % Math.max(1, ready.length)] ?? {}
    const outward = connect(port, '127.0.0.1')
    for (const [one, other] of [
      [inward, outward],
      [outward, inward],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => sockets.delete(one))
      one.pipe(other)
    }
  })
  const { url: base } = await listening(server)
  return {
    base,
    close() {
      clearInterval(timer)
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

export type Call = { method: string; path: string; body?: object }
export type Failure = { at: string; call: string; what: string }

/** Short enough for a call at each moment of a drain, with more than one customer. */
const callPauseMs = sized(80, 15)

/** Starts clients that call almost without pauses over kept connections, and records failures. */
export function startCustomers(base: string, key: string, calls: (() => Call)[], lanes: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: lanes })
  const failures: Failure[] = []
  let [made, isOver] = [0, false]
  const ended = Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      for (let n = lane; !isOver; n++) {
        const { method, path, body } = (calls[n % calls.length] as () => Call)()
        const outcome = await callOnce(agent, base, key, { method, path, ...(body && { body }) })
        made++
        if (outcome !== null)
          failures.push({ at: new Date().toISOString(), call: `${method} ${path}`, what: outcome })
        await sleep(callPauseMs)
      }
    }),
  )
  return {
    failures,
    made: () => made,
    async stop() {
      isOver = true
      await ended
      agent.destroy()
    },
  }
}

/** Returns the failure of a call, or null. Broken connections and every 5xx are failures. */
function callOnce(
  agent: Agent,
  base: string,
  key: string,
  { method, path, body }: Call,
): Promise<string | null> {
  return new Promise(resolve => {
    const text = body && JSON.stringify(body)
    const headers = { authorization: `Bearer ${key}`, ...(text && { 'content-type': 'application/json' }) }
    const sent = request(`${base}${path}`, { method, agent, headers, timeout: 30_000 }, response => {
      let received = ''
      response.setEncoding('utf8').on('data', data => (received += data))
      response.on('end', () =>
        resolve(
          (response.statusCode ?? 0) >= 500 ? `${response.statusCode} ${received.slice(0, 300)}` : null,
        ),
      )
      response.on('error', error => resolve(`broken response: ${error.message}`))
    })
    sent.on('timeout', () => sent.destroy(new Error('no answer within 30 s')))
    sent.on('error', error => resolve(error.message))
    sent.end(text)
  })
}

/**
 * Counts redeliveries of the work queues, both after a NAK and after a loss on the way. It reads the acknowledgements,
 * because a subscriber of the delivery subjects would count as interest of a consumer.
 */
export async function watchQueues(url: string) {
  const bus = await openBus({ url, name: 'drain' })
  const handedBack = new Set<string>()
  const seen = new Set<string>()
  const counted = { handedBack: 0, lost: 0 }
  const lost: string[] = []
  bus.nc.subscribe('$JS.ACK.>', {
    callback: (_, { subject, data }) => {
      const { message, attempt } = deliveryOf(subject)
      const delivery = `${message} ${attempt}`
      if (Buffer.from(data).toString('latin1').startsWith('-NAK')) handedBack.add(delivery)
      if (attempt === 1 || seen.has(delivery)) return
      seen.add(delivery)
      if (handedBack.delete(`${message} ${attempt - 1}`)) counted.handedBack++
      else lost[counted.lost++] = delivery
    },
  })
  await bus.nc.flush()
  return { counted, lost, close: () => bus.close() }
}

/** Parses `$JS.ACK.stream.consumer.attempt.sequence.delivery.nanoseconds.pending`. */
function deliveryOf(subject: string): { message: string; attempt: number } {
  const [, , stream, consumer, attempt, sequence] = subject.split('.')
  return { message: `${stream} ${consumer} ${sequence}`, attempt: Number(attempt) }
}
