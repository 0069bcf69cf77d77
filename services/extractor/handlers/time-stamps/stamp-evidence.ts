/** Stamps evidence once: later requests for the same facts return what was stamped first. */
import type { StampEvidence, StampEvidenceAnswer } from '@tidemark/contracts/rpc/time-stamp'
import type { Authority } from '../../adapters/time-stamps/authority.ts'
import type { StoredStamp, TimeStamps } from '../../adapters/time-stamps/stored-stamps.ts'
import { stampedDigest } from '../../domain/time-stamps/request.ts'

type Ports = {
  stamps: TimeStamps
  /** Null: none is configured. Stored time-stamps are returned nevertheless. */
  authority: Pick<Authority, 'stamp'> | null
}

/** Returns the handler of `stampEvidence`. Of two requests at once, both return the evidence that was stored first. */
export const stampEvidence =
  ({ stamps, authority }: Ports) =>
  async ({ signedText, signature, ...facts }: StampEvidence): Promise<StampEvidenceAnswer> => {
    const stored = await stamps.find(facts)
    if (stored !== null) return answerOf(stored)
    const made = authority === null ? 'off' : await authority.stamp(stampedDigest(signedText, signature))
    if (typeof made === 'string') return { stamped: null, why: made }
    return answerOf(await stamps.keep(facts, { signedText, signature, ...made }))
  }

const answerOf = ({ token, ...stamp }: StoredStamp): StampEvidenceAnswer => ({
  stamped: { ...stamp, token: token.toString('base64') },
  why: null,
})
