import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { getSha256Backend, Objm } from '@nats-io/obj'
import { headers as newHeaders } from '@nats-io/transport-node'
import { healthChannel } from '@tidemark/contracts/health'
import { Nothing, rpc } from '@tidemark/contracts/rpc/rpc'
import { type Throwaway, throwawayNats } from '@tidemark/testing/servers'
import { until } from '@tidemark/testing/until'
import fc from 'fast-check'
import { type Test, test } from 'tap'
import { Type } from 'typebox'
import { inShares, limited, limitedByProject } from './at-most.ts'
import { openBulky } from './bulky.ts'
import { decodeJson, encodeJson, jsonParser, Unreadable } from './codec.ts'
import { type Bus, openBus } from './connection.ts'
import { type ConsumeOptions, consume } from './consume.ts'
import { storeDeadLetter } from './dead.ts'
import { decodeFrame, encodeFrame } from './frame.ts'
import { beat, listenForHeartbeats } from './heartbeat.ts'
import { judge } from './judge.ts'
import { connected } from './link.ts'
import { Ambiguous, Conflict, publish, StreamFull } from './publish.ts'
import { UnderWay } from './pulling/under-way.ts'
import { type ReadOptions, readStream, type StreamMessage, StreamWentBackwards } from './read.ts'
import { Refusal } from './refusal.ts'
import { repeat } from './repeat.ts'
import { call, serve } from './rpc.ts'
import { faultOf } from './troubles.scene.ts'
import { healthOf } from './troubles.ts'
import { ack, type Delivery, deadLetter, nak } from './verdict.ts'

type Numbered = { n: number }
const ends = { callers: ['gateway'], server: 'extractor' } as const
const doubling = rpc({
  subject: 'ask.test',
  request: Type.Object({ n: Type.Integer(), runId: Type.Integer(), projectId: Type.Integer() }),
  response: Type.Object({ doubled: Type.Integer(), instance: Type.Integer() }),
  ...ends,
})
const numbered = jsonParser(Type.Object({ n: Type.Integer() }))
const ignore = () => {}

test('A frame', async t => {
  const blob = fc.uint8Array({ maxLength: 200 })
  await t.test('is decoded unchanged, with its blobs as views of it', async t => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(blob, { maxLength: 8 }), (header, blobs) => {
        const wire = encodeFrame(header, blobs)
        const frame = decodeFrame(wire)
        t.strictSame(JSON.stringify(frame.header), JSON.stringify(header))
        t.strictSame(
          frame.blobs.map(some => [...some]),
          blobs.map(some => [...some]),
        )
        t.ok(frame.blobs.every(some => some.buffer === wire.buffer))
      }),
      { numRuns: 100 },
    )
  })
  await t.test('that is damaged throws Unreadable and no other error', async t => {
    fc.assert(
      fc.property(
        fc.array(blob, { maxLength: 4 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (blobs, at, flip) => {
          const wire = encodeFrame({ pages: blobs.length }, blobs)
          const damaged = Uint8Array.from(wire, (byte, n) => (n === at % wire.length ? byte ^ flip : byte))
          for (const data of [damaged, wire.subarray(0, at % wire.length), Buffer.concat([wire, wire])]) {
            try {
              decodeFrame(data)
            } catch (error) {
              if (!(error instanceof Unreadable)) throw error
            }
          }
          t.throws(() => decodeFrame(wire.subarray(0, at % wire.length)), Unreadable)
          t.throws(() => decodeFrame(Buffer.concat([wire, wire])), Unreadable)
        },
      ),
      { numRuns: 100 },
    )
  })
})

test('A JSON parser accepts values of its schema and names the fault of others', async t => {
  t.strictSame(numbered(encodeJson({ n: 5, more: true })), { n: 5, more: true })
  t.throws(() => numbered(encodeJson({ n: 'five' })), { name: 'Unreadable', message: /^\/n / })
  t.throws(() => numbered(Buffer.from('{"n":')), Unreadable)
  t.throws(() => numbered(Uint8Array.of(0x22, 0xff, 0x22)), Unreadable)
})

test('A bounded handler rejects excess concurrent calls, and none later', async t => {
  const waiting: ((fails: boolean) => void)[] = []
  const work = async (n: number, by: string) => {
    if (await new Promise<boolean>(resolve => waiting.push(resolve))) throw new Error('failed')
    return `${n} by ${by}`
  }
  const bound = limited(2, work, 7)
  const both = [bound(1, 'one'), bound(2, 'two')]
  const refused = { name: 'Refusal', status: 503, code: 'unavailable', retryAfterSeconds: 7 }
  await t.rejects(bound(3, 'three'), refused)
  waiting[0]?.(false)
  t.equal(await both[0], '1 by one')
  const fourth = bound(4, 'four')
  await t.rejects(bound(5, 'five'), refused)
  waiting[1]?.(true)
  await t.rejects(Promise.resolve(both[1]), { message: 'failed' })
  const sixth = bound(6, 'six')
  t.equal(waiting.length, 4, 'a failed call has released its slot too')
  for (const end of waiting.slice(2)) end(false)
  t.strictSame(await Promise.all([fourth, sixth]), ['4 by four', '6 by six'])
  const usual = { ...refused, retryAfterSeconds: 5 }
  await t.rejects(limited(0, work)(1, ''), usual)
})

test('A handler with shares refuses a project above a quarter of its calls', async t => {
  const ends: (() => void)[] = []
  const work = (_: { projectId?: number }) => new Promise<void>(resolve => ends.push(resolve))
  const shared = inShares(20, work)
  const refused = {
    name: 'Refusal',
    status: 429,
    code: 'too_many_requests',
    reason: 'concurrent_requests',
    message: /already has 5 requests/,
    retryAfterSeconds: 5,
  }
  const own = Array.from({ length: 5 }, () => shared({ projectId: 7 }))
  await t.rejects(shared({ projectId: 7 }), refused)
  const others = Array.from({ length: 15 }, (_, n) => shared(n < 5 ? { projectId: 8 } : {}))
  await t.rejects(shared({ projectId: 9 }), { code: 'unavailable' }, 'all calls are under way')
  ends[0]?.()
  await own[0]
  own.push(shared({ projectId: 7 }))
  await t.rejects(shared({ projectId: 7 }), refused)
  for (const end of ends) end()
  await Promise.all([...own, ...others])

  const narrow = inShares(20, () => new Promise<void>(() => {}), 1)
  void narrow({ projectId: 7 })
  await t.rejects(narrow({ projectId: 7 }), { ...refused, message: /already has 1 request/ })

  const few = inShares(8, () => new Promise<void>(() => {}))
  for (let n = 0; n < 4; n++) void few({ projectId: 7 })
  await t.rejects(few({ projectId: 7 }), { message: /already has 4 requests/ }, 'but a project may have four')

  const refusal = { reason: 'link_scans' as const, message: 'Wait.' }
  const failing = limitedByProject({ max: 1, refusal }, async (_: { projectId: number }, fails: boolean) => {
    await new Promise(setImmediate)
    if (fails) throw new Error('failed')
    return 'done'
  })
  const first = failing({ projectId: 7 }, true)
  await t.rejects(failing({ projectId: 7 }, false), { code: 'too_many_requests', ...refusal })
  await t.rejects(first, { message: 'failed' })
  t.equal(await failing({ projectId: 7 }, false), 'done', 'a failed call has released its slot')
})

test('Repeated work', async t => {
  const stop = new AbortController()
  const reports: string[] = []
  const times: number[] = []
  const began = performance.now()
  const work = async () => {
    times.push(performance.now() - began)
    if (times.length === 1 || times.length === 2) return 'more'
    if (times.length < 6) throw new Error(`turn ${times.length}`)
    stop.abort()
    throw new Error('errors after the abort are not reported')
  }
  const report = (error: unknown) => reports.push((error as Error).message)
  const bus = { nc: {} } as Bus
  const options = {
    name: 'the test',
    bus,
    pauseMs: 40,
    afterFailureMs: 80,
    pausesFirst: true,
    signal: stop.signal,
    report,
  }
  await repeat(work, options)
  t.equal(times.length, 6)
  const [first = 0, second = 0, third = 0, fourth = 0] = times
  t.ok(first >= 39, 'it began with a pause')
  t.ok(third - first < 39, 'it does not pause while there is more')
  t.ok(second >= first && fourth - third >= 79, 'and a failed round is followed by its own pause')
  t.strictSame(reports, ['turn 3'], 'one of consecutive failures is reported')
  t.strictSame(healthOf(bus.nc), { starting: [], faults: [], warnings: [] }, 'ended work is not a fault')
  await repeat(async () => t.fail('it started after the end'), options)
})

test('Work that fails every time', async t => {
  const bus = { nc: {} } as Bus
  const stop = new AbortController()
  let fault: Error | null = Object.assign(new Error('no space'), { code: '53100' })
  const repetition = { bus, pauseMs: 5, faultyMs: 50, signal: stop.signal, report: ignore }
  const work = async () => {
    if (fault) throw fault
  }
  const ended = [
    repeat(work, { name: 'the renewal', ...repetition }),
    repeat(work, { name: 'the sweep', isSpare: true, ...repetition }),
  ]
  await until(() => healthOf(bus.nc).warnings.length > 0)
  t.strictSame(
    healthOf(bus.nc),
    {
      starting: [],
      faults: ['disk_full: the renewal fails every time: no space'],
      warnings: ['disk_full: the sweep fails every time: no space'],
    },
    'is reported under its cause, and a sweep is only a warning',
  )
  fault = new Error('of our own')
  await until(() => healthOf(bus.nc).faults[0] === 'loop_failing: the renewal fails every time: of our own')
  fault = null
  await until(() => faultOf(bus.nc) === null)
  stop.abort()
  await Promise.all(ended)
})

test('A connection', async t => {
  const server = await throwawayNats()
  t.teardown(() => server.stop())
  await server.kill()
  const opening = openBus({ url: server.url, name: 'early' })
  await sleep(100)
  await server.restart()
  const bus = await opening
  t.equal((await bus.jsm.getAccountInfo()).streams, 0, 'waits for a server that starts later')

  await server.kill()
  await greetOnceAndDie(server.url)
  await server.restart()
  await connected(bus.nc, 10_000)
  t.equal((await bus.jsm.getAccountInfo()).streams, 0, 'soon drops a server that died after its greeting')

  await server.kill()
  await bus.close()
  t.ok(bus.nc.isClosed(), 'and closes when the server has ended')
  await bus.close()
})

test('The bus', async t => {
  const server = await throwawayNats()
  const bus = await openBus({ url: server.url, name: 'bus.test' })
  await declare(bus)
  t.teardown(async () => {
    await bus.close()
    await server.stop()
  })
  await t.test('publishes', t => publishes(t, bus, server))
  await t.test('consumes', t => consumes(t, bus, server))
  await t.test('reads', t => reads(t, bus, server))
  await t.test('sends requests and responses', t => asks(t, bus, server))
  await t.test('receives the worst heartbeat of the instances of each service', t => hearsBeats(t, bus))
  await t.test('ends the heartbeats of a service whose start fails', t => stopsIfItsStartFails(t, bus))
  await t.test('beats for a service that accepts requests from then on', t =>
    beatsWhenItAnswers(t, bus, server),
  )
  await t.test('stores bulky bodies', async t => {
    await new Objm(bus.nc).create('BULKY', { max_bytes: 1e8 })
    const bulky = openBulky(bus)
    t.equal(getSha256Backend(), 'native', 'the digest of large bodies is not computed in JavaScript')
    const bytes = Buffer.alloc(3_000_000, 'tide')
    await bulky.put('some/key', bytes)
    t.ok(bytes.equals((await bulky.get('some/key')) ?? Buffer.of()))
    const hasty = openBulky(bus, { getMs: 300 })
    await t.test('and does not wait for removed chunks', async t => {
      await bus.jsm.streams.purge('OBJ_BULKY', { filter: '$O.BULKY.C.>' })
      await t.rejects(hasty.get('some/key'), /BULKY\/some\/key did not arrive within 300 ms/)
    })
    await t.test('nor for a server that has died', async t => {
      const lost = t.rejects(bulky.get('some/key'), { name: 'ConnectionLost' })
      await sleep(200)
      await server.restart()
      await lost
      await connected(bus.nc, 10_000)
      const isThere = () => bus.jsm.streams.info('OBJ_BULKY').then(Boolean, () => false)
      await until(isThere)
    })
    await bulky.delete('some/key')
    await bulky.delete('some/key')
    t.equal(await bulky.get('some/key'), null)
  })
})

async function publishes(t: Test, bus: Bus, server: Throwaway): Promise<void> {
  await t.test('once for each id', async t => {
    const first = await publish(bus, 'truth.id', 'x', { id: 'one' })
    t.strictSame(await publish(bus, 'truth.id', 'y', { id: 'one' }), {
      sequence: first.sequence,
      duplicate: true,
    })
  })
  await t.test('only if the last sequence of the subject is the expected one', async t => {
    const { sequence } = await publish(bus, 'truth.fenced', 'x', { expectLast: 0 })
    await t.rejects(publish(bus, 'truth.fenced', 'y', { expectLast: 0 }), Conflict)
    await publish(bus, 'truth.fenced', 'y', { expectLast: sequence, headers: { kind: 'test' } })
    const last = await bus.jsm.streams.getMessage('TRUTH', { last_by_subj: 'truth.fenced' })
    t.equal(last?.header.get('kind'), 'test')
  })
  await t.test('and reports a full stream', async t => {
    await bus.jsm.streams.add({ name: 'SMALL', subjects: ['small'], max_msgs: 1, discard: 'new' })
    await publish(bus, 'small', 'x')
    await t.rejects(publish(bus, 'small', 'y', { id: 'z' }), StreamFull)
  })
  await t.test('a fenced message is ambiguous if the server dies before its response', async t => {
    await bus.jsm.streams.add({ name: 'MUTE', subjects: ['mute'], no_ack: true })
    await t.rejects(publish(bus, 'mute', 'x', { expectLast: 0, timeoutMs: 100 }), Ambiguous)
    await t.rejects(publish(bus, 'mute', 'x', { timeoutMs: 100 }), { name: 'TimeoutError' })
  })
  await t.test('without losing or doubling messages with an id while the server is killed', async t => {
    const total = 2_000
    let acked = 0
    const publishing = Array.from({ length: 10 }, async (_, lane) => {
      for (let n = lane; n < total; n += 10, acked++)
        await publish(bus, 'truth.killed', `${n}`, { id: `killed ${n}` })
    })
    for (let kill = 0; kill < 3 && acked < total; kill++) {
      await sleep(60)
      await server.restart()
    }
    await Promise.all(publishing)
    const { state } = await bus.jsm.streams.info('TRUTH', { subjects_filter: 'truth.killed' })
    t.equal(state.subjects?.['truth.killed'], total)
  })
}

async function consumes(t: Test, bus: Bus, server: Throwaway): Promise<void> {
  let queues = 0
  /** Works on a separate queue until `isDone`. */
  async function work(
    count: number,
    options: Partial<ConsumeOptions<Numbered>> & Pick<ConsumeOptions<Numbered>, 'handle'>,
    isDone: () => boolean,
    { ackWaitMs = 20_000, meanwhile = ignore }: { ackWaitMs?: number; meanwhile?: () => unknown } = {},
  ): Promise<string> {
    const queue = `q${++queues}`
    await bus.jsm.consumers.add('WORK', {
      durable_name: queue,
      filter_subject: `work.${queue}`,
      ack_policy: 'explicit',
      ack_wait: ackWaitMs * 1e6,
      max_deliver: -1,
    })
    await Promise.all(
      Array.from({ length: count }, (_, n) =>
        publish(bus, `work.${queue}`, encodeJson({ n }), { id: `${queue} ${n}` }),
      ),
    )
    const stop = new AbortController()
    const happening = meanwhile()
    const consuming = consume<Numbered>(bus, {
      stream: 'WORK',
      consumer: queue,
      parse: numbered,
      concurrency: 10,
      signal: stop.signal,
      report: ignore,
      ...options,
    })
    await until(isDone)
    stop.abort()
    await Promise.all([consuming, happening])
    return queue
  }
  async function leftIn(queue: string): Promise<number> {
    const { state } = await bus.jsm.streams.info('WORK', { subjects_filter: `work.${queue}` })
    return state.subjects?.[`work.${queue}`] ?? 0
  }
  /** Waits until the consumer is empty: the server processes acknowledgements with a delay. */
  const empties = (queue: string) => until(async () => (await leftIn(queue)) === 0)
  const buried = (queue: string) => bus.jsm.streams.getMessage('DEAD', { last_by_subj: `dead.WORK.${queue}` })

  const slowAttempts: number[] = []
  const slowly = async (_: Numbered, { attempt }: Delivery) => {
    slowAttempts.push(attempt)
    await sleep(7_800)
    return ack
  }
  const slow = work(2, { handle: slowly, concurrency: 2 }, () => slowAttempts.length >= 2, {
    ackWaitMs: 6_500,
  })

  await t.test('each message once, never more at a time than allowed', async t => {
    const seen: number[] = []
    let [running, max] = [0, 0]
    const handle = async ({ n }: Numbered, { attempt, redelivered }: Delivery) => {
      max = Math.max(max, ++running)
      t.strictSame([attempt, redelivered], [1, false])
      await sleep(1)
      running--
      seen.push(n)
      return ack
    }
    const queue = await work(200, { handle }, () => seen.length === 200)
    await empties(queue)
    t.equal(max, 10)
    t.equal(new Set(seen).size, 200)
  })

  await t.test('again after the requested delay', async t => {
    const at: number[] = []
    const handle = async () => (at.push(performance.now()) === 1 ? nak(300) : ack)
    const queue = await work(1, { handle }, () => at.length === 2)
    await empties(queue)
    t.ok(Number(at[1]) - Number(at[0]) >= 295)
  })

  await t.test('again after a throw, which is reported', async t => {
    const reported: unknown[] = []
    const attempts: number[] = []
    const handle = async (_: Numbered, { attempt }: Delivery) => {
      attempts.push(attempt)
      if (attempt === 1) throw new Error('not yet')
      return ack
    }
    await work(1, { handle, report: error => reported.push(error) }, () => attempts.length === 2)
    t.strictSame(attempts, [1, 2])
    t.match(reported, [{ message: 'not yet' }])
  })

  await t.test('no terminated message, of which it keeps a copy and the reason', async t => {
    const reports: unknown[] = []
    const reported: unknown[] = []
    const onDeadLetter = async (work: Numbered | null, _: Delivery, reason: string) =>
      void reports.push([work, reason])
    const queue = await work(
      1,
      { handle: async () => deadLetter('no\r\nuse'), onDeadLetter, report: error => reported.push(error) },
      () => reports.length === 1,
    )
    await empties(queue)
    t.strictSame(reports, [[{ n: 0 }, 'no\r\nuse']])
    const dead = await buried(queue)
    t.strictSame(decodeJson(dead?.data ?? Buffer.of()), { n: 0 })
    t.equal(dead?.header.get('Dead-Reason'), 'no use')
    t.equal(dead?.header.get('Dead-Subject'), `work.${queue}`)
    t.match(dead?.header.get('Dead-Sequence'), /^\d+$/)
    t.match(reported, [{ name: 'Terminated', stream: 'WORK', consumer: queue, message: /: no\r\nuse$/ }])
  })

  await t.test('and no copy of a large body', async t => {
    const grave = { stream: 'WORK', consumer: 'large', sequence: 1, attempt: 1, reason: 'no use' }
    await storeDeadLetter(bus, { subject: 'work.large', data: new Uint8Array(1024 ** 2 + 1) }, grave)
    const dead = await buried('large')
    t.strictSame([dead?.data.length, dead?.header.get('Dead-Bytes')], [0, '1048577'])
  })

  await t.test('but a copy of each message, with its own headers and a short reason', async t => {
    const headers = newHeaders()
    headers.set('traceparent', 'its trace')
    headers.set('Nats-Expected-Last-Msg-Id', 'for the stream of the work')
    const grave = { stream: 'WORK', consumer: 'several', attempt: 1, reason: 'x'.repeat(2_000) }
    for (const sequence of [1, 2, 2])
      await storeDeadLetter(
        bus,
        { subject: 'work.several', data: encodeJson({ n: sequence }), headers },
        { ...grave, sequence },
      )
    const { state } = await bus.jsm.streams.info('DEAD', { subjects_filter: 'dead.WORK.several' })
    t.strictSame(state.subjects, { 'dead.WORK.several': 2 })
    const dead = await buried('several')
    t.strictSame(decodeJson(dead?.data ?? Buffer.of()), { n: 2 })
    t.equal(dead?.header.get('traceparent'), 'its trace')
    t.equal(dead?.header.get('Nats-Msg-Id'), 'dead:WORK:several:2')
    t.equal(dead?.header.get('Dead-Reason').length, 1_000)
  })

  await t.test('nothing without its consumer, and reports that', async t => {
    const stop = new AbortController()
    const reading = { stream: 'WORK', parse: numbered, handle: async () => ack, report: ignore }
    const consuming = consume(bus, {
      ...reading,
      consumer: 'gone',
      concurrency: 1,
      signal: stop.signal,
      lostMs: 100,
    })
    t.match(healthOf(bus.nc).starting, [/^starting: gone of WORK has not been found yet/])
    await until(
      () => faultOf(bus.nc)?.startsWith('consumer_gone: no message can be received from WORK: ') ?? false,
    )
    await bus.jsm.consumers.add('WORK', {
      durable_name: 'gone',
      filter_subject: 'work.gone',
      ack_policy: 'explicit',
    })
    await until(() => faultOf(bus.nc) === null)
    t.strictSame(healthOf(bus.nc).starting, [])
    await bus.jsm.consumers.delete('WORK', 'gone')
    await until(() => faultOf(bus.nc)?.startsWith('consumer_gone: ') ?? false)
    t.pass('a deleted consumer is reported as well')
    stop.abort()
    await consuming
    t.equal(faultOf(bus.nc), null, 'no process consumes it now')
  })

  await t.test('to its end while the connection is being closed', async t => {
    const respond = () => {
      throw new Error('draining')
    }
    const late = new UnderWay({ isClosed: () => false } as never)
    late.add(1, { respond } as never)
    t.doesNotThrow(() => late.keepAlive())
    t.doesNotThrow(() => late.settle(1, ack))
    t.equal(late.size, 0)
  })

  await t.test('no unreadable message', async t => {
    const reports: unknown[] = []
    const parse = () => {
      throw new Unreadable('gibberish')
    }
    const onDeadLetter = async (work: Numbered | null) => void reports.push(work)
    const queue = await work(1, { parse, handle: async () => ack, onDeadLetter }, () => reports.length === 1)
    await empties(queue)
    t.strictSame(reports, [null])
    t.match((await buried(queue))?.header.get('Dead-Reason'), 'gibberish')
  })

  await t.test('failing work, up to the thirtieth delivery', async t => {
    const message = { data: encodeJson({ n: 1 }), subject: 'work.judged', headers: undefined }
    const onAttempt = (attempt: number, more: object = {}) => {
      const delivery = {
        attempt,
        sequence: attempt,
        subject: 'work.judged',
        headers: undefined,
        redelivered: true,
      }
      const handle = async () => {
        throw new Error('again')
      }
      const judging = { stream: 'WORK', consumer: 'judged', parse: numbered, handle, report: ignore, ...more }
      return judge(bus, message as never, { ...delivery, signal: AbortSignal.abort() }, judging)
    }
    t.strictSame(await onAttempt(1), nak(1_000))
    t.strictSame(await onAttempt(3), nak(4_000))
    t.strictSame(await onAttempt(29), nak(30_000))
    const reported: unknown[][] = []
    const messages: string[] = []
    const report = (error: Error, about: object) => {
      reported.push([error.name, about])
      messages.push(error.message)
    }
    const parse = () => ({ runId: 7, projectId: 3 })
    t.strictSame(await onAttempt(30, { parse, report }), deadLetter('Error: again'))
    const about = { stream: 'WORK', sequence: 30, run_id: 7, project_id: 3 }
    t.strictSame(
      reported,
      [
        ['Error', about],
        ['Terminated', about],
      ],
      'and its owner is reported',
    )
    t.match(messages[1], 'judged gave up message 30 of WORK of run 7: ')
    t.equal((await buried('judged'))?.header.get('Dead-Attempt'), '30')
    const cannotNotify = async () => {
      throw new Error('nobody listens')
    }
    t.strictSame(
      await onAttempt(31, { onDeadLetter: cannotNotify }),
      nak(30_000),
      'and keeps work that it cannot terminate',
    )
    t.equal((await buried('judged'))?.header.get('Dead-Attempt'), '30')
    const patient = async () => nak(50)
    t.strictSame(await onAttempt(5, { handle: patient }), nak(50))
    t.strictSame(
      await onAttempt(40, { handle: patient }),
      nak(30_000),
      'an outage does not use up the deliveries',
    )
    const atTheirEnds = [9, 10].map(attempt => onAttempt(attempt, { handle: patient }))
    t.strictSame(await Promise.all(atTheirEnds), [nak(50), nak(30_000)])
    t.strictSame(await onAttempt(40, { handle: async () => nak(60_000) }), nak(60_000))
    t.strictSame(await onAttempt(100, { handle: async () => ack }), ack)
    t.match(
      await onAttempt(101, { handle: async () => ack }),
      { settle: 'deadLetter' },
      'and poison messages are not redelivered forever',
    )
    const broken = async () => {
      throw new TypeError('no such thing')
    }
    t.strictSame(await onAttempt(4, { handle: broken }), nak(8_000))
    t.strictSame(
      await onAttempt(5, { handle: broken }),
      deadLetter('TypeError: no such thing'),
      'faults of a program get fewer deliveries',
    )
    for (const Fault of [RangeError, SyntaxError, ReferenceError]) {
      const handle = () => Promise.reject(new Fault('broken'))
      t.match(await onAttempt(5, { handle }), { settle: 'deadLetter' })
    }
  })

  await t.test('a message that is redelivered during its work, once', async t => {
    let started = 0
    let finished = 0
    const handle = async () => {
      started++
      await sleep(1_250) // between two deliveries, so that the ack interferes with none
      finished++
      return ack
    }
    const queue = await work(1, { handle }, () => finished === 1, { ackWaitMs: 500 })
    t.equal(started, 1)
    await empties(queue)
  })

  await t.test('nothing more after the abort', async t => {
    const seen: number[] = []
    const handle = async ({ n }: Numbered) => {
      seen.push(n)
      await sleep(50)
      return ack
    }
    const queue = await work(100, { handle, concurrency: 4 }, () => seen.length >= 8)
    await until(async () => (await leftIn(queue)) + seen.length === 100)
    t.ok(seen.length < 50)
    await bus.jsm.streams.purge('WORK', { filter: `work.${queue}` })
  })

  await t.test('slow work without a second delivery, and settles it before it stops', async t => {
    const queue = await slow
    await empties(queue)
    t.strictSame(slowAttempts, [1, 1])
  })

  await t.test('everything while the server is killed', async t => {
    const seen = new Set<number>()
    const handle = async ({ n }: Numbered) => {
      await sleep(2)
      seen.add(n)
      return ack
    }
    const meanwhile = async () => {
      for (let kill = 0; kill < 3; kill++) {
        await sleep(100)
        await server.restart()
      }
    }
    const isDone = () => seen.size === 2_000
    const queue = await work(2_000, { handle, concurrency: 20 }, isDone, { ackWaitMs: 1_000, meanwhile })
    t.equal(seen.size, 2_000)
    const again = new AbortController()
    const rest = consume(bus, {
      stream: 'WORK',
      consumer: queue,
      parse: numbered,
      handle: async () => ack,
      concurrency: 20,
      signal: again.signal,
      report: ignore,
    })
    await empties(queue)
    again.abort()
    await rest
  })
}

async function reads(t: Test, bus: Bus, server: Throwaway): Promise<void> {
  type Reading = Pick<Partial<ReadOptions>, 'filter' | 'from' | 'minIntervalMs'> & {
    until: (messages: StreamMessage[]) => boolean
  }
  async function readUntil({
    until: isDone,
    from = 1,
    ...more
  }: Reading): Promise<{ all: StreamMessage[]; sizes: number[] }> {
    const stop = new AbortController()
    const all: StreamMessage[] = []
    const sizes: number[] = []
    await readStream(bus, { stream: 'LOG', from, signal: stop.signal, ...more }, async messages => {
      all.push(...messages)
      sizes.push(messages.length)
      if (isDone(all)) stop.abort()
    })
    return { all, sizes }
  }
  const fill = async (subject: string, count: number) => {
    for (let n = 0; n < count; n += 50) {
      await Promise.all(
        Array.from({ length: 50 }, (_, k) =>
          publish(bus, subject, `${n + k}`, { id: `${subject} ${n + k}` }),
        ),
      )
    }
  }

  await t.test('everything in order, in large batches', async t => {
    await fill('log.a', 2_000)
    const { all, sizes } = await readUntil({ until: messages => messages.at(-1)?.pending === 0 })
    t.strictSame(
      all.map(({ sequence }) => sequence),
      Array.from({ length: 2_000 }, (_, n) => n + 1),
    )
    t.strictSame(all[7]?.subject, 'log.a')
    t.ok(Math.abs(Number(all[7]?.time) - Date.now()) < 60_000)
    t.ok(sizes.length < 100 && Math.max(...sizes) <= 500, `${sizes}`)
  })
  await t.test('from a sequence on, and only the subjects of its filter', async t => {
    await fill('log.b', 50)
    await fill('log.c.d', 50)
    const { all } = await readUntil({
      from: 2_000,
      filter: 'log.b',
      until: messages => messages.length === 50,
    })
    t.ok(all.every(({ subject }) => subject === 'log.b'))
    const { all: two } = await readUntil({
      from: 2_000,
      filter: ['log.a', 'log.c.*'],
      until: messages => messages.length === 51,
    })
    t.strictSame([...new Set(two.map(({ subject }) => subject))], ['log.a', 'log.c.d'])
  })
  await t.test('the first message at once, and the next ones together, if it is paced', async t => {
    const from = 1 + (await bus.jsm.streams.info('LOG')).state.last_seq
    let read = 0
    const isDone = ({ length }: StreamMessage[]) => {
      read = length
      return read === 5
    }
    const reading = readUntil({ from, minIntervalMs: 2_000, until: isDone })
    await publish(bus, 'log.paced', 'first')
    await until(() => read === 1)
    for (const text of ['second', 'third', 'fourth', 'fifth']) await publish(bus, 'log.paced', text)
    t.strictSame((await reading).sizes, [1, 4])
  })
  await t.test('no more than 8 MB at once', async t => {
    const from = 1 + (await bus.jsm.streams.info('LOG')).state.last_seq
    await Promise.all(Array.from({ length: 12 }, () => publish(bus, 'log.large', new Uint8Array(2_000_000))))
    const { sizes } = await readUntil({ from, until: messages => messages.length === 12 })
    t.ok(Math.max(...sizes) <= 5, `${sizes}`)
  })
  await t.test('without gaps while the server is killed and its consumer is deleted', async t => {
    const from = 1 + (await bus.jsm.streams.info('LOG')).state.last_seq
    const total = 3_000
    const filling = fill('log.killed', total)
    const meddling = (async () => {
      for (let kill = 0; kill < 3; kill++) {
        await sleep(150)
        await connected(bus.nc, 10_000)
        for await (const { name } of bus.jsm.consumers.list('LOG'))
          await bus.jsm.consumers.delete('LOG', name).catch(error => {
            // A reader that was disconnected has deleted its consumer itself.
            if (error.name !== 'ConsumerNotFoundError') throw error
          })
        await sleep(50)
        await server.restart()
      }
    })()
    const { all } = await readUntil({ from, until: messages => messages.length >= total })
    await Promise.all([filling, meddling])
    t.strictSame(
      all.map(({ sequence }) => sequence),
      Array.from({ length: total }, (_, n) => from + n),
    )
  })
  await t.test('a batch again from its beginning if its reader fails', async t => {
    await t.rejects(
      readStream(bus, { stream: 'LOG', from: 1, signal: new AbortController().signal }, async () => {
        throw new Error('no space')
      }),
      { message: 'no space' },
    )
    t.equal((await readUntil({ until: () => true })).all[0]?.sequence, 1)
  })
  await t.test('nothing from a stream that went backwards', async t => {
    const reading = (from: number) => readUntil({ from, until: () => false })
    await t.rejects(reading(1_000_000), StreamWentBackwards)
    const open = t.rejects(reading(1), StreamWentBackwards)
    await sleep(200)
    await bus.jsm.streams.delete('LOG')
    await declare(bus)
    await publish(bus, 'log.new', 'x')
    await open
  })
}

async function asks(t: Test, bus: Bus, server: Throwaway): Promise<void> {
  const stop = new AbortController()
  const reported: unknown[] = []
  const answering = {
    signal: stop.signal,
    report: (error: unknown, about?: object) => reported.push({ error, about }),
  }
  const refusal = {
    status: 409,
    code: 'conflict',
    message: 'taken',
    reason: 'name_taken',
    field: 'n',
    retryAfterSeconds: 7,
  }
  const both = [0, 1].map(instance =>
    serve(
      bus,
      doubling,
      async ({ n }) => {
        if (n === 1) throw new Refusal(refusal)
        if (n === 2) throw new Error('a secret of ours')
        if (n === 3) await sleep(400)
        if (n === 5) await sleep(3_000)
        return { doubled: n * 2, instance }
      },
      answering,
    ),
  )
  const pending = (n: unknown, timeoutMs = 5_000, procedure = doubling) =>
    call(bus, procedure, { n: n as number, runId: 6, projectId: 7 }, { timeoutMs })

  await t.test('to one of the servers', async t => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => pending(21)))
    t.match(answers, Array(50).fill({ doubled: 42 }))
    t.equal(new Set(answers.map(some => Reflect.get(some, 'instance'))).size, 2)
  })
  await t.test('and receives a refusal unchanged', async t => {
    const received = await pending(1).catch(error => error)
    t.type(received, Refusal)
    t.strictSame(received.toJSON(), refusal)
  })
  await t.test('and receives errors without details', async t => {
    const received = await pending(2).catch(error => error)
    t.match(received, { status: 500, code: 'internal' })
    t.notMatch(JSON.stringify(received), 'secret')
    await t.rejects(pending('two'), { code: 'internal' })
    t.strictSame(
      reported.map(told => Reflect.get(Object(told), 'about')),
      Array(2).fill({ subject: 'ask.test', run_id: 6, project_id: 7 }),
    )
    t.match(reported, [{ error: { message: 'a secret of ours' } }, { error: { name: 'Unreadable' } }])
  })
  await t.test('and receives an error if no server responds', async t => {
    const unavailable = { name: 'Refusal', status: 503, code: 'unavailable', retryAfterSeconds: 2 }
    await t.rejects(pending(1, 5_000, { ...doubling, subject: 'ask.unserved' }), unavailable)
    const before = performance.now()
    await t.rejects(pending(3, 100), unavailable)
    t.ok(performance.now() - before < 4_000, 'within its timeout')
    const caught = pending(3, 60_000)
    await sleep(100)
    const start = performance.now()
    await Promise.all([t.rejects(caught, unavailable), server.kill()])
    t.ok(performance.now() - start < 10_000, 'at once if the connection breaks')
    await t.rejects(pending(4, 100), unavailable)
    await server.restart()
    t.match(await pending(4), { doubled: 8 })
  })
  await t.test('and receives an error within 2 s if the server hangs, for any timeout', async t => {
    const away = { status: 503, code: 'unavailable', retryAfterSeconds: 2, message: /nats_away/ }
    const tookMs = async (requested: Promise<unknown>) => {
      const start = performance.now()
      await t.rejects(requested, away)
      return performance.now() - start
    }
    t.match(await pending(5, 10_000), { doubled: 10 }, 'a slow service has its whole timeout')
    const underWay = pending(5, 60_000).catch(error => error)
    await sleep(300)
    await server.pause()
    const first = await tookMs(pending(21, 60_000))
    t.ok(first < 2_000, `${first} ms`)
    t.match(await underWay, away, 'outstanding requests too')
    const next = await tookMs(pending(21, 60_000))
    t.ok(next < 500, `${next} ms: the hang is known by now`)
    await sleep(8_000)
    const later = await tookMs(pending(21, 60_000))
    t.ok(later < 2_000, `${later} ms: the connection has been given up meanwhile`)
    server.resume()
    await until(async () => (await pending(21).catch(() => null)) !== null, 20_000)
    t.match(await pending(21), { doubled: 42 })

    await server.kill()
    const dead = await tookMs(pending(21, 60_000))
    t.ok(dead < 2_000, `${dead} ms: for a server that has ended`)
    await server.restart()
    await until(async () => (await pending(21).catch(() => null)) !== null, 20_000)
  })
  await t.test('and gets a response from a stopping server that received the request', async t => {
    const late = pending(3)
    await sleep(100)
    stop.abort()
    t.match(await late, { doubled: 6 })
    await Promise.all(both)
    await t.rejects(pending(3), { code: 'unavailable' })
    const work = async () => ({ doubled: 0, instance: 0 })
    await serve(bus, doubling, work, { ...answering, signal: stop.signal })
    t.pass('a server that is stopped before its start ends at once')
  })
}

async function hearsBeats(t: Test, bus: Bus): Promise<void> {
  const listening = listenForHeartbeats(bus)
  let cause: string | null = null
  let warning: string | null = null
  const says = { check: () => cause, warn: () => warning }
  using _one = await beat(bus, { service: 'tester', instance: 'one', ...says })
  using _two = await beat(bus, { service: 'tester', instance: 'two' })
  const heartbeat = () => listening.latestByService().get('tester')?.heartbeat
  await until(() => heartbeat()?.status === 'pass')
  for (const unreadable of ['x', 'null']) bus.nc.publish('tell.heartbeat.tester', unreadable)
  cause = 'it is broken'
  bus.nc.publish('tell.who-is-there')
  await until(() => heartbeat()?.status === 'fail')
  t.match(heartbeat(), { instance: 'one', cause: 'it is broken' })
  cause = null
  await until(() => heartbeat()?.status === 'pass', 2_000)
  warning = 'it is worn'
  await until(() => heartbeat()?.cause === 'it is worn', 2_000)
  t.match(heartbeat(), { instance: 'one', status: 'pass' }, 'it works, and needs attention')
  listening.close()
}

/**
 * Requests that arrived before the server had registered its subscriptions were refused right after the start of a
 * service.
 */
async function beatsWhenItAnswers(t: Test, bus: Bus, server: Throwaway): Promise<void> {
  const served = await openBus({ url: server.url, name: 'served' })
  t.teardown(() => served.close())
  const stop = new AbortController()
  for (let n = 0; n < 100; n++) {
    const early = rpc({ subject: `ask.early.${n}`, request: Nothing, response: Type.Integer(), ...ends })
    void serve(served, early, async () => n, { signal: stop.signal, report: () => {} })
    using _beating = await beat(served, { service: 'served', instance: `${n}` })
    t.equal(await call(bus, early, null, { timeoutMs: 5_000 }), n)
  }
  stop.abort()
}

/** A service whose start fails must not stay in the list of services, or keep its process alive. */
async function stopsIfItsStartFails(t: Test, bus: Bus): Promise<void> {
  const { flush } = bus.nc
  bus.nc.flush = () => Promise.reject(new Error('no connection'))
  const looks: unknown[] = []
  const take = (news: unknown) => looks.push((news as { look?: unknown }).look)
  subscribe(healthChannel, take)
  await t.rejects(beat(bus, { service: 'failing', instance: 'one' }), { message: 'no connection' })
  unsubscribe(healthChannel, take)
  bus.nc.flush = flush
  t.match(looks, [Function, null])
}

/** Runs a server that is killed right after its greeting. */
async function greetOnceAndDie(url: string): Promise<void> {
  const listener = createServer().listen(Number(new URL(url).port), '127.0.0.1')
  const [socket] = (await once(listener, 'connection')) as [Socket]
  const greeting = 'INFO {"server_id":"short-lived","version":"2.10.27","proto":1,"headers":true}\r\n'
  socket.write(greeting, () => socket.destroy())
  await new Promise(resolve => listener.close(resolve))
}

async function declare(bus: Bus): Promise<void> {
  const bounds = { max_bytes: 1e9, discard: 'new', allow_direct: true } as const
  await bus.jsm.streams.add({ name: 'TRUTH', subjects: ['truth.>'], ...bounds })
  await bus.jsm.streams.add({ name: 'LOG', subjects: ['log.>'], ...bounds })
  await bus.jsm.streams.add({ name: 'WORK', subjects: ['work.*'], retention: 'workqueue', ...bounds })
  await bus.jsm.streams.add({ name: 'DEAD', subjects: ['dead.>'], ...bounds })
}
