/**
 * `npm run chaos`: breaks a whole Tidemark on purpose while it crawls, and says what was lost; `npm run chaos -- NAME`
 * presses it in another way. Progress goes to standard error; standard output gets one line of JSON a run of chaos,
 * and `N passed, N failed` over its promises.
 */
import { type ChaosResult, runChaos } from './chaos.ts'
import { ruleNames } from './checker.ts'
import type { FaultCounts } from './faults.ts'
import { type Options, readOptions, usage } from './options.ts'
import { isTrial, runTrial, trialsUsage } from './trials/trials.ts'

const report = (line: string) => process.stderr.write(`${line}\n`)

/** A lost order is ordered again after two minutes; a crawl that stands still for longer will not end. */
const patienceMs = 200_000

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const [name = '', ...rest] = process.argv.slice(2)
const main = isTrial(name) ? runTrial(name, rest, report) : chaos(optionsOrExit())
process.exit(await main.catch(tellFailure))

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
  const { removeFiles, dir, ...told } = result
  const stays = keep || told.violations.length > 0
  for (const { rule, found } of told.violations)
    report(`not ok: ${rule}\n${found.map(line => `  ${line}`).join('\n')}`)
  process.stdout.write(
    `${JSON.stringify({ seed, hosts, pages, faults: counts, ...told, ...(stays && { dir }) })}\n`,
  )
  if (!stays) await removeFiles()
  return result
}

/** A system that cannot even be run keeps no promise. */
function tellFailure(error: Error): number {
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

/** Without what options have beside them. */
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
