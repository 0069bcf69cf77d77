/** Converts a document of the client to another format. Nothing is fetched. */
import { type Static, Type } from 'typebox'
import { Id, oneOf, orNull } from '../primitives.ts'
import { rpc } from './rpc.ts'

export const Transform = Type.Object({
  projectId: Id,
  kind: oneOf(['html', 'pdf']),
  /** HTML as text, PDF base64-encoded; null: the document is in the object store. */
  data: orNull(Type.String()),
  /** Key of a document that is too large for a message, stored as bytes. The reader removes the object. */
  bulkyKey: orNull(Type.String()),
  format: oneOf(['markdown', 'text', 'raw']),
  /** Convert the main content only. */
  readability: Type.Boolean(),
})
export type Transform = Static<typeof Transform>

/** Rejected with 422 `unsupported_input` if the document does not have the stated format. */
export const TransformResponse = Type.Object({
  content: Type.String(),
  /** Name of the engine, such as `article` and `pdf`. */
  engine: Type.String(),
  warnings: Type.Array(Type.String()),
})
export type TransformResponse = Static<typeof TransformResponse>

export const transform = rpc({
  subject: 'ask.cloud.transform',
  request: Transform,
  response: TransformResponse,
  codec: 'compact',
  callers: ['gateway'],
  server: 'extractor',
})
