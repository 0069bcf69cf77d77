/**
 * The pages for users of other programs name only endpoints and fields that exist: a heading names an operation, and each
 * name in the right column of its table is an endpoint, or a field of that operation with a value that it may have.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { servedDocument } from '@tidemark/gateway/document.scene'
import { test } from 'tap'

const folder = join(import.meta.dirname, '../docs/coming-from')
const methods = /^(GET|POST|PATCH|DELETE) (\/\S+)$/

// biome-ignore lint/suspicious/noExplicitAny: any part of the document
type Node = Record<string, any>
const document = JSON.parse(await servedDocument()) as Node

/** Returns the operation; undefined: it does not exist. */
function operationOf(text: string): Node | undefined {
  const [, method = '', path = ''] = methods.exec(text) ?? []
  return document.paths?.[path]?.[method.toLowerCase()]
}

/** Returns all names of fields and parameters below a part of the document, with their allowed values. */
function namesBelow(part: Node, names = new Map<string, unknown[]>(), seen = new Set<Node>()) {
  if (typeof part !== 'object' || part === null || seen.has(part)) return names
  seen.add(part)
  if (typeof part.$ref === 'string') {
    const target = part.$ref
      .slice(2)
      .split('/')
      .reduce<Node | undefined>((node, name) => node?.[name], document)
    if (target !== undefined) namesBelow(target, names, seen)
  }
  if (typeof part.name === 'string' && 'in' in part) names.set(part.name, [])
  for (const [name, schema] of Object.entries<Node>(part.properties ?? {}))
    names.set(name, [...(names.get(name) ?? []), ...valuesIn(schema)])
  for (const child of Object.values(part)) namesBelow(child, names, seen)
  return names
}

const valuesIn = (schema: Node): unknown[] =>
  Object.entries(schema).flatMap(([key, value]) =>
    key === 'const'
      ? [value]
      : key === 'enum'
        ? (value as unknown as unknown[])
        : typeof value === 'object' && value !== null
          ? valuesIn(value)
          : [],
  )

/** Returns the names that a text calls ours and that the operation does not have. */
function unknownIn(cell: string, operation: Node | undefined): string[] {
  const names = operation === undefined ? new Map<string, unknown[]>() : namesBelow(operation)
  const tokens = [...cell.matchAll(/`([^`]+)`/g)].map(([, token = '']) => token)
  let values: unknown[] = []
  return tokens.filter(token => {
    if (methods.test(token)) return operationOf(token) === undefined
    const [name = '', value] = token.split(': ')
    if (names.has(name)) {
      values = names.get(name) ?? []
      return value !== undefined && values.length > 0 && !values.map(String).includes(value)
    }
    return !values.includes(token)
  })
}

test('Every name of ours on the pages for users of other programs exists', async t => {
  const pages = readdirSync(folder)
  t.equal(pages.length, 4)
  for (const page of pages) {
    let operation: Node | undefined
    let rows = 0
    for (const line of readFileSync(join(folder, page), 'utf8').split('\n')) {
      const [, named] = /^#+ .*`([^`]+)`$/.exec(line) ?? []
      if (line.startsWith('#')) operation = named === undefined ? undefined : operationOf(named)
      if (named !== undefined) t.ok(operation, `${page}: ${named}`)
      const [, theirs, ours] = /^\| (.+?) \| (.+) \|$/.exec(line) ?? []
      if (ours === undefined || ours === 'Tidemark') continue
      rows++
      t.strictSame(unknownIn(ours, operation), [], `${page}: ${theirs}`)
    }
    t.ok(rows > 15, `${page} has ${rows} rows`)
  }
})

test('A wrong name is found', async t => {
  const operation = operationOf('POST /v1/crawls')
  t.strictSame(unknownIn('`max_pages`, `render: always`, `render` (`auto`)', operation), [])
  t.strictSame(unknownIn('`maxPages`, `render: sometimes`, `GET /v2/crawl`', operation), [
    'maxPages',
    'render: sometimes',
    'GET /v2/crawl',
  ])
})
