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

type Waiting<Key, Value> = Map<Key, PromiseWithResolvers<Value | null>>
type Queue<Key, Value> = { waiting: Waiting<Key, Value>; underWay: number; isScheduled: boolean }

/** Returns a function that reads one value; null: the project has none with this key. */
export function gathered<Key, Value>(read: ReadMany<Key, Value>) {
  const queues = new Map<number, Queue<Key, Value>>()

  async function readWaiting(projectId: number, queue: Queue<Key, Value>): Promise<void> {
    queue.isScheduled = false
    const { waiting } = queue
    queue.waiting = new Map()
    queue.underWay += 1
    try {
      const found = await read(projectId, [...waiting.keys()])
      for (const [key, { resolve }] of waiting) resolve(found.get(key) ?? null)
    } catch (error) {
      for (const { reject } of waiting.values()) reject(error)
    }
    queue.underWay -= 1
    if (queue.waiting.size > 0) schedule(projectId, queue)
    else if (queue.underWay === 0) queues.delete(projectId)
  }

  /**
   * Runs the waiting reads at the end of the turn of the event loop, so that all reads of this turn share a statement.
   */
  function schedule(projectId: number, queue: Queue<Key, Value>): void {
    if (queue.isScheduled || queue.underWay >= maxUnderWay) return
    queue.isScheduled = true
    setImmediate(readWaiting, projectId, queue)
  }

  return (projectId: number, key: Key): Promise<Value | null> => {
    const queue = queues.get(projectId) ?? { waiting: new Map(), underWay: 0, isScheduled: false }
    queues.set(projectId, queue)
    const alike = queue.waiting.get(key) ?? Promise.withResolvers()
    queue.waiting.set(key, alike)
    schedule(projectId, queue)
    return alike.promise
  }
}
