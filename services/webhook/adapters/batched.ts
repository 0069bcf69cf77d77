/** Batches requests to the database: all requests that arrive during one statement share the next statement. */

type Member<Key, Answer> = PromiseWithResolvers<Answer> & { key: Key }

/**
 * Returns a function that batches calls of `run`, one batch of at most `maxKeys` keys at a time. `run` returns an
 * answer for each key, in the order of the keys, and changes all of their rows or none. If a single key can be the
 * cause of an error (an invalid value, a deadlock), the batch is halved and retried, so that only this key fails. Any
 * other error rejects every member of the batch.
 */
export function batched<Key, Answer>(
  run: (keys: Key[]) => Promise<Answer[]>,
  maxKeys: number,
): (key: Key) => Promise<Answer> {
  const waiting: Member<Key, Answer>[] = []
  let isWorking = false

  return key => {
    const member = { key, ...Promise.withResolvers<Answer>() }
    waiting.push(member)
    if (!isWorking) {
      isWorking = true
      // Keys from the same network packets join this batch.
      setImmediate(() => void work())
    }
    return member.promise
  }

  async function work(): Promise<void> {
    while (waiting.length > 0) await answer(waiting.splice(0, maxKeys))
    isWorking = false
  }

  async function answer(members: Member<Key, Answer>[]): Promise<void> {
    try {
      const answers = await run(members.map(({ key }) => key))
      for (const [n, { resolve }] of members.entries()) resolve(answers[n] as Answer)
    } catch (error) {
      const middle = Math.ceil(members.length / 2)
      if (members.length === 1 || !isOfOneMember(error)) for (const { reject } of members) reject(error)
      else for (const half of [members.slice(0, middle), members.slice(middle)]) await answer(half)
    }
  }
}

/** Matches SQLSTATE classes 22 (invalid value), 23 (constraint violation) and 40 (deadlock). */
const isOfOneMember = (error: unknown): boolean =>
  error instanceof Error && /^(2[23]|40)[0-9A-Z]{3}$/.test(String(Reflect.get(error, 'code')))
