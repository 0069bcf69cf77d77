/** What an origin's robots.txt, or its absence, means for the run (RFC 9309, 2.3.1). */
import type { RobotsGroup } from '@tidemark/contracts/run'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { groupFor } from '@tidemark/robots/group'
import { parseRobots } from '@tidemark/robots/parse'
import { productTokenOf } from '@tidemark/robots/token'
import type { Decision } from './decision.ts'
import { forbiddenBy } from './discover.ts'
import { originOf, type Running } from './run.ts'

const attempts = 3
const waitMs = 1_000
const noRules: RobotsGroup = { rules: [], crawlDelay: null }

type Answered = Pick<Extract<Outcome, { type: 'robots' }>, 'type' | 'origin' | 'status' | 'body' | 'bodyHash'>
type Failed = Pick<Extract<Outcome, { type: 'robots_failed' }>, 'type' | 'origin' | 'reason' | 'transient'>

/** Takes an origin's answer into the run, and releases or skips the pages that waited for it. */
export function settleRobots(decision: Decision, outcome: Answered | Failed): void {
  const known = decision.run.robots.get(outcome.origin)
  if (known?.state !== 'ordered') return
  const waiting = [...(decision.run.awaitingRobots.get(outcome.origin) ?? [])]
  if (isWorthAnother(outcome) && known.attempt < attempts) retry(decision, outcome.origin, known.attempt)
  else {
    if (outcome.type === 'robots_failed') fail(decision, outcome)
    else read(decision, outcome)
    skipForbidden(decision, waiting)
  }
}

const isWorthAnother = (outcome: Answered | Failed): boolean =>
  outcome.type === 'robots_failed' ? outcome.transient : isServersFault(outcome.status)

const isServersFault = (status: number): boolean => status >= 500 || status === 429

function retry({ emit, now }: Decision, origin: string, attempt: number): void {
  const notBefore = new Date(now + waitMs * attempt).toISOString()
  emit({ type: 'RobotsRetried', data: { origin, attempt: attempt + 1, notBefore } })
}

function fail({ emit }: Decision, { origin, reason }: Failed): void {
  emit({ type: 'RobotsFailed', data: { origin, reason } })
}

/** A client that gives itself a name is judged by that name. */
function read({ run, emit, robotsToken }: Decision, outcome: Answered): void {
  const { origin, status, body, bodyHash } = outcome
  const readable = status >= 200 && status < 300
  const verdict = readable ? 'rules' : isServersFault(status) ? 'disallow_all' : 'allow_all'
  const group = readable ? groupFor(parseRobots(body), tokenOfRun(run, robotsToken)) : noRules
  emit({ type: 'RobotsRead', data: { origin, status, verdict, group, bodyHash } })
}

const tokenOfRun = ({ settings: { userAgent } }: Running, ours: string): string =>
  (userAgent && productTokenOf(userAgent)) || ours

/** The seed fails with its robots.txt when that could not be fetched at all; other pages are skipped. */
function skipForbidden({ run, emit }: Decision, keys: string[]): void {
  for (const key of keys) {
    const pending = run.pending.get(key)
    const forbidden = pending && forbiddenBy(run, pending.found.url)
    if (!forbidden) continue
    const { url, from, depth } = pending.found
    const reason = networkFailure(run, url)
    if (depth === 0 && reason) emit({ type: 'PagesFailed', data: { pages: [{ key, reason, attempts }] } })
    else {
      const page = { key, url, from, rule: forbidden.rule }
      emit({ type: 'PagesSkipped', data: { reason: forbidden.reason, pages: [page] } })
    }
  }
}

function networkFailure({ robots }: Running, url: string): string | null {
  const known = robots.get(originOf(url))
  return known?.state === 'failed' ? known.reason : null
}
