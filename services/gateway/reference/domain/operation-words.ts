/** Documentation of an operation beyond its schemas: examples, headers, and possible refusals. */
import type { ProblemCode, Reason } from '@tidemark/contracts/problems'

/** Codes and their reasons; a reason of null: the error may have no reason. */
export type Refusals = { readonly [Code in ProblemCode]?: readonly (Reason | null)[] }

export type AnswerWords<Header extends string = string> = {
  /** Its meaning, in a sentence. */
  readonly description: string
  /** A body according to the schema; absent for an answer without a body. */
  readonly example?: unknown
  /** Several examples by name, if one is not enough. */
  readonly examples?: Readonly<Record<string, unknown>>
  /** Further forms of the same answer, by media type. */
  readonly otherwise?: Readonly<Record<string, { description: string; example: string }>>
  /** Headers in addition to those of every answer. */
  readonly headers?: readonly Header[]
}

export type OperationWords<Header extends string = string> = {
  readonly body?: unknown
  /** The answer with the status 200, if it is the only one except refusals. */
  readonly answer?: AnswerWords<Header>
  /** Answers by status, except refusals. Statuses without a schema are left out. */
  readonly answers?: Readonly<Record<number, AnswerWords<Header>>>
  /** Refusals in addition to those of every operation of its kind. */
  readonly refuses?: Refusals
  /** Headers in addition to those of every refusal with this code. */
  readonly refusalHeaders?: { readonly [Code in ProblemCode]?: readonly Header[] }
  /** Statuses by code, if they differ from the usual status of the code. */
  readonly statuses?: { readonly [Code in ProblemCode]?: number }
  /** Refusals by status, for codes with an additional status. */
  readonly refusesAs?: Readonly<Record<number, Refusals>>
}

/** Returns the answers by status, except refusals. */
export const answersOf = ({ answer, answers }: OperationWords): Readonly<Record<number, AnswerWords>> =>
  answers ?? (answer === undefined ? {} : { 200: answer })
