/** `verify`: checks the invariants of the stored data and reports violations. */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Check } from './invariants.ts'
import { onStandardError, type Print } from './print.ts'

export const usage = 'verify'
export const summary = 'Checks the invariants of stored data, changes nothing, and reports violations.'

export type { Check } from './invariants.ts'
export type Verification = { ok: boolean; checks: Check[] }

/**
 * Pause before the second check, in ms. The coordinator's sweep, which runs every three seconds, releases superfluous
 * slots, and no snapshot can distinguish a slot that waits for the sweep from a fault.
 */
const secondCheckMs = 6_000

/**
 * Checks a second time before it reports a violation. During a check no run moves to the archive. Throws AdminError
 * without a running instance, and if a rebuild lasts longer than ten minutes.
 */
export async function run(
  args: string[],
  dir: string,
  print: Print = onStandardError,
): Promise<Verification> {
  parseArgs({ args, options: {} })
  const { openInstance } = await import('./open-instance.ts')
  const { checkInvariants } = await import('./invariants.ts')
  await using instance = await openInstance(dir)
  const { stopSweeps } = await import('./backup/locks.ts')
  async function check(): Promise<Check[]> {
    await using _sweeps = await stopSweeps(instance)
    return await checkInvariants(instance)
  }
  const first = await check()
  const isClean = first.every(({ ok }) => ok)
  const checks = isClean ? first : await sleep(secondCheckMs).then(check)
  for (const check of checks) print(lineOf(check))
  return { ok: checks.every(({ ok }) => ok), checks }
}

/** Returns lines for people: the check, and its violations. */
export function lineOf({ name, ok, looked, details, more, skipped }: Check): string {
  if (skipped !== undefined) return `-       ${name}: ${skipped}`
  if (ok) return `ok      ${name}: ${looked}`
  const lines = [...details, ...(more > 0 ? [`and ${more} more`] : [])]
  return [`not ok  ${name}`, ...lines.map(line => `          ${line}`)].join('\n')
}
