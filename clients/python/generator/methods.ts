/** The operations of the document, each with the name and the variants of its method. */
import type { Document, Operation } from './document.ts'
import { byHand, leftOut, names, variants } from './names.ts'

type Endpoint = { method: string; path: string; operation: Operation }
export type Method = Endpoint & {
  name: string
  status: string
  required: string[]
  without: readonly string[]
  summary: string
  /** A repeated call has no further effect. */
  isIdempotent: boolean
  /** The field that identifies an item of a list that grows at its front. */
  itemKey: string | undefined
}

/** Facts that the document lacks. */
export type Rules = {
  /** Returns whether a repeated POST to a path has no further effect. */
  isIdempotentPost: (path: string) => boolean
  /** By operation: the field that identifies an item of a list that grows at its front. */
  itemKeys: Readonly<Record<string, string>>
}

/** Returns the module that names the method of each operation. */
export function tableText(document: Document): string {
  const rows = endpointsOf(document).map(({ operation: { operationId } }) => {
    return `    ${JSON.stringify(operationId)}: ${JSON.stringify(nameOfOperation(operationId))},`
  })
  return (
    `"""The method of each operation of the OpenAPI document, generated: do not edit."""\n\n` +
    `from typing import Dict\n\nMETHODS: Dict[str, str] = {\n${rows.join('\n')}\n}\n`
  )
}

const verbs = new Set(['get', 'post', 'put', 'patch', 'delete'])

const endpointsOf = ({ paths }: Document): Endpoint[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => verbs.has(method))
      .map(([method, operation]) => ({ method, path, operation })),
  )

function nameOfOperation(id: string): string {
  const name = names[id]
  if (name === undefined) throw new Error(`${id} has no method: add it to clients/python/generator/names.ts`)
  return name
}

/** Returns the methods of all operations but those that are written by hand. */
export function methodsOf(document: Document, { isIdempotentPost, itemKeys }: Rules): Method[] {
  return endpointsOf(document).flatMap(row => {
    const { operationId, responses, summary = '' } = row.operation
    const isIdempotent = row.method === 'post' && isIdempotentPost(row.path)
    const method = { ...row, isIdempotent, itemKey: itemKeys[operationId] }
    const name = nameOfOperation(operationId)
    const status = ['200', '202', '201', '204'].find(one => responses[one] !== undefined) ?? '200'
    const plain = { ...method, name, status, required: [], without: leftOut[name] ?? [], summary }
    const variant = variants[operationId]
    return [
      ...(byHand.has(name) ? [] : [plain]),
      ...(variant === undefined ? [] : [{ ...method, ...variant, without: [] }]),
    ]
  })
}
