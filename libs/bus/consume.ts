/**
 * Runs a handler over a work queue. Each delivery is settled once and slow work is kept alive. A redelivery therefore
 * means that a handler requested it, or that a process or the server died.
 *
 * Breaks of the connection and restarts of the server do not end it. Only its signal does.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Msg } from '@nats-io/transport-node'
import { SpanKind } from '@opentelemetry/api'
import { named } from '@tidemark/contracts/health'
import { spanAttributes, spanNames } from '@tidemark/contracts/traces'
import { causeOf, messageOf } from './cause.ts'
import type { Bus } from './connection.ts'
import { backOff, type Judging, judge } from './judge.ts'
import { isClustered } from './leader.ts'
import { ConnectionLost, connected, untilLost } from './link.ts'
import { repairLostPosition } from './loss/lost-position.ts'
import { positionOf } from './pulling/position.ts'
import { FellSilent, Pull } from './pulling/pull.ts'
import { UnderWay } from './pulling/under-way.ts'
import { extractTraceContext, inTrace, messaging, withSpan } from './trace.ts'
import { reportFailing, reportStarting, reportWorking } from './troubles.ts'
import type { Delivery } from './verdict.ts'

export type ConsumeOptions<Work> = Judging<Work> & {
  /** Maximum concurrent deliveries. The consumer requests no more messages than that. */
  concurrency: number
  signal: AbortSignal
  /** A consumer that is unusable for this long is a fault of its service; 15 s by default. */
  lostMs?: number
}

/** A quarter of the consumers' ack wait, so that a process that is late for one report keeps its messages. */
const keepAliveMs = 2_500
/** Interval of the check whether the server has fallen silent. */
const checkMs = 1_000
const stopLimitMs = 8_000
const connectLimitMs = 30_000
const defaultLostMs = 15_000
/** Maximum duration of one message; until then it is kept alive, so that no other process receives it. */
const stuckMs = 900_000

/**
 * Works until the signal aborts; resolves when all deliveries are settled, or 8 s later. The durable consumer is
 * declared elsewhere: until it exists, this reports and waits.
 */
export async function consume<Work>(bus: Bus, options: ConsumeOptions<Work>): Promise<void> {
  const { stream, consumer, concurrency, signal, report, lostMs = defaultLostMs } = options
  const underWay = new UnderWay(bus.nc)
  const work = `consume ${stream} ${consumer}`
  const free = () => concurrency - underWay.size
  let pull: Pull | null = null
  /** Up to this sequence, the server may have lost count: a delivery that it calls the first may be a redelivery. */
  let doubtfulUpTo = 0
  reportStarting(bus.nc, work, named('starting', `${consumer} of ${stream} has not been found yet`))
  const beat = setInterval(() => {
    underWay.keepAlive()
    reportStuck(underWay.oldestMs)
  }, keepAliveMs)
  const watch = setInterval(() => pull?.check(), checkMs)
  const stop = () => void pull?.drain()
  signal.addEventListener('abort', stop, { once: true })

  for (let tries = 1; !signal.aborted && !bus.nc.isClosed(); tries++) {
    try {
      await connected(bus.nc, connectLimitMs, signal)
      const mended = await untilLost(bus.nc, repairLostPosition(bus, stream, consumer))
      if (mended !== null) {
        doubtfulUpTo = mended
        report(new Error(`${consumer} of ${stream} had lost its position and was recreated`))
      } else if (pull !== null && isClustered(bus.nc)) {
        // A new leader of the consumer may not know all deliveries.
        const { state } = await untilLost(bus.nc, bus.jsm.streams.info(stream))
        doubtfulUpTo = state.last_seq
      }
      if (signal.aborted) break
      tries = 0
      reportWorking(bus.nc, work)
      pull = new Pull(bus.nc, { stream, consumer, capacity: concurrency, free, take })
      pull.more()
      const wrong = await pull.over
      // The next try finds the cause. A process has dozens of consumers, so it is not reported for each.
      if (wrong && !(wrong instanceof FellSilent)) report(wrong)
    } catch (error) {
      // The watcher of the connection reports its loss.
      if (!signal.aborted && !(error instanceof ConnectionLost)) report(error)
      const fault = `no message can be received from ${stream}: ${messageOf(error)}`
      reportFailing(bus.nc, work, named(causeOf(error, 'consumer_gone'), fault), lostMs)
    }
    await sleep(backOff(tries) / 5, undefined, { signal }).catch(() => {})
  }
  reportWorking(bus.nc, work)
  await underWay.idle(stopLimitMs)
  clearInterval(beat)
  clearInterval(watch)
  reportStuck(0)
  signal.removeEventListener('abort', stop)

  function reportStuck(oldestMs: number): void {
    const warning = `a message of ${stream} has not finished for ${Math.round(oldestMs / 60_000)} minutes`
    if (oldestMs < stuckMs) reportWorking(bus.nc, `${work} in time`)
    else reportFailing(bus.nc, `${work} in time`, named('consumer_stuck', warning), 0, { weight: 'warning' })
  }

  function take(message: Msg): void {
    const { sequence, attempt } = positionOf(message.reply ?? '')
    if (!underWay.add(sequence, message)) return
    const { subject, headers } = message
    const redelivered = attempt > 1 || sequence <= doubtfulUpTo
    void deliver(message, { attempt, sequence, subject, headers, signal, redelivered })
  }

  async function deliver(message: Msg, delivery: Delivery): Promise<void> {
    const attributes = {
      ...messaging(bus, 'process', delivery.subject),
      [spanAttributes.messagingConsumer]: consumer,
    }
    const parent = inTrace(undefined, () => extractTraceContext(delivery.headers))
    const span = { kind: SpanKind.CONSUMER, parent, attributes }
    const verdict = await withSpan(spanNames.process(delivery.subject), span, () =>
      judge(bus, message, delivery, options),
    )
    underWay.settle(delivery.sequence, verdict)
    pull?.more()
  }
}
