/**
 * Settles a delivery by the verdict of its handler, or by its error. A message is terminated only after its waiting
 * client is notified and a copy is dead-lettered.
 */
import type { Msg } from '@nats-io/transport-node'
import type { Attributes } from '@opentelemetry/api'
import { spanAttributes } from '@tidemark/contracts/traces'
import { Unreadable } from './codec.ts'
import type { Bus } from './connection.ts'
import { storeDeadLetter } from './dead.ts'
import { type Ids, idsIn } from './ids.ts'
import { addSpanAttributes, failHere } from './trace.ts'
import { type Delivery, deadLetter, type Handler, nak, type Verdict } from './verdict.ts'

/** Reports that a message was terminated and dead-lettered. */
export class Terminated extends Error {
  override readonly name = 'Terminated'
  readonly stream: string
  readonly consumer: string
  readonly sequence: number
  /** The run of the message, if it names one. */
  readonly runId?: number

  constructor({ stream, consumer, sequence, reason, runId }: TerminatedWork) {
    const run = runId === undefined ? '' : ` of run ${runId}`
    super(`${consumer} gave up message ${sequence} of ${stream}${run}: ${reason}`)
    this.stream = stream
    this.consumer = consumer
    this.sequence = sequence
    if (runId !== undefined) this.runId = runId
  }
}

type TerminatedWork = {
  stream: string
  consumer: string
  sequence: number
  reason: string
  runId?: number | undefined
}

export type About = Ids & {
  stream?: string
  /** Sequence number of the message in that stream. */
  sequence?: number
}

export type Judging<Work> = {
  stream: string
  consumer: string
  /** Throws `Unreadable` for messages that can never be read. */
  parse: (data: Uint8Array) => Work
  handle: Handler<Work>
  /** `about` identifies the message and its owner in logs; absent if the error concerns no single message. */
  report: (error: unknown, about?: About) => void
  /** Runs before a message is terminated, with null for unreadable work. If it throws, the message is redelivered. */
  onDeadLetter?: (work: Work | null, delivery: Delivery, reason: string) => Promise<void>
}

/** Number of the delivery at which an error is final. */
const maxAttempts = 30
/**
 * Number of the delivery at which a fault of the program is final. Waiting cannot fix it: an operator does, and sends the message
 * again.
 */
const maxAttemptsOnBug = 5
const bugErrors = [TypeError, RangeError, SyntaxError, ReferenceError]
/**
 * Maximum number of deliveries. A message that exceeds it kills its process, or its infrastructure is away.
 */
const maxDeliveries = 100
/** From this delivery on a handler's delay is extended, so that a long outage does not use up the deliveries. */
const extendDelayFrom = 10
const maxWaitMs = 30_000

/**
 * Returns the verdict on one delivery. Never throws. With `deadLetter` the message has been terminated, and reported as
 * `Terminated`.
 */
export async function judge<Work>(
  bus: Bus,
  message: Msg,
  delivery: Delivery,
  judging: Judging<Work>,
): Promise<Verdict> {
  let work: Work | null = null
  let verdict: Verdict
  try {
    work = judging.parse(message.data)
    addSpanAttributes(attributesOf(work))
    verdict =
      delivery.attempt > maxDeliveries
        ? deadLetter('delivered too often')
        : await judging.handle(work, delivery)
  } catch (error) {
    judging.report(error, aboutIn(judging, delivery, work))
    failHere(error)
    verdict = verdictOn(error, delivery.attempt)
  }
  switch (verdict.settle) {
    case 'ack':
      return verdict
    case 'nak':
      return nak(delivery.attempt < extendDelayFrom ? verdict.afterMs : Math.max(verdict.afterMs, maxWaitMs))
    case 'deadLetter':
      return terminate({ bus, message, delivery, judging, work }, verdict.reason)
  }
}

/** Returns the milliseconds before the next attempt: 1 s, 2 s, 4 s … 30 s. */
export const backOff = (attempt: number): number => Math.min(1_000 * 2 ** (attempt - 1), maxWaitMs)

function verdictOn(error: unknown, attempt: number): Verdict {
  const attemptLimit = bugErrors.some(kind => error instanceof kind) ? maxAttemptsOnBug : maxAttempts
  const isFinal = error instanceof Unreadable || attempt >= attemptLimit
  return isFinal
    ? deadLetter(error instanceof Error ? `${error.name}: ${error.message}` : String(error))
    : nak(backOff(attempt))
}

type DeadLettering<Work> = {
  bus: Bus
  message: Msg
  delivery: Delivery
  judging: Judging<Work>
  /** Null if the message could not be read. */
  work: Work | null
}

/** Notifies the client and stores the dead letter before it terminates the message. */
async function terminate<Work>(
  { bus, message, delivery, judging, work }: DeadLettering<Work>,
  reason: string,
): Promise<Verdict> {
  const { stream, consumer, report, onDeadLetter } = judging
  const { sequence, attempt } = delivery
  const about = aboutIn(judging, delivery, work)
  try {
    const terminated = new Terminated({ stream, consumer, sequence, reason, runId: about.run_id })
    failHere(terminated)
    await onDeadLetter?.(work, delivery, reason)
    await storeDeadLetter(bus, message, { stream, consumer, sequence, attempt, reason })
    report(terminated, about)
    return deadLetter(reason)
  } catch (error) {
    report(error, about)
    return nak(maxWaitMs)
  }
}

const aboutIn = ({ stream }: { stream: string }, { sequence }: Delivery, work: unknown): About => ({
  stream,
  sequence,
  ...idsIn(work),
})

/** Returns the attributes that identify the work in its span. */
function attributesOf(work: unknown): Attributes {
  const { run_id, project_id } = idsIn(work)
  return {
    ...(run_id !== undefined && { [spanAttributes.runId]: run_id }),
    ...(project_id !== undefined && { [spanAttributes.projectId]: project_id }),
  }
}
