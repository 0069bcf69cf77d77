/** The reference's words for an operation, with descriptions of its headers. */
import type { AnswerWords, OperationWords } from './domain/operation-words.ts'
import type { HeaderName } from './headers.ts'

export type Answer = AnswerWords<HeaderName>
export type Operation = OperationWords<HeaderName>

/** Operations by `operationId`. */
export type Operations = Readonly<Record<string, Operation>>
