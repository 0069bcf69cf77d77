/**
 * Publishes the results of orders: pages to the extractor, all other outcomes to the run. After the stream has stored
 * the result, a redelivered order is not fetched again.
 */

import { encodeJson } from '@tidemark/bus/codec'
import type { Bus } from '@tidemark/bus/connection'
import { encodeFrame } from '@tidemark/bus/frame'
import { insist } from '@tidemark/bus/insist'
import { publish } from '@tidemark/bus/publish'
import { subjects } from '@tidemark/contracts/subjects'
import { type Outcome, outcomeBytes } from '@tidemark/contracts/work/outcome'
import type { FetchedPage } from '@tidemark/contracts/work/page'
import { type Attempt, messageId } from '../domain/names.ts'
import { coalesce } from './coalesce.ts'
import type { OrderRef, PublishedOrders } from './published.ts'

/** Each resolves when its message is stored, and rejects only while the fetcher stops. */
export type Outbox = {
  page(page: FetchedPage, body: Uint8Array, ref: OrderRef): Promise<void>
  outcome(outcome: Outcome, ref: OrderRef): Promise<void>
}

type Options = { bus: Bus; published: PublishedOrders; signal: AbortSignal; report: (error: unknown) => void }
type Sent = Attempt & { ref: OrderRef }

const together = { maxItems: 16, maxWaitMs: 3 }
const pageBytes = 512 * 1024

export function createOutbox({ bus, published, ...insistence }: Options): Outbox {
  const addPage = coalesce<Sent & { page: FetchedPage; body: Uint8Array }>({
    ...together,
    maxBytes: pageBytes,
    send: (subject, items) => {
      const header = { pages: items.map(({ page }) => page) }
      return send(
        subject,
        encodeFrame(
          header,
          items.map(({ body }) => body),
        ),
        items,
      )
    },
  })
  const addOutcome = coalesce<Sent & { outcome: Outcome }>({
    ...together,
    maxBytes: outcomeBytes,
    send: (subject, items) =>
      send(subject, encodeJson({ outcomes: items.map(({ outcome }) => outcome) }), items),
  })

  return {
    page: (page, body, ref) =>
      addPage(subjects.pages(page.runId), { ...nameOf(page), page, body, ref }, body.byteLength),
    outcome: (outcome, ref) =>
      addOutcome(subjects.outcomes(outcome.runId), { ...nameOf(outcome), outcome, ref }, sizeOf(outcome)),
  }

  async function send(subject: string, payload: Uint8Array, items: Sent[]): Promise<void> {
    const id = messageId(items)
    await insist(() => publish(bus, subject, payload, { id }), insistence)
    published.record(items.map(({ ref }) => ref))
  }
}

const nameOf = ({ runId, key, attempt, kind }: Attempt): Attempt => ({
  runId,
  key,
  attempt,
  ...(kind && { kind }),
})

/** Returns the approximate bytes of an outcome. Only bodies of robots.txt are long. */
const sizeOf = (outcome: Outcome): number => 512 + (outcome.type === 'robots' ? outcome.body.length : 0)
