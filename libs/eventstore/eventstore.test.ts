import { setTimeout as sleep } from 'node:timers/promises'
import { type Bus, openBus } from '@tidemark/bus/connection'
import { type Throwaway, throwawayNats } from '@tidemark/testing/servers'
import { sized } from '@tidemark/testing/tier'
import { test } from 'tap'
import { appendsWithoutConflict, behavesLikeAnEventStore } from './eventstore.behaviour.ts'
import { jetStreamEventStore } from './jetstream.ts'
import { memoryEventStore } from './memory.scene.ts'
import { readUpTo } from './read-up-to.ts'
import { Conflict, TooLarge } from './store.ts'

/** Commits of a history that is read in several batches. */
const long = sized(2_500, 10_000)
let subjects = 0
const subject = () => `runs.07.${++subjects}.crawl`

test('An event store in memory', t => behavesLikeAnEventStore(t, memoryEventStore(), subject))

test('An event store on JetStream', async t => {
  const { bus, server } = await startBus()
  t.teardown(async () => {
    await bus.close()
    await server.stop()
  })
  const store = jetStreamEventStore(bus, 'RUNS')
  await behavesLikeAnEventStore(t, store, subject)

  await t.test('recognises its own commit beyond the window of duplicates', async t => {
    const name = subject()
    await bus.jsm.streams.update('RUNS', { duplicate_window: 100e6 })
    const first = await store.append(name, 0, { events: ['a'] })
    await sleep(300)
    t.equal(await store.append(name, 0, { events: ['a'] }), first)
    await t.rejects(store.append(name, 0, { events: ['b'] }), Conflict)
    await bus.jsm.streams.update('RUNS', { duplicate_window: 120e9 })
  })

  await t.test('rejects a commit that exceeds every message with TooLarge', async t => {
    const name = subject()
    const first = await store.append(name, 0, { events: ['a'] })
    const max = bus.nc.info?.max_payload ?? 0
    await t.rejects(store.append(name, first, { events: ['x'.repeat(max)] }), TooLarge)
    t.equal((await store.load(name)).version, first)
  })

  await t.test(`loads ${long} commits`, async t => {
    const name = subject()
    let version = 0
    for (let n = 0; n < long; n++) version = await store.append(name, version, { events: [n] })
    const start = performance.now()
    const { commits } = await store.load<{ events: number[] }>(name)
    t.comment(`in ${Math.round(performance.now() - start)} ms`)
    t.equal(commits.length, long)
    t.ok(commits.every(({ commit }, n) => commit.events[0] === n))

    let taken = 0
    const stretch = { stream: 'RUNS', filter: name, after: 0, upTo: version, stallMs: 2_000 }
    await readUpTo(bus, stretch, async messages => {
      if (taken === 0) await sleep(2_500)
      taken += messages.length
    })
    t.equal(taken, long, 'even if processing is slow')
  })

  await t.test('never conflicts with itself while the server is killed again and again', async t => {
    const disturb = async () => {
      for (let kill = 0; kill < 4; kill++) {
        await sleep(300)
        await server.restart()
      }
      await sleep(300)
    }
    await appendsWithoutConflict(t, store, subject, { disturb })
  })
})

async function startBus(): Promise<{ bus: Bus; server: Throwaway }> {
  const server = await throwawayNats()
  const bus = await openBus({ url: server.url, name: 'eventstore.test' })
  await bus.jsm.streams.add({
    name: 'RUNS',
    subjects: ['runs.>'],
    max_bytes: 1e9,
    discard: 'new',
    allow_direct: true,
    duplicate_window: 120e9,
  })
  return { bus, server }
}
