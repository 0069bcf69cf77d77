/** What one connection, and what large bodies, may take of a gateway. */
import { once } from 'node:events'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '@tidemark/testing/until'
import fastify from 'fastify'
import { test } from 'tap'
import type { App } from './app.ts'
import { bodyRoom } from './domain/body-room.ts'
import { profiles } from './domain/profile.ts'
import { installBodyRoom, smallBody } from './plugins/body-room.ts'
import { installOneAtATime } from './plugins/one-at-a-time.ts'
import { installProblems } from './plugins/problem.ts'
import { installProfile } from './plugins/profile.ts'

test('The requests of a connection', async t => {
  const app = fastify()
  installOneAtATime(app as App)
  let [underWay, most, begun] = [0, 0, 0]
  app.get('/', async () => {
    begun += 1
    most = Math.max(most, ++underWay)
    await sleep(20)
    underWay -= 1
    return `answer ${begun}\n`
  })
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
  t.teardown(() => app.close())
  const send = (requests: number) => {
    const socket = net.connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(requests))
    return socket
  }

  await t.test('are worked on one at a time, and answered in order', async t => {
    const socket = send(10)
    let text = ''
    socket.on('data', data => (text += data))
    await until(() => text.includes('answer 10'))
    t.equal(most, 1)
    t.strictSame(
      text.match(/answer \d+/g),
      Array.from({ length: 10 }, (_, n) => `answer ${n + 1}`),
    )
    socket.destroy()
  })
  await t.test('are not begun any more when it is gone', async t => {
    begun = 0
    const socket = send(200)
    await until(() => begun > 0)
    socket.destroy()
    await once(socket, 'close')
    const other = send(1)
    await once(other, 'data')
    other.destroy()
    await sleep(200)
    t.ok(begun < 20, `${begun} of 200 were`)
  })
})

test('Large bodies', async t => {
  const room = bodyRoom({ all: 300_000, each: 200_000 })
  const app = fastify({ return503OnClosing: false }) as unknown as App
  installProfile(app, profiles.narrative)
  installProblems(app, () => {})
  app.addHook('onRequest', async request => {
    Object.assign(request, { caller: { projectId: Number(request.headers['x-project']) } })
  })
  installBodyRoom(app, room)
  app.post('/', async () => 'taken')
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => app.close())
  const post = async (project: number, bytes: number) => {
    const body = JSON.stringify('x'.repeat(bytes))
    const headers = { 'x-project': String(project), 'content-type': 'application/json' }
    const { status, headers: told } = await fetch(url, { method: 'POST', headers, body })
    return { status, retryAfter: told.get('retry-after') }
  }
  const begin = (project: number) => {
    const socket = net.connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => {})
    const head = ['POST / HTTP/1.1', 'host: x', `x-project: ${project}`, 'content-type: application/json']
    socket.write(`${[...head, 'content-length: 150000'].join('\r\n')}\r\n\r\n"`)
    return socket
  }
  const taken = { status: 200, retryAfter: null }
  const refused = { status: 503, retryAfter: '5' }

  t.strictSame(await post(1, 150_000), taken)
  t.strictSame(await post(1, 150_000), taken, 'give their room back')
  const one = begin(1)
  await until(async () => (await post(1, 100_000)).status === 503)
  t.strictSame(await post(1, 100_000), refused, 'of a project have a part of it')
  t.strictSame(await post(1, smallBody - 100), taken, 'and small ones need none')
  t.strictSame(await post(2, 100_000), taken, 'those of others have the rest')
  const two = begin(2)
  await until(async () => (await post(3, 100_000)).status === 503)
  t.strictSame(await post(3, 100_000), refused, 'and no more')
  one.destroy()
  two.destroy()
  await until(async () => (await post(3, 150_000)).status === 200)
  t.pass('who leaves gives it back')
})
