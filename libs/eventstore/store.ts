/**
 * Stores the events of aggregates. One commit is one JSON object, appended completely or not at all, and only if no
 * other commit was appended to the same subject since it was decided.
 */

export type Stored<Commit> = { sequence: number; commit: Commit }

/** `version` is the sequence of the subject's last commit, 0 when it has none. */
export type Loaded<Commit> = { version: number; commits: Stored<Commit>[] }

export type AppendOptions = {
  /** Identifies the commit when it is appended again; derived from its content by default. */
  id?: string
}

export interface EventStore {
  /** Returns all commits of a subject in order, or those after a known sequence. */
  load<Commit>(subject: string, after?: number): Promise<Loaded<Commit>>

  /**
   * Delivers all commits of a subject in order and in batches, so that a long history is never in memory as a whole.
   * Returns the version.
   */
  read<Commit>(subject: string, take: (commits: Stored<Commit>[]) => Promise<void>): Promise<number>

  /** Returns the subject's last commit without reading earlier ones; null if it has none. */
  last<Commit>(subject: string): Promise<Stored<Commit> | null>

  /**
   * Appends one commit and returns its sequence. `expected` is the version that it was decided on. Appending the same
   * commit again, after a lost response, returns its sequence. Throws `Conflict` if another writer was first, and
   * `TooLarge` for commits that can never be appended.
   */
  append<Commit extends object>(
    subject: string,
    expected: number,
    commit: Commit,
    options?: AppendOptions,
  ): Promise<number>
}

/** Reports that the history has changed since it was read: load it and decide again. */
export class Conflict extends Error {
  override readonly name = 'Conflict'

  constructor(subject: string, expected: number, options?: ErrorOptions) {
    super(`${subject} is no longer at ${expected}`, options)
  }
}

/** Reports that a commit exceeds the maximum message size. It is not stored, and a retry would not help. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge'

  constructor(subject: string, bytes: number, maxBytes: number) {
    super(`a commit of ${bytes} bytes on ${subject} exceeds the maximum of ${maxBytes} bytes per message`)
  }
}
