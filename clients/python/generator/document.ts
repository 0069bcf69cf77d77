/** The parts of an OpenAPI document that the generators of the SDKs read. */

export type Schema = {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  additionalProperties?: boolean | Schema
  pattern?: string
  'x-data'?: Record<string, Schema>
}

export type Parameter = {
  $ref?: string
  in: string
  name: string
  required?: boolean
  description?: string
  schema: Schema
}

export type Content = Record<string, { schema: Schema }>

export type Operation = {
  operationId: string
  summary?: string
  description?: string
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Content }
  responses: Record<string, { content?: Content; headers?: Record<string, unknown> }>
  security?: unknown[]
}

export type Document = {
  info: { version: string }
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> }
}

/** Returns the last part of a `$ref`. */
export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

/** Returns the type names of a schema without `null`, and whether null is allowed. */
export function typesOf({ type }: Schema): { names: string[]; isNullable: boolean } {
  const all = type === undefined ? [] : [type].flat()
  return { names: all.filter(name => name !== 'null'), isNullable: all.includes('null') }
}

/** Returns whether a schema has the optional field `warnings` of `warned`. */
export const hasWarnings = ({ properties, required = [] }: Schema, warned: Schema): boolean =>
  properties?.warnings !== undefined &&
  properties.warnings.description === warned.properties?.warnings?.description &&
  !required.includes('warnings')

const keywords = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from ' +
    'global if import in is lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
)

export const isIdentifier = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name) && !keywords.has(name)

const maxWidth = 100

/** Returns a text as lines of at most 100 characters with an indent; backslashes are doubled, for a Python string. */
export function wrapped(text: string, indent: string, hanging = indent): string[] {
  const lines: string[] = []
  let line = indent
  for (const word of text.replaceAll('\\', '\\\\').replaceAll('"""', "'''").split(/\s+/).filter(Boolean)) {
    const isFirst = line.trim() === ''
    if (!isFirst && line.length + 1 + word.length > maxWidth) {
      lines.push(line)
      line = hanging + word
    } else line += isFirst ? word : ` ${word}`
  }
  return line.trim() === '' ? lines : [...lines, line]
}

/** Returns a docstring of one paragraph. */
export function docstring(text: string, indent: string): string[] {
  // A quote at the end would join the closing quotes.
  const docText = text.trim().replace(/"$/, '".')
  const lines = wrapped(`"""${docText}`.replace(/^"""/, '\0'), indent).map(line => line.replace('\0', '"""'))
  const last = lines.at(-1) ?? indent
  return last.length + 3 <= maxWidth ? [...lines.slice(0, -1), `${last}"""`] : [...lines, `${indent}"""`]
}
