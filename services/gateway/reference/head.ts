/** What the reference says of the whole: who we are, how to come in, and what several operations share. */
import { tags } from './tags.ts'

const description = `Tidemark crawls web sites, keeps what it found, and answers for it.

**Keys.** Every operation but those marked as public wants \`Authorization: Bearer <key>\`. A key belongs to one project; what
belongs to another project is answered like what does not exist.

**Refusals** have one form, with a stable \`code\` and mostly a \`reason\`; with \`Accept: application/problem+json\` it is
that of RFC 9457. Each carries the \`request_id\` that stands in \`X-Request-Id\` too.

**Repeating.** \`POST /v1/crawls\` takes an \`Idempotency-Key\`. Answers to reads carry an \`ETag\`: send it back in
\`If-None-Match\`, and what has not changed is 304 without a body.

**Numbers.** Sizes are bytes, times are RFC 3339 in UTC, durations say their unit in their name, and lists go on at
\`next_offset\` until that is null. Fields that are unknown are ignored, and named in \`warnings\`.`

const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The `ETag` of an earlier answer: what has not changed since is 304.',
  schema: { type: 'string' },
  example: '"2jmj7l5rSw0yVb_vlWAYkK_YBwk"',
}

export const head = {
  info: {
    title: 'Tidemark',
    summary: 'Web crawl, scan and content extraction.',
    description,
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  document: {
    servers: [{ url: '/', description: 'The instance that serves this document.' }],
    tags,
  },
  components: {
    parameters: { IfNoneMatch: ifNoneMatch },
  },
}
