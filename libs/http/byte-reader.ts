/**
 * Reads an exact number of bytes from the start of a connection before the connection is handed on. It never reads
 * more than it is allowed. The caller limits the time.
 */
import type net from 'node:net'

/** Reports that the other side closed the connection too early, or sent more bytes than expected. */
export class BytesMissing extends Error {
  override readonly name = 'BytesMissing'
}

export type ByteReader = {
  /** Returns the next `count` bytes. @throws BytesMissing */
  take(count: number): Promise<Buffer>
  /**
   * Returns the next bytes including `mark`. @throws BytesMissing, also if `mark` does not come within `maxBytes`
   */
  takeThrough(mark: string, maxBytes: number): Promise<Buffer>
  /** Releases the connection. @throws BytesMissing if more bytes arrived than were read */
  release(): void
}

/** Returns a reader, which owns the connection until its `release`. Errors of the socket are thrown unchanged. */
export function createByteReader(socket: net.Socket): ByteReader {
  let received: Buffer = Buffer.alloc(0)
  let ended: Error | null = null
  let change = Promise.withResolvers<void>()

  const onReadable = () => {
    const piece: Buffer | null = socket.read()
    if (piece) received = Buffer.concat([received, piece])
    if (piece) settle()
  }
  const onEnd = () => {
    ended ??= new BytesMissing('the connection was closed too early')
    settle()
  }
  const onError = (error: Error) => {
    ended ??= error
    settle()
  }
  socket.on('readable', onReadable).on('end', onEnd).on('close', onEnd).on('error', onError)

  function settle() {
    change.resolve()
    change = Promise.withResolvers()
  }

  async function takeWhen(lengthNow: () => number): Promise<Buffer> {
    for (;;) {
      const length = lengthNow()
      if (length >= 0) return cut(length)
      if (ended) throw ended
      await change.promise
    }
  }

  function cut(length: number): Buffer {
    const taken = received.subarray(0, length)
    received = received.subarray(length)
    return taken
  }

  return {
    take: count => takeWhen(() => (received.length >= count ? count : -1)),
    takeThrough: (mark, maxBytes) =>
      takeWhen(() => {
        const at = received.subarray(0, maxBytes).indexOf(mark)
        if (at >= 0) return at + mark.length
        if (received.length >= maxBytes) throw new BytesMissing(`the answer has more than ${maxBytes} bytes`)
        return -1
      }),
    release() {
      socket.off('readable', onReadable).off('end', onEnd).off('close', onEnd).off('error', onError)
      if (received.length > 0) throw new BytesMissing('the server sent data after the end of the response')
    },
  }
}
