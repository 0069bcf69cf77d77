/** The header fields of answers, each described once. */

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example })

export const headers = {
  'X-Request-Id': text(
    'Id of this request in errors, in `GET /v1/logs` and in the logs of the installation.',
    'd14f099b-2a51-479a-91bd-5653ca4f6f6f',
  ),
  'X-Warnings': text(
    'Parts of the query or the body without an effect, and other warnings, as a JSON array of sentences in ASCII of at most 4,000 characters; absent if it is empty. `warnings` of a JSON body has the same sentences.',
    `["unknown query parameter 'fromat' was ignored"]`,
  ),
  RateLimit: text(
    'Remaining part of the limits: `r` requests or pages, and `t` seconds until the next reset (draft-ietf-httpapi-ratelimit-headers). A project without a request rate gets only its pages, and one without limits gets no header.',
    '"rps";r=17;t=3, "pages-day";r=312;t=40211',
  ),
  'RateLimit-Policy': text(
    'The limits: `q` requests or pages in `w` seconds.',
    '"rps";q=20;w=10, "pages-day";q=500;w=86400',
  ),
  'Retry-After': {
    description: 'Seconds after which the same request may succeed.',
    schema: { type: 'integer', minimum: 0 },
    example: 5,
  },
  'Accept-Encoding': text(
    'The supported content coding of request bodies; absent unless another one was sent.',
    'identity',
  ),
  'WWW-Authenticate': text('The authentication scheme.', 'Bearer'),
  Location: text('Address of the crawl.', '/v1/crawls/42'),
  'Content-Location': text('The source crawl of this response.', '/v1/crawls/42'),
  'Idempotent-Replayed': {
    description:
      '`true` if an earlier request with the same `Idempotency-Key` created the resource; absent otherwise.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  'X-Next-Offset': {
    description:
      'For ndjson and csv, which cannot carry `next_offset`: the offset of the next part. Absent at the end.',
    schema: { type: 'integer', minimum: 1 },
    example: 100,
  },
  'Content-Disposition': text(
    'Name of the file; of a list only with ndjson and csv.',
    'attachment; filename="crawl-42-pages.csv"',
  ),
  Deprecation: text('This endpoint is deprecated: `Link` names its successor.', 'true'),
  Link: text(
    'For ndjson and csv: the next part (RFC 8288), absent at the end. For a deprecated endpoint: its successor.',
    '</v1/crawls/42/pages?limit=100&offset=100&format=csv>; rel="next"',
  ),
  ETag: text(
    'Validator of this representation. Only with GET, and absent if the response is streamed.',
    '"2jmj7l5rSw0yVb_vlWAYkK_YBwk"',
  ),
  'X-Pages-Billed': {
    description: 'Pages billed for this request.',
    schema: { type: 'integer', minimum: 0 },
    example: 1,
  },
  'X-Cloud-Pages-Billed': {
    description: 'Cloud pages billed for this request; absent if no cloud pages were billed.',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  'Accept-Ranges': text('`Range` requests parts of the file, in bytes.', 'bytes'),
  'Last-Modified': text('Time at which the export ended.', 'Fri, 02 Jan 2026 03:05:30 GMT'),
  'Content-Range': text(
    'The sent bytes and the length of the file; with 416 only the length (RFC 9110, 14.4).',
    'bytes 0-1023/1204733',
  ),
  Vary: text('The form depends on the `Accept` header.', 'accept'),
} as const

export type HeaderName = keyof typeof headers
