/** Shared fields of all lists: the requested window, the format, and the offset of the next window. */
import { Type } from 'typebox'
import { oneOf, orNull } from '../primitives.ts'

/** The query fields for the window of a list. */
export const windowOf = (max: number) => ({
  limit: Type.Integer({ minimum: 1, maximum: max, default: 100, description: 'Maximum number of items.' }),
  offset: Type.Integer({
    minimum: 0,
    default: 0,
    description: 'Number of items to skip: 0, or `next_offset` of the previous page.',
  }),
})

/** The query field that continues a list in the order of falling ids, whatever was added or deleted meanwhile. */
export const beforeField = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description:
      'Only items with a smaller id: the id of the last item that you have, instead of `offset`. Unlike an offset it neither repeats nor skips items when others are added or deleted meanwhile.',
    examples: [42],
  }),
)

/** The query field for the format of a list. */
export const formatField = Type.Optional(
  oneOf(['json', 'ndjson', 'csv'], {
    description:
      'The format of the list: json by default, unless the Accept header prefers application/x-ndjson or text/csv.',
    examples: ['ndjson'],
  }),
)

export const nextOffset = orNull(
  Type.Integer({ description: 'Offset of the next part; null: this is the last part.' }),
)

export const warnings = Type.Optional(
  Type.Array(Type.String(), {
    description: 'Settings that were ignored or could not be applied, one sentence each; absent if empty.',
  }),
)
