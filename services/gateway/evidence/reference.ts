/** API reference of evidence. */
import type { CrawlPolicy } from '@tidemark/contracts/http/crawl-policy'
import type { Evidence, EvidenceLeaf } from '@tidemark/contracts/http/evidence'
import type { Operations } from '../reference/operation.ts'
import { asRows, noneNotReached, noneTrapped } from '../reference/parts.ts'
import { leafText } from './domain/signed.ts'

const leaf: EvidenceLeaf = {
  address: '192.0.2.10',
  blocked: false,
  bytes: 2281,
  certificate: '8d9c1c9e0e9ad5a4c5b1b1d0c3b5a7f2e6d4c8b0a1f3e5d7c9b2a4f6e8d0c1b3',
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
  timestamp: {
    gen_time: '2026-01-05T10:00:00.412Z',
    tsa: 'O=Example, CN=Example TSA',
    policy: '1.3.6.1.4.1.99999.1',
    serial_number: '51a3b2c4d5e6f701',
    token: 'MIIGtQYJKoZIhvcNAQcCoIIGpjCCBqICAQMxDTALBglghkgBZQMEAgE=',
  },
}

const refuses = {
  conflict: ['run_active'],
  too_many_requests: ['content_streams'],
  timeout: [],
  not_configured: [],
} as const

const policy: CrawlPolicy = {
  run_id: 42,
  respect_robots: true,
  user_agent: null,
  delay_ms: 250,
  ai_bot_policy: { GPTBot: 'disallowed', ClaudeBot: 'allowed' },
  has_llms_txt: false,
  not_requested: {
    skipped: {
      total: 3,
      by_reason: {
        robots: 3,
        robots_unreachable: 0,
        redirect_out_of_scope: 0,
        excluded: 0,
        not_included: 0,
        trap: noneTrapped,
      },
    },
    not_reached: noneNotReached,
    frontier_full: false,
    events_path: '/v1/crawls/42/events?types=skipped,filtered,pruned,deferred,frontier_filled',
  },
  items: [
    {
      origin: 'https://example.com',
      robots: {
        verdict: 'rules',
        status: 200,
        reason: null,
        decided_at: '2026-01-02T03:04:05.900Z',
        body_hash: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
        agent: '*',
        crawl_delay: 2,
        rules: [{ allow: false, pattern: '/private/' }],
        rule_count: 1,
      },
      delay_ms: 2000,
      not_requested: { robots: 3, robots_unreachable: 0 },
      pages: {
        count: 238,
        first_at: '2026-01-02T03:04:06.331Z',
        last_at: '2026-01-02T03:12:01.402Z',
        smallest_gap_ms: 1987,
        average_gap_ms: 2004,
        gaps_below_delay: 4,
        seconds: [{ pages: 1, seconds: 238 }],
      },
    },
  ],
  next_offset: null,
}

export const evidenceWords: Operations = {
  getEvidence: {
    answer: { description: 'The signed root, as of now.', headers: ['ETag'], example: evidence },
    refuses,
  },
  getPageEvidence: {
    answer: {
      description: 'The proof.',
      headers: ['ETag'],
      example: {
        leaf,
        leaf_index: 0,
        audit_path: ['e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
        evidence,
      },
    },
    refuses,
  },
  listEvidenceLeaves: {
    answer: {
      description: 'The leaves. Long lists are streamed.',
      headers: ['ETag', 'X-Next-Offset', 'Link', 'Content-Disposition', 'Vary'],
      example: { items: [leaf], next_offset: null },
      otherwise: {
        ...asRows(leaf),
        'application/x-ndjson': { description: 'One leaf per line.', example: `${leafText(leaf)}\n` },
      },
    },
    refuses: { conflict: ['run_active'] },
  },
  getCrawlPolicy: {
    answer: {
      description: 'The hosts in the order in which the crawl found them.',
      headers: ['ETag'],
      example: policy,
    },
    refuses: { conflict: ['run_active'], too_many_requests: ['concurrent_requests', 'content_streams'] },
  },
  listEvidenceKeys: {
    answer: {
      description: 'The keys, the current one first.',
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
}
