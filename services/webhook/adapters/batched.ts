/** One statement for many: what is asked for while a statement is out goes into the next one together. */

type Member<Key, Answer> = PromiseWithResolvers<Answer> & { key: Key }

/**
 * `run` answers for each key, in the order of the keys, and changes all of their rows or none. At most `most` keys go
 * together, and one batch at a time. Where one key is what fails (a value that no table takes, a deadlock), the halves
 * are tried apart, so that it fails alone; any other failure is told to every member of the batch.
 */
export function batched<Key, Answer>(
  run: (keys: Key[]) => Promise<Answer[]>,
  most: number,
): (key: Key) => Promise<Answer> {
  const waiting: Member<Key, Answer>[] = []
  let isOut = false

  return key => {
    const member = { key, ...Promise.withResolvers<Answer>() }
    waiting.push(member)
    if (!isOut) {
      isOut = true
      // What came with the same packets may come along.
      setImmediate(() => void work())
    }
    return member.promise
  }

  async function work(): Promise<void> {
    while (waiting.length > 0) await answer(waiting.splice(0, most))
    isOut = false
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

/** A value that no column takes (SQLSTATE class 22), one that breaks a rule of its table (23), or a deadlock (40). */
const isOfOneMember = (error: unknown): boolean =>
  error instanceof Error && /^(2[23]|40)[0-9A-Z]{3}$/.test(String(Reflect.get(error, 'code')))
