/** The header fields that answers carry, each described once. */

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example })

export const headers = {
  'X-Request-Id': text(
    'Names this request: in errors, in `GET /v1/logs` and in the logs of the installation.',
    'd14f099b-2a51-479a-91bd-5653ca4f6f6f',
  ),
  RateLimit: text(
    'What is left: `r` requests or pages, and `t` seconds until more of them come back (draft-ietf-httpapi-ratelimit-headers). A project without a rate of requests is told of its pages alone, and one without limits of nothing.',
    '"rps";r=17;t=3, "pages-day";r=312;t=40211',
  ),
  'RateLimit-Policy': text(
    'The limits themselves: `q` requests or pages in `w` seconds.',
    '"rps";q=20;w=10, "pages-day";q=500;w=86400',
  ),
  'Retry-After': {
    description: 'Seconds after which the same request may succeed.',
    schema: { type: 'integer', minimum: 0 },
    example: 5,
  },
  'Accept-Encoding': text(
    'The coding that bodies are read in; where another one was sent, and absent otherwise.',
    'identity',
  ),
  'WWW-Authenticate': text('How to show a key.', 'Bearer'),
  Location: text('Where the crawl can be read.', '/v1/crawls/42'),
  'Content-Location': text('The crawl that this was made of.', '/v1/crawls/42'),
  'Idempotent-Replayed': {
    description:
      '`true` where an earlier request with the same `Idempotency-Key` made this; absent otherwise.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  'X-Next-Offset': {
    description:
      'Of ndjson and csv, which have no room for `next_offset`: the offset to go on with. Absent at the end.',
    schema: { type: 'integer', minimum: 1 },
    example: 100,
  },
  Deprecation: text('This endpoint is on its way out: `Link` names the one to go to.', 'true'),
  Link: text(
    'Of ndjson and csv: the next part (RFC 8288), absent at the end. Of an endpoint on its way out: its successor.',
    '</v1/crawls/42/pages?limit=100&offset=100&format=csv>; rel="next"',
  ),
  ETag: text(
    'Names these bytes. Only with GET, and not where the answer is streamed.',
    '"2jmj7l5rSw0yVb_vlWAYkK_YBwk"',
  ),
  'X-Pages-Billed': {
    description: 'Pages that this request was billed.',
    schema: { type: 'integer', minimum: 0 },
    example: 1,
  },
  'X-Cloud-Pages-Billed': {
    description: 'Of these, pages that were fetched past bot protection; absent where there were none.',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  Vary: text('The form depends on the `Accept` header.', 'accept'),
} as const

export type HeaderName = keyof typeof headers
