/**
 * The reply of a Time-Stamp Authority (RFC 3161, 2.4.2). A token is accepted if it answers this request, and if its
 * signature verifies by a certificate in the reply.
 */
import { context, DerError, DerReader, readHex, readNumber, readOid, readTime, tags } from './der.ts'
import type { Wanted } from './request.ts'
import { algorithmOf, openSignedData } from './signed-data.ts'

export type Token = {
  /** RFC 3339, cut to milliseconds. */
  genTime: string
  policy: string
  /** In hex. */
  serialNumber: string
  /** Subject of the certificate that signed. */
  tsa: string
  /** The `TimeStampToken` in DER. */
  token: Buffer
}

/** `refused`: the authority refused the request. `invalid`: its reply does not match the request. */
export class ReplyFault extends Error {
  override readonly name = 'ReplyFault'
  readonly why: 'refused' | 'invalid'

  constructor(why: ReplyFault['why'], message: string) {
    super(message)
    this.why = why
  }
}

const tstInfo = '1.2.840.113549.1.9.16.1.4'
const sha256 = '2.16.840.1.101.3.4.2.1'
/** The statuses `granted` and `grantedWithMods`. */
const grantedStatuses: ReadonlySet<number> = new Set([0, 1])
const maxStatusText = 200

/** @throws ReplyFault and nothing else */
export function readReply(body: Buffer, wanted: Wanted): Token {
  try {
    const reply = new DerReader(body).enterLast(tags.sequence)
    const { status, details } = readStatus(reply.enter(tags.sequence))
    if (!grantedStatuses.has(status)) throw new ReplyFault('refused', `status ${status}${details}`)
    const { whole: token } = reply.next()
    reply.end()
    return { ...readToken(token, wanted), token }
  } catch (error) {
    throw error instanceof DerError ? new ReplyFault('invalid', error.message) : error
  }
}

/** Reads a PKIStatusInfo. `details` has its failure bits and its text, for the log of the operator. */
function readStatus(info: DerReader): { status: number; details: string } {
  const status = readNumber(info.take(tags.integer))
  const texts = info.optional(tags.sequence)
  const failure = info.optional(tags.bits)
  info.end()
  const bits = failure === null ? '' : `, failInfo ${failure.subarray(1).toString('hex')}`
  return { status, details: `${bits}${texts === null ? '' : firstText(texts)}` }
}

function firstText(bytes: Buffer): string {
  const texts = new DerReader(bytes)
  if (texts.isAtEnd) return ''
  return `: ${texts
    .next()
    .content.toString()
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, maxStatusText)}`
}

function readToken(token: Buffer, { digest, nonce }: Wanted): Omit<Token, 'token'> {
  const { content, subject } = openSignedData(token, tstInfo)
  const info = new DerReader(content).enterLast(tags.sequence)
  if (readNumber(info.take(tags.integer)) !== 1) throw new DerError('the token has an unknown version')
  const policy = readOid(info.take(tags.oid))
  const imprint = info.enter(tags.sequence)
  const isSha256 = algorithmOf(imprint) === sha256
  const stamped = imprint.take(tags.octets)
  imprint.end()
  if (!isSha256 || !stamped.equals(digest)) throw new DerError('the token is of another hash')
  const serialNumber = readHex(info.take(tags.integer))
  const genTime = readTime(info.take(tags.time))
  info.optional(tags.sequence)
  info.optional(tags.boolean)
  if (info.optional(tags.integer)?.equals(nonce) !== true) throw new DerError('the token has another nonce')
  info.optional(context(0))
  info.optional(context(1))
  info.end()
  return { genTime, policy, serialNumber, tsa: subject }
}
