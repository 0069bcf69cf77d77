/** API reference of evidence. */
import type { Evidence, EvidenceLeaf } from '@tidemark/contracts/http/evidence'
import type { Operations } from '../reference/operation.ts'
import { asRows } from '../reference/parts.ts'
import { leafText } from './domain/signed.ts'

const leaf: EvidenceLeaf = {
  blocked: false,
  bytes: 2281,
  content_hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  fetched_at: '2026-01-02T03:04:06.331Z',
  id: 51,
  raw_hash: '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
  rendered: false,
  requested_url: null,
  status: 200,
  url: 'https://example.com/',
}

const statement = {
  crawl_id: 42,
  error_count: 0,
  finished_at: '2026-01-02T03:04:09.000Z',
  key_id: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  page_count: 2,
  root: '5a2b0c4c1bd0f3f4bcb27e8e18c73f7e0ad8ff3a4cf4eebd0d2f2b6f1a6a9a5d',
  signed_at: '2026-01-05T10:00:00.000Z',
  started_at: '2026-01-02T03:04:05.678Z',
  status: 'done',
  stop_reason: 'exhausted',
  url: 'https://example.com/',
}

const evidence: Evidence = {
  statement,
  signed_text: `tidemark-evidence-v1\n${JSON.stringify(statement)}`,
  signature: 'D4D+vpOOlW3LePRb8VsEr5jzL7oWgzXIoHPamIDDnkh2RU1gkMarIG4s4F3IuARQUNT+G4XSl2Wz/sMlvt8bCw==',
}

const refuses = {
  conflict: ['run_active'],
  too_many_requests: ['content_streams'],
  timeout: [],
  not_configured: [],
} as const

export const evidenceWords: Operations = {
  getEvidence: {
    answers: {
      200: { says: 'The signed root, as of now.', headers: ['ETag'], example: evidence },
    },
    refuses,
  },
  getPageEvidence: {
    answers: {
      200: {
        says: 'The proof.',
        headers: ['ETag'],
        example: {
          leaf,
          leaf_index: 0,
          audit_path: ['e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
          evidence,
        },
      },
    },
    refuses,
  },
  listEvidenceLeaves: {
    answers: {
      200: {
        says: 'The leaves. Long lists are streamed.',
        headers: ['ETag', 'X-Next-Offset', 'Link', 'Content-Disposition', 'Vary'],
        example: { items: [leaf], next_offset: null },
        otherwise: {
          ...asRows(leaf),
          'application/x-ndjson': { says: 'One leaf per line.', example: `${leafText(leaf)}\n` },
        },
      },
    },
    refuses: { conflict: ['run_active'] },
  },
  listEvidenceKeys: {
    answers: {
      200: {
        says: 'The keys, the current one first.',
        headers: ['ETag'],
        example: {
          keys: [
            {
              kty: 'OKP',
              crv: 'Ed25519',
              x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
              kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
              use: 'sig',
              pem: '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n',
            },
          ],
        },
      },
    },
  },
}
