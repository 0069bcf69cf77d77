/** Interprets an origin's robots.txt, or its absence, for the run (RFC 9309, 2.3.1). */

import type { RunEvent } from '@tidemark/contracts/run'
import type { RobotsGroup } from '@tidemark/contracts/site-file'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { bounded, memoryOf } from '@tidemark/robots/bounded'
import { groupFor } from '@tidemark/robots/group'
import { parseRobots } from '@tidemark/robots/parse'
import { productTokenOf } from '@tidemark/robots/token'
import { inScope, isOwnSite } from '@tidemark/url/scope'
import type { Decision } from './circumstances.ts'
import { type Forbidden, skipped } from './discover.ts'
import { attemptAfter, earlierThan } from './retry.ts'
import { originOf, type Pending, type Running } from './run.ts'

/** Maximum bytes of the rules of all origins of a run. */
const maxRules = 32_000_000
const noRules: RobotsGroup = { rules: [], crawlDelay: null }

type Of<Type extends Outcome['type']> = Extract<Outcome, { type: Type }>
type Answered = Pick<Of<'robots'>, 'type' | 'origin' | 'attempt' | 'status' | 'body' | 'bodyHash'>
type Failed = Pick<Of<'robots_failed'>, 'type' | 'origin' | 'attempt' | 'reason' | 'transient'>

/**
 * Applies the robots.txt of an origin to the run. The pages that waited for it join their queue, and are judged by it
 * when they are due. A failure of another attempt than the one in flight changes nothing: a failure that is delivered
 * again must not end the next attempt.
 */
export function settleRobots(decision: Decision, outcome: Answered | Failed): void {
  const known = decision.run.robots.get(outcome.origin)
  if (known?.state !== 'ordered') return
  if (isFailure(outcome) && outcome.attempt !== known.attempt) return
  const retried = isWorthAnother(outcome) ? again(known.attempt, decision.now) : null
  if (retried) decision.emit({ type: 'RobotsRetried', data: { origin: outcome.origin, ...retried } })
  else if (outcome.type === 'robots_failed') fail(decision, outcome)
  else read(decision, outcome)
}

/** Returns the event for a forbidden page: it is skipped, but a seed whose robots.txt could not be fetched fails. */
export function endOfForbidden(
  { robots }: Running,
  { found, attempt }: Pick<Pending, 'found' | 'attempt'>,
  forbidden: Forbidden,
): RunEvent {
  const known = robots.get(originOf(found.url))
  if (found.depth > 0 || known?.state !== 'failed') return skipped(found, forbidden)
  // The page itself was not requested in this attempt. Its host was requested for robots.txt instead.
  const attempts = attempt - 1 + known.attempt - (known.unused ?? 0)
  const failure = { key: found.key, reason: known.reason, attempts }
  return { type: 'PagesFailed', data: { pages: [failure] } }
}

const again = (attempt: number, now: number) =>
  attemptAfter('robots', attempt, { now, earlier: earlierThan('robots', attempt) })

const isWorthAnother = (outcome: Answered | Failed): boolean =>
  outcome.type === 'robots_failed' ? outcome.transient : isServersFault(outcome.status)

const isFailure = (outcome: Answered | Failed): boolean =>
  outcome.type === 'robots_failed' || isServersFault(outcome.status)

const isServersFault = (status: number): boolean => status >= 500 || status === 429

function fail({ emit }: Decision, { origin, reason }: Pick<Failed, 'origin' | 'reason'>): void {
  emit({ type: 'RobotsFailed', data: { origin, reason } })
}

/**
 * Emits the rules of a robots.txt. If the client has set a user agent that the origin receives, the rules for its name
 * apply. Rules above the run's capacity forbid everything, like a missing response.
 */
function read(decision: Decision, outcome: Answered): void {
  const { run, emit, robotsToken } = decision
  const { origin, status, body, bodyHash } = outcome
  const readable = status >= 200 && status < 300
  const verdict = readable ? 'rules' : isServersFault(status) ? 'disallow_all' : 'allow_all'
  const token = tokenAt(run, origin) || robotsToken
  const group = readable ? bounded(groupFor(parseRobots(body), token)) : noRules
  if (run.rulesText + memoryOf(group) > maxRules) fail(decision, { origin, reason: 'too_many_rules' })
  else emit({ type: 'RobotsRead', data: { origin, status, verdict, group, bodyHash } })
}

/** Returns the product token of the User-Agent that the client has set for an origin, or the empty string. */
function tokenAt(run: Running, origin: string): string {
  const { userAgent = '', robotsToken } = run.settings
  const own = receivesHeaders(run, origin) ? robotsToken : undefined
  return own ?? productTokenOf(userAgent)
}

/**
 * Returns whether an origin receives the headers and cookies of the client. The sitemaps of a site may be at a host
 * that the crawl does not include.
 */
export function receivesHeaders({ url, scope, mayMoveTo }: Running, origin: string): boolean {
  const isCrawled = inScope(scope, `${origin}/`) || (mayMoveTo !== null && inScope(mayMoveTo, `${origin}/`))
  return isCrawled && isOwnSite(url, origin)
}
