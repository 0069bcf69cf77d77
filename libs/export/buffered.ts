/** Joins small pieces of a file, so that a reader handles few large ones. */

const minBytes = 64 * 1024

/** Yields the bytes in buffers of at least 64 KB, except the last. Strings become UTF-8, lone surrogates U+FFFD. */
export async function* buffered(
  pieces: AsyncIterable<string | Buffer> | Iterable<string | Buffer>,
): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = []
  let bytes = 0
  for await (const piece of pieces) {
    const buffer = typeof piece === 'string' ? Buffer.from(piece) : piece
    waiting.push(buffer)
    bytes += buffer.length
    if (bytes < minBytes) continue
    yield Buffer.concat(waiting, bytes)
    waiting = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(waiting, bytes)
}
