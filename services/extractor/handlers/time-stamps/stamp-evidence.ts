/**
 * Stamps evidence once: later requests for the same facts return what was stamped first. A project may request a
 * limited number of new time-stamps each day.
 */
import type { StampEvidence, StampEvidenceResponse, Unstamped } from '@tidemark/contracts/rpc/time-stamp'
import type { Authority } from '../../adapters/time-stamps/authority.ts'
import type { DailyRequests } from '../../adapters/time-stamps/daily-requests.ts'
import type { StoredStamp, TimeStamps } from '../../adapters/time-stamps/stored-stamps.ts'
import type { Token } from '../../domain/time-stamps/reply.ts'
import { stampedDigest } from '../../domain/time-stamps/request.ts'

type Ports = {
  stamps: TimeStamps
  requests: DailyRequests
  /** Null: none is configured. Stored time-stamps are returned nevertheless. */
  authority: Pick<Authority, 'stamp' | 'paused'> | null
}

/** Returns the handler of `stampEvidence`. Two concurrent requests both return the evidence that was stored first. */
export function stampEvidence({ stamps, requests, authority }: Ports) {
  return async (evidence: StampEvidence): Promise<StampEvidenceResponse> => {
    const { projectId, runId, factsHash, signedText, signature } = evidence
    const facts = { runId, factsHash }
    const stored = await stamps.find(facts)
    if (stored !== null) return answerOf(stored)
    const made = await request(projectId, stampedDigest(signedText, signature))
    if (typeof made === 'string') return { stamped: null, why: made }
    return answerOf(await stamps.keep(facts, { signedText, signature, ...made }))
  }

  async function request(projectId: number, digest: Buffer): Promise<Token | Unstamped> {
    if (authority === null) return 'off'
    const why = authority.paused()
    if (why !== null) return why
    if (!(await requests.take(projectId))) return 'limited'
    const made = await authority.stamp(digest)
    if (made === 'unreached') await requests.giveBack(projectId)
    return made
  }
}

const answerOf = ({ token, ...stamp }: StoredStamp): StampEvidenceResponse => ({
  stamped: { ...stamp, token: token.toString('base64') },
  why: null,
})
