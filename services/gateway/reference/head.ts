/** The introduction of the reference: the service, authentication, and the common parts of operations. */
import { tags } from './tags.ts'

const description = `Tidemark crawls web sites, stores every result and explains it.

**Keys.** Operations that are not marked as public require \`Authorization: Bearer <key>\`. A key belongs to one project.
Resources of other projects return the same error as resources that do not exist.

**Errors** share one format, with a stable \`code\` and usually a \`reason\`. Send \`Accept: application/problem+json\` to
receive RFC 9457 errors. Each has the \`request_id\` of the header \`X-Request-Id\`.

**Retries.** Operations with \`Idempotency-Key\` are safe to repeat. Responses to reads have an \`ETag\`: send it in
\`If-None-Match\` to receive 304 without a body if nothing has changed.

**Numbers.** Sizes are bytes, times are RFC 3339 in UTC, the names of durations end in their unit, and lists continue at
\`next_offset\` until it is null. Unknown fields are ignored and listed in \`warnings\`.`

const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The `ETag` of an earlier response. If the resource has not changed, the response is 304.',
  schema: { type: 'string' },
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
    externalDocs: { url: '/llms.txt', description: 'Every document as Markdown, for people and programs.' },
  },
  components: {
    parameters: { IfNoneMatch: ifNoneMatch },
  },
}
