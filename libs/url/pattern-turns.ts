/**
 * Shares a thread among tenants: work is done in slices, tenants take turns, and so do the tasks of one tenant. A
 * tenant with much work waits for its own, and the others for one slice of it at a time.
 */

/** The key that separates tenants. */
export type Tenant = string | number

export type Work<Answer> = {
  tenant: Tenant
  /** Pauses often: a slice is longer than `sliceMs` by no more than lies between two pauses. */
  steps: Generator<void, Answer>
  /** Processor time, in milliseconds, after which it ends as it stands. */
  budgetMs: number
  /** The result if its time is up. */
  soFar: () => Answer
}

export type Done<Answer> = { id: number; answer: Answer; spentMs: number }

export type WorkTurns<Answer> = {
  add(id: number, work: Work<Answer>): void
  /** Forgets a piece of work. */
  end(id: number): void
  /** Whose slice is next; null where nothing is to be done. */
  next(): number | null
  /**
   * Runs one slice of the next task, and returns the task when it is done. If a task throws, its error is thrown and
   * the task is dropped.
   */
  slice(): Done<Answer> | null
}

type Waiting<Answer> = Work<Answer> & { id: number; spentMs: number }

/** @param stopwatch starts to measure; the result returns the milliseconds of processor time since then */
export function createWorkTurns<Answer>(sliceMs: number, stopwatch: () => () => number): WorkTurns<Answer> {
  /** By tenant, in the order of their turns; tenants without work are absent. */
  const lines = new Map<Tenant, Waiting<Answer>[]>()

  const first = () => lines.values().next().value?.[0]

  function slice(): Done<Answer> | null {
    const work = first()
    if (work === undefined) return null
    const line = lines.get(work.tenant) ?? []
    lines.delete(work.tenant)
    line.shift()
    const isRest = () => line.length > 0 && lines.set(work.tenant, line)
    const spent = stopwatch()
    try {
      const result = goOn(work, sliceMs)
      work.spentMs += spent()
      const { id, spentMs } = work
      if (result.done) return { id, answer: result.value, spentMs }
      if (spentMs >= work.budgetMs) return { id, answer: work.soFar(), spentMs }
      line.push(work)
      return null
    } finally {
      isRest()
    }
  }

  return {
    add(id, work) {
      const line = lines.get(work.tenant) ?? []
      line.push({ ...work, id, spentMs: 0 })
      lines.set(work.tenant, line)
    },
    end(id) {
      for (const [tenant, line] of lines) {
        const left = line.filter(work => work.id !== id)
        if (left.length === 0) lines.delete(tenant)
        else if (left.length < line.length) lines.set(tenant, left)
      }
    },
    next: () => first()?.id ?? null,
    slice,
  }
}

function goOn<Answer>({ steps }: Work<Answer>, sliceMs: number): IteratorResult<void, Answer> {
  const until = performance.now() + sliceMs
  for (;;) {
    const result = steps.next()
    if (result.done || performance.now() >= until) return result
  }
}
