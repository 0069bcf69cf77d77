/**
 * Shares a thread among tenants. Work is done in slices. Tenants alternate, and so do the pieces of work of one
 * tenant. A tenant with much work delays itself, and delays others only by one slice at a time.
 */

/** Identifies a tenant. */
export type Tenant = string | number

export type Work<Answer> = {
  tenant: Tenant
  /** Pauses often, because a slice exceeds `sliceMs` by up to the time between two pauses. */
  steps: Generator<void, Answer>
  /** Processor time, in milliseconds, after which the work ends with its result so far. */
  budgetMs: number
  /** Returns the result so far, when the budget is spent. */
  soFar: () => Answer
}

export type Done<Answer> = { id: number; answer: Answer; spentMs: number }

export type FairWork<Answer> = {
  add(id: number, work: Work<Answer>): void
  /** Cancels a piece of work. */
  end(id: number): void
  /** Returns the id of the work with the next slice, or null without work. */
  next(): number | null
  /**
   * Runs the next slice, and returns the result if the work is finished. Throws the errors of the work, which is then
   * removed.
   */
  slice(): Done<Answer> | null
}

type Waiting<Answer> = Work<Answer> & { id: number; spentMs: number }

/**
 * Creates an empty queue of work.
 * @param stopwatch Starts to measure. The returned function returns the milliseconds of processor time since then.
 */
export function createFairWork<Answer>(sliceMs: number, stopwatch: () => () => number): FairWork<Answer> {
  /** Work by tenant, in the order of their slices. Tenants without work are removed. */
  const queues = new Map<Tenant, Waiting<Answer>[]>()

  const first = () => queues.values().next().value?.[0]

  function slice(): Done<Answer> | null {
    const work = first()
    if (work === undefined) return null
    const queue = queues.get(work.tenant) ?? []
    queues.delete(work.tenant)
    queue.shift()
    const spent = stopwatch()
    try {
      const result = runSlice(work, sliceMs)
      work.spentMs += spent()
      const { id, spentMs } = work
      if (result.done) return { id, answer: result.value, spentMs }
      if (spentMs >= work.budgetMs) return { id, answer: work.soFar(), spentMs }
      queue.push(work)
      return null
    } finally {
      if (queue.length > 0) queues.set(work.tenant, queue)
    }
  }

  return {
    add(id, work) {
      const queue = queues.get(work.tenant) ?? []
      queue.push({ ...work, id, spentMs: 0 })
      queues.set(work.tenant, queue)
    },
    end(id) {
      for (const [tenant, queue] of queues) {
        const others = queue.filter(work => work.id !== id)
        if (others.length === 0) queues.delete(tenant)
        else if (others.length < queue.length) queues.set(tenant, others)
      }
    },
    next: () => first()?.id ?? null,
    slice,
  }
}

function runSlice<Answer>({ steps }: Work<Answer>, sliceMs: number): IteratorResult<void, Answer> {
  const until = performance.now() + sliceMs
  for (;;) {
    const result = steps.next()
    if (result.done || performance.now() >= until) return result
  }
}
