/**
 * Detects lost messages of a server whose files were cut, and ignores all normal removals of messages from streams.
 */
import { readdir, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PurgeOpts } from '@nats-io/jetstream'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { throwawayNats } from '@tidemark/testing/servers'
import { test } from 'tap'
import { openBus } from '../connection.ts'
import { lastThatIsLeft, lossOf, messageAt } from './lost-end.ts'

const cutBytes = 4_096
const written = 100
/**
 * Body of messages for which the cut goes through the middle of one. Between two messages a clean stop would look
 * like a kill.
 */
const text = 'x'.repeat(190)

/** Cuts the last block of each stream, as a disk may leave it that reported unsynced writes as synced. */
async function cutLastBlocks(storeDir: string): Promise<void> {
  const all = join(storeDir, 'jetstream', '$G', 'streams')
  for (const stream of await readdir(all)) {
    const folder = join(all, stream, 'msgs')
    const blocks = (await readdir(folder)).filter(file => file.endsWith('.blk'))
    const last = join(
      folder,
      blocks.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10)).at(-1) ?? '',
    )
    await truncate(last, (await stat(last)).size - cutBytes)
  }
}

test('A stream that lost its end', async t => {
  const server = await throwawayNats()
  const open = () => openBus({ url: server.url, name: 'test' })
  let bus = await open()
  t.teardown(async () => {
    await bus.close()
    await server.stop()
  })
  const without = async (end: () => Promise<void>) => {
    await bus.close()
    await end()
    await cutLastBlocks(server.dir)
    await server.restart()
    bus = await open()
  }
  const declare = async (name: string, subject: string) => {
    await bus.jsm.streams.delete(name).catch(() => false)
    await bus.jsm.streams.add({ name, subjects: [subject], allow_direct: true })
  }
  const write = (subject: string, data: object = { text }) =>
    bus.js.publish(subject, JSON.stringify(data)).then(({ seq }) => seq)
  const lastRead = async (stream: string, sequence: number) => {
    const message = await messageAt(bus, stream, sequence)
    if (message === null) throw new Error(`nothing at ${sequence}`)
    return { sequence, readTo: new Date(message.time), readSubject: message.subject }
  }
  const kinds = [
    { stream: streams.runs, all: subjects.runs, one: subjects.run(7) },
    { stream: streams.usage, all: 'usage.*', one: subjects.usage(1) },
    { stream: streams.served, all: 'served.*', one: subjects.served(1) },
    { stream: streams.accounts, all: 'accounts.*', one: subjects.account(1) },
    { stream: streams.audit, all: 'audit.*', one: subjects.audit(1) },
    { stream: streams.batches, all: 'batches.>', one: subjects.batch(1) },
  ]
  const fillAll = async () => {
    for (const { stream, all, one } of kinds) {
      await declare(stream, all)
      for (let n = 0; n < written; n++) await write(one)
    }
    return Promise.all(kinds.map(({ stream }) => lastRead(stream, written)))
  }
  const factsOf = (last: Awaited<ReturnType<typeof lastRead>>[]) =>
    Promise.all(kinds.map(({ stream }, at) => lossOf(bus, stream, last[at] as (typeof last)[number])))

  await t.test('is detected after a clean stop, which leaves a gap and continues after it', async t => {
    const last = await fillAll()
    t.strictSame(
      await factsOf(last),
      kinds.map(() => null),
    )
    await without(() => server.quit())
    for (const loss of await factsOf(last)) t.match(loss, /^\w+ has nothing at 100, where \S+ was read at \d/)
    for (const { one } of kinds) t.equal(await write(one), written + 1)
    for (const loss of await factsOf(last)) t.match(loss, /^\w+ has nothing at 100/)
  })

  await t.test('is detected after a kill, which reuses the same sequences', async t => {
    const last = await fillAll()
    await without(() => server.kill())
    for (const loss of await factsOf(last))
      t.match(loss, /^\w+ ends at \d+, before 100, which was already read$/)
    for (const { one } of kinds) for (let n = 0; n < written; n++) await write(one)
    for (const loss of await factsOf(last))
      t.match(loss, /^\w+ has a message of \S+ at 100, where one of \S+ was/)
  })

  await t.test('is detected by the message id, whatever the clock of its publisher', async t => {
    await declare(streams.runs, subjects.runs)
    await bus.js.publish(subjects.run(7), text, { msgID: 'another' })
    const [past, future] = [new Date(0), new Date(Date.now() + 3_600_000)]
    const of = { sequence: 1, readSubject: subjects.run(7) }
    t.equal(await lossOf(bus, streams.runs, { ...of, readTo: past, id: 'another' }), null)
    t.match(
      await lossOf(bus, streams.runs, { ...of, readTo: future, id: 'ours' }),
      /^RUNS has a message of \S+ at 1, where one of/,
    )
  })

  await t.test('is not reported for removed messages that were read', async t => {
    const purge = async (stream: string, options: PurgeOpts, sequence: number) => {
      const last = await lastRead(stream, sequence)
      await bus.jsm.streams.purge(stream, options)
      t.equal(await messageAt(bus, stream, sequence), null)
      return lossOf(bus, stream, last)
    }
    await fillAll()
    await write(subjects.run(7), { events: [{ type: 'RunDeleted', data: {} }] })
    const site = await write(subjects.run(7, 'site'))
    t.equal(await purge(streams.runs, { filter: subjects.run(7, 'site') }, site), null, 'a deleted run')
    const other = await write(subjects.run(8, 'site'))
    await write(subjects.run(8), { events: [{ type: 'RunFinished', data: {} }] })
    t.match(
      await purge(streams.runs, { filter: subjects.run(8, 'site') }, other),
      /has nothing/,
      'another run',
    )

    const deletion = { events: [{ type: 'BatchDeleted', data: {} }] }
    const finished = await write(subjects.batch(2), { events: [{ type: 'BatchFinished', data: {} }] })
    await write(subjects.batch(2), deletion)
    const kept = { filter: subjects.batch(2), keep: 1 }
    t.equal(await purge(streams.batches, kept, finished), null, 'a deleted batch')
    const delivered = await write(subjects.batchWebhook(2))
    t.equal(
      await purge(streams.batches, { filter: subjects.batchWebhook(2) }, delivered),
      null,
      'its webhook',
    )
    const another = await write(subjects.batch(3))
    await write(subjects.batch(3), { events: [{ type: 'BatchFinished', data: {} }] })
    const gap = await purge(streams.batches, { filter: subjects.batch(3), keep: 1 }, another)
    t.match(gap, /has nothing/, 'another batch')

    t.equal(await purge(streams.served, { seq: written + 1 }, written), null, 'billed requests')
    const call = await write(subjects.audit(2))
    await write(subjects.audit(1))
    t.equal(
      await purge(streams.audit, { filter: subjects.audit(2) }, call),
      null,
      'calls of a forgotten project',
    )
    t.equal(await purge(streams.audit, { seq: call + 2 }, call + 1), null, 'old calls')
  })

  await t.test('is accepted up to the last message that is left, with few requests', async t => {
    await declare(streams.runs, subjects.runs)
    for (let n = 0; n < 10; n++) await write(subjects.run(7))
    const { readTo } = await lastRead(streams.runs, 10)
    await sleep(5)
    for (let n = 10; n < 400; n++) await write(subjects.run(n < 200 ? 8 : 9))
    let requests = 0
    const streamsApi = Object.create(bus.jsm.streams, {
      getMessage: {
        value: (...args: Parameters<typeof bus.jsm.streams.getMessage>) => {
          requests++
          return bus.jsm.streams.getMessage(...args)
        },
      },
    })
    const counted = { nc: bus.nc, jsm: Object.create(bus.jsm, { streams: { value: streamsApi } }) }
    const left = (sequence: number, end = 400, time: Date | null = readTo) =>
      lastThatIsLeft(counted, streams.runs, { sequence, readTo: time }, end)
    t.strictSame([await left(300), await left(10), await left(4), await left(300, 7)], [10, 10, 4, 7])
    t.equal(await left(300, 400, null), 300)
    t.equal(await left(300, 400, new Date(0)), 0, 'nothing is left')
    await bus.jsm.streams.purge(streams.runs, { filter: subjects.run(8) })
    t.strictSame([await left(300), await left(150), await left(400)], [200, 150, 200])
    await bus.jsm.streams.purge(streams.runs, { filter: subjects.run(9) })
    t.equal(await left(399), 399, 'the reader continues after the gap')
    t.ok(requests < 100, `${requests} requests`)
  })

  await t.test('is not reported if the last read message is unknown', async t => {
    await fillAll()
    await bus.jsm.streams.deleteMessage(streams.runs, written)
    const unknown = { readTo: null, readSubject: null }
    t.equal(await lossOf(bus, streams.runs, { sequence: written, ...unknown }), null)
    t.equal(await lossOf(bus, streams.runs, { sequence: 0, ...unknown }), null)
  })
})
