/** The texts of evidence that are hashed and signed. Their form never changes: another form needs another version. */
import { hash } from 'node:crypto'
import {
  type Evidence,
  type EvidenceLeaf,
  type EvidenceStatement,
  leafColumns,
} from '@tidemark/contracts/http/evidence'

/** The first line of each signed text, so that a signature of this key cannot be used for any other text. */
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

/** Returns the evidence of a signed text. The text is from this service. */
export const evidenceOf = (signed_text: string, signature: string): Evidence => ({
  statement: JSON.parse(signed_text.slice(version.length + 1)),
  signed_text,
  signature,
})

/** Returns the SHA-256 of the facts without the time of their signature: equal as long as the crawl and the key are. */
export const factsHash = ({ signed_at: _, ...facts }: EvidenceStatement): string =>
  hash('sha256', JSON.stringify(facts), 'hex')
