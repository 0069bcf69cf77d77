/**
 * Runs the steps of a decision. Each event changes the run at once, so that the next step of the same decision sees
 * it. Events of one kind are merged, so that a batch of fifty outcomes makes a handful of events.
 *
 * The caller therefore owns the run: if the events cannot be appended, the run is dropped and folded again from its
 * stream.
 */
import type { RunEvent } from '@tidemark/contracts/run'
import type { FoundLink, Outcome } from '@tidemark/contracts/work/outcome'
import { type Circumstances, type Decision, maxUrls } from './circumstances.ts'
import { evolve } from './evolve/evolve.ts'
import type { Run, Running } from './run.ts'

/** Maximum number of characters about URLs that one decision emits without outcomes. */
const maxText = 1_000_000

/** The order of one decision's events. Applying them again in this order leads to the same run. */
const rank: Record<RunEvent['type'], number> = {
  RunQueued: 0,
  RunStarted: 1,
  RunPaused: 2,
  RunResumed: 3,
  ScopeMoved: 4,
  RobotsRead: 5,
  RobotsFailed: 6,
  RobotsRetried: 7,
  LoggedIn: 8,
  LoginRetried: 9,
  LoginFailed: 10,
  LoggedOut: 11,
  LinksFollowed: 12,
  SitemapRead: 13,
  SitemapFailed: 14,
  SitemapRetried: 15,
  PagesSettled: 16,
  PagesDuplicated: 17,
  PagesRetried: 18,
  PagesFailed: 19,
  PagesDeferred: 20,
  PagesAdmitted: 21,
  PagesSkipped: 22,
  PagesFiltered: 23,
  PagesPruned: 24,
  FrontierFilled: 25,
  LoginOrdered: 26,
  RobotsOrdered: 27,
  SitemapOrdered: 28,
  PagesOrdered: 29,
  RunFinished: 30,
  RunReopened: 31,
  RunDeleted: 32,
}

/** Applies the steps to a running run, and returns the resulting run and the events to append. */
export function deciding(
  run: Running,
  circumstances: Circumstances,
  steps: (decision: Decision) => void,
): { run: Run; events: RunEvent[] } {
  const gathered = new Map<string, RunEvent>()
  const sum = { urls: 0, text: 0 }
  let after: Run = run
  const emit = (event: RunEvent) => {
    after = evolve(after, event, circumstances.at)
    count(sum, event)
    gather(gathered, event)
  }
  const mayEmit = () => {
    const hasCapacity = sum.urls < maxUrls && sum.text < maxText
    run.isUnfinished ||= !hasCapacity
    return hasCapacity
  }
  const now = Date.parse(circumstances.at)
  run.decidedAt = now
  run.isUnfinished = false
  steps({ ...circumstances, run, now, emit, mayEmit })
  const events = [...gathered.values()].sort((a, b) => rank[a.type] - rank[b.type])
  return { run: after, events }
}

function count(sum: { urls: number; text: number }, event: RunEvent): void {
  if (!('pages' in event.data)) return
  for (const page of event.data.pages as PageText[]) {
    sum.urls++
    sum.text += (page.url?.length ?? 0) + (page.rule?.length ?? 0) + (page.because?.length ?? 0)
  }
}

/** The texts of an event about a page. */
type PageText = { url?: string; rule?: string | null; because?: string }

function gather(gathered: Map<string, RunEvent>, event: RunEvent): void {
  const kind = kindOf(event)
  const present = gathered.get(kind)
  if (present) listIn(present).push(...listIn(event))
  else gathered.set(kind, event)
}

/** Returns the list of an event, which is merged with the lists of other events of the same kind. */
function listIn({ data }: RunEvent): unknown[] {
  if ('pages' in data) return data.pages
  if ('messages' in data) return data.messages
  return 'parts' in data ? data.parts : []
}

/** Returns the kind of an event. Events of one kind have equal fields except their pages, and may be merged. */
function kindOf({ type, data }: RunEvent): string {
  switch (type) {
    case 'PagesDeferred':
      return `${type} ${data.limit}`
    case 'PagesSkipped':
      return `${type} ${data.reason}`
    case 'PagesFiltered':
      return `${type} ${data.by}`
    case 'PagesPruned':
      return `${type} ${data.rule}`
    case 'SitemapOrdered':
    case 'SitemapRead':
    case 'SitemapFailed':
    case 'SitemapRetried':
      return `${type} ${data.key}`
    case 'RobotsOrdered':
    case 'RobotsRead':
    case 'RobotsFailed':
    case 'RobotsRetried':
      return `${type} ${data.origin}`
    default:
      return type
  }
}

/** Approximate bytes beside a URL in the event that admits it: its key, its depth, its source. */
const aroundLink = 120
const aroundOutcome = 500

/** Returns the approximate bytes that an outcome adds to the events of its decision. */
export function weightOf(outcome: Outcome): number {
  if (outcome.type === 'robots') return aroundOutcome + outcome.body.length
  const links = 'links' in outcome ? outcome.links : []
  const sitemaps = 'sitemaps' in outcome ? outcome.sitemaps : []
  return aroundOutcome + weightOfLinks(links) + weightOfLinks(sitemaps)
}

const weightOfLinks = (links: readonly FoundLink[]): number =>
  links.reduce((sum, [, url]) => sum + url.length + aroundLink, 0)
