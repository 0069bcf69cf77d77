/**
 * The position where the next answer begins: in the text of a page (`p`), in a list (`n`), or behind an item of a list that
 * grows at its beginning (`b`: before the id, because a number would shift).
 */

/** `version` is the beginning of the content hash of the page, by which a change is detected. */
export type Cursor = { offset: number; version: string }

const forms = {
  page: /^p(\d{1,9})(?:\.([0-9a-f]{8}))?$/,
  list: /^n(\d{1,9})()$/,
}
const beforeForm = /^b([1-9]\d{0,15})$/

/** The fault of an argument, in a sentence for the model. */
export class BadArgument extends Error {
  override readonly name = 'BadArgument'
}

/** Returns the position of a cursor, or the beginning without one. Throws BadArgument. */
export function readCursor(cursor: string | undefined, kind: keyof typeof forms): Cursor {
  if (cursor === undefined || cursor === '') return { offset: 0, version: '' }
  const found = forms[kind].exec(cursor) ?? refuse(cursor)
  return { offset: Number(found[1]), version: found[2] ?? '' }
}

/** Returns the id before which a list continues; undefined: it begins. Throws BadArgument. */
export function readBefore(cursor: string | undefined): number | undefined {
  if (cursor === undefined || cursor === '') return undefined
  const [, id] = beforeForm.exec(cursor) ?? refuse(cursor)
  return Number(id)
}

function refuse(cursor: string): never {
  throw new BadArgument(
    `cursor ${JSON.stringify(cursor.slice(0, 40))} is not from an earlier answer of this tool. Pass it exactly as it was returned, or omit it to begin at the start.`,
  )
}

export const pageCursor = ({ offset, version }: Cursor): string =>
  version === '' ? `p${offset}` : `p${offset}.${version}`

export const listCursor = (offset: number): string => `n${offset}`

export const beforeCursor = (id: unknown): string => `b${id}`
