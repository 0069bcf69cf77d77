/**
 * Reads an exact number of bytes from the start of a connection, before the connection gets another owner. A server that
 * sends more bytes than that is an error. The caller limits the time.
 */
import type net from 'node:net'

/** Reports that the other side closed the connection too early, or sent more bytes than expected. */
export class BytesMissing extends Error {
  override readonly name = 'BytesMissing'
}

/** Owns the connection until `release`. Errors of the socket are thrown unchanged. */
export class ByteReader {
  readonly #socket: net.Socket
  #received: Buffer = Buffer.alloc(0)
  /** Why no more bytes will arrive; null: more may arrive. */
  #ended: Error | null = null
  /** Resolves at the next change of either. */
  #change = Promise.withResolvers<void>()

  constructor(socket: net.Socket) {
    this.#socket = socket
    socket
      .on('readable', this.#onReadable)
      .on('end', this.#onEnd)
      .on('close', this.#onEnd)
      .on('error', this.#onError)
  }

  /** Returns the next `count` bytes. @throws BytesMissing */
  take(count: number): Promise<Buffer> {
    return this.#takeWhen(() => (this.#received.length >= count ? count : -1))
  }

  /** Returns the next bytes including `mark`. @throws BytesMissing, also if `mark` does not come within `maxBytes` */
  takeThrough(mark: string, maxBytes: number): Promise<Buffer> {
    return this.#takeWhen(() => {
      const at = this.#received.subarray(0, maxBytes).indexOf(mark)
      if (at >= 0) return at + mark.length
      if (this.#received.length >= maxBytes)
        throw new BytesMissing(`the response has more than ${maxBytes} bytes`)
      return -1
    })
  }

  /** Releases the connection. @throws BytesMissing if more bytes arrived than were read */
  release(): void {
    this.#socket
      .off('readable', this.#onReadable)
      .off('end', this.#onEnd)
      .off('close', this.#onEnd)
      .off('error', this.#onError)
    if (this.#received.length > 0)
      throw new BytesMissing('the server sent data after the end of the response')
  }

  readonly #onReadable = () => {
    const piece: Buffer | null = this.#socket.read()
    if (piece === null) return
    this.#received = Buffer.concat([this.#received, piece])
    this.#settle()
  }

  readonly #onEnd = () => {
    this.#ended ??= new BytesMissing('the connection was closed too early')
    this.#settle()
  }

  readonly #onError = (error: Error) => {
    this.#ended ??= error
    this.#settle()
  }

  #settle(): void {
    this.#change.resolve()
    this.#change = Promise.withResolvers()
  }

  /** Waits until `lengthNow` returns the length of the next part instead of -1, and returns that part. */
  async #takeWhen(lengthNow: () => number): Promise<Buffer> {
    for (;;) {
      const length = lengthNow()
      if (length >= 0) return this.#cut(length)
      if (this.#ended) throw this.#ended
      await this.#change.promise
    }
  }

  #cut(length: number): Buffer {
    const taken = this.#received.subarray(0, length)
    this.#received = this.#received.subarray(length)
    return taken
  }
}
