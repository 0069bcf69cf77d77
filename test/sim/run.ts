/** `node test/sim/run.ts [--from N] [--seeds N]`: simulates seeds, prints failures with their stories, and sums up. */
import { parseArgs } from 'node:util'
import { reportOf, shortest } from './explain.ts'
import { simulate } from './simulate.ts'

const { values } = parseArgs({
  options: { from: { type: 'string', default: '1' }, seeds: { type: 'string', default: '100' } },
})
const print = (line: string) => process.stdout.write(`${line}\n`)
const [from, count] = [Number(values.from), Number(values.seeds)]
let failed = 0
let maxVirtualMs = 0
const faults = new Map<string, number>()
for (let seed = from; seed < from + count; seed++) {
  const result = await simulate(seed)
  for (const [kind, times] of result.faults) faults.set(kind, (faults.get(kind) ?? 0) + times)
  maxVirtualMs = Math.max(maxVirtualMs, result.virtualMs)
  if (result.violation === null) continue
  failed++
  print(reportOf(await shortest(result)))
}
const counted = [...faults].map(([kind, times]) => `${kind} ${times}`).join(', ')
print(
  `${count} seeds from ${from}, ${failed} failed; the longest took ${Math.round(maxVirtualMs / 1000)} virtual seconds`,
)
print(`faults: ${counted}`)
process.exitCode = failed === 0 ? 0 : 1
