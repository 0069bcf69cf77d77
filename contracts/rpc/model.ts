/** Requests to the extractor for its language model: about changes, and which model it has. */
import { type Static, Type } from 'typebox'
import { ModelUse } from '../http/extraction.ts'
import { ChangedLine, DiffInWords } from '../http/page-diff.ts'
import { Id, oneOf, orNull } from '../primitives.ts'
import { rpc } from './rpc.ts'

/** The changed lines of pages, without their context. */
const ChangedPages = Type.Array(Type.Object({ url: Type.String(), lines: Type.Array(ChangedLine) }))

/** Describes the change of one page in words, by the language model. */
export const DescribeChange = Type.Object({
  /** Callers of earlier versions name no project, and share the requests of one. */
  projectId: Type.Optional(Id),
  url: Type.String(),
  lines: Type.Array(ChangedLine),
})
export type DescribeChange = Static<typeof DescribeChange>

const ModelFault = oneOf(['model_failed', 'not_quoted'])

/** `words` is null if nothing changed or the model failed. `fault` explains the failure: `why` is a sentence without its period. */
export const ChangeInWords = Type.Object({
  words: orNull(DiffInWords),
  fault: orNull(Type.Object({ reason: ModelFault, why: Type.String() })),
  /** Whether the words are about a part of the lines. */
  isPart: Type.Optional(Type.Boolean()),
  use: orNull(ModelUse),
})
export type ChangeInWords = Static<typeof ChangeInWords>

/** Judges by the language model whether the change is the one that the client waits for. */
export const JudgeChange = Type.Object({
  /** As in `DescribeChange`. */
  projectId: Type.Optional(Id),
  intent: Type.String(),
  pages: ChangedPages,
  /** Whether the lines are only a part of the change. */
  isPart: Type.Boolean(),
})
export type JudgeChange = Static<typeof JudgeChange>

/** `reason` is a sentence of the model, or a code if `matched` is null. */
export const JudgedChange = Type.Object({
  matched: orNull(Type.Boolean()),
  reason: Type.String(),
  quotes: Type.Array(Type.Object({ url: Type.String(), ...ChangedLine.properties })),
  use: orNull(ModelUse),
})
export type JudgedChange = Static<typeof JudgedChange>

const OfferedModel = Type.Object({ name: Type.String(), host: Type.String() })

/** The language model and the model of embeddings of this installation; null or absent: it has none. */
export const ModelOffer = Type.Object({
  model: orNull(OfferedModel),
  embeddings: Type.Optional(orNull(OfferedModel)),
})
export type ModelOffer = Static<typeof ModelOffer>

export const offerModel = rpc({
  subject: 'ask.content.model',
  request: Type.Object({}),
  response: ModelOffer,
  callers: ['gateway', 'projector'],
  server: 'extractor',
})

/** Refused with `not_configured` without a model. */
export const describeChange = rpc({
  subject: 'ask.content.describe',
  request: DescribeChange,
  response: ChangeInWords,
  callers: ['gateway'],
  server: 'extractor',
})

/** Refused with `not_configured` without a model. */
export const judgeChange = rpc({
  subject: 'ask.content.judge',
  request: JudgeChange,
  response: JudgedChange,
  callers: ['projector'],
  server: 'extractor',
})
