/** A client follows a crawl, is disconnected again and again, and its gateway is killed. It still misses nothing. */

import { setTimeout as sleep } from 'node:timers/promises'
import { startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { test } from 'tap'
import { listen, listenToEnd, type Sent } from '../../services/gateway/crawls/events.scene.ts'
import { dice } from '../chaos/random.ts'
import { startSystem } from './system.ts'

const pages = 300
const cuts = 50
const kills = 3
const limitMs = 120_000

const link = (n: number) => `<a href="/${n}">${n}</a>`
const site = Object.fromEntries(
  Array.from({ length: pages }, (_, n) => {
    const links = [2 * n + 1, 2 * n + 2].filter(to => to < pages).map(link)
    return [n === 0 ? '/' : `/${n}`, `<title>Page ${n}</title>${links.join(' ')}`]
  }),
)

test('A client that follows a crawl misses nothing and receives nothing twice', {
  timeout: patient(300_000),
}, async t => {
  const system = await startSystem({ PROCESSES: 'split' })
  t.teardown(() => system.stop())
  const origin = await startOrigin({ pages: site })
  t.teardown(() => origin.close())
  const key = await system.createProject('following', '--unlimited')
  const request = { url: `${origin.url}/`, delay_ms: 40, concurrency: 4, depth: 20, trap_guards: false }
  const run = (await system.call(key, 'POST', '/v1/crawls', request)).body.id
  const chance = dice(20261121)

  const began = performance.now()
  const one = await listen(system.base, key, run)
  const { value: first } = await one.events.next()
  const firstMs = performance.now() - began
  one.leave()
  t.ok(first, 'there is a first event')
  t.ok(firstMs < 1_000, `it came after ${firstMs.toFixed()} ms`)

  const received: Sent[] = []
  const killed: number[] = []
  let left = 0
  let failed = 0
  for (const end = Date.now() + limitMs; received.at(-1)?.type !== 'end' && Date.now() < end; ) {
    const after = received.at(-1)?.id
    const stream = await listen(system.base, key, run, after === undefined ? {} : { after }).catch(() => null)
    if (stream?.status !== 200) {
      failed++
      await sleep(50)
      continue
    }
    const max = left < cuts ? 1 + Math.floor(chance() * 12) : Number.POSITIVE_INFINITY
    const isKill = killed.length < kills && left >= (killed.length + 1) * 12
    let count = 0
    for await (const event of stream.events) {
      received.push(event)
      if (++count < max || event.type === 'end') continue
      if (!isKill) break
      killed.push(await killGateway())
      break
    }
    stream.leave()
    left++
  }
  t.equal(killed.length, kills, `the gateway was killed ${killed.join(', ')}`)
  t.ok(left > cuts, `the client left ${left} streams; ${failed} could not be opened`)

  const whole = await listenToEnd(system.base, key, run)
  t.same(
    received.map(({ id }) => id),
    whole.map(({ id }) => id),
  )
  t.strictSame(received, whole)
  t.strictSame(await listenToEnd(system.base, key, run), whole)
  const { page_count, error_count } = await system.untilEnded(key, run)
  t.equal(page_count, pages)
  t.equal(whole.filter(({ type }) => type === 'page').length, page_count)
  const last = (type: string) => whole.findLast(event => event.type === type)?.data
  t.match(last('end'), { status: 'done', totals: { fetched: page_count, discovered: pages } })
  t.match(last('progress'), { page_count, error_count, pending: 0, discovered: pages })

  async function killGateway(): Promise<number> {
    const { processes } = await system.runFile()
    const gateway = processes.find(({ services }) => services.includes('gateway'))
    if (gateway === undefined) throw new Error('there is no gateway')
    process.kill(gateway.pid, 'SIGKILL')
    return gateway.pid
  }
})
