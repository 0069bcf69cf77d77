/** What every way to get a page has in common, whether it is a client of ours, a browser or somebody else's network. */
import type { By, FetchNow } from '@tidemark/contracts/ask/fetch'
import type { Fetched } from '@tidemark/http/fetch'
import type { Asked } from '../handlers/ask.ts'
import type { BodyRoom } from '../turns/body-room.ts'

/** What holds for one question, by whatever means it is answered. */
export type Errand = {
  /** Most bytes of the body. */
  maxBytes: number
  /** Where a large body waits until it may be read on. */
  room: BodyRoom
  /** A request to the page's host leaves. */
  onSent: () => void
  /** An answer of it begins. */
  onAnswered: () => void
  /** Ends it: its time is over, or nobody waits any more. */
  signal: AbortSignal
}

export type Brought = Fetched & {
  /** A PNG of the page. */
  picture?: Buffer
  /** As the origin called it, where it is another document here than was sent; null where it did not say. */
  sentAs?: string | null
  /** Bytes over the wire, both ways, where they were counted. */
  moved?: number
  /** What somebody else asks for it. */
  costUsd?: number
}

export type Came = Extract<Asked, { error: unknown }> | { fetched: Brought; backOffMs: number | null }

/** Gets one page. Rejects only with the signal's reason. */
export type Backend<Means = By> = (question: FetchNow, by: Means, errand: Errand) => Promise<Came>

/** The part of `By` that names this backend. */
export type ByOf<Name extends By['backend']> = Extract<By, { backend: Name }>
