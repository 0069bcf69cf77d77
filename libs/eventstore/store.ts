/**
 * Where aggregates keep what happened to them. One commit is one JSON object, appended whole or not at all,
 * and only if nobody appended to the same subject since it was decided.
 */

export type Stored<Commit> = { sequence: number; commit: Commit }

/** `version` is the sequence of the subject's last commit, 0 when it has none. */
export type Loaded<Commit> = { version: number; commits: Stored<Commit>[] }

export type AppendOptions = {
  /** Names the commit, so that it is recognised when it is appended again; taken from its content by default. */
  id?: string
}

export interface EventStore {
  /** All commits of a subject in order, or those after a sequence that is already known. */
  load<Commit>(subject: string, after?: number): Promise<Loaded<Commit>>

  /**
   * Hands over all commits of a subject in order, some at a time and the next when these are done with, so that a
   * long past is never in memory as a whole. Gives the version.
   */
  read<Commit>(subject: string, take: (commits: Stored<Commit>[]) => Promise<void>): Promise<number>

  /** The subject's last commit, without reading those before it; null when it has none. */
  last<Commit>(subject: string): Promise<Stored<Commit> | null>

  /**
   * Appends one commit and returns its sequence. `expected` is the version that it was decided on.
   * Appending the same commit again, because the first answer was lost, returns the sequence that it has.
   * Throws `Conflict` when somebody else was first, and `TooLarge` for what can never be appended.
   */
  append<Commit extends object>(
    subject: string,
    expected: number,
    commit: Commit,
    options?: AppendOptions,
  ): Promise<number>
}

/** The past has changed since it was read: load again and decide again. */
export class Conflict extends Error {
  override readonly name = 'Conflict'

  constructor(subject: string, expected: number, options?: ErrorOptions) {
    super(`${subject} is no longer at ${expected}`, options)
  }
}

/** A commit is larger than a message may be. It is not stored, and appending it again would not help. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge'

  constructor(subject: string, bytes: number, most: number) {
    super(`a commit of ${bytes} bytes on ${subject} is more than the ${most} that one message may have`)
  }
}
