/** The rules of an export's request that its schema cannot express. */
import type { ExportSink, RequestedSink } from '@tidemark/contracts/http/export-sink'
import type { ExportFormat, ExportRequest, ExportSelection } from '@tidemark/contracts/http/exports'
import { normalForm, normalOrigin } from '@tidemark/url/normal-form'
import { refusal } from '../../http/domain/refusal.ts'
import { assertOverlap } from '../../live-pages/domain/chunk-request.ts'

/** Choices that only some formats have. */
const choices: readonly (readonly [field: keyof ExportSelection, formats: readonly ExportFormat[]])[] = [
  ['include', ['jsonl', 'parquet', 'warc', 'wacz']],
  ['chunks', ['jsonl', 'parquet']],
  ['tables', ['parquet']],
  ['graph', ['graph']],
]

type Included = NonNullable<ExportSelection['include']>[number]

/** The parts that a format can include, if not all. */
const partsOf: Partial<Record<ExportFormat, readonly Included[]>> = {
  parquet: ['html', 'markdown', 'article', 'metadata', 'headers'],
  warc: ['markdown'],
  wacz: ['markdown'],
}

/** Throws ApiProblem for a choice that the format does not have. Lists are returned without duplicates. */
export function selectionOf({ format, select = {} }: ExportRequest): ExportSelection {
  for (const [field, formats] of choices) {
    if (select[field] === undefined || formats.includes(format)) continue
    throw refusal(
      `select.${field}`,
      'conflicting_fields',
      `${field} applies to ${formats.join(' and ')} only; the format is ${format}. Leave it out, or choose another format.`,
    )
  }
  const isWritten =
    select.chunks !== undefined ||
    select.include?.some(part => part === 'markdown' || part === 'article') === true
  if (select.only_main_content === true && format !== 'markdown' && !isWritten)
    throw refusal(
      'select.only_main_content',
      'conflicting_fields',
      'only_main_content applies to Markdown and articles. Leave it out, or add markdown or article to select.include.',
    )
  if (select.chunks) assertOverlap(select.chunks, 'select.chunks.overlap')
  const { include, status, url_prefix } = select
  const tables = tablesOf(format, select)
  const spare = include?.find(part => partsOf[format]?.includes(part) === false)
  if (spare !== undefined) throw notIncluded(format, spare)
  return {
    ...select,
    ...(include && { include: [...new Set(include)] }),
    ...(tables && { tables: [...new Set(tables)] }),
    ...(status && { status: [...new Set(status)] }),
    ...(url_prefix !== undefined && { url_prefix: prefixOf(url_prefix) }),
  }
}

/**
 * Returns the prefix in the form of stored URLs. The query of a prefix may end at any character, so it stays as it was
 * sent.
 */
function prefixOf(sent: string): string {
  const [, host = '', path = '', query = ''] = /^(https?:\/\/[^/?#]+)([^?#]*)(.*)$/is.exec(sent) ?? []
  const url = URL.parse(host)
  const begin = path === '' ? url && normalOrigin(url) : normalForm(host + path)
  return begin ? begin + query : sent
}

/** Throws ApiProblem for a table without the choice that it needs, and for a choice without the table that it needs. */
function tablesOf(
  format: ExportFormat,
  { include, chunks, tables }: ExportSelection,
): ExportSelection['tables'] {
  if (format !== 'parquet') return tables
  const chosen = tables ?? (chunks?.embeddings ? ['chunks'] : ['pages'])
  if (!chosen.includes('pages') && (include?.length || (chunks && !chosen.includes('chunks'))))
    throw refusal('select.tables', 'conflicting_fields', noPagesTable)
  if (chunks?.embeddings && !chosen.includes('chunks'))
    throw refusal('select.tables', 'conflicting_fields', noChunksTable)
  if (chosen.includes('chunks') && chunks === undefined) throw refusal('select.chunks', 'required', noChunks)
  return tables
}

const noPagesTable =
  'include and chunks are columns of the table pages. Add pages to select.tables, or leave them out.'
const noChunksTable =
  'embeddings are a column of the table chunks. Add chunks to select.tables, or leave embeddings out.'
const noChunks =
  'The table chunks needs the size of its chunks. Add select.chunks, such as {"max_tokens": 512}, or leave the table out.'

const notIncluded = (format: ExportFormat, part: Included) =>
  refusal(
    'select.include',
    'conflicting_fields',
    `The format ${format} cannot include ${part}, only ${partsOf[format]?.join(', ')}. Leave it out, or choose jsonl.`,
  )

const needed = ['endpoint', 'bucket', 'access_key_id', 'secret_access_key'] as const

type Judged = {
  sink: ExportSink
  /** Null for a download. */
  keys: { accessKeyId: string; secretAccessKey: string } | null
}

/** Throws ApiProblem for missing, spare and malformed fields. */
export function sinkOf(requested: RequestedSink = { type: 'download' }): Judged {
  const { type, endpoint, bucket, region, key, path_style, access_key_id, secret_access_key } = requested
  if (type === 'download') {
    const spare = Object.keys(requested).find(
      field => requested[field as keyof RequestedSink] !== undefined && field !== 'type',
    )
    if (spare === undefined) return { sink: { type }, keys: null }
    throw refusal(
      `sink.${spare}`,
      'conflicting_fields',
      `${spare} applies to the type s3 only. Leave it out, or set type to s3.`,
    )
  }
  if (
    endpoint === undefined ||
    bucket === undefined ||
    access_key_id === undefined ||
    secret_access_key === undefined
  )
    throw missing(requested)
  const origin = originOf(endpoint)
  if (path_style === false) assertHostOfBucket(origin, bucket)
  const sink = {
    type,
    endpoint: origin,
    bucket,
    ...(region !== undefined && { region }),
    ...(key !== undefined && { key: keyOf(key) }),
    ...(path_style !== undefined && { path_style }),
  }
  return { sink, keys: { accessKeyId: access_key_id, secretAccessKey: secret_access_key } }
}

function missing(requested: RequestedSink) {
  const field = needed.find(name => requested[name] === undefined) ?? 'endpoint'
  return refusal(`sink.${field}`, 'required', `sink.${field} is required for the type s3.`)
}

function originOf(endpoint: string): string {
  const { protocol, pathname = '', search, hash, username, password, origin = '' } = URL.parse(endpoint) ?? {}
  const isHttp = protocol === 'https:' || protocol === 'http:'
  if (isHttp && pathname === '/' && !search && !hash && !username && !password) return origin
  throw refusal(
    'sink.endpoint',
    'bad_url',
    'sink.endpoint must be an address without a path, such as https://s3.eu-central-1.amazonaws.com. Name the bucket in sink.bucket.',
  )
}

/** Without path style, the bucket becomes the first label of the host name. An IP address cannot have one. */
function assertHostOfBucket(origin: string, bucket: string): void {
  const { protocol, host, hostname } = new URL(origin)
  // A parsed URL has IP addresses in these two forms only.
  const isAddress = /^\[|^\d+(?:\.\d+){3}$/.test(hostname)
  if (!isAddress && URL.canParse(`${protocol}//${bucket}.${host}`)) return
  throw refusal(
    'sink.path_style',
    'conflicting_fields',
    `path_style: false needs a valid host name, and ${bucket}.${hostname} is invalid. Set it to true, or use an endpoint with a name.`,
  )
}

/** Rejects segments that URL parsers remove, because the object would get another name. */
function keyOf(key: string): string {
  if (!key.split('/').some(segment => segment === '' || segment === '.' || segment === '..')) return key
  throw refusal('sink.key', 'bad_value', 'sink.key must have no segment that is empty, "." or "..".')
}
