/**
 * Adds COPY to `pg`: a table as a stream of bytes, out of or into a transaction. The protocol layer of `pg` supports
 * it, but its API does not. Memory stays at a few pieces for tables of any size.
 */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { Client, Connection, Submittable } from 'pg'

const pieceBytes = 64 * 1024

type Wire = Connection & {
  stream: Socket
  query(text: string): void
  sendCopyFromChunk(chunk: Uint8Array): void
  endCopyFrom(): void
  sendCopyFail(reason: string): void
}
type Completed = { text: string }

const rowsIn = ({ text }: Completed): number => Number(/^COPY (\d+)$/.exec(text)?.[1] ?? 0)

/** The rows that `copy … to stdout` sends, in pieces. `rows` is their number once the stream has ended. */
export class CopyOut extends Readable implements Submittable {
  rows = 0
  readonly #statement: string
  #wire: Wire | undefined
  #piece = Buffer.allocUnsafe(pieceBytes)
  #filled = 0

  constructor(statement: string) {
    super({ highWaterMark: 4 * pieceBytes })
    this.#statement = statement
  }

  submit(connection: Connection): void {
    this.#wire = connection as Wire
    this.#wire.query(this.#statement)
  }

  /** Copies the row, because the driver reuses its memory. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    if (this.#filled + chunk.length > this.#piece.length) this.#hand(Math.max(pieceBytes, chunk.length))
    chunk.copy(this.#piece, this.#filled)
    this.#filled += chunk.length
  }

  handleCommandComplete(completed: Completed): void {
    this.rows = rowsIn(completed)
    this.#hand(0)
  }

  handleReadyForQuery(): void {
    this.push(null)
  }

  handleError(error: Error): void {
    this.destroy(error)
  }

  override _read(): void {
    this.#wire?.stream.resume()
  }

  #hand(next: number): void {
    const piece = this.#piece.subarray(0, this.#filled)
    this.#piece = Buffer.allocUnsafe(next)
    this.#filled = 0
    if (piece.length > 0 && !this.push(piece)) this.#wire?.stream.pause()
  }
}

/** Sends a source to `copy … from stdin` and returns its number of rows. Throws errors of the source and of Postgres. */
export function copyIn(
  client: Client,
  statement: string,
  source: AsyncIterable<Uint8Array>,
): Promise<number> {
  const copying = new CopyIn(statement, source)
  client.query(copying)
  return copying.done.promise
}

class CopyIn implements Submittable {
  readonly done = Promise.withResolvers<number>()
  readonly #statement: string
  readonly #source: AsyncIterable<Uint8Array>
  #rows = 0
  #fault: unknown

  constructor(statement: string, source: AsyncIterable<Uint8Array>) {
    this.#statement = statement
    this.#source = source
  }

  submit(connection: Connection): void {
    const wire = connection as Wire
    wire.query(this.#statement)
  }

  handleCopyInResponse(connection: Connection): void {
    const wire = connection as Wire
    this.#send(wire).catch(error => {
      this.#fault = error
      wire.sendCopyFail(String(error))
    })
  }

  handleCommandComplete(completed: Completed): void {
    this.#rows = rowsIn(completed)
  }

  handleReadyForQuery(): void {
    this.done.resolve(this.#rows)
  }

  handleError(error: Error): void {
    this.#fault ??= error
    this.done.reject(this.#fault)
  }

  async #send(wire: Wire): Promise<void> {
    for await (const piece of this.#source) {
      if (this.#fault !== undefined) return
      wire.sendCopyFromChunk(piece)
      if (wire.stream.writableNeedDrain) await once(wire.stream, 'drain')
    }
    wire.endCopyFrom()
  }
}
