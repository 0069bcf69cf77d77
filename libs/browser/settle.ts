/**
 * Waits until a page is what it was waited for to become, and has gone where it leads by itself. What never comes is
 * waited for only so long; then there is what there is.
 */
import type { Page } from 'playwright-core'
import type { WaitFor } from './job.ts'
import type { Navigation } from './navigation.ts'
import { RenderError } from './render-error.ts'
import { valueWithin } from './within.ts'

/** Of a job's time, to read the document and take its picture after the wait. */
const share = 0.3
const mostReserveMs = 5_000
/** For the network to fall silent, after the page has loaded. */
const idleMs = 10_000
/** A document is read again when its page left meanwhile. */
const mostTries = 30
/** Between two looks at a document that may lead on. */
const lookMs = 500

/** How long a page may be waited for of what is left for the job, in milliseconds. */
export function patience(leftMs: number): number {
  return leftMs - Math.min(mostReserveMs, leftMs * share)
}

type Wait = {
  waitFor: WaitFor
  /** When to stop waiting. */
  until: number
  /** Reads the document; what it gives last is the answer. */
  read: () => Promise<string>
  /** Whether the document is but the way to another one, which may yet come. */
  mayLeadOn: (html: string) => Promise<boolean>
  /** Makes a page stand still that goes on loading. */
  stop: () => Promise<unknown>
  /** Resolves when there is nothing more to wait for. */
  over: Promise<void>
}

/**
 * Waits for the page as it was asked for, and reads its document; `isSettled` says whether that was reached in time.
 * Throws what `read` throws once nothing can come of another try.
 */
export async function settle(
  page: Page,
  navigation: Navigation,
  { waitFor, until, read, mayLeadOn, stop, over }: Wait,
): Promise<{ document: string; isSettled: boolean }> {
  for (let tries = 1; ; tries++) {
    const isSettled = await Promise.race([reached(page, waitFor, until), over.then(() => false)])
    navigation.check()
    if (!isSettled && Date.now() >= until) await stop().catch(() => {})
    const document = await read().catch(error => {
      // It may have gone elsewhere while it was read.
      if (error instanceof RenderError || page.isClosed() || Date.now() > until || tries > mostTries)
        throw error
    })
    // It may have left while it was read: then this is the browser's own page.
    navigation.check()
    // What the page asked for before it was read is known by now: both come by the same pipe, in order.
    if (navigation.isLeaving && Date.now() < until)
      await valueWithin(until - Date.now(), navigation.moved(), 0)
    else if (document !== undefined && (await mayLeadOn(document))) await briefly(navigation, until)
    else if (document !== undefined) return { document, isSettled: isSettled && !navigation.isLeaving }
  }
}

/** Some checks lead on, others put the page where they stood: so it is looked at again from time to time. */
async function briefly(navigation: Navigation, until: number): Promise<void> {
  await valueWithin(Math.min(lookMs, Math.max(1, until - Date.now())), navigation.moved(), 0)
}

async function reached(page: Page, waitFor: WaitFor, until: number): Promise<boolean> {
  const left = () => Math.max(1, until - Date.now())
  const come = (state: WaitFor, timeout: number) =>
    page.waitForLoadState(state, { timeout }).then(
      () => true,
      () => false,
    )
  if (waitFor !== 'networkidle') return come(waitFor, left())
  return (await come('load', left())) && come('networkidle', Math.min(idleMs, left()))
}
