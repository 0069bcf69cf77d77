/**
 * The Postman collection, made from the OpenAPI document of a gateway. Run as a program it writes the file;
 * `documents.test.ts` fails when the file is not what this makes. The same document always makes the same text.
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

/** The text of the file. */
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

/** An item whose names say who it is, whose key is that of the collection, and whose answers are those that it wants. */
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
      .sort((one, other) => placeOf(one) - placeOf(other))
      .map(answer => answerOf(answer, path)),
  }
}

/** A crawl that was accepted comes before a monitor that was created: the sample request has no `cron`. */
const placeOf = ({ code }: Answer): number => (code === 202 ? 0 : 1)

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

/** With its address as one text, for those who read only that, and no value that the converter has made up. */
const asSent = ({ url, header, ...request }: Request): Request => ({
  ...request,
  ...(url && { url: { raw: textOf(url), ...url } }),
  ...(header && {
    header: header.map(field => ({ ...field, value: ofOneRequest[field.key] ?? field.value })),
  }),
})

/** Of headers that belong to one request: Postman fills in another UUID each time, and a tag is to be had first. */
const ofOneRequest: Record<string, string> = { 'Idempotency-Key': '{{$guid}}', 'If-None-Match': '' }

function textOf({ host, path, query = [] }: Address): string {
  const asked = query.filter(({ disabled }) => !disabled).map(({ key, value }) => `${key}=${value}`)
  return [[...host, ...path].join('/'), ...(asked.length > 0 ? [asked.join('&')] : [])].join('?')
}

/** The names, as items have them, of what wants no key. */
function publicOf(document: {
  paths: Record<string, Record<string, { summary: string; security: unknown[] }>>
}) {
  const all = Object.values(document.paths).flatMap(operations => Object.values(operations))
  return new Set(all.filter(({ security }) => security.length === 0).map(({ summary }) => summary))
}

/** A UUID that names this and nothing else (RFC 9562, version 8). */
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
