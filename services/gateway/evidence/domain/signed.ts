/** The texts of evidence that are hashed and signed. Their form never changes: another form needs another version. */
import {
  type Evidence,
  type EvidenceLeaf,
  type EvidenceStatement,
  leafColumns,
} from '@tidemark/contracts/http/evidence'

/** The first line of each signed text, so that a signature of this key means nothing else. */
const version = 'tidemark-evidence-v1'

/** A key that signs. Its private part stays outside. */
export type Signer = { keyid: string; sign(text: string): Buffer }

/** Returns the leaf as canonical JSON (RFC 8785): its names are sorted, its numbers are integers. */
export const leafText = (leaf: EvidenceLeaf): string => JSON.stringify(leaf, leafColumns)

/** Signs the facts. */
export function signedEvidence(facts: Omit<EvidenceStatement, 'key_id'>, { keyid, sign }: Signer): Evidence {
  const unsorted = { ...facts, key_id: keyid }
  const statement = Object.fromEntries(
    Object.entries(unsorted).sort(([a], [b]) => (a < b ? -1 : 1)),
  ) as typeof unsorted
  const signed_text = `${version}\n${JSON.stringify(statement)}`
  return { statement, signed_text, signature: sign(signed_text).toString('base64') }
}
