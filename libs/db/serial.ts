/** Runs the tasks of one key one at a time, in the order of their arrival. Tasks of other keys do not wait for them. */

type Serial<Key> = <Result>(key: Key, task: () => Promise<Result>) => Promise<Result>

export function serialByKey<Key>(): Serial<Key> {
  const last = new Map<Key, Promise<unknown>>()

  return (key, task) => {
    const result = (last.get(key) ?? Promise.resolve()).then(task)
    const over = result
      .catch(() => {})
      .then(() => {
        if (last.get(key) === over) last.delete(key)
      })
    last.set(key, over)
    return result
  }
}
