/**
 * Decides which pages a browser renders. If the run renders only pages that need scripts, a page is fetched over plain
 * HTTP first. If it is an empty shell, a browser fetches it next. A page that no browser can render is fetched again
 * over plain HTTP and settled as it is.
 */
import type { Lane } from '@tidemark/contracts/subjects'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import type { Decision } from './circumstances.ts'
import { type Pending, type Running, spentBy } from './run.ts'

type PageOutcome = Extract<Outcome, { type: 'page' }>

/** Reasons of retries that change the lane, in addition to those of a failed render. */
const scriptOnly = 'script_only'
/** No fetcher takes browser orders. */
const noBrowser = 'no_browser'
const usedUp = 'cloud_pages_used_up'
/** The reason of a fetcher without a browser. */
const notConfigured = 'not_configured'

/** After this number of consecutive silences the run assumes that no browser exists. */
const maxSilences = 1
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

/** Whether a retry for this reason says that there is no browser for any page. */
export const saysOff = (reason: string): boolean => reason === noBrowser || reason === notConfigured

/** Applies the change of lane to the run and the page. Call it while no order of the page is in flight. */
export function changeLane(run: Running, pending: Pending, lane: Lane): void {
  if (pending.lane === 'browser') run.rendering.pending--
  if (lane === 'browser') run.rendering.pending++
  pending.lane = lane
}

/** The run sends no more browser orders. Orders in flight return by themselves. */
export function turnOff(run: Running): void {
  run.rendering.isOff = true
  for (const pending of run.pending.values()) {
    if (pending.lane !== 'browser' || pending.order !== null) continue
    pending.lane = 'http'
    run.rendering.pending--
  }
  run.rechecks.rendered.clear()
}

/** Pages that may still be rendered within the project's quota. */
export const cloudLeftOf = ({ run, cloudAllowance }: Pick<Decision, 'run' | 'cloudAllowance'>): number =>
  cloudAllowance.pages - spentBy(run).cloud_page - run.rendering.out - run.rechecks.rendered.size

/** Number of orders that browsers may receive now, for a host with this window. */
export const freeBrowsers = (decision: Decision, hostWindow: number): number =>
  Math.min(cloudLeftOf(decision), idleBrowsers(decision.run, hostWindow))

/** The same for second requests, which hold their cloud pages already. */
export const idleBrowsers = ({ rendering }: Running, hostWindow: number): number =>
  Math.min(maxOut, hostWindow) - rendering.out

/** An answer of the page's previous lane is discarded: the later order is billed, and this one is not. */
export const isOfItsLane = ({ rendered }: PageOutcome, { lane }: Pending): boolean =>
  (rendered ?? false) === (lane === 'browser')

/** Whether a fetched page must be rendered instead of settled. */
export function isToBeRendered(
  decision: Decision,
  { isScriptOnly }: PageOutcome,
  { lane }: Pending,
): boolean {
  const { run, cloudAllowance } = decision
  if (!isScriptOnly || lane !== undefined || run.settings.render !== 'auto' || run.rendering.isOff)
    return false
  return !cloudAllowance.isFinal || cloudLeftOf(decision) > unpaidOf(run)
}

/** Orders a page from a browser, as its next attempt. */
export function render({ emit, at }: Decision, key: string, { attempt }: Pending): void {
  const page = { key, reason: scriptOnly, attempt: attempt + 1, notBefore: at, lane: 'browser' as const }
  emit({ type: 'PagesRetried', data: { pages: [page] } })
}

/** Fetches a page that could not be rendered over plain HTTP, as its last lane. */
export function goOnPlainly({ emit, at }: Decision, key: string, reason: string, { attempt }: Pending): void {
  emit({ type: 'PagesRetried', data: { pages: [plainly(key, reason, attempt, at)] } })
}

/** After a silence the run assumes that no browser exists. */
export function doWithoutBrowsers(decision: Decision): void {
  const { silences, rendering } = decision.run
  if (silences >= maxSilences && rendering.out > 0) leaveBrowsers(decision, noBrowser, true)
}

/** Without cloud pages left, pages that need no browser are fetched over plain HTTP. */
export function leaveUnpaid(decision: Decision): void {
  const { run, cloudAllowance } = decision
  if (run.settings.render !== 'auto' || unpaidOf(run) === 0) return
  if (!cloudAllowance.isFinal || cloudLeftOf(decision) > 0) return
  leaveBrowsers(decision, usedUp, false)
}

/** Counts the pages for a browser that hold no cloud page yet. */
export const unpaidOf = ({ rendering, rechecks }: Running): number =>
  rendering.pending - rendering.out - rechecks.rendered.size

/** @param areOut whether to take the pages for a browser that are in flight, or those that are not */
function leaveBrowsers({ run, emit, at }: Decision, reason: string, areOut: boolean): void {
  const pages = [...run.pending].flatMap(([key, { lane, order, attempt }]) =>
    lane === 'browser' && (order !== null) === areOut && !run.rechecks.rendered.has(key)
      ? [plainly(key, reason, attempt, at)]
      : [],
  )
  if (pages.length > 0) emit({ type: 'PagesRetried', data: { pages } })
}

const plainly = (key: string, reason: string, attempt: number, at: string) => ({
  ...{ key, reason, attempt: attempt + 1, notBefore: at },
  lane: 'http' as const,
})
