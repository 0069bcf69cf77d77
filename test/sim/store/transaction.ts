/**
 * Transactions at the isolation level of the services, read committed. A statement reads the rows that were committed
 * when it began, and the writes of its own transaction. Rows that a transaction writes are locked until its end. A
 * statement that needs a locked row waits, and then runs again. It then reads the same rows as before, but the current
 * version of the rows that it locks (Postgres, Read Committed Isolation Level).
 */
import { type Changes, type Holder, MustWait, type Row, type Rows, type Tables } from './tables.ts'

type Matches = (row: Row) => boolean

const always: Matches = () => true

/**
 * The key of a value that distinguishes a row from an earlier, deleted row with the same key. Updates keep the value.
 */
const insertion = Symbol('insertion')

export class Transaction implements Holder {
  /** The time of its begin, which `now()` returns in each of its statements. */
  readonly now: number
  readonly #tables: Tables
  readonly #locks = new Set<string>()
  hasEnded = false
  #changes: Changes = new Map()
  /** The changes of the statement that runs. */
  #fresh: Changes = new Map()
  /**
   * The committed rows at the start of the statement; null: the statement has not waited, so they equal the current
   * rows.
   */
  #snapshot: ReadonlyMap<string, Rows> | null = null

  constructor(tables: Tables) {
    this.#tables = tables
    this.now = tables.now()
  }

  /** The current time, which `clock_timestamp()` returns. */
  get clock(): number {
    return this.#tables.now()
  }

  /**
   * Runs a statement. Its changes are dropped if it throws.
   * @param isAgain whether the same statement has waited for a lock before
   * @throws MustWait
   */
  run<T>(statement: (view: Transaction) => T, isAgain = false): T {
    if (!isAgain) this.#snapshot = null
    this.#fresh = new Map()
    try {
      const result = statement(this)
      for (const [table, rows] of this.#fresh) {
        const before = this.#changes.get(table) ?? new Map()
        this.#changes.set(table, new Map([...before, ...rows]))
      }
      return result
    } catch (error) {
      if (error instanceof MustWait) this.#snapshot ??= this.#tables.snapshot()
      throw error
    } finally {
      this.#fresh = new Map()
    }
  }

  /** Reads the row of a key, as `select` does. */
  get(table: string, key: unknown): Row | undefined {
    return this.#read(table, String(key), this.#visible(table))
  }

  /** Reads all rows of a table, as `select` does. */
  all(table: string): Row[] {
    return [...this.#entries(table).values()]
  }

  /** Locks the row of a key if it matches, and returns it, as `update` and `delete` do. */
  lockRow(table: string, key: unknown, matches: Matches = always): Row | undefined {
    const seen = this.get(table, key)
    return seen && matches(seen) ? this.#lockCurrent(table, String(key), seen, matches) : undefined
  }

  /** Locks all rows that match, and returns them with their keys. */
  lockRows(table: string, matches: Matches): [key: string, row: Row][] {
    const seen = [...this.#entries(table)].filter(([, row]) => matches(row))
    return seen.flatMap(([key, found]) => {
      const row = this.#lockCurrent(table, key, found, matches)
      return row === undefined ? [] : [[key, row]]
    })
  }

  /**
   * Waits for the transaction that has written a found row. Then returns the current version of the row if it still
   * matches. The row stays locked in any case.
   */
  #lockCurrent(table: string, key: string, found: Row, matches: Matches): Row | undefined {
    this.lock(`${table}/${key}`)
    const row = this.#read(table, key, this.#tables.rows(table))
    const isSame = row !== undefined && row[insertion] === found[insertion]
    return isSame && matches(row) ? row : undefined
  }

  /**
   * Inserts a row unless its key exists, as `on conflict do nothing` does. It waits for a transaction that has written
   * the key, but not for one that has only locked the row. It does not lock an existing row.
   */
  insert(table: string, key: unknown, row: Row): boolean {
    const name = `${table}/${key}`
    if (this.#tables.otherHolder(name, this)?.hasWritten(table, String(key))) throw new MustWait(name)
    if (this.#read(table, String(key), this.#tables.rows(table)) !== undefined) return false
    this.put(table, key, row)
    return true
  }

  /**
   * Inserts a row, or changes the existing one, as `on conflict do update` does: the existing row is locked, even if
   * `change` returns null to leave it as it is. Returns the row that was written.
   */
  upsert(table: string, key: unknown, row: Row, change: (before: Row) => Row | null): Row | null {
    this.lock(`${table}/${key}`)
    const before = this.#read(table, String(key), this.#tables.rows(table))
    const columns = before === undefined ? row : change(before)
    if (columns === null) return null
    const written = { ...before, ...columns }
    this.put(table, key, written)
    return written
  }

  hasWritten(table: string, key: string): boolean {
    return this.#changes.get(table)?.has(key) === true
  }

  put(table: string, key: unknown, row: Row): void {
    this.#write(table, String(key), row)
  }

  /** Changes columns of a row that `lockRow` or `lockRows` has returned. */
  update(table: string, key: unknown, columns: Row): void {
    const name = String(key)
    this.#write(table, name, { ...this.#read(table, name, this.#tables.rows(table)), ...columns })
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

  #visible(table: string): Rows {
    return this.#snapshot === null ? this.#tables.rows(table) : (this.#snapshot.get(table) ?? new Map())
  }

  /** Returns the row of a key among the writes of this transaction, or else among `committed`. */
  #read(table: string, key: string, committed: Rows): Row | undefined {
    for (const changes of [this.#fresh, this.#changes]) {
      const row = changes.get(table)?.get(key)
      if (row !== undefined) return row ?? undefined
    }
    return committed.get(key)
  }

  #entries(table: string): Map<string, Row> {
    const rows = new Map<string, Row>(this.#visible(table))
    for (const changes of [this.#changes, this.#fresh])
      for (const [key, row] of changes.get(table) ?? []) {
        if (row === null) rows.delete(key)
        else rows.set(key, row)
      }
    return rows
  }

  #write(table: string, key: string, row: Row | null): void {
    this.lock(`${table}/${key}`)
    const rows = this.#fresh.get(table) ?? new Map<string, Row | null>()
    const isInserted = row !== null && row[insertion] === undefined
    this.#fresh.set(table, rows.set(key, isInserted ? { ...row, [insertion]: Symbol() } : row))
  }
}
