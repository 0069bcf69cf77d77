/** The guarantees of the bus on streams of three servers, of which some halt, lag behind or are killed. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Nothing, rpc } from '@tidemark/contracts/rpc/rpc'
import { natsCluster } from '@tidemark/testing/nats-cluster'
import type { ClusterNode } from '@tidemark/testing/nats-node'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { Type } from 'typebox'
import { jsonParser } from './codec.ts'
import { type Bus, openBus } from './connection.ts'
import { consume } from './consume.ts'
import { insist } from './insist.ts'
import { lossOf } from './loss/lost-end.ts'
import { publish } from './publish.ts'
import { readStream } from './read.ts'
import { call, serve } from './rpc.ts'
import { storedMessage } from './stored.ts'
import { ack } from './verdict.ts'

const numbered = jsonParser(Type.Object({ n: Type.Integer() }))
const ignore = () => {}

test('A cluster of three servers', async t => {
  const cluster = await natsCluster({ program: process.env.TEST_NATS_BIN ?? '' })
  await using stack = new AsyncDisposableStack()
  stack.defer(() => cluster.stop())
  const open = async (url: string): Promise<Bus> =>
    stack.adopt(await openBus({ url, name: 'cluster.test' }), bus => bus.close())
  const bus = await open(cluster.url)
  for (const name of ['TRUTH', 'WORK']) {
    await bus.jsm.streams.add({
      name,
      subjects: [`${name.toLowerCase()}.>`],
      retention: name === 'WORK' ? 'workqueue' : 'limits',
      num_replicas: 3,
      allow_direct: true,
      duplicate_window: 120e9,
    })
  }
  await bus.jsm.consumers.add('WORK', { durable_name: 'worker', ack_policy: 'explicit', ack_wait: 20e9 })
  await cluster.untilWhole()

  /** Returns the leader of the stream, and the other servers. */
  const rolesOf = async (stream: string): Promise<[ClusterNode, ClusterNode, ClusterNode]> => {
    const { cluster: clusterInfo } = await bus.jsm.streams.info(stream)
    const isLeader = ({ name }: ClusterNode) => name === clusterInfo?.leader
    const nodes = [...cluster.nodes].sort((a, b) => Number(isLeader(b)) - Number(isLeader(a)))
    return nodes as [ClusterNode, ClusterNode, ClusterNode]
  }

  await t.test('acknowledges only decided messages, and stores each once', async t => {
    const [leader, ...followers] = await rolesOf('TRUTH')
    const atLeader = await open(leader.url)
    await Promise.all(followers.map(follower => follower.halt()))
    const name = { id: 'undecided', timeoutMs: 500 }
    await t.rejects(publish(atLeader, 'truth.1', 'once', name), { name: 'Undecided' })
    for (const follower of followers) follower.resume()
    const signal = AbortSignal.timeout(40_000)
    const again = () => publish(atLeader, 'truth.1', 'once', { id: 'undecided' })
    const { sequence } = await insist(again, { signal, report: ignore })
    t.ok(sequence > 0)
    const { state } = await bus.jsm.streams.info('TRUTH', { subjects_filter: 'truth.1' })
    t.strictSame(state.subjects, { 'truth.1': 1 })
  })

  await t.test('reports neither new nor read messages as lost because of a lagging server', async t => {
    const [leader, lagging] = await rolesOf('TRUTH')
    const [atLeader, atLagging] = [await open(leader.url), await open(lagging.url)]
    await publish(atLeader, 'truth.2', 'before')
    await lagging.halt()
    let last = 0
    for (let batch = 0; batch < 20; batch++) {
      const published = Array.from({ length: 100 }, () => publish(atLeader, 'truth.2', Buffer.alloc(2_000)))
      last = Math.max(last, ...(await Promise.all(published)).map(({ sequence }) => sequence))
    }
    const { time = new Date(), subject = '' } = (await storedMessage(atLeader, 'TRUTH', { seq: last })) ?? {}
    lagging.resume()
    const direct = await atLagging.jsm.direct.getMessage('TRUTH', { last_by_subj: 'truth.2' })
    t.comment(`a direct read ends at ${direct?.seq} of ${last}`)
    t.equal((await storedMessage(atLagging, 'TRUTH', { last_by_subj: 'truth.2' }))?.seq, last)
    const position = { sequence: last, readTo: time, readSubject: subject }
    t.equal(await lossOf(atLagging, 'TRUTH', position, 0), null)

    const readers = Array.from({ length: 12 }, async (_, n) => {
      const stop = new AbortController()
      const from = last - 10 - n
      const seen: number[] = []
      const after = { readTo: time, readSubject: subject }
      const reading = { stream: 'TRUTH', from, after, signal: stop.signal, lingerMs: 0 }
      const late = setTimeout(() => stop.abort(), 30_000)
      await readStream(atLagging, reading, async messages => {
        seen.push(...messages.map(({ sequence }) => sequence))
        if (seen.at(-1) === last) stop.abort()
      })
      clearTimeout(late)
      t.strictSame(
        seen,
        Array.from({ length: last - from + 1 }, (_, at) => from + at),
      )
    })
    await Promise.all(readers)
    await cluster.untilWhole()
  })

  await t.test('loses no message of a queue whose leaders are killed, and repairs nothing', async t => {
    const seen = new Set<number>()
    const reported: string[] = []
    const stop = new AbortController()
    const consuming = consume(bus, {
      stream: 'WORK',
      consumer: 'worker',
      parse: numbered,
      concurrency: 20,
      signal: stop.signal,
      report: error => void reported.push(String(error)),
      handle: async ({ n }) => {
        seen.add(n)
        await sleep(5)
        return ack
      },
    })
    let published = 0
    const publishing = new AbortController()
    const producing = (async () => {
      while (!publishing.signal.aborted) {
        const n = published
        const once = () => publish(bus, 'work.1', JSON.stringify({ n }), { id: `work-${n}` })
        await insist(once, { signal: AbortSignal.timeout(60_000), report: ignore })
        published++
        await sleep(5)
      }
    })()
    for (let kill = 0; kill < 2; kill++) {
      await sleep(1_000)
      const { cluster: clusterInfo } = await bus.jsm.consumers.info('WORK', 'worker')
      const leader = cluster.nodes.find(({ name }) => name === clusterInfo?.leader) as ClusterNode
      await leader.kill()
      await sleep(500)
      leader.start()
      await cluster.untilWhole()
    }
    await until(() => published > 200)
    publishing.abort()
    await producing
    await until(() => seen.size === published, 40_000)
    await until(async () => (await bus.jsm.streams.info('WORK')).state.messages === 0, 40_000)
    stop.abort()
    await consuming
    t.comment(`${published} messages`)
    t.strictSame(
      reported.filter(text => text.includes('lost its position')),
      [],
    )
  })

  await t.test('continues to respond when the NATS server of an instance is killed', async t => {
    const [near, ...others] = cluster.nodes as [ClusterNode, ClusterNode, ClusterNode]
    const [asker, answerer] = [await open(others[0].url), await open(near.url)]
    const stop = new AbortController()
    const { signal } = stop
    const handle = async () => answerer.nc.getServer()
    const where = rpc({
      subject: 'ask.where',
      request: Nothing,
      response: Type.String(),
      callers: ['gateway'],
      server: 'extractor',
    })
    const answering = serve(answerer, where, handle, { signal, report: ignore })
    const send = () => call(asker, where, null, { timeoutMs: 2_000 }).catch(() => null)
    await until(async () => Boolean(await send()))
    await near.kill()
    const answers: (string | null)[] = []
    while (answers.length < 50) answers.push(await send())
    const hosts = others.map(({ url }) => new URL(url).host)
    t.ok(hosts.includes(answers.at(-1) ?? ''), `answered from ${answers.at(-1)}`)
    // A request that is on its way through that server is lost with it.
    t.ok(answers.filter(answer => answer === null).length <= 1)
    near.start()
    stop.abort()
    await answering
    await cluster.untilWhole()
  })
})
