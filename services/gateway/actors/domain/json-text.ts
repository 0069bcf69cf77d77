/**
 * JSON in pieces that are made as they are read, and how long it is for whoever has to say so before: what is long is
 * never one text.
 */
export class JsonText {
  readonly #pieces: () => Iterable<Buffer>
  readonly bytes: number

  /** @param bytes of all pieces; they are the same each time that they are asked for */
  constructor(bytes: number, pieces: () => Iterable<Buffer>) {
    this.bytes = bytes
    this.#pieces = pieces
  }

  pieces(): Iterable<Buffer> {
    return this.#pieces()
  }
}

type Fields = Record<string, unknown>

/** The object of these fields, in their order, without those that are undefined; a `JsonText` stands as it is. */
export function objectText(fields: Fields): JsonText {
  const parts: (Buffer | JsonText)[] = []
  let text = '{'
  let separator = ''
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    text += `${separator}${JSON.stringify(name)}:`
    separator = ','
    if (value instanceof JsonText) {
      parts.push(Buffer.from(text), value)
      text = ''
    } else text += JSON.stringify(value)
  }
  parts.push(Buffer.from(`${text}}`))
  const bytes = parts.reduce((sum, part) => sum + (part instanceof JsonText ? part.bytes : part.length), 0)
  return new JsonText(bytes, () => piecesOf(parts))
}

function* piecesOf(parts: readonly (Buffer | JsonText)[]): Generator<Buffer> {
  for (const part of parts) {
    if (part instanceof JsonText) yield* part.pieces()
    else yield part
  }
}
