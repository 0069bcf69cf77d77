/**
 * Whether a link is ok, broken or excluded: two tables, one of what sites answer, one of why there was no answer. A site
 * that turns us away is not broken, for it may well let in whoever clicks.
 */
import type { LinkReason, LinkStatus } from '@tidemark/contracts/http/actor-check-links'
import { answersOfMissing, type LinkAnswer } from '@tidemark/contracts/link-answers'

export type Came =
  /** `challenge`: whose it was. */
  | { is: 'answered'; status: number; challenge: string | null }
  /** `isUnasked`: its turn did not come. */
  | { is: 'failed'; reason: string; message: string; isUnasked?: boolean }

export type LinkVerdict = { status: LinkStatus; reason: LinkReason | null; error: string | null }

const blocked = { status: 'excluded', reason: 'blocked' } as const

/** The first row that fits; what fits none is ok. */
const answers: readonly LinkAnswer[] = [
  { from: 401, ...blocked, says: 'it wants somebody to log in' },
  { from: 403, ...blocked, says: 'it refuses us' },
  { from: 407, ...blocked, says: 'it wants somebody to log in to a proxy' },
  { from: 429, ...blocked, says: 'it was asked too often' },
  { from: 451, ...blocked, says: 'it may not be shown here for legal reasons' },
  { from: 999, ...blocked, says: 'it refuses us' },
  { from: 301, to: 303, status: 'broken', reason: 'bad_redirect', says: 'it redirects to no address' },
  { from: 307, to: 308, status: 'broken', reason: 'bad_redirect', says: 'it redirects to no address' },
  ...answersOfMissing,
  { from: 400, to: 499, status: 'broken', reason: 'client_error', says: 'the request was not accepted' },
  { from: 500, to: 599, status: 'broken', reason: 'server_error', says: 'its server failed' },
  { from: 600, to: 998, status: 'broken', reason: 'protocol', says: 'it is no status of HTTP' },
]

/** Reasons of failures, as the fetcher and the reading of robots.txt name them. */
const failures: ReadonlyMap<string, readonly [LinkStatus, LinkReason]> = new Map([
  ['private_address', ['excluded', 'private_address']],
  ['blocked_domain', ['excluded', 'blocked_domain']],
  ['robots', ['excluded', 'robots']],
  ['bad_url', ['excluded', 'unsupported_url']],
  ['aborted', ['excluded', 'not_asked']],
  ['no_room', ['excluded', 'not_asked']],
  ['not_configured', ['excluded', 'not_asked']],
  ['dns', ['broken', 'dns']],
  ['connect', ['broken', 'connect']],
  ['proxy', ['broken', 'connect']],
  ['tls', ['broken', 'tls']],
  ['timeout', ['broken', 'timeout']],
  ['too_large', ['broken', 'too_large']],
  ['too_many_redirects', ['broken', 'too_many_redirects']],
  ['protocol', ['broken', 'protocol']],
])

export function linkVerdict(came: Came): LinkVerdict {
  return came.is === 'answered' ? ofAnswer(came) : ofFailure(came)
}

/** For the failures of which nothing went out. */
export const isUnasked = ({ reason, isUnasked = false }: Extract<Came, { is: 'failed' }>): boolean =>
  isUnasked || (failures.get(reason) ?? brokenAnswer)[0] === 'excluded'

function ofAnswer({ status, challenge }: Extract<Came, { is: 'answered' }>): LinkVerdict {
  if (challenge !== null) {
    return { ...blocked, error: `${status}: the site showed a challenge (${challenge}) instead of its page` }
  }
  const row = answers.find(({ from, to = from }) => status >= from && status <= to)
  if (row === undefined) return { status: 'ok', reason: null, error: null }
  return { status: row.status, reason: row.reason, error: `${status}: ${row.says}` }
}

function ofFailure({ reason: why, message, isUnasked }: Extract<Came, { is: 'failed' }>): LinkVerdict {
  if (why === 'timeout' && isUnasked) {
    return { status: 'excluded', reason: 'not_asked', error: 'Its turn did not come in time.' }
  }
  const [status, reason] = failures.get(why) ?? brokenAnswer
  return { status, reason, error: firstLine(message) }
}

/** Libraries of encryption say where in their source it was. */
const firstLine = (message: string): string => message.split('\n', 1)[0]?.slice(0, longestError) ?? ''
const longestError = 300

/** Of what nobody has a row for. */
const brokenAnswer = ['broken', 'protocol'] as const
