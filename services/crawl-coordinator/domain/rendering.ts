/**
 * Which pages a browser renders. Where the run wants those that are nothing without their scripts, a page is fetched
 * plainly first; where it turns out to be an empty shell, a browser has it next. What no browser can render is fetched
 * plainly once more and is then settled as it is.
 */

import type { Lane } from '@tidemark/contracts/subjects'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import type { Decision } from './decision.ts'
import { type Pending, type Running, spentBy } from './run.ts'

type PageOutcome = Extract<Outcome, { type: 'page' }>

/** Reasons of retries that change the lane, beside those of a render that failed. */
const scriptOnly = 'script_only'
/** Nobody takes what is to be rendered. */
const noBrowser = 'no_browser'
const usedUp = 'cloud_pages_used_up'
/** As a fetcher says that it has none. */
const notConfigured = 'not_configured'

/** So many times in a row nothing comes back before it is taken that nobody renders. */
const mostSilences = 1
/** Orders of a run that browsers have at once: each keeps one for seconds. */
const mostOut = 8

/** By what a page is fetched first; undefined where that is for the page to say. */
export function firstLane({
  settings,
  rendering,
}: Pick<Running, 'settings' | 'rendering'>): Lane | undefined {
  if (settings.render !== 'always') return undefined
  return rendering.isOff ? 'http' : 'browser'
}

/** Whether a retry for this reason says that there is no browser for any page. */
export const saysOff = (reason: string): boolean => reason === noBrowser || reason === notConfigured

/** What a retry that changes the lane changes in the run and the page. To be called when no order of it is out. */
export function changeLane(run: Running, pending: Pending, lane: Lane, reason: string): void {
  if (pending.lane === 'browser') run.rendering.pending--
  if (lane === 'browser') run.rendering.pending++
  pending.lane = lane
  if (lane === 'http' && saysOff(reason)) turnOff(run)
}

/** What is out comes back by itself. */
function turnOff(run: Running): void {
  run.rendering.isOff = true
  for (const pending of run.pending.values()) {
    if (pending.lane !== 'browser' || pending.order !== null) continue
    pending.lane = 'http'
    run.rendering.pending--
  }
}

/** Pages that browsers may still be asked for without spending more than the project may. */
export const cloudLeftOf = ({ run, cloudAllowance }: Pick<Decision, 'run' | 'cloudAllowance'>): number =>
  cloudAllowance.pages - spentBy(run).cloud_page - run.rendering.out

/** How many orders browsers may get now, of a host that has room for so many. */
export const freeBrowsers = (decision: Decision, hostWindow: number): number =>
  Math.min(cloudLeftOf(decision), Math.min(mostOut, hostWindow) - decision.run.rendering.out)

/** An answer of the lane that a page has left is of no use: what was ordered since will be billed, and not this. */
export const isOfItsLane = ({ rendered }: PageOutcome, { lane }: Pending): boolean =>
  (rendered ?? false) === (lane === 'browser')

/** Whether a page that has come is to be rendered, and not settled. */
export function isToBeRendered(
  decision: Decision,
  { isScriptOnly }: PageOutcome,
  { lane }: Pending,
): boolean {
  const { run, cloudAllowance } = decision
  if (!isScriptOnly || lane !== undefined || run.settings.render !== 'auto' || run.rendering.isOff)
    return false
  const waiting = run.rendering.pending - run.rendering.out
  return !cloudAllowance.isFinal || cloudLeftOf(decision) > waiting
}

/** Lets a browser have a page, as its next attempt. */
export function render({ emit, at }: Decision, key: string, { attempt }: Pending): void {
  const page = { key, reason: scriptOnly, attempt: attempt + 1, notBefore: at, lane: 'browser' as const }
  emit({ type: 'PagesRetried', data: { pages: [page] } })
}

/** Fetches plainly, once more and for good, what could not be rendered. */
export function goOnPlainly({ emit, at }: Decision, key: string, reason: string, { attempt }: Pending): void {
  emit({ type: 'PagesRetried', data: { pages: [plainly(key, reason, attempt, at)] } })
}

/** After a silence nobody is expected to render any more. */
export function doWithoutBrowsers(decision: Decision): void {
  const { silences, rendering } = decision.run
  if (silences >= mostSilences && rendering.out > 0) leaveBrowsers(decision, noBrowser, true)
}

/** When no cloud page is left, what only might be rendered is fetched plainly. */
export function leaveUnpaid(decision: Decision): void {
  const { run, cloudAllowance } = decision
  if (run.settings.render !== 'auto' || run.rendering.pending === run.rendering.out) return
  if (!cloudAllowance.isFinal || cloudLeftOf(decision) > 0) return
  leaveBrowsers(decision, usedUp, false)
}

/** @param areOut which of those that are to be rendered: the ones that are out, or the ones that are not */
function leaveBrowsers({ run, emit, at }: Decision, reason: string, areOut: boolean): void {
  const pages = [...run.pending].flatMap(([key, { lane, order, attempt }]) =>
    lane === 'browser' && (order !== null) === areOut ? [plainly(key, reason, attempt, at)] : [],
  )
  if (pages.length > 0) emit({ type: 'PagesRetried', data: { pages } })
}

const plainly = (key: string, reason: string, attempt: number, at: string) => ({
  ...{ key, reason, attempt: attempt + 1, notBefore: at },
  lane: 'http' as const,
})
