/** Tables in memory: their committed rows, their sequences, and which transaction holds which lock. */

// biome-ignore lint/suspicious/noExplicitAny: the columns of a row are those that its statements use
export type Row = Record<string | symbol, any>

/** Reports that a statement needs a lock that another transaction holds. */
export class MustWait extends Error {
  override readonly name = 'MustWait'
  readonly lock: string

  constructor(lock: string) {
    super(`waits for ${lock}`)
    this.lock = lock
  }
}

/** A transaction that holds locks. */
export type Holder = {
  /** Returns whether the transaction has written the row of this key. Otherwise it has only locked the row. */
  hasWritten(table: string, key: string): boolean
}

export type Changes = Map<string, Map<string, Row | null>>
export type Rows = ReadonlyMap<string, Row>
export class Tables {
  readonly #committed = new Map<string, Map<string, Row>>()
  readonly #holders = new Map<string, Holder>()
  readonly #waiting = new Map<string, (() => void)[]>()
  readonly #sequences = new Map<string, number>()
  readonly now: () => number

  constructor(now: () => number) {
    this.now = now
  }

  /** The committed rows of a table. */
  rows(table: string): Rows {
    const known = this.#committed.get(table) ?? new Map<string, Row>()
    this.#committed.set(table, known)
    return known
  }

  /** Returns the next number of a sequence, which no rollback gives back. */
  next(sequence: string, step = 1): number {
    const before = this.#sequences.get(sequence) ?? 1
    this.#sequences.set(sequence, before + step)
    return before
  }

  /** Returns the committed rows of all tables as they are now. */
  snapshot(): ReadonlyMap<string, Rows> {
    return new Map([...this.#committed].map(([table, rows]) => [table, new Map(rows)]))
  }

  /** Returns the transaction that holds the lock, unless it is this one. */
  otherHolder(lock: string, than: Holder): Holder | null {
    const holder = this.#holders.get(lock)
    return holder === undefined || holder === than ? null : holder
  }

  acquire(lock: string, by: Holder): boolean {
    if (this.otherHolder(lock, by) !== null) return false
    this.#holders.set(lock, by)
    return true
  }

  /** Calls back once when the lock is released. */
  onRelease(lock: string, act: () => void): void {
    this.#waiting.set(lock, [...(this.#waiting.get(lock) ?? []), act])
  }

  release(locks: Iterable<string>): void {
    for (const lock of locks) {
      this.#holders.delete(lock)
      const waiting = this.#waiting.get(lock) ?? []
      this.#waiting.delete(lock)
      for (const act of waiting) act()
    }
  }

  apply(changes: Changes): void {
    for (const [table, rows] of changes) {
      const committed = this.rows(table) as Map<string, Row>
      for (const [key, row] of rows) {
        if (row === null) committed.delete(key)
        else committed.set(key, row)
      }
    }
  }
}
