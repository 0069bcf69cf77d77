/** The form of a tool, and the parts of schemas that tools share. */
import type { Draft } from '../answers/answer.ts'
import type { Api, Response } from '../api/api.ts'

export type Schema = Readonly<Record<string, unknown>>

/** The arguments that the schema of the tool allows. */
// biome-ignore lint/suspicious/noExplicitAny: each tool reads what its own schema declares
export type Arguments = Record<string, any>

export type Call = { api: Api; args: Arguments; maxTokens: number; signal: AbortSignal }

export type Tool = {
  title: string
  /** States the effect of the tool, when to use it, and its cost. */
  description: string
  /** Properties of the arguments. */
  input: Readonly<Record<string, Schema>>
  required: readonly string[]
  /** Properties of `structuredContent`. */
  output: Readonly<Record<string, Schema>>
  hints: Hints
  run: (call: Call) => Promise<Draft>
}

export type Hints = {
  readOnlyHint: boolean
  idempotentHint: boolean
  destructiveHint: boolean
  openWorldHint: boolean
}

/** Hints of a tool that changes nothing. `isOpen`: it reaches sites of others. */
export const reads = (isOpen: boolean): Hints => ({
  readOnlyHint: true,
  idempotentHint: true,
  destructiveHint: false,
  openWorldHint: isOpen,
})

/** Hints of a tool that starts, changes or deletes something. */
export const writes = (more: Partial<Hints> = {}): Hints => ({
  readOnlyHint: false,
  idempotentHint: false,
  destructiveHint: false,
  openWorldHint: true,
  ...more,
})

const minTokens = 500
export const usualTokens = 4_000
export const maxBudget = 20_000

export const maxTokens = {
  type: 'integer',
  minimum: minTokens,
  maximum: maxBudget,
  default: usualTokens,
  description: 'Maximum size of the answer.',
}
export const cursor = {
  type: 'string',
  maxLength: 40,
  description: 'Continues the previous answer, which contains it.',
}
export const url = { type: 'string', maxLength: 8192, description: 'http or https URL.' }
export const id = { type: 'integer', minimum: 1 }
export const crawlId = { ...id, description: 'Returned by start_crawl.' }
export const text = { type: 'string' }
export const count = { type: 'integer' }
export const textOrNull = { type: ['string', 'null'] }
export const countOrNull = { type: ['integer', 'null'] }
export const items = { type: 'array', items: { type: 'object' } }
const flag = { type: 'boolean' }

/** Returns the schema of an option that is off or on without a value. */
export const option = (usual: boolean, description: string): Schema => ({
  ...flag,
  default: usual,
  description,
})

/** The output of every list. */
export const listOutput = { items, cursor: textOrNull }
/** The output of every text. `text` is fenced. */
export const textOutput = { text, cursor: textOrNull, left_out: { type: 'object' } }
export const billedOutput = { billed: { type: 'object' } }

/** Returns what a call costs and the warnings of the API, as facts. */
export const notes = ({ billed, body }: Response) => ({
  billed,
  ...(Array.isArray(body.warnings) && body.warnings.length > 0 && { warnings: body.warnings }),
})
