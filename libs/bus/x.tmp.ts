import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { throwawayNats } from '@tidemark/testing/servers'
import { openBus } from './connection.ts'
import { connected } from './link.ts'
import { setTimeout as sleep } from 'node:timers/promises'
const server = await throwawayNats()
const bus = await openBus({ url: server.url, name: 't' })
const port = Number(new URL(server.url).port)
const info = (bus.nc as any).protocol.info
for (const [name, act] of Object.entries({
  fin: async (s: Socket) => { s.destroy() },
  rst: async (s: Socket) => { s.resetAndDestroy() },
  infoFin: async (s: Socket) => { s.write(`INFO ${JSON.stringify(info)}\r\n`); await sleep(20); s.destroy() },
  infoRst: async (s: Socket) => { s.write(`INFO ${JSON.stringify(info)}\r\n`); await sleep(20); s.resetAndDestroy() },
  infoFinNow: async (s: Socket) => { s.write(`INFO ${JSON.stringify(info)}\r\n`, () => s.destroy()) },
  partial: async (s: Socket) => { s.write(`INFO {"ser`); await sleep(20); s.destroy() },
  pongFin: async (s: Socket) => { s.write(`INFO ${JSON.stringify(info)}\r\n`); await once(s, 'data'); s.write('PONG\r\n'); s.destroy() },
  pongRst: async (s: Socket) => { s.write(`INFO ${JSON.stringify(info)}\r\n`); await once(s, 'data'); s.write('PONG\r\n', () => s.resetAndDestroy()) },
  pongFin2: async (s: Socket) => { s.write(`INFO ${JSON.stringify(info)}\r\n`); await once(s, 'data'); s.write('PONG\r\n'); await sleep(1); s.destroy() },
})) {
  await server.kill()
  const listener = createServer().listen(port, '127.0.0.1')
  const [socket] = (await once(listener, 'connection')) as [Socket]
  socket.on('error', () => {})
  const t = performance.now()
  await act(socket)
  await new Promise(resolve => listener.close(resolve))
  await server.restart()
  const r = await connected(bus.nc, 30_000).then(() => 'ok', e => String(e))
  const works = await Promise.race([bus.jsm.getAccountInfo().then(() => 'works', e => String(e))])
  console.log(name, r, works, (performance.now() - t) | 0)
}
await bus.close(); await server.stop()
