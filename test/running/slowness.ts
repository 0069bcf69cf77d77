/** Measures the speed of the machine, because the costs and time limits of tests were recorded on another machine. */
import { createHash } from 'node:crypto'

/** Milliseconds of processor time that the machine of the recorded costs takes for the work. */
const referenceMs = 190
const rounds = 3
/** Maximum slowness. A machine that is even slower has another problem. */
const maxSlowness = 4

/** Returns how many times slower this machine is, from 1 to 4 in steps of a tenth. Takes a second. */
export function measuredSlowness(): number {
  const times = Array.from({ length: rounds }, processorMs).sort((a, b) => a - b)
  return slownessOf(times[0] ?? referenceMs)
}

/** @param ms processor time of the fastest round */
export const slownessOf = (ms: number): number =>
  Math.min(Math.max(Math.round((10 * ms) / referenceMs) / 10, 1), maxSlowness)

/** Returns the processor time of one round. */
export function processorMs(): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** Work as services do it: JSON, texts, maps and hashes. */
function work(): void {
  const rows = Array.from({ length: 20_000 }, (_, n) => ({
    key: `k${n % 977}`,
    text: `word ${n} `.repeat(4),
  }))
  for (let round = 0; round < 6; round++) {
    const json = JSON.stringify(rows)
    const sizes = new Map<string, number>()
    for (const { key, text } of JSON.parse(json) as typeof rows)
      sizes.set(key, (sizes.get(key) ?? 0) + text.length)
    createHash('sha256')
      .update(json.replace(/word (\d+)/g, 'w$1'))
      .digest()
  }
}
