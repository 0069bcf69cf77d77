/**
 * Tables in memory with transactions at the isolation level of the services, read committed: a statement reads what is
 * committed, and the writes of its own transaction. Rows that a transaction writes are locked until its end. A
 * statement that needs a locked row waits, and then runs again.
 */

// biome-ignore lint/suspicious/noExplicitAny: the columns of a row are those that its statements use
export type Row = Record<string, any>

/** Reports that a statement needs a lock that another transaction holds. */
export class MustWait extends Error {
  override readonly name = 'MustWait'
  readonly lock: string

  constructor(lock: string) {
    super(`waits for ${lock}`)
    this.lock = lock
  }
}

type Changes = Map<string, Map<string, Row | null>>

export class Tables {
  readonly #committed = new Map<string, Map<string, Row>>()
  readonly #holders = new Map<string, Transaction>()
  readonly #waiting = new Map<string, (() => void)[]>()
  readonly #sequences = new Map<string, number>()
  readonly now: () => number

  constructor(now: () => number) {
    this.now = now
  }

  /** The committed rows of a table. */
  rows(table: string): ReadonlyMap<string, Row> {
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

  acquire(lock: string, by: Transaction): boolean {
    const holder = this.#holders.get(lock)
    if (holder !== undefined && holder !== by) return false
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

export class Transaction {
  readonly #tables: Tables
  readonly #locks = new Set<string>()
  hasEnded = false
  #changes: Changes = new Map()
  /** The changes of the statement that runs. */
  #fresh: Changes = new Map()

  constructor(tables: Tables) {
    this.#tables = tables
  }

  get now(): number {
    return this.#tables.now()
  }

  /** Runs a statement. Its changes are dropped if it throws. */
  run<T>(statement: (view: Transaction) => T): T {
    this.#fresh = new Map()
    const result = statement(this)
    for (const [table, rows] of this.#fresh) {
      const before = this.#changes.get(table) ?? new Map()
      this.#changes.set(table, new Map([...before, ...rows]))
    }
    this.#fresh = new Map()
    return result
  }

  get(table: string, key: unknown): Row | undefined {
    const name = String(key)
    for (const changes of [this.#fresh, this.#changes]) {
      const row = changes.get(table)?.get(name)
      if (row !== undefined) return row ?? undefined
      if (changes.get(table)?.has(name)) return undefined
    }
    return this.#tables.rows(table).get(name)
  }

  all(table: string): Row[] {
    const rows = new Map<string, Row | null>(this.#tables.rows(table))
    for (const changes of [this.#changes, this.#fresh])
      for (const [key, row] of changes.get(table) ?? []) rows.set(key, row)
    return [...rows.values()].filter(row => row !== null)
  }

  put(table: string, key: unknown, row: Row): void {
    this.#write(table, String(key), row)
  }

  /** Changes columns of a row. */
  update(table: string, key: unknown, columns: Row): void {
    this.lock(`${table}/${key}`)
    this.#write(table, String(key), { ...this.get(table, key), ...columns })
  }

  remove(table: string, key: unknown): void {
    this.#write(table, String(key), null)
  }

  next(sequence: string, step?: number): number {
    return this.#tables.next(sequence, step)
  }

  /** @throws MustWait */
  lock(name: string): void {
    if (!this.tryLock(name)) throw new MustWait(name)
  }

  tryLock(name: string): boolean {
    const isHeld = this.#tables.acquire(name, this)
    if (isHeld) this.#locks.add(name)
    return isHeld
  }

  commit(): void {
    this.#tables.apply(this.#changes)
    this.rollback()
  }

  rollback(): void {
    this.hasEnded = true
    this.#changes = new Map()
    this.#fresh = new Map()
    const locks = [...this.#locks]
    this.#locks.clear()
    this.#tables.release(locks)
  }

  #write(table: string, key: string, row: Row | null): void {
    this.lock(`${table}/${key}`)
    const rows = this.#fresh.get(table) ?? new Map<string, Row | null>()
    this.#fresh.set(table, rows.set(key, row))
  }
}
