/** The explanation in the API reference. A test of the coordinator compares it with its own answer. */
import type { Explanation } from './explain.ts'

export const explanationExample = {
  url: 'https://example.com/drafts/new',
  key: '-CizxUFE3bQ',
  verdict: 'skipped',
  found: {
    from_url: 'https://example.com/',
    anchor: 'New draft',
    depth: 1,
    at: '2026-01-02T03:04:06.500Z',
    sequence: 12,
  },
  rules: [
    { rule: 'scope', passed: true, because: 'its host example.com belongs to example.com' },
    { rule: 'known', passed: true, because: 'it was new when the run found it' },
    {
      rule: 'frontier',
      passed: true,
      because: 'the run knows 2 URLs, of 500000 URLs or 4 million characters at most',
    },
    { rule: 'trap', passed: true, because: 'no trap rule matches' },
    { rule: 'patterns', passed: false, because: 'exclude pattern ^/drafts/ matches' },
  ],
  attempts: [],
  redirects: [],
  duplicate_of: null,
  page_id: null,
  what_would_change: ['Remove ^/drafts/ from exclude_paths.'],
} satisfies Explanation
