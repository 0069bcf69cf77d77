/** The log of a service while its dependencies are unavailable. */
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { errors } from '@nats-io/transport-node'
import { listening } from '@tidemark/testing/listening'
import { throwawayNats } from '@tidemark/testing/servers'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { openBus } from './connection.ts'
import { consume } from './consume.ts'
import { Terminated } from './judge.ts'
import { ConnectionLost, connected } from './link.ts'
import { type OutageLog, reporter } from './outages.ts'
import { refusalOf } from './refusal.ts'
import { measureEventLoopStalls, sleepAwake } from './stall.ts'
import { ack } from './verdict.ts'

test('An outage is logged at its begin and at its end', async t => {
  await using stack = new AsyncDisposableStack()
  const server = stack.adopt(await throwawayNats(), server => server.stop())
  const between = stack.adopt(await mutable(Number(new URL(server.url).port)), between => between.close())
  const url = `nats://127.0.0.1:${between.port}`
  const bus = stack.adopt(await openBus({ url, name: 'outages.test' }), bus => bus.close())
  const { log, lines, fields } = written()
  const report = reporter(log, 'the work failed', { quietMs: 300 })
  stack.use(report.follow(bus))

  await t.test('of Postgres', async t => {
    for (let n = 0; n < 50; n++) report(ofPostgres(n % 2 === 0 ? '57P03' : 'ECONNREFUSED'))
    t.strictSame(lines, ['warn Postgres is away: 57P03'])
    t.strictSame(fields, [{ cause: 'database_away', says: 'it said so' }], 'without a stack')
    await until(() => lines.length > 1)
    t.strictSame(lines.slice(1), ['info Postgres is back after 0 s'])
    report(ofPostgres('57P03'))
    t.equal(lines.length, 2, 'nor again within the minute')
  })

  await t.test('and other errors are neither left out nor called an outage', async t => {
    lines.length = fields.length = 0
    const error = new TypeError('cannot be read')
    report(error, { run_id: 7 })
    t.strictSame(fields, [{ err: error, run_id: 7 }])
    const ended = { stream: 'WORK', consumer: 'q', sequence: 1 }
    report(new Terminated({ ...ended, reason: 'Connection terminated unexpectedly' }))
    reporter(log, 'the work failed', { needs: ['nats_away'] })(ofPostgres('ECONNREFUSED'))
    t.strictSame(lines, Array(3).fill('error the work failed'))
  })

  await t.test('again periodically while it lasts', async t => {
    lines.length = 0
    const often = reporter(log, undefined, { everyMs: 1 })
    await until(() => {
      often(ofPostgres('57P03'))
      return lines.length > 1
    })
    t.strictSame(new Set(lines), new Set(['warn Postgres is away: 57P03']))
  })

  await t.test('of a silent NATS, by every kind of work', async t => {
    lines.length = 0
    await bus.jsm.streams.add({ name: 'WORK', subjects: ['work.*'], retention: 'workqueue' })
    const stop = new AbortController()
    const reports: unknown[] = []
    let handled = 0
    const working = ['q1', 'q2', 'q3'].map(async queue => {
      const named = { durable_name: queue, filter_subject: `work.${queue}` }
      await bus.jsm.consumers.add('WORK', { ...named, ack_policy: 'explicit', max_deliver: -1 })
      await consume(bus, {
        ...{ stream: 'WORK', consumer: queue, concurrency: 10, signal: stop.signal },
        parse: () => null,
        handle: async () => {
          handled++
          return ack
        },
        report: error => reports.push(error),
      })
    })
    await bus.js.publish('work.q1', '')
    await until(() => handled === 1)
    between.mute(true)
    await until(() => lines.length > 0, 20_000)
    report(new ConnectionLost('the connection to NATS broke'))
    between.mute(false)
    await connected(bus.nc, 20_000)
    report(new ConnectionLost('the connection to NATS broke'))
    await bus.js.publish('work.q2', '')
    await until(() => handled === 2, 20_000)
    const [away, back, ...others] = lines
    t.equal(away, 'warn NATS is away')
    t.match(back, /^info NATS is back after \d+ s$/)
    t.strictSame(others, [])
    t.strictSame(reports, [], 'its consumers do not report it')
    stop.abort()
    await Promise.all(working)
  })
})

test('A delay because this process was stalled is not an outage', async t => {
  await using stack = new AsyncDisposableStack()
  const server = stack.adopt(await throwawayNats(), server => server.stop())
  stack.adopt(await openBus({ url: server.url, name: 'stall.test' }), bus => bus.close())
  const { log, lines, fields } = written()
  const report = reporter(log, 'the work failed', { quietMs: 300, everyMs: 0 })
  const lateOnes = [
    Object.assign(new Error('no response within 5000 ms'), { code: 'ETIMEDOUT' }),
    new Error('Connection terminated due to connection timeout'),
    new Error('timeout exceeded when trying to connect'),
    new Error('Query read timeout'),
    new ConnectionLost('no connection to NATS within 5000 ms'),
    new Error('it could not be read', { cause: new errors.TimeoutError() }),
  ]
  await sleep(6_000)
  for (const error of lateOnes.slice(0, 4)) report(error)
  t.match(lines, ['warn Postgres is away: ETIMEDOUT'], 'without a stall they are outages')
  lines.length = fields.length = 0

  await sleep(100)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)
  const held = reporter(log, 'the work failed', { everyMs: 0 })
  for (const error of lateOnes) held(error)
  t.equal(lines.length, lateOnes.length)
  for (const line of lines)
    t.match(line, /^warn event loop stalled for (?:1[4-9]|[2-9]\d|\d{3})\d\d ms of the last minute$/)
  t.match(fields[0], { cause: 'event_loop_stalled', says: 'no response within 5000 ms' })
  const abandoned = AbortSignal.abort().reason
  t.match(
    refusalOf(abandoned),
    { status: 503, code: 'unavailable', retryAfterSeconds: 5 },
    'an aborted handler',
  )
  t.match(refusalOf(lateOnes[1]), {
    status: 503,
    code: 'unavailable',
    message: /stalled \(event_loop_stalled/,
  })

  lines.length = 0
  held(ofPostgres('ECONNREFUSED'))
  t.strictSame(
    lines,
    ['warn Postgres is away: ECONNREFUSED'],
    'errors of a server or the system count anyway',
  )
})

test('A wait is extended by the stalls of the process', async t => {
  measureEventLoopStalls()
  const began = performance.now()
  const waited = sleepAwake(300)
  await sleep(100)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400)
  await waited
  const ms = Math.round(performance.now() - began)
  t.ok(ms >= 600 && ms < 1_250, `${ms} ms`)
})

const ofPostgres = (code: string): Error => Object.assign(new Error('it said so'), { code })

function written() {
  const lines: string[] = []
  const fields: object[] = []
  const at = (level: string) => (these: object, words?: string) => {
    lines.push(`${level} ${words}`)
    fields.push(these)
  }
  const log: OutageLog = { error: at('error'), warn: at('warn'), info: at('info') }
  return { log, lines, fields }
}

/** Starts a proxy between a client and a server that can stop passing data while its connections stay open. */
async function mutable(port: number) {
  const sockets = new Set<Socket>()
  let isMute = false
  const passOn = (from: Socket, to: Socket) => {
    sockets.add(from)
    from.on('data', data => isMute || to.write(data))
    from.on('close', () => to.destroy())
    from.on('error', () => {})
  }
  const server = createServer(client => {
    const behind = connect(port, '127.0.0.1')
    passOn(client, behind)
    passOn(behind, client)
  })
  const { port: front, close } = await listening(server)
  return {
    port: front,
    mute(mute: boolean) {
      isMute = mute
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await close()
    },
  }
}
