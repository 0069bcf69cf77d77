/**
 * Waits until a page reaches the awaited state and has completed its own navigation. Each wait is bounded, and then
 * the current state is used.
 */
import type { Page } from 'playwright-core'
import type { WaitFor } from './job.ts'
import type { Navigation } from './navigation.ts'
import { RenderError } from './render-error.ts'
import { valueWithin } from './within.ts'

/** Share of a job's time to read the document and take its screenshot after the wait. */
const share = 0.3
const maxReserveMs = 5_000
/** Maximum milliseconds for the network to become idle after the load event. */
const idleMs = 10_000
/** Maximum failed reads of a document. It is read again if its page navigated in the meantime. */
const maxTries = 30
/** Milliseconds between checks of a document that may lead to another. */
const checkEveryMs = 500

/** Returns how many milliseconds of a job's remaining time it may wait for the page. */
export function waitMsWithin(leftMs: number): number {
  return leftMs - Math.min(maxReserveMs, leftMs * share)
}

type Wait = {
  waitFor: WaitFor
  /** Milliseconds after which the page counts as it is; without it only `until` counts. */
  stateMs?: number | undefined
  /** Time in ms since 1970 when to stop waiting. */
  until: number
  /** Reads the document; its last result is returned. */
  read: () => Promise<string>
  /** Returns whether the document only leads to another one, which may still come. */
  mayLeadOn: (html: string) => Promise<boolean>
  /** Stops a page that keeps loading. */
  stop: () => Promise<unknown>
  /** Resolves when there is nothing more to wait for. */
  over: Promise<void>
}

/**
 * Waits for the requested state of the page and reads its document. `unreached` is the state that was not reached in
 * time. Throws the error of `read` when another attempt is pointless.
 */
export async function settle(
  page: Page,
  navigation: Navigation,
  { waitFor, stateMs = Number.POSITIVE_INFINITY, until, read, mayLeadOn, stop, over }: Wait,
): Promise<{ document: string; unreached: WaitFor | null }> {
  for (let tries = 1; ; tries++) {
    const stateUntil = Math.min(until, Date.now() + stateMs)
    const missed = await Promise.race([missedBy(page, waitFor, stateUntil), over.then(() => waitFor)])
    navigation.check()
    if (missed !== null && Date.now() >= until) await stop().catch(() => {})
    const document = await read().catch(error => {
      // The page may have navigated during the read.
      if (error instanceof RenderError || page.isClosed() || Date.now() > until || tries > maxTries)
        throw error
    })
    // If the page left its site during the read, this document is the browser's own page.
    navigation.check()
    // Requests from before the read are known here: both arrive by the same pipe, in order.
    if (navigation.isLeaving && Date.now() < until)
      await valueWithin(until - Date.now(), navigation.moved(), 0)
    else if (document !== undefined && (await mayLeadOn(document))) await briefly(navigation, until)
    else if (document !== undefined) {
      // The next document has reached no state.
      const unreached = navigation.isLeaving ? firstOf(waitFor) : missed
      return { document, unreached }
    }
  }
}

/**
 * Waits until the next check of the page. Some bot checks navigate, others replace the document without navigation.
 */
async function briefly(navigation: Navigation, until: number): Promise<void> {
  await valueWithin(Math.min(checkEveryMs, Math.max(1, until - Date.now())), navigation.moved(), 0)
}

/** Returns the first state of a wait: an idle network is awaited after the load event. */
const firstOf = (waitFor: WaitFor): WaitFor => (waitFor === 'networkidle' ? 'load' : waitFor)

/** Returns the first state that the page did not reach in time, or null. */
async function missedBy(page: Page, waitFor: WaitFor, until: number): Promise<WaitFor | null> {
  const left = () => Math.max(1, until - Date.now())
  const come = (state: WaitFor, timeout: number) =>
    page.waitForLoadState(state, { timeout }).then(
      () => null,
      () => state,
    )
  const first = await come(firstOf(waitFor), left())
  if (first !== null || waitFor !== 'networkidle') return first
  return come('networkidle', Math.min(idleMs, left()))
}
