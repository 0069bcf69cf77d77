/**
 * Requests time-stamps of evidence from the extractor, which sends them to the authority and stores them. A gateway connects
 * to no server outside of the installation.
 */
import type { Bus } from '@tidemark/bus/connection'
import { Refusal } from '@tidemark/bus/refusal'
import { call } from '@tidemark/bus/rpc'
import type { Evidence } from '@tidemark/contracts/http/evidence'
import type { StampEvidenceResponse, StampedEvidence, Unstamped } from '@tidemark/contracts/rpc/time-stamp'
import * as timeStampRpc from '@tidemark/contracts/rpc/time-stamp'
import type { OfRun } from '../../read-model/adapters/crawled-pages.ts'
import { evidenceOf, factsHash } from '../domain/signed.ts'

/** `why` is the reason why the evidence has no time-stamp; null: it has one. */
export type Stamped = { evidence: Evidence; why: Unstamped | 'unavailable' | 'no_pages' | null }

/**
 * Returns the evidence of these facts that was stamped first, with its time-stamp. If no time-stamp is available, it
 * does not reject, and returns the given evidence with `timestamp: null`.
 */
export type Stamp = (run: OfRun, evidence: Evidence) => Promise<Stamped>

const timeoutMs = timeStampRpc.authorityMs + 2_000

export function openStamp(bus: Bus, report: (error: unknown) => void): Stamp {
  async function request(
    { projectId, runId }: OfRun,
    evidence: Evidence,
  ): Promise<StampEvidenceResponse | null> {
    const { statement, signed_text: signedText, signature } = evidence
    const wanted = { projectId, runId, factsHash: factsHash(statement), signedText, signature }
    try {
      return await call(bus, timeStampRpc.stampEvidence, wanted, { timeoutMs })
    } catch (error) {
      // A refusal is expected: the extractor is away, or has many such requests.
      if (!(error instanceof Refusal)) report(error)
      return null
    }
  }

  return async (run, evidence) => {
    const { stamped, why } = (await request(run, evidence)) ?? { stamped: null, why: 'unavailable' as const }
    return stamped === null
      ? { evidence: { ...evidence, timestamp: null }, why: why ?? 'unavailable' }
      : { evidence: stampedEvidence(stamped), why: null }
  }
}

const stampedEvidence = ({ signedText, signature, ...stamp }: StampedEvidence): Evidence => ({
  ...evidenceOf(signedText, signature),
  timestamp: {
    gen_time: stamp.genTime,
    tsa: stamp.tsa,
    policy: stamp.policy,
    serial_number: stamp.serialNumber,
    token: stamp.token,
  },
})
