import { setTimeout as sleep } from 'node:timers/promises'
import { throwawayNats } from '@tidemark/testing/servers'
import { openBus } from './connection.ts'
import { persistently } from './link.ts'
import { publish } from './publish.ts'
import { consume } from './consume.ts'
import { ack } from './verdict.ts'
const server = await throwawayNats()
const bus = await openBus({ url: server.url, name: 't' })
await bus.jsm.streams.add({ name: 'WORK', subjects: ['work.>'], max_bytes: 1e9, discard: 'new', allow_direct: true, retention: 'workqueue' })
const t0 = performance.now()
const say = (...a: unknown[]) => console.log((performance.now() - t0) | 0, ...a)
for (let round = 0; round < 40; round++) {
  const queue = `q${round}`
  const killing = (async () => { for (let k = 0; k < 3; k++) { await sleep(100); await server.restart() } })()
  await persistently(bus.nc, 9000, () => bus.jsm.consumers.add('WORK', { durable_name: queue, filter_subject: `work.${queue}`, ack_policy: 'explicit', ack_wait: 1e9, max_deliver: -1 }))
  await Promise.all(Array.from({ length: 2000 }, (_, n) => publish(bus, `work.${queue}`, `${n}`, { id: `${queue}${n}` })))
  const seen = new Set<string>(); let deliveries = 0
  const stop = new AbortController()
  const c = consume(bus, { stream: 'WORK', consumer: queue, parse: d => Buffer.from(d).toString(), concurrency: 20, signal: stop.signal, report: e => say('report', e), handle: async n => { await sleep(2); deliveries++; seen.add(n); return ack } })
  while (seen.size < 2000) await sleep(20)
  stop.abort(); await c
  say('seen all', deliveries)
  const again = new AbortController()
  let more = 0
  const c2 = consume(bus, { stream: 'WORK', consumer: queue, parse: d => Buffer.from(d).toString(), concurrency: 20, signal: again.signal, report: e => say('report', e), handle: async n => { more++; return ack } })
  await killing
  for (let i = 0; i < 40; i++) {
    await sleep(500)
    const { num_pending, num_ack_pending, num_redelivered, ack_floor, delivered } = await persistently(bus.nc, 9000, () => bus.jsm.consumers.info('WORK', queue))
    const { state } = await persistently(bus.nc, 9000, () => bus.jsm.streams.info('WORK', { subjects_filter: `work.${queue}` }))
    if (num_pending + num_ack_pending === 0 && i < 38) { say('clean', state.messages, state.subjects, deliveries); break }
    if (i > 6) say({ num_pending, num_ack_pending, num_redelivered, ack_floor, delivered }, state.messages, state.first_seq, state.subjects, deliveries)
  }
  again.abort(); await c2; say('more', more)
}
await bus.close(); await server.stop()
