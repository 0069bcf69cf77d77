/** The event store on a stream of three servers: every client reads each stored commit, on every server. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Bus, openBus } from '@tidemark/bus/connection'
import { insist } from '@tidemark/bus/insist'
import { natsCluster } from '@tidemark/testing/nats-cluster'
import type { ClusterNode } from '@tidemark/testing/nats-node'
import { test } from 'tap'
import { appendsWithoutConflict, behavesLikeAnEventStore } from './eventstore.behaviour.ts'
import { jetStreamEventStore } from './jetstream.ts'

type Counted = { events: number[] }
let subjects = 0
const subject = () => `runs.07.${++subjects}.crawl`

test('An event store on a cluster', async t => {
  const cluster = await natsCluster({ program: process.env.TEST_NATS_BIN ?? '' })
  await using stack = new AsyncDisposableStack()
  stack.defer(() => cluster.stop())
  const open = async (url: string): Promise<Bus> =>
    stack.adopt(await openBus({ url, name: 'eventstore.test' }), bus => bus.close())
  const bus = await open(cluster.url)
  const window = { duplicate_window: 120e9, allow_direct: true }
  await bus.jsm.streams.add({ name: 'RUNS', subjects: ['runs.>'], num_replicas: 3, ...window })
  await cluster.untilWhole()
  const leaderOf = async () => {
    // Without a leader the question has no answer, until an election has ended.
    const { cluster: clusterInfo } = await insist(() => bus.jsm.streams.info('RUNS'), {
      signal: AbortSignal.timeout(60_000),
      report: () => {},
    })
    return cluster.nodes.find(({ name }) => name === clusterInfo?.leader) as ClusterNode
  }

  await behavesLikeAnEventStore(t, jetStreamEventStore(bus, 'RUNS'), subject)

  await t.test('reads its own commits beside a server that lags', async t => {
    const leader = await leaderOf()
    const lagging = cluster.nodes.find(node => node !== leader) as ClusterNode
    const here = jetStreamEventStore(await open(leader.url), 'RUNS')
    const there = jetStreamEventStore(await open(lagging.url), 'RUNS')
    const name = subject()
    let version = await here.append(name, 0, { events: [0] })
    t.equal((await there.load(name)).version, version)
    await lagging.halt()
    for (let n = 1; n < 600; n++) version = await here.append(name, version, { events: [n] })
    lagging.resume()
    t.equal((await there.last<Counted>(name))?.sequence, version)
    t.equal((await there.load(name)).version, version)
    const next = await there.append(name, version, { events: [600] })
    const { commits } = await there.load<Counted>(name)
    t.equal(commits.at(-1)?.sequence, next)
    t.equal(commits.length, 601)
    await cluster.untilWhole()
  })

  await t.test('appends a commit whose leader died with the response', async t => {
    const leader = await leaderOf()
    const followers = cluster.nodes.filter(node => node !== leader)
    const store = jetStreamEventStore(await open(leader.url), 'RUNS')
    const name = subject()
    const first = await store.append(name, 0, { events: [0] })
    await Promise.all(followers.map(follower => follower.halt()))
    const appending = insist(() => store.append(name, first, { events: [1] }), {
      signal: AbortSignal.timeout(60_000),
      report: () => {},
    })
    appending.catch(() => {})
    await sleep(7_000)
    for (const follower of followers) follower.resume()
    const second = await appending
    t.ok(second > first)
    const { commits } = await jetStreamEventStore(bus, 'RUNS').load<Counted>(name)
    t.strictSame(
      commits.map(({ commit }) => commit.events),
      [[0], [1]],
    )
    await cluster.untilWhole()
  })

  await t.test('never conflicts with itself while the servers are killed one after the other', async t => {
    const disturb = async () => {
      for (let kill = 0; kill < 3; kill++) {
        await sleep(500)
        const leader = await leaderOf()
        await leader.kill()
        leader.start()
        await cluster.untilWhole()
      }
    }
    const persist = (append: () => Promise<number>) =>
      insist(append, { signal: AbortSignal.timeout(60_000), report: () => {} })
    await appendsWithoutConflict(t, jetStreamEventStore(bus, 'RUNS'), subject, { disturb, persist })
  })
})
