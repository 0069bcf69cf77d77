/** Shared fields of all lists: the requested window and the offset of the next one. */
import { Type } from 'typebox'
import { orNull } from '../primitives.ts'

/** The query fields for the window of a list. */
export const windowOf = (most: number) => ({
  limit: Type.Integer({ minimum: 1, maximum: most, default: 100, description: 'Maximum number of items.' }),
  offset: Type.Integer({
    minimum: 0,
    default: 0,
    description: 'Number of items to skip: 0, or `next_offset` of the previous page.',
  }),
})

export const nextOffset = orNull(
  Type.Integer({ description: 'Offset of the next part; null: this is the last part.' }),
)

export const warnings = Type.Optional(
  Type.Array(Type.String(), {
    description: 'Settings that were ignored or could not be applied, one sentence each; absent if empty.',
  }),
)
