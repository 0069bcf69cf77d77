/** A request to the extractor for a time-stamp (RFC 3161) of signed evidence of a crawl. */
import { type Static, Type } from 'typebox'
import { Id, oneOf, orNull, Sha256, Timestamp } from '../primitives.ts'
import { rpc } from './rpc.ts'

/**
 * Returns the evidence that was stamped for these facts before, or stamps this one and stores it. Equal facts always have
 * the same evidence, until their run is deleted.
 */
export const StampEvidence = Type.Object({
  projectId: Id,
  runId: Id,
  /** Hash of the signed facts without the time of the signature. */
  factsHash: Sha256,
  signedText: Type.String({ maxLength: 100_000 }),
  /** In base64. */
  signature: Type.String({ maxLength: 1_000 }),
})
export type StampEvidence = Static<typeof StampEvidence>

const StampedEvidence = Type.Object({
  signedText: Type.String(),
  signature: Type.String(),
  genTime: Timestamp,
  /** An object identifier. */
  policy: Type.String(),
  /** In hex. */
  serialNumber: Type.String(),
  /** Subject of the certificate that signed the token. */
  tsa: Type.String(),
  /** The `TimeStampToken` in base64. */
  token: Type.String(),
})
export type StampedEvidence = Static<typeof StampedEvidence>

/**
 * `off`: the extractor has no authority. `unreached`: it could not be connected. `late`: it did not reply in time. `refused`:
 * it replied without a token. `invalid`: its reply was not one to this request. `limited`: the project has used its requests of
 * this UTC day.
 */
const Unstamped = oneOf(['off', 'unreached', 'late', 'refused', 'invalid', 'limited'])
export type Unstamped = Static<typeof Unstamped>

/** Either `stamped` or `why` is null. */
export const StampEvidenceResponse = Type.Object({ stamped: orNull(StampedEvidence), why: orNull(Unstamped) })
export type StampEvidenceResponse = Static<typeof StampEvidenceResponse>

/** Maximum number of requests of a project to the authority in a UTC day, because authorities limit or charge them. */
export const maxStampsPerDay = 100

/** Maximum milliseconds for the reply of the authority. Callers wait a little longer. */
export const authorityMs = 10_000

export const stampEvidence = rpc({
  subject: 'ask.content.stamp',
  request: StampEvidence,
  response: StampEvidenceResponse,
  callers: ['gateway'],
  server: 'extractor',
})
