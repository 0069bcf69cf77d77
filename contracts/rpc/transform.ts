/** A document that the client sends, turned into another format; nothing is fetched. */
import { type Static, Type } from 'typebox'
import { Id, orNull } from '../primitives.ts'
import { rpc } from './rpc.ts'

export const Transform = Type.Object({
  projectId: Id,
  kind: Type.Union([Type.Literal('html'), Type.Literal('pdf')]),
  /** HTML as text, a PDF in base64; null where it lies in the object store. */
  data: orNull(Type.String()),
  /** Where it lies when it is too large for a message, as bytes; whoever reads it there removes it. */
  bulkyKey: orNull(Type.String()),
  format: Type.Union([Type.Literal('markdown'), Type.Literal('text'), Type.Literal('raw')]),
  /** The main content only. */
  readability: Type.Boolean(),
})
export type Transform = Static<typeof Transform>

/** Refused as 422 `unsupported_input` for what cannot be read as what it is said to be. */
export const TransformAnswer = Type.Object({
  content: Type.String(),
  /** What made it, such as `article` and `pdf`. */
  engine: Type.String(),
  warnings: Type.Array(Type.String()),
})
export type TransformAnswer = Static<typeof TransformAnswer>

export const transform = rpc({
  subject: 'ask.cloud.transform',
  request: Transform,
  response: TransformAnswer,
  codec: 'compact',
  callers: ['gateway'],
  server: 'extractor',
})
