/**
 * `npm run chaos` injects faults into a whole Tidemark while it crawls, and reports losses. `npm run chaos -- NAME`
 * runs another trial. Progress goes to standard error. Standard output has one line of JSON per run of chaos, and `N
 * passed, N failed` for its promises.
 */
import { type ChaosResult, runChaos } from './chaos.ts'
import { ruleNames } from './checker.ts'
import type { FaultCounts } from './faults.ts'
import { type Options, readOptions, usage } from './options.ts'
import { isTrial, runTrial, trialsUsage } from './trials/trials.ts'

const report = (line: string) => process.stderr.write(`${line}\n`)

/** Lost orders are reissued after two minutes. A crawl without progress for longer than this will never end. */
const patienceMs = 200_000

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const [name = '', ...rest] = process.argv.slice(2)
const main = isTrial(name) ? runTrial(name, rest, report) : chaos(optionsOrExit())
process.exit(await main.catch(reportFailure))

async function chaos(options: Options): Promise<number> {
  let faults: FaultCounts = options
  let result = await once(options, faults)
  let smallest = result
  while (options.shrink && result.violations.length > 0 && sum(faults) > 1) {
    faults = halved(faults)
    report(`Again, with ${sum(faults)} faults …`)
    result = await once(options, faults)
    if (result.violations.length > 0) smallest = result
  }
  const failed = smallest.violations.length
  process.stdout.write(`${ruleNames.length - failed} passed, ${failed} failed\n`)
  return failed === 0 ? 0 : 1
}

async function once(options: Options, faults: FaultCounts): Promise<ChaosResult> {
  const { seed, hosts, pages, delay, tolerance, fetchers, webhooks, keep, repeat } = options
  const counts = eachOf(faults, count => count)
  const result = await runChaos({
    site: { seed, hosts, pages },
    faults: counts,
    delayMs: delay,
    toleranceMs: tolerance,
    fetchers,
    repeated: repeat / 100,
    webhooks,
    cluster: options.cluster,
    patienceMs,
    report,
  })
  const { removeFiles, dir, ...summary } = result
  const stays = keep || summary.violations.length > 0
  for (const { rule, found } of summary.violations)
    report(`not ok: ${rule}\n${found.map(line => `  ${line}`).join('\n')}`)
  process.stdout.write(
    `${JSON.stringify({ seed, hosts, pages, faults: counts, ...summary, ...(stays && { dir }) })}\n`,
  )
  if (!stays) await removeFiles()
  return result
}

/** Reports that the run itself has failed, which counts as one failed promise. */
function reportFailure(error: Error): number {
  report(String(error.stack))
  process.stdout.write('0 passed, 1 failed\n')
  return 1
}

function halved(faults: FaultCounts): FaultCounts {
  return eachOf(faults, count => Math.floor(count / 2))
}

function sum(faults: FaultCounts): number {
  return Object.values(eachOf(faults, count => count)).reduce((sum, count) => sum + count, 0)
}

/** Returns only the counts of the faults, changed by the function. */
function eachOf(faults: FaultCounts, change: (count: number) => number): FaultCounts {
  const names = ['kills', 'nats', 'postgres', 'redis', 'all', 'nodes', 'cuts'] as const
  return Object.fromEntries(names.map(name => [name, change(faults[name])])) as FaultCounts
}

function optionsOrExit(): Options {
  try {
    return readOptions(process.argv.slice(2))
  } catch (error) {
    report(`${(error as Error).message}\n${usage}\n${trialsUsage}`)
    process.exit(2)
  }
}
