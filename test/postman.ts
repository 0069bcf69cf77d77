/**
 * The Postman collection, generated from the OpenAPI document of a gateway. As a program this file writes the
 * collection; `documents.test.ts` fails when the stored file differs. The same document always results in the same
 * text.
 */
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { servedDocument } from '@tidemark/gateway/document.scene'
import { convertV2 } from 'openapi-to-postmanv2'

export const collectionFile = join(import.meta.dirname, '../services/gateway/reference/postman.json')

type Header = { key: string; value: string; disabled?: boolean }
type Answer = {
  id: string
  name: string
  code: number
  header: Header[] | null
  originalRequest: Request
  body?: string
}
type Variable = { key: string; value: string; disabled?: boolean }
type Address = { raw?: string; host: string[]; path: string[]; query?: Variable[]; variable?: Variable[] }
type Request = {
  name?: string
  auth?: unknown
  url?: Address
  header?: Header[]
  body?: { raw?: string }
  description?: unknown
}
export type Item = { id: string; name: string; request?: Request; response?: Answer[]; item?: Item[] }
type Collection = {
  info: { _postman_id: string; name: string }
  item: Item[]
  auth?: unknown
  variable: unknown[]
}

const options = {
  folderStrategy: 'Tags',
  parametersResolution: 'Example',
  enableOptionalParameters: false,
  includeAuthInfoInExample: false,
  alwaysInheritAuthentication: true,
  indentCharacter: 'Space',
} as const

/** Returns the text of the file. */
export async function collection(): Promise<string> {
  const document = JSON.parse(await servedDocument())
  const made = await converted(document)
  const whole: Collection = {
    ...made,
    info: { ...made.info, _postman_id: idOf(made.info.name) },
    item: made.item.map(item => settled(item, publicOf(document), made.info.name)),
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{apiKey}}', type: 'string' }] },
    variable: [
      { key: 'baseUrl', value: 'http://127.0.0.1:8080', type: 'string' },
      { key: 'apiKey', value: '', type: 'string' },
    ],
  }
  return `${JSON.stringify(whole, null, 1)}\n`
}

function converted(document: object): Promise<Collection> {
  return new Promise((resolve, reject) =>
    convertV2({ type: 'json', data: document }, options, (error, made) => {
      const data = made?.output?.[0]?.data
      if (error || !made?.result || data === undefined) reject(error ?? new Error(made?.reason))
      else resolve(data as Collection)
    }),
  )
}

/** Returns the item with a stable id, the key of the collection, and only successful responses. */
function settled(item: Item, isPublic: ReadonlySet<string>, within: string): Item {
  const path = `${within}/${item.name}`
  if (item.item) return { ...item, item: item.item.map(inner => settled(inner, isPublic, path)) }
  const { response = [], request = {} } = item
  return {
    ...item,
    id: idOf(path),
    request: requestOf(request, isPublic.has(item.name)),
    response: response
      .filter(({ code }) => code < 300)
      .sort((one, other) => rankOf(one) - rankOf(other))
      .map(answer => answerOf(answer, path)),
  }
}

/**
 * The response for an accepted crawl comes before that for a created monitor, because the sample request has no `cron`.
 */
const rankOf = ({ code }: Answer): number => (code === 202 ? 0 : 1)

function requestOf({ auth, ...request }: Request, isPublic: boolean): Request {
  const whole = asSent(request)
  return isPublic ? { ...whole, auth: { type: 'noauth' } } : whole
}

const answerOf = (answer: Answer, path: string): Answer => ({
  ...answer,
  id: idOf(`${path}/${answer.code}/${answer.name}`),
  header: (answer.header ?? []).filter(({ disabled }) => !disabled),
  originalRequest: asSent(answer.originalRequest),
})

/**
 * Returns the request with its address as one text too, for programs that read only `raw`, and without values that the
 * converter made up.
 */
const asSent = ({ url, header, ...request }: Request): Request => ({
  ...request,
  ...(url && { url: { raw: textOf(url), ...url } }),
  ...(header && {
    header: header.map(field => ({ ...field, value: ofOneRequest[field.key] ?? field.value })),
  }),
})

/**
 * Values of headers that belong to one request: Postman fills in another UUID each time, and an ETag comes from an
 * earlier response.
 */
const ofOneRequest: Record<string, string> = { 'Idempotency-Key': '{{$guid}}', 'If-None-Match': '' }

function textOf({ host, path, query = [] }: Address): string {
  const sent = query.filter(({ disabled }) => !disabled).map(({ key, value }) => `${key}=${value}`)
  return [[...host, ...path].join('/'), ...(sent.length > 0 ? [sent.join('&')] : [])].join('?')
}

/** Returns the names of the operations that need no key. */
function publicOf(document: {
  paths: Record<string, Record<string, { summary: string; security: unknown[] }>>
}) {
  const all = Object.values(document.paths).flatMap(operations => Object.values(operations))
  return new Set(all.filter(({ security }) => security.length === 0).map(({ summary }) => summary))
}

/** Returns a UUID that depends only on the name (RFC 9562, version 8). */
function idOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}

if (import.meta.main) writeFileSync(collectionFile, await collection())
