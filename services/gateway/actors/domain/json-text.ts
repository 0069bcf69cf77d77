/**
 * JSON that is generated in pieces while it is read, with its length in bytes for the `content-length` header. A long
 * answer is never one string.
 */
export class JsonText {
  readonly #pieces: () => Iterable<Buffer>
  readonly bytes: number

  /** @param bytes of all pieces, which are the same on each call of `pieces` */
  constructor(bytes: number, pieces: () => Iterable<Buffer>) {
    this.bytes = bytes
    this.#pieces = pieces
  }

  pieces(): Iterable<Buffer> {
    return this.#pieces()
  }
}

type Fields = Record<string, unknown>

/** Returns the JSON object of these fields, in their order, without undefined ones. Embeds a `JsonText` unchanged. */
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
