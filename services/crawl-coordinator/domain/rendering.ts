/**
 * Decides which pages a browser renders. If the run renders only pages that need scripts, a page is fetched over plain
 * HTTP first. If it is an empty shell, a browser fetches it next. A page that no browser can render is fetched again
 * over plain HTTP and settled as it is.
 */
import type { Lane } from '@tidemark/contracts/subjects'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import type { Decision } from './circumstances.ts'
import { canPayRendering } from './limits/cost-budget.ts'
import { type Pending, type Running, spentBy } from './run.ts'

type PageOutcome = Extract<Outcome, { type: 'page' }>

/** Reason of a retry in a browser: the page has no content without scripts. */
const scriptOnly = 'script_only'
/** Reason of a retry over plain HTTP, or of a failed login: no fetcher handles browser orders. */
export const noBrowser = 'no_browser'
/** Reason of a retry over plain HTTP: the project has no cloud pages left. */
const usedUp = 'cloud_pages_used_up'
/** Reason of a failure by a fetcher without a browser. */
const notConfigured = 'not_configured'

/** Maximum number of browser orders of a run in flight: each occupies a browser for seconds. */
const maxOut = 8

/** Returns the first lane of a page; undefined if its content decides. */
export function firstLane({
  settings,
  rendering,
}: Pick<Running, 'settings' | 'rendering'>): Lane | undefined {
  if (settings.render !== 'always') return undefined
  return rendering.isOff ? 'http' : 'browser'
}

/** Returns whether a retry for this reason means that there is no browser for any page. */
export const isBrowserOff = (reason: string): boolean => reason === noBrowser || reason === notConfigured

/** Applies the change of lane to the run and the page. Call it while no order of the page is in flight. */
export function changeLane(run: Running, pending: Pending, lane: Lane): void {
  if (pending.lane === 'browser') run.rendering.pending--
  if (lane === 'browser') run.rendering.pending++
  pending.lane = lane
}

/** Removes the lane of a page that is taken from the store. Call it while no order of the page is in flight. */
export function leaveLane(run: Running, pending: Pending): void {
  if (pending.lane === 'browser') run.rendering.pending--
  delete pending.lane
}

/** Stops browser orders of the run. Orders in flight are not affected. */
export function disableRendering(run: Running): void {
  run.rendering.isOff = true
  for (const pending of run.pending.values()) {
    if (pending.lane !== 'browser' || pending.order !== null) continue
    pending.lane = 'http'
    run.rendering.pending--
  }
  run.rechecks.rendered.clear()
}

/** Returns the number of pages that may still be rendered within the project's quota. */
export const cloudLeftOf = ({ run, cloudAllowance }: Pick<Decision, 'run' | 'cloudAllowance'>): number =>
  cloudAllowance.pages - spentBy(run).cloud_page - run.rendering.out - run.rechecks.rendered.size

/** Returns the number of orders that browsers may receive now, for a host with this window. */
export const freeBrowsers = (decision: Decision, hostWindow: number): number =>
  Math.min(cloudLeftOf(decision), idleBrowsers(decision.run, hostWindow))

/** Returns the same number for second requests, whose cloud pages are reserved already. */
export const idleBrowsers = ({ rendering }: Running, hostWindow: number): number =>
  Math.min(maxOut, hostWindow) - rendering.out

/**
 * Returns whether a response comes from the page's current lane. A response from the previous lane is discarded and not
 * billed.
 */
export const isOfItsLane = ({ rendered }: PageOutcome, { lane }: Pending): boolean =>
  (rendered ?? false) === (lane === 'browser')

/** Returns whether a fetched page must be rendered before it is settled. */
export function isToBeRendered(decision: Decision, { isScriptOnly }: PageOutcome, pending: Pending): boolean {
  const { run, cloudAllowance } = decision
  if (!isScriptOnly || pending.lane !== undefined || run.settings.render !== 'auto' || run.rendering.isOff)
    return false
  if (!canPayRendering(run, pending)) return false
  return !cloudAllowance.isFinal || cloudLeftOf(decision) > unpaidOf(run)
}

/** Orders a page from a browser, as its next attempt. */
export function render({ emit, at }: Decision, key: string, { attempt }: Pending): void {
  const page = { key, reason: scriptOnly, attempt: attempt + 1, notBefore: at, lane: 'browser' as const }
  emit({ type: 'PagesRetried', data: { pages: [page] } })
}

/** Fetches a page over plain HTTP, its last lane, instead of in a browser. */
export function continueOverHttp(
  { emit, at }: Decision,
  key: string,
  reason: string,
  { attempt }: Pending,
): void {
  const page = { key, reason, attempt: attempt + 1, notBefore: at, lane: 'http' as const }
  emit({ type: 'PagesRetried', data: { pages: [page] } })
}

/** Returns whether browser orders got no response for so long that the run assumes that no browser exists. */
export const areBrowsersSilent = ({ silences }: Running): boolean => silences > 0

/** Fetches the pages whose browser orders got no response over plain HTTP instead. */
export function doWithoutBrowsers(decision: Decision): void {
  const { run } = decision
  if (areBrowsersSilent(run) && run.rendering.out > 0) leaveBrowsers(decision, noBrowser, true)
}

/** Fetches the pages that wait for a browser over plain HTTP if no cloud pages are left. */
export function leaveUnpaid(decision: Decision): void {
  const { run, cloudAllowance } = decision
  if (run.settings.render !== 'auto' || unpaidOf(run) === 0) return
  if (!cloudAllowance.isFinal || cloudLeftOf(decision) > 0) return
  leaveBrowsers(decision, usedUp, false)
}

/** Returns the number of pages for a browser that have not reserved a cloud page yet. */
export const unpaidOf = ({ rendering, rechecks }: Running): number =>
  rendering.pending - rendering.out - rechecks.rendered.size

/**
 * Fetches pages for a browser over plain HTTP instead, as many as the decision can hold.
 * @param areOut whether to take the pages that are in flight, or those that are not
 */
function leaveBrowsers(decision: Decision, reason: string, areOut: boolean): void {
  const { run, mayEmit } = decision
  for (const [key, pending] of run.pending) {
    const { lane, order } = pending
    if (lane !== 'browser' || (order !== null) !== areOut || run.rechecks.rendered.has(key)) continue
    if (!mayEmit()) return
    continueOverHttp(decision, key, reason, pending)
  }
}
