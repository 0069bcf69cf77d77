import net from 'node:net'
import { Objm } from '@nats-io/obj'
import { openBus } from '@tidemark/bus/connection'
import { connected } from '@tidemark/bus/link'
import { publish } from '@tidemark/bus/publish'
import { storedMessage } from '@tidemark/bus/stored'
import { listening } from '@tidemark/testing/listening'
import { natsCluster } from '@tidemark/testing/nats-cluster'
import { throwawayNats } from '@tidemark/testing/servers'
import { test } from 'tap'
import { declareStreams } from './declare.ts'
import { type ConsumerSpec, consumerSpecs } from './streams.ts'

const first = consumerSpecs[0] as ConsumerSpec

test('A declaration', async t => {
  const server = await throwawayNats()
  const bus = await openBus({ url: server.url, name: 'declare.test' })
  t.teardown(async () => {
    await bus.close()
    await server.stop()
  })
  await declareStreams(server.url)

  await t.test('reaches what is there already and was declared otherwise', async t => {
    const { stream, durable_name, max_ack_pending } = first
    await bus.jsm.consumers.update(stream, durable_name, { max_ack_pending: 7, ack_wait: 3e9 })
    await bus.jsm.streams.update('DEAD', { discard: 'new' })
    await declareStreams(server.url)
    const { config } = await bus.jsm.consumers.info(stream, durable_name)
    t.match(config, { max_ack_pending, ack_wait: 10e9 })
    t.match(await bus.jsm.streams.info('DEAD'), { config: { discard: 'old' } })
  })

  await t.test(
    'lets as many pages be put back as a large crawl has messages, in what is there already',
    async t => {
      const pages = consumerSpecs.find(({ stream }) => stream === 'PAGES') as ConsumerSpec
      await bus.jsm.consumers.update('PAGES', pages.durable_name, { max_ack_pending: 1000 })
      await declareStreams(server.url)
      const { config } = await bus.jsm.consumers.info('PAGES', pages.durable_name)
      t.equal(config.max_ack_pending, 20_000)
    },
  )

  await t.test('makes no stream smaller than its content, and keeps it writable', async t => {
    const MB = 1024 ** 2
    const small = { STREAM_EXPORTS_BYTES: String(8 * MB), STREAM_AUDIT_BYTES: String(8 * MB) }
    for (let n = 0; n < 40; n++) {
      await publish(bus, 'exports.1', Buffer.alloc(MB))
      await publish(bus, 'audit.1', Buffer.alloc(MB))
    }
    const sizeOf = async (stream: string) => (await bus.jsm.streams.info(stream)).config.max_bytes
    for (const stream of ['EXPORTS', 'AUDIT']) {
      await declareStreams(server.url, small)
      const size = await sizeOf(stream)
      t.ok(size >= 71 * MB && size < 80 * MB, `${stream} of ${size} bytes`)
      await declareStreams(server.url, small)
      t.equal(await sizeOf(stream), size, 'it does not grow by being declared again')
      t.equal((await bus.jsm.streams.info(stream)).state.messages, 40, 'its content is complete')
    }
    await publish(bus, 'exports.1', Buffer.alloc(MB))

    await bus.jsm.streams.update('EXPORTS', { max_bytes: 8 * MB })
    await t.rejects(bus.js.publish('exports.1', 'full'), { message: /maximum bytes/ })
    await declareStreams(server.url, small)
    await publish(bus, 'exports.1', 'a stream that was made too small is writable again, too')
    await bus.jsm.streams.purge('EXPORTS')
    await declareStreams(server.url, small)
    t.equal(await sizeOf('EXPORTS'), 32 * MB, 'and what is empty is small')
  })

  await t.test('sizes an object store that is there already, and limits the age of its objects', async t => {
    const MB = 1024 ** 2
    const config = async () => (await bus.jsm.streams.info('OBJ_BULKY')).config
    await bus.jsm.streams.update('OBJ_BULKY', { max_age: 0 })
    await declareStreams(server.url, { STREAM_BULKY_BYTES: String(64 * MB) })
    t.match(await config(), { max_bytes: 64 * MB, max_age: 2 * 86_400e9 })
    const store = await new Objm(bus.nc).open('BULKY')
    await store.putBlob({ name: 'large' }, Buffer.alloc(16 * MB))
    await declareStreams(server.url, { STREAM_BULKY_BYTES: String(8 * MB) })
    const { max_bytes } = await config()
    t.ok(max_bytes >= 48 * MB && max_bytes < 64 * MB, `not below its content: ${max_bytes}`)
    await declareStreams(server.url, { STREAM_BULKY_BYTES: String(96 * MB) })
    t.equal((await config()).max_bytes, 96 * MB)
    t.equal((await store.getBlob('large'))?.length, 16 * MB, 'its content is complete')
    const huge = declareStreams(server.url, { STREAM_BULKY_BYTES: String(2 ** 52) })
    await t.rejects(huge, { message: /no capacity for the stream BULKY of .+ a smaller STREAM_BULKY_BYTES/ })
    await store.delete('large')
  })

  await t.test('bounds the history of each monitor, also in a stream without bounds', async t => {
    const unbounded = {
      discard: 'new',
      max_age: 0,
      max_msgs_per_subject: -1,
      allow_rollup_hdrs: false,
    } as const
    await bus.jsm.streams.update('MONITORS', unbounded)
    for (let n = 1; n <= 70; n++) await publish(bus, 'monitors.7', String(n))
    await publish(bus, 'monitors.8', 'other')
    await declareStreams(server.url)
    await publish(bus, 'monitors.7', 'last')
    t.match(await bus.jsm.streams.info('MONITORS'), {
      config: { discard: 'old', max_age: 30 * 86_400e9, max_msgs_per_subject: 64, allow_rollup_hdrs: true },
      state: { messages: 65 },
    })
    const first = await storedMessage(bus, 'MONITORS', { seq: 1, next_by_subj: 'monitors.7' })
    t.equal(Buffer.from(first?.data ?? []).toString(), '8', 'the oldest events are dropped')

    await declareStreams(server.url, { STREAM_MONITORS_BYTES: String(32 * 1024 ** 2) })
    for (let n = 0; n < 40; n++) await publish(bus, `monitors.${n}`, Buffer.alloc(1024 ** 2))
    const { messages } = (await bus.jsm.streams.info('MONITORS')).state
    t.ok(messages >= 30 && messages < 40, `and a full stream takes further events: ${messages} are left`)
    await bus.jsm.streams.purge('MONITORS')
  })

  await t.test('gives a single server no sizes of a cluster', async t => {
    const wanted = (STREAM_REPLICAS: string) => declareStreams(server.url, { STREAM_REPLICAS })
    await t.rejects(wanted('3'), { message: /STREAM_REPLICAS is 3, and the NATS server .* is in no cluster/ })
    await t.rejects(wanted('three'), { message: /STREAM_REPLICAS must be a whole number from 1 to 5/ })
    await wanted('1')
  })

  await t.test('rejects an invalid size of a stream', async t => {
    const message =
      /STREAM_STREAM_BYTES is not the setting of a stream. The settings are STREAM_RUNS_BYTES, .*STREAM_BULKY_BYTES/
    await t.rejects(declareStreams(server.url, { STREAM_STREAM_BYTES: '9000000000' }), { message })
  })

  await t.test('reaches what was declared otherwise after a restart of the server, too', async t => {
    const { stream, durable_name } = first
    await bus.jsm.consumers.update(stream, durable_name, { ack_wait: 20e9 })
    await server.restart()
    await declareStreams(server.url)
    await connected(bus.nc, 10_000)
    t.match((await bus.jsm.consumers.info(stream, durable_name)).config, { ack_wait: 10e9 })
  })
})

test('In a cluster everything is kept by as many servers as are wanted', async t => {
  const cluster = await natsCluster({ program: process.env.TEST_NATS_BIN ?? '' })
  t.teardown(() => cluster.stop())
  const bus = await openBus({ url: cluster.url, name: 'declare.test' })
  t.teardown(() => bus.close())
  const kept = async () => {
    const counts = new Set<number>()
    for await (const { config } of bus.jsm.streams.list()) counts.add(config.num_replicas)
    const { cluster: told } = await bus.jsm.consumers.info(first.stream, first.durable_name)
    return { streams: [...counts], consumer: 1 + (told?.replicas?.length ?? 0) }
  }
  await declareStreams(cluster.url, {})
  t.strictSame(await kept(), { streams: [1], consumer: 1 }, 'one by default')
  await declareStreams(cluster.url, { STREAM_REPLICAS: '3' })
  await cluster.untilWhole()
  t.strictSame(await kept(), { streams: [3], consumer: 3 })
  await declareStreams(cluster.url, {})
  t.strictSame(await kept(), { streams: [3], consumer: 3 }, 'and not fewer when the setting is removed')
})

test('A server whose messages are too small for a page is refused with what to set', async t => {
  const server = net.createServer(socket => {
    socket.on('error', () => {})
    socket.write(
      'INFO {"server_id":"small","version":"2.10.27","proto":1,"headers":true,"max_payload":1048576}\r\n',
    )
    socket.on('data', data => data.includes('PING') && socket.write('PONG\r\n'))
  })
  const { port } = await listening(server)
  t.teardown(() => server.close())
  await t.rejects(declareStreams(`nats://127.0.0.1:${port}`), {
    message: /up to 1048576 bytes; 8388608 are needed\. Set max_payload: 8MB/,
  })
})
