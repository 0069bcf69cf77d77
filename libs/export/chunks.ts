/** Joins small pieces of a file, so that a reader handles few chunks. */

const chunkBytes = 64 * 1024

/** Yields the pieces in chunks of at least 64 KB, except the last. Strings become UTF-8, lone surrogates U+FFFD. */
export async function* chunked(
  pieces: AsyncIterable<string | Buffer> | Iterable<string | Buffer>,
): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = []
  let bytes = 0
  for await (const piece of pieces) {
    const buffer = typeof piece === 'string' ? Buffer.from(piece) : piece
    waiting.push(buffer)
    bytes += buffer.length
    if (bytes < chunkBytes) continue
    yield Buffer.concat(waiting, bytes)
    waiting = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(waiting, bytes)
}
