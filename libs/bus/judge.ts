/**
 * How a delivery ends: what its handler says, and what follows from what it throws. Nothing is given up
 * before whoever waits for it has been told and a copy lies among the dead.
 */
import type { Msg } from '@nats-io/transport-node'
import type { Attributes } from '@opentelemetry/api'
import { spanAttributes } from '@tidemark/contracts/traces'
import { Unreadable } from './codec.ts'
import type { Bus } from './connection.ts'
import { bury } from './dead.ts'
import { describe, failHere } from './trace.ts'
import { type Delivery, giveUp, type Handler, nak, type Verdict } from './verdict.ts'

/** A message was given up, and lies among the dead. */
export class GivenUp extends Error {
  override readonly name = 'GivenUp'
  readonly stream: string
  readonly consumer: string
  readonly sequence: number
  /** Whose work it was, where the message says so. */
  readonly runId?: number

  constructor({ stream, consumer, sequence, reason, runId }: Ended) {
    const run = runId === undefined ? '' : ` of run ${runId}`
    super(`${consumer} gave up message ${sequence} of ${stream}${run}: ${reason}`)
    this.stream = stream
    this.consumer = consumer
    this.sequence = sequence
    if (runId !== undefined) this.runId = runId
  }
}

type Ended = {
  stream: string
  consumer: string
  sequence: number
  reason: string
  runId?: number | undefined
}

export type About = {
  stream?: string
  /** In that stream. */
  sequence?: number
  run_id?: number
  project_id?: number
}

export type Judging<Work> = {
  stream: string
  consumer: string
  /** Throws `Unreadable` for what can never be read. */
  parse: (data: Uint8Array) => Work
  handle: Handler<Work>
  /** `about`: which message it was, and whose, as logs name that; nothing where it is about no single one. */
  report: (error: unknown, about?: About) => void
  /** Runs before a message is given up, with null for unreadable work; if it throws, the message comes again. */
  onGiveUp?: (work: Work | null, delivery: Delivery, reason: string) => Promise<void>
}

/** At this delivery a thrown error is final. */
const patience = 30
/** Sooner where no wait mends it: a fault of a program, which somebody has to mend and then send the message again. */
const patienceWithFaults = 5
const faults = [TypeError, RangeError, SyntaxError, ReferenceError]
/** Beyond this one the message is not even tried: whoever tries it dies, or its infrastructure is gone. */
const hopeless = 100
/** From here on a handler's own wait is stretched, so that a long outage does not use up the deliveries. */
const stretchedFrom = 10
const longestWaitMs = 30_000

/** The verdict on one delivery. Never throws. `giveUp` means that giving up has been done, and reported as `GivenUp`. */
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
    describe(attributesOf(work))
    verdict =
      delivery.attempt > hopeless ? giveUp('delivered too often') : await judging.handle(work, delivery)
  } catch (error) {
    judging.report(error, aboutIn(judging, delivery, work))
    failHere(error)
    verdict = verdictOn(error, delivery.attempt)
  }
  switch (verdict.settle) {
    case 'ack':
      return verdict
    case 'nak':
      return nak(
        delivery.attempt < stretchedFrom ? verdict.afterMs : Math.max(verdict.afterMs, longestWaitMs),
      )
    case 'giveUp':
      return letGo({ bus, message, delivery, judging, work }, verdict.reason)
  }
}

/** 1 s, 2 s, 4 s … 30 s. */
export const backOff = (attempt: number): number => Math.min(1_000 * 2 ** (attempt - 1), longestWaitMs)

function verdictOn(error: unknown, attempt: number): Verdict {
  const most = faults.some(fault => error instanceof fault) ? patienceWithFaults : patience
  const isFinal = error instanceof Unreadable || attempt >= most
  return isFinal
    ? giveUp(error instanceof Error ? `${error.name}: ${error.message}` : String(error))
    : nak(backOff(attempt))
}

type Hopeless<Work> = {
  bus: Bus
  message: Msg
  delivery: Delivery
  judging: Judging<Work>
  /** Null where the message could not be read. */
  work: Work | null
}

/** Tells, buries, and only then lets go. */
async function letGo<Work>(
  { bus, message, delivery, judging, work }: Hopeless<Work>,
  reason: string,
): Promise<Verdict> {
  const { stream, consumer, report, onGiveUp } = judging
  const { sequence, attempt } = delivery
  const about = aboutIn(judging, delivery, work)
  try {
    const told = new GivenUp({ stream, consumer, sequence, reason, runId: runOf(work) })
    failHere(told)
    await onGiveUp?.(work, delivery, reason)
    await bury(bus, message, { stream, consumer, sequence, attempt, reason })
    report(told, about)
    return giveUp(reason)
  } catch (error) {
    report(error, about)
    return nak(longestWaitMs)
  }
}

const runOf = (work: unknown): number | undefined => numberIn(work, 'runId')
const projectOf = (work: unknown): number | undefined => numberIn(work, 'projectId')

function aboutIn({ stream }: { stream: string }, { sequence }: Delivery, work: unknown): About {
  const [runId, projectId] = [runOf(work), projectOf(work)]
  return {
    stream,
    sequence,
    ...(runId !== undefined && { run_id: runId }),
    ...(projectId !== undefined && { project_id: projectId }),
  }
}

/** Whose work it is, for its span. */
function attributesOf(work: unknown): Attributes {
  const [runId, projectId] = [runOf(work), projectOf(work)]
  return {
    ...(runId !== undefined && { [spanAttributes.runId]: runId }),
    ...(projectId !== undefined && { [spanAttributes.projectId]: projectId }),
  }
}

function numberIn(work: unknown, name: string): number | undefined {
  const value: unknown = typeof work === 'object' && work !== null ? Reflect.get(work, name) : undefined
  return typeof value === 'number' ? value : undefined
}
