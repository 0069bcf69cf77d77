/**
 * Sends orders to the fetchers. Publishing continues in the background until it succeeds: an order that is in the
 * run's stream and not in FETCH is published again under the same id after a restart.
 */
import type { Bus } from '@tidemark/bus/connection'
import { insist } from '@tidemark/bus/insist'
import { publish } from '@tidemark/bus/publish'
import { currentTraceparent, inTrace } from '@tidemark/bus/trace'
import { type Lane, subjects } from '@tidemark/contracts/subjects'
import type { FetchOrders } from '@tidemark/contracts/work/fetch'
import { lastSeen } from './last-seen.ts'

export type OrderMessage = {
  id: string
  /** The lane of the fetchers: plain HTTP, or a browser. */
  lane: Lane
  orders: FetchOrders
  trace: string | undefined
  /** Keys of pages that the run `revisits.since` may have validators for. */
  known: readonly string[]
  /** The attempt of the login whose cookies the orders need; absent: none. */
  session?: number
}
/** Returns the orders with validators. Never rejects. */
export type AddValidators = (message: OrderMessage) => Promise<FetchOrders>
/**
 * The session that an attempt of the run's login has stored, sealed. `deleted`: the run has ended, or a later login
 * replaced it. `lost`: the run continues without it, because the database was restored from an older backup.
 */
export type FoundSession = { type: 'stored'; sealed: string } | { type: 'deleted' } | { type: 'lost' }
export type FindSession = (runId: number, attempt: number) => Promise<FoundSession>

/**
 * Sends orders in the background. `unlessSent` skips orders that this process has sent before. Callers that have
 * read a run again use it, because they cannot know which orders were sent.
 */
export type SendOrders = (messages: OrderMessage[], options?: { unlessSent: boolean }) => void

type Options = {
  bus: Bus
  addValidators: AddValidators
  findSession: FindSession
  signal: AbortSignal
  report: (error: unknown) => void
}

/**
 * Maximum recorded orders: more than a process has in flight. FETCH itself detects duplicates for ten minutes only.
 */
const maxRecorded = 50_000

/** Maximum runs whose lost session is recorded as reported. */
const maxReported = 1_000

export function sendOrders({ bus, addValidators, findSession, signal, report }: Options): SendOrders {
  const sent = lastSeen<string>(maxRecorded)
  const underWay = new Set<string>()
  const reported = lastSeen<number>(maxReported)

  async function send(message: OrderMessage, trace: string | undefined): Promise<void> {
    const { id, lane, known } = message
    underWay.add(id)
    const orders = known.length > 0 ? await addValidators(message) : message.orders
    const published = async () => {
      const session = await sessionOf(message)
      // The session of a run is deleted at its end, after which its orders are obsolete.
      if (session?.type === 'deleted') return
      if (session?.type === 'lost') return reportLoss(message)
      const sent = session === null ? orders : { ...orders, session: session.sealed }
      await publish(bus, subjects.fetch(lane), JSON.stringify(sent), { id })
    }
    await inTrace(trace, () => insist(published, { signal, report })).catch(report)
    underWay.delete(id)
  }

  /** Returns the session that the orders need, or null if they need none. */
  const sessionOf = async ({ orders: { runId }, session: attempt }: OrderMessage) =>
    attempt === undefined ? null : findSession(runId, attempt)

  /** Reports each run once: its orders cannot be sent, so it fetches no page. */
  function reportLoss({ orders: { runId } }: OrderMessage): void {
    if (!reported.has(runId))
      report(
        new Error(
          `The session of run ${runId} is lost, so its pages are not fetched. Cancel it, and start it again.`,
        ),
      )
    reported.add(runId)
  }

  return (messages, { unlessSent } = { unlessSent: false }) => {
    const decided = currentTraceparent()
    for (const message of messages) {
      if (underWay.has(message.id) || (unlessSent && sent.has(message.id))) continue
      sent.add(message.id)
      void send(message, decided ?? message.trace)
    }
  }
}
