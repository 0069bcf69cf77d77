/** Registers the routes of evidence: with a key what a crawl stored, and for everyone the keys that verify it. */
import { EvidenceKeys } from '@tidemark/contracts/http/evidence'
import type { OfProject } from '@tidemark/db/of-project'
import type { App } from '../app.ts'
import type { EvidenceKeyring } from './adapters/evidence-keys.ts'
import { openLeafReads } from './adapters/leaf-reads.ts'
import { evidenceRoutes } from './evidence.ts'
import type { ProvePorts } from './prove.ts'

type Needs = { reads: OfProject; evidenceKeys: EvidenceKeyring } & Pick<ProvePorts, 'hasRun' | 'now'>

export function registerEvidence(app: App, { reads, evidenceKeys: { signer }, hasRun, now }: Needs): void {
  evidenceRoutes(app, { leafReads: openLeafReads(reads), hasRun, signer, now })
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
