/** The position where the next answer begins: in the text of a page (`p`), or in a list (`n`). */

/** `version` is the beginning of the content hash of the page, by which a change is detected. */
export type Cursor = { offset: number; version: string }

const forms = { page: /^p(\d{1,9})(?:\.([0-9a-f]{8}))?$/, list: /^n(\d{1,9})()$/ }

/** The fault of an argument, in a sentence for the model. */
export class BadArgument extends Error {
  override readonly name = 'BadArgument'
}

/** Returns the position of a cursor, or the beginning without one. Throws BadArgument. */
export function readCursor(cursor: string | undefined, kind: keyof typeof forms): Cursor {
  if (cursor === undefined || cursor === '') return { offset: 0, version: '' }
  const found = forms[kind].exec(cursor)
  if (found === null)
    throw new BadArgument(
      `cursor ${JSON.stringify(cursor.slice(0, 40))} is not from an earlier answer of this tool. Pass it exactly as it was returned, or omit it to begin at the start.`,
    )
  return { offset: Number(found[1]), version: found[2] ?? '' }
}

export const pageCursor = ({ offset, version }: Cursor): string =>
  version === '' ? `p${offset}` : `p${offset}.${version}`

export const listCursor = (offset: number): string => `n${offset}`
