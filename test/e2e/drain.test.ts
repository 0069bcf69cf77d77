/**
 * Sends SIGTERM to each service while clients call and crawls run, beside another process of the same service, as in a
 * rolling update. No call fails, each process exits within ten seconds, and the queues redeliver only messages that
 * were handed back with a NAK. DRAINS=50 is the full size.
 */
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from '@tidemark/config/free-ports'
import { services } from '@tidemark/contracts/services'
import { startOrigin } from '@tidemark/testing/origin'
import { sized } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import { type Test, test } from 'tap'
import { type Gateway, startBalancer, startCustomers, startGateway, watchQueues } from './drain.scene.ts'
import { isReady, type Process, probe, processesOf } from './probes.ts'
import { type System, startSystem } from './system.ts'

const drains = Number(process.env.DRAINS || 1)
/** Comma-separated services; all of them by default. */
const { DRAINED } = process.env
/** Long enough for three readiness checks of the gateway on a busy machine. Milliseconds. */
const drainMs = 3_000
const exitMs = 10_000
const lanes = 2
const pages = sized(10, 40)
/** The crawl delay: so long that some crawls run at each moment. */
const delayMs = sized(40, 10)
/** Consecutive calls without a failure before the first SIGTERM. */
const warmCalls = sized(50, 100)
const behind = services.filter(service => service !== 'gateway')
const drained = DRAINED?.split(',') ?? [...behind, 'gateway']

test('A service that is stopped under load', { timeout: (120 + drains * 9 * 20) * 1_000 }, async t => {
  const system = await startSystem({
    METRICS_PORT: String(10_000 + randomInt(6_000)),
    PROCESSES: 'split',
    REPLICAS: behind.map(service => `${service}=2`).join(','),
  })
  t.teardown(() => system.stop())
  const origin = await startOrigin()
  t.teardown(() => origin.close())
  const links = Array.from({ length: pages }, (_, n) => `<a href="/p${n}">${n}</a>`).join('')
  origin.site(
    Object.fromEntries(
      ['/', ...Array.from({ length: pages }, (_, n) => `/p${n}`)].map(path => [path, links]),
    ),
  )
  const key = await system.createProject('drained', '--tier', 'studio', '--unlimited')
  const { nats } = await system.runFile()

  const [first] = await processesOf(system, 'gateway')
  let gateways: Gateway[] = []
  /** The next gateway starts while the previous one drains. */
  let next: Promise<Gateway> | null = null
  const another = async () => startGateway(first?.pid ?? 0, (await freePorts(2)) as [number, number], drainMs)
  gateways = [await another(), await another()]
  t.teardown(() => Promise.all(gateways.map(gateway => gateway.stop())))
  const balancer = await startBalancer(() => gateways)
  t.teardown(() => balancer.close())
  const queues = await watchQueues(nats.url)
  t.teardown(() => queues.close())

  const url = `${origin.url}/`
  const latest = async () => (await system.call(key, 'GET', '/v1/crawls?limit=1')).body.items[0]?.id ?? 1
  await system.call(key, 'POST', '/v1/crawls', { url, delay_ms: delayMs })
  const id = await latest()
  const customers = startCustomers(
    balancer.base,
    key,
    [
      () => ({ method: 'POST', path: '/v1/crawls', body: { url, delay_ms: delayMs, max_pages: pages } }),
      () => ({ method: 'GET', path: `/v1/crawls/${id}` }),
      () => ({ method: 'GET', path: '/v1/crawls?limit=20' }),
      () => ({ method: 'POST', path: '/v1/scan', body: { url } }),
      () => ({ method: 'GET', path: '/v1/usage' }),
      () => ({ method: 'GET', path: '/v1/keys' }),
      () => ({ method: 'GET', path: '/v1/crons' }),
      () => ({ method: 'GET', path: `/v1/crawls/${id}/deliveries` }),
      () => ({ method: 'GET', path: `/v1/crawls/${id}/coverage` }),
    ],
    lanes,
  )
  t.teardown(() => customers.stop())
  await warm(customers)

  for (const service of drained) {
    await t.test(service, async t => {
      const [calls, failed, { handedBack, lost }] = [
        customers.made(),
        customers.failures.length,
        { ...queues.counted },
      ]
      const times: number[] = []
      for (let n = 0; n < drains; n++) {
        times.push(service === 'gateway' ? await drainGateway(t, n) : await drainOne(system, service, n))
      }
      await sleep(500)
      await until(() => customers.made() - calls > 10 * drains)
      const failures = customers.failures.slice(failed)
      t.comment(
        `${service}: ${drains} drains, ${customers.made() - calls} calls, ${failures.length} failed, ${queues.counted.lost - lost} lost, ${queues.counted.handedBack - handedBack} handed back, exit after ${Math.round(Math.min(...times))} to ${Math.round(Math.max(...times))} ms`,
      )
      t.strictSame(failures, [])
      t.ok(Math.max(...times) <= exitMs, 'each process exited in time')
      t.strictSame(queues.lost.slice(lost), [], 'only messages after a NAK were redelivered')
      t.ok(customers.made() - calls > 10 * drains, 'under load')
    })
  }

  /** Starts a new gateway before it stops the oldest one, as in a rolling update. */
  async function drainGateway(t: Test, n: number): Promise<number> {
    const fresh = await (next ?? another())
    next = n + 1 < drains ? another() : null
    const [oldest, ...others] = gateways
    gateways = [...gateways, fresh]
    await sleep(200 + (n % 5) * 50)
    const stopping = oldest?.stop()
    await sleep(100)
    const ready = await fetch(`http://127.0.0.1:${oldest?.port}/v1/ready`)
    t.match(
      [ready.status, ready.headers.get('connection')],
      [503, 'close'],
      'it closes connections, so that clients use the others',
    )
    t.match(await ready.text(), /stopping: /)
    t.match(await probe(oldest?.metrics, '/readyz'), {
      status: 503,
      body: { causes: [{ cause: 'stopping' }] },
    })
    t.equal((await probe(oldest?.metrics, '/livez'))?.status, 200)
    const ms = (await stopping) ?? 0
    gateways = [...others, fresh]
    return ms - drainMs
  }
})

/** Waits for enough calls without a failure, because new processes respond slowly on a busy machine. */
async function warm({ failures, made }: ReturnType<typeof startCustomers>): Promise<void> {
  for (let [failed, calls] = [-1, 0]; ; ) {
    if (failures.length > failed) [failed, calls] = [failures.length, made()]
    if (made() - calls >= warmCalls) return
    await sleep(100)
  }
}

/** Stops one of two ready processes and returns the milliseconds until its exit. The launcher restarts it meanwhile. */
async function drainOne(system: System, service: string, n: number): Promise<number> {
  await until(async () => {
    const all = await processesOf(system, service)
    return all.length === 2 && (await Promise.all(all.map(isReady))).every(Boolean)
  })
  const both = await processesOf(system, service)
  const { pid } = both[n % both.length] as Process
  const began = performance.now()
  process.kill(pid, 'SIGTERM')
  await until(() => !lives(pid), 20_000)
  return performance.now() - began
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
