/** Work that concerns one thing, one at a time and in the order in which it came; other things wait for none of it. */

type InTurn<Key> = <Result>(key: Key, work: () => Promise<Result>) => Promise<Result>

export function turnsOf<Key>(): InTurn<Key> {
  const last = new Map<Key, Promise<unknown>>()

  return (key, work) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(work)
    const over = turn
      .catch(() => {})
      .then(() => {
        if (last.get(key) === over) last.delete(key)
      })
    last.set(key, over)
    return turn
  }
}
