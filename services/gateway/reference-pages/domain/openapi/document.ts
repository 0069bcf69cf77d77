/** Types of the parts of an OpenAPI document that are read and completed here. */

export type Media = { schema?: unknown; example?: unknown; examples?: Record<string, unknown> }
export type Content = Record<string, Media>
export type Response = { description: string; headers?: Record<string, unknown>; content?: Content }
export type Responses = Record<string, Response | { $ref: string }>
export type Parameter = {
  name: string
  in: string
  required?: boolean
  description?: string
  schema?: unknown
}

export type Described = {
  operationId: string
  summary?: string
  description?: string
  tags?: string[]
  security?: readonly unknown[]
  parameters?: (Parameter | { $ref: string })[]
  requestBody?: { required?: boolean; content: Content }
  responses: Responses
}

export type Document = {
  paths: Record<string, Record<string, Described>>
  webhooks?: Record<string, Record<string, Described>>
  components?: Record<string, Record<string, unknown>>
}

export const reference = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })

export const headersOf = (names: readonly string[]) =>
  Object.fromEntries(names.map(name => [name, reference('headers', name)]))
