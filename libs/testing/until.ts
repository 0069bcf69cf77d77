/** Waiting for what comes about by itself, as tests do. */
import { setTimeout as sleep } from 'node:timers/promises'

const betweenLooksMs = 20

/** Resolves when it holds; rejects when it does not within the limit, in milliseconds: a minute unless told. */
export async function until(holds: () => boolean | Promise<boolean>, limitMs = 60_000): Promise<void> {
  for (const end = Date.now() + limitMs; Date.now() < end; ) {
    if (await holds()) return
    await sleep(betweenLooksMs)
  }
  throw new Error(`it did not come about within ${limitMs / 1000} s: ${holds}`)
}
