import { once } from 'node:events'
import net from 'node:net'
import { openBus } from '@tidemark/bus/connection'
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
    t.match(config, { max_ack_pending, ack_wait: 20e9 })
    t.match(await bus.jsm.streams.info('DEAD'), { config: { discard: 'old' } })
  })
})

test('A server whose messages are too small for a page is refused with what to set', async t => {
  const server = net.createServer(socket => {
    socket.on('error', () => {})
    socket.write(
      'INFO {"server_id":"small","version":"2.10.27","proto":1,"headers":true,"max_payload":1048576}\r\n',
    )
    socket.on('data', data => data.includes('PING') && socket.write('PONG\r\n'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as net.AddressInfo
  await t.rejects(declareStreams(`nats://127.0.0.1:${port}`), {
    message: /up to 1048576 bytes; 8388608 are needed\. Set max_payload: 8MB/,
  })
})
