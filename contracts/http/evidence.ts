/**
 * Evidence of an ended crawl: a Merkle tree over its stored pages (RFC 9162, 2.1) whose root is signed (Ed25519), the
 * leaves of the tree, and the proof that one page is among them.
 */
import { type Static, Type } from 'typebox'
import { count, described, Id, orNull, Sha256, Timestamp } from '../primitives.ts'
import { formatField, nextOffset, warnings, windowOf } from './lists.ts'
import { contentHash } from './pages.ts'

/** In the order of its names, so that its JSON without spaces is canonical (RFC 8785). */
export const EvidenceLeaf = Type.Object(
  {
    address: Type.Optional(
      Type.String({
        description:
          'IP address of the host that sent the page. Absent if it is not known: a proxy or a browser fetched the page, or a fork took it from the store.',
      }),
    ),
    blocked: Type.Boolean({ description: 'The origin returned a challenge instead of its page.' }),
    bytes: Type.Integer({ description: 'Length of the decoded body, in bytes.' }),
    certificate: Type.Optional(
      described(
        Sha256,
        'SHA-256 of the certificate of that host in DER, in hex. Absent if it is not known, or the page was fetched without TLS.',
      ),
    ),
    content_hash: contentHash,
    fetched_at: described(Timestamp, 'Time at which the response was complete, by the clock of the crawler.'),
    id: described(Id, 'The page.'),
    raw_hash: described(Sha256, 'SHA-256 of the decoded body, in hex.'),
    rendered: Type.Boolean({
      description: 'The body is the document in a browser after its scripts had run.',
    }),
    requested_url: orNull(
      Type.String({ description: 'The URL that was requested and redirected to url; null: no redirect.' }),
    ),
    status: Type.Integer({ description: 'HTTP status of the target.' }),
    url: Type.String({ description: 'URL of the page, after all redirects.' }),
  },
  { $id: 'EvidenceLeaf', description: 'A leaf of the tree: the facts about one page.' },
)
export type EvidenceLeaf = Static<typeof EvidenceLeaf>
export const leafColumns = Object.keys(EvidenceLeaf.properties) as (keyof EvidenceLeaf)[]

/** The signed facts, in the order of their names. */
const EvidenceStatement = Type.Object(
  {
    crawl_id: described(Id, 'The crawl.'),
    error_count: Type.Integer({ description: 'Number of URLs that failed. The tree does not contain them.' }),
    finished_at: described(Timestamp, 'Time of the end of the crawl.'),
    key_id: Type.String({ description: 'The `kid` of the key that signed: its thumbprint (RFC 7638).' }),
    page_count: count('Number of leaves: the pages of the crawl.'),
    root: described(Sha256, 'The root of the tree, in hex.'),
    signed_at: described(Timestamp, 'Time of the signature, by the clock of the gateway.'),
    started_at: orNull(described(Timestamp, 'Time of the start of the crawl; null: it never started.')),
    status: Type.String({ description: 'done, failed or cancelled.' }),
    stop_reason: orNull(Type.String({ description: 'Reason for the end of the crawl.' })),
    url: Type.String({ description: 'The seed URL.' }),
  },
  { description: 'The facts that are signed.' },
)
export type EvidenceStatement = Static<typeof EvidenceStatement>

/** The names are those of RFC 3161. */
const EvidenceTimestamp = Type.Object({
  gen_time: described(
    Timestamp,
    'Time of the time-stamp by the clock of the authority, cut to milliseconds.',
  ),
  tsa: Type.String({ description: 'Subject of the certificate that signed the token.' }),
  policy: Type.String({ description: 'Policy of the authority, as an object identifier.' }),
  serial_number: Type.String({ description: 'Serial number of the token, in hex.' }),
  token: Type.String({
    description:
      'The TimeStampToken (RFC 3161) with its certificates, as DER in base64. It stamps the SHA-256 of signed_text, a line feed and signature, in UTF-8.',
  }),
})

export const Evidence = Type.Object(
  {
    statement: EvidenceStatement,
    signed_text: Type.String({
      description:
        'The signed text in UTF-8: `tidemark-evidence-v1`, a line feed, and the statement as canonical JSON (RFC 8785).',
    }),
    signature: Type.String({ description: 'Ed25519 signature of signed_text (RFC 8032), in base64.' }),
    timestamp: Type.Optional(
      Type.Union([EvidenceTimestamp, Type.Null()], {
        description:
          'Time-stamp of an independent authority. null: it is missing, and warnings has the reason. Absent: this installation uses no authority.',
      }),
    ),
    warnings,
  },
  { $id: 'Evidence', description: 'The signed root of the tree over all pages of a crawl.' },
)
export type Evidence = Static<typeof Evidence>

export const EvidenceLeafQuery = Type.Object({ ...windowOf(100_000), format: formatField })

export const EvidenceLeafList = Type.Object(
  {
    items: Type.Array(EvidenceLeaf, { description: 'In the order of the tree, which is that of their ids.' }),
    next_offset: nextOffset,
    warnings,
  },
  { $id: 'EvidenceLeafList' },
)

export const PageEvidence = Type.Object(
  {
    leaf: EvidenceLeaf,
    leaf_index: Type.Integer({ minimum: 0, description: 'Position of the leaf in the tree, from 0.' }),
    audit_path: Type.Array(Sha256, {
      description: 'Sibling hashes from the leaf to the root (RFC 9162, 2.1.3).',
    }),
    evidence: Evidence,
    warnings,
  },
  { $id: 'PageEvidence' },
)
export type PageEvidence = Static<typeof PageEvidence>

const EvidenceKey = Type.Object({
  kty: Type.Literal('OKP', { description: 'Kind of the key.' }),
  crv: Type.Literal('Ed25519', { description: 'Curve of the key.' }),
  x: Type.String({ description: 'The 32 bytes of the public key, in base64url.' }),
  kid: Type.String({ description: 'The thumbprint of the key (RFC 7638), which evidence names as key_id.' }),
  use: Type.Literal('sig', { description: 'The key verifies signatures.' }),
  pem: Type.String({ description: 'The same public key as PEM, for OpenSSL.' }),
})

export const EvidenceKeys = Type.Object(
  {
    keys: Type.Array(EvidenceKey, {
      description: 'The current key first, then former ones. Empty: this installation signs no evidence.',
    }),
    warnings,
  },
  { $id: 'EvidenceKeys' },
)
export type EvidenceKeys = Static<typeof EvidenceKeys>
