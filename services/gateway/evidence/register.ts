/** Registers the routes of evidence: the proofs and the policy of crawls, and for everyone the keys that verify them. */
import type { Bus } from '@tidemark/bus/connection'
import { EvidenceKeys } from '@tidemark/contracts/http/evidence'
import type { OfProject } from '@tidemark/db/of-project'
import type { App } from '../app.ts'
import type { EvidenceKeyring } from './adapters/evidence-keys.ts'
import { openHostPolicies } from './adapters/host-policies.ts'
import { openHostTimes } from './adapters/host-times.ts'
import { openLeafReads } from './adapters/leaf-reads.ts'
import { openStamp } from './adapters/time-stamps.ts'
import { evidenceRoutes, readSlots } from './evidence.ts'
import { type PolicyPorts, policyRoute } from './policy.ts'
import type { ProvePorts } from './prove.ts'

type Needs = {
  bus: Bus
  reads: OfProject
  evidenceKeys: EvidenceKeyring
  /** Whether a Time-Stamp Authority stamps evidence. */
  hasTimeStamps: boolean
  report: (error: unknown) => void
} & Pick<ProvePorts, 'hasRun' | 'now'> &
  Pick<PolicyPorts, 'findRun'>

export function registerEvidence(app: App, needs: Needs): void {
  const { bus, reads, evidenceKeys, hasTimeStamps, report, hasRun, findRun, now } = needs
  const { signer } = evidenceKeys
  const stamp = hasTimeStamps ? openStamp(bus, report) : null
  const leafReads = openLeafReads(reads)
  const acquire = readSlots()
  evidenceRoutes(app, { leafReads, hasRun, signer, stamp, now, acquire })
  policyRoute(app, {
    ...{ leafReads, hasRun, findRun, acquire },
    policies: openHostPolicies(bus),
    timesOf: openHostTimes(reads),
  })
}

/** Adds the route of the public keys. Call it outside of the scope that requires a key of a project. */
export function registerEvidenceKeys(app: App, { evidenceKeys }: Pick<Needs, 'evidenceKeys'>): void {
  app.get(
    '/v1/evidence-keys',
    {
      schema: {
        operationId: 'listEvidenceKeys',
        summary: 'List the keys that verify evidence',
        tags: ['Evidence'],
        description:
          'Public: a JSON Web Key Set (RFC 7517) of Ed25519 keys. Keep a copy with the evidence, so that it verifies without this installation.',
        response: { 200: EvidenceKeys },
      },
    },
    async () => ({ keys: evidenceKeys.published }),
  )
}
