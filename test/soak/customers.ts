/** Clients that send calls with a fixed pause, each over its own connection, and the duration of each call. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { System } from '../e2e/system.ts'

export type Call = { method: string; path: string; body?: object }
export type Called = { ms: number[]; failures: string[] }

/** Sends calls until the signal aborts. Statuses above 299 and errors count as failures. */
export async function callAll(
  { call }: Pick<System, 'call'>,
  key: string,
  calls: (() => Call)[],
  { lanes, pauseMs }: { lanes: number; pauseMs: number },
  signal: AbortSignal,
): Promise<Called> {
  const called: Called = { ms: [], failures: [] }
  const lane = async (first: number) => {
    for (let n = first; !signal.aborted; n++) {
      const { method, path, body } = (calls[n % calls.length] as () => Call)()
      const began = performance.now()
      const answer = await call(key, method, path, body).catch((error: Error) => error)
      called.ms.push(performance.now() - began)
      if (answer instanceof Error) called.failures.push(`${method} ${path}: ${answer.message}`)
      else if (answer.status >= 300)
        called.failures.push(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
    }
  }
  await Promise.all(Array.from({ length: lanes }, (_, n) => lane(n)))
  return called
}

/** Returns the value that this share of the values, 0 to 1, does not exceed. 0 without values. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0
}
