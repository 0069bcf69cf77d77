/** Documentation of an operation beyond its schemas: examples, headers, and possible refusals. */
import type { ProblemCode, Reason } from '@tidemark/contracts/problems'

/** Codes and the reasons that come with them; null where some come without one. */
export type Refusals = { readonly [Code in ProblemCode]?: readonly (Reason | null)[] }

export type AnswerWords<Header extends string = string> = {
  /** Its meaning, in a sentence. */
  readonly says: string
  /** A body as the schema has it; none where the answer has no body. */
  readonly example?: unknown
  /** Where one alone would not do, by name. */
  readonly examples?: Readonly<Record<string, unknown>>
  /** Further forms of the same answer, by media type. */
  readonly otherwise?: Readonly<Record<string, { says: string; example: string }>>
  /** Beside those that every answer has. */
  readonly headers?: readonly Header[]
}

export type OperationWords<Header extends string = string> = {
  readonly body?: unknown
  /** By status: all except refusals. Statuses without a schema are left out. */
  readonly answers: Readonly<Record<number, AnswerWords<Header>>>
  /** Beside those that every operation of its kind has. */
  readonly refuses?: Refusals
  /** Beside those that refusals of this code always have. */
  readonly refusalHeaders?: { readonly [Code in ProblemCode]?: readonly Header[] }
  /** Instead of the status that the code always travels with. */
  readonly statuses?: { readonly [Code in ProblemCode]?: number }
  /** Beside those, by status: where a code comes with one more. */
  readonly refusesAs?: Readonly<Record<number, Refusals>>
}
