/**
 * Batches concurrent reads: reads of one project that arrive while earlier ones run share one statement. A single read
 * never waits.
 */

/** Returns the values of keys; keys without a value are missing in the map. */
export type ReadMany<Key, Value> = (projectId: number, keys: Key[]) => Promise<Map<Key, Value>>

/**
 * Maximum number of concurrent statements of a project. Two keep the connection busy, and more would only make smaller
 * batches.
 */
const maxUnderWay = 2

type Waiting<Value> = { resolve: (value: Value | null) => void; reject: (error: unknown) => void }
type Desk<Key, Value> = { waiting: Map<Key, Waiting<Value>[]>; underWay: number; isCalled: boolean }

/** Returns a function that reads one value; null: the project has none with this key. */
export function gathered<Key, Value>(read: ReadMany<Key, Value>) {
  const desks = new Map<number, Desk<Key, Value>>()

  async function requestNext(projectId: number, desk: Desk<Key, Value>): Promise<void> {
    desk.isCalled = false
    const { waiting } = desk
    desk.waiting = new Map()
    desk.underWay += 1
    try {
      const found = await read(projectId, [...waiting.keys()])
      for (const [key, all] of waiting) for (const { resolve } of all) resolve(found.get(key) ?? null)
    } catch (error) {
      for (const all of waiting.values()) for (const { reject } of all) reject(error)
    }
    desk.underWay -= 1
    if (desk.waiting.size > 0) call(projectId, desk)
    else if (desk.underWay === 0) desks.delete(projectId)
  }

  /**
   * Runs the waiting reads at the end of the turn of the event loop, so that all reads of this turn share a statement.
   */
  function call(projectId: number, desk: Desk<Key, Value>): void {
    if (desk.isCalled || desk.underWay >= maxUnderWay) return
    desk.isCalled = true
    setImmediate(requestNext, projectId, desk)
  }

  return (projectId: number, key: Key): Promise<Value | null> =>
    new Promise((resolve, reject) => {
      const desk = desks.get(projectId) ?? { waiting: new Map(), underWay: 0, isCalled: false }
      desks.set(projectId, desk)
      const alike = desk.waiting.get(key)
      if (alike === undefined) desk.waiting.set(key, [{ resolve, reject }])
      else alike.push({ resolve, reject })
      call(projectId, desk)
    })
}
