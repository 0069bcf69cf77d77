/** What all lists have in common: a window that is asked for, and where it goes on. */
import { Type } from 'typebox'
import { orNull } from '../primitives.ts'

/** The window of a list, as its query asks for it. */
export const windowOf = (most: number) => ({
  limit: Type.Integer({ minimum: 1, maximum: most, default: 100, description: 'At most so many items.' }),
  offset: Type.Integer({
    minimum: 0,
    default: 0,
    description: 'So many items are passed over: 0, or next_offset of the part before.',
  }),
})

export const nextOffset = orNull(
  Type.Integer({ description: 'The offset to go on with; null where nothing follows.' }),
)

export const warnings = Type.Optional(
  Type.Array(Type.String(), {
    description:
      'What was ignored or could not be done, each in a sentence; absent where there is nothing to say.',
  }),
)
