/** The keys of a Redis in memory: strings, hashes, sets and sorted sets that expire by any clock. */

type Entry = { value: unknown; until: number }

export class Keys {
  readonly #now: () => number
  readonly #entries = new Map<string, Entry>()

  /** @param now the clock of the server in milliseconds, with a fraction */
  constructor(now: () => number) {
    this.#now = now
  }

  /** The result of TIME as one number. */
  get now(): number {
    return this.#now()
  }

  clear(): void {
    this.#entries.clear()
  }

  get(key: string): string | null {
    return (this.#find(key)?.value as string | undefined) ?? null
  }

  set(key: string, value: string, px: number): void {
    this.#entries.set(key, { value, until: this.#wholeNow() + px })
  }

  del(key: string): number {
    const isThere = this.#find(key) !== undefined
    this.#entries.delete(key)
    return Number(isThere)
  }

  /** Returns milliseconds; -1: the key does not expire, -2: it does not exist. */
  pttl(key: string): number {
    const entry = this.#find(key)
    if (entry === undefined) return -2
    return entry.until === Infinity ? -1 : Math.max(0, entry.until - this.#wholeNow())
  }

  pexpire(key: string, ms: number): void {
    const entry = this.#find(key)
    if (entry !== undefined) entry.until = this.#wholeNow() + ms
  }

  hget(key: string, field: string): string | null {
    return this.hgetall(key).get(field) ?? null
  }

  hgetall(key: string): ReadonlyMap<string, string> {
    return (this.#find(key)?.value as Map<string, string> | undefined) ?? new Map()
  }

  hset(key: string, fields: Readonly<Record<string, string>>): void {
    const hash = this.#made(key, () => new Map<string, string>())
    for (const [field, value] of Object.entries(fields)) hash.set(field, value)
  }

  hdel(key: string, field: string): number {
    const hash = this.#find(key)?.value as Map<string, string> | undefined
    const isRemoved = hash?.delete(field) ?? false
    if (hash?.size === 0) this.#entries.delete(key)
    return Number(isRemoved)
  }

  sadd(key: string, member: string): void {
    this.#made(key, () => new Set<string>()).add(member)
  }

  smembers(key: string): string[] {
    return [...((this.#find(key)?.value as Set<string> | undefined) ?? [])]
  }

  /** ZADD with GT: a score only grows. */
  zaddGreater(key: string, score: number, member: string): void {
    const scores = this.#made(key, () => new Map<string, number>())
    scores.set(member, Math.max(score, scores.get(member) ?? -Infinity))
  }

  zrem(key: string, member: string): void {
    const scores = this.#find(key)?.value as Map<string, number> | undefined
    scores?.delete(member)
    if (scores?.size === 0) this.#entries.delete(key)
  }

  /** Returns the members with their scores, the lowest first, and equal ones by their bytes. */
  scores(key: string): [member: string, score: number][] {
    const scores = (this.#find(key)?.value as Map<string, number> | undefined) ?? new Map<string, number>()
    return [...scores].sort(([a, one], [b, other]) => one - other || (a < b ? -1 : 1))
  }

  #wholeNow(): number {
    return Math.floor(this.#now())
  }

  #find(key: string): Entry | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined || this.#wholeNow() <= entry.until) return entry
    this.#entries.delete(key)
    return undefined
  }

  #made<Value>(key: string, make: () => Value): Value {
    const known = this.#find(key)
    if (known !== undefined) return known.value as Value
    const value = make()
    this.#entries.set(key, { value, until: Infinity })
    return value
  }
}
