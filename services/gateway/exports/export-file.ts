/** The file of an export by its signed address, at the speed of the client: a slice in memory at a time. */
import { readSlice } from '@tidemark/content/export-parts'
import { ExportFileQuery, ExportParams } from '@tidemark/contracts/http/exports'
import type { ExportFile } from '@tidemark/contracts/rpc/exports'
import type { OfProject } from '@tidemark/db/of-project'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../app.ts'
import { isNamed } from '../http/domain/etag.ts'
import { ApiProblem } from '../http/domain/problem.ts'
import { Slots } from '../http/domain/slots.ts'
import { acquireSlot } from '../http/responses/acquire-slot.ts'
import { sendText } from '../http/responses/text-stream.ts'
import type { Exports } from './adapters/exports.ts'
import { type ByteRange, rangeOf } from './domain/byte-range.ts'
import { isSignatureOf, type Signed } from './signed-addresses.ts'

type Ports = {
  exports: Pick<Exports, 'file'>
  reads: OfProject
  /** Throws `ApiProblem` for an address that is not valid now. */
  judge: (exportId: number, signed: Signed) => void
}
type Kept = NonNullable<ExportFile['file']>

/** Concurrent downloads of a project at this gateway. */
const downloadsOfProject = 8
/** Media type of all formats: browsers must not render a site's text as a page of this origin. */
const mediaType = 'application/octet-stream'
const fileAnswer = { content: { [mediaType]: { schema: Type.String() } } }
const sliceBytes = 512 * 1024
const partial = 206
const notModified = 304
const notSatisfiable = 416

const noSlot = {
  reason: 'content_streams',
  message: `This gateway already serves ${downloadsOfProject} downloads of the project. Try again when one has ended.`,
} as const

export function exportFileRoute(app: App, { exports, reads, judge }: Ports): void {
  const slots = new Slots(downloadsOfProject)
  app.get(
    '/v1/exports/:id/file',
    {
      schema: {
        operationId: 'downloadExport',
        summary: 'Download the file of an export',
        tags: ['Exports'],
        description:
          'The address is `download_url` of the export. It needs no key. `Range` continues an interrupted download.',
        params: ExportParams,
        querystring: ExportFileQuery,
        response: { 200: fileAnswer, 206: fileAnswer },
      },
    },
    async (request, answer) => {
      const reply: FastifyReply = answer
      const { params, query } = request
      judge(params.id, query)
      const found = await exports.file(params.id)
      if (found === null || !isSignatureOf(query, { id: params.id, ...found }))
        throw new ApiProblem('not_found')
      if (found.file === null) throw removed()
      const { projectId, file } = found
      const range = rangeIn(request, file)
      reply.header('cache-control', 'private, no-cache')
      if (isNamed(request.headers['if-none-match'], tagOf(file)))
        return reply.code(notModified).header('etag', tagOf(file)).send()
      if (range === 'outside') throw outside(file)
      acquireSlot(slots, projectId, reply, noSlot)
      describe(reply, file)
      if (range !== 'all')
        reply.code(partial).header('content-range', `bytes ${range.first}-${range.last}/${file.bytes}`)
      const { first, last } = range === 'all' ? { first: 0, last: file.bytes - 1 } : range
      reply.header('content-length', String(last - first + 1))
      return sendText(reply, mediaType, slices({ projectId, exportId: params.id, file, first, last }))
    },
  )

  async function* slices({
    projectId,
    exportId,
    file: { partBytes },
    first,
    last,
  }: ByteRange & { projectId: number; exportId: number; file: Kept }): AsyncGenerator<Buffer> {
    for (let at = first; at <= last; ) {
      const part = Math.floor(at / partBytes) + 1
      const from = at % partBytes
      const bytes = Math.min(sliceBytes, partBytes - from, last - at + 1)
      const slice = await readSlice(reads(projectId), { exportId, part, from, bytes })
      if (slice?.byteLength !== bytes) throw removed() // the client sees a short answer
      yield slice
      at += bytes
    }
  }
}

/** The range counts only for the file that the client has begun (RFC 9110, 13.1.5). */
function rangeIn({ headers }: FastifyRequest, file: Kept): ByteRange | 'all' | 'outside' {
  const since = headers['if-range']
  return since === undefined || since === tagOf(file) ? rangeOf(headers.range, file.bytes) : 'all'
}

function describe(reply: FastifyReply, file: Kept): void {
  reply.headers({
    'accept-ranges': 'bytes',
    'content-disposition': `attachment; filename="${file.name}"`,
    etag: tagOf(file),
    'last-modified': new Date(file.finishedAt).toUTCString(),
  })
}

const tagOf = ({ sha256 }: Kept): string => `"${sha256}"`

const removed = () =>
  new ApiProblem('gone', {
    reason: 'file_removed',
    message: 'The file of this export was removed. Request the export again.',
  })

const outside = ({ bytes }: Kept) =>
  new ApiProblem('invalid_input', {
    status: notSatisfiable,
    reason: 'out_of_range',
    field: 'range',
    message: `The file has ${bytes} bytes, and none of them is in this range.`,
    headers: { 'content-range': `bytes */${bytes}` },
  })
