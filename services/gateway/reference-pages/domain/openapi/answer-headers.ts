/** Lists the header fields that a response may have. */
import type { ProblemCode } from '@tidemark/contracts/problems'
import { answersOf, type OperationWords } from '../../../reference/domain/operation-words.ts'
import type { Described } from './document.ts'

const ofEvery = ['X-Request-Id']
/** Headers of responses to accepted requests. */
const ofRead = ['X-Warnings']
const ofPrivate = ['RateLimit', 'RateLimit-Policy']

/**
 * Returns the headers of a successful response.
 * @param own headers of this response only
 */
export const headersOfAnswer = ({ security }: Described, own: readonly string[] = []): string[] => [
  ...ofEvery,
  ...ofRead,
  ...(security === undefined ? [] : ofPrivate),
  ...own,
]

/** Headers of errors, which may be sent in another format. */
const ofRefusals = ['Vary']
const ofCode: { readonly [Code in ProblemCode]?: readonly string[] } = {
  unauthorized: ['WWW-Authenticate'],
  timeout: ['Location'],
  unsupported_media_type: ['Accept-Encoding'],
  signup_rate_limited: ['Retry-After'],
  too_many_requests: ['Retry-After'],
  unavailable: ['Retry-After'],
}
/** Headers of an operation's responses of any status. */
const ofOperation = new Set(['X-Pages-Billed', 'X-Cloud-Pages-Billed', 'Deprecation'])

/**
 * Returns the headers of an error response.
 * @param codes the codes with the same status
 */
export function headersOfRefusal(
  described: Described,
  words: OperationWords,
  codes: readonly ProblemCode[],
): string[] {
  const { refusalHeaders = {} } = words
  const listed = Object.values(answersOf(words)).flatMap(({ headers = [] }) => headers)
  const own = listed.filter(name => ofOperation.has(name))
  const all = [
    // A request without a key has no limits to report.
    ...(codes.includes('unauthorized') ? ofEvery : headersOfAnswer(described)),
    ...ofRefusals,
    ...codes.flatMap(code => [...(ofCode[code] ?? []), ...(refusalHeaders[code] ?? [])]),
    ...own,
    ...(own.includes('Deprecation') ? ['Link'] : []),
  ]
  return [...new Set(all)]
}
