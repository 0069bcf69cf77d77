/** Reads data for a screen, and runs its commands. */
import { type Signal, useSignal } from '@preact/signals'
import { useCallback, useEffect, useRef } from 'preact/hooks'

export type Reading<T> = {
  data: T | null
  error: unknown
  isLoading: boolean
  /** Reads again now. It ends a read that is pending. */
  reload: () => void
  /** Reads again, unless a read is pending: an interval shorter than a read would end each one. */
  refresh: () => void
}

/**
 * Reads when a dependency changes, and at each reload, during which the last result stays visible. Results and errors of
 * earlier dependencies are dropped, also late ones. `read` returns null if there is nothing to read.
 */
export function useReading<T>(
  read: (signal: AbortSignal) => Promise<T> | PromiseLike<T> | null,
  dependencies: readonly unknown[],
): Reading<T> {
  const data = useSignal<T | null>(null)
  const error = useSignal<unknown>(null)
  const isLoading = useSignal(true)
  const round = useSignal(0)
  const key = JSON.stringify(dependencies)
  const lastKey = useRef(key)
  const isPending = useRef(false)
  if (lastKey.current !== key) {
    lastKey.current = key
    data.value = null
    error.value = null
  }
  useEffect(() => {
    const stop = new AbortController()
    const reading = read(stop.signal)
    isPending.current = reading !== null
    isLoading.value = reading !== null && data.value === null
    if (reading !== null)
      Promise.resolve(reading).then(
        found => {
          if (stop.signal.aborted) return
          isPending.current = false
          data.value = found
          error.value = null
          isLoading.value = false
        },
        failure => {
          if (stop.signal.aborted) return
          isPending.current = false
          error.value = failure
          isLoading.value = false
        },
      )
    return () => stop.abort()
  }, [key, round.value])
  const reload = useCallback(() => {
    round.value++
  }, [])
  const refresh = useCallback(() => {
    if (!isPending.current) reload()
  }, [])
  return { data: data.value, error: error.value, isLoading: isLoading.value, reload, refresh }
}

/** A command of the reader, such as a click on "Cancel", with its state. */
export type RunnableCommand = { run: () => Promise<void>; isRunning: boolean; error: Signal<unknown> }

/** Runs a command of the reader: one at a time, with its error kept until the next one. */
export function useCommand(work: () => Promise<unknown>): RunnableCommand {
  const error = useSignal<unknown>(null)
  const isRunning = useSignal(false)
  const run = async () => {
    if (isRunning.value) return
    isRunning.value = true
    error.value = null
    try {
      await work()
    } catch (failure) {
      error.value = failure
    } finally {
      isRunning.value = false
    }
  }
  return { run, isRunning: isRunning.value, error }
}

/** Calls back at an interval while it is wanted and the page is visible. */
export function useInterval(work: () => void, everyMs: number, isWanted: boolean): void {
  const latest = useRef(work)
  latest.current = work
  useEffect(() => {
    if (!isWanted) return
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') latest.current()
    }, everyMs)
    return () => clearInterval(timer)
  }, [everyMs, isWanted])
}
