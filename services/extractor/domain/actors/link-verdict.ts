/**
 * Classifies a link as ok, broken or excluded by two tables: one for responses, one for failures without a response. A
 * site that blocks this service is not broken, because it may serve people.
 */
import type { LinkReason, LinkStatus } from '@tidemark/contracts/http/actors/check-links'
import { answersOfMissing, type LinkAnswer } from '@tidemark/contracts/link-answers'

export type LinkResponse =
  /** `challenge`: the vendor of the challenge. */
  | { is: 'answered'; status: number; challenge: string | null }
  /** `isUnasked`: the link got no host slot, so nothing was requested. */
  | { is: 'failed'; reason: string; message: string; isUnasked?: boolean }

type Answered = Extract<LinkResponse, { is: 'answered' }>
type Failed = Extract<LinkResponse, { is: 'failed' }>

export type LinkVerdict = { status: LinkStatus; reason: LinkReason | null; error: string | null }

const blocked = { status: 'excluded', reason: 'blocked' } as const

/** The first matching row applies. Without a match the link is ok. */
const answers: readonly LinkAnswer[] = [
  { from: 401, ...blocked, explanation: 'it requires a login' },
  { from: 403, ...blocked, explanation: 'it denies access' },
  { from: 407, ...blocked, explanation: 'it requires a login to a proxy' },
  { from: 429, ...blocked, explanation: 'it received too many requests' },
  { from: 451, ...blocked, explanation: 'it is unavailable for legal reasons' },
  { from: 999, ...blocked, explanation: 'it denies access' },
  {
    from: 301,
    to: 303,
    status: 'broken',
    reason: 'bad_redirect',
    explanation: 'it redirects without a valid http(s) URL',
  },
  {
    from: 307,
    to: 308,
    status: 'broken',
    reason: 'bad_redirect',
    explanation: 'it redirects without a valid http(s) URL',
  },
  ...answersOfMissing,
  {
    from: 400,
    to: 499,
    status: 'broken',
    reason: 'client_error',
    explanation: 'the request was not accepted',
  },
  { from: 500, to: 599, status: 'broken', reason: 'server_error', explanation: 'its server failed' },
  {
    from: 600,
    to: 998,
    status: 'broken',
    reason: 'protocol',
    explanation: 'its status is not an HTTP status',
  },
]

/** Reasons of failures, as the fetcher and the robots.txt reader name them. */
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

export const linkVerdict = (response: LinkResponse): LinkVerdict =>
  response.is === 'answered' ? ofAnswer(response) : ofFailure(response)

/** Returns whether a failure came before any request was sent. */
export const wasNotRequested = ({ reason, isUnasked = false }: Failed): boolean =>
  isUnasked || (failures.get(reason) ?? brokenAnswer)[0] === 'excluded'

function ofAnswer({ status, challenge }: Answered): LinkVerdict {
  if (challenge !== null)
    return { ...blocked, error: `${status}: the site showed a challenge (${challenge}) instead of its page` }
  const row = answers.find(({ from, to = from }) => status >= from && status <= to)
  if (row === undefined) return { status: 'ok', reason: null, error: null }
  return { status: row.status, reason: row.reason, error: `${status}: ${row.explanation}` }
}

function ofFailure({ reason: why, message, isUnasked }: Failed): LinkVerdict {
  if (why === 'timeout' && isUnasked)
    return { status: 'excluded', reason: 'not_asked', error: 'The host was busy until the time limit.' }
  const [status, reason] = failures.get(why) ?? brokenAnswer
  return { status, reason, error: firstLine(message) }
}

const maxErrorLength = 300

/** Returns the first line, because TLS libraries add the position in their source code. */
const firstLine = (message: string): string => message.split('\n', 1)[0]?.slice(0, maxErrorLength) ?? ''

/** The verdict for reasons without a row. */
const brokenAnswer = ['broken', 'protocol'] as const
